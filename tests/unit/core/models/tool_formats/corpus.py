"""Model replies and the calls that they contain: `corpus/<family>.yaml`.

A case has a `reply`, the server's `finish` reason (`stop` by default) and the `calls` to carry out.
Where it matters it also has the `reasoning`, the `text` and a part of the `problem`; `any` stands
for a problem in any wording.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from sandbox_tui.core.tools.registry import DEFAULT_TOOLS

FOLDER = Path(__file__).parent / "corpus"
TOOLS = [{"type": "function", "function": dict(tool.schema)} for tool in DEFAULT_TOOLS]


@dataclass(frozen=True)
class Case:
    family: str
    name: str
    reply: str
    finish: str | None
    calls: list[dict[str, Any]]
    problem: str | None
    reasoning: str | None
    text: str | None


@functools.cache
def cases() -> list[Case]:
    return [
        Case(
            family=file.stem,
            name=case["name"],
            reply=case["reply"],
            finish=case.get("finish", "stop"),
            calls=case["calls"],
            problem=case.get("problem"),
            reasoning=case.get("reasoning"),
            text=case.get("text"),
        )
        for file in sorted(FOLDER.glob("*.yaml"))
        for case in yaml.safe_load(file.read_text(encoding="utf-8"))
    ]


def case_id(case: Case) -> str:
    return f"{case.family}: {case.name}"
