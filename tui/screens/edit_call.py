"""A waiting call, open for a person's changes."""

from __future__ import annotations

import json
from typing import Any, ClassVar, cast

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Footer, Label, TextArea

from ...core.events import ToolCall
from ...core.headline import nickname
from ...core.text import clean, clean_line


class EditCall(ModalScreen[str | None]):
    """One editor for each argument; ctrl+s (or f2) runs the call with what stands there.

    An argument with characters that must not reach a terminal as they are is shown as a JSON
    string, and read back as one. Dismisses with the new arguments as JSON text, or None.
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
        Binding("ctrl+s,f2", "run", "run it so", priority=True),
        Binding("escape", "cancel", "leave as it is", priority=True),
    ]

    def __init__(self, call: ToolCall) -> None:
        super().__init__()
        self._call = call
        self._fields = _fields(call.arguments)
        self._quoted: set[str] = set()

    def compose(self) -> ComposeResult:
        """The editors."""
        with VerticalScroll() as box:
            name = nickname(clean_line(self._call.name))
            box.border_title = f"edit call {self._call.number} · {name}"
            only = len(self._fields) == 1
            for name, value in self._fields.items():
                yield Label(clean_line(name), markup=False)
                area = TextArea(self._shown(name, value), soft_wrap=True, tab_behavior="indent")
                area.set_class(only, "-only")
                yield area
        yield Footer(compact=True)

    def on_mount(self) -> None:
        """Begin in the longest argument."""
        areas = list(self.query(TextArea))
        box = self.query_one(VerticalScroll)
        box.border_subtitle = "ctrl+s runs it so · esc leaves it as it is"
        if areas:
            longest = max(areas, key=lambda area: len(area.text))
            self.set_focus(longest)  # at once: the next key already belongs here
            longest.move_cursor(longest.document.end)

    def action_run(self) -> None:
        """Close with the arguments as they stand."""
        changed: dict[str, Any] = {}
        for area, (name, value) in zip(self.query(TextArea), self._fields.items(), strict=True):
            try:
                changed[name] = self._read(name, value, area.text)
            except ValueError as error:
                self.notify(f"{clean_line(name)}: {error}", severity="error", markup=False)
                return
        self.dismiss(json.dumps(changed, ensure_ascii=False))

    def action_cancel(self) -> None:
        """Close without a change."""
        self.dismiss(None)

    def _shown(self, name: str, value: Any) -> str:
        if isinstance(value, str) and clean(value) == value:
            return value
        self._quoted.add(name)
        return json.dumps(value)

    def _read(self, name: str, value: Any, text: str) -> Any:
        if name not in self._quoted:
            return text
        try:
            return json.loads(text)
        except json.JSONDecodeError as error:
            raise ValueError(f"not valid JSON: {error}") from error


def _fields(arguments: str) -> dict[str, Any]:
    try:
        value: object = json.loads(arguments or "{}")
    except (ValueError, RecursionError):
        return {}
    return cast(dict[str, Any], value) if isinstance(value, dict) else {}
