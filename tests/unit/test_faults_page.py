"""The page about faults names only tests that exist."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
LINK = re.compile(r"\[`(?P<name>[\w.]+)`\]\(\.\./(?P<file>tests/[\w/.]+)\)")


def test_every_test_it_names_is_there() -> None:
    page = (ROOT / "docs" / "faults.md").read_text(encoding="utf-8")
    named = [(found["name"], found["file"]) for found in LINK.finditer(page)]
    assert len(named) > 40
    for name, file in named:
        assert f"def {name}(" in (ROOT / file).read_text(encoding="utf-8"), (name, file)


def test_no_test_of_a_fault_is_left_out() -> None:
    page = (ROOT / "docs" / "faults.md").read_text(encoding="utf-8")
    files = (ROOT / "tests" / "faults").glob("test_*.py")
    tests = [name for file in files for name in re.findall(r"def (test_\w+)\(", file.read_text())]
    assert [name for name in tests if f"`{name}`" not in page] == []
