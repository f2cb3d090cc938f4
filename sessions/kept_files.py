"""The files of a state in the session database: all of them now and then, and what changed since.

What became of one file over the run is not stored again: the table `changes` has it.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, cast, overload

import msgspec

from ..core import events as e
from ..core.state import Content, FileState
from .packed_items import Damaged
from .packing import pack, unpack
from .store import Store


class _File(msgspec.Struct, array_like=True):
    """A file, with the length of its history."""

    last: e.FileChange
    run_mark: Literal["created", "modified", "deleted"] | None
    step: int
    by: e.Actor
    contents: int


_DECODER = msgspec.msgpack.Decoder(list[_File])


class Touched(dict[str, FileState]):
    """Files by path, which remembers whose state was set.

    Attributes:
        paths: those, in the order in which they were first set.
    """

    def __init__(self, files: Mapping[str, FileState]) -> None:
        super().__init__(files)
        self.paths: dict[str, None] = {}

    def __setitem__(self, path: str, file: FileState) -> None:
        self.paths[path] = None
        super().__setitem__(path, file)


class KeptHistory(Sequence[Content]):
    """The contents a file had, read from the session database when they are looked at.

    Args:
        kept: where they are.
        path: the file.
        count: how many there are.
        later: those after the keyframe.
    """

    __slots__ = ("_count", "_kept", "_later", "_path")

    def __init__(
        self, kept: KeptFiles, path: str, count: int, later: tuple[Content, ...] = ()
    ) -> None:
        self._kept = kept
        self._path = path
        self._count = count
        self._later = later

    def then(self, content: Content) -> KeptHistory:
        """See `core.state.Growing`."""
        return KeptHistory(self._kept, self._path, self._count, (*self._later, content))

    def __len__(self) -> int:
        return self._count + len(self._later)

    @overload
    def __getitem__(self, index: int) -> Content: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Content]: ...
    def __getitem__(self, index: int | slice) -> Content | Sequence[Content]:
        return self._whole()[index]

    def __iter__(self) -> Iterator[Content]:
        return iter(self._whole())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(cast(Sequence[object], other))

    __hash__ = None  # type: ignore[assignment]

    def _whole(self) -> list[Content]:
        return [*self._kept.history(self._path), *self._later]


def files_as_bytes(files: Iterable[FileState]) -> bytes:
    """Files as they are stored."""
    found = [
        _File(file.last, file.run_mark, file.step, file.by, len(file.history)) for file in files
    ]
    packed, data = pack(msgspec.msgpack.encode(found))
    return bytes([packed]) + data


class KeptFiles:
    """The files of one session at one keyframe.

    Args:
        store: where they are.
        run_id: the session.
        listed: number of the event that listed all files.
        seq: of the keyframe.
    """

    def __init__(self, store: Store, run_id: str, *, listed: int, seq: int) -> None:
        self._store = store
        self._run_id = run_id
        self._listed = listed
        self._seq = seq
        self._histories: dict[str, list[Content]] = {}

    def history(self, path: str) -> list[Content]:
        """The contents a file had up to the keyframe, oldest first."""
        if path not in self._histories:
            rows = self._store.rows(
                "SELECT seq, step, digest FROM changes WHERE run_id = ? AND path = ?"
                " AND seq >= ? AND seq <= ? ORDER BY seq, rowid",
                [self._run_id, path, self._listed, self._seq],
            )
            listed = [row for row in rows if self._listed and row["seq"] == self._listed]
            after = [row for row in rows if row["seq"] > self._listed]
            self._histories[path] = [(row["step"], row["digest"]) for row in [*listed[-1:], *after]]
        return self._histories[path]

    def read(self, whole: int) -> Touched:
        """By path.

        Args:
            whole: number of the keyframe that has all of them.

        Raises:
            Damaged: they are not there, or not what was written.
        """
        rows = self._store.rows(
            "SELECT data FROM keyframes WHERE run_id = ? AND kind = 'tree' AND seq = ?",
            [self._run_id, whole],
        )
        if len(rows) != 1:
            raise Damaged("The files are not there.")
        rows += self._store.rows(
            "SELECT data FROM keyframes WHERE run_id = ? AND kind = 'files'"
            " AND seq > ? AND seq <= ? ORDER BY seq",
            [self._run_id, whole, self._seq],
        )
        files: dict[str, FileState] = {}
        for row in rows:
            for file in _decoded(row["data"]):
                files[file.last.path] = self._state(file)
        return Touched(files)

    def _state(self, file: _File) -> FileState:
        history = KeptHistory(self, file.last.path, file.contents)
        return FileState(file.last, file.run_mark, file.step, file.by, history)


def _decoded(data: bytes) -> list[_File]:
    try:
        return _DECODER.decode(unpack(data[0], data[1:]))
    except (zlib.error, msgspec.MsgspecError, IndexError, TypeError) as error:
        raise Damaged(f"These are no files: {error}") from error
