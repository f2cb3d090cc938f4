"""The terminals of a pane, in the order of their tabs."""

from __future__ import annotations

from dataclasses import dataclass

from sandbox_tui.core.events.run_state import MIRROR
from sandbox_tui.core.events.types import InputAwaited
from sandbox_tui.tui.widgets.terminal.tabs import Tab
from sandbox_tui.tui.widgets.terminal.used_rows import is_blank
from sandbox_tui.tui.widgets.terminal.view import TerminalView


@dataclass(slots=True)
class OpenTerminal:
    """A terminal of the pane.

    Attributes:
        view: its widget.
        ended: whether its program has ended.
        unseen: whether it has output that has not been shown yet.
        closing: whether its tab is removed once its program has ended.
    """

    view: TerminalView
    ended: bool = False
    unseen: bool = False
    closing: bool = False


class OpenTerminals(dict[str, OpenTerminal]):
    """Terminals by name: the mirror, then the user's shells.

    Args:
        live: whether the run is active; otherwise it is a recording.

    Attributes:
        shown: name of the visible terminal.
        chosen: the one that the user chose; None before that.
        visited: the shell that is in front of the mirror only while it has the keyboard.
    """

    def __init__(self, *, live: bool) -> None:
        super().__init__()
        self.shown = MIRROR
        self.chosen: str | None = None
        self.visited: str | None = None
        self._live = live

    @property
    def names(self) -> list[str]:
        """The names of all terminals with a tab. A recording may have nothing in the mirror, which
        then needs none beside others."""
        if self._live or self.shown == MIRROR or not self._is_empty(MIRROR):
            return list(self)
        return [name for name in self if name != MIRROR]

    @property
    def preferred(self) -> str:
        """The terminal to show in a recording: the user's choice, otherwise the first one that is
        not empty."""
        if self.chosen is not None and self.chosen in self:
            return self.chosen
        return next((name for name in self if not self._is_empty(name)), MIRROR)

    def _is_empty(self, name: str) -> bool:
        return is_blank(self[name].view.emulator)

    @property
    def ended(self) -> set[str]:
        """The terminals whose programs have ended."""
        return {name for name, terminal in self.items() if terminal.ended}

    @property
    def shells(self) -> list[str]:
        """The shells that have not ended, the visible one first."""
        alive = [name for name in self if name != MIRROR and not self[name].ended]
        return sorted(alive, key=lambda name: name != self.shown)

    def show(self, name: str) -> bool:
        """Show one terminal and hide the others; return whether it takes over the focus."""
        before = self.get(self.shown)
        self.shown = name
        self[name].unseen = False
        for other, terminal in self.items():
            terminal.view.set_class(other == name, "-shown")
        return before is not None and before is not self[name] and before.view.has_focus

    def visit(self, name: str) -> None:
        """Put a shell in front of the mirror while it has the keyboard, unless another shell was in
        front already."""
        self.visited = name if self.shown == MIRROR else None

    def why_not_typed_into(self, awaited: InputAwaited | None) -> str:
        """Why the visible terminal takes no keys; empty if it does.

        Args:
            awaited: what the running command waits for.
        """
        if self.shown == MIRROR:
            waits = awaited is not None and awaited.answerable
            return "" if waits else "no command waits for input"
        return "this shell has ended" if self.shown in self.ended else ""

    def name_of(self, view: TerminalView) -> str | None:
        """Return the name of a view's terminal; None once its tab has been removed."""
        return next((name for name, terminal in self.items() if terminal.view is view), None)

    def remove(self, name: str) -> TerminalView:
        """Remove a terminal; if it was visible, show the one before it."""
        if name == self.shown:
            self.shown = self.names[self.names.index(name) - 1]
        return self.pop(name).view

    def tabs(self, *, closable: bool, awaits_input: bool) -> tuple[Tab, ...]:
        """Return the tabs of the terminals.

        Args:
            closable: whether shells can be closed.
            awaits_input: whether the command in the mirror waits for input.
        """
        return tuple(
            Tab(
                name=name,
                shown=name == self.shown,
                ended=terminal.ended,
                closable=closable and name != MIRROR,
                sign="waits"
                if awaits_input and name == MIRROR != self.shown
                else "unseen"
                if terminal.unseen
                else "",
            )
            for name, terminal in ((name, self[name]) for name in self.names)
        )
