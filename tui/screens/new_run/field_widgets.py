"""The widgets of the fields of the form for new runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.events import Key
from textual.widgets import Input, OptionList, Select, TextArea

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.config.settings import Settings
from sandbox_tui.tui.format.setting_text import YES_NO
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.screens.new_run.run_fields import texts_of
from sandbox_tui.tui.widgets.line_input import OneLineInput
from sandbox_tui.tui.widgets.path_input import PathInput

FORM_CSS = """
NewRunDialog #fields { height: auto; scrollbar-size-vertical: 1; }
NewRunDialog #task { height: 7; } NewRunDialog.-low #task { height: 4; }
NewRunDialog .row > #input, NewRunDialog .row > #mode { width: 3fr; }
NewRunDialog .row > #kind, NewRunDialog .row > #calls { width: 2fr; }
NewRunDialog.-low .row > #mode { width: 2fr; }
NewRunDialog.-low .row > #kind, NewRunDialog.-low .row > #calls { width: 3fr; }
NewRunDialog #mode SelectOverlay { min-width: 30; }
NewRunDialog .row > #steps, NewRunDialog .row > #samples { width: 2fr; }
NewRunDialog.-narrow .row > #input { width: 21fr; }
NewRunDialog.-narrow .row > #steps { width: 15fr; }
NewRunDialog.-narrow .row > #samples { width: 13fr; }
NewRunDialog.-narrow #more Select, NewRunDialog.-narrow #output { column-span: 2; }
NewRunDialog.-narrow #more .row { layout: grid; grid-size: 2; grid-rows: 3; height: auto; }
NewRunDialog #more { height: auto; display: none; }
NewRunDialog.-tallest #more, NewRunDialog.-more #more { display: block; }
"""
"""How the form for new runs arranges its fields, by the size of the terminal."""

_MODE_WORDS = {"auto": "auto", "ask": "ask  the policy decides", "step": "step  every call waits"}
"""A narrow field shows the first word only, so no sign follows it."""


class TaskField(TextArea):
    """The field for the tasks, of any number of lines."""

    BINDINGS: ClassVar[list[BindingType]] = [binding("new_run.newline", "newline", show=False)]

    def __init__(self) -> None:
        super().__init__(id="task", classes="field", soft_wrap=True, tab_behavior="focus")

    def action_newline(self) -> None:
        """Break the line, as enter does."""
        self.insert("\n")


class ChoiceField(Select[str]):
    """A list of values: a letter opens it at the first value that begins so, and chooses nothing.

    Args:
        options: what is shown for each value, and the value.
        value: the chosen one.
        name: id of the field.
    """

    def __init__(self, options: Sequence[tuple[str, str]], value: str, name: str) -> None:
        super().__init__(options, value=value, allow_blank=False, id=name, classes="field")
        self._beginnings = [words[:1].lower() for words, _ in options]

    def on_key(self, event: Key) -> None:
        """Open the list at a letter: otherwise it would be ignored without a word."""
        letter = (event.character or "").lower()
        if self.expanded or not letter.isalnum():
            return
        event.stop()
        event.prevent_default()
        self.action_show_overlay()
        if letter in self._beginnings:
            self.query_one(OptionList).highlighted = self._beginnings.index(letter)


def line_field(name: str, value: str, placeholder: str = "") -> Input:
    """Return a field for one line."""
    return OneLineInput(value, placeholder, id=name, classes="field")


def path_field(name: str, value: str, placeholder: str = "") -> Input:
    """Return a field for a path of this machine, which `tab` completes."""
    return PathInput(value, placeholder=placeholder, id=name, classes="field")


def choice_field(name: str, values: Sequence[str], value: str) -> Select[str]:
    """Return a field with a list of values."""
    options = [(_MODE_WORDS.get(each, each) if name == "mode" else each, each) for each in values]
    return ChoiceField(options, value, name)


def further_fields(settings: Settings) -> ComposeResult:
    """Yield the fields of the less frequently changed settings."""
    texts = texts_of(settings)
    with Horizontal(classes="row"):
        for name in ("output", "prompts"):
            yield path_field(name, texts[name], f"empty for {sanitize_line(texts[name])}")
        yield line_field("seed", "", "none")
    with Horizontal(classes="row"):
        yield choice_field("network", ("auto", "bridge", "none"), texts["network"])
        yield choice_field("tty", YES_NO, texts["tty"])
        yield choice_field("policy", ("allow", "ask", "deny"), texts["policy"])
    with Horizontal(classes="row"):
        yield line_field("temperature", texts["temperature"], "server default")
        yield line_field("tokens", texts["tokens"], "no limit")
        yield line_field("time", texts["time"], "no limit")
        yield line_field("cost", texts["cost"], "no limit")
