"""Formats the comparison of two sessions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sandbox_tui.core.base.durations import clock, short_duration
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.tools.call_summaries import short_name, summarize_call
from sandbox_tui.sessions import RunSummary
from sandbox_tui.sessions.relations.compare import (
    Call,
    Comparison,
    FilePair,
    LineDifference,
    Pair,
)
from sandbox_tui.tui.format import numbers
from sandbox_tui.tui.format.answers import NO_ANSWER, why_no_answer
from sandbox_tui.tui.format.outcome import outcome_words
from sandbox_tui.tui.format.titles import MAX_TITLE_CHARACTERS, first_line, model_title, task_title

COLUMN = 40
"""Width of each side on the command line."""


class Fact(NamedTuple):
    """A property that both sessions have, such as the outcome or the answer."""

    name: str
    left: str
    right: str


class Divergence(NamedTuple):
    """The first pair of calls that differs between the sides.

    Attributes:
        at: index of the pair.
        pair: the calls.
        sentence: where it is and what differs.
        line: the first line of output that differs, if both sides made the same call.
    """

    at: int
    pair: Pair
    sentence: str
    line: LineDifference | None


def facts(found: Comparison) -> list[Fact]:
    """Return the properties of both sessions: identity, outcome and figures."""
    left = _facts(found.left, [pair.left for pair in found.pairs if pair.left])
    right = _facts(found.right, [pair.right for pair in found.pairs if pair.right])
    return [Fact(name, left[name], right[name]) for name in left]


def divergence(found: Comparison) -> Divergence | None:
    """Return where the sessions diverge, or else where only the output of a call differs; None if
    they are identical."""
    at = found.diverged_at if found.diverged_at is not None else found.output_differs_at
    if at is None:
        return None
    pair = found.pairs[at]
    line = pair.output_difference if pair.same else None
    return Divergence(at, pair, _where(found, at, pair), line)


def calls_sentence(found: Comparison) -> str:
    """Return how many of the calls are equal, as a sentence."""
    if not found.pairs:
        return "Neither session called a tool."
    diverges = divergence(found)
    if diverges is not None:
        return diverges.sentence
    if len(found.pairs) == 1:
        return "Identical: the only call and its output."
    return f"Identical: all {len(found.pairs)} calls and their output."


def _where(found: Comparison, at: int, pair: Pair) -> str:
    call = pair.left or pair.right
    place = f"call {at + 1}" + ("" if call is None else f" (step {call.step})")
    if found.diverged_at is None:
        others = sum(not each.is_equal for each in found.pairs)
        calls = "the only call" if len(found.pairs) == 1 else f"all {len(found.pairs)} calls"
        many = "" if others == 1 else f" of {others}"
        return f"Identical: {calls} and exit codes; the output{many} differs, first at {place}."
    before = {0: "The sessions", 1: "Call 1 is identical; the sessions"}
    start = before.get(at, f"Calls 1 to {at} are identical; the sessions")
    return f"{start} diverge at {place}: {_what_differs(pair)}."


def _what_differs(pair: Pair) -> str:
    if pair.left is None:
        return "only on the right"
    if pair.right is None:
        return "only on the left"
    if not pair.same:
        return "a different call"
    return "same call, different result"


def end_of(call: Call) -> str:
    """Return how a call ended, in a word or two."""
    if call.was_prevented:
        return "not run"
    if call.ok is None:
        return "no result"
    if call.exit_code is not None:
        return f"exit {call.exit_code}"
    return "ok" if call.ok else "failed"


def end_and_size(call: Call | None) -> str:
    """Return how a call ended, how long it took and how much it printed."""
    if call is None:
        return "no call"
    lines = call.output_text.count("\n") + 1 if call.output_text else 0
    duration = [short_duration(call.duration)] if call.ok is not None else []
    printed = numbers.counted(lines, "line") if lines else "no output"
    return " · ".join([end_of(call), *duration, printed])


def differing_lines(line: LineDifference) -> tuple[str, str]:
    """Return the differing line of each side with its number."""
    left, right = (
        f"line {line.number} is missing"
        if one is None
        else f"line {line.number}: {sanitize_line(one[:MAX_TITLE_CHARACTERS])}"
        for one in (line.left, line.right)
    )
    return left, right


def files_sentence(found: Comparison) -> str:
    """Return how many files are equal at the end, and how many differ, as a sentence."""
    if not found.same_files and not found.files:
        return "Neither session left files."
    if not found.files:
        same = found.same_files
        return "The only file is identical." if same == 1 else f"All {same} files are identical."
    verdicts = [file.verdict for file in found.files]
    parts = [
        (found.same_files, "identical"),
        (verdicts.count("differs"), "different"),
        (verdicts.count("left only"), "left only"),
        (verdicts.count("right only"), "right only"),
    ]
    return "Files at the end: " + ", ".join(f"{n} {verdict}" for n, verdict in parts if n) + "."


def file_sizes(file: FilePair) -> str:
    """Return the size of a file on both sides; a dash if there is no file."""
    sides = (file.left_size, file.right_size)
    left, right = ("–" if size is None else numbers.size(size) for size in sides)
    return f"{left} → {right}"


def related_sentence(found: Comparison) -> str:
    """Return how the sessions are related, as a sentence; empty if they are not."""
    left, right = found.left, found.right
    at = "" if found.fork_step is None else f", from step {found.fork_step}"
    if right.parent == left.id:
        return f"Right is a fork of left{at}."
    if left.parent == right.id:
        return f"Left is a fork of right{at}."
    if left.parent is not None and left.parent == right.parent:
        return "Both are forks of the same session."
    return ""


def sign(pair: Pair) -> str:
    """Return the sign between two calls: equal, equal with different output, different, one side
    only."""
    if pair.left is None:
        return "▸"
    if pair.right is None:
        return "◂"
    if not (pair.same and pair.same_outcome):
        return "≠"
    return "=" if pair.is_equal else "≈"


def call_line(call: Call) -> str:
    """Return a call as one line."""
    mark = {True: "✓", False: "✗", None: "·"}[call.ok]
    summary = sanitize_line(summarize_call(call.tool, call.arguments))
    return f"{call.number:>2} {mark} {short_name(sanitize_line(call.tool))} {summary}"


def answer_or_reason(run: RunSummary) -> str:
    """Return a session's answer; if it has none, why."""
    if (run.answer or "").strip():
        return run.answer or ""
    reason = (run.error or "").strip().removesuffix(".")
    if reason.startswith(("You ", "The ")):
        reason = reason[0].lower() + reason[1:]
    if not reason and run.outcome == "submitted":
        reason = why_no_answer(run.answer)
    return f"{NO_ANSWER} ({reason})" if reason else NO_ANSWER


def _facts(run: RunSummary, calls: Sequence[Call]) -> dict[str, str]:
    tokens = run.input_tokens + run.output_tokens
    steps = max([run.steps, *(call.step for call in calls)])
    spent = [
        f"{numbers.tokens(tokens, estimated=run.tokens_estimated)} tok",
        numbers.cost(run.cost),
    ]
    return {
        "title": task_title(run),
        "outcome": outcome_words(run),
        "answer": first_line(answer_or_reason(run)),
        "calls": _calls(calls),
        "time": f"{clock(run.seconds)} · {numbers.counted(steps, 'step')}",
        "spent": " · ".join(part for part in spent if part),
        "model": f"{model_title(run.model)} · {sanitize_line(run.sandbox) or 'no sandbox'}",
        "session": run.id,
    }


def _calls(calls: Sequence[Call]) -> str:
    if not calls:
        return "no calls"
    parts = [
        (sum(call.failed for call in calls), "failed"),
        (sum(call.was_prevented for call in calls), "not run"),
        (sum(call.ok is None for call in calls), "without a result"),
    ]
    counted = [f"{number} {words}" for number, words in parts if number]
    return ", ".join([numbers.counted(len(calls), "call"), *counted])


def cut(words: str) -> str:
    """Cut text to the width of a column."""
    return words if len(words) <= COLUMN else f"{words[: COLUMN - 1]}…"
