# pyright: reportUnknownMemberType=false
"""A waiting call, open for a person's changes."""

from __future__ import annotations

import json
from typing import Any, ClassVar, cast

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Label, TextArea

from ...core.events import ToolCall
from ...core.headline import nickname
from ...core.text import clean, clean_line
from ..widgets.key_bar import KeyBar

_LABELS = {
    "file_text": "content of the file",
    "old_str": "text to replace",
    "new_str": "new text",
    "insert_line": "after line",
}
"""What the editor's arguments are, where their names do not say it."""


class EditCall(ModalScreen[str | None]):
    """A plain-text editor for each argument, or one for the JSON of all of them.

    ctrl+s (or f2) runs the call with what stands there, f3 changes between the two forms. An
    argument with characters that must not reach a terminal as they are is shown as a JSON string,
    and read back as one. Dismisses with the arguments as JSON text, or None.
    """

    CSS = """
    EditCall { align: center middle; background: $background 60%; }
    EditCall VerticalScroll {
        width: 90%; max-width: 120; height: 80%; border: round $accent; background: $surface;
        padding: 0 1; border-title-color: $accent; border-subtitle-color: $role-dim;
    }
    EditCall Label { color: $role-dim; margin-top: 1; }
    EditCall TextArea {
        height: auto; min-height: 3; max-height: 24; border: round $border-blurred;
    }
    EditCall TextArea:focus { border: round $accent; }
    EditCall TextArea.-only { height: 1fr; max-height: 100%; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        # not before their time (priority): what was typed just before must have arrived
        Binding("ctrl+s,f2", "run", "run it so"),
        Binding("f3", "toggle_json", "fields / JSON"),
        Binding("escape", "cancel", "leave as it is", priority=True),
    ]

    def __init__(self, call: ToolCall) -> None:
        super().__init__()
        self._call = call
        self._arguments = call.arguments
        self._fields = _fields(call.arguments)
        self._quoted: set[str] = set()

    def compose(self) -> ComposeResult:
        """The editors."""
        with VerticalScroll() as box:
            name = nickname(clean_line(self._call.name))
            box.border_title = f"edit call {self._call.number} · {name}"
            yield from self._editors()
        yield KeyBar()

    def on_mount(self) -> None:
        """Begin in the longest argument."""
        box = self.query_one(VerticalScroll)
        box.border_subtitle = "ctrl+s runs it so · esc leaves it as it is"
        self._begin_in_longest()

    def action_run(self) -> None:
        """Close with the arguments as they stand."""
        arguments = self._written()
        if arguments is not None:
            self.dismiss(arguments)

    async def action_toggle_json(self) -> None:
        """Show the fields as JSON, or the JSON as fields; what was changed is kept."""
        arguments = self._written()
        if arguments is None:
            return
        self._arguments = arguments
        self._fields = None if self._fields is not None else _fields(arguments)
        self._quoted.clear()
        box = self.query_one(VerticalScroll)
        await box.remove_children()
        await box.mount_all(self._editors())
        self._begin_in_longest()

    def action_cancel(self) -> None:
        """Close without a change."""
        self.dismiss(None)

    # --- the editors

    def _editors(self) -> list[Label | TextArea]:
        if self._fields is None:
            return [Label("arguments as JSON"), _area(_pretty(self._arguments), only=True)]
        editors: list[Label | TextArea] = []
        for name, value in self._fields.items():
            editors.append(Label(clean_line(_LABELS.get(name, name)), markup=False))
            editors.append(_area(self._shown(name, value), only=len(self._fields) == 1))
        return editors

    def _begin_in_longest(self) -> None:
        areas = list(self.query(TextArea))
        if areas:
            longest = max(areas, key=lambda area: len(area.text))
            self.set_focus(longest)  # at once: the next key already belongs here
            longest.move_cursor(longest.document.end)

    def _written(self) -> str | None:
        """The arguments as they stand, as JSON text; None, and a notice, when they are none."""
        areas = list(self.query(TextArea))
        try:
            if self._fields is None:
                return _object(areas[0].text)
            changed = {
                name: self._read(name, area.text)
                for area, name in zip(areas, self._fields, strict=True)
            }
        except ValueError as error:
            self.notify(clean_line(str(error)), severity="error", markup=False)
            return None
        return json.dumps(changed, ensure_ascii=False)

    def _shown(self, name: str, value: Any) -> str:
        if isinstance(value, str) and clean(value) == value:
            return value
        self._quoted.add(name)
        return json.dumps(value)

    def _read(self, name: str, text: str) -> Any:
        if name not in self._quoted:
            return text
        try:
            return json.loads(text)
        except json.JSONDecodeError as error:
            raise ValueError(f"{name} is not valid JSON: {error}") from error


def _area(text: str, *, only: bool) -> TextArea:
    lines = text.count("\n") > 0
    area = TextArea(text, soft_wrap=True, tab_behavior="indent", show_line_numbers=lines)
    area.set_class(only, "-only")
    return area


def _fields(arguments: str) -> dict[str, Any] | None:
    """The arguments by name; None when they are no JSON object, or one without any."""
    try:
        value: object = json.loads(arguments or "{}")
    except (ValueError, RecursionError):
        return None
    return cast(dict[str, Any], value) if isinstance(value, dict) and value else None


def _pretty(arguments: str) -> str:
    """JSON to read; escapes keep what must not reach a terminal from it."""
    try:
        return json.dumps(json.loads(arguments or "{}"), indent=2)
    except (ValueError, RecursionError):
        return clean(arguments)


def _object(text: str) -> str:
    """The text, if it is a JSON object.

    Raises:
        ValueError: it is none.
    """
    try:
        value: object = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        raise ValueError(f"That is not valid JSON: {error}") from error
    if not isinstance(value, dict):
        raise ValueError("The arguments must be one JSON object.")
    return json.dumps(value, ensure_ascii=False)
