"""The rows of the settings screen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from textual.containers import Horizontal, VerticalScroll
from textual.widgets import Input, Label

from sandbox_tui.core.config.quantities import as_typed
from sandbox_tui.core.config.settings import Settings
from sandbox_tui.tui.format.setting_text import YES_NO, setting_of_text, text_of_setting
from sandbox_tui.tui.widgets.choice import Choice
from sandbox_tui.tui.widgets.line_input import OneLineInput

SETTINGS_CSS = """
SettingsScreen { background: $background 60%; &.-narrow { background: $background; } }
SettingsScreen .dialog { width: 108; max-width: 96%; max-height: 96%; padding: 0 2; }
SettingsScreen .heading { color: $accent; margin-top: 1; height: 1; }
SettingsScreen Horizontal { height: 1; }
SettingsScreen Horizontal:focus-within { background: $role-select; }
SettingsScreen .label { width: 19; padding: 0 1 0 0; color: $foreground; }
SettingsScreen .label.-set { text-style: bold; }
SettingsScreen .about {
    width: 1fr; padding-left: 2; color: $role-dim; text-overflow: ellipsis; text-wrap: nowrap;
    &.-set { color: $foreground; }
    &.-wrong { color: $error; text-style: bold; }
}
SettingsScreen #box { height: auto; }
SettingsScreen #rows { height: auto; scrollbar-size-vertical: 1; }
SettingsScreen #hint { width: 100%; color: $role-dim; margin-top: 1; padding: 0 1; height: 2; }
SettingsScreen #facts {
    width: 100%; padding: 0 1; height: 1; text-overflow: ellipsis; text-wrap: nowrap;
}
SettingsScreen #hint.-wrong { color: $error; }
SettingsScreen .file { color: $role-dim; padding: 0 1; }
SettingsScreen.-low #hint, SettingsScreen.-low .heading { margin-top: 0; }
SettingsScreen.-narrow .dialog { width: 100%; max-width: 100%; }
SettingsScreen.-narrow .about { display: none; }
SettingsScreen.-narrow .about.-wrong { display: block; width: auto; }
SettingsScreen.-narrow .label { width: 17; }
SettingsScreen.-narrow #facts { height: 2; text-wrap: wrap; }
SettingsScreen.-narrow .file { display: none; }
SettingsScreen.-narrow Choice, SettingsScreen.-narrow Input { width: 1fr; }
SettingsScreen Choice { width: 34; }
SettingsScreen Input { width: 34; height: 1; border: none; padding: 0 1; background: $panel; }
SettingsScreen Input:focus { border: none; }
SettingsScreen SearchLine, SettingsScreen.-narrow SearchLine { width: 100%; }
"""

NARROW_COLUMNS = 18
"""Columns for a mistake beside its field in a narrow terminal; the line below has all of it."""


@dataclass(frozen=True, slots=True)
class Row:
    """One setting of the screen.

    Attributes:
        name: name in the config file.
        label: label for the user.
        values: the possible values; empty for a free text.
    """

    name: str
    label: str
    values: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """The id of its field."""
        return id_of(self.name)

    @property
    def default(self) -> str:
        """The text of its default value."""
        return text_of_setting(Settings(), self.name)

    def marked(self, is_set: bool) -> str:
        """Return the label, with a mark if the value does not come from the defaults."""
        return f"{'•' if is_set else ' '} {self.label}"

    def value_of(self, text: str) -> Any:
        """Return the value for the file; None, which removes the setting, for the default."""
        if text == self.default:
            return None
        return as_typed(self.name, text, setting_of_text(self.name, text))


def begin_at(rows: VerticalScroll, name: str, room: int) -> None:
    """Have a setting in view from the first drawing on: before the first layout, nothing scrolls.

    Args:
        rows: contains the lines of all settings.
        name: of the setting.
        room: the visible lines.
    """
    rows.set_reactive(VerticalScroll.scroll_y, float(max(0, _line_number(name) + 1 - room)))


def _line_number(name: str) -> int:
    """Return the line of a setting, from 0: each heading has an empty line above it."""
    line = 0
    for heading, rows in ROWS.items():
        line += 2
        names = [row.name for row in rows]
        if name in names:
            return line + names.index(name)
        line += len(rows) + (heading == "look")  # with the line about the keys
    return 0


def line_of(row: Row, text: str, values: tuple[str, ...]) -> Horizontal:
    """Return the line of a setting: its name, its field, and room for what is said about it."""
    label = Label(row.marked(is_set=False), id=f"label-{row.id}", classes="label", markup=False)
    about = Label(id=f"about-{row.id}", classes="about", markup=False)
    return Horizontal(label, _field_of(row, text, values), about, id=f"row-{row.id}")


def id_of(name: str) -> str:
    """Return the id of the field of a setting."""
    return name.replace(".", "-").replace("_", "-")


def _field_of(row: Row, text: str, values: tuple[str, ...]) -> Choice | Input:
    """Return the field of a setting: a choice of its values, or a line for a free text."""
    if not values:
        empty = row.default or "none"
        return OneLineInput(text, id=row.id, placeholder=empty, select_on_focus=True)
    if text not in values:  # the file of the chosen theme was deleted
        values = (text, *values)
    return Choice(values, text, id=row.id)


ROWS: dict[str, tuple[Row, ...]] = {
    "look": (
        Row("ui.theme", "theme", ("lamplight",)),
        Row("ui.animations", "animations", YES_NO),
        Row("ui.images", "pictures", ("auto", "kitty", "sixel", "blocks", "none")),
        Row("ui.terminal_engine", "terminals", ("own", "native")),
    ),
    "notify when a run ends or waits": (
        Row("ui.notify", "notify by", ("bell", "desktop", "off")),
        Row("ui.title", "terminal title", YES_NO),
    ),
    "model of new runs": (
        Row("model.name", "model"),
        Row("model.base_url", "server"),
        Row("model.api_key_env", "key variable"),
        Row("model.temperature", "temperature"),
        Row("model.tool_calls", "tool calls", ("auto", "native", "json_schema", "text")),
        Row("model.context_length", "context"),
        Row("model.request_timeout", "reply time"),
        Row("model.stall_timeout", "stall time"),
        Row("model.local_ports", "local ports"),
    ),
    "work of new runs": (
        Row("agent.mode", "mode", ("auto", "ask", "step")),
        Row("policy.default", "policy", ("allow", "ask", "deny")),
        Row("agent.prompts", "prompts"),
        Row("agent.output", "output folder"),
        Row("agent.tty", "terminal", YES_NO),
        Row("agent.observation_lines", "result lines"),
        Row("agent.observation_chars", "result chars"),
    ),
    "sandbox of new runs": (
        Row("sandbox.kind", "kind", ("auto", "docker", "bubblewrap")),
        Row("sandbox.image", "image"),
        Row("sandbox.network", "network", ("auto", "bridge", "none")),
        Row("sandbox.memory", "memory"),
        Row("sandbox.cpus", "CPUs"),
        Row("sandbox.pids", "processes"),
        Row("sandbox.grace", "grace"),
        Row("sandbox.snapshots", "snapshots", ("off", "auto", "every")),
        Row("sandbox.snapshots_kept", "kept"),
        Row("sandbox.snapshots_bytes", "their size"),
    ),
    "limits of new runs": (
        Row("limits.max_steps", "max steps"),
        Row("limits.max_tokens", "reply tokens"),
        Row("limits.token_limit", "max tokens"),
        Row("limits.time_limit", "max time"),
        Row("limits.cost_limit", "max cost"),
        Row("limits.command_timeout", "a command"),
        Row("limits.repeated_calls", "repeats"),
        Row("limits.max_attempts", "tries"),
    ),
}
"""The rows, by heading. Tables (`extra_body`, `[keys]`, the rules of the policy) have no row."""
