"""The bar of currently active keys, as many as fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol, runtime_checkable

from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual.binding import ActiveBinding
from textual.dom import DOMNode
from textual.events import Click
from textual.screen import ModalScreen, Screen
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Input
from typing_extensions import override

from sandbox_tui.tui.keys.available_actions import is_passed_on
from sandbox_tui.tui.keys.hint import key_in_bar, preference, preferred_key, shown
from sandbox_tui.tui.textual_support.private_api import (
    binding_chain,
    declared_bindings,
    is_open_menu,
)
from sandbox_tui.tui.textual_support.typed_app import (
    app_of,
    subscribe_to_bindings,
    unsubscribe_from_bindings,
)
from sandbox_tui.tui.theming.palette import palette_of
from sandbox_tui.tui.widgets.key_places import GAP, Shown, placed
from sandbox_tui.tui.widgets.terminal.input.input_bytes import RELEASE, RELEASE_SHOWN

RIGHT_ACTIONS = ("help", "command_palette")
"""Actions whose keys are on the right because they lead to all the others. Only the keys that leave
take precedence over them."""

EXIT_ACTIONS = (
    *("leave", "quit", "close", "cancel", "back", "answer(None)", "answer(False)", "dismiss(None)"),
)
"""Actions that leave. Their keys stay however narrow the bar is."""

MENU_KEYS = (("enter", "choose", "select"), ("escape", "close", "dismiss"))
"""Keys of an open menu of choices, what they do, and their actions."""


@runtime_checkable
class TakesAllKeys(Protocol):
    """A widget that can take every key except the one that releases the keyboard.

    Attributes:
        attached: whether it currently takes the keys.
    """

    attached: bool

    def action_release(self) -> None:
        """Release the keyboard."""


@runtime_checkable
class TypedLine(Protocol):
    """A widget around a text input, or the screen of a one-line dialog.

    Attributes:
        enter_words: what enter does; empty for nothing.
    """

    @property
    def enter_words(self) -> str:
        """What enter does; empty for nothing."""
        ...


class KeyBar(Widget):
    """One line with the keys of the focused widget and of the screen, most used first.

    A screen and the focused widget may name `urgent_actions`, whose keys come before all others, in
    this order; a widget that `has_its_own_keys` shows them before those of its screen while it has
    the focus.

    The keys of a screen's `row_actions` keep their places where they are off; those of its
    `passing_actions` come and go, and take no place of others for good.

    In a dialog, the keys that leave come last. A key that does not fit is left out entirely; `?`
    and the palette list them all.
    """

    DEFAULT_CSS = """
    KeyBar { height: 1; dock: bottom; padding: 0 1; background: $panel; }
    """

    ALLOW_SELECT = False

    def __init__(self) -> None:
        super().__init__()
        self._places: list[tuple[int, int, str, Any]] = []

    def on_mount(self) -> None:
        """Subscribe to changes of the active keys."""
        subscribe_to_bindings(self, self._keys_changed)

    def on_unmount(self) -> None:
        """Unsubscribe from changes of the active keys."""
        unsubscribe_from_bindings(self)

    def _keys_changed(self, screen: Screen[Any]) -> None:
        if self.is_attached and screen is app_of(self).screen:
            self.refresh()

    @property
    def keys_shown(self) -> list[Shown]:
        """The keys that fit, from left to right."""
        left, right = self._that_fit()
        return [*(known for known in left if not known.is_off), *right]

    @override
    def render_line(self, y: int) -> Strip:
        width = self.content_size.width
        left, right = self._that_fit()
        line = Text(no_wrap=True)
        self._places = []
        for column, known in placed(left, self._passing, self._columns)[0]:
            line.pad_right(max(0, column - line.cell_len))
            self._put(line, known)
        line.pad_right(max(0, width + GAP - self._width(right) - line.cell_len))
        for known in right:
            self._put(line, known)
        base = self.rich_style
        segments = [Segment(s.text, base + s.style) for s in line.render(app_of(self).console)]
        return Strip(segments).crop_extend(0, width, base)

    async def on_click(self, event: Click) -> None:
        """Run the action of the clicked key."""
        x = event.x - self.content_region.x + self.region.x
        for start, end, action, node in self._places:
            if start <= x < end:
                await app_of(self).run_action(action, node)
                return

    def _that_fit(self) -> tuple[list[Shown], list[Shown]]:
        """Return the keys for the left and the right side.

        Those that come and go get what room there is; the palette makes room for urgent ones.
        """
        every, right = self._keys()
        passing = [known for known in every if known.action in self._passing]
        room = self.content_size.width + GAP
        if self._width([*(known for known in every if self._stays(known)), *right]) > room:
            right = right[:1]
        usual = [known for known in every if known not in passing]
        left, right = self._usual_that_fit(usual, right, room)
        left = sorted([*left, *passing], key=every.index)
        if any(map(self._stays, passing)) and self._width(left) + self._width(right) > room:
            right = right[:1]
        others = [known for known in left if not self._stays(known)]
        while others and self._width(left) + self._width(right) > room:
            left.remove(others.pop())
        return left, right

    def _usual_that_fit(
        self, usual: Sequence[Shown], right: Sequence[Shown], room: int
    ) -> tuple[list[Shown], list[Shown]]:
        """Return the keys for both sides without those that come and go.

        The last keys on the left are dropped first, then those on the right; keys that leave stay.
        What is dropped makes room for shorter ones.
        The palette is dropped only for what is urgent: the help lists the same actions.
        """
        left, right = list(usual), list(right)
        others = [known for known in left if _action(known) not in EXIT_ACTIONS]
        dropped = list[Shown]()
        while others and self._width([*left, *right]) > room:
            dropped.append(others.pop())
            left.remove(dropped[-1])
        while right and self._width([*left, *right]) > room:
            right.pop()
        for known in reversed(dropped):  # a long one leaves room for shorter ones
            if self._width([*left, known, *right]) <= room:
                left.append(known)
        return left, right

    def _width(self, keys: Sequence[Shown]) -> int:
        """Return the total width of the keys in columns, including the gap after each."""
        return placed(keys, self._passing, self._columns)[1]

    def _columns(self, known: Shown) -> int:
        return self._words(known).cell_len

    @property
    def _passing(self) -> Sequence[str]:
        """The actions of the screen whose keys come and go."""
        return getattr(self.screen, "passing_actions", ())

    def _put(self, line: Text, known: Shown) -> None:
        start = line.cell_len
        line.append_text(self._words(known))
        self._places.append((start, line.cell_len, known.action, known.node))
        line.append(" " * GAP)

    def _words(self, known: Shown) -> Text:
        palette = palette_of(self)
        words = Text(no_wrap=True)
        words.append(known.key, style=palette.accent + Style(bold=True))
        return words.append(f" {known.words}", style=palette.dim)

    def _keys(self) -> tuple[list[Shown], list[Shown]]:
        """Return all keys for the left and the right side."""
        focused = self.screen.focused
        if isinstance(focused, TakesAllKeys) and focused.attached:
            return [Shown(RELEASE_SHOWN, "release the keyboard", "release", focused, RELEASE)], []
        if is_open_menu(focused):
            return [
                Shown(shown(key), words, action, focused, key) for key, words, action in MENU_KEYS
            ], []
        found: dict[str, Shown] = {}
        line = self._line
        all_active = self.screen.active_bindings
        for active in all_active.values():
            known = _shown(active, all_active)
            if known is None:
                continue
            if line is not None and not (_lists_all_keys(known) or _is_within(active.node, line)):
                continue
            before = found.setdefault(known.action, known)
            if known.rank < before.rank:
                found[known.action] = known
        for known in self._off_here() if line is None else ():
            found.setdefault(known.action, known)
        left = [known for known in found.values() if not _lists_all_keys(known)]
        places = self._declared_places()
        urgent = self._urgent
        left.sort(
            key=lambda known: (
                self._group(known),
                urgent.index(known.action) if known.action in urgent else len(urgent),
                _is_dialog(known.node) and _action(known) in EXIT_ACTIONS,
                places.get((known.node, known.action), len(places)),
            )
        )
        if line is not None:
            if line.enter_words:
                enter = Shown("enter", line.enter_words, "submit", self.screen.focused, "enter")
                left.insert(0, enter)
        elif (words := getattr(self.screen, "choice_words", "")) and "enter" in all_active:
            chooses = all_active["enter"]
            action = chooses.binding.action
            left.insert(0, Shown("enter", words, action, chooses.node, "enter"))
        right = [known for known in found.values() if _lists_all_keys(known)]
        return left, sorted(right, key=lambda known: known.action != "app.help")

    def _off_here(self) -> list[Shown]:
        """Return the keys that keep their places on rows where they are off."""
        of_rows: Sequence[str] = getattr(self.screen, "row_actions", ())
        if not of_rows:
            return []
        [mine] = [keys for node, keys in binding_chain(self.screen) if node is self.screen]
        every = [binding for several in mine.key_to_bindings.values() for binding in several]
        off = [binding for binding in every if binding.action in of_rows]
        return [
            Shown(key_in_bar(one), one.description, one.action, self.screen, one.key, is_off=True)
            for one in sorted(off, key=preference)
        ]

    def _group(self, known: Shown) -> int:
        """Return the place of a key's group: what is urgent, then the keys of a focused pane that
        has many of its own, then those of the screen."""
        if known.action in getattr(known.node, "urgent_actions", ()):
            return 0
        if isinstance(known.node, Screen):
            return 2
        return 1 if getattr(known.node, "has_its_own_keys", False) else 3

    def _stays(self, known: Shown) -> bool:
        """Return whether a key takes precedence over that of the palette: what is urgent, what
        leaves, and enter."""
        return known.name == "enter" or _action(known) in (*EXIT_ACTIONS, *self._urgent)

    @property
    def _urgent(self) -> Sequence[str]:
        """The actions whose keys come first, in their order: those of the screen, then those of
        the focused widget."""
        of_focused: Sequence[str] = getattr(self.screen.focused, "urgent_actions", ())
        return (*getattr(self.screen, "urgent_actions", ()), *of_focused)

    def _declared_places(self) -> dict[tuple[Any, str], int]:
        """Return the place of each action as its class declares it: the user's own keys change the
        order of the active bindings, but not that of the bar."""
        places: dict[tuple[Any, str], int] = {}
        for node, _ in binding_chain(self.screen):
            for declared in declared_bindings(node):
                places.setdefault((node, declared.action), len(places))
        return places

    @property
    def _line(self) -> TypedLine | None:
        """The focused text input's `TypedLine`; while there is one, only its keys are shown."""
        focused = self.screen.focused
        is_line = isinstance(focused, Input) or getattr(focused, "sends_on_enter", False)
        around = focused.ancestors_with_self if focused is not None and is_line else []
        return next((node for node in around if isinstance(node, TypedLine)), None)


def _shown(active: ActiveBinding, all_active: Mapping[str, ActiveBinding]) -> Shown | None:
    """Return the key as displayed, or None if the bar omits it."""
    binding = active.binding
    lists_all = _name(binding.action) in RIGHT_ACTIONS
    if not active.enabled or not (binding.show or lists_all):
        return None
    words = "palette" if _name(binding.action) == "command_palette" else _words_of(active)
    if not words:
        return None
    first = preferred_key(binding)
    if first != binding.key and first in all_active and is_passed_on(all_active[first]):
        binding = replace(binding, key=first)
    key, rank = key_in_bar(binding), preference(binding)
    return Shown(key, words, binding.action, active.node, binding.key, rank)


def _name(action: str) -> str:
    return action.rpartition(".")[2]


def _lists_all_keys(known: Shown) -> bool:
    """Return whether a key opens a list of all the others."""
    return _name(known.action) in RIGHT_ACTIONS


def _is_within(node: DOMNode, line: object) -> bool:
    return any(outer is line for outer in node.ancestors_with_self)


def _words_of(active: ActiveBinding) -> str:
    """Return what a key currently does, according to its screen or widget; empty to leave the key
    out.

    Falls back to the binding's description.
    """
    words_for = getattr(active.node, "words_for", None)
    words: str | None = words_for(active.binding.action) if words_for is not None else None
    return active.binding.description if words is None else words


def _is_dialog(node: object) -> bool:
    return isinstance(node, ModalScreen)


def _action(shown: Shown) -> str:
    """Return the action without its namespace: `app.quit` becomes `quit`."""
    return shown.action.removeprefix("app.")
