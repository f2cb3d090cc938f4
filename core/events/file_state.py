"""A file of the sandbox as the events tell of it: its last change, and its earlier contents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, runtime_checkable

from sandbox_tui.core.events import types as e

Content = tuple[int, str | None]
"""The step at which a file got a content, and its digest where it is stored."""


@runtime_checkable
class Growing(Protocol):
    """A history that grows without being copied."""

    def then(self, content: Content) -> Sequence[Content]:
        """This history and one content more."""
        ...


@dataclass(slots=True)
class FileState:
    """A path of the sandbox.

    Attributes:
        last: its last change (`deleted` ones stay, so that the screen can show them as gone).
        run_mark: what became of it since the run began; None when nothing did, or when it was made
            and deleted since.
        step: step of its last change.
        by: whose work that was.
        history: (step, digest) of every content that was kept, oldest first.
    """

    last: e.FileChange
    run_mark: Literal["created", "modified", "deleted"] | None
    step: int
    by: e.Actor
    history: Sequence[Content] = field(default_factory=list[Content])

    @property
    def came_and_went(self) -> bool:
        """Whether the run both created and deleted it."""
        return self.last.change == "deleted" and self.run_mark is None


def lengthened(history: Sequence[Content], content: Content) -> Sequence[Content]:
    if isinstance(history, list | tuple) or not isinstance(history, Growing):
        return [*history, content]  # checked first: an isinstance check of a protocol is slow
    return history.then(content)


def run_mark(
    known: FileState | None, change: e.FileChange
) -> Literal["created", "modified", "deleted"] | None:
    """How a path differs since the run began, given its state before this change."""
    at_start = known is not None and known.run_mark != "created" and not known.came_and_went
    if change.change == "deleted":
        return "deleted" if at_start or known is None else None
    return "modified" if at_start else "created"
