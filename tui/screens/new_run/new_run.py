"""The form for new runs."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, cast

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.events import Resize
from textual.widgets import Button, Input, Label, Select, TextArea
from textual.widgets.select import InvalidSelectValueError
from typing_extensions import override

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.config import settings as config
from sandbox_tui.core.run.run_request import RunRequest, requests_for, split_tasks
from sandbox_tui.sessions.relations.last_model import LastModel, with_last_model
from sandbox_tui.tui.format.setting_text import HINTS
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.keys.unavailable_reasons import ExplainsUnavailable, as_sentence
from sandbox_tui.tui.live_settings import LiveSettings
from sandbox_tui.tui.screens.dialogs.form import TALLEST, Mistakes, Texts, when_filled
from sandbox_tui.tui.screens.new_run.added_model import with_those_before
from sandbox_tui.tui.screens.new_run.field_widgets import (
    FORM_CSS,
    TaskField,
    choice_field,
    further_fields,
    line_field,
    path_field,
)
from sandbox_tui.tui.screens.new_run.form_draft import FormDraft
from sandbox_tui.tui.screens.new_run.found_models import LooksForModels
from sandbox_tui.tui.screens.new_run.kept_draft import KEEP_SECONDS, KeptDraft
from sandbox_tui.tui.screens.new_run.key_words import bar_words, help_words
from sandbox_tui.tui.screens.new_run.run_count import start_words
from sandbox_tui.tui.screens.new_run.run_fields import (
    ONE_SERVER,
    ONLY_ONE,
    OTHER_HINTS,
    SETTINGS,
    SEVERAL_NAMES,
    TASK_HINT,
    TITLES,
    changes_of,
    mistakes_in,
    saved_titles,
    texts_of,
    with_fields,
)
from sandbox_tui.tui.screens.new_run.run_mistakes import (
    missing,
    mistake_when_left,
    mistake_while_typing,
    no_default,
    unusable,
)
from sandbox_tui.tui.textual_support.toasts import RESULT_SECONDS, DedupedToasts, complain_here
from sandbox_tui.tui.textual_support.typed_app import app_of
from sandbox_tui.tui.widgets.key_bar import KeyBar
from sandbox_tui.tui.widgets.line_input import NameInput
from sandbox_tui.tui.widgets.sessions.home_banner import FROM_LAST_RUN
from sandbox_tui.tui.widgets.sessions.model_offers import Offer

ALL_SHOWN = "all settings are shown"
"""Why the key for more settings is off."""


class NewRunDialog(ExplainsUnavailable, LooksForModels[Sequence[RunRequest] | None]):
    """Asks for tasks, a model, a sandbox; dismisses with a request for each run.

    Args:
        live_settings: the initial settings.
        draft: texts from when the form was last closed; updated on leaving.
        last_model: of the last run; the first choice if the settings name no model.

    Attributes:
        started_with: the texts that were typed for the requests.
    """

    CSS = FORM_CSS

    HEADING = "new run"
    TITLES = TITLES

    urgent_actions = ("start", "more")

    KEEPS_DRAFT = True
    """Whether the next start of the program has the draft."""

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("new_run.start", "start", priority=True),
        binding("new_run.models", "models"),
        binding("new_run.more", "more"),
        binding("new_run.keep", "keep"),
        binding("new_run.clear", "clear"),
        binding("new_run.leave", "cancel"),
    ]

    def __init__(
        self,
        live_settings: LiveSettings,
        draft: Texts | None = None,
        last_model: LastModel | None = None,
    ) -> None:
        super().__init__()
        self._live_settings = live_settings
        self._settings = with_last_model(live_settings.now, last_model)
        self._has_last_model = self._settings is not live_settings.now
        self.last_server = "" if last_model is None else last_model.base_url
        kept = KeptDraft() if self.KEEPS_DRAFT else None
        self._draft = FormDraft({} if draft is None else draft, kept)
        self._at_first: Texts = {}
        self._start_words = ""
        self.started_with: Texts = {}

    def compose(self) -> ComposeResult:
        """Yield the form."""
        model, sandbox = self._settings.model, self._settings.sandbox
        with Vertical(id="box", classes="dialog") as box:
            box.border_title = self.HEADING
            with VerticalScroll(id="fields", can_focus=False):
                yield TaskField()
                with Horizontal(classes="row"):
                    yield NameInput(model.name, SEVERAL_NAMES, id="model", classes="field")
                    yield line_field("url", model.base_url, "…/v1; empty for OpenAI")
                with Horizontal(classes="row"):
                    yield path_field("input", "", "path to copy in")
                    yield line_field("steps", str(self._settings.limits.max_steps))
                    yield line_field("samples", "1")
                with Horizontal(classes="row"):
                    yield choice_field("kind", ("auto", "docker", "bubblewrap"), sandbox.kind)
                    yield choice_field("mode", ("auto", "ask", "step"), self._settings.agent.mode)
                    yield choice_field(
                        "calls", ("auto", "native", "json_schema", "text"), model.tool_calls
                    )
                with Vertical(id="more"):
                    yield from further_fields(self._settings)
            with Horizontal(id="buttons"):
                yield Label(id="hint", markup=False)
                yield Button("start", variant="primary", id="start")
        yield KeyBar()

    def on_mount(self) -> None:
        """Restore the draft and focus the task."""
        self.fill()
        self._at_first = self.typed()
        draft = self._draft.restore()
        for name in self.TITLES.keys() & draft:
            with contextlib.suppress(InvalidSelectValueError):  # a draft of another version
                self.put(name, draft[name])
        self.show_hidden(draft)
        self.is_filled = True
        self.show_titles()
        self._mark_restored(draft)
        self._count_runs()
        self.query_one("#task").focus()
        self.set_interval(KEEP_SECONDS, self.keep_draft)
        if not self._settings.model.name:
            self.look_for_models()

    def fill(self) -> None:
        """Fill in what is no setting; as it comes from elsewhere, it is no draft."""

    @override
    def hint_of(self, name: str) -> str:
        return OTHER_HINTS.get(name) or HINTS[SETTINGS[name]]

    @override
    def note_of(self, name: str) -> str:
        if name in ("model", "url") and (note := self.server_note(name)):
            return note
        if name == "model" and self._models_found:
            return ONLY_ONE if self.has_only_found else self.beside_mistake(name)
        if name in ("model", "url") and self._is_from_last_run:
            return FROM_LAST_RUN
        return self._draft.note(self.unsaved) or TASK_HINT if name == "task" else ""

    @property
    @override
    def has_draft_of_model(self) -> bool:
        return bool({"model", "url"} & set(self._draft.texts))

    @property
    def _is_from_last_run(self) -> bool:
        """Whether model and server are those of the last run, which no setting names."""
        model, typed = self._settings.model, self.typed()
        is_kept = (typed["model"], typed["url"]) == (model.name, model.base_url)
        return self._has_last_model and is_kept

    @override
    def take_model(self, offer: Offer | None) -> None:
        """Take a model; in addition to those before it if they are several, or end in a comma."""
        if offer is not None and (offer := with_those_before(offer, self.typed())) is None:
            self.notify(ONE_SERVER, severity="warning", markup=False)
        super().take_model(offer)

    @on(Button.Pressed, "#start")
    @when_filled
    def action_start(self) -> None:
        """Close with the requests if they are complete, and wanted although their server is in
        doubt."""
        self.complete_server()
        typed = self.typed()
        settings, mistakes = self._checked(typed)
        self.mark(mistakes)
        if mistakes:
            return
        request = with_fields(self.request_with(settings), typed)
        requests = requests_for(request, split_tasks(typed["task"]), int(typed["samples"]))
        if request.model is None and (self.has_unknown_server or self.is_server_in_doubt):
            self._start_if_wanted(requests)
        else:
            self._close_with(requests)

    def _checked(self, typed: Texts) -> tuple[config.Settings, Mistakes]:
        """Return the settings that were typed, without those that are wrong, and all mistakes."""
        invalid = mistakes_in(typed)
        valid = {**typed, **{name: self._at_first[name] for name in invalid}}
        settings = config.changed(self._settings, changes_of(valid, self._at_first))
        others = missing(split_tasks(typed["task"]), typed)
        return settings, {**self.unusable(settings), **invalid, **others}

    def _mark_restored(self, draft: Texts) -> None:
        """Mark what is wrong in a restored draft, since it was typed before; what is still empty
        is marked when the form starts."""
        if not draft:
            return
        typed = self.typed()
        for name, words in self._checked(typed)[1].items():
            if name in draft and typed[name].strip():
                self._mark(name, words)  # not `mark`: the focus stays where it is
        self.call_after_refresh(self.call_after_refresh, self._fit_mistakes)  # has sizes by then

    @work(exclusive=True, group="start")
    async def _start_if_wanted(self, requests: Sequence[RunRequest]) -> None:
        if await self.is_start_wanted():
            self._close_with(requests)

    def _close_with(self, requests: Sequence[RunRequest]) -> None:
        self.started_with = self.unsaved
        self._draft.start()
        self.dismiss(requests)

    def request_with(self, settings: config.Settings) -> RunRequest:
        """Return a request with these settings, still without what is no setting."""
        return RunRequest(task="", settings=settings)

    def unusable(self, settings: config.Settings) -> Mistakes:
        """Return which values cannot be used although they are valid: a server, a prompt pack."""
        return unusable(settings)

    def action_more(self) -> None:
        """Show or hide the less frequently changed settings."""
        self.toggle_class("-more").refresh_bindings()
        if self.has_class("-more"):
            self.call_after_refresh(self._focus_more)

    def _focus_more(self) -> None:
        """Scroll to the settings that were hidden, and focus the first of them."""
        self.query_one("#more").scroll_visible(animate=False)
        self.query_one("#output").focus()

    def why_unavailable(self, action: str, parameters: tuple[object, ...]) -> str:
        """Nothing is hidden if there is room for everything."""
        all_shown = action == "more" and self.has_class("-tallest")
        return ALL_SHOWN if all_shown else ""

    def on_resize(self, event: Resize) -> None:
        """Put away the notice that everything is shown once it no longer is."""
        if event.size.height < TALLEST:
            cast("DedupedToasts[int]", app_of(self)).remove_notices_with(as_sentence(ALL_SHOWN))

    @when_filled
    def action_keep(self) -> None:
        """Save the changed settings as defaults for future runs."""
        self.complete_server()
        typed = self.typed()
        mistakes = {**mistakes_in(typed), **no_default(typed)}
        self.mark(mistakes)
        if mistakes:
            return
        changes = self.changes_to_keep(typed)
        if not changes:
            self.notify("Nothing to save: these are the defaults already.", markup=False)
            return
        try:
            path = self._live_settings.change(changes)
        except ConfigError as error:
            complain_here(self, str(error), seconds=20)
        else:
            self._has_last_model = False
            self._show_notes()
            saved = saved_titles(changes)
            words = f"New runs start with these settings from now on: {saved} (saved in {path})."
            doubt = self.doubt_about("model") or self.doubt_about("url")
            severity = "warning" if doubt else "information"
            said = f"{sanitize_line(words)} {doubt}".strip()
            self.notify(said, severity=severity, markup=False, timeout=RESULT_SECONDS)

    def changes_to_keep(self, typed: Texts) -> dict[str, Any]:
        """Return the settings to save, by dotted name."""
        return changes_of(typed, texts_of(self._live_settings.now))

    @when_filled
    def action_cancel(self) -> None:
        """Close without a run; the typed text is kept as a draft."""
        self._draft.leave(self.unsaved)
        if self.is_draft_worth_a_word:
            self.notify(f"Draft saved: {self.way_back}.", markup=False, timeout=4)
        self.dismiss(None)

    @when_filled
    def action_clear(self) -> None:
        """Put back what the fields contained at first; pressed again, what was typed."""
        draft = self._draft.clear(self.unsaved)
        self.mark({})
        for name, text in (self._at_first | draft).items():
            self.put(name, text)
        self._mark_restored(draft)
        self.query_one("#task").border_subtitle = self.note_of("task")
        self.query_one("#task").focus()

    def on_screen_suspend(self) -> None:
        """Keep what was typed: the screen above may be the question whether to quit."""
        self.keep_draft()

    def keep_draft(self) -> None:
        """Keep what was typed for the next start of the program."""
        if self.is_filled and self.is_mounted:
            self._draft.keep(self.unsaved)

    @property
    def way_back(self) -> str:
        """How to open the form again."""
        return f"{hint('home.new')} opens it again"

    @property
    def is_draft_worth_a_word(self) -> bool:
        """Whether to say that the draft is kept."""
        return "task" in self._draft.texts

    @property
    def unsaved(self) -> Texts:
        """What was typed or chosen here and is saved nowhere else."""
        typed = self.typed() if self.typed()["task"].strip() else {**self.typed(), "task": ""}
        return {name: text for name, text in typed.items() if text != self._at_first.get(name)}

    @on(TextArea.Changed)
    @on(Input.Changed)
    @on(Select.Changed)
    def _show_draft_note(self) -> None:
        if "task" not in self._mistakes:
            self.query_one("#task").border_subtitle = self.note_of("task")

    @on(TextArea.Changed, "#task")
    @on(Input.Changed, "#model")
    @on(Input.Changed, "#samples")
    def _count_runs(self) -> None:
        words = start_words(self.typed())
        if words in ("", self._start_words):
            return
        self._start_words = words
        keys = f"{hint('new_run.start')} {words} · {hint('new_run.leave')} cancel"
        self.query_one("#box").border_subtitle = keys
        self.query_one("#start", Button).label = words
        self.refresh_bindings()

    def words_for(self, action: str) -> str | None:
        """How many runs the start key starts, and whether the key for more hides them."""
        narrow = self.has_class("-narrow")
        return bar_words(action, self._start_words, more=self.has_class("-more"), narrow=narrow)

    def title_for(self, action: str) -> str | None:
        """What keys do, in the help: the narrow key bar has fewer words."""
        return help_words(action, self._start_words, more=self.has_class("-more"))

    @override
    def mark(self, mistakes: Mistakes) -> None:
        self.show_hidden(mistakes)
        super().mark(mistakes)

    @override
    def show_hidden(self, names: Iterable[str]) -> None:
        if any(self.query(f"#more #{name}") for name in names):
            self.add_class("-more")

    @override
    def mistake_when_left(self, name: str, text: str) -> str:
        return mistake_when_left(name, text)

    @override
    def mistake_while_typing(self, name: str, text: str) -> str:
        return mistake_while_typing(name, text)
