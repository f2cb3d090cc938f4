"""The terminal pane: the mirror of the sandbox's commands, and the user's shells, as tabs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container
from textual.content import Content
from textual.events import DescendantBlur, DescendantFocus, Resize
from textual.message import Message
from typing_extensions import override

from sandbox_tui.core.base.defaults import TERMINAL_SIZE
from sandbox_tui.core.events.run_state import MIRROR, RunState
from sandbox_tui.core.events.types import InputAwaited
from sandbox_tui.core.terminal.base import Terminal as Emulator
from sandbox_tui.core.terminal.emulator.screen import Screen
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.keys.unavailable_reasons import ExplainsUnavailable
from sandbox_tui.tui.terminal_io.emulator_backend import live_terminal
from sandbox_tui.tui.theming.palette import palette_of
from sandbox_tui.tui.widgets.terminal.open_terminals import OpenTerminal, OpenTerminals
from sandbox_tui.tui.widgets.terminal.pane_border import (
    awaited_words,
    longest_fitting,
    reading_words,
    release_hints,
)
from sandbox_tui.tui.widgets.terminal.search.search_bar import TerminalSearchBar
from sandbox_tui.tui.widgets.terminal.tabs import title_of
from sandbox_tui.tui.widgets.terminal.view import TerminalView


class TerminalPane(ExplainsUnavailable, Container):
    """One `TerminalView` for each terminal of the run; one of them is visible.

    The tabs are in the border, so they take no line from a small pane.

    Args:
        live: whether sizes follow the pane (live) or the recording (replay), and shells can be
            opened and closed.
    """

    DEFAULT_CSS = """
    TerminalPane { layers: terminals search; }
    TerminalPane TerminalView { layer: terminals; display: none; height: 1fr; }
    TerminalPane TerminalView.-shown { display: block; }
    """

    urgent_actions = ("attach",)

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("terminals.search", "search", show=False),
        binding("terminals.next", "again(1)"),
        binding("terminals.previous", "again(-1)", show=False),
        binding("terminals.end_search", "end_search", show=False),
        binding("terminals.copy", "copy", show=False),
        binding("terminals.type", "attach"),
        binding("terminals.previous_tab", "next_tab(-1)", show=False),
        binding("terminals.next_tab", "next_tab(1)", show=False),
        binding("terminals.left", "sideways(-1)", show=False),
        binding("terminals.right", "sideways(1)", show=False),
        binding("terminals.new_shell", "new_shell", show=False),
        binding("terminals.close_shell", "close_shown", show=False),
    ]

    class Typed(Message):
        """Bytes for the program in a terminal."""

        def __init__(self, terminal: str, data: bytes) -> None:
            super().__init__()
            self.terminal = terminal
            self.data = data

    class Resized(Message):
        """The size of a terminal on the screen has changed (cells)."""

        def __init__(self, terminal: str, columns: int, rows: int) -> None:
            super().__init__()
            self.terminal = terminal
            self.columns = columns
            self.rows = rows

    class ShellRequested(Message):
        """The user wants another shell."""

    class CloseRequested(Message):
        """The user closes a shell that has not ended."""

        def __init__(self, terminal: str) -> None:
            super().__init__()
            self.terminal = terminal

    def __init__(self, *, live: bool, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._live = live
        self._terminals = OpenTerminals(live=live)
        self._awaited: InputAwaited | None = None
        self._grows = live
        self._drawn_tabs: object = None

    def compose(self) -> ComposeResult:
        """Yield the mirror; shells are added when they are opened."""
        yield self._create(MIRROR, *TERMINAL_SIZE)
        yield TerminalSearchBar(id="terminal-search")

    def on_mount(self) -> None:
        """Show the mirror."""
        self._bring_up(MIRROR)

    @property
    def shown(self) -> str:
        """Name of the visible terminal."""
        return self._terminals.shown

    @property
    def view(self) -> TerminalView:
        """The visible view."""
        return self._terminals[self.shown].view

    @property
    def views(self) -> dict[str, TerminalView]:
        """All views by terminal name."""
        return {name: terminal.view for name, terminal in self._terminals.items()}

    @property
    def names(self) -> list[str]:
        """Names of all terminals, the mirror first."""
        return self._terminals.names

    @property
    def ended(self) -> set[str]:
        """The terminals whose programs have ended."""
        return self._terminals.ended

    @property
    def shells(self) -> list[str]:
        """The shells that have not ended, the visible one first."""
        return self._terminals.shells

    # --- events of the run

    def opened(self, name: str, columns: int, rows: int) -> None:
        """Add a terminal; in a recording, apply its size."""
        if name not in self._terminals:
            self._add(name, columns, rows)
        elif not self._live:
            self._terminals[name].view.emulator.resize(columns, rows)
        self._draw_tabs()

    def closed(self, name: str) -> None:
        """Mark a shell as ended; its screen stays unless the user closed its tab."""
        terminal = self._terminals.get(name)
        if terminal is None:
            return
        terminal.view.release()
        terminal.ended = True
        if terminal.closing:
            self._remove(name)
        self._draw_tabs()

    def resized(self, name: str, columns: int, rows: int) -> None:
        """In a recording, resize a terminal."""
        if not self._live and name in self._terminals:
            view = self._terminals[name].view
            view.emulator.resize(columns, rows)
            view.refresh()

    async def feed(self, name: str, data: bytes) -> None:
        """Show output; waits while the terminal is far behind."""
        terminal = self._terminals.get(name)
        if terminal is None:
            return
        terminal.view.feed(data)
        if name != self.shown and not terminal.unseen:
            terminal.unseen = True
            self._draw_tabs()
        await terminal.view.drain()

    def sync(self, state: RunState) -> None:
        """Show whether the running command waits for input; detach the mirror if none runs."""
        self._awaited, self._grows = state.awaited, self._live and state.finished is None
        mirror = self._terminals.get(MIRROR)
        if mirror is not None and mirror.view.attached and not state.busy:
            mirror.view.release()
        self._bring_up(self.shown if self._live else self._terminals.preferred)

    def replace(self, emulators: Mapping[str, Emulator]) -> None:
        """Show the terminals as they were at another time."""
        for name, emulator in emulators.items():
            if name not in self._terminals:
                self._add(name, emulator.columns, emulator.lines)
            self._terminals[name].view.show(emulator)
        for name in [n for n in self._terminals if n not in emulators and n != MIRROR]:
            self._terminals.pop(name).view.remove()
        for terminal in self._terminals.values():
            terminal.ended = terminal.unseen = False
        self._bring_up(self._terminals.preferred)

    # --- tabs

    def switch(self, name: str) -> None:
        """Show a terminal that the user chose."""
        if name in self._terminals:
            self._terminals.chosen, self._terminals.visited = name, None
            self._bring_up(name)

    def visit(self, name: str) -> None:
        """Show a shell for as long as it has the keyboard."""
        self._terminals.visit(name)
        self._bring_up(name)

    def _bring_up(self, name: str) -> None:
        if name != self.shown and self._search_bar.display:
            self._search_bar.close()
        if self._terminals.show(name):
            self.call_after_refresh(self.view.focus)
        self._draw_tabs()
        self.refresh_subtitle()

    def action_show_tab(self, index: int) -> None:
        """Show and focus a terminal, given the index of its tab."""
        if 0 <= index < len(self.names):
            self.switch(self.names[index])
            self.call_after_refresh(self.view.focus)

    def action_next_tab(self, direction: int) -> None:
        """Show the next tab (1) or the previous one (-1), wrapping at the ends."""
        self.action_show_tab((self.names.index(self.shown) + direction) % len(self.names))

    def action_new_shell(self) -> None:
        """Request another shell."""
        self.post_message(self.ShellRequested())

    def action_close_shown(self) -> None:
        """Close the visible tab."""
        self.action_close_tab(self.names.index(self.shown))

    def action_close_tab(self, index: int) -> None:
        """End a shell and remove its tab; the mirror stays."""
        names = self.names
        if not 0 < index < len(names):
            return
        terminal = self._terminals[names[index]]
        if terminal.ended:
            self._remove(names[index])
        else:
            terminal.closing = True
            self.post_message(self.CloseRequested(names[index]))

    def _remove(self, name: str) -> None:
        if name == self.shown:
            self._search_bar.close()
        view = self._terminals.remove(name)
        had_focus = view.has_focus
        view.remove()
        self._bring_up(self.shown)
        if had_focus:
            self.call_after_refresh(self.view.focus)

    def _draw_tabs(self) -> None:
        """Write the tabs into the border if they have changed."""
        if not self.is_attached:
            return
        waits = self._live and self._awaited is not None
        tabs = self._terminals.tabs(closable=self._live, awaits_input=waits)
        palette = palette_of(self)
        if self._drawn_tabs != (tabs, palette):
            self._drawn_tabs = (tabs, palette)
            self.border_title = title_of(tabs, palette, more=self._live and len(tabs) > 1)

    # --- keyboard

    @override
    def why_unavailable(self, action: str, parameters: tuple[object, ...]) -> str:
        """Keys that do not apply now are left to the widgets above."""
        view = self.view if self.shown in self._terminals else None
        match action:
            case "again" | "end_search" if view is None or not view.search.active:
                return "there is no search"
            case "copy" if view is None or view.text_selection is None:
                return "nothing is selected"
            case "sideways" if view is not None:
                return view.why_not_sideways(-1 if parameters == (-1,) else 1)
            case "attach" | "new_shell" | "close_shown" if not self._live:
                return "a replay cannot be typed into"
            case "attach":
                return self._terminals.why_not_typed_into(self._awaited)
            case "close_shown" if self.shown == MIRROR:
                return "this is the model's terminal"
            case _:
                return ""

    def action_attach(self) -> None:
        """Send every key to the visible terminal."""
        self.view.attached = True
        self.view.focus()
        self.refresh_subtitle()
        self.screen.refresh_bindings()

    def action_copy(self) -> None:
        """Copy the selected text."""
        if self.view.copy_selection():
            self.notify("Copied.", timeout=1.5)

    def action_sideways(self, direction: int) -> None:
        """Scroll sideways in a terminal that is wider than the pane, or wrap its lines."""
        self.view.scroll_sideways(direction)
        self.refresh_subtitle()

    @on(DescendantFocus)
    @on(DescendantBlur)
    @on(Resize)
    @on(TerminalView.FollowingChanged)
    def _fit_subtitle(self) -> None:
        self.call_after_refresh(self.refresh_subtitle)

    @on(TerminalView.Typed)
    def _typed(self, event: TerminalView.Typed) -> None:
        event.stop()
        if (name := self._terminals.name_of(event.view)) is not None:
            self.post_message(self.Typed(name, event.data))

    @on(TerminalView.Resized)
    def _resized(self, event: TerminalView.Resized) -> None:
        event.stop()
        if (name := self._terminals.name_of(event.view)) is not None:
            self.post_message(self.Resized(name, event.columns, event.rows))

    @on(TerminalView.Released)
    def _released(self, event: TerminalView.Released) -> None:
        event.stop()
        if self._terminals.visited == self.shown:
            self.switch(MIRROR)
        self.refresh_subtitle()
        self.screen.refresh_bindings()  # the screen handles keys again

    # --- search

    @property
    def _search_bar(self) -> TerminalSearchBar:
        return self.query_one(TerminalSearchBar)

    def action_search(self) -> None:
        """Open the search bar for the visible terminal."""
        self._search_bar.open(self.view)

    def action_again(self, direction: int) -> None:
        """Go to the next match (1) or the previous one (-1)."""
        self.view.search.go(direction)

    def action_end_search(self) -> None:
        """End the search and focus the terminal."""
        self._search_bar.close()
        self.view.focus()

    @on(TerminalView.Searched)
    def _searched(self, event: TerminalView.Searched) -> None:
        event.stop()
        if event.view is self.view:
            self._search_bar.show_position()

    def _add(self, name: str, columns: int, rows: int) -> None:
        self.mount(self._create(name, columns, rows), before=self._search_bar)

    def _create(self, name: str, columns: int, rows: int) -> TerminalView:
        emulator = live_terminal(columns, rows) if self._live else Screen(columns, rows)
        view = TerminalView(emulator, fit=self._live)
        self._terminals[name] = OpenTerminal(view)
        return view

    # --- the lower border and the key bar

    def words_for(self, action: str) -> str | None:
        """The key bar's current words for an action; None for those of its binding."""
        return "answer prompt" if action == "attach" and self.shown == MIRROR else None

    def refresh_subtitle(self) -> None:
        """Show how to detach, what the command waits for, or whether the end is followed."""
        terminal = self._terminals.get(self.shown)
        if terminal is None or not self.is_attached:
            return
        view = terminal.view
        subtitle = Content(longest_fitting(self._subtitles(view), self.size.width))
        if self.border_subtitle != subtitle.markup:
            self.border_subtitle = subtitle
        self.set_class(view.attached, "-attached")

    def _subtitles(self, view: TerminalView) -> tuple[str, ...]:
        if self.screen.has_class("-film"):
            return ("",)
        if view.attached:
            return release_hints()
        if self._awaited is not None and self.shown == MIRROR and self._live:
            return awaited_words(self._awaited, view)
        return reading_words(view, grows=self._grows and self.shown not in self.ended)
