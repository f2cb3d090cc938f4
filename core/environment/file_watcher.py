"""Records changes to the sandbox's files, with the content of small ones.

It only observes: a failed scan is reported once, the next scan catches up, and no call or run fails
because of it. If the sandbox has ended, the next call reports that.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Literal

import msgspec
from typing_extensions import override

from sandbox_tui.core.base.blob_store import BlobStore
from sandbox_tui.core.base.errors import FileRefused, SandboxTuiError, StoreError
from sandbox_tui.core.base.path_codec import path_to_text, text_to_path
from sandbox_tui.core.environment.environment_parts import FileObserver
from sandbox_tui.core.events.durability import Durability
from sandbox_tui.core.events.run_state import FileState
from sandbox_tui.core.events.types import (
    Actor,
    AnyEvent,
    FileChange,
    FilesChanged,
    FilesListed,
    Warned,
)
from sandbox_tui.core.sandboxes.base import FileEntry, Listing, Sandbox

MAX_STORED_BYTES = 256 * 1024
"""Files up to this size are stored with their content, so that any past version can be shown and
compared."""

MAX_STORED_FILES = 100
"""Maximum contents stored after one scan; installing a package changes thousands of files."""

MAX_INLINE_DIFF = 5_000
"""Larger listings are compared in a thread, so as not to block key input."""

NOT_STORED = (b"/.git/", b"/.venv/", b"/venv/", b"/node_modules/", b"/__pycache__/", b"/.cache/")
"""Folders whose files are listed, but stored without content."""

SCAN_FAILED = "File changes cannot be watched: {}"
TOO_MANY_FILES = (
    "Only {:,} files and folders are listed, and there are more: changes to the others are not "
    "shown."
)


class FileWatcher(FileObserver):
    """Watches one directory of a sandbox.

    Args:
        sandbox: the sandbox.
        root: the directory (text path).
        blobs: where contents are stored.
        post: writes an event.
        lock: held during a scan.
        durability: retries contents that cannot be stored at present.
    """

    def __init__(
        self,
        sandbox: Sandbox,
        root: str,
        blobs: BlobStore,
        post: Callable[[AnyEvent], AnyEvent],
        lock: asyncio.Lock | None = None,
        durability: Durability | None = None,
    ) -> None:
        self._sandbox = sandbox
        self._root = root
        self._blobs = blobs
        self._post = post
        self._listing: Listing | None = None
        self._failing = False
        self._is_cut = False
        self._lock = lock or asyncio.Lock()
        self._durability = durability or Durability()
        self._task: asyncio.Task[None] | None = None

    @property
    @override
    def has_listing(self) -> bool:
        return self._listing is not None

    @override
    async def scan_initial(self) -> None:
        async with self._lock:
            await self._guarded(self._list())

    async def _list(self) -> None:
        listing = await self._sandbox.list_files(self._root)
        found = await _compared(Listing(entries={}), listing)
        self._post(FilesListed(files=await self._with_contents(found)))
        self._keep(listing)

    @override
    def restore(self, known: Listing) -> None:
        self._listing = known

    @override
    async def baseline_fork(self, known: Mapping[str, FileState], *, step: int) -> None:
        # times are not compared: a snapshot may round them, and replayed calls set new ones
        before = {path: s.last for path, s in known.items() if s.last.change != "deleted"}
        self._listing = _listing(before, {})
        async with self._lock:
            await self._guarded(self._write_differences(before, step))

    async def _write_differences(self, known: Mapping[str, FileChange], step: int) -> None:
        now = await self._sandbox.list_files(self._root)
        by_path = {path_to_text(path): entry for path, entry in now.entries.items()}
        changes = await self._with_contents(await _compared(_listing(known, by_path), now))
        if changes:
            self._post(FilesChanged(step=step, changes=changes, by="program"))
        self._keep(now)

    @override
    def schedule_scan(self, *, step: int, by: Actor, call: int | None = None) -> None:
        before = self._task

        async def scan() -> None:
            if before is not None:
                await asyncio.wait([before])
            await self.scan(step=step, by=by, call=call)

        self._task = asyncio.create_task(scan())

    @override
    async def flush(self) -> None:
        if self._task is not None:
            await asyncio.wait([self._task])  # the scan continues if the waiting task is cancelled

    @override
    async def scan(
        self, *, step: int, by: Actor, call: int | None = None, quiet: bool = False
    ) -> None:
        async with self._lock:
            before, self._failing = self._listing, self._failing or quiet
            work = self._list() if before is None else self._write_changes(before, step, by, call)
            await self._guarded(work)

    async def _write_changes(self, before: Listing, step: int, by: Actor, call: int | None) -> None:
        now = await self._sandbox.changed_files(self._root, before)
        changes = await _compared(before, now)
        if changes:
            kept = await self._with_contents(changes)
            self._post(FilesChanged(step=step, changes=kept, by=by, call=call))
        self._keep(now)  # only after posting: if that fails, the next scan finds the changes again

    def _keep(self, listing: Listing) -> None:
        """Use this listing for the next comparison; report the first of several incomplete ones."""
        if not listing.complete and not self._is_cut:
            self._post(Warned(text=TOO_MANY_FILES.format(len(listing.entries))))
        self._is_cut = not listing.complete
        self._listing = listing

    async def _guarded(self, work: Awaitable[None]) -> None:
        """Run a scan; report only the first of consecutive failures."""
        try:
            await work
        except Exception as error:  # noqa: BLE001 - an observer never ends the run
            if not self._failing:
                self._post(Warned(text=SCAN_FAILED.format(_sentence(error))))
            self._failing = True
        else:
            self._failing = False

    async def _with_contents(self, changes: list[FileChange]) -> tuple[FileChange, ...]:
        """Return the changes, with the digests of small files, whose contents are stored."""
        result: list[FileChange] = []
        room = MAX_STORED_FILES
        for change in changes:
            if room and _worth_storing(change):
                room -= 1
                change = await self._with_content(change)
            result.append(change)
        return tuple(result)

    async def _with_content(self, change: FileChange) -> FileChange:
        try:
            data = await self._sandbox.read_file(change.path, max_bytes=MAX_STORED_BYTES + 1)
        except FileRefused:  # deleted or unreadable: record it without content
            return change
        if len(data) > MAX_STORED_BYTES:
            return change
        try:
            name = await self._durability.retry_until_durable(
                lambda: asyncio.to_thread(self._blobs.put, data)
            )
        except StoreError:  # record it without content
            return change
        return msgspec.structs.replace(change, blob=name)


class FinalFileWatcher(FileWatcher):
    """Scans only at the start and the end of a run, so that calls cost no scan."""

    @override
    def schedule_scan(self, *, step: int, by: Actor, call: int | None = None) -> None:
        pass


def _sentence(error: Exception) -> str:
    return str(error) if isinstance(error, SandboxTuiError) else repr(error)


def _listing(known: Mapping[str, FileChange], now: Mapping[str, FileEntry]) -> Listing:
    """Return a listing of the known files, with current times from `now`."""
    return Listing(
        entries={
            text_to_path(path): _current_entry(change, now.get(path))
            for path, change in known.items()
        }
    )


async def _compared(before: Listing, after: Listing) -> list[FileChange]:
    """Return the `diff`, computed in a thread if there are many files."""
    if len(before.entries) + len(after.entries) < MAX_INLINE_DIFF:
        return diff(before, after)
    return await asyncio.to_thread(diff, before, after)


def diff(before: Listing, after: Listing) -> list[FileChange]:
    """Return the changes from one listing to the next, sorted by path.

    A folder counts as modified only if its permissions change, since its time follows its content.
    """
    changes: list[FileChange] = []
    for path, entry in after.entries.items():
        old = before.entries.get(path)
        if old is None:
            changes.append(_change(entry, "created"))
        elif _differs(old, entry):
            changes.append(_change(entry, "modified"))
    if after.complete:
        deleted = before.entries.keys() - after.entries.keys()
        changes += [_change(before.entries[path], "deleted") for path in deleted]
    return sorted(changes, key=lambda change: change.path)


def _current_entry(known: FileChange, now: FileEntry | None) -> FileEntry:
    """Return the entry of a known path, with its current time if it exists."""
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


def _worth_storing(change: FileChange) -> bool:
    if change.change == "deleted" or change.kind != "file" or change.size > MAX_STORED_BYTES:
        return False
    path = change.path.encode()
    return not any(folder in path for folder in NOT_STORED)
