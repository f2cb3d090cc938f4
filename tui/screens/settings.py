"""The screen for the most frequently changed settings, with a live preview of the theme."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.widgets import Input, Label

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.config.setting_sources import setting_sources
from sandbox_tui.core.config.settings import config_file
from sandbox_tui.tui.format.setting_text import (
    YES_NO,
    setting_of_text,
    short_hint,
    text_of_setting,
)
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.live_settings import LiveSettings
from sandbox_tui.tui.screens.dialogs.dialog import Dialog
from sandbox_tui.tui.textual_support.typed_app import app_of
from sandbox_tui.tui.widgets.choice import Choice
from sandbox_tui.tui.widgets.key_bar import KeyBar
from sandbox_tui.tui.widgets.line_input import OneLineInput


@dataclass(frozen=True, slots=True)
class Row:
    """One setting of the screen.

    Attributes:
        name: name in the config file.
        label: label for the user.
        values: the possible values; empty for a free text.
        empty: placeholder of an empty text field.
    """

    name: str
    label: str
    values: tuple[str, ...] = ()
    empty: str = "none"


ROWS: dict[str, tuple[Row, ...]] = {
    "look": (
        Row("ui.theme", "theme", ("lamplight",)),
        Row("ui.animations", "animations", YES_NO),
    ),
    "notify when a run ends or waits": (
        Row("ui.notify", "notify by", ("bell", "desktop", "off")),
        Row("ui.title", "terminal title", YES_NO),
    ),
    "sandbox of new runs": (
        Row("sandbox.kind", "kind", ("auto", "docker", "bubblewrap")),
        Row("sandbox.image", "image", empty="default"),
        Row("sandbox.network", "network", ("auto", "bridge", "none")),
    ),
    "limits of new runs": (
        Row("limits.max_steps", "steps"),
        Row("limits.token_limit", "tokens"),
        Row("limits.time_limit", "time"),
        Row("limits.cost_limit", "cost"),
        Row("limits.command_timeout", "a command"),
        Row("limits.repeated_calls", "repeats"),
    ),
    "model of new runs": (
        Row("model.tool_calls", "tool calls", ("auto", "native", "json_schema", "text")),
    ),
}


class SettingsScreen(Dialog[None]):
    """Edits settings; ctrl+s (or f2) writes the changes to config.toml.

    Args:
        live_settings: the current settings, through which changes are made.
        themes: names of the available themes.
        at: the setting that has the focus at first.
    """

    CSS = """
    SettingsScreen { background: $background 60%; }
    SettingsScreen .dialog {
        width: 90; max-width: 96%; max-height: 96%; padding: 0 2; scrollbar-size-vertical: 1;
    }
    SettingsScreen .heading { color: $accent; margin-top: 1; height: 1; }
    SettingsScreen Horizontal { height: 1; }
    SettingsScreen Horizontal:focus-within { background: $role-select; }
    SettingsScreen .label { width: 18; padding: 0 1; color: $foreground; }
    SettingsScreen .about {
        width: 1fr; padding-left: 2; color: $role-dim; text-overflow: ellipsis; text-wrap: nowrap;
    }
    SettingsScreen.-narrow .about { display: none; }
    SettingsScreen .file { color: $role-dim; margin-top: 1; padding: 0 1; }
    SettingsScreen Choice { width: 24; }
    SettingsScreen Input {
        width: 24; height: 1; border: none; padding: 0 1; background: $panel;
    }
    SettingsScreen Input:focus { border: none; }
    """

    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (76, "-wide")]  # noqa: RUF012

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("settings.save", "save", priority=True),
        binding("settings.leave", "leave", priority=True),
        binding("settings.down", "app.focus_next", show=False, priority=True),
        binding("settings.up", "app.focus_previous", show=False, priority=True),
    ]

    def __init__(
        self, live_settings: LiveSettings, themes: Sequence[str], at: str = "ui.theme"
    ) -> None:
        super().__init__()
        self._at = at
        self._live_settings = live_settings
        self._themes = tuple(themes)
        self._at_first = {
            row.name: text_of_setting(live_settings.now, row.name)
            for rows in ROWS.values()
            for row in rows
        }
        self._theme_at_first = ""

    def compose(self) -> ComposeResult:
        """Yield one line per setting."""
        sources = _sources()
        with VerticalScroll(can_focus=False, classes="dialog") as box:
            box.border_title = "settings"
            box.border_subtitle = f"{hint('settings.save')} save · {hint('settings.leave')} cancel"
            for heading, rows in ROWS.items():
                yield Label(heading, classes="heading")
                for row in rows:
                    with Horizontal():
                        yield Label(row.label, classes="label")
                        yield self._field(row)
                        yield Label(
                            sanitize_line(sources.get(row.name) or short_hint(row.name)),
                            classes="about",
                            markup=False,
                        )
            location = sanitize_line(f"Settings file: {config_file()}")
            yield Label(location, classes="file", markup=False)
        yield KeyBar()

    def _field(self, row: Row) -> Choice | Input:
        text = self._at_first[row.name]
        values = self._themes if row.name == "ui.theme" else row.values
        if values:
            if text not in values:  # the file of the chosen theme was deleted
                values = (text, *values)
            return Choice(values, text, id=_id(row.name))
        return OneLineInput(text, id=_id(row.name), placeholder=row.empty, select_on_focus=True)

    def on_mount(self) -> None:
        """Remember the theme at first, and focus the first field."""
        self._theme_at_first = app_of(self).theme
        self.go_to(self._at)

    def go_to(self, name: str) -> None:
        """Focus the field of a setting."""
        self.query_one(f"#{_id(name)}").focus()

    @on(Choice.Changed, "#ui-theme")
    def _preview(self, event: Choice.Changed) -> None:
        if event.value in app_of(self).available_themes:
            app_of(self).theme = event.value

    def action_save(self) -> None:
        """Write the changes; report an invalid value and focus its field."""
        changes: dict[str, Any] = {}
        for name, before in self._at_first.items():
            text = self._text(name)
            if text == before:
                continue
            try:
                changes[name] = setting_of_text(name, text)
            except ConfigError as error:
                self.notify(sanitize_line(str(error)), severity="warning", markup=False)
                self.query_one(f"#{_id(name)}").focus()
                return
        if changes and not self._write(changes):
            return
        self.dismiss(None)

    def _write(self, changes: dict[str, Any]) -> bool:
        try:
            path = self._live_settings.change(changes)
        except ConfigError as error:
            self.notify(sanitize_line(str(error)), severity="error", markup=False, timeout=20)
            return False
        app_of(self).animation_level = "full" if self._live_settings.now.ui.animations else "none"
        self.notify(sanitize_line(f"Saved in {path}."), markup=False, timeout=3)
        return True

    def action_leave(self) -> None:
        """Leave without saving; restore the theme."""
        app_of(self).theme = self._theme_at_first
        self.dismiss(None)

    def _text(self, name: str) -> str:
        field = self.query_one(f"#{_id(name)}")
        return field.value.strip() if isinstance(field, Choice | Input) else ""


def _sources() -> dict[str, str]:
    """Settings that an environment variable overrides at the next start, with that variable."""
    try:
        found = setting_sources()
    except ConfigError:
        return {}
    return {
        name: f"${source}" for name, _, source in found if source != "default" and source.isupper()
    }


def _id(name: str) -> str:
    return name.replace(".", "-").replace("_", "-")
