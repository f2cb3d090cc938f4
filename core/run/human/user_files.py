"""The user's work on the sandbox's files: copying out and in, and editing by hand.

Every action is recorded as an event, and the model is told with its next request unless the user
declines. The files are scanned first, so that earlier changes by the model are not attributed to
the user.
"""

from __future__ import annotations

import difflib
import os
import posixpath
from collections.abc import Callable
from pathlib import Path

from sandbox_tui.core.agent.message_queue import MessageQueue
from sandbox_tui.core.agent.model_messages import human_file
from sandbox_tui.core.base.blob_store import digest
from sandbox_tui.core.base.errors import FileRefused
from sandbox_tui.core.base.path_codec import path_to_text
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.environment.tool_environment import ToolEnvironment
from sandbox_tui.core.events.run_state import RunState
from sandbox_tui.core.events.types import Actor, HumanFile
from sandbox_tui.core.run.results import limit_sentences

MAX_EDIT_BYTES = 1 << 20
"""Maximum size of a file edited by hand."""

MAX_DIFF_LINES = 200
"""Maximum length of a diff, for the model and in the event."""

MAX_COMPARED_LINES = 4_000
"""Maximum length of a text compared line by line; a longer one could take minutes."""


class FileChangedMeanwhile(FileRefused):
    """The file has changed since it was opened.

    Attributes:
        now: its current content, or None if it was deleted.
    """

    def __init__(self, message: str, now: bytes | None) -> None:
        super().__init__(message)
        self.now = now


class UserFiles:
    """The user's access to the files of one run.

    Args:
        environment: provides the sandbox, the file watcher and the event sink.
        queue: where messages for the model wait.
        state: the fold of the run's events.
        next_id: returns the id of the next user action.
        require_thawed: raises while the sandbox cannot be reached.
    """

    def __init__(
        self,
        environment: ToolEnvironment,
        queue: MessageQueue,
        state: RunState,
        *,
        next_id: Callable[[], int],
        require_thawed: Callable[[], None],
    ) -> None:
        self._sandbox = environment.sandbox
        self._watcher = environment.watcher
        self._events = environment.events
        self._queue = queue
        self._state = state
        self._next_id = next_id
        self._require_thawed = require_thawed

    async def read(self, path: str, *, max_bytes: int) -> bytes:
        """Return the first `max_bytes` of a file's current content.

        Raises:
            FileRefused: the file is missing, not a regular file, or not readable.
        """
        self._require_thawed()
        return await self._sandbox.read_file(path, max_bytes=max_bytes)

    async def exists(self, path: str) -> bool:
        """Return whether `path` exists."""
        self._require_thawed()
        return await self._sandbox.stat(path) is not None

    async def fetch(self, path: str, target: Path) -> list[str]:
        """Copy a file or folder into the host folder `target`, without recording it.

        Returns:
            A sentence for each thing that was not copied.

        Raises:
            FileRefused: there is nothing to copy, or it cannot be read.
            OSError: the host folder cannot be written.
        """
        self._require_thawed()
        return await self._sandbox.copy_out(path, target)

    async def pull(self, path: str, target: Path, *, tell: bool = False) -> list[str]:
        """Copy like `fetch`, also an empty folder, and record it; the model is told on request."""
        left = await self.fetch(path, target)
        target.mkdir(parents=True, exist_ok=True)
        event = HumanFile(
            id=self._next_id(),
            action="pull",
            path=path,
            host=path_to_text(os.fsencode(target)),
            left_behind=tuple(limit_sentences(left)),
            told_to_model=tell,
        )
        self._done(event)
        return left

    async def push(self, source: Path, folder: str, *, tell: bool = True) -> str:
        """Copy a host file or folder into the sandbox's `folder`, overwriting existing files.

        Returns:
            Its path in the sandbox.

        Raises:
            FileRefused: the source cannot be read, or the folder cannot be written.
        """
        self._require_thawed()
        if not source.name:
            raise FileRefused("Enter a file or folder.")
        path = posixpath.join(folder, path_to_text(os.fsencode(source.name)))
        await self._scan_first()
        inside = path if source.is_dir() else folder
        await self._sandbox.copy_in(source, inside)
        await self._watcher.scan(step=self._state.step, by="human")
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
        """Return the whole content of a file to edit.

        Raises:
            FileRefused: the file cannot be read, or is too large to edit.
        """
        data = await self.read(path, max_bytes=MAX_EDIT_BYTES + 1)
        if len(data) > MAX_EDIT_BYTES:
            most = f"{MAX_EDIT_BYTES >> 20} MiB"
            raise FileRefused(f"{path} is larger than {most}: edit it in a shell.")
        return data

    async def save(
        self, path: str, data: bytes, *, opened: bytes | None, tell: bool = True
    ) -> None:
        """Write a file that the user edited.

        Args:
            path: the file.
            data: its new content.
            opened: its content when it was opened; None overwrites any content.
            tell: whether the model is told, with a diff.

        Raises:
            FileChangedMeanwhile: the content has changed since then; nothing was written.
            FileRefused: the file cannot be written.
        """
        self._require_thawed()
        before = await self._now(path)
        if opened is not None and (before is None or digest(before) != digest(opened)):
            what = "was deleted" if before is None else "changed"
            raise FileChangedMeanwhile(f"{path} {what} while you edited it.", before)
        await self._scan_first()
        await self._sandbox.write_file(path, data)
        await self._watcher.scan(step=self._state.step, by="human")
        diff = _diff(path, before or b"", data)
        event = HumanFile(
            id=self._next_id(), action="edit", path=path, told_to_model=tell, diff=diff
        )
        self._done(event)

    async def _now(self, path: str) -> bytes | None:
        if await self._sandbox.stat(path) is None:
            return None
        return await self._sandbox.read_file(path, max_bytes=MAX_EDIT_BYTES + 1)

    async def _scan_first(self) -> None:
        """Scan now: changes so far are attributed to the running call, if any."""
        await self._watcher.flush()
        running = self._state.running
        by: Actor = "human" if running is None else "model"
        number = None if running is None else running.call.number
        await self._watcher.scan(step=self._state.step, by=by, call=number)

    def _done(self, event: HumanFile) -> None:
        self._events.post(event)
        if event.told_to_model:
            self._queue.add(event.id, human_file(event))


def _diff(path: str, before: bytes, after: bytes) -> str:
    """Return a unified diff, limited in length and in computing time."""
    old, new = (data.decode("utf-8", "replace").splitlines() for data in (before, after))
    if max(len(old), len(new)) > MAX_COMPARED_LINES:
        return f"(now {len(new)} lines, {len(after)} bytes; before {len(old)} lines)"
    name = sanitize_line(path)
    lines = list(difflib.unified_diff(old, new, name, name, lineterm="", n=3))
    shown = [line[:500] for line in lines[:MAX_DIFF_LINES]]
    if len(lines) > MAX_DIFF_LINES:
        shown.append(f"... {len(lines) - MAX_DIFF_LINES} more lines of the diff")
    return "\n".join(shown)
