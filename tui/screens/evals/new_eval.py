"""The form for a new evaluation, which runs in a program of its own."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping, Sequence
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Button, Label
from textual.widgets.select import InvalidSelectValueError
from typing_extensions import override

from sandbox_tui.core.base.errors import SandboxTuiError
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.config import settings as config
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.relations.last_model import LastModel, with_last_model
from sandbox_tui.sessions.store.tables.eval_ledger import EvalSummary
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.keys.unavailable_reasons import ExplainsUnavailable
from sandbox_tui.tui.screens.dialogs.confirm import ConfirmDialog
from sandbox_tui.tui.screens.dialogs.form import Mistakes, Texts, when_filled
from sandbox_tui.tui.screens.evals.start_eval import (
    FieldError,
    NewEval,
    start_eval,
    suite_to_run,
)
from sandbox_tui.tui.screens.evals.starting.fields import (
    LAST_USED,
    mistake_in,
    mistakes_in,
)
from sandbox_tui.tui.screens.evals.starting.preview import Size
from sandbox_tui.tui.screens.evals.starting.rows import rows_of
from sandbox_tui.tui.screens.evals.starting.scrolled_fields import ScrolledFields
from sandbox_tui.tui.screens.evals.starting.suite_form import SuiteForm
from sandbox_tui.tui.screens.evals.starting.suite_input import SuiteInput
from sandbox_tui.tui.screens.evals.starting.suite_mistakes import mistakes_of_suite
from sandbox_tui.tui.screens.evals.starting.suite_scorer import PAIR, with_own_scorer
from sandbox_tui.tui.screens.home.server_check import check_server
from sandbox_tui.tui.screens.new_run.kept_draft import KEEP_SECONDS, Kept, KeptDraft
from sandbox_tui.tui.textual_support.toasts import complain_here
from sandbox_tui.tui.textual_support.typed_app import app_of
from sandbox_tui.tui.widgets.key_bar import KeyBar
from sandbox_tui.tui.widgets.sessions.session_rows import start_time


class NewEvalDialog(ExplainsUnavailable, SuiteForm[EvalSummary | None]):
    """Asks for a suite and a model, starts the evaluation and dismisses with it.

    Args:
        store: the database.
        settings: the current settings.
        draft: texts from when the form was last closed; updated on leaving.
        last_model: of the last run or evaluation; the first choice if the settings name no model.
        last_used: the texts that the last evaluation offers, in groups of fields that belong
            together.
        kept: keeps the draft for the next start of the program; None: nothing does.
    """

    CSS = """
    NewEvalDialog #fields { height: auto; scrollbar-size-vertical: 1; }
    NewEvalDialog .row > #suite { width: 2fr; }
    /* The names of all suites have room below the fields. */
    NewEvalDialog.-low.-narrow #buttons { height: 4; }
    """

    HEADING = "new evaluation"

    MORE_HINT_LINES = 2

    TITLES: ClassVar[Mapping[str, str]] = {
        "suite": "suite or data file",
        "scorer": "scorer",
        "model": "model",
        "url": "server",
        "limit": "tasks",
        "samples": "samples",
        "at_once": "at once",
        "steps": "max steps",
        "temperature": "temperature",
        "budget": "stop after",
        "domains": "domains",
        "mode": "mode",
        "kind": "sandbox",
        "budget_tokens": "stop after tokens",
        "budget_cost": "stop after dollars",
    }

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("new_eval.start", "start", priority=True),
        binding("new_eval.models", "models"),
        binding("new_eval.clear", "clear"),
        binding("new_eval.leave", "cancel"),
    ]

    def __init__(
        self,
        store: Store,
        settings: config.Settings,
        draft: Texts,
        last_model: LastModel | None = None,
        last_used: Sequence[Mapping[str, str]] = (),
        kept: KeptDraft | None = None,
    ) -> None:
        super().__init__()
        self._store = store
        self._settings = with_last_model(settings, last_model)
        self._has_last_model = self._settings is not settings
        self.last_server = "" if last_model is None else last_model.base_url
        self._draft = draft
        self._of_last = last_used
        self._kept = kept
        self._restored: Kept | None = None
        self._at_first: Texts = {}
        self._cleared: Texts = {}
        self._cleared_mistakes: Texts = {}

    def compose(self) -> ComposeResult:
        """Yield the form."""
        with Vertical(id="box", classes="dialog") as box:
            box.border_title = self.HEADING
            with ScrolledFields(id="fields", can_focus=False):
                yield from rows_of(self._settings)
            with Horizontal(id="buttons"):
                yield Label(id="hint", markup=False)
                yield Button("start", variant="primary", id="start")
        yield KeyBar()

    def on_mount(self) -> None:
        """Restore the draft and focus the suite."""
        self.show_titles()
        draft = with_own_scorer(self._draft or self._draft_of_earlier_start())
        model = {} if draft.get("model") else self._last_used()
        for name, text in (each for group in (*self._of_last, model) for each in group.items()):
            self.put(name, text)
        self._at_first = self.typed()
        for name in self.TITLES.keys() & draft:
            with contextlib.suppress(InvalidSelectValueError):  # a draft of another version
                self.put(name, draft[name])
        if self._kept is None:
            self._at_first = self.typed()  # of an evaluation that is run again: nobody typed it
        self.pair_is_put()
        self.is_filled = True
        self.show_titles()
        self.set_interval(KEEP_SECONDS, self.keep_draft)
        self.query_one(SuiteInput).begin(self._at_first["suite"])
        self.show_size()

    def _draft_of_earlier_start(self) -> Texts:
        self._restored = None if self._kept is None else self._kept.read()
        return {} if self._restored is None else self._restored.texts

    # --- the fields

    @override
    def note_of(self, name: str) -> str:
        if name == "suite" and (self._cleared or self._restored is not None):
            return self._note_of_draft
        if name in ("model", "url") and (note := self.server_note(name)):
            return note
        if note := self.scorer_note(name):
            return note
        for offered in (self._last_used(), *self._of_last):
            if name in offered and offered.items() <= self.typed().items():
                return LAST_USED
        return f"{hint('new_eval.models')} to choose" if name == "model" else ""

    def _last_used(self) -> Texts:
        """Return model and server if they are those last used, which no setting names."""
        model = self._settings.model
        return {"model": model.name, "url": model.base_url} if self._has_last_model else {}

    @override
    def mistake_while_typing(self, name: str, text: str) -> str:
        return mistake_in(name, text)

    @on(Button.Pressed, "#start")
    @when_filled
    def action_start(self) -> None:
        """Start the evaluation if the fields are right, and close when it runs."""
        if not self.is_starting:
            self._start()

    @work(group="start")
    async def _start(self) -> None:
        self.complete_server()
        typed = self.stripped()
        self._say_that_it_starts()
        mistakes = await self._all_mistakes(typed)
        self.mark(mistakes)
        if not mistakes:
            await self._begin(NewEval.of(typed))
        self.is_starting = False
        self.show_size()
        self.refresh_bindings()

    def _say_that_it_starts(self) -> None:
        self.is_starting = True
        self.refresh_bindings()
        self.query_one("#box").border_subtitle = "starting…"
        self.query_one("#hint", Label).update("Starting: loading the tasks, then their program.")

    async def _all_mistakes(self, typed: Texts) -> Mistakes:
        """Return what is wrong with all fields; of a server that answers, it is noted at the model
        if it lists none of this name."""
        mistakes = await asyncio.to_thread(mistakes_of_suite, typed)
        mistakes |= mistakes_in(typed, self._settings)
        if mistakes and typed["url"] and "url" not in mistakes:
            self._check_server(typed["url"])
        return mistakes

    async def _begin(self, new: NewEval) -> None:
        try:
            suite = await asyncio.to_thread(suite_to_run, new)
            if await self._is_wanted(Size.of(suite), new):
                args = self._store, self._settings, new, suite
                found = await asyncio.to_thread(start_eval, *args)
                self._leave(is_started=True)
                self.dismiss(found)
                return
            self._explain(self._field_of(self.focused))
        except FieldError as error:
            self.mark({error.field: sanitize_line(str(error))})
        except SandboxTuiError as error:
            complain_here(self, str(error), seconds=20)

    async def _is_wanted(self, size: Size, new: NewEval) -> bool:
        """Ask before many samples, and before samples whose server does not answer or lists no
        such model."""
        doubt = ""
        if new.url:
            self._check = await check_server(self._settings.model, new.url)
            self._show_notes()
            doubt = sanitize_line(self._check.doubt(new.model))
        if not (question := size.question(doubt)):
            return True
        return await app_of(self).push_screen_wait(ConfirmDialog(question, "start", "back"))

    def why_unavailable(self, action: str, parameters: tuple[object, ...]) -> str:
        """While it starts, nothing can be changed or left."""
        own = ("start", "cancel", "clear", "models")
        return "it is starting" if self.is_starting and action in own else ""

    @when_filled
    def action_cancel(self) -> None:
        """Close without an evaluation; what was typed is there when the form opens again."""
        if not self.is_starting:
            if self._unsaved:
                words = f"Draft saved: {self._way_back} opens it again."
                self.notify(words, markup=False, timeout=4)
            self._leave()
            self.dismiss(None)

    @when_filled
    def action_clear(self) -> None:
        """Put back what the fields contained at first; pressed again, what was typed."""
        if self.is_starting:
            return
        typed = self._unsaved
        texts = self._at_first | ({} if typed else self._cleared)
        mistakes = {} if typed else self._cleared_mistakes
        self._cleared, self._restored = typed, None
        self._cleared_mistakes = dict(self._mistakes)
        self.mark({})
        for name, text in texts.items():
            self.put(name, text)
        self.pair_is_put()
        self.keep_draft()
        self.show_titles()
        self.query_one(SuiteInput).focus_again()
        self.mark(mistakes)

    @property
    def _note_of_draft(self) -> str:
        key = hint("new_eval.clear")
        if self._restored is None:
            return "" if self._unsaved else f"cleared · {key} brings it back"
        return f"draft of {start_time(self._restored.saved_at)} restored · {key} clears it"

    def on_screen_suspend(self) -> None:
        """Keep what was typed: the screen above may be the question whether to quit."""
        self.keep_draft()

    def keep_draft(self) -> None:
        """Keep what was typed for the next start of the program."""
        if self._kept is not None and self.is_filled and self.query("#fields"):
            self._kept.write(self._unsaved)

    def _leave(self, *, is_started: bool = False) -> None:
        self._draft |= self.typed()
        if is_started and self._kept is not None:
            self._kept.write({})
            self._kept = None
        self.keep_draft()

    @property
    def _unsaved(self) -> Texts:
        """What was typed or chosen here."""
        typed = self.typed()
        changed = {name for name, text in typed.items() if text != self._at_first.get(name)}
        changed |= set(PAIR) if "suite" in changed else set()
        return {name: typed[name] for name in typed if name in changed}

    @property
    def _way_back(self) -> str:
        return hint("evals.run_again" if self._kept is None else "evals.new")
