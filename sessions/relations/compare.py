"""Compares two sessions: where they diverge, their calls aligned, and their files."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from sandbox_tui.sessions.relations.aligned_calls import Pair, align, calls_of, with_pending
from sandbox_tui.sessions.relations.fork_origin import (
    SharedPart,
    own_part,
    read_origins,
    shared_parts,
)
from sandbox_tui.sessions.relations.fork_tree import fork_place
from sandbox_tui.sessions.relations.human_acts import ActPair, acts_between, acts_of
from sandbox_tui.sessions.relations.started_with import (
    SettingPair,
    differing_settings,
    started_with,
)
from sandbox_tui.sessions.store.run_summary import RunSummary
from sandbox_tui.sessions.store.store import Store
from sandbox_tui.sessions.store.tables.evals.verdicts import Verdict, verdict_on
from sandbox_tui.sessions.store.tables.file_changes import FileChangeRow

MAX_DIFF_LINES = 400
MAX_ALIGNED_LINES = 4_000
"""Texts with more lines are not compared, since a diff could take minutes."""


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


class OwnPart(NamedTuple):
    """What a fork has of its own.

    Attributes:
        steps: number of its steps after those it took over.
        begins_at: seconds on the run's clock at which it begins.
        input_tokens, output_tokens: of its own replies.
        cost: US dollars; None if the price is unknown.
    """

    steps: int
    begins_at: float
    input_tokens: int
    output_tokens: int
    cost: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two sessions side by side.

    Attributes:
        left, right: the sessions.
        pairs: their calls, aligned.
        acts: what the user did, aligned: what comes before each pair, then what comes after all.
        diverged_at: index of the first pair whose calls or outcomes differ; None if there is none.
        files: those that differ at the end.
        same_files: number of files that are equal.
        fork_place: where one parts from the other, its parent; empty if neither is a fork of it.
        settings: those with which they were started that differ.
        verdicts: how each was scored as a sample of an evaluation; None for one that is no sample.
        own: the part of each that it did not take over from its parent; None if it is no fork.
    """

    left: RunSummary
    right: RunSummary
    pairs: Sequence[Pair]
    acts: Sequence[Sequence[ActPair]]
    diverged_at: int | None
    files: Sequence[FilePair]
    same_files: int
    fork_place: str = ""
    settings: Sequence[SettingPair] = ()
    verdicts: tuple[Verdict | None, Verdict | None] = None, None
    own: tuple[OwnPart | None, OwnPart | None] = None, None

    @property
    def is_running(self) -> bool:
        """Whether one of them is still running."""
        return "running" in (self.left.outcome, self.right.outcome)

    @property
    def output_differs_at(self) -> int | None:
        """Index of the first pair with equal calls and outcomes whose output differs."""
        others = (
            n
            for n, pair in enumerate(self.pairs)
            if not pair.is_pending and pair.same and pair.same_outcome and not pair.is_equal
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


def compare(
    store: Store, left: RunSummary, right: RunSummary, evaluations: tuple[str, str] = ("", "")
) -> Comparison:
    """Compare two sessions.

    Args:
        store: the database.
        left, right: the sessions.
        evaluations: ids of those whose scores of the sessions are meant; empty: the first one's.

    Raises:
        StoreError: the sessions cannot be read.
    """
    left_runs, right_runs = left.outcome == "running", right.outcome == "running"
    pairs = with_pending(
        align(
            calls_of(store, left.id, is_running=left_runs),
            calls_of(store, right.id, is_running=right_runs),
        ),
        left_runs=left_runs,
        right_runs=right_runs,
    )
    acts = acts_between(pairs, acts_of(store, left.id), acts_of(store, right.id))
    apart = (
        n
        for n, pair in enumerate(pairs)
        if not pair.is_pending and not (pair.same and pair.same_outcome)
    )
    diverged_at = next(apart, None)
    files = _files(store, left.id, right.id)
    place = _fork_place(store, left, right)
    return Comparison(
        left=left,
        right=right,
        pairs=pairs,
        acts=acts,
        diverged_at=diverged_at,
        files=[file for file in files if file.verdict != "same"],
        same_files=sum(file.verdict == "same" for file in files),
        fork_place=place,
        settings=differing_settings(
            *(started_with(store, run.id) for run in (left, right)), forked=bool(place)
        ),
        verdicts=(
            verdict_on(store, left.id, evaluations[0]),
            verdict_on(store, right.id, evaluations[1]),
        ),
        own=_own_parts(store, left, right),
    )


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


def _fork_place(store: Store, left: RunSummary, right: RunSummary) -> str:
    for child, parent in ((right, left), (left, right)):
        if child.parent == parent.id:
            return fork_place(store, child)
    return ""


def _own_parts(
    store: Store, left: RunSummary, right: RunSummary
) -> tuple[OwnPart | None, OwnPart | None]:
    origins, shared = read_origins(store, (left, right)), shared_parts(store, (left, right))

    def of(run: RunSummary) -> OwnPart | None:
        if run.id not in origins:
            return None
        taken_over = shared.get(run.id, SharedPart())
        own = own_part(run, taken_over)
        return OwnPart(
            steps=max(0, run.steps - origins[run.id].step),
            begins_at=taken_over.seconds,
            input_tokens=own.input_tokens,
            output_tokens=own.output_tokens,
            cost=own.cost,
        )

    return of(left), of(right)


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
