"""The comparison of two sessions in words."""

from __future__ import annotations

from collections.abc import Sequence

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.tools.call_summaries import short_name, summarize_call
from sandbox_tui.sessions import RunSummary
from sandbox_tui.sessions.relations.compare import Call, Comparison, Pair
from sandbox_tui.tui.format import numbers
from sandbox_tui.tui.format.titles import task_title

COLUMN = 40


def totals(found: Comparison) -> list[tuple[str, str, str]]:
    """Rows of name, left and right: what each is, came to and took."""
    rows = [
        _facts(found.left, [pair.left for pair in found.pairs if pair.left]),
        _facts(found.right, [pair.right for pair in found.pairs if pair.right]),
    ]
    return [(name, rows[0][name], rows[1][name]) for name in rows[0]]


def where_they_part(found: Comparison) -> str:
    """The first point at which they differ, as a sentence."""
    if not found.pairs:
        return "Neither has called a tool."
    if found.diverged_at is None:
        return _never_part(found.pairs)
    pair = found.pairs[found.diverged_at]
    call = pair.left or pair.right
    place = f"call {found.diverged_at + 1}" + ("" if call is None else f" (step {call.step})")
    many = {0: "", 1: "The first call is the same; "}.get(
        found.diverged_at, f"The first {found.diverged_at} calls are the same; "
    )
    they = f"{many}they" if many else "They"
    if not pair.same or pair.left is None or pair.right is None:
        return f"{they} part at {place}."
    ends = f"left {_end_of(pair.left)}, right {_end_of(pair.right)}"
    return f"{they} part at {place}, which ends differently: {ends}."


def _never_part(pairs: Sequence[Pair]) -> str:
    calls = "the one call is" if len(pairs) == 1 else f"all {len(pairs)} calls are"
    others = sum(not pair.agrees for pair in pairs)
    rest = f"the output of {others} differs" if others else "so are the results"
    return f"They never part: {calls} the same; {rest}."


def _end_of(call: Call) -> str:
    if call.was_prevented:
        return "not run"
    if call.ok is None:
        return "no result"
    if call.ok:
        return "ok"
    return "failed" if call.exit_code is None else f"exit {call.exit_code}"


def files_sentence(found: Comparison) -> str:
    """How many files are the same at the end, and how many are not."""
    same, others = found.same_files, len(found.files)
    if not same and not others:
        return "Neither has left files."
    if not others:
        return "The one file is the same." if same == 1 else f"All {same} files are the same."
    are = "is" if others == 1 else "are"
    if not same:
        return f"No file is the same; {others} {are} not:"
    is_same = "file is the same" if same == 1 else "files are the same"
    return f"{same} {is_same}, {others} {are} not:"


def related_sentence(found: Comparison) -> str:
    """How they are related, as a sentence; empty when they are not."""
    left, right = found.left, found.right
    if right.parent == left.id:
        return "The right one is a fork of the left one."
    if left.parent == right.id:
        return "The left one is a fork of the right one."
    if left.parent is not None and left.parent == right.parent:
        return f"Both are forks of {sanitize_line(left.parent)}."
    return ""


def sign(pair: Pair) -> str:
    """Between two calls: the same with the same result, the same, other ones."""
    if pair.same:
        return "=" if pair.agrees else "≈"
    return "|" if pair.left and pair.right else "<" if pair.left else ">"


def call_line(call: Call) -> str:
    """A call in a line."""
    mark = {True: "✓", False: "✗", None: "·"}[call.ok]
    what = sanitize_line(summarize_call(call.tool, call.arguments))
    return f"{call.number} {mark} {short_name(sanitize_line(call.tool))} {what}"


def _facts(run: RunSummary, calls: Sequence[Call]) -> dict[str, str]:
    name = task_title(run)
    return {
        "name": cut(name),
        "session": run.id,
        "model": sanitize_line(run.model),
        "sandbox": sanitize_line(run.sandbox) or "none",
        "outcome": run.outcome.replace("_", " "),
        "steps": str(run.steps),
        "calls": _calls(calls),
        "tokens": f"{numbers.count(run.input_tokens)} in, {numbers.count(run.output_tokens)} out",
        "cost": numbers.cost(run.cost) or "unknown",
        "time": numbers.clock(run.seconds),
        "answer": cut(sanitize_line((run.answer or "none").strip())),
    }


def _calls(calls: Sequence[Call]) -> str:
    kept = sum(call.was_prevented for call in calls)
    without = sum(call.ok is None for call in calls)
    parts = [str(len(calls)), f"{sum(call.failed for call in calls)} failed"]
    parts += [f"{kept} not run"] if kept else []
    parts += [f"{without} without a result"] if without else []
    return ", ".join(parts)


def cut(words: str) -> str:
    """Words cut to the width of a column."""
    return words if len(words) <= COLUMN else f"{words[: COLUMN - 1]}…"
