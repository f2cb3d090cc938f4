"""The calls of two sessions, aligned."""

from __future__ import annotations

import difflib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from sandbox_tui.core.base.json_arguments import ArgumentsError, parse_arguments
from sandbox_tui.core.events.command_output import Observed, observed
from sandbox_tui.core.events.items import NOT_YET
from sandbox_tui.sessions.playback.cut_off_output import cut_off_output
from sandbox_tui.sessions.store.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A call of a compared session.

    Attributes:
        number, step, tool: of the call.
        arguments: JSON text; the user's version if they were edited.
        ok: None without an observation.
        exit_code, observation, duration: of its observation; a call that was cut off with its
            program has what it had printed.
        verdict: the decision about it; None while it is pending.
        decided_by: who decided; None while it is pending.
        proposed_arguments: the model's version if the user edited them; otherwise None.
        seq: number of the event with its observation, or of its proposal without one.
        is_open: whether its session is still running, so that a result may yet come.
    """

    number: int
    step: int
    tool: str
    arguments: str
    ok: bool | None = None
    exit_code: int | None = None
    observation: str = ""
    duration: float = 0.0
    verdict: str | None = None
    decided_by: str | None = None
    proposed_arguments: str | None = None
    seq: int = 0
    is_open: bool = False

    @property
    def waits_for_approval(self) -> bool:
        """Whether nobody has decided about it yet."""
        return self.is_open and self.ok is None and self.verdict is None

    @property
    def is_running(self) -> bool:
        """Whether it was allowed, and has not ended yet."""
        return self.is_open and self.ok is None and self.verdict is not None

    @property
    def was_prevented(self) -> bool:
        """Whether it was rejected or skipped."""
        return self.verdict in ("reject", "skip")

    @property
    def failed(self) -> bool:
        """Whether it ran without success."""
        return self.ok is False and not self.was_prevented and not self.was_held_back

    @property
    def was_held_back(self) -> bool:
        """Whether it is a submit that a message of the user's held back."""
        return self.ok is False and self.observation == NOT_YET

    @property
    def output(self) -> Observed:
        """What it printed, without the lines that tell the model the exit code."""
        return observed(self.observation)

    @property
    def output_text(self) -> str:
        """What it printed: stdout, then stderr."""
        return "\n".join(part for part in self.output if part)

    @property
    def content(self) -> tuple[str, str]:
        """The tool and its normalized arguments: equal for equal calls."""
        try:
            return self.tool, json.dumps(parse_arguments(self.arguments), sort_keys=True)
        except (ArgumentsError, ValueError):
            return self.tool, self.arguments


@dataclass(frozen=True, slots=True)
class Pair:
    """Two aligned calls; None if a side has no counterpart.

    Attributes:
        is_pending: a session that is still running has not got as far as the other one, so that
            nothing can be said yet.
    """

    left: Call | None
    right: Call | None
    is_pending: bool = False

    @property
    def same(self) -> bool:
        """Whether tool and arguments are equal."""
        if self.left is None or self.right is None:
            return False
        return self.left.content == self.right.content

    @property
    def same_tool(self) -> bool:
        """Whether both sides called the same tool."""
        if self.left is None or self.right is None:
            return False
        return self.left.tool == self.right.tool

    @property
    def same_outcome(self) -> bool:
        """Whether both succeeded, failed in the same way, or did not run."""
        if self.left is None or self.right is None:
            return False
        mine, theirs = self.left, self.right
        ends = [(call.ok, call.exit_code, call.was_prevented) for call in (mine, theirs)]
        return ends[0] == ends[1]

    @property
    def is_equal(self) -> bool:
        """Whether outcome and output are equal."""
        if self.left is None or self.right is None:
            return False
        return self.same_outcome and self.left.output == self.right.output

    @property
    def output_difference(self) -> LineDifference | None:
        """The first line of output that differs; None if there is none or a call is missing."""
        if self.left is None or self.right is None:
            return None
        return first_difference(self.left.output_text, self.right.output_text)


@dataclass(frozen=True, slots=True)
class LineDifference:
    """The first line in which two texts differ.

    Attributes:
        number: 1, 2, 3 ...
        left, right: the line; None if that text has fewer lines.
    """

    number: int
    left: str | None
    right: str | None


def first_difference(left: str, right: str) -> LineDifference | None:
    """Return the first line in which two texts differ; None if there is none."""
    lines = [text.rstrip("\n").split("\n") if text else [] for text in (left, right)]
    for number, (mine, theirs) in enumerate(zip_longest(*lines), 1):
        if mine != theirs:
            return LineDifference(number, mine, theirs)
    return None


def calls_of(store: Store, run_id: str, *, is_running: bool = False) -> list[Call]:
    """Return the calls of a session, in order.

    Args:
        store: the database.
        run_id: the session.
        is_running: whether it is still running.

    Raises:
        StoreError: the session cannot be read.
    """
    printed = cut_off_output(store, run_id)
    return [
        Call(
            number=call.number,
            step=call.step,
            tool=call.tool,
            arguments=call.arguments,
            ok=call.ok,
            exit_code=call.exit_code,
            observation=call.observation if call.ok is not None else printed.get(call.number, ""),
            duration=call.duration,
            verdict=call.verdict,
            decided_by=call.decided_by,
            proposed_arguments=call.proposed_arguments,
            seq=call.seq,
            is_open=is_running and call.ok is None,
        )
        for call in store.calls(run_id)
    ]


def align(left: Sequence[Call], right: Sequence[Call]) -> list[Pair]:
    """Align calls with equal content; the calls in between are paired in order."""
    mine = [call.content for call in left]
    theirs = [call.content for call in right]
    numbers: dict[tuple[str, str], int] = {}
    ids = [[numbers.setdefault(one, len(numbers)) for one in side] for side in (mine, theirs)]
    start = 0
    while start < min(len(mine), len(theirs)) and ids[0][start] == ids[1][start]:
        start += 1
    pairs: list[Pair] = [Pair(left[n], right[n]) for n in range(start)]
    matcher = difflib.SequenceMatcher(None, ids[0][start:], ids[1][start:], autojunk=False)
    for _, i1, i2, j1, j2 in matcher.get_opcodes():
        a, b = left[start + i1 : start + i2], right[start + j1 : start + j2]
        pairs += [Pair(one, other) for one, other in zip_longest(a, b)]
    return pairs


def with_pending(pairs: Sequence[Pair], *, left_runs: bool, right_runs: bool) -> list[Pair]:
    """Mark the pairs about which nothing can be said while one or both sessions are running."""
    last_left = max((n for n, pair in enumerate(pairs) if pair.left), default=-1)
    last_right = max((n for n, pair in enumerate(pairs) if pair.right), default=-1)
    return [
        replace(pair, is_pending=True)
        if (left_runs and _awaits(pair, pair.left, n > last_left))
        or (right_runs and _awaits(pair, pair.right, n > last_right))
        else pair
        for n, pair in enumerate(pairs)
    ]


def _awaits(pair: Pair, call: Call | None, is_after_last: bool) -> bool:
    if call is None:
        return is_after_last
    return call.ok is None and (pair.same or pair.left is None or pair.right is None)
