"""The terminal pane: the mirror of what runs in the sandbox, and a person's shells, as tabs."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Container
from textual.message import Message

from ...core.terminal.screen import Screen as Emulator
from ...core.text import clean_line
from .terminal_view import TerminalView

MIRROR = "model"


class Terminals(Container):
    """One TerminalView for each terminal of the run; one of them is seen.

    Args:
        live: whether sizes follow the pane (live) or the recording (replay).
    """

    DEFAULT_CSS = """
    Terminals TerminalView { display: none; height: 1fr; }
    Terminals TerminalView.-shown { display: block; }
    """

    class Typed(Message):
        """A person typed into a shell."""

        def __init__(self, terminal: str, data: bytes) -> None:
            super().__init__()
            self.terminal = terminal
            self.data = data

    class Resized(Message):
        """A terminal has another size on the screen (cells)."""

        def __init__(self, terminal: str, columns: int, rows: int) -> None:
            super().__init__()
            self.terminal = terminal
            self.columns = columns
            self.rows = rows

    class Released(Message):
        """A person gave the keyboard back."""

    def __init__(self, *, live: bool, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._live = live
        self._emulators: dict[str, Emulator] = {}
        self._views: dict[str, TerminalView] = {}
        self._shown = MIRROR

    def compose(self) -> ComposeResult:
        """The mirror; shells are added as they are opened."""
        yield self._make(MIRROR, 80, 24)

    def on_mount(self) -> None:
        """Begin with the mirror."""
        self.switch(MIRROR)

    @property
    def shown(self) -> str:
        """Name of the terminal that is seen."""
        return self._shown

    @property
    def view(self) -> TerminalView:
        """The terminal that is seen."""
        return self._views[self._shown]

    @property
    def names(self) -> list[str]:
        """All terminals, the mirror first."""
        return list(self._views)

    def opened(self, name: str, columns: int, rows: int) -> None:
        """A terminal appeared, or the recording says how large it is."""
        if name not in self._views:
            self.mount(self._make(name, columns, rows))
        elif not self._live or name not in self._emulators:
            self._emulators[name].resize(columns, rows)
        self._titles()

    def closed(self, name: str) -> None:
        """A shell has ended: what it showed stays, the keyboard comes back."""
        view = self._views.get(name)
        if view is not None and view.attached:
            view.attached = False
            self.post_message(self.Released())
        self._titles()

    def resized(self, name: str, columns: int, rows: int) -> None:
        """The recording says that a terminal has another size."""
        if not self._live and name in self._emulators:
            self._emulators[name].resize(columns, rows)
            self._views[name].refresh()

    async def feed(self, name: str, data: bytes) -> None:
        """Show output; waits while the terminal is far behind."""
        view = self._views.get(name)
        if view is not None:
            view.feed(data)
            await view.drain()

    def replace(self, emulators: dict[str, Emulator]) -> None:
        """Show these terminals, as they were at another moment."""
        for name, emulator in emulators.items():
            self._emulators[name] = emulator
            if name in self._views:
                self._views[name].show(emulator)
            else:
                self.mount(self._make(name, emulator.columns, emulator.lines))
                self._views[name].show(emulator)
        for name in [n for n in self._views if n not in emulators and n != MIRROR]:
            self._views.pop(name).remove()
            self._emulators.pop(name, None)
        self.switch(self._shown if self._shown in self._views else MIRROR)

    def switch(self, name: str) -> None:
        """Show this terminal."""
        if name not in self._views:
            return
        self._shown = name
        for other, view in self._views.items():
            view.set_class(other == name, "-shown")
        self._titles()

    def on_terminal_view_typed(self, event: TerminalView.Typed) -> None:
        """Say which terminal was typed into."""
        event.stop()
        self.post_message(self.Typed(self._shown, event.data))

    def on_terminal_view_resized(self, event: TerminalView.Resized) -> None:
        """Say which terminal has another size."""
        event.stop()
        name = next((n for n, view in self._views.items() if view is event.control), None)
        if name is not None:
            self.post_message(self.Resized(name, event.columns, event.rows))

    def on_terminal_view_released(self, event: TerminalView.Released) -> None:
        """The keyboard is free again."""
        event.stop()
        self._titles()
        self.post_message(self.Released())

    def _make(self, name: str, columns: int, rows: int) -> TerminalView:
        emulator = Emulator(columns, rows)
        view = TerminalView(emulator, fit=self._live)
        self._emulators[name] = emulator
        self._views[name] = view
        return view

    def _titles(self) -> None:
        shown = [f"‹{n}›" if n == self._shown else n for n in map(clean_line, self._views)]
        self.border_title = " │ ".join(shown)
        self.refresh_subtitle()

    def refresh_subtitle(self) -> None:
        """Say at the border how to get back, where keys go, or that the end is followed."""
        view = self._views.get(self._shown)
        if view is None:
            return
        if view.attached:
            words = "keys go to the sandbox · ctrl+] gives them back"
        else:
            words = "following ↓" if view.following else "↓ new below · end follows"
        if self.border_subtitle != words:
            self.border_subtitle = words
        self.set_class(view.attached, "-attached")
