"""How the result of a call that is run again in a fork differs from the recorded one."""

from __future__ import annotations

from itertools import takewhile, zip_longest

from sandbox_tui.core.agent.model_messages import EDITED
from sandbox_tui.core.base.cut_text import cut_text
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.lineage.fork_point import CommandReplay
from sandbox_tui.core.tools.base import Observation
from sandbox_tui.core.tools.call_summaries import summarize_call

MAX_CALL_CHARACTERS = 60
"""Maximum characters of the call that is named."""

MAX_LINE_CHARACTERS = 40
"""Maximum characters of a line that is quoted."""

CONTEXT = 10
"""Characters that are quoted before the first one that differs, if that is far into the line."""


def differing_result(effect: CommandReplay, now: Observation) -> str:
    """Say in a sentence how the result of a replay differs; empty if it does not."""
    if effect.ended and now.timed_out:
        return ""
    if now.exit_code != effect.exit_code:
        how = f"exit code {_code(now.exit_code)}, recorded {_code(effect.exit_code)}"
    elif not effect.observation.endswith(now.text):
        how = _first_difference(_without_preface(effect.observation), now.text)
    else:
        return ""
    what = f"Call {effect.number}" if effect.by == "model" else "Your command"
    call = cut_text(
        sanitize_line(summarize_call(effect.tool, effect.arguments)), MAX_CALL_CHARACTERS
    )
    about = f" ({call})" if call else ""
    return f"{what}{about} gave a different result when it was run again: {how}."


def _without_preface(observation: str) -> str:
    """Return an observation without the line that tells the model that a person edited the call."""
    if not observation.startswith(EDITED):
        return observation
    return observation.partition("]\n")[2]


def _first_difference(recorded: str, now: str) -> str:
    pairs = zip_longest(recorded.splitlines(), now.splitlines())
    for then, line in pairs:
        if then == line:
            continue
        if then is None:
            return f"{_quoted(line)} was not recorded"
        if line is None:
            return f"{_quoted(then)} is missing"
        return f"{_quoted(line, then)} instead of {_quoted(then, line)}"
    return "its line ends differ from the recording"


def _quoted(line: str, other: str = "") -> str:
    """Quote a line, from shortly before the place where it differs from another one."""
    pairs = zip(line, other, strict=False)
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    start = same - CONTEXT if same + CONTEXT > MAX_LINE_CHARACTERS else 0
    before = "…" if start else ""
    return f"“{before}{cut_text(sanitize_line(line[start:]), MAX_LINE_CHARACTERS - len(before))}”"


def _code(code: int | None) -> str:
    return "none" if code is None else str(code)
