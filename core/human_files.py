"""What a person does to the sandbox's files: takes some out, puts some in, edits one by hand.

Everything done is written as an event, and the model is told of what changed for it with its next
request, unless the person says no. What the model did up to that moment is looked at first, so
that each change is counted as the work of whoever made it.
"""

from __future__ import annotations

import difflib
import os
import posixpath
from collections.abc import Callable
from pathlib import Path

from .blobs import digest
from .errors import FileRefused
from .events import Actor, HumanFile
from .gate import Gate, Waiting
from .journal import Journal
from .paths import path_to_text
from .sandboxes.base import Sandbox
from .state import RunState
from .text import clean_line
from .watcher import Watcher

EDIT_BYTES = 1 << 20
"""Larger files are not edited by hand."""

TOLD_LINES = 200
"""At most so many lines of a diff are told to the model and kept with the event."""

ALIGNED_LINES = 4_000
"""Texts with more lines than this are not compared line by line: it could take minutes."""


class FileChangedMeanwhile(FileRefused):
    """The file is no longer what it was when it was opened.

    Attributes:
        now: its content at this moment, None when it is gone.
    """

    def __init__(self, message: str, now: bytes | None) -> None:
        super().__init__(message)
        self.now = now


class HumanFiles:
    """A person's hands on the files of one run.

    Args:
        sandbox: whose files.
        watcher: looks at what changed.
        journal: where events go.
        gate: its outbox holds what the model is told.
        state: the run so far.
        next_id: the next number among the run's human messages and commands.
        alive: raises when the run has ended.
    """

    def __init__(
        self,
        sandbox: Sandbox,
        watcher: Watcher,
        journal: Journal,
        gate: Gate,
        state: RunState,
        *,
        next_id: Callable[[], int],
        alive: Callable[[], None],
    ) -> None:
        self._sandbox = sandbox
        self._watcher = watcher
        self._journal = journal
        self._gate = gate
        self._state = state
        self._next_id = next_id
        self._alive = alive

    async def read(self, path: str, *, max_bytes: int) -> bytes:
        """The first `max_bytes` of a file as it is now.

        Raises:
            FileRefused: it is missing, not a regular file, or not readable.
        """
        self._alive()
        return await self._sandbox.read_file(path, max_bytes=max_bytes)

    async def exists(self, path: str) -> bool:
        """Whether something is at `path`."""
        self._alive()
        return await self._sandbox.stat(path) is not None

    async def fetch(self, path: str, target: Path) -> list[str]:
        """Copy a file or folder into the host folder `target`, without a word in the record.

        Returns:
            A sentence for each thing left behind.

        Raises:
            FileRefused: there is nothing to copy, or it cannot be read.
            OSError: the host folder cannot be written.
        """
        self._alive()
        return await self._sandbox.copy_out(path, target)

    async def pull(self, path: str, target: Path, *, tell: bool = False) -> list[str]:
        """The same as a person's deed: written as an event, told to the model on request."""
        left = await self.fetch(path, target)
        event = HumanFile(
            id=self._next_id(),
            action="pull",
            path=path,
            host=path_to_text(os.fsencode(target)),
            left_behind=tuple(left[:20]),
            told_to_model=tell,
        )
        self._done(event)
        return left

    async def push(self, source: Path, folder: str, *, tell: bool = True) -> str:
        """Copy a host file or folder into the sandbox's `folder`, over what is there.

        Returns:
            The path it now has.

        Raises:
            FileRefused: the source cannot be read, or the folder not be written.
        """
        self._alive()
        if not source.name:
            raise FileRefused("Name a file or a folder.")
        path = posixpath.join(folder, path_to_text(os.fsencode(source.name)))
        await self._look_first()
        inside = path if source.is_dir() else folder
        await self._sandbox.copy_in(source, inside)
        await self._watcher.look(step=self._state.step, by="human")
        event = HumanFile(
            id=self._next_id(),
            action="push",
            path=path,
            host=path_to_text(os.fsencode(source)),
            told_to_model=tell,
        )
        self._done(event)
        return path

    async def open(self, path: str) -> bytes:
        """A file's whole content, to be edited.

        Raises:
            FileRefused: it cannot be read, or is too large to edit.
        """
        data = await self.read(path, max_bytes=EDIT_BYTES + 1)
        if len(data) > EDIT_BYTES:
            raise FileRefused(f"{path} is larger than {EDIT_BYTES >> 20} MiB: edit it in a shell.")
        return data

    async def save(
        self, path: str, data: bytes, *, opened: bytes | None, tell: bool = True
    ) -> None:
        """Write what a person made of a file.

        Args:
            path: which file.
            data: its new content.
            opened: what it was when it was opened; None writes over whatever is there.
            tell: whether the model is told, with a diff.

        Raises:
            FileChangedMeanwhile: it is no longer what it was; nothing was written.
            FileRefused: it cannot be written.
        """
        self._alive()
        before = await self._now(path)
        if opened is not None and (before is None or digest(before) != digest(opened)):
            what = "was deleted" if before is None else "changed"
            raise FileChangedMeanwhile(f"{path} {what} while you edited it.", before)
        await self._look_first()
        await self._sandbox.write_file(path, data)
        await self._watcher.look(step=self._state.step, by="human")
        diff = _diff(path, before or b"", data)
        event = HumanFile(
            id=self._next_id(), action="edit", path=path, told_to_model=tell, diff=diff
        )
        self._done(event)

    async def _now(self, path: str) -> bytes | None:
        if await self._sandbox.stat(path) is None:
            return None
        return await self._sandbox.read_file(path, max_bytes=EDIT_BYTES + 1)

    async def _look_first(self) -> None:
        """What changed up to now is the work of the call that runs, if one does."""
        await self._watcher.settled()
        running = self._state.running
        by: Actor = "human" if running is None else "model"
        number = None if running is None else running.call.number
        await self._watcher.look(step=self._state.step, by=by, call=number)

    def _done(self, event: HumanFile) -> None:
        self._journal.post(event)
        if event.told_to_model:
            self._gate.outbox.append(Waiting(event.id, told(event), holds_submit=False))


def told(event: HumanFile) -> str:
    """What the model reads of a person's work on a file."""
    match event.action:
        case "pull":
            return f"A person copied {event.path} out of your sandbox."
        case "push":
            return f"A person put {event.path} into your sandbox."
        case "edit":
            return f"A person edited {event.path} in your sandbox:\n{event.diff}"


def _diff(path: str, before: bytes, after: bytes) -> str:
    """A unified diff, bounded in lines and in the time it takes."""
    old, new = (data.decode("utf-8", "replace").splitlines() for data in (before, after))
    if max(len(old), len(new)) > ALIGNED_LINES:
        return f"(now {len(new)} lines, {len(after)} bytes; before {len(old)} lines)"
    name = clean_line(path)
    lines = list(difflib.unified_diff(old, new, name, name, lineterm="", n=3))
    shown = [line[:500] for line in lines[:TOLD_LINES]]
    if len(lines) > TOLD_LINES:
        shown.append(f"... {len(lines) - TOLD_LINES} more lines of the diff")
    return "\n".join(shown)
