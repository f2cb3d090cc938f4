"""Formats the comparison of two sessions."""

from __future__ import annotations

from typing import NamedTuple

from sandbox_tui.core.base.durations import short_duration
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.tools.call_summaries import short_name, summarize_call
from sandbox_tui.sessions.relations.aligned_calls import Call, LineDifference, Pair
from sandbox_tui.sessions.relations.compare import Comparison, FilePair
from sandbox_tui.sessions.relations.human_acts import ActKind, ActPair
from sandbox_tui.tui.format import numbers
from sandbox_tui.tui.format.titles import MAX_TITLE_CHARACTERS, cut_title

COLUMN = 40
"""Width of each side on the command line, if the terminal is wide enough for two of them."""


class Divergence(NamedTuple):
    """The first pair of calls that differs between the sides, or what the user did before it on
    one side only.

    Attributes:
        at: index of the pair, or of the one that follows the act.
        pair: the calls; None if the sides part by an act.
        sentence: where it is and what differs.
        line: the first line of output that differs, if both sides made the same call.
        act: what the user did on one side; None if the sides part by a call.
    """

    at: int
    pair: Pair | None
    sentence: str
    line: LineDifference | None
    act: ActPair | None = None


def divergence(found: Comparison) -> Divergence | None:
    """Return where the sessions diverge, or else where only the output of a call differs; None if
    they are identical."""
    diverging = _diverging_act(found)
    if diverging is not None:
        at, act = diverging
        last = found.pairs[at - 1] if at else None
        where = "before the first call" if last is None else f"after call {at}{_step(last)}"
        words = f"The sessions diverge {where}: {_who_did_what(act)}."
        return Divergence(at, None, words, None, act)
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
    if not (settled := _settled(found)):
        return "Nothing to compare yet: no call has ended on both sides."
    if settled < len(found.pairs):
        return f"The same so far: {numbers.counted(settled, 'call')}."
    calls = "the only call and its" if settled == 1 else f"all {settled} calls and their"
    return f"Identical: {calls} output{_taken_over(found)}."


def _taken_over(found: Comparison) -> str:
    """Return that calls are equal because one session took them over; empty if it took over none.

    Only that says why a call that printed the time has the same output in both.
    """
    sides = ((found.left, found.right, found.own[0]), (found.right, found.left, found.own[1]))
    for run, other, own in sides:
        if own is not None and run.parent == other.id and run.steps > own.steps:
            return "; the steps before the fork are those of the parent"
    return ""


def _where(found: Comparison, at: int, pair: Pair) -> str:
    place = f"call {at + 1}{_step(pair)}"
    if found.diverged_at is None:
        others = _other_outputs(found, len(found.pairs))
        calls = "the only call" if len(found.pairs) == 1 else f"all {_settled(found)} calls"
        many = "" if others == 1 else f" of {others}"
        return f"Identical: {calls} and exit codes; the output{many} differs, first at {place}."
    return f"{_start(found, at)} diverge at {place}: {_what_differs(pair)}{_first_act(found, at)}."


def _start(found: Comparison, at: int) -> str:
    """Return the beginning of the sentence that says where the sessions diverge: what is the same
    before that. A call whose output differs is the same, but not identical."""
    if not at:
        return "The sessions"
    others = _other_outputs(found, at)
    if at == 1:
        same = "the same, with different output" if others else "identical"
        return f"Call 1 is {same}; the sessions"
    same = f"the same, {others} of them with different output" if others else "identical"
    return f"Calls 1 to {at} are {same}; the sessions"


def _other_outputs(found: Comparison, until: int) -> int:
    """Return how many of the first pairs have different output."""
    return sum(not pair.is_equal and not pair.is_pending for pair in found.pairs[:until])


def _step(pair: Pair) -> str:
    call = pair.left or pair.right
    return "" if call is None else f" (step {call.step})"


def _what_differs(pair: Pair) -> str:
    if pair.left is None:
        return "only on the right"
    if pair.right is None:
        return "only on the left"
    if not pair.same_tool:
        return "a different tool"
    if not pair.same:
        return "different arguments"
    return f"same call, {end_of(pair.left)} and {end_of(pair.right)}"


def _first_act(found: Comparison, at: int) -> str:
    """Return what the user did on one side just before a pair of calls, in a few words."""
    words = (_who_did_what(act) for act in found.acts[at])
    return next((f", after {one}" for one in words if one), "")


def _diverging_act(found: Comparison) -> tuple[int, ActPair] | None:
    """Return the first act of the user on one side only, with its place, if it comes before the
    first call that differs; None if there is none.

    An act right before that call is part of its description. Output that differs before it says
    less: it may be a time.
    """
    for at, acts in enumerate(found.acts[: found.diverged_at]):
        if at and found.pairs[at - 1].is_pending:  # the other side has not come here yet
            return None
        act = next((one for one in acts if _who_did_what(one)), None)
        if act is not None:
            return at, act
    return None


def _who_did_what(act: ActPair) -> str:
    """Return what the user did on one side only, in a few words; empty if both sides have it, or if
    it does not change what the model does."""
    one, side = (act.right, "right") if act.left is None else (act.left, "left")
    if act.same or one is None or one.kind not in _ACTED:
        return ""
    return f"{_ACTED[one.kind]} on the {side}"


_ACTED: dict[ActKind, str] = {
    "message": "your message",
    "command": "your command",
    "push": "the file you copied in",
    "edit": "your edit of a file",
    "interrupt": "a reply you stopped",
}


def short_verdict(found: Comparison) -> str:
    """Return what is the same, and where and why the sessions diverge, for a title."""
    if not found.pairs:
        return "no calls"
    diverging = _diverging_act(found)
    if diverging is not None:
        at, act = diverging
        where = f"after {_place(found.pairs[at - 1])}" if at else "before the first call"
        return f"{_same_before(found, at)}diverge {where}: {_who_did_what(act)}"
    at = found.diverged_at
    if at is None:
        if found.output_differs_at is None:
            settled = _settled(found)
            if not found.is_running:
                return "the calls are identical"
            same = f"the same so far: {numbers.counted(settled, 'call')}"
            return same if settled else "nothing to compare yet"
        pair = found.pairs[found.output_differs_at]
        return f"same calls; output differs from {_place(pair)} on"
    pair = found.pairs[at]
    how = f"{_what_differs(pair)}{_first_act(found, at)}"
    return f"{_same_before(found, at)}diverge at {_place(pair)}: {how}"


def _same_before(found: Comparison, at: int) -> str:
    if not at:
        return ""
    others = _other_outputs(found, at)
    but = f" ({others} with different output)" if others else ""
    return f"{numbers.counted(at, 'call')} the same{but}, then "


def _settled(found: Comparison) -> int:
    """Return the number of pairs that can be compared already."""
    return sum(not pair.is_pending for pair in found.pairs)


def _place(pair: Pair) -> str:
    call = pair.left or pair.right
    return "" if call is None else f"step {call.step}, call {call.number}"


def difference_word(pair: Pair) -> str:
    """Return what differs between two calls, in a word or two; empty if nothing does."""
    if pair.is_pending:
        return "not yet"
    if pair.left is None or pair.right is None:
        return "only"
    if not pair.same_tool:
        return "tool"
    if not pair.same:
        return "args"
    if not pair.same_outcome:
        return "result"
    return "" if pair.is_equal else "output"


def end_of(call: Call) -> str:
    """Return how a call ended, in a word or two."""
    if call.was_prevented:
        return "not run"
    if call.was_held_back:
        return "held back"
    if call.ok is None:
        return _unfinished(call)
    if call.exit_code is not None:
        return f"exit {call.exit_code}"
    return "ok" if call.ok else "failed"


def _unfinished(call: Call) -> str:
    if call.waits_for_approval:
        return "waits for approval"
    return "still running" if call.is_running else "no result"


def end_and_size(call: Call | None) -> str:
    """Return how a call ended, how long it took and how much it printed."""
    if call is None:
        return "no call"
    if call.is_open:
        return end_of(call)
    lines = call.output_text.count("\n") + 1 if call.output_text else 0
    duration = [short_duration(call.duration)] if call.ok is not None else []
    printed = numbers.counted(lines, "line") if lines else "no output"
    if call.ok is None and lines:
        printed = f"{printed}, cut off"
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
        return "No files so far." if found.is_running else "Neither session left files."
    if not found.files:
        same, so_far = found.same_files, " so far" if found.is_running else ""
        if same == 1:
            return f"The only file{so_far} is identical."
        return f"All {same} files{so_far} are identical."
    verdicts = [file.verdict for file in found.files]
    parts = [
        (found.same_files, "identical"),
        (verdicts.count("differs"), "different"),
        (verdicts.count("left only"), "left only"),
        (verdicts.count("right only"), "right only"),
    ]
    when = "Files so far: " if found.is_running else "Files at the end: "
    return when + ", ".join(f"{n} {verdict}" for n, verdict in parts if n) + "."


def file_sizes(file: FilePair) -> str:
    """Return the size of a file on both sides, a dash if there is no file."""
    sides = (file.left_size, file.right_size)
    left, right = ("–" if size is None else numbers.size(size) for size in sides)
    return f"{left} → {right}"


def size_difference(file: FilePair) -> str:
    """Return by how much the right version of a file is larger; empty for files of one side or of
    the same size."""
    if file.left_size is None or file.right_size is None or file.left_size == file.right_size:
        return ""
    by = file.right_size - file.left_size
    return f"{'+' if by > 0 else '−'}{numbers.size(abs(by))}"


def related_sentence(found: Comparison) -> str:
    """Return how the sessions are related, as a sentence; empty if they are not."""
    left, right = found.left, found.right
    at = f" {found.fork_place}" if found.fork_place else ""
    if right.parent == left.id:
        return f"Right is a fork of left{at}."
    if left.parent == right.id:
        return f"Left is a fork of right{at}."
    if left.parent is not None and left.parent == right.parent:
        return "Both are forks of the same session."
    return ""


def whole_sentence(found: Comparison) -> str:
    """Return that the figures include what a fork took over; empty if neither is a fork."""
    if found.own == (None, None):
        return ""
    return "The figures are those of the whole sessions; own part is what a fork added."


def running_side(found: Comparison) -> str:
    """Return which of the sessions is still running, in words; empty if both have ended."""
    match [run.outcome == "running" for run in (found.left, found.right)]:
        case [True, True]:
            return "both are running"
        case [True, False]:
            return "left is running"
        case [False, True]:
            return "right is running"
        case _:
            return ""


def sign(pair: Pair) -> str:
    """Return the sign between two calls: equal, equal with different output, different, one side
    only."""
    if pair.is_pending:
        return "…"
    if pair.left is None:
        return "▸"
    if pair.right is None:
        return "◂"
    if not (pair.same and pair.same_outcome):
        return "≠"
    return "=" if pair.is_equal else "≈"


def call_mark(call: Call) -> str:
    """Return the sign for how a call ended."""
    return {True: "✓", False: "✗", None: "·"}[call.ok]


def call_line(call: Call) -> str:
    """Return a call as one line."""
    summary = sanitize_line(summarize_call(call.tool, call.arguments))
    return f"{call.number:>2} {call_mark(call)} {short_name(sanitize_line(call.tool))} {summary}"


def cut(words: str, column: int = COLUMN) -> str:
    """Cut text to the width of a column."""
    return cut_title(words, column)
