"""Notices what changes among the sandbox's files, and keeps the content of small ones."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Literal

import msgspec

from .blobs import Blobs
from .errors import FileRefused, StoreError
from .events import Actor, AnyEvent, FileChange, FilesChanged, FilesListed
from .keeping import Keeping
from .paths import path_to_text, text_to_path
from .sandboxes.base import FileEntry, Listing, Sandbox
from .state import FileState

KEPT_BYTES = 256 * 1024
"""Files up to this size are kept, so that any moment can be previewed and diffed."""

KEPT_FILES = 100
"""At most so many files are kept after one look; a package installation changes thousands."""

COMPARED_AT_ONCE = 5_000
"""Files of two listings that are compared without further ado."""

NOT_KEPT = (b"/.git/", b"/.venv/", b"/venv/", b"/node_modules/", b"/__pycache__/", b"/.cache/")
"""Folders whose content is listed but not kept."""


class Watcher:
    """Watches one directory of a sandbox.

    Args:
        sandbox: where to look.
        root: the directory (text path).
        blobs: where contents go.
        post: writes an event.
        lock: held while looking.
        keeping: waits with contents that cannot be put away for now.
    """

    def __init__(
        self,
        sandbox: Sandbox,
        root: str,
        blobs: Blobs,
        post: Callable[[AnyEvent], AnyEvent],
        lock: asyncio.Lock | None = None,
        keeping: Keeping | None = None,
    ) -> None:
        self._sandbox = sandbox
        self._root = root
        self._blobs = blobs
        self._post = post
        self._listing = Listing(entries={})
        self._lock = lock or asyncio.Lock()
        self._keeping = keeping or Keeping()
        self._task: asyncio.Task[None] | None = None

    async def begin(self) -> None:
        """Take the first listing and write it as `FilesListed`."""
        self._listing = await self._sandbox.list_files(self._root)
        found = await _compared(Listing(entries={}), self._listing)
        self._post(FilesListed(files=await self._kept(found)))

    def take_up(self, known: Listing) -> None:
        """Go on from what was known of the files when the program before was gone."""
        self._listing = known

    async def settle_in(self, known: Mapping[str, FileState], *, step: int) -> None:
        """In a fork's sandbox: write what differs from the files that are known.

        A snapshot may round times off, and what is carried out again has its own: a file of the
        same kind, size and rights counts as the same.
        """
        async with self._lock:
            self._listing = await self._sandbox.list_files(self._root)
            there = {path_to_text(path): entry for path, entry in self._listing.entries.items()}
            before = Listing(
                entries={
                    text_to_path(path): _as_now(state.last, there.get(path))
                    for path, state in known.items()
                    if state.last.change != "deleted"
                }
            )
            changes = await self._kept(await _compared(before, self._listing))
            if changes:
                self._post(FilesChanged(step=step, changes=changes, by="program"))

    def look_later(self, *, step: int, by: Actor, call: int | None = None) -> None:
        """Look for changes while the run goes on; `settled` waits for the end of it."""
        before = self._task

        async def look() -> None:
            if before is not None:
                await asyncio.wait([before])
            await self.look(step=step, by=by, call=call)

        self._task = asyncio.create_task(look())

    async def settled(self) -> None:
        """Wait until the last look has been written; raises what it raised."""
        if self._task is not None:
            await self._task

    async def look(self, *, step: int, by: Actor, call: int | None = None) -> None:
        """Compare the files with the last look and write what changed as `FilesChanged`."""
        async with self._lock:
            now = await self._sandbox.changed_files(self._root, self._listing)
            changes = await _compared(self._listing, now)
            self._listing = now
            if changes:
                kept = await self._kept(changes)
                self._post(FilesChanged(step=step, changes=kept, by=by, call=call))

    async def _kept(self, changes: list[FileChange]) -> tuple[FileChange, ...]:
        """The changes, with the content of small files put away and named."""
        result: list[FileChange] = []
        room = KEPT_FILES
        for change in changes:
            if room and _worth_keeping(change):
                room -= 1
                change = await self._keep(change)
            result.append(change)
        return tuple(result)

    async def _keep(self, change: FileChange) -> FileChange:
        try:
            data = await self._sandbox.read_file(change.path, max_bytes=KEPT_BYTES + 1)
        except FileRefused:  # gone again, or not readable: the change itself still stands
            return change
        if len(data) > KEPT_BYTES:
            return change
        try:
            name = await self._keeping.insist(lambda: asyncio.to_thread(self._blobs.put, data))
        except StoreError:  # the change itself still stands
            return change
        return msgspec.structs.replace(change, blob=name)


async def _compared(before: Listing, after: Listing) -> list[FileChange]:
    """See `diff`; many files are compared in a thread, since a key shall not wait."""
    if len(before.entries) + len(after.entries) < COMPARED_AT_ONCE:
        return diff(before, after)
    return await asyncio.to_thread(diff, before, after)


def diff(before: Listing, after: Listing) -> list[FileChange]:
    """What turns one listing into the other, sorted by path.

    A folder counts as modified only when its permissions change: its time changes with its content.
    """
    changes: list[FileChange] = []
    for path, entry in after.entries.items():
        old = before.entries.get(path)
        if old is None:
            changes.append(_change(entry, "created"))
        elif _differs(old, entry):
            changes.append(_change(entry, "modified"))
    if after.complete:
        gone = before.entries.keys() - after.entries.keys()
        changes += [_change(before.entries[path], "deleted") for path in gone]
    return sorted(changes, key=lambda change: change.path)


def _as_now(known: FileChange, now: FileEntry | None) -> FileEntry:
    """What was known of a path, with the time it has now where there is something."""
    mtime = known.mtime if now is None else now.mtime
    path = text_to_path(known.path)
    return FileEntry(path=path, kind=known.kind, size=known.size, mode=known.mode, mtime=mtime)


def _differs(old: FileEntry, new: FileEntry) -> bool:
    if (old.kind, old.mode) != (new.kind, new.mode):
        return True
    return new.kind != "dir" and (old.size, old.mtime) != (new.size, new.mtime)


def _change(entry: FileEntry, change: Literal["created", "modified", "deleted"]) -> FileChange:
    return FileChange(
        path=path_to_text(entry.path),
        change=change,
        kind=entry.kind,
        size=entry.size,
        mode=entry.mode,
        mtime=entry.mtime,
    )


def _worth_keeping(change: FileChange) -> bool:
    if change.change == "deleted" or change.kind != "file" or change.size > KEPT_BYTES:
        return False
    path = change.path.encode()
    return not any(folder in path for folder in NOT_KEPT)
