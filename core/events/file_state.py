"""A file of the sandbox, as described by events: its last change and its earlier contents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, runtime_checkable

from sandbox_tui.core.events import types as e

Content = tuple[int, str | None]
"""The step at which a file got some content, and the content's digest if it is stored."""


@runtime_checkable
class ExtendableHistory(Protocol):
    """A history that can be extended without copying."""

    def extended_by(self, content: Content) -> Sequence[Content]:
        """Return this history extended by one content."""
        ...


@dataclass(slots=True)
class FileState:
    """A path in the sandbox.

    Attributes:
        last: its last change (deleted files are kept, so that the screen can show them as deleted).
        run_mark: its change since the start of the run; None if there is none, or if it was created
            and deleted since.
        step: step of its last change.
        by: who made that change.
        history: (step, digest) of every content that was stored, oldest first.
    """

    last: e.FileChange
    run_mark: Literal["created", "modified", "deleted"] | None
    step: int
    by: e.Actor
    history: Sequence[Content] = field(default_factory=list[Content])

    @property
    def created_and_deleted(self) -> bool:
        """Whether the run both created and deleted it."""
        return self.last.change == "deleted" and self.run_mark is None


def lengthened(history: Sequence[Content], content: Content) -> Sequence[Content]:
    if isinstance(history, list | tuple) or not isinstance(history, ExtendableHistory):
        return [*history, content]  # checked first: isinstance with a protocol is slow
    return history.extended_by(content)


def run_mark(
    known: FileState | None, change: e.FileChange
) -> Literal["created", "modified", "deleted"] | None:
    """Return how a path differs from the start of the run, given its state before this change."""
    at_start = known is not None and known.run_mark != "created" and not known.created_and_deleted
    if change.change == "deleted":
        return "deleted" if at_start or known is None else None
    return "modified" if at_start else "created"
