"""The terminal pane: the mirror of what runs in the sandbox, and a person's shells, as tabs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.content import Content
from textual.message import Message

from ...core.events import InputAwaited
from ...core.state import MIRROR, RunState
from ...core.terminal.base import Terminal as Emulator
from ...core.terminal.screen import Screen
from ...core.text import clean_line
from ..keymap import hint
from ..palette import palette_of
from ..terminal_engine import live_terminal
from .terminal_input import RELEASE_SHOWN
from .terminal_search import TerminalSearch
from .terminal_tabs import Tab, title_of
from .terminal_view import TerminalView


class Terminals(Container):
    """One TerminalView for each terminal of the run; one of them is seen.

    The tabs are in the border: no line is lost to them, however small the pane.

    Args:
        live: whether sizes follow the pane (live) or the recording (replay), and shells can be
            opened and closed.
    """

    DEFAULT_CSS = """
    Terminals { layers: terminals search; }
    Terminals TerminalView { layer: terminals; display: none; height: 1fr; }
    Terminals TerminalView.-shown { display: block; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "search", "Search the terminal", show=False, id="terminals.search"),
        Binding("n", "again(1)", "Next place", show=False, id="terminals.next"),
        Binding("N", "again(-1)", "Previous place", show=False, id="terminals.previous"),
        Binding("escape", "end_search", "Close the search", show=False, id="terminals.end_search"),
        Binding("y", "copy", "Copy what is selected", show=False, id="terminals.copy"),
        Binding("enter", "attach", "Type into this terminal", show=False, id="terminals.type"),
        Binding(
            "left_square_bracket",
            "next_tab(-1)",
            "Previous tab",
            show=False,
            id="terminals.previous_tab",
        ),
        Binding(
            "right_square_bracket", "next_tab(1)", "Next tab", show=False, id="terminals.next_tab"
        ),
        Binding("plus", "new_shell", "Another shell", show=False, id="terminals.new_shell"),
        Binding(
            "delete", "close_shown", "Close this shell", show=False, id="terminals.close_shell"
        ),
    ]

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

    class ShellWanted(Message):
        """A person asks for another shell."""

    class EndWanted(Message):
        """A person closes a shell that has not ended."""

        def __init__(self, terminal: str) -> None:
            super().__init__()
            self.terminal = terminal

    def __init__(self, *, live: bool, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._live = live
        self._emulators: dict[str, Emulator] = {}
        self._views: dict[str, TerminalView] = {}
        self._shown = MIRROR
        self._unseen: set[str] = set()
        self._ended: set[str] = set()
        self._going: set[str] = set()
        self._awaited: InputAwaited | None = None
        self._tabs_shown: object = None

    def compose(self) -> ComposeResult:
        """The mirror; shells are added as they are opened."""
        yield self._make(MIRROR, 80, 24)
        yield TerminalSearch(id="terminal-search")

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

    @property
    def shells(self) -> list[str]:
        """The shells that have not ended, the one that is seen first."""
        alive = [name for name in self._views if name != MIRROR and name not in self._ended]
        return sorted(alive, key=lambda name: name != self._shown)

    # --- what the run says

    def opened(self, name: str, columns: int, rows: int) -> None:
        """A terminal appeared, or the recording says how large it is."""
        if name not in self._views:
            self._add(name, columns, rows)
        elif not self._live or name not in self._emulators:
            self._emulators[name].resize(columns, rows)
        self._draw_tabs()

    def closed(self, name: str) -> None:
        """A shell has ended: what it showed stays, unless a person closed it."""
        view = self._views.get(name)
        if view is not None and view.attached:
            view.release()
        self._ended.add(name)
        if name in self._going:
            self._remove(name)
        self._draw_tabs()

    def resized(self, name: str, columns: int, rows: int) -> None:
        """The recording says that a terminal has another size."""
        if not self._live and name in self._emulators:
            self._emulators[name].resize(columns, rows)
            self._views[name].refresh()

    async def feed(self, name: str, data: bytes) -> None:
        """Show output; waits while the terminal is far behind."""
        view = self._views.get(name)
        if view is None:
            return
        view.feed(data)
        if name != self._shown and name not in self._unseen:
            self._unseen.add(name)
            self._draw_tabs()
        await view.drain()

    def sync(self, state: RunState) -> None:
        """Say when the running command waits for input; once nothing runs, nobody can answer."""
        self._awaited = state.awaited
        mirror = self._views.get(MIRROR)
        if mirror is not None and mirror.attached and not state.busy:
            mirror.release()
        self._draw_tabs()
        self.refresh_subtitle()

    def replace(self, emulators: Mapping[str, Emulator]) -> None:
        """Show these terminals, as they were at another moment."""
        for name, emulator in emulators.items():
            if name not in self._views:
                self._add(name, emulator.columns, emulator.lines)
            self._emulators[name] = emulator
            self._views[name].show(emulator)
        for name in [n for n in self._views if n not in emulators and n != MIRROR]:
            self._views.pop(name).remove()
            self._emulators.pop(name, None)
        self._ended.clear()
        self._unseen.clear()
        self.switch(self._shown if self._shown in self._views else MIRROR)

    # --- tabs

    def switch(self, name: str) -> None:
        """Show this terminal."""
        if name not in self._views:
            return
        if name != self._shown and self.query_one(TerminalSearch).display:
            self._close_search()
        self._shown = name
        self._unseen.discard(name)
        for other, view in self._views.items():
            view.set_class(other == name, "-shown")
        self._draw_tabs()
        self.refresh_subtitle()

    def action_show_tab(self, index: int) -> None:
        """Show a terminal by its place, and give it the keyboard."""
        names = self.names
        if 0 <= index < len(names):
            self.switch(names[index])
            self.call_after_refresh(self.view.focus)

    def action_next_tab(self, direction: int) -> None:
        """Go round the tabs."""
        names = self.names
        self.action_show_tab((names.index(self._shown) + direction) % len(names))

    def action_new_shell(self) -> None:
        """Ask for another shell."""
        self.post_message(self.ShellWanted())

    def action_close_shown(self) -> None:
        """Close the tab that is seen."""
        self.action_close_tab(self.names.index(self._shown))

    def action_close_tab(self, index: int) -> None:
        """End a shell and take its tab away; the mirror stays."""
        names = self.names
        if not 0 < index < len(names):
            return
        if names[index] in self._ended:
            self._remove(names[index])
        else:
            self._going.add(names[index])
            self.post_message(self.EndWanted(names[index]))

    def _remove(self, name: str) -> None:
        names = self.names
        view = self._views.pop(name)
        self._emulators.pop(name, None)
        self._going.discard(name)
        self._unseen.discard(name)
        had_keyboard = view.has_focus
        if name == self._shown:
            self._shown = names[names.index(name) - 1]
        view.remove()
        self.switch(self._shown)
        if had_keyboard:
            self.call_after_refresh(self.view.focus)

    def _draw_tabs(self) -> None:
        """Write the tabs into the border, where something about them is new."""
        if not self.is_attached:
            return
        tabs = tuple(self._tab(name) for name in self._views)
        palette = palette_of(self)
        if self._tabs_shown != (tabs, palette):
            self._tabs_shown = (tabs, palette)
            self.border_title = title_of(tabs, palette, more=self._live and len(tabs) > 1)

    def _tab(self, name: str) -> Tab:
        here, mirror = name == self._shown, name == MIRROR
        waits = mirror and not here and self._live and self._awaited is not None
        return Tab(
            name=name,
            shown=here,
            ended=name in self._ended,
            closable=self._live and not mirror,
            sign="waits" if waits else "unseen" if name in self._unseen else "",
        )

    # --- keyboard

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Keys that mean nothing at the moment are left to whoever else has them."""
        match action:
            case "again" | "end_search":
                return self._shown in self._views and self.view.searching
            case "copy":
                return self._shown in self._views and self.view.text_selection is not None
            case "attach":
                return self._can_attach()
            case "new_shell":
                return self._live
            case "close_shown":
                return self._live and self._shown != MIRROR
            case _:
                return True

    def _can_attach(self) -> bool:
        if not self._live:
            return False
        if self._shown == MIRROR:
            return self._awaited is not None and self._awaited.answerable
        return self._shown not in self._ended

    def action_attach(self) -> None:
        """Let every key go in."""
        self.view.attached = True
        self.view.focus()
        self.refresh_subtitle()

    def action_copy(self) -> None:
        """Copy what is selected."""
        if self.view.copy_selection():
            self.notify("Copied.", timeout=1.5)

    @on(TerminalView.Typed)
    def _typed(self, event: TerminalView.Typed) -> None:
        event.stop()
        name = self._name_of(event.view)
        if name is not None:
            self.post_message(self.Typed(name, event.data))

    @on(TerminalView.Resized)
    def _resized(self, event: TerminalView.Resized) -> None:
        event.stop()
        name = self._name_of(event.view)
        if name is not None:
            self.post_message(self.Resized(name, event.columns, event.rows))

    @on(TerminalView.Released)
    def _released(self, event: TerminalView.Released) -> None:
        event.stop()
        self.refresh_subtitle()
        self.post_message(self.Released())

    @on(TerminalView.FollowingChanged)
    def _following_changed(self, event: TerminalView.FollowingChanged) -> None:
        event.stop()
        self.refresh_subtitle()

    # --- search

    def action_search(self) -> None:
        """Ask what to look for, in the terminal that is seen."""
        self.query_one(TerminalSearch).open()
        self.view.cover(1)
        self.call_after_refresh(self._count)

    def action_again(self, direction: int) -> None:
        """Go to the next place, or the one before."""
        self.view.go_to_next(direction)

    def action_end_search(self) -> None:
        """Mark nothing any more, and give the keyboard back to the terminal."""
        self._close_search()
        self.view.focus()

    def _close_search(self) -> None:
        self.query_one(TerminalSearch).close()
        if self._shown in self._views:
            self.view.cover(0)
            self.view.end_search()

    @on(TerminalSearch.Wanted)
    def _search_wanted(self, event: TerminalSearch.Wanted) -> None:
        event.stop()
        self.view.search(event.text)
        self._count()

    @on(TerminalSearch.Go)
    def _search_go(self, event: TerminalSearch.Go) -> None:
        event.stop()
        self.view.go_to_next(event.direction)

    @on(TerminalSearch.Settled)
    def _search_settled(self, event: TerminalSearch.Settled) -> None:
        event.stop()
        if self.view.searching:
            self.view.focus()
            self.call_after_refresh(self._count)
        else:
            self.action_end_search()

    @on(TerminalSearch.Left)
    def _search_left(self, event: TerminalSearch.Left) -> None:
        event.stop()
        self.action_end_search()

    @on(TerminalView.Searched)
    def _searched(self, event: TerminalView.Searched) -> None:
        event.stop()
        if event.view is self.view:
            self._count()

    def _count(self) -> None:
        self.query_one(TerminalSearch).count(*self.view.search_place)

    # --- the views

    def _name_of(self, view: TerminalView) -> str | None:
        return next((name for name, other in self._views.items() if other is view), None)

    def _add(self, name: str, columns: int, rows: int) -> None:
        self.mount(self._make(name, columns, rows), before=self.query_one(TerminalSearch))

    def _make(self, name: str, columns: int, rows: int) -> TerminalView:
        emulator = live_terminal(columns, rows) if self._live else Screen(columns, rows)
        view = TerminalView(emulator, fit=self._live)
        self._emulators[name] = emulator
        self._views[name] = view
        return view

    # --- the lower border

    def refresh_subtitle(self) -> None:
        """Say at the border how to get back, what is waited for, or that the end is followed."""
        view = self._views.get(self._shown)
        if view is None:
            return
        words = self._first_that_fits(self._subtitles(view))
        says = Content(words)
        if self.border_subtitle != says.markup:
            self.border_subtitle = says
        self.set_class(view.attached, "-attached")

    def _subtitles(self, view: TerminalView) -> tuple[str, ...]:
        """What to say, shorter and shorter."""
        awaited = self._awaited
        if view.attached:
            back = f"{RELEASE_SHOWN} gives them back"
            return (
                f"keys go to the sandbox · {back}",
                f"keys go in · {back}",
                f"{RELEASE_SHOWN} back",
            )
        if awaited is not None and self._shown == MIRROR and self._live:
            what = "a password" if awaited.hidden else "input"
            keys = f"{hint('live.interrupt')} interrupts"
            if awaited.answerable:
                keys = f"{hint('terminals.type')} answers · {keys}"
            says = f"{clean_line(awaited.program)[:20]} waits for {what}"
            return (f"{says} · {keys}", f"waits for {what} · {keys}", keys)
        return ("following ↓" if view.following else "↓ new below · end follows", "↓")

    def _first_that_fits(self, choices: tuple[str, ...]) -> str:
        room = self.size.width - 4  # corners and blanks
        return next((words for words in choices if len(words) <= room), choices[-1])
