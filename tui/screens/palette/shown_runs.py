"""Which runs the open screens show, so that neither news nor the palette have to point to them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from textual.screen import Screen

if TYPE_CHECKING:
    from sandbox_tui.sessions import Store


@runtime_checkable
class ShowsSession(Protocol):
    """A screen about one session; if that is a live run, the screen itself tells what is new."""

    @property
    def session(self) -> tuple[Store, str]:
        """The store, and the session's id."""
        ...


@runtime_checkable
class ShowsRuns(Protocol):
    """A screen that shows several runs side by side."""

    def shows_run(self, run_id: str) -> bool:
        """Return whether a run is one of them."""
        ...


def is_shown(run_id: str, stack: Sequence[Screen[Any]]) -> bool:
    """Return whether the screens, of which the last one is visible, tell what is new about a run: a
    live run tells it even while another screen covers it."""
    sessions: Iterable[ShowsSession] = (one for one in stack if isinstance(one, ShowsSession))
    if any(one.session[1] == run_id for one in sessions):
        return True
    return bool(stack) and isinstance(stack[-1], ShowsRuns) and stack[-1].shows_run(run_id)


def without_dialogs(stack: Sequence[Screen[Any]]) -> list[Screen[Any]]:
    """Return the screens below the dialogs."""
    return [screen for screen in stack if not screen.is_modal]
