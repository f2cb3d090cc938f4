"""The files of a state, stored as occasional full lists with the changes in between.

The history of each file is not stored again: it is in the table `file_changes`.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, cast, overload

import msgspec

from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.run_state import Content, FileState
from sandbox_tui.sessions.playback.state_codec import CorruptKeyframe
from sandbox_tui.sessions.store.compression import compress, decompress
from sandbox_tui.sessions.store.store import Store


class _File(msgspec.Struct, array_like=True):
    """A file with the length of its history."""

    last: e.FileChange
    run_mark: Literal["created", "modified", "deleted"] | None
    step: int
    by: e.Actor
    contents: int


_DECODER = msgspec.msgpack.Decoder(list[_File])


class TrackedFiles(dict[str, FileState]):
    """Files by path that track which ones were set.

    Attributes:
        paths: the paths that were set, in order of their first change.
    """

    def __init__(self, files: Mapping[str, FileState]) -> None:
        super().__init__(files)
        self.paths: dict[str, None] = {}

    def __setitem__(self, path: str, file: FileState) -> None:
        self.paths[path] = None
        super().__setitem__(path, file)


class LazyHistory(Sequence[Content]):
    """The contents of a file over time, read from the session database on access.

    Args:
        kept: the files at a keyframe.
        path: of the file.
        count: number of contents up to the keyframe.
        later: contents after the keyframe.
    """

    __slots__ = ("_count", "_kept", "_later", "_path")

    def __init__(
        self, kept: KeyframeFiles, path: str, count: int, later: tuple[Content, ...] = ()
    ) -> None:
        self._kept = kept
        self._path = path
        self._count = count
        self._later = later

    def extended_by(self, content: Content) -> LazyHistory:
        """Return this history with one more content; see `ExtendableHistory`."""
        return LazyHistory(self._kept, self._path, self._count, (*self._later, content))

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
    """Encode files for the database."""
    found = [
        _File(file.last, file.run_mark, file.step, file.by, len(file.history)) for file in files
    ]
    packed, data = compress(msgspec.msgpack.encode(found))
    return bytes([packed]) + data


class KeyframeFiles:
    """The files of one session at one keyframe.

    Args:
        store: the database.
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
        """Return the contents of a file up to the keyframe, oldest first."""
        if path not in self._histories:
            rows = self._store.file_history(self._run_id, path, self._listed, self._seq)
            listed = [row for row in rows if self._listed and row.seq == self._listed]
            after = [row for row in rows if row.seq > self._listed]
            self._histories[path] = [(row.step, row.digest) for row in [*listed[-1:], *after]]
        return self._histories[path]

    def read(self, tree: int) -> TrackedFiles:
        """Read the files, by path.

        Args:
            tree: number of the keyframe that has all of them.

        Raises:
            CorruptKeyframe: the files are missing or damaged.
        """
        parts = self._store.keyframes(self._run_id).files(tree, self._seq)
        if not parts:
            raise CorruptKeyframe("The files are missing.")
        files: dict[str, FileState] = {}
        for data in parts:
            for file in _decoded(data):
                files[file.last.path] = self._state(file)
        return TrackedFiles(files)

    def _state(self, file: _File) -> FileState:
        history = LazyHistory(self, file.last.path, file.contents)
        return FileState(file.last, file.run_mark, file.step, file.by, history)


def _decoded(data: bytes) -> list[_File]:
    try:
        return _DECODER.decode(decompress(data[0], data[1:]))
    except (zlib.error, msgspec.MsgspecError, IndexError, TypeError) as error:
        raise CorruptKeyframe(f"The file data cannot be decoded: {error}") from error
