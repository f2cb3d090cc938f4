"""What a sandbox is, for the rest of the program.

Two kinds of channel lead into one: *exec*, where commands run one after the other in a shell state
that is carried from call to call (cwd, exported variables, functions), and *control*, stateless
and separate, on which files are read, written and listed while a command is still running.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

Stream = Literal["stdout", "stderr"]

Size = tuple[int, int]
"""Columns and rows of a terminal."""

OutputSink = Callable[[Stream, bytes], Awaitable[None]]
"""Gets output as it comes; while it waits, reading stops, so a flood is held back at its source."""

LISTED_FILES = 100_000
"""Most files that are listed, followed and shown of one sandbox."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxSpec:
    """What a run asks of its sandbox.

    Attributes:
        session_id: the run's id, written on everything the sandbox leaves on the host.
        image: container image (docker only).
        network: bridge (outgoing connections), none, or auto: bridge in Docker, none elsewhere.
        memory: bytes, or None for the default (2 GiB in Docker).
        cpus: number of CPUs, or None for all.
        pids: most processes at once.
        working_dir, input_dir, output_dir: absolute paths, made if missing.
        environment: extra variables for commands; nothing of the host's environment goes in.
        grace: seconds a sandbox outlives a program that was killed.
        snapshot: name of the snapshot to begin from; empty: from the image, or empty folders.
    """

    session_id: str
    image: str = ""
    network: Literal["auto", "bridge", "none"] = "auto"
    memory: int | None = None
    cpus: float | None = None
    pids: int = 512
    working_dir: str = "/testbed"
    input_dir: str = "/testbed/input"
    output_dir: str = "/testbed/output"
    environment: dict[str, str] = field(default_factory=dict[str, str])
    grace: float = 120.0
    snapshot: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecResult:
    """How a command ended.

    Attributes:
        exit_code: of the command; 128 + n when signal n ended it; None when it was never learnt.
        stdout, stderr: what it wrote, up to the channel's cap (16 MiB each).
        stdout_bytes, stderr_bytes: what it wrote in full.
        duration: seconds.
        timed_out: the time limit ended it.
        interrupted: `interrupt` ended it.
        background: processes it started are still alive.
        state_lost: the shell state could not be saved (the command killed its shell); the next
            command starts from the state before this one.
        begun: it is known to have been started.
        out_of_memory: it was killed because the sandbox has no more memory than it has.
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
    out_of_memory: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TerminalReader:
    """A program of the running command that waits for what is typed into its terminal.

    Attributes:
        program: its name.
        hidden: the terminal does not show what is typed, as for a password.
    """

    program: str
    hidden: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class FileEntry:
    """One path as a listing shows it. `path` is bytes, absolute; `size` is 0 unless a file."""

    path: bytes
    kind: Literal["file", "dir", "link", "other"]
    size: int
    mode: int
    mtime: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """The files below a directory; `complete` is False when there were more than asked for."""

    entries: dict[bytes, FileEntry]
    complete: bool = True


class Shell(Protocol):
    """A person's interactive shell in the sandbox, on a pseudo-terminal of its own."""

    def output(self) -> AsyncIterator[bytes]:
        """What the terminal prints, until the shell ends."""
        ...

    async def write(self, data: bytes) -> None:
        """Type `data`."""
        ...

    async def resize(self, cols: int, rows: int) -> None:
        """Tell the programs inside the new size; never raises for a shell that has ended."""
        ...

    async def hides_input(self) -> bool:
        """Whether a program reads a line without showing what is typed, as for a password.

        Raises:
            SandboxError: it cannot be told.
        """
        ...

    async def close(self) -> int | None:
        """End the shell (hang up, then kill) and return its exit code where known."""
        ...


class Sandbox(Protocol):
    """A computer for the model. All methods raise `SandboxLost` once it is gone.

    Attributes:
        kind: `docker` or `bubblewrap`.
        spec: what was asked for.
        info: what it is, as text to show (image, container, network, limits). Filled by `start`.
    """

    kind: str
    spec: SandboxSpec
    info: dict[str, str]

    def say_what_is_waited_for(self, tell: Callable[[str], None] | None) -> None:
        """From now on wait for a sandbox that cannot be reached for a while, and tell the person;
        None: wait for nothing any more, as in the beginning."""
        ...

    async def start(self) -> None:
        """Make the sandbox and its three directories.

        Raises:
            SandboxUnavailable: it cannot be made here (ImageMissing: only the image is missing).
        """
        ...

    async def adopt(self) -> None:
        """Instead of `start`: take over the sandbox that a program which is gone made for
        `spec.session_id`, with its files and its shell state. What was running in the foreground
        is ended; what was left in the background goes on where the sandbox allows it.

        Raises:
            SandboxLost: it is gone, saying why; or it belongs to a program that lives.
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
        """Run `command` with bash in the carried shell state; callers take turns, in order.

        A command past its `timeout` (seconds) is ended by INT, TERM and KILL within 2 s more; what
        it printed is kept. Cancelling the coroutine ends the command likewise.

        With a `tty` of that size it runs on a terminal of its own: all it prints, escape codes and
        all, is then `stdout`, and its stdin is what is typed with `type`.
        """
        ...

    async def type(self, data: bytes) -> bool:
        """Type into the terminal of the running command; False when nothing can be typed there."""
        ...

    async def terminal_reader(self) -> TerminalReader | None:
        """The program of the running command that waits for a terminal's input, if there is one."""
        ...

    async def interrupt(self) -> bool:
        """End the running command as a timeout would; False when none is running."""
        ...

    async def read_file(self, path: str, *, max_bytes: int | None = None) -> bytes:
        """Content of a regular file, at most `max_bytes` of it.

        `path` is text as `core.paths` writes it, relative to the carried cwd if not absolute.

        Raises:
            FileRefused: it is missing, a directory, a device, or not readable.
        """
        ...

    async def write_file(self, path: str, data: bytes, *, exclusive: bool = False) -> None:
        """Write a regular file, byte for byte, making its parent directories; keeps mode and owner
        of an existing one and follows symbolic links.

        Raises:
            FileRefused: it cannot be written, or exists and `exclusive` is set.
        """
        ...

    async def stat(self, path: str) -> FileEntry | None:
        """The entry at `path` (links followed), or None if there is none."""
        ...

    async def list_files(self, path: str, *, limit: int = LISTED_FILES) -> Listing:
        """Everything below `path` (itself left out), links not followed, up to `limit` entries."""
        ...

    async def changed_files(self, path: str, before: Listing) -> Listing:
        """The listing of `path` now; `before` is the last one and may be used to do less work."""
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

        Regular files and folders only: links, devices and names that would leave `target` are left
        behind, setuid bits dropped, count and size capped. Written to a fresh folder first, then
        moved into place, never replacing a file that is there (a number is added to the name).

        Returns:
            A sentence for each thing left behind.
        """
        ...

    async def freeze(self) -> None:
        """Stop all processes where they are (docker pause)."""
        ...

    async def thaw(self) -> None:
        """Let them go on."""
        ...

    async def snapshot(self, tag: str, *, most_bytes: int) -> tuple[str, int]:
        """Keep the file system and the shell state as they are; everything stands still meanwhile.

        Args:
            tag: one word, new among the session's snapshots.
            most_bytes: of what it may take.

        Returns:
            Its name for `SandboxSpec.snapshot`, and the bytes it takes.

        Raises:
            SandboxError: it cannot be kept; the sandbox goes on.
            FileRefused: the sandbox is frozen.
        """
        ...

    async def close(self) -> None:
        """End everything inside and remove the sandbox. Safe to call twice, and after a loss."""
        ...
