"""The result of one check, as text and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from sandbox_tui.core.base.sanitize import sanitize_json, sanitize_line

DEMO_ONLY = "ready for the demo; your own runs need a model, see the arrow"


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check.

    Attributes:
        ok: True, False, or None for something optional.
        fix: a command or setting; empty if nothing is wrong.
        verdict: of the model: what the user can do while it is not ok.
    """

    name: str
    ok: bool | None
    words: str
    fix: str = ""
    verdict: str = DEMO_ONLY


def lines_of(finding: Finding) -> Iterator[str]:
    """Yield the lines that show a finding on a terminal."""
    sign = {True: "✓", False: "✗", None: "·"}[finding.ok]
    first, *more = finding.words.split("\n")
    yield f"{sign} {finding.name:<11}{sanitize_line(first)}"
    for line in more:
        yield f"  {'':<11}{sanitize_line(line)}"
    if finding.fix:
        yield f"  {'':<11}→ {finding.fix}"


def json_of(finding: Finding) -> str:
    """Return a finding as a JSON object on one line."""
    row = {"name": finding.name, "ok": finding.ok, "text": finding.words, "advice": finding.fix}
    return sanitize_json(json.dumps(row, ensure_ascii=False))
