"""What came of a call, in the words of the line below it."""

from __future__ import annotations

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.base.tool_names import EDITOR, SUBMIT
from sandbox_tui.core.events.command_output import Observed
from sandbox_tui.core.events.run_state import CallItem
from sandbox_tui.sessions.interchange.exports.call_arguments import readable
from sandbox_tui.sessions.interchange.exports.trajectory import parameters

MAX_CHARS = 120


def call_result(item: CallItem, out: Observed) -> str:
    """Return how many lines a call changed or printed; the last line of one that failed.

    Args:
        item: a call that has ended.
        out: its output.
    """
    finished = item.finished
    if finished is None or item.call.name == SUBMIT:
        return ""
    if not finished.ok:
        return _last_line(out)
    if item.call.name == EDITOR and (changed := _changed_lines(item.arguments)):
        return changed
    printed = _lines(out)
    return f"cut to {printed}" if finished.truncated and printed else printed or "no output"


def command_result(out: Observed, *, good: bool) -> str:
    """Return how many lines the user's command printed; the last one if it failed or printed no
    more."""
    printed = _lines(out)
    return printed if good and printed not in ("", "1 line") else _last_line(out)


def _lines(out: Observed) -> str:
    return printed_lines(out.out, out.err)


def printed_lines(*outputs: str) -> str:
    """Return how many lines these are, in words; empty for none."""
    count = sum(len(part.splitlines()) for part in outputs)
    return f"{count:,} {'line' if count == 1 else 'lines'}" if count else ""


def _last_line(out: Observed) -> str:
    return sanitize_line(out.last_line)[:MAX_CHARS]


def _changed_lines(arguments: str) -> str:
    """Return how many lines an edit adds and removes; empty if the call only looks."""
    text, language, _ = readable(EDITOR, arguments)
    match parameters(arguments).get("command"):
        case "create" | "insert":
            return f"+{len(text.splitlines())}"
        case "str_replace" if language == "diff":
            signs = [line[:1] for line in text.split("\n")]
            added, removed = signs.count("+"), signs.count("-")
            return " ".join(
                [*([f"+{added}"] if added else []), *([f"−{removed}"] if removed else [])]
            )
        case _:
            return ""
