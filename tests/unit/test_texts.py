"""The wording of the program and its pages: one term for each thing, and the field's terms."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from runpy import run_path

ROOT = Path(__file__).parents[2]

REPLACED = {
    r"anew": "again",
    r"shall": "should, or will",
    r"mend(s|ed|ing)?": "fix",
    r"begun": "started",
    r"belongs into": "belongs in",
    r"in vain": "without success",
    r"put away": "closed, or saved",
    r"(take|takes|taken) up again": "resumed",
    r"come upon": "found",
    r"defect": "bug",
    r"for ever": "forever",
    r"the model has it": "delivered",
    r"nobody is here": "no screen is attached",
    r"nothing is called that": "no matches",
    r"most steps": "max steps",
    r"hit before": "previous match",
}
"""Wordings that were replaced, as patterns, with their replacements."""

NOT_PROSE = re.compile(r"```.*?```|`[^`]*`|\]\([^)]*\)|^ {4}[^\n]*$", re.DOTALL | re.MULTILINE)
"""Code and link targets; names of tests and files keep their wording."""

PLACEHOLDER = re.compile(r"\{[^{}]*\}")


def _found(text: str) -> list[str]:
    return [
        f"{match[0]!r}: write {better}"
        for pattern, better in REPLACED.items()
        for match in re.finditer(rf"\b{pattern}\b", text, re.IGNORECASE)
    ]


def _texts() -> Iterator[tuple[Path, list[str]]]:
    """Yield the texts that a user can read, by file, as listed by `scripts/list_texts.py`."""
    script = run_path(str(ROOT / "scripts" / "list_texts.py"))
    for folder in ("core", "sessions", "tui"):
        for file in sorted((ROOT / folder).rglob("*.py")):
            if not file.relative_to(ROOT).as_posix().startswith(script["FOR_THE_MODEL"]):
                tree = ast.parse(file.read_text(encoding="utf-8"))
                yield file, [PLACEHOLDER.sub("", text) for _, text in script["_texts"](tree)]


def test_words_that_were_replaced_do_not_come_back() -> None:
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    said = {page: [NOT_PROSE.sub("", page.read_text(encoding="utf-8"))] for page in pages}
    said.update(_texts())
    assert sum(map(len, said.values())) > 3000
    found = {
        str(file.relative_to(ROOT)): problems
        for file, texts in said.items()
        if (problems := [problem for text in texts for problem in _found(text)])
    }
    assert not found


def test_a_word_that_was_replaced_is_found() -> None:
    assert _found("Nothing is called that.") == ["'Nothing is called that': write no matches"]
    assert not _found("The sandbox was extended and recommended.")
