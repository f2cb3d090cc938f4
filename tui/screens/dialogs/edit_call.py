"""The editors for a waiting call, and for a call that a fork changes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import PurePosixPath
from typing import Any, ClassVar, NamedTuple

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import TextArea

from sandbox_tui.core.base.errors import ConfigError, SandboxTuiError
from sandbox_tui.core.base.sanitize import sanitize, sanitize_line
from sandbox_tui.core.base.tool_names import BASH
from sandbox_tui.core.events.types import ToolCall
from sandbox_tui.core.tools.call_summaries import short_name
from sandbox_tui.core.tools.edited_call import problem_with_call
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.keys.unavailable_reasons import ExplainsUnavailable
from sandbox_tui.tui.screens.dialogs.dialog import Dialog
from sandbox_tui.tui.terminal_io.external_editor import edit_in_editor
from sandbox_tui.tui.textual_support.typed_app import app_of
from sandbox_tui.tui.widgets.calls.argument_texts import (
    LABELS,
    argument_fields,
    one_object,
    pretty_arguments,
)
from sandbox_tui.tui.widgets.field_heights import MIN_ROWS, heights_of, rows_of
from sandbox_tui.tui.widgets.key_bar import KeyBar

_FILE_TEXTS = ("file_text", "old_str", "new_str")

MAX_SHARE = 80
"""Maximum percentage of the screen's height that the dialog takes."""

SECONDS = 0.25
"""Seconds between looks at whether the call still waits."""

MIN_LONG_COLUMNS = 80
"""Columns of a screen from which the key bar has room for the longer words."""

BESIDE_TEXT = 8
"""Columns of a field around its text: border, padding, line numbers, scrollbar."""


class CallDraft(NamedTuple):
    """An edit that was left before it was finished.

    Attributes:
        texts: the texts of all editors of both forms.
        as_json: which form was visible.
        quoted: names of the arguments that are shown as JSON strings.
    """

    texts: tuple[str, ...]
    as_json: bool
    quoted: frozenset[str]


class EditCallDialog(ExplainsUnavailable, Dialog[str | None]):
    """A plain-text editor for each argument, or one for the JSON of all of them.

    ctrl+s (or f2) runs the edited call, f3 switches between the two forms, f4 opens the focused
    text in the user's own editor. An argument with characters that must not reach a terminal
    unescaped is shown as a JSON string, and parsed as one. Dismisses with the arguments as JSON
    text, or None.

    Args:
        call: the call.
        why_gone: tells in a few words why it no longer waits; empty as long as it does. The dialog
            then says so and stays open, so that nothing typed is lost, but cannot be finished.
        draft: an earlier edit of this call to go on with.

    Attributes:
        draft: set when the dialog is left without finishing, if something was changed.
    """

    CSS = """
    EditCallDialog { background: $background 60%; }
    EditCallDialog .dialog { width: 90%; max-width: 120; height: 80%; padding: 0 1; }
    EditCallDialog .dialog.-wrong { border-subtitle-color: $error; border-subtitle-style: bold; }
    EditCallDialog TextArea {
        height: 3; min-height: 3;
        border-title-color: $role-dim;
        &:focus { border-title-color: $accent; }
        &.-only { height: 1fr; max-height: 100%; }
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        # no priority: these must not overtake keys typed just before
        binding("edit_call.run", "run"),
        binding("edit_call.json", "toggle_json"),
        binding("edit_call.editor", "open_editor"),
        binding("edit_call.original", "original"),
        binding("edit_call.other_field", "other_field"),
        binding("edit_call.leave", "cancel", priority=True),
    ]

    finishes = "run edited call", "run edited"
    """What finishing does, and the same in fewer words for a narrow key bar."""

    keeps_draft = True
    """Whether an edit that is left can be gone on with."""

    urgent_actions = ("run", "open_editor")
    """On a narrow screen the key bar keeps these keys rather than that of the palette."""

    def __init__(
        self,
        call: ToolCall,
        why_gone: Callable[[], str] = lambda: "",
        draft: CallDraft | None = None,
    ) -> None:
        super().__init__()
        self.draft = draft
        self._call = call
        self.call_number = call.number
        self._why_gone = why_gone
        self._gone = ""
        self._fields = argument_fields(call.arguments)
        self._as_json = not self._fields
        self._quoted: set[str] = set()
        self._wrong: list[str] = []
        self._original = CallDraft((), False, frozenset())

    def compose(self) -> ComposeResult:
        """Yield the editors of both forms; one form is visible."""
        with VerticalScroll(classes="dialog form") as box:
            name = short_name(sanitize_line(self._call.name))
            box.border_title = Content(f"edit call {self._call.number} · {name}")
            for name, value in self._fields.items():
                only = len(self._fields) == 1
                label, text = LABELS.get(name, name), self._shown(name, value)
                yield _area(label, text, classes="field -only" if only else "field")
            label, text = "arguments as JSON", pretty_arguments(self._call.arguments)
            yield _area(label, text, classes="json -only")
        yield KeyBar()

    def on_mount(self) -> None:
        """Focus the longest argument, and follow what happens to the call elsewhere."""
        self._original = self._now()
        if self.draft is not None and len(self.draft.texts) == len(self._original.texts):
            self._put(self.draft)
        self._say_keys()
        self._show_form()
        self.set_interval(SECONDS, self._follow)

    def _follow(self) -> None:
        gone = self._why_gone()
        if gone != self._gone:
            self._gone = gone
            self._say_keys()
            self.refresh_bindings()

    def on_resize(self) -> None:
        """Let every field fit into the box, with its label, and show the focused one."""
        self.call_after_refresh(self._fit)

    def _fit(self) -> None:
        box = self.query_one(VerticalScroll)
        width = box.content_size.width - BESIDE_TEXT
        rows = self._fit_box(box, width)
        areas = [area for area in self._areas("field") if not area.has_class("-only")]
        needed = [rows_of(area.text, width) + 2 for area in areas]
        for area, height in zip(areas, heights_of(needed, rows), strict=True):
            area.styles.height = height
        self.call_after_refresh(self._show_focused)

    def _fit_box(self, box: VerticalScroll, width: int) -> int:
        """Make the box as high as its texts need, up to its share; return the rows inside it.

        They are computed here because the box gets its new height only with the next layout.
        """
        shown = [area for area in self.query(TextArea) if area.display]
        needed = sum(max(MIN_ROWS, rows_of(area.text, width) + 3) for area in shown)
        most = max(MIN_ROWS, self.size.height * MAX_SHARE // 100)
        height = min(needed + box.gutter.height, most)
        box.styles.height = height
        return height - box.gutter.height

    def _show_focused(self) -> None:
        if self.focused is not None:
            self.focused.scroll_visible(animate=False, immediate=True)

    def _say_keys(self) -> None:
        box = self.query_one(VerticalScroll)
        if self._gone:
            self._say_what_is_wrong(f"{self._gone} · {hint('edit_call.leave')} close")
            return
        box.remove_class("-wrong")
        leave = f"{hint('edit_call.leave')} {self._leaving}"
        keys = f"{hint('edit_call.run')} {self.finishes[0]} · {leave}"
        other = f"{hint('edit_call.other_field')} other field · "
        several = not self.why_unavailable("other_field", ()) and self.size.width >= 90
        box.border_subtitle = f"{other}{keys}" if several else keys

    def words_for(self, action: str) -> str | None:
        """The key bar's words for an action; None for the binding's own description."""
        if action == "cancel":
            return self._leaving
        if action != "run":
            return None
        return self.finishes[self.size.width < MIN_LONG_COLUMNS]

    def _say_what_is_wrong(self, words: str) -> None:
        """Show an error in the border until the next change: a toast would outlast the form."""
        box = self.query_one(VerticalScroll)
        box.add_class("-wrong")
        box.border_subtitle = Content(sanitize_line(words))

    @on(TextArea.Changed)
    def _changed(self) -> None:
        if not self.query_one(VerticalScroll).has_class("-wrong") or self._texts() != self._wrong:
            self._say_keys()
        self.refresh_bindings()
        self._fit()

    def _texts(self) -> list[str]:
        return [area.text for area in self.query(TextArea)]

    def _now(self) -> CallDraft:
        return CallDraft(tuple(self._texts()), self._as_json, frozenset(self._quoted))

    def _put(self, draft: CallDraft) -> None:
        for area, text in zip(self.query(TextArea), draft.texts, strict=True):
            area.text = text
            area.move_cursor(area.document.end)
        self._as_json, self._quoted = draft.as_json, set(draft.quoted)

    @property
    def _leaving(self) -> str:
        """What leaving does with the edit."""
        keeps = self.keeps_draft and self._is_changed and not self._gone
        return "keep draft" if keeps else "cancel"

    @property
    def _is_changed(self) -> bool:
        return tuple(self._texts()) != self._original.texts

    def action_original(self) -> None:
        """Show the call as the model wrote it."""
        self._put(self._original._replace(as_json=self._as_json))
        self._say_keys()
        self.refresh_bindings()

    def action_run(self) -> None:
        """Close with the current arguments, if they suit the tool."""
        arguments = self._written()
        if arguments is None:
            return
        if self._is_changed and (problem := self._why_unusable(arguments)):
            self._wrong = self._texts()
            self._say_what_is_wrong(problem)
        else:
            self.dismiss(arguments)

    def _why_unusable(self, arguments: str) -> str:
        """Return why arguments (JSON text) do not suit the tool, as a sentence; empty if they
        do."""
        try:
            problem = problem_with_call(self._call.name, arguments)
        except ConfigError as error:
            return str(error)
        return f"{problem}." if problem else ""

    def action_toggle_json(self) -> None:
        """Show the fields as JSON, or the JSON as fields, keeping changes."""
        arguments = self._written()
        if arguments is None:
            return
        if not self._as_json:
            self.query_one("TextArea.json", TextArea).text = pretty_arguments(arguments)
        elif not self._fill_fields(argument_fields(arguments)):
            self.notify("The argument names have changed, so they stay JSON.")
            return
        self._as_json = not self._as_json
        self._show_form()
        self._say_keys()
        self.refresh_bindings()

    @work(exclusive=True)
    async def action_open_editor(self) -> None:
        """Edit the focused text in `$EDITOR`. The call does not run until the user runs it here."""
        area = self.focused
        if not isinstance(area, TextArea):
            return
        try:
            written = await edit_in_editor(app_of(self), area.text, self._suffix(area))
        except SandboxTuiError as error:
            self.notify(sanitize_line(str(error)), severity="error", markup=False)
            return
        area.replace(sanitize(written), (0, 0), area.document.end)

    def _suffix(self, area: TextArea) -> str:
        """Return the suffix of a file that contains the text of an editor."""
        if self._as_json:
            return ".json"
        name = list(self._fields)[self._areas("field").index(area)]
        if name == "command" and self._call.name == BASH:
            return ".sh"
        path = str(self._fields.get("path", ""))
        return PurePosixPath(path).suffix if name in _FILE_TEXTS else ".txt"

    def why_unavailable(self, action: str, parameters: tuple[object, ...]) -> str:
        """The call may have been decided elsewhere, and there may be only one field."""
        if action == "run":
            return self._why_gone()
        if action == "original":
            return "" if self._is_changed else "nothing was changed"
        one = action == "other_field" and (self._as_json or len(self._fields) < 2)
        return "there is one field" if one else ""

    def action_other_field(self) -> None:
        """Go to the field before this one, or to the last: tab is typed into the text."""
        self.focus_previous()

    def action_cancel(self) -> None:
        """Close without a change; what was typed is kept as a draft."""
        self.draft = self._now() if self._is_changed else None
        self.dismiss(None)

    # --- the editors

    def _show_form(self) -> None:
        self.query(".field").set(display=not self._as_json)
        self.query(".json").set(display=self._as_json)
        areas = self._areas("json" if self._as_json else "field")
        longest = max(areas, key=lambda area: len(area.text))
        self.set_focus(longest)  # immediately, so that the next key goes there
        if "\n" not in longest.text:  # a longer text is read from its top
            longest.move_cursor(longest.document.end)

    def _areas(self, form: str) -> list[TextArea]:
        return list(self.query(f"TextArea.{form}").results(TextArea))

    def _fill_fields(self, arguments: dict[str, Any]) -> bool:
        """Put arguments into the fields; False if they do not fit."""
        if not self._fields or arguments.keys() != self._fields.keys():
            return False
        self._quoted.clear()
        for area, name in zip(self._areas("field"), self._fields, strict=True):
            area.text = self._shown(name, arguments[name])
        return True

    def _written(self) -> str | None:
        """Return the current arguments as JSON text, or None after showing what is invalid."""
        try:
            return self._arguments()
        except ValueError as error:
            self._wrong = self._texts()
            self._say_what_is_wrong(str(error))
            return None

    def _arguments(self) -> str:
        if self._as_json:
            return one_object(self._areas("json")[0].text)
        fields = zip(self._areas("field"), self._fields, strict=True)
        changed = {name: self._read(name, area.text) for area, name in fields}
        return json.dumps(changed, ensure_ascii=False)

    def _shown(self, name: str, value: Any) -> str:
        if isinstance(value, str) and sanitize(value) == value:
            return value
        self._quoted.add(name)
        return json.dumps(value)

    def _read(self, name: str, text: str) -> Any:
        if name not in self._quoted:
            return text
        try:
            return json.loads(text)
        except (json.JSONDecodeError, RecursionError) as error:
            raise ValueError(f"{name} is not valid JSON: {error}") from error


class ChangeCallDialog(EditCallDialog):
    """The editor for the call that a fork changes: finishing only returns to the form."""

    finishes = "use this call", "use call"

    keeps_draft = False


def _area(label: str, text: str, *, classes: str) -> TextArea:
    lines = text.count("\n") > 0
    area = TextArea(
        text, soft_wrap=True, tab_behavior="indent", show_line_numbers=lines, classes=classes
    )
    area.border_title = Content(sanitize_line(label))  # stays with the field when it scrolls
    return area
