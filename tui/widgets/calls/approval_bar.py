"""The bar for the call that waits for approval: what it is, why it waits, and the decisions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rich.style import Style
from rich.text import Text
from textual.events import Click
from textual.screen import Screen
from textual.widget import Widget
from typing_extensions import override

from sandbox_tui.core.base.defaults import WORKING_DIR
from sandbox_tui.core.base.json_arguments import ArgumentsError, parse_arguments
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.base.tool_names import BASH
from sandbox_tui.core.events.reply_calls import place_in_reply
from sandbox_tui.core.events.run_state import CallItem, FileState, RunState
from sandbox_tui.core.events.types import ToolCall
from sandbox_tui.core.policy.named_files import NamedFile, missing_files, named_files
from sandbox_tui.core.tools.call_summaries import full_command, short_name
from sandbox_tui.tui.format import numbers
from sandbox_tui.tui.format.fit_line import fit_line
from sandbox_tui.tui.format.status import mode_words
from sandbox_tui.tui.keys.hint import hint, preference, shown
from sandbox_tui.tui.keys.keymap_overlay import consumes
from sandbox_tui.tui.keys.unavailable_reasons import ExplainsUnavailable
from sandbox_tui.tui.textual_support.typed_app import (
    subscribe_to_bindings,
    unsubscribe_from_bindings,
)
from sandbox_tui.tui.theming.palette import Palette, palette_of
from sandbox_tui.tui.widgets.calls.call_document import FILES_IT_NAMES
from sandbox_tui.tui.widgets.terminal.input.input_bytes import RELEASE_SHOWN
from sandbox_tui.tui.widgets.terminal.view import TerminalView

CHOICES = (
    ("approve", "approve"),
    ("always", "approve_always"),
    ("edit", "edit"),
    ("reject", "reject"),
    ("answer", "answer"),
    ("skip", "skip"),
)
"""Action and word of each decision; the words can be clicked."""

_ACTION = "action"
"""Meta key of a style that holds the action to run on a click."""


def numbered_call(state: RunState, item: CallItem) -> str:
    """Return "call 4", or "call 4 (2 of 3)" if it is the second of the three calls of the latest
    reply."""
    found = place_in_reply(state, item)
    place = "" if found is None else f" ({found[0]} of {found[1]})"
    return f"call {item.call.number}{place}"


def names_in(call: ToolCall, files: Mapping[str, FileState]) -> str:
    """Return the files that a bash command names, each with its size, as far as they can be
    recognized; one that the command reads though it does not exist, too."""
    return _describe(_named_in(call, files), files, _missing_in(call, files))


def _named_in(call: ToolCall, files: Mapping[str, FileState]) -> list[NamedFile]:
    """Return the files that a bash command names, including deleted ones."""
    return named_files(_command_of(call), files.keys())


def _missing_in(call: ToolCall, files: Mapping[str, FileState]) -> list[str]:
    existing = [path for path, file in files.items() if file.last.change != "deleted"]
    return missing_files(_command_of(call), existing)


def _command_of(call: ToolCall) -> str:
    """Return the command of a bash call; empty for other calls."""
    if call.name != BASH:
        return ""
    try:
        return str(parse_arguments(call.arguments).get("command", ""))
    except ArgumentsError:
        return ""


def _describe(
    named: Sequence[NamedFile], files: Mapping[str, FileState], missing: Sequence[str] = ()
) -> str:
    words: list[str] = []
    for path, written in named:
        known = files.get(path)
        file = None if known is None or known.last.change == "deleted" else known.last
        if file is None and not written:
            continue
        name = _short(path)
        what = (
            "new" if file is None else "folder" if file.kind == "dir" else numbers.size(file.size)
        )
        words.append(f"{name} {what}{', written' if written and file is not None else ''}")
    words += [f"{_short(path)} (does not exist)" for path in missing]
    return " · ".join(words)


def _short(path: str) -> str:
    return sanitize_line(path.removeprefix(f"{WORKING_DIR}/"))


class ApprovalBar(Widget):
    """A bar that is visible while a call waits; call `sync` after applying events.

    Args:
        has_draft: returns whether the user has left an unfinished edit of the call.
        would_fail: returns whether the call would fail, as far as is known.
    """

    DEFAULT_CSS = """
    ApprovalBar {
        height: 2; padding: 0 1; display: none; background: $panel;
        border-left: outer $accent;
        &.-names { height: 3; }
    }
    ApprovalBar.-asking { display: block; }
    """

    def __init__(
        self,
        has_draft: Callable[[], bool] = lambda: False,
        would_fail: Callable[[], bool] = lambda: False,
        *,
        id: str | None = None,  # noqa: A002
    ) -> None:
        super().__init__(id=id)
        self._has_draft = has_draft
        self._would_fail = would_fail
        self._state: RunState | None = None
        self._shown: tuple[object, ...] = ()
        self._named: list[NamedFile] = []
        self._named_for: tuple[object, ...] = ()
        self._missing: list[str] = []
        self._missing_for: tuple[object, ...] = ()
        self._names = ""

    def on_mount(self) -> None:
        """Subscribe to changes of the active keys: `_keys_elsewhere` depends on them."""
        subscribe_to_bindings(self, self._keys_changed)

    def on_unmount(self) -> None:
        """Unsubscribe from changes of the active keys."""
        unsubscribe_from_bindings(self)

    def _keys_changed(self, screen: Screen[Any]) -> None:
        if self.is_attached and self.has_class("-asking"):
            self.refresh()

    @property
    def _can_take_control(self) -> bool:
        """Whether another terminal decides about the call until this one takes control."""
        screen = self.screen
        return isinstance(screen, ExplainsUnavailable) and not screen.why_unavailable("steer", ())

    @property
    def _why_off(self) -> str:
        """Why nothing can be decided from here, such as that it has been; otherwise empty."""
        screen = self.screen
        is_explained = isinstance(screen, ExplainsUnavailable)
        return screen.why_unavailable("approve", ()) if is_explained else ""

    @property
    def _keys_elsewhere(self) -> str:
        """How to get the keys back from an input, a shell or another screen; otherwise empty."""
        if off := self._why_off:
            return off
        focused = self.screen.focused
        if focused is None or not consumes(focused, "a"):
            return ""
        back = RELEASE_SHOWN if isinstance(focused, TerminalView) else hint("inject.leave")
        return f"{back} to use these keys:"

    def sync(self, state: RunState) -> None:
        """Show the waiting call of this state."""
        pending = state.pending
        self.set_class(pending is not None, "-asking")
        shown = (
            (pending.call, pending.held, state.mode, self._would_fail())
            if pending is not None
            else ()
        )
        names = self._current_names(state)
        if (shown, names) != (self._shown, self._names) or state is not self._state:
            self._state, self._shown, self._names = state, shown, names
            self.set_class(bool(self._names), "-names")
            self.refresh()

    def _current_names(self, state: RunState) -> str:
        """Return the files that the waiting call names as they are now: they may have changed since
        the call began to wait. The command is parsed again only if there are new files."""
        call = None if state.pending is None else state.pending.call
        if call is None:
            return ""
        if (call, len(state.files)) != self._named_for or state is not self._state:
            self._named_for = (call, len(state.files))
            self._named = _named_in(call, state.files)
        deleted = sum(file.last.change == "deleted" for file in state.files.values())
        missing_for = (call, state.seq, len(state.files), deleted)
        if missing_for != self._missing_for:
            self._missing_for = missing_for
            self._missing = _missing_in(call, state.files)
        return _describe(self._named, state.files, self._missing)

    @override
    def render(self) -> Text:
        """Return the waiting call and the possible decisions, in the current theme."""
        return Text() if self._state is None else self._text(self._state, palette_of(self))

    def _text(self, state: RunState, palette: Palette) -> Text:
        pending = state.pending
        if pending is None:
            return Text()
        call, held = pending.call, pending.held
        width = max(20, self.content_size.width)
        first = Text(no_wrap=True)
        first.append(f"◆ {numbered_call(state, pending)} ", style=palette.accent + Style(bold=True))
        first.append(f"{short_name(sanitize_line(call.name))} ", style=palette.tool)
        first.append(sanitize_line(full_command(call.name, call.arguments)), style=palette.text)
        why = Text(no_wrap=True)
        if held is not None and held.rule:
            words = f"  {sanitize_line(held.reason)} ({sanitize_line(held.rule)})"
            why.append(words if held.reason else f"  {sanitize_line(held.rule)}", style=palette.dim)
        elif held is not None and held.until_resumed:
            why.append("  runs once you resume", style=palette.dim)
        fit_line(why, width // 2)
        whole = self._choice("waiting", "full call", palette)
        room = width - why.cell_len - whole.cell_len - 2
        fit_line(first, room)
        first.pad_right(room - first.cell_len)
        first.append_text(why).append("  ").append_text(whole)
        lines = [first, self._choices(state, width, palette)]
        if self._names and self.content_size.height > len(lines):
            names = Text(f"  {FILES_IT_NAMES} ", style=palette.dim, no_wrap=True)
            names.append(self._names, style=palette.text)
            fit_line(names, width)
            lines.insert(1, names)
        return Text("\n").join(lines)

    def _choices(self, state: RunState, width: int, palette: Palette) -> Text:
        """Return the decisions that fit, each whole; those that are left out keep their keys."""
        narrow = width < 70
        gap, mode = (" ", "mode") if narrow else ("   ", f"mode: {mode_words(state)}")
        line = Text("" if narrow else "  ", no_wrap=True)
        if self._can_take_control:
            return line.append_text(self._choice("steer", "take control", palette))
        elsewhere = self._keys_elsewhere
        parts = [Text(elsewhere, style=palette.human)] if elsewhere else []
        choices = () if self._why_off else (*CHOICES, (mode, "mode"))  # no key would do anything
        for word, action in choices:
            is_taken = not elsewhere and self._is_taken(action)
            shown = "edited draft" if action == "edit" and self._has_draft() else word
            if action == "approve_always" and state.mode == "step" and not narrow:
                shown = f"{word}, in step too"
            fails = action == "approve" and self._would_fail()
            choice = self._choice(action, f"{shown} (would fail)" if fails else shown, palette)
            if fails:
                choice.stylize(palette.warn, len(choice) - len("(would fail)"))
            if is_taken:  # the queue leaves with one key, and then the other is free
                keys = f"{hint('queue.leave')}, then {hint(f'live.{action}')} "
                choice = Text(keys, no_wrap=True).append_text(choice)
            if elsewhere or is_taken:
                choice.stylize(palette.faint)
            parts.append(choice)
        for place, part in enumerate(parts):
            start = gap if place else ""
            if place and line.cell_len + len(start) + part.cell_len > width:
                break
            line.append(start).append_text(part)
        fit_line(line, width)
        return line

    def _choice(self, action: str, word: str, palette: Palette) -> Text:
        """Return a key and its word, which can be clicked; no key that the focused widget takes."""
        click = Style(meta={_ACTION: action})
        key = self._key_of(f"live.{action}")
        choice = Text(f"{key} " if key else "", style=palette.accent + click, no_wrap=True)
        return choice.append(word, style=palette.text + click)

    def _is_taken(self, action: str) -> bool:
        """Return whether the focused widget, such as the queue, takes the key of a decision."""
        name = f"live.{action}"
        return bool(hint(name)) and not self._key_of(name)

    def _key_of(self, name: str) -> str:
        """Return a key of an action of this screen that is not taken by the focused widget."""
        if self._keys_elsewhere:
            return hint(name)
        mine = [
            active.binding
            for active in self.screen.active_bindings.values()
            if active.node is self.screen and active.binding.id == name
        ]
        return shown(min(mine, key=preference).key) if mine else ""

    async def on_click(self, event: Click) -> None:
        """Run the action of the clicked word, but not at the second click of a double click: the
        first may have opened this screen.
        """
        action = event.style.meta.get(_ACTION)
        if action is not None and event.chain == 1:
            await self.screen.run_action(str(action))
