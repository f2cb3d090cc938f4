"""Compares two sessions: where they diverge, their calls aligned, and their files."""

from __future__ import annotations

import difflib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Literal

from sandbox_tui.core.base.json_arguments import ArgumentsError, parse_arguments
from sandbox_tui.sessions.store.run_summary import RunSummary
from sandbox_tui.sessions.store.store import Store

MAX_DIFF_LINES = 400
MAX_ALIGNED_LINES = 4_000
"""Longer texts are not compared: a diff could take minutes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A call as it ran.

    Attributes:
        number, step, tool: of the call.
        arguments: JSON text, the person's where they were edited.
        ok: None where it has no answer.
        exit_code, observation, duration: of its answer.
        was_prevented: whether it was rejected or skipped.
    """

    number: int
    step: int
    tool: str
    arguments: str
    ok: bool | None = None
    exit_code: int | None = None
    observation: str = ""
    duration: float = 0.0
    was_prevented: bool = False

    @property
    def failed(self) -> bool:
        """Whether it ran and did not succeed."""
        return self.ok is False and not self.was_prevented

    @property
    def content(self) -> tuple[str, str]:
        """The tool and its normalized arguments: equal for equal calls."""
        try:
            return self.tool, json.dumps(parse_arguments(self.arguments), sort_keys=True)
        except (ArgumentsError, ValueError):
            return self.tool, self.arguments


@dataclass(frozen=True, slots=True)
class Pair:
    """Aligned calls; None where one side has no counterpart."""

    left: Call | None
    right: Call | None

    @property
    def same(self) -> bool:
        """Whether tool and arguments are the same."""
        if self.left is None or self.right is None:
            return False
        return self.left.content == self.right.content

    @property
    def same_outcome(self) -> bool:
        """Whether both succeeded, failed in the same way, or did not run."""
        if self.left is None or self.right is None:
            return False
        mine, theirs = self.left, self.right
        ends = [(call.ok, call.exit_code, call.was_prevented) for call in (mine, theirs)]
        return ends[0] == ends[1]

    @property
    def agrees(self) -> bool:
        """Whether outcome and observation are the same."""
        if self.left is None or self.right is None:
            return False
        mine, theirs = self.left, self.right
        return self.same_outcome and mine.observation == theirs.observation


FileVerdict = Literal["same", "left only", "right only", "differs"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FilePair:
    """A file at the end of both sessions.

    Attributes:
        path: text as `core.paths` writes it.
        verdict: how the two compare, by content where it was kept, else by size.
        left, right: digest of the content, None where there is no file or it was not kept.
    """

    path: str
    verdict: FileVerdict
    left: str | None
    right: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two sessions side by side.

    Attributes:
        left, right: the sessions.
        pairs: their calls, aligned.
        diverged_at: index of the first pair whose calls or outcomes differ; None: none do.
        files: those that are not the same at the end.
        same_files: how many are the same.
    """

    left: RunSummary
    right: RunSummary
    pairs: Sequence[Pair]
    diverged_at: int | None
    files: Sequence[FilePair]
    same_files: int

    @property
    def related(self) -> str:
        """How one was forked from the other, as a sentence; empty when they are unrelated."""
        for child, parent in ((self.right, self.left), (self.left, self.right)):
            if child.parent == parent.id:
                return f"{child.id} is a fork of {parent.id}"
        if self.left.parent is not None and self.left.parent == self.right.parent:
            return f"both are forks of {self.left.parent}"
        return ""


def compare(store: Store, left: RunSummary, right: RunSummary) -> Comparison:
    """Compare two sessions.

    Raises:
        StoreError: they cannot be read.
    """
    pairs = align(calls_of(store, left.id), calls_of(store, right.id))
    apart = (n for n, pair in enumerate(pairs) if not (pair.same and pair.same_outcome))
    diverged_at = next(apart, None)
    files = _files(store, left.id, right.id)
    return Comparison(
        left=left,
        right=right,
        pairs=pairs,
        diverged_at=diverged_at,
        files=[file for file in files if file.verdict != "same"],
        same_files=sum(file.verdict == "same" for file in files),
    )


def calls_of(store: Store, run_id: str) -> list[Call]:
    """The calls of a session, in order.

    Raises:
        StoreError: it cannot be read.
    """
    return [
        Call(
            number=call.number,
            step=call.step,
            tool=call.tool,
            arguments=call.arguments,
            ok=call.ok,
            exit_code=call.exit_code,
            observation=call.observation,
            duration=call.duration,
            was_prevented=call.verdict in ("reject", "skip"),
        )
        for call in store.calls(run_id)
    ]


def align(left: Sequence[Call], right: Sequence[Call]) -> list[Pair]:
    """Align calls of the same content; the others fill the gaps between."""
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


def file_diff(store: Store, file: FilePair, limit: int = MAX_DIFF_LINES) -> list[str]:
    """A unified diff of a file's two contents, or a sentence where there is none.

    Raises:
        StoreError: they cannot be read.
    """
    texts: list[list[str]] = []
    for name in (file.left, file.right):
        data = b"" if name is None else store.get_blob(name)
        if data is None or b"\0" in data[:8192]:
            return ["(not text, or not kept)"]
        texts.append(data.decode("utf-8", "replace").splitlines())
    if file.left is None and file.right is None:
        return ["(the content was not kept)"]
    if max(map(len, texts)) > MAX_ALIGNED_LINES:
        return [f"({len(texts[0])} lines, {len(texts[1])} lines: too many to compare)"]
    mine, theirs = texts
    lines = list(difflib.unified_diff(mine, theirs, "left", "right", lineterm="", n=2))
    more = [f"... {len(lines) - limit} more lines"] if len(lines) > limit else []
    return lines[:limit] + more


def _files(store: Store, left: str, right: str) -> list[FilePair]:
    mine, theirs = _last(store, left), _last(store, right)
    found: list[FilePair] = []
    for path in sorted(mine.keys() | theirs.keys()):
        a, b = mine.get(path), theirs.get(path)
        found.append(
            FilePair(
                path=path,
                verdict=_verdict(a, b),
                left=None if a is None else a[0],
                right=None if b is None else b[0],
            )
        )
    return found


def _verdict(a: tuple[str | None, int] | None, b: tuple[str | None, int] | None) -> FileVerdict:
    if b is None:
        return "left only"
    if a is None:
        return "right only"
    return "same" if a == b else "differs"


def _last(store: Store, run_id: str) -> dict[str, tuple[str | None, int]]:
    """Digest and size of each regular file at a session's end."""
    found: dict[str, tuple[str | None, int]] = {}
    for row in store.file_changes(run_id):
        if row.change == "deleted":
            found.pop(row.path, None)
        elif row.kind == "file":
            found[row.path] = (row.digest, row.size)
    return found
