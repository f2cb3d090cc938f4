"""Events for what the user says and does."""

from __future__ import annotations

from typing import Literal

from sandbox_tui.core.events.kinds.base import Event
from sandbox_tui.core.events.kinds.values import Actor, Mode


class HumanMessage(Event, frozen=True, kw_only=True):
    """The user sent the model a message; it waits for the next request."""

    id: int
    text: str


class HumanCommand(Event, frozen=True, kw_only=True):
    """The user entered a command for the model's own shell.

    Attributes:
        id: 1, 2, 3 ... across the run's user messages and commands.
        told_to_model: whether the command and its output go into the conversation.
    """

    id: int
    command: str
    told_to_model: bool


class HumanCommandStarted(Event, frozen=True, kw_only=True):
    """A user's command started."""

    id: int


class HumanCommandFinished(Event, frozen=True, kw_only=True):
    """A user's command ended. Fields as in `CallFinished`."""

    id: int
    observation: str
    exit_code: int | None
    duration: float
    timed_out: bool = False
    background: bool = False


class HumanFile(Event, frozen=True, kw_only=True):
    """The user copied a file or folder out of or into the sandbox, or edited a file.

    Attributes:
        id: id in the same sequence as user messages and commands.
        action: what was done.
        path: path in the sandbox, in the encoding of `core.base.path_codec`.
        host: path on the host: the target folder of a copy out, or the source of a copy in.
        told_to_model: whether the model is told.
        diff: the user's changes, as a unified diff (limited in length).
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
    """Queued messages were added to the conversation, in this order."""

    step: int
    ids: tuple[int, ...]
    text: str


class Withdrawn(Event, frozen=True, kw_only=True):
    """A queued message was cancelled before the model saw it."""

    id: int


class Reworded(Event, frozen=True, kw_only=True):
    """A queued message, or a command that had not started, was edited."""

    id: int
    text: str


class ModeChanged(Event, frozen=True, kw_only=True):
    """The run mode changed; see `Mode`."""

    mode: Mode
    by: Actor = "human"


class RuleGranted(Event, frozen=True, kw_only=True):
    """The user allowed similar calls for the rest of the run.

    Attributes:
        tool: the tool's name.
        pattern: a pattern for `policy.granted_rules`.
        call: the call that waited then; None if the user allowed it from another run, and in events
            of earlier versions.
    """

    tool: str
    pattern: str
    call: int | None = None


class RuleRevoked(Event, frozen=True, kw_only=True):
    """The user no longer allows what they allowed during the run; see `RuleGranted`."""

    tool: str
    pattern: str
