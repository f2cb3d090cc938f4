"""The sandbox protocol, for the rest of the program.

Two kinds of channel lead into a sandbox. *Exec* runs commands one after the other in a shell state
that is carried from call to call (cwd, exported variables, functions). *Control* is stateless and
separate: files are read, written and listed over it while a command is running.
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
"""Files of one sandbox that are listed, watched and shown at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxSpec:
    """What a run requires of its sandbox.

    Attributes:
        session_id: the run's id; labels everything the sandbox leaves on the host.
        image: container image (docker only).
        network: bridge (outgoing connections), none, or auto (bridge in Docker, none elsewhere).
        memory: bytes, or None for the default (2 GiB in Docker).
        cpus: number of CPUs, or None for all.
        pids: process limit.
        working_dir, input_dir, output_dir: absolute paths, created if missing.
        environment: variables of every program in it, which replace those of
            `command_environment`; the host's environment is never passed in.
        grace: seconds a sandbox outlives a killed program.
        snapshot: name of the snapshot to start from; empty: the image, or empty folders.
        snapshot_dir: host folder for snapshots of kinds that have no image store; None: such a
            sandbox neither takes nor finds any.
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
        exit_code: of the command; 128 + n when signal n ended it; None when it is unknown.
        stdout, stderr: its output, up to the channel's cap (16 MiB each).
        stdout_bytes, stderr_bytes: length of its whole output.
        duration: seconds.
        timed_out: the time limit ended it.
        interrupted: `interrupt` ended it.
        background: processes it started are still alive.
        state_lost: the shell state could not be saved (the command killed its shell); the next
            command starts from the state before this one.
        begun: False when it certainly never started, so that it can be tried again.
        cleared: leftover processes that were killed, because there were too many.
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
    begun: bool = True
    cleared: int = 0
    out_of_memory: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TerminalReader:
    """A program of the running command that waits for input from its terminal.

    Attributes:
        program: its name.
        hidden: the terminal does not echo the input, as for a password.
    """

    program: str
    hidden: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class FileEntry:
    """One path of a listing. `path` is absolute, as bytes; `size` is 0 for anything but a file."""

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
        complete: False when there are more entries than the limit.
        holes: some folders could not be read: not permitted, or removed meanwhile.
    """

    entries: dict[bytes, FileEntry]
    complete: bool = True
    holes: bool = False


@dataclass(frozen=True, slots=True)
class StoredSnapshot:
    """A snapshot.

    Attributes:
        kind: of sandbox: docker or bubblewrap.
        name: as in `SandboxSpec.snapshot`.
        session: id of the run that took it.
        size: bytes it takes by itself.
    """

    kind: str
    name: str
    session: str
    size: int


class SnapshotStore(Protocol):
    """Where one kind of sandbox keeps its snapshots. Every method blocks."""

    def list(self, session: str | None = None) -> list[StoredSnapshot]:
        """All snapshots, or those of one session.

        Raises:
            SandboxError: they cannot be listed (SandboxUnavailable: no engine answers).
        """
        ...

    def exists(self, name: str) -> bool:
        """Whether a sandbox can start from this snapshot now."""
        ...

    def remove(self, name: str) -> bool:
        """Remove a snapshot; False when there is none of ours of this name.

        Raises:
            SandboxError: it cannot be removed (SandboxUnavailable: no engine answers).
        """
        ...


class Shell(Protocol):
    """A person's interactive shell in the sandbox, on a pseudo-terminal of its own."""

    def output(self) -> AsyncIterator[bytes]:
        """What the terminal prints, until the shell ends."""
        ...

    async def write(self, data: bytes) -> None:
        """Send `data` to its terminal."""
        ...

    async def resize(self, cols: int, rows: int) -> None:
        """Resize its terminal; does nothing for a shell that has ended."""
        ...

    async def hides_input(self) -> bool:
        """Whether its terminal reads a line without echoing it, as for a password.

        Raises:
            SandboxError: this is unknown.
        """
        ...

    async def close(self) -> int | None:
        """Hang up the shell, then kill it; its exit code where known."""
        ...


class Sandbox(Protocol):
    """A computer for the model. All methods raise `SandboxLost` once it is gone.

    Attributes:
        kind: `docker` or `bubblewrap`.
        spec: what was asked for.
        info: image, container, network and limits as text to show; filled by `start`.
        outlives: whether its background processes survive when the program is killed.
    """

    kind: str
    outlives: bool
    spec: SandboxSpec
    info: dict[str, str]

    def on_outage(self, tell: Callable[[str], None] | None) -> None:
        """Wait for outages from now on, and pass `tell` a sentence about each; None: fail at once
        when the sandbox cannot be reached, which is the default."""
        ...

    async def start(self) -> None:
        """Create the sandbox and its three directories.

        Raises:
            SandboxUnavailable: it cannot be created here (ImageMissing: only the image is missing).
        """
        ...

    async def reattach(self) -> None:
        """Take over, instead of `start`, the sandbox that an earlier program created for
        `spec.session_id`, with its files and its shell state. Foreground processes are ended;
        background processes keep running if `outlives`.

        Raises:
            SandboxLost: it is gone (says why), or it belongs to a program that is alive.
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
        its output is kept. Cancelling the coroutine ends the command likewise.

        With a `tty` it runs on a terminal of that size: `stdout` is then everything it prints,
        escape codes included, and `write_stdin` feeds its stdin.
        """
        ...

    async def run(
        self, argv: Sequence[str], *, user: str = "", cwd: str = "", timeout: float
    ) -> ExecResult:
        """Run a program outside the model's shell, also while the model's command is running; for
        graders.

        It gets the environment the sandbox started with, and no alias, function, variable, option
        or directory of the model's shell. The files are the model's: a program that the model
        replaced stays replaced. Whatever it leaves behind is killed.

        Args:
            argv: program and arguments. Its stdin is empty.
            user: account to run as; empty: the sandbox's own. Embedded sandboxes have one only.
            cwd: absolute path; empty: `spec.working_dir`.
            timeout: seconds.

        Returns:
            How it ended; exit code 126 when `user` or `cwd` cannot be used, 127 when there is no
            such program. `background` and `state_lost` are always False.

        Raises:
            FileRefused: the sandbox is frozen.
        """
        ...

    async def write_stdin(self, data: bytes) -> bool:
        """Write to the terminal of the running command; False when it has none, or no room."""
        ...

    async def terminal_reader(self) -> TerminalReader | None:
        """The program of the running command that waits for terminal input, if there is one."""
        ...

    async def interrupt(self) -> bool:
        """End the running command as its timeout would; False when none is running."""
        ...

    async def read_file(self, path: str, *, max_bytes: int | None = None) -> bytes:
        """Content of a regular file, at most `max_bytes` of it.

        `path` is text as `core.base.path_codec` encodes it; a relative one is based on the carried
        cwd.

        Raises:
            FileRefused: it is missing, a directory, a device, or not readable.
        """
        ...

    async def write_file(self, path: str, data: bytes, *, exclusive: bool = False) -> None:
        """Write a regular file, and create its parent directories; keeps mode and owner of an
        existing file and follows symbolic links.

        Raises:
            FileRefused: it cannot be written, or exists and `exclusive` is set.
        """
        ...

    async def stat(self, path: str) -> FileEntry | None:
        """The entry at `path`, links followed; None if there is none."""
        ...

    async def list_files(self, path: str, *, limit: int = MAX_LISTED_FILES) -> Listing:
        """Everything below `path` (excluded), links not followed, up to `limit` entries."""
        ...

    async def changed_files(self, path: str, before: Listing) -> Listing:
        """The listing of `path` now; `before` is the previous one, and may save work."""
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
        """Copy the content of the directory `path`, or the one file at `path`, into the host
        folder `target` (made if missing).

        Regular files and folders only: links, devices and names that lead out of `target` are left
        behind, setuid bits dropped, count and size capped. Files are written to a fresh folder and
        then moved into place; existing files are never replaced (the name gets a number).

        Returns:
            A sentence for each entry left behind.
        """
        ...

    async def freeze(self) -> None:
        """Suspend all processes (docker pause)."""
        ...

    async def thaw(self) -> None:
        """Resume all processes."""
        ...

    async def snapshot(self, tag: str, *, max_bytes: int) -> tuple[str, int]:
        """Save the file system and the shell state; all processes are suspended meanwhile.

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
        """Remove a snapshot that this kind of sandbox took; False when there is none.

        Raises:
            SandboxError: it cannot be removed.
        """
        ...

    async def leave(self) -> None:
        """Let go of the sandbox without removing it: another program may `reattach` it until the
        grace period is over. Background processes keep running if `outlives`."""
        ...

    async def close(self) -> None:
        """End all processes and remove the sandbox. Safe to call twice, and after a loss."""
        ...
