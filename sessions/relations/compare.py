"""Compares two sessions: where they diverge, their calls aligned, and their files."""

from __future__ import annotations

import difflib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Literal

from sandbox_tui.core.base.json_arguments import ArgumentsError, parse_arguments
from sandbox_tui.core.events.command_output import Observed, observed
from sandbox_tui.sessions.relations.fork_tree import fork_step
from sandbox_tui.sessions.store.run_summary import RunSummary
from sandbox_tui.sessions.store.store import Store
from sandbox_tui.sessions.store.tables.file_changes import FileChangeRow

MAX_DIFF_LINES = 400
MAX_ALIGNED_LINES = 4_000
"""Texts with more lines are not compared, since a diff could take minutes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A call of a compared session.

    Attributes:
        number, step, tool: of the call.
        arguments: JSON text; the user's version if they were edited.
        ok: None without an observation.
        exit_code, observation, duration: of its observation.
        was_prevented: whether it was rejected or skipped.
        seq: number of the event with its observation, or of its proposal without one.
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
    seq: int = 0

    @property
    def failed(self) -> bool:
        """Whether it ran without success."""
        return self.ok is False and not self.was_prevented

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
    """Two aligned calls; None if a side has no counterpart."""

    left: Call | None
    right: Call | None

    @property
    def same(self) -> bool:
        """Whether tool and arguments are equal."""
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


FileVerdict = Literal["same", "left only", "right only", "differs"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FilePair:
    """A file at the end of both sessions.

    Attributes:
        path: in the format of `core.paths`.
        verdict: how the two compare: by content if it was stored, else by size.
        left, right: digest of the content; None if there is no file or it was not stored.
        left_size, right_size: bytes; None if there is no file.
        left_seq, right_seq: number of the last event that changed it; None if there is no file.
    """

    path: str
    verdict: FileVerdict
    left: str | None
    right: str | None
    left_size: int | None = None
    right_size: int | None = None
    left_seq: int | None = None
    right_seq: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two sessions side by side.

    Attributes:
        left, right: the sessions.
        pairs: their calls, aligned.
        diverged_at: index of the first pair whose calls or outcomes differ; None if there is none.
        files: those that differ at the end.
        same_files: number of files that are equal.
        fork_step: the step at which one was forked from the other; None if neither was.
    """

    left: RunSummary
    right: RunSummary
    pairs: Sequence[Pair]
    diverged_at: int | None
    files: Sequence[FilePair]
    same_files: int
    fork_step: int | None = None

    @property
    def output_differs_at(self) -> int | None:
        """Index of the first pair with equal calls and outcomes whose output differs."""
        others = (
            n
            for n, pair in enumerate(self.pairs)
            if pair.same and pair.same_outcome and not pair.is_equal
        )
        return next(others, None)

    @property
    def related(self) -> str:
        """How one was forked from the other, as a sentence; empty if they are unrelated."""
        for child, parent in ((self.right, self.left), (self.left, self.right)):
            if child.parent == parent.id:
                return f"{child.id} is a fork of {parent.id}"
        if self.left.parent is not None and self.left.parent == self.right.parent:
            return f"both are forks of {self.left.parent}"
        return ""


def compare(store: Store, left: RunSummary, right: RunSummary) -> Comparison:
    """Compare two sessions.

    Raises:
        StoreError: the sessions cannot be read.
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
        fork_step=_forked_at(store, left, right),
    )


def first_difference(left: str, right: str) -> LineDifference | None:
    """Return the first line in which two texts differ; None if there is none."""
    lines = [text.rstrip("\n").split("\n") if text else [] for text in (left, right)]
    for number, (mine, theirs) in enumerate(zip_longest(*lines), 1):
        if mine != theirs:
            return LineDifference(number, mine, theirs)
    return None


def calls_of(store: Store, run_id: str) -> list[Call]:
    """Return the calls of a session, in order.

    Raises:
        StoreError: the session cannot be read.
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
            seq=call.seq,
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


def file_diff(store: Store, file: FilePair, limit: int = MAX_DIFF_LINES) -> list[str]:
    """Return a unified diff of a file's two contents, or a sentence if there is none.

    Raises:
        StoreError: the contents cannot be read.
    """
    left, right = contents_of(store, file)
    if left is None or right is None:
        return ["(the content was not saved)"]
    if any(b"\0" in data[:8192] for data in (left, right)):
        return ["(not text)"]
    texts = [data.decode("utf-8", "replace").splitlines() for data in (left, right)]
    if max(map(len, texts)) > MAX_ALIGNED_LINES:
        return [f"({len(texts[0])} lines, {len(texts[1])} lines: too many to compare)"]
    mine, theirs = texts
    lines = list(difflib.unified_diff(mine, theirs, "left", "right", lineterm="", n=2))
    more = [f"... {len(lines) - limit} more lines"] if len(lines) > limit else []
    return lines[:limit] + more


def contents_of(store: Store, file: FilePair) -> tuple[bytes | None, bytes | None]:
    """Return a file's two contents: empty if there is no file, None if it was not stored.

    Raises:
        StoreError: the contents cannot be read.
    """
    left = b"" if file.left_size is None else _content(store, file.left)
    return left, b"" if file.right_size is None else _content(store, file.right)


def _content(store: Store, digest: str | None) -> bytes | None:
    return None if digest is None else store.get_blob(digest)


def _forked_at(store: Store, left: RunSummary, right: RunSummary) -> int | None:
    for child, parent in ((right, left), (left, right)):
        if child.parent == parent.id:
            return fork_step(store, child)
    return None


def _files(store: Store, left: str, right: str) -> list[FilePair]:
    mine, theirs = _last(store, left), _last(store, right)
    return [
        _file_pair(path, mine.get(path), theirs.get(path))
        for path in sorted(mine.keys() | theirs.keys())
    ]


def _file_pair(path: str, a: FileChangeRow | None, b: FileChangeRow | None) -> FilePair:
    return FilePair(
        path=path,
        verdict=_verdict(a, b),
        left=None if a is None else a.digest,
        right=None if b is None else b.digest,
        left_size=None if a is None else a.size,
        right_size=None if b is None else b.size,
        left_seq=None if a is None else a.seq,
        right_seq=None if b is None else b.seq,
    )


def _verdict(a: FileChangeRow | None, b: FileChangeRow | None) -> FileVerdict:
    if b is None:
        return "left only"
    if a is None:
        return "right only"
    return "same" if (a.digest, a.size) == (b.digest, b.size) else "differs"


def _last(store: Store, run_id: str) -> dict[str, FileChangeRow]:
    """Return the last change of each regular file that exists at a session's end."""
    found: dict[str, FileChangeRow] = {}
    for row in store.file_changes(run_id):
        if row.change == "deleted":
            found.pop(row.path, None)
        elif row.kind == "file":
            found[row.path] = row
    return found
