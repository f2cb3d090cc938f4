"""The screen for the most frequently changed settings, with the source of each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical, VerticalScroll
from textual.events import DescendantFocus, Resize
from textual.widgets import Input, Label

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.config.setting_sources import DEFAULT
from sandbox_tui.core.config.settings import config_file
from sandbox_tui.tui.format.setting_text import (
    CHANGED,
    HINTS,
    effects,
    facts_of_setting,
    fitted_mistake,
    mistake_of_theme,
    short_hint,
    text_of_setting,
    with_meaning,
)
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.keys.unavailable_reasons import ExplainsUnavailable
from sandbox_tui.tui.live_settings import LiveSettings, SettingsChange
from sandbox_tui.tui.screens.dialogs.confirm import ConfirmDialog
from sandbox_tui.tui.screens.dialogs.dialog import Dialog
from sandbox_tui.tui.screens.dialogs.form import heading_of
from sandbox_tui.tui.screens.setting_keys import KEYS_ROW, KeysLine, words_that_find_keys
from sandbox_tui.tui.screens.setting_mistakes import SettingMistakes
from sandbox_tui.tui.screens.setting_rows import (
    NARROW_COLUMNS,
    ROWS,
    SETTINGS_CSS,
    Row,
    begin_at,
    id_of,
    line_of,
)
from sandbox_tui.tui.screens.setting_search import FoundSettings, find_settings
from sandbox_tui.tui.textual_support.toasts import complain_here, note_here
from sandbox_tui.tui.textual_support.typed_app import app_of
from sandbox_tui.tui.theming.live_themes import LiveThemes
from sandbox_tui.tui.widgets.choice import Choice
from sandbox_tui.tui.widgets.key_bar import KeyBar
from sandbox_tui.tui.widgets.search_line import SearchLine

THEMES_SECONDS = 1.0
"""Seconds between looks for themes that are new."""

LINES_AROUND = 10
"""Lines that the settings leave for the border, the lines below them, and the key bar."""


class SettingsScreen(ExplainsUnavailable, Dialog[None]):
    """Edits settings; ctrl+s (or f2) writes the changes to config.toml.

    Each line says where its value comes from, with a mark if that is not the default, or what is
    wrong with it; the line at the bottom explains the setting with the focus.

    Args:
        live_settings: the current settings, through which changes are made.
        themes: the available themes.
        at: the setting that has the focus at first.
    """

    CSS = SETTINGS_CSS

    VERTICAL_BREAKPOINTS = [(0, "-low"), (36, "-tall")]  # noqa: RUF012
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (76, "-wide")]  # noqa: RUF012

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("settings.save", "save", priority=True),
        binding("settings.reset", "reset", priority=True),
        binding("settings.find", "find", priority=True),
        binding("settings.leave", "leave", priority=True),
        binding("settings.next_section", "section(1)", priority=True),
        binding("settings.previous_section", "section(-1)", show=False, priority=True),
        binding("settings.down", "app.focus_next", show=False, priority=True),
        binding("settings.up", "app.focus_previous", show=False, priority=True),
    ]

    def __init__(
        self, live_settings: LiveSettings, themes: LiveThemes, at: str = "ui.theme"
    ) -> None:
        super().__init__()
        self._at, self._themes, self._live_settings = at, themes, live_settings
        self._rows = {row.id: row for rows in ROWS.values() for row in rows}
        self._at_first = self._texts_now()
        self._sources = live_settings.sources
        self._theme_at_first = ""
        self._said_of_themes = ("", "")
        self._mistakes = SettingMistakes()

    def compose(self) -> ComposeResult:
        """Yield one line per setting, and below them what the one with the focus means."""
        with Vertical(id="box", classes="dialog"):
            yield SearchLine(placeholder="words of a name, a value or an explanation")
            with VerticalScroll(can_focus=False, id="rows"):
                for heading, rows in ROWS.items():
                    yield Label(heading, id=f"heading-{rows[0].id}", classes="heading")
                    for row in rows:
                        text, values = self._at_first[row.name], self._values_of(row)
                        yield line_of(row, text, values)
                    if heading == "look":
                        yield KeysLine()
            yield Label(id="hint", markup=False)
            yield Label(id="facts", markup=False)
            location = sanitize_line(f"Settings file: {config_file()}")
            yield Label(location, classes="file", markup=False)
        yield KeyBar()

    def _values_of(self, row: Row) -> tuple[str, ...]:
        return tuple(self._themes.look_again()) if row.name == "ui.theme" else row.values

    def on_mount(self) -> None:
        """Follow the settings and the theme files, and focus the first field."""
        self._theme_at_first = app_of(self).theme
        self.set_interval(THEMES_SECONDS, self._offer_themes)
        self._live_settings.watch(self._settings_changed)
        self._show_all()
        self._limit_height(height := app_of(self).size.height)
        begin_at(self.query_one("#rows", VerticalScroll), self._at, height - LINES_AROUND)
        self.go_to(self._at)

    def on_unmount(self) -> None:
        """Follow the settings no longer."""
        self._live_settings.unwatch(self._settings_changed)

    def _texts_now(self) -> dict[str, str]:
        now = self._live_settings.now
        return {row.name: text_of_setting(now, row.name) for row in self._rows.values()}

    def _settings_changed(self, change: SettingsChange) -> None:
        """Show the values of a file that was changed meanwhile; what was typed here stays."""
        kept = {row.name: self._text(row.name) for row in self._changed_rows}
        self._at_first = self._texts_now()
        self._sources = self._live_settings.sources
        for row in self._rows.values():
            self._put(row, kept.get(row.name, self._at_first[row.name]))
        if "ui.theme" in change.names:
            self._theme_at_first = app_of(self).theme
        if (theme := kept.get("ui.theme", "")) in app_of(self).available_themes:
            app_of(self).theme = theme  # the one that is previewed here
        self._show_all()

    def _offer_themes(self) -> None:
        names, chosen = self._themes.look_again(), self.query_one("#ui-theme", Choice)
        chosen.offer(names if chosen.value in names else (chosen.value, *names))
        if self._about_themes() != self._said_of_themes:
            self._show_about(self._rows["ui-theme"])

    def on_resize(self, event: Resize) -> None:
        """Let the settings scroll, so that the lines below them stay in view."""
        self._limit_height(event.size.height)
        self.call_after_refresh(self._show_all)
        self._show_focused()

    def _limit_height(self, height: int) -> None:
        is_small = self.has_class("-narrow") and self.has_class("-low")  # the file is not named
        room = height - LINES_AROUND + 2 * is_small - self.query_one(SearchLine).display
        self.query_one("#rows").styles.max_height = max(3, room)

    def _show_all(self) -> None:
        """Fit what is said about the values into the width, which is known now."""
        for row in self._rows.values():
            self._show_about(row)
        self.query_one(KeysLine).show(self._live_settings.now.keys)
        self._show_heading()

    def go_to(self, name: str) -> None:
        """Focus the field of a setting."""
        if not self.query_one(f"#row-{id_of(name)}").display:
            self._end_search()
        # at once: of several keys typed in a row, the next one counts from here
        self.set_focus(self.query_one(f"#{id_of(name)}"))
        self._show_focused()

    def _show_focused(self) -> None:
        """Scroll to the field with the focus, once the rows have their final places."""
        if (field := self.focused) is not None and self._focused_row is not None:
            self.call_after_refresh(field.scroll_visible, animate=False)

    def action_section(self, direction: int) -> None:
        """Go to the first setting of the next section, or of the previous one."""
        sections, row = list(ROWS.values()), self._focused_row
        here = next((n for n, rows in enumerate(sections) if row in rows), 0)
        self.go_to(sections[(here + direction) % len(sections)][0].name)

    @on(Choice.Changed, "#ui-theme")
    def _preview(self, event: Choice.Changed) -> None:
        if event.value in app_of(self).available_themes:
            app_of(self).theme = event.value

    # --- the search

    def action_find(self) -> None:
        """Ask for words that the visible settings must contain."""
        line, rows = self.query_one(SearchLine), self.query_one("#rows")
        if not line.display:
            rows.styles.min_height = rows.size.height - 1  # the dialog keeps its size
        line.open()
        self.query_one("#facts", Label).update("")
        self._show_found()

    @on(Input.Changed, "SearchLine")
    def _show_found(self) -> None:
        """Show the settings that contain the words, under their headings."""
        search = self._found
        found = search.rows
        self.query_one(KeysLine).display = KEYS_ROW in found
        if self.query_one(SearchLine).display:
            are_keys = search.best == KEYS_ROW
            words = HINTS["keys"] if are_keys else "enter goes to the best match"
            self.query_one("#hint", Label).remove_class("-wrong").update(words)
        for rows in ROWS.values():
            for row in rows:
                self.query_one(f"#row-{row.id}").display = row in found
            heading = self.query_one(f"#heading-{rows[0].id}")
            heading.display = any(row in found for row in rows)
        self._limit_height(self.size.height)
        self._show_heading()
        self.refresh_bindings()

    @property
    def _found(self) -> FoundSettings:
        rows: dict[Row, tuple[str, ...]] = {
            row: (self._text(row.name), *self._values_of(row)) for row in self._rows.values()
        }
        rows[KEYS_ROW] = words_that_find_keys(self._live_settings.now.keys)
        return find_settings(rows, self.query_one(SearchLine).value)

    @on(Input.Submitted, "SearchLine")
    def _go_to_found(self) -> None:
        best = self._found.best
        if best is not None and best != KEYS_ROW:  # it has no field
            self.go_to(best.name)

    def _end_search(self) -> None:
        """Show all settings again, with the one that has the focus in view."""
        row, line = self._focused_row, self.query_one(SearchLine)
        line.value = ""
        line.close()
        self.query_one("#rows").styles.min_height = 0
        self._show_found()
        self.go_to(self._at if row is None else row.name)

    # --- what is said about the values

    @on(DescendantFocus)
    @on(Choice.Changed)
    @on(Input.Changed)
    def _show_changed(self, event: DescendantFocus | Choice.Changed | Input.Changed) -> None:
        field = event.widget if isinstance(event, DescendantFocus) else event.control
        if (row := self._rows.get(field.id or "")) is not None:
            self._show_about(row)
            self._show_heading()
            self.refresh_bindings()

    def _show_about(self, row: Row) -> None:
        """Say what is wrong with a value or where it comes from, and what the setting means."""
        hint, source = HINTS[row.name], self._source(row)
        mistake = self._mistake(row)
        if row.name == "ui.theme":
            self._said_of_themes = mistake, others = self._about_themes()
            hint += others
        about = self.query_one(f"#about-{row.id}", Label)
        words = fitted_mistake(mistake, NARROW_COLUMNS) if self.has_class("-narrow") else mistake
        meaning = with_meaning(source, short_hint(row.name), about.content_size.width)
        about.update(sanitize_line(words or meaning))
        about.set_class(bool(mistake), "-wrong")
        label, is_set = self.query_one(f"#label-{row.id}", Label), source != DEFAULT
        about.set_class(is_set, "-set")
        label.set_class(is_set, "-set").update(row.marked(is_set))
        if self.focused is not None and self.focused.id == row.id:
            label = self.query_one("#hint", Label).set_class(bool(mistake), "-wrong")
            label.update(sanitize_line(mistake or hint))
            said = facts_of_setting(row.name, source, self._at_first[row.name], row.default)
            self.query_one("#facts", Label).update(sanitize_line(said))

    def _about_themes(self) -> tuple[str, str]:
        """Return why the chosen theme is not in use, and which other files cannot be used."""
        why = self._themes.why_not_in_use(self._text("ui.theme"))
        files = ", ".join(self._themes.broken_files)
        others = f"; cannot be used: {files} (`sandbox-tui doctor` says why)" if files else ""
        return mistake_of_theme(why), others

    def _show_heading(self) -> None:
        """Say in the title how much is not saved yet, and how many fields are wrong."""
        wrong = sum(bool(self._mistake(row)) for row in self._rows.values())
        number = len(self._changed_rows)
        plural = "s" * (number > 1)
        unsaved = f" · {number} change{plural} not saved" if number and not wrong else ""
        found = f" · {self._found.words}" if self.query_one(SearchLine).display else ""
        box = self.query_one("#box")
        box.border_title = heading_of(f"settings{found}{unsaved}", wrong)
        leave = self.words_for("leave") or "cancel"
        box.border_subtitle = f"{hint('settings.save')} save · {hint('settings.leave')} {leave}"

    @property
    def _changed_rows(self) -> list[Row]:
        rows = self._rows.values()
        return [row for row in rows if self._text(row.name) != self._at_first[row.name]]

    def _mistake(self, row: Row) -> str:
        return self._mistakes.of(row, self._text(row.name))

    def _source(self, row: Row) -> str:
        """Return where the value that is shown comes from."""
        text = self._text(row.name)
        if text == self._at_first[row.name]:
            return self._sources[row.name]
        return DEFAULT if text in ("", row.default) else CHANGED

    # --- keys

    @property
    def _focused_row(self) -> Row | None:
        return None if self.focused is None else self._rows.get(self.focused.id or "")

    def why_unavailable(self, action: str, parameters: tuple[object, ...]) -> str:
        """A value that is the default cannot be reset, and a search is not opened twice."""
        if action == "find":
            return "this is the search" if isinstance(self.focused, SearchLine) else ""
        if action != "reset":
            return ""
        row = self._focused_row
        if row is None:
            return "no setting is chosen"
        return "this is the default" if self._text(row.name) == row.default else ""

    def words_for(self, action: str) -> str | None:
        """Return the key bar's current words for an action."""
        return "all settings" if action == "leave" and self.query_one(SearchLine).display else None

    def action_reset(self) -> None:
        """Put the default back into the field; saving removes the setting from the file."""
        if (row := self._focused_row) is not None:
            self._put(row, row.default)

    def _put(self, row: Row, text: str) -> None:
        field = self.query_one(f"#{row.id}")
        if isinstance(field, Choice | Input):
            field.value = text

    def take(self, texts: Mapping[str, str]) -> None:
        """Put texts into the fields of these settings, to be saved with the others."""
        for name, text in texts.items():
            self._put(self._rows[id_of(name)], text)
        self.go_to(next(iter(texts)))

    def action_save(self) -> None:
        """Write the changes, unless a value is invalid: then the first of them gets the focus."""
        self._mistakes.forget()
        wrong = [row for row in self._rows.values() if self._mistake(row)]
        if wrong:
            self.go_to(wrong[0].name)
            return
        changes = {row.name: row.value_of(self._text(row.name)) for row in self._changed_rows}
        if changes and not self._write(changes):
            return
        self.dismiss(None)

    def _write(self, changes: dict[str, Any]) -> bool:
        self._live_settings.unwatch(self._settings_changed)  # the screen is about to close
        try:
            path = self._live_settings.change(changes)
        except ConfigError as error:
            self._live_settings.watch(self._settings_changed)
            complain_here(self, str(error), seconds=20)
            return False
        note_here(self, f"Saved in {path}: {effects(changes)}.")
        return True

    def action_leave(self) -> None:
        """End the search, otherwise leave without saving, asked first, and restore the theme."""
        if self.query_one(SearchLine).display:
            self._end_search()
        elif unsaved := ", ".join(row.name for row in self._changed_rows):
            question = f"Leave without saving {unsaved}?"
            app_of(self).push_screen(ConfirmDialog(question, "leave", "stay"), self._leave)
        else:
            self._leave(True)

    def _leave(self, sure: bool | None) -> None:
        if sure:
            app_of(self).theme = self._theme_at_first
            self.dismiss(None)

    def _text(self, name: str) -> str:
        field = self.query_one(f"#{id_of(name)}")
        return field.value.strip() if isinstance(field, Choice | Input) else ""
