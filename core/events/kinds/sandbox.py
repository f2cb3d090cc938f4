"""Events in the sandbox: terminals, files, freezing, snapshots."""

from __future__ import annotations

from sandbox_tui.core.events.kinds.base import Event
from sandbox_tui.core.events.kinds.values import Actor, FileChange


class TerminalOpened(Event, frozen=True, kw_only=True):
    """A terminal was opened. `terminal` is `model` (the mirror) or `shell`, `shell-2` ..."""

    terminal: str
    cols: int
    rows: int


class TerminalOutput(Event, frozen=True, kw_only=True):
    """Output bytes of a terminal."""

    terminal: str
    data: bytes


class TerminalInput(Event, frozen=True, kw_only=True):
    """Bytes typed into a terminal.

    Attributes:
        hidden: the terminal did not echo them, as for a password: `data` has a star for each
            character, and the input itself is not recorded.
    """

    terminal: str
    data: bytes
    by: Actor = "human"
    hidden: bool = False


class TerminalResized(Event, frozen=True, kw_only=True):
    """A terminal was resized, to a size in cells."""

    terminal: str
    cols: int
    rows: int


class TerminalClosed(Event, frozen=True, kw_only=True):
    """A terminal's program ended."""

    terminal: str
    exit_code: int | None = None


class InputAwaited(Event, frozen=True, kw_only=True):
    """The running command is silent and waits for terminal input.

    Attributes:
        program: name of the program that reads.
        hidden: the terminal does not echo its input, as for a password.
        answerable: whether the user can type there (the run is in tty mode).
    """

    program: str
    hidden: bool = False
    answerable: bool = False


class FilesListed(Event, frozen=True, kw_only=True):
    """All paths of the working directory at the start of a run (every change is `created`)."""

    files: tuple[FileChange, ...]


class FilesChanged(Event, frozen=True, kw_only=True):
    """Changes to files since the previous event of this kind.

    Attributes:
        step: the step it is attributed to (0 before the first).
        by: who made the changes, as far as known.
        call: the call after which the changes were detected, or None.
    """

    step: int
    changes: tuple[FileChange, ...]
    by: Actor = "model"
    call: int | None = None


class SandboxFrozen(Event, frozen=True, kw_only=True):
    """All processes in the sandbox were stopped."""

    by: Actor = "human"


class SandboxThawed(Event, frozen=True, kw_only=True):
    """The sandbox's processes continue."""

    by: Actor = "human"


class SnapshotTaken(Event, frozen=True, kw_only=True):
    """A snapshot of the sandbox's file system and shell state was taken.

    Attributes:
        step: the step after which it was taken.
        image: name of the snapshot, as in `SandboxSpec.snapshot`.
        size: bytes it takes up beyond the image it shares.
        at: the last event whose changes it contains.
        seconds: how long it took.
    """

    step: int
    image: str
    size: int = 0
    at: int = 0
    seconds: float = 0.0
