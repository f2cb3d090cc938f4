"""What the user did in two sessions between the calls, aligned."""

from __future__ import annotations

import difflib
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Literal

from sandbox_tui.core.events import types as e
from sandbox_tui.sessions.relations.aligned_calls import Call, Pair
from sandbox_tui.sessions.store.store import Store
from sandbox_tui.sessions.store.tables.annotations import notes_of
from sandbox_tui.sessions.store.tables.calls import proposals_of, replies_of

ActKind = Literal["message", "command", "pull", "push", "edit", "interrupt", "note"]

_KINDS = (
    *("HumanMessage", "HumanCommand", "HumanFile", "Reworded", "Withdrawn"),
    "ReplyInterrupted",
)
"""Kinds of the events from which acts are read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """A message, command, file action, note or interruption by the user.

    Attributes:
        kind: what was done.
        text: the message, command or note; the path of a file; empty for an interruption.
        seq: number of its event.
        after_call: number of the last call that the model had made by then; 0 before the first.
        detail: the diff of an edited file.
    """

    kind: ActKind
    text: str
    seq: int
    after_call: int = 0
    detail: str = ""

    @property
    def content(self) -> tuple[ActKind, str, str]:
        """Equal for equal acts."""
        return self.kind, self.text, self.detail


@dataclass(frozen=True, slots=True)
class ActPair:
    """An act of each side; None if a side has no counterpart."""

    left: Act | None
    right: Act | None

    @property
    def same(self) -> bool:
        """Whether both sides have it."""
        return self.left is not None and self.right is not None

    @property
    def is_note(self) -> bool:
        """Whether it is a note: it says something about a session, and is no part of its run."""
        return any(act is not None and act.kind == "note" for act in (self.left, self.right))


def acts_of(store: Store, run_id: str) -> list[Act]:
    """Return what the user did in a session, in order; withdrawn messages and commands are left
    out, reworded ones have their last wording.

    Raises:
        StoreError: the session cannot be read.
    """
    acts: dict[int, Act] = {}
    for event in store.events_of_kinds(run_id, _KINDS):
        match event:
            case e.HumanMessage(id=number, text=text):
                acts[number] = Act(kind="message", text=text, seq=event.seq)
            case e.HumanCommand(id=number, command=text):
                acts[number] = Act(kind="command", text=text, seq=event.seq)
            case e.HumanFile(id=number, path=path, diff=diff):
                acts[number] = Act(kind=event.action, text=path, seq=event.seq, detail=diff)
            case e.Reworded(id=number, text=text) if number in acts:
                acts[number] = replace(acts[number], text=text)
            case e.Withdrawn(id=number):
                acts.pop(number, None)
            case e.ReplyInterrupted():
                acts[-event.seq] = Act(kind="interrupt", text="", seq=event.seq)
            case _:
                pass
    return _placed([*acts.values(), *_notes(store, run_id)], proposals_of(store, run_id))


def _notes(store: Store, run_id: str) -> list[Act]:
    """Return the notes, each at the reply of its step."""
    notes = notes_of(store, run_id)
    replies = replies_of(store, run_id) if notes else {}
    return [Act(kind="note", text=note.text, seq=replies.get(note.step, 1)) for note in notes]


def _placed(acts: list[Act], proposals: Sequence[tuple[int, int]]) -> list[Act]:
    """Return the acts in order, each after the call that was made last before it."""
    seqs = [seq for _, seq in proposals]
    placed: list[Act] = []
    for act in sorted(acts, key=lambda act: act.seq):
        before = bisect_left(seqs, act.seq)
        number = proposals[before - 1][0] if before else 0
        placed.append(replace(act, after_call=number))
    return placed


def align_acts(left: Iterable[Act], right: Iterable[Act]) -> list[ActPair]:
    """Align the acts of two sessions at one place; equal ones are paired."""
    mine, theirs = list(left), list(right)
    contents = [act.content for act in mine], [act.content for act in theirs]
    matcher = difflib.SequenceMatcher(None, *contents, autojunk=False)
    pairs: list[ActPair] = []
    for tag, a, a_end, b, b_end in matcher.get_opcodes():
        if tag == "equal":
            both = zip_longest(mine[a:a_end], theirs[b:b_end])
            pairs += [ActPair(one, other) for one, other in both]
        else:
            pairs += [ActPair(one, None) for one in mine[a:a_end]]
            pairs += [ActPair(None, other) for other in theirs[b:b_end]]
    return pairs


def acts_between(
    pairs: Sequence[Pair], left: Sequence[Act], right: Sequence[Act]
) -> list[list[ActPair]]:
    """Return the aligned acts before each pair of calls, and in the last place those after all.

    An act follows directly after the pair with the call that it came after.
    """
    mine = _by_place(left, [pair.left for pair in pairs])
    theirs = _by_place(right, [pair.right for pair in pairs])
    places = range(len(pairs) + 1)
    return [align_acts(mine.get(place, ()), theirs.get(place, ())) for place in places]


def _by_place(acts: Sequence[Act], calls: Sequence[Call | None]) -> dict[int, list[Act]]:
    after = {call.number: place for place, call in enumerate(calls, 1) if call is not None}
    found: dict[int, list[Act]] = {}
    for act in acts:
        found.setdefault(after.get(act.after_call, 0), []).append(act)
    return found
