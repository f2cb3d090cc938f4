"""The documentation agrees with the code."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest

from docs.reference import FILE, reference
from sandbox_tui.core.config.settings import Settings
from sandbox_tui.tui.keys.default_keys import ACTIONS

ROOT = Path(__file__).parents[2]


def test_the_reference_is_up_to_date() -> None:
    assert FILE.read_text(encoding="utf-8") == reference(), "run `python docs/reference.py`"


def test_every_key_and_every_setting_is_described() -> None:
    page = reference()
    for action in ACTIONS.values():
        assert f"`{action.name}`" in page
        assert action.words
    for section in msgspec.structs.fields(Settings):
        if isinstance(section.type, type) and issubclass(section.type, msgspec.Struct):
            for field in msgspec.structs.fields(section.type):
                row = re.search(rf"^\| `{field.name}` \| .* \| (.*) \|$", page, re.MULTILINE)
                assert row, field.name
                assert row[1].strip(), f"{section.name}.{field.name} has no words"


def test_links_between_the_pages_lead_somewhere() -> None:
    for page in (ROOT / "README.md", *(ROOT / "docs").glob("*.md")):
        text = page.read_text(encoding="utf-8")
        for target in re.findall(r"\]\(([^)]+)\)", text):
            name, _, anchor = target.partition("#")
            file = page if not name else page.parent / name
            assert file.exists(), f"{page.name}: {target}"
            if anchor and file.suffix == ".md":
                headings = re.findall(r"^#+ (.+)$", file.read_text(encoding="utf-8"), re.MULTILINE)
                anchors = {re.sub(r"[^\w -]", "", h.lower()).replace(" ", "-") for h in headings}
                assert anchor in anchors, f"{page.name}: {target}"


def test_every_section_of_the_guide_is_one_journey() -> None:
    guide = (ROOT / "docs" / "guide.md").read_text(encoding="utf-8")
    sections = re.findall(r"^## (.+)$", guide, re.MULTILINE)
    listed = re.findall(r"^- \[(.+)\]\(#.+\)$", guide, re.MULTILINE)
    assert listed == sections
    journeys = {
        file.name: found[1]
        for file in (ROOT / "tests" / "journeys").glob("test_*.py")
        if (found := re.match(r'"""Guide: (.+)\."""', file.read_text(encoding="utf-8")))
    }
    names = {f"test_{re.sub(r'[^a-z]+', '_', title.lower())}.py": title for title in sections}
    assert journeys == names


@pytest.mark.parametrize("page", ["promises.md", "security.md"])
def test_every_promise_has_a_test_of_that_name(page: str) -> None:
    promises = (ROOT / "docs" / page).read_text(encoding="utf-8")
    named = re.findall(r"\[`(test_\w+)`\]\(\.\./(tests/[\w/]+\.py)\)", promises)
    assert len(named) > 20
    for name, file in named:
        text = (ROOT / file).read_text(encoding="utf-8")
        assert re.search(rf"^(async )?def {name}\(", text, re.MULTILINE), f"{file} has no {name}"
