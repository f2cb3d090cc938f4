"""The rules of the house, checked."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tokenize
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CODE = ("core", "sessions", "themes", "tui")
LONGEST = 425
"""Lines of code in one file."""


def python_files(folder: str) -> list[Path]:
    return sorted((ROOT / folder).rglob("*.py"))


def imported(file: Path) -> Iterator[str]:
    """Packages a file imports, relative ones as the folder they lead to."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            yield from (name.name.split(".")[0] for name in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield (node.module or "").split(".")[0]
        elif isinstance(node, ast.ImportFrom):
            above = file.relative_to(ROOT).parts[: -node.level]
            yield (above + tuple((node.module or "").split(".")))[0]


@pytest.mark.parametrize(
    ("folder", "never"),
    [
        ("core", {"textual", "sessions", "tui", "themes", "sqlite3", "sqlite_utils"}),
        ("sessions", {"textual", "tui", "themes", "docker", "openai"}),
        ("themes", {"textual", "tui", "sessions", "core"}),
    ],
)
def test_arrows_run_one_way(folder: str, never: set[str]) -> None:
    for file in python_files(folder):
        assert not set(imported(file)) & never, file


def test_every_folder_with_code_is_packaged() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    mapped = project["tool"]["setuptools"]["package-dir"]
    folders = {str(file.parent.relative_to(ROOT)) for name in CODE for file in python_files(name)}
    assert folders == set(mapped.values())
    assert set(project["tool"]["setuptools"]["packages"]) == set(mapped)
    assert all((ROOT / folder / "__init__.py").exists() for folder in folders)


def lines_of_code(file: Path) -> int:
    """Lines that are neither blank nor comment nor docstring."""
    lines: set[int] = set()
    begins = True
    with file.open("rb") as stream:
        for token in tokenize.tokenize(stream.readline):
            if token.type in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT):
                begins = True
            elif token.type not in (tokenize.COMMENT, tokenize.NL, tokenize.ENCODING):
                if not (begins and token.type == tokenize.STRING):
                    lines |= set(range(token.start[0], token.end[0] + 1))
                begins = False
    return len(lines)


def test_files_hold_one_idea() -> None:
    long = {
        str(file.relative_to(ROOT)): count
        for name in CODE
        for file in python_files(name)
        if (count := lines_of_code(file)) > LONGEST
    }
    assert not long


def test_no_handler_is_called_twice() -> None:
    """Textual itself calls `on_mount` and its like of every class that a widget descends from."""
    again = {
        f"{file.name}: {node.func.attr}"
        for file in python_files("tui")
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Call)
        and ast.unparse(node.func.value) == "super()"
        and re.match(r"_?on_(?!event$)", node.func.attr)
    }
    assert not again


def test_no_registry_is_named() -> None:
    hosts = ["py" + "pi.org", "python" + "hosted", "registry.npm" + "js", "docker" + ".io/"]
    hosts.append("deb.deb" + "ian.org")
    for file in ROOT.rglob("*"):
        parts = file.relative_to(ROOT).parts
        skip = {".git", ".venv", ".cache", "build", "dist", "uv.lock"} & set(parts)
        if skip or not file.is_file() or file.stat().st_size > 500_000:
            continue
        text = file.read_text(errors="replace")
        assert not [host for host in hosts if host in text], file


def test_the_program_starts_without_its_heavy_parts() -> None:
    script = (
        "import sys; import sandbox_tui.tui.cli\n"
        "print([m for m in ('textual', 'openai', 'docker', 'pydantic') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
