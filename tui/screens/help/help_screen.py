"""The keys of a screen, grouped by purpose; unavailable ones are dimmed, with the reason."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from operator import attrgetter
from typing import Any, ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical, VerticalScroll
from textual.screen import Screen
from textual.widgets import Input
from typing_extensions import override

from sandbox_tui.tui.format.wrap_cells import wrap_cells
from sandbox_tui.tui.keys.available_actions import ActionHere, available_actions
from sandbox_tui.tui.keys.hint import action_with, hint
from sandbox_tui.tui.keys.key_names import key_of_caret
from sandbox_tui.tui.keys.other_panes import actions_of_other_panes
from sandbox_tui.tui.keys.synonyms import synonyms
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.keys.unavailable_reasons import as_sentence
from sandbox_tui.tui.screens.dialogs.dialog import Dialog
from sandbox_tui.tui.screens.dialogs.form import FormDialog
from sandbox_tui.tui.screens.help.action_lines import MAX_LINES, lines_of
from sandbox_tui.tui.screens.palette.matching.closest_words import closest_words
from sandbox_tui.tui.screens.palette.matching.fuzzy import NOISE, fit
from sandbox_tui.tui.screens.palette.other_screens import action_begun_elsewhere, action_elsewhere
from sandbox_tui.tui.textual_support.typed_app import app_of
from sandbox_tui.tui.theming.palette import Palette
from sandbox_tui.tui.widgets.line_input import LineInput
from sandbox_tui.tui.widgets.themed_text import ThemedText

WIDTH, SHARE = 126, 0.96
"""Columns of the box, and its share of narrower screens."""

AROUND = 7
"""Columns of the box outside the list: border, padding, scrollbar."""


READ_SECONDS = 1.0
"""Seconds between readings of the actions."""


class HelpFilter(LineInput):
    """The filter; as long as it is empty, the key that opened the help closes it again, and home
    and end scroll the list."""

    @override
    def check_consume_key(self, key: str, character: str | None) -> bool:
        closes = not self.value and action_with(key, ("help",)) == "help.leave"
        return not closes and super().check_consume_key(key, character)

    @override
    def action_home(self, select: bool = False) -> None:
        super().action_home(select)
        if not self.value:
            self.screen.query_one(VerticalScroll).scroll_home(animate=False)

    @override
    def action_end(self, select: bool = False) -> None:
        super().action_end(select)
        if not self.value:
            self.screen.query_one(VerticalScroll).scroll_end(animate=False)


class HelpScreen(Dialog[None]):
    """Lists the actions of a screen and of its focused widget; typing filters them.

    Args:
        screen: the screen whose actions are listed.
    """

    CSS = f"""
    HelpScreen {{ background: $background 60%; }}
    HelpScreen .dialog {{
        width: {WIDTH}; max-width: {SHARE:.0%}; height: auto; max-height: 94%; padding: 0 1;
    }}
    HelpScreen LineInput {{ margin: 0 1; }}
    HelpScreen VerticalScroll {{
        height: auto; max-height: 1fr; margin-top: 1; scrollbar-size-vertical: 1;
    }}
    HelpScreen ThemedText {{ height: auto; padding: 0 1; }}
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("help.leave", "dismiss(None)", priority=True),
        binding("list.up", "cursor(-1)", show=False),
        binding("list.down", "cursor(1)", show=False),
        binding("list.page_up", "page(-1)", show=False),
        binding("list.page_down", "page(1)", show=False),
    ]

    def __init__(self, screen: Screen[Any]) -> None:
        super().__init__()
        self._below = screen
        self._read()

    def _read(self) -> None:
        """Read which actions there are now."""
        screen = self._below
        self._all = available_actions(screen)
        self._others = actions_of_other_panes(screen, {action.name for action in self._all})
        everything = (*self._all, *self._others)
        self._groups = list(dict.fromkeys(action.group for action in everything))
        self._is_of_form = isinstance(screen, FormDialog)

    def on_mount(self) -> None:
        """Follow what happens below meanwhile, such as a call that begins to wait."""
        self.set_interval(READ_SECONDS, self._read_again)

    def _read_again(self) -> None:
        if self._below not in app_of(self).screen_stack:
            return
        before = self._all
        self._read()
        if self._all != before:
            self.query("#help-keys").refresh(layout=True)
            self._show_keys()

    @property
    def actions_shown(self) -> list[ActionHere]:
        """The actions whose words, other words, keys or group match the typed text, or the closest
        one if none does; those on exactly this key come first, with their groups."""
        typed = self._typed
        found = self._matching(self.meant or typed) or self._shortened(typed)
        on_key = {action.group for action in found if typed in action.keys}
        return sorted(
            found,
            key=lambda one: (
                one.group not in on_key,
                self._groups.index(one.group),
                typed not in one.keys,
            ),
        )

    @property
    def meant(self) -> str:
        """The text that is closest to a typed one that matches nothing; empty if there is none."""
        typed = self._typed
        if not typed or self._matching(typed) or self.elsewhere:
            return ""
        known = (*self._all, *self._others)
        return closest_words(typed, (word for one in known for word in _words(one)))

    @property
    def elsewhere(self) -> str:
        """The action of another screen that is meant by a typed text that matches nothing, with its
        place and key; empty if there is none."""
        typed = self._typed
        if not typed or self._matching(typed):
            return ""
        here = {one.name for one in (*self._all, *self._others)}
        return action_elsewhere(typed, here) or action_begun_elsewhere(typed, here)

    def _matching(self, typed: str) -> list[ActionHere]:
        words = typed.lower().split()
        known = (*self._all, *self._others) if words else self._all
        return [one for one in known if all(_has(one, word) for word in words)]

    def _shortened(self, typed: str) -> list[ActionHere]:
        """Return the actions of whose words letters were left out; none if the text is for another
        screen."""
        if not typed or self.elsewhere:
            return []
        return [one for one in (*self._all, *self._others) if _is_shortened(typed, one)]

    @property
    def enter_words(self) -> str:
        """What enter does: it runs the only match, or of several the only one on exactly the typed
        key; empty while there is none."""
        if self._only is None:
            return ""
        return "run the only match" if len(self.actions_shown) == 1 else f"run {self._typed}"

    @property
    def _only(self) -> ActionHere | None:
        """The only action that matches, or that is on exactly the typed key."""
        if not self.is_mounted:
            return None
        found = self.actions_shown
        found = [one for one in found if self._typed in one.keys] or found
        return found[0] if len(found) == 1 else None

    @property
    def _typed(self) -> str:
        """The typed text, without the key of a search before a word: here typing searches. A key
        may be written as in the key bar, such as `^r`."""
        typed = self.query_one(Input).value.strip() if self.is_mounted else ""
        words = typed.lstrip("/")
        return key_of_caret(words if words[:1].strip() else typed)

    @property
    def keys_shown(self) -> list[tuple[str, str]]:
        """The keys of each action, and what it does."""
        return [(" ".join(action.keys), action.words) for action in self.actions_shown]

    def compose(self) -> ComposeResult:
        """Yield a filter line and the list."""
        with Vertical(classes="dialog") as box:
            box.border_title = "keys"
            box.border_subtitle = self._keys_words
            others = ", also keys of the other panes" if self._others else ""
            yield HelpFilter(placeholder=f"type to filter{others}", id="help-filter")
            with VerticalScroll(can_focus=False):
                yield ThemedText(self._list, id="help-keys")

    @property
    def _keys_words(self) -> str:
        enter = f"enter {self.enter_words} · " if self.enter_words else ""
        return f"{enter}↑ ↓ scroll · {hint('help.leave')} close"

    @on(Input.Changed)
    def _filter(self, event: Input.Changed) -> None:
        event.stop()
        self.query("#help-keys").refresh(layout=True)  # it may not be mounted yet
        self.query_one(VerticalScroll).scroll_home(animate=False)
        self._show_keys()

    def _show_keys(self) -> None:
        self.query_one(".dialog").border_subtitle = self._keys_words
        self.refresh_bindings()

    @on(Input.Submitted)
    def _run_only(self, event: Input.Submitted) -> None:
        """Close, then run the only action that matches, or that is on exactly the typed key, or say
        why it is not available."""
        event.stop()
        only = self._only
        if only is None:
            words = "Type until one action is left: enter runs it."
            self.notify(words, severity="warning", markup=False)
            return
        app = app_of(self)
        self.dismiss(None)
        if only.off:
            app.notify(as_sentence(only.off), severity="warning", markup=False)
        else:
            app.call_later(only.run, app)

    def on_resize(self) -> None:
        """Redraw the list: its columns depend on the width."""
        self.query("#help-keys").refresh(layout=True)  # it may not be mounted yet

    def action_cursor(self, direction: int) -> None:
        """Scroll down (1) or up (-1) by a line."""
        self.query_one(VerticalScroll).scroll_relative(y=direction, animate=False)

    def action_page(self, direction: int) -> None:
        """Scroll down (1) or up (-1) by a page."""
        height = self.query_one(VerticalScroll).size.height
        self.query_one(VerticalScroll).scroll_relative(y=direction * height, animate=False)

    # --- drawing

    @property
    def _no_match(self) -> str:
        others = "sessions, models, themes and settings"
        found = f"fields, {others}" if self._is_of_form else others
        return f"No matching keys. {hint('app.palette')} finds {found}."

    def _list(self, palette: Palette) -> Text:
        width = min(WIDTH, int(SHARE * self.size.width)) - AROUND
        groups = [list(group) for _, group in groupby(self.actions_shown, attrgetter("group"))]
        if not groups:
            elsewhere = self.elsewhere
            said = f"Not on this screen: {elsewhere}" if elsewhere else self._no_match
            return Text("\n", no_wrap=True).join(
                Text(line, style=palette.dim) for line in wrap_cells(said, width, MAX_LINES)
            )
        lines = lines_of(groups, width, palette, folds=not self._typed)
        if meant := self.meant:
            lines.insert(0, Text(f"No match; the closest: {meant}", style=palette.dim))
        return Text("\n", no_wrap=True).join(lines)


def _words(action: ActionHere) -> Iterator[str]:
    """Yield all words that find an action."""
    yield from (*action.words.lower().split(), *synonyms(action.name, action.words).split())


def _text(action: ActionHere) -> str:
    return " ".join((*action.keys, action.words, action.group)).lower()


def _is_shortened(typed: str, action: ActionHere) -> bool:
    """Return whether words of an action were typed without some of their letters, as in `apr`."""
    found = fit(typed, action.words)
    return found is not None and found.level > NOISE


def _has(action: ActionHere, word: str) -> bool:
    others = synonyms(action.name, action.words).split()
    return word in _text(action) or any(other.startswith(word) for other in others)
