"""What a person says and does."""

from __future__ import annotations

from typing import Literal

from sandbox_tui.core.events.kinds.base import Event
from sandbox_tui.core.events.kinds.values import Actor, Mode


class HumanMessage(Event, frozen=True, kw_only=True):
    """A person's message for the model; it waits for the next request."""

    id: int
    text: str


class HumanCommand(Event, frozen=True, kw_only=True):
    """A person's command in the model's own shell.

    Attributes:
        id: 1, 2, 3 ... among the run's human messages and commands.
        told_to_model: whether command and output go into the conversation.
    """

    id: int
    command: str
    told_to_model: bool


class HumanCommandStarted(Event, frozen=True, kw_only=True):
    """A person's command started."""

    id: int


class HumanCommandFinished(Event, frozen=True, kw_only=True):
    """A person's command ended. Fields as in `CallFinished`."""

    id: int
    observation: str
    exit_code: int | None
    duration: float
    timed_out: bool = False
    background: bool = False


class HumanFile(Event, frozen=True, kw_only=True):
    """A person copied a file or folder out of the sandbox or into it, or edited a file.

    Attributes:
        id: among the run's human messages and commands.
        action: what was done.
        path: in the sandbox, as `core.base.path_codec` writes it.
        host: the host's side: the folder it was copied into, or what was copied in.
        told_to_model: whether the model is told.
        diff: what the person changed, as a unified diff (bounded).
        left_behind: a sentence for each thing that was not copied.
    """

    id: int
    action: Literal["pull", "push", "edit"]
    path: str
    told_to_model: bool
    host: str | None = None
    diff: str = ""
    left_behind: tuple[str, ...] = ()


class Delivered(Event, frozen=True, kw_only=True):
    """Queued messages went into the conversation, in this order."""

    step: int
    ids: tuple[int, ...]
    text: str


class Withdrawn(Event, frozen=True, kw_only=True):
    """A queued message was cancelled before the model saw it."""

    id: int


class Reworded(Event, frozen=True, kw_only=True):
    """A queued message, or a command that has not begun, was edited."""

    id: int
    text: str


class ModeChanged(Event, frozen=True, kw_only=True):
    """The run mode changed; see `Mode`."""

    mode: Mode
    by: Actor = "human"


class RuleGranted(Event, frozen=True, kw_only=True):
    """A person allowed calls like this one for the rest of the run.

    Attributes:
        tool: the tool's name.
        pattern: as `policy.granted_rules` reads it.
    """

    tool: str
    pattern: str
