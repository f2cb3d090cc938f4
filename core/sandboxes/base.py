"""The sandbox protocol that the rest of the program uses.

A sandbox has two kinds of channel. *Exec* runs commands one after the other in a shell state that
is carried from call to call (cwd, exported variables, functions). *Control* is stateless and
separate: it reads, writes and lists files while a command is running.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

from sandbox_tui.core.base.defaults import (
    GRACE_SECONDS,
    INPUT_DIR,
    MAX_PROCESSES,
    OUTPUT_DIR,
    WORKING_DIR,
)
from sandbox_tui.core.base.io_types import Size, Stream

OutputSink = Callable[[Stream, bytes], Awaitable[None]]
"""Receives output as it arrives; while it waits, reading stops, which throttles a flood."""

MAX_LISTED_FILES = 100_000
"""Maximum number of files of one sandbox that are listed, watched and shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxSpec:
    """The sandbox that a run requires.

    Attributes:
        session_id: the run's id; labels everything the sandbox leaves on the host.
        image: container image (docker only).
        network: bridge (outgoing connections), none, or auto (bridge in Docker, none elsewhere).
        memory: bytes, or None for the default (2 GiB in Docker).
        cpus: number of CPUs, or None for all.
        pids: process limit.
        working_dir, input_dir, output_dir: absolute paths, created if missing.
        environment: variables for every program in it, overriding those of `command_environment`;
            the host's environment is never passed in.
        grace: seconds a sandbox outlives a killed program.
        snapshot: name of the snapshot to start from; if empty, the image or empty folders.
        snapshot_dir: host folder for snapshots of kinds without an image store, or None.
    """

    session_id: str
    image: str = ""
    network: Literal["auto", "bridge", "none"] = "auto"
    memory: int | None = None
    cpus: float | None = None
    pids: int = MAX_PROCESSES
    working_dir: str = WORKING_DIR
    input_dir: str = INPUT_DIR
    output_dir: str = OUTPUT_DIR
    environment: dict[str, str] = field(default_factory=dict[str, str])
    grace: float = GRACE_SECONDS
    snapshot: str = ""
    snapshot_dir: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecResult:
    """How a command ended.

    Attributes:
        exit_code: the command's; 128 + n if signal n ended it; None if unknown.
        stdout, stderr: its output, up to the channel's cap (16 MiB each).
        stdout_bytes, stderr_bytes: length of its whole output.
        duration: seconds.
        timed_out: the time limit ended it.
        interrupted: `interrupt` ended it.
        background: processes it started are still alive.
        state_lost: the shell state could not be saved (the command killed its shell); the next
            command starts from the state before this one. started: False if it definitely never
            started, so that it can be retried.
        cleared: number of leftover processes killed because there were too many.
        out_of_memory: the kernel killed it at the sandbox's memory limit.
    """

    exit_code: int | None
    stdout: bytes
    stderr: bytes
    stdout_bytes: int
    stderr_bytes: int
    duration: float
    timed_out: bool = False
    interrupted: bool = False
    background: bool = False
    state_lost: bool = False
    started: bool = True
    cleared: int = 0
    out_of_memory: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TerminalReader:
    """A program of the running command that waits for terminal input.

    Attributes:
        program: its name.
        hidden: whether the terminal does not echo the input, as for a password.
    """

    program: str
    hidden: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class FileEntry:
    """One path of a listing. `path` is absolute, as bytes; `size` is 0 except for regular files."""

    path: bytes
    kind: Literal["file", "dir", "link", "other"]
    size: int
    mode: int
    mtime: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """The files below a directory.

    Attributes:
        entries: by path.
        complete: False if there are more entries than the limit.
        has_unreadable_folders: some folders could not be read: access denied, or removed meanwhile.
    """

    entries: dict[bytes, FileEntry]
    complete: bool = True
    has_unreadable_folders: bool = False


@dataclass(frozen=True, slots=True)
class StoredSnapshot:
    """A stored snapshot.

    Attributes:
        kind: kind of sandbox, docker or bubblewrap.
        name: its name for `SandboxSpec.snapshot`.
        session: id of the run that took it.
        size: bytes it takes up on its own.
    """

    kind: str
    name: str
    session: str
    size: int


class SnapshotStore(Protocol):
    """Storage for the snapshots of one kind of sandbox. All methods block."""

    def list(self, session: str | None = None) -> list[StoredSnapshot]:
        """Return all snapshots, or those of one session.

        Raises:
            SandboxError: they cannot be listed (SandboxUnavailable: no engine answers).
        """
        ...

    def exists(self, name: str) -> bool:
        """Return whether a sandbox can start from this snapshot now."""
        ...

    def remove(self, name: str) -> bool:
        """Remove a snapshot; False if we have none of this name.

        Raises:
            SandboxError: it cannot be removed (SandboxUnavailable: no engine answers).
        """
        ...


class Shell(Protocol):
    """A user's interactive shell in the sandbox, on its own pseudo-terminal."""

    def output(self) -> AsyncIterator[bytes]:
        """Return the terminal's output until the shell ends."""
        ...

    async def write(self, data: bytes) -> None:
        """Send `data` to its terminal."""
        ...

    async def resize(self, cols: int, rows: int) -> None:
        """Resize its terminal; does nothing for a shell that has ended."""
        ...

    async def hides_input(self) -> bool:
        """Return whether its terminal reads a line without echoing it, as for a password.

        Raises:
            SandboxError: this is unknown.
        """
        ...

    async def close(self) -> int | None:
        """Hang up the shell, then kill it; returns its exit code if known."""
        ...


class Sandbox(Protocol):
    """A computer for the model. All methods raise `SandboxLost` once the sandbox has ended.

    Attributes:
        kind: `docker` or `bubblewrap`.
        spec: the requested spec.
        info: image, container, network and limits as display text; filled by `start`.
        outlives: whether its background processes survive if the program is killed.
    """

    kind: str
    outlives: bool
    spec: SandboxSpec
    info: dict[str, str]

    def on_outage(self, tell: Callable[[str], None] | None) -> None:
        """Wait out outages, passing `tell` a sentence about each; None (default) fails at once."""
        ...

    async def start(self) -> None:
        """Create the sandbox and its three directories.

        Raises:
            SandboxUnavailable: it cannot be created here (ImageMissing: only the image is missing).
        """
        ...

    async def reattach(self) -> None:
        """Reattach to an earlier program's sandbox for `spec.session_id`, instead of `start`.

        Files and shell state are kept. Foreground processes are ended; background processes keep
        running if `outlives`.

        Raises:
            SandboxLost: it no longer exists (says why), or belongs to a program that is still
                alive.
            SandboxUnavailable: it cannot be reached from here.
        """
        ...

    async def exec(
        self,
        command: str,
        *,
        timeout: float,
        on_output: OutputSink | None = None,
        tty: Size | None = None,
    ) -> ExecResult:
        """Run `command` with bash in the carried shell state; concurrent callers queue.

        A command that exceeds its `timeout` (seconds) is ended by INT, TERM and KILL within 2 s;
        its output is kept. Cancelling the coroutine ends the command in the same way.

        With a `tty` it runs on a terminal of that size: `stdout` is then the terminal's output
        including escape codes, and `write_stdin` feeds its stdin.
        """
        ...

    async def run(
        self, argv: Sequence[str], *, user: str = "", cwd: str = "", timeout: float
    ) -> ExecResult:
        """Run a program outside the model's shell, even while the model's command is running.

        For graders: the program gets the sandbox's initial environment and nothing of the model's
        shell state. Files, including programs, are as the model left them. Leftovers are killed.

        Args:
            argv: program and arguments. Its stdin is empty.
            user: account to run as; if empty, the sandbox's default. Embedded sandboxes have only
                one.
            cwd: absolute path; if empty, `spec.working_dir`.
            timeout: seconds.

        Returns:
            How it ended; exit code 126 if `user` or `cwd` cannot be used, 127 if the program does
            not exist. `background` and `state_lost` are always False.

        Raises:
            FileRefused: the sandbox is frozen.
        """
        ...

    async def write_stdin(self, data: bytes) -> bool:
        """Write to the running command's terminal; False if it has none, or its buffer is full."""
        ...

    async def terminal_reader(self) -> TerminalReader | None:
        """Return the program of the running command that waits for terminal input, if any."""
        ...

    async def interrupt(self) -> bool:
        """End the running command as its timeout would; False if none is running."""
        ...

    async def read_file(self, path: str, *, max_bytes: int | None = None) -> bytes:
        """Return the content of a regular file, at most `max_bytes` of it.

        `path` is text in the encoding of `core.base.path_codec`; a relative path is resolved
        against the carried cwd.

        Raises:
            FileRefused: it is missing, a directory, a device, or not readable.
        """
        ...

    async def write_file(self, path: str, data: bytes, *, exclusive: bool = False) -> None:
        """Write a regular file, creating its parent directories.

        An existing file keeps its mode and owner; symbolic links are followed.

        Raises:
            FileRefused: it cannot be written, or exists and `exclusive` is set.
        """
        ...

    async def stat(self, path: str) -> FileEntry | None:
        """Return the entry at `path`, following links; None if there is none."""
        ...

    async def list_files(self, path: str, *, limit: int = MAX_LISTED_FILES) -> Listing:
        """Return up to `limit` entries below `path`, excluding it, without following links."""
        ...

    async def changed_files(self, path: str, before: Listing) -> Listing:
        """Return the current listing of `path`; `before` is the previous one, and may save work."""
        ...

    async def open_shell(self, cols: int, rows: int) -> Shell:
        """Open an interactive shell in the carried cwd and environment."""
        ...

    async def copy_in(self, source: Path, path: str) -> None:
        """Copy a host file, or the content of a host folder, into the directory `path`.

        Raises:
            FileRefused: the source cannot be read.
        """
        ...

    async def copy_out(self, path: str, target: Path) -> list[str]:
        """Copy the content of the directory `path`, or the file at `path`, into a host folder.

        `target` is created if there is something to copy. Only regular files and folders are
        copied: links, devices and names that lead out of it are not; setuid bits are dropped, count
        and size capped. Files are written to a temporary folder and then moved into place; existing
        files are never replaced (the name gets a number).

        Returns:
            A sentence for each entry that was not copied.
        """
        ...

    async def freeze(self) -> None:
        """Suspend all processes (docker pause)."""
        ...

    async def thaw(self) -> None:
        """Resume all processes."""
        ...

    async def snapshot(self, tag: str, *, max_bytes: int) -> tuple[str, int]:
        """Save the file system and the shell state; processes are suspended meanwhile.

        Args:
            tag: one word, unique among the session's snapshots.
            max_bytes: size limit.

        Returns:
            Its name for `SandboxSpec.snapshot`, and its size in bytes.

        Raises:
            SandboxError: it cannot be saved; the sandbox keeps running.
            FileRefused: the sandbox is frozen.
        """
        ...

    async def remove_snapshot(self, name: str) -> bool:
        """Remove a snapshot taken by this kind of sandbox; False if it does not exist.

        Raises:
            SandboxError: it cannot be removed.
        """
        ...

    async def leave(self, seconds: float = 0.0) -> None:
        """Release the sandbox for another program to `reattach`: until the grace period is over,
        and for at least `seconds`. Background processes keep running if `outlives`."""
        ...

    async def close(self) -> None:
        """End all processes and remove the sandbox. Safe to call twice, and after a loss."""
        ...
