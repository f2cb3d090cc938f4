"""The form for a new evaluation, which runs in a program of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.events import Resize
from textual.widgets import Button, Input, Label, Select
from typing_extensions import override

from sandbox_tui.core.base.errors import SandboxTuiError
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.config import settings as config
from sandbox_tui.core.config.valid_values import is_server_address
from sandbox_tui.core.evals.scorers.table import SCORERS
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.relations.last_model import LastModel, with_last_model
from sandbox_tui.sessions.store.tables.eval_ledger import EvalSummary
from sandbox_tui.tui.format.setting_text import (
    HINTS,
    MODEL_NEEDED,
    SERVER_NEEDED,
    mistake_of_count,
    mistake_of_setting,
    text_of_setting,
)
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.screens.dialogs.confirm import ConfirmDialog
from sandbox_tui.tui.screens.dialogs.form import WIDE, Mistakes, Texts
from sandbox_tui.tui.screens.evals.start_eval import (
    BOTH,
    KINDS,
    LIKE_SETTING,
    OWN_SCORER,
    FieldError,
    NewEval,
    Size,
    mistake_in_file,
    size_of,
    start_eval,
    suite_to_run,
)
from sandbox_tui.tui.screens.home.model_form import ModelForm
from sandbox_tui.tui.screens.home.server_check import check_server
from sandbox_tui.tui.textual_support.toasts import complain_here
from sandbox_tui.tui.textual_support.typed_app import app_of
from sandbox_tui.tui.widgets.key_bar import KeyBar
from sandbox_tui.tui.widgets.line_input import NameInput, OneLineInput
from sandbox_tui.tui.widgets.path_input import PathInput

MOST = {"limit": None, "samples": None, "at_once": 1024, "steps": None}
"""The number fields, with the highest number if there is one."""

MANY_SAMPLES = 200
"""Number of samples from which the form asks before it starts them."""

COUNTING = "counting…"
"""Stands for the number of samples until it is known."""

TYPING_SECONDS = 0.3
"""Pause in typing after which the tasks of a suite are counted."""


class NewEvalDialog(ModelForm[EvalSummary | None]):
    """Asks for a suite and a model, starts the evaluation and dismisses with it.

    Args:
        store: the database.
        settings: the current settings.
        draft: texts from when the form was last closed; updated on leaving.
        last_model: of the last run or evaluation; the first choice if the settings name no model.
        last_file: the texts of the fields `suite` and `scorer` of the last evaluation of a file,
            offered instead of a suite.
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
        "mode": "mode",
        "kind": "sandbox",
    }

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("new_eval.start", "start", priority=True),
        binding("new_eval.models", "models"),
        binding("new_eval.leave", "cancel"),
    ]

    def __init__(
        self,
        store: Store,
        settings: config.Settings,
        draft: Texts,
        last_model: LastModel | None = None,
        last_file: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__()
        self._store = store
        self._settings = with_last_model(settings, last_model)
        self._has_last_model = self._settings is not settings
        self._draft = draft
        self._last_file = last_file or {}
        self._is_starting = False
        self._suite_size: Size | None = None
        self._counted: tuple[str, str] | None = None

    def compose(self) -> ComposeResult:
        """Yield the form."""
        model = self._settings.model
        with Vertical(id="box", classes="dialog") as box:
            box.border_title = self.HEADING
            with VerticalScroll(id="fields", can_focus=False):
                with Horizontal(classes="row"):
                    suite = PathInput("pocket", placeholder="a name or a path", id="suite")
                    suite.add_class("field")
                    yield suite
                    yield _choice("scorer", _SCORERS, OWN_SCORER)
                with Horizontal(classes="row"):
                    yield NameInput(
                        model.name, "name as the server knows it", id="model", classes="field"
                    )
                    yield _line("url", model.base_url, "…/v1; empty for OpenAI")
                with Horizontal(classes="row"):
                    yield _line("limit", "", "all")
                    yield _line("samples", "", "the suite's")
                    yield _line("at_once", "", "auto")
                with Horizontal(classes="row"):
                    yield _line("steps", "", str(self._settings.limits.max_steps))
                    yield _line("temperature", "", _temperature(self._settings))
                    yield _line("budget", "", "no limit")
                with Horizontal(classes="row"):
                    yield _choice("mode", (BOTH, "sandbox", "vanilla"), BOTH)
                    yield _choice("kind", KINDS, self._settings.sandbox.kind)
            with Horizontal(id="buttons"):
                yield Label(id="hint", markup=False)
                yield Button("start", variant="primary", id="start")
        yield KeyBar()

    def on_mount(self) -> None:
        """Restore the draft and focus the suite."""
        self.show_titles()
        offered = {} if self._draft.get("model") else self._last_used()
        for name, text in {**self._last_file, **self._draft, **offered}.items():
            self.put(name, text)
        suite = self.query_one("#suite", Input)
        suite.focus()
        suite.action_select_all()  # so that typing replaces it
        self._show_size()

    # --- how many samples it starts

    @on(Input.Changed, "#suite")
    @on(Input.Changed, "#limit")
    @on(Input.Changed, "#samples")
    @on(Select.Changed, "#mode")
    @on(Select.Changed, "#scorer")
    @on(Resize)
    def _show_size(self) -> None:
        """Say beside the key how many samples it starts, as soon as that is known."""
        for name in {"suite", "scorer"} - set(self._mistakes):
            self.query_one(f"#{name}").border_subtitle = self.note_of(name)
        typed = self._stripped()
        if (typed["suite"], typed["limit"]) != self._counted:
            self._suite_size = None
            self._count_tasks()
        if not self._is_starting:
            self.query_one("#box").border_subtitle = self._start_words(typed)

    @work(group="size", exclusive=True)
    async def _count_tasks(self) -> None:
        await asyncio.sleep(TYPING_SECONDS)
        typed = self._stripped()
        suite, limit = typed["suite"], typed["limit"]
        if not self.mistake_while_typing("limit", limit):
            self._suite_size = await asyncio.to_thread(
                size_of, suite, int(limit) if limit else None
            )
        self._counted = suite, limit
        self._show_size()

    def _start_words(self, typed: Texts) -> str:
        start, leave = hint("new_eval.start"), hint("new_eval.leave")
        has_mistake = any(self.mistake_while_typing(name, typed[name]) for name in MOST)
        if self._suite_size is None or has_mistake:
            counts = typed["suite"] and (typed["suite"], typed["limit"]) != self._counted
            size = f" ({COUNTING})" if counts and not has_mistake else ""
            return f"{start} start{size} · {leave} cancel"
        size = self._suite_size.changed(NewEval.of(typed))
        factors = f" ({size.factors})" if self.size.width >= WIDE else ""
        return f"{start} start {size.total}{factors} · {leave} cancel"

    def _stripped(self) -> Texts:
        return {name: text.strip() for name, text in self.typed().items()}

    # --- the fields

    @override
    def hint_of(self, name: str) -> str:
        return _HINTS.get(name, " ")

    @override
    def note_of(self, name: str) -> str:
        if name in ("model", "url") and (note := self.server_note(name)):
            return note
        for offered in (self._last_used(), self._last_file):
            if name in offered and offered.items() <= self.typed().items():
                return LAST_USED
        return f"{hint('new_eval.models')} to choose" if name == "model" else ""

    def _last_used(self) -> Texts:
        """Return model and server if they are those last used, which no setting names."""
        model = self._settings.model
        return {"model": model.name, "url": model.base_url} if self._has_last_model else {}

    @override
    def mistake_while_typing(self, name: str, text: str) -> str:
        return _mistake_in(name, text)

    @on(Input.Blurred, "#suite")
    @work(group="check", exclusive=True)
    async def _check_file(self) -> None:
        """Say at once what is wrong with a data file, such as a missing column."""
        typed = self.typed()
        suite, scorer = typed["suite"].strip(), typed["scorer"]
        found = await asyncio.to_thread(mistake_in_file, suite, scorer)
        now = self.typed()
        is_same = (now["suite"].strip(), now["scorer"]) == (suite, scorer)
        if found is not None and is_same and not self._is_starting:
            self._mark(found.field, sanitize_line(str(found)))

    @on(Button.Pressed, "#start")
    def action_start(self) -> None:
        """Start the evaluation if the fields are right, and close when it runs."""
        if not self._is_starting:
            self._start()

    @work(group="start")
    async def _start(self) -> None:
        self.complete_server()
        typed = self._stripped()
        self.mark(_mistakes(typed, self._settings))
        if self._mistakes:
            return
        self._is_starting = True
        self.query_one("#box").border_subtitle = "starting…"
        self.query_one("#hint", Label).update("Starting: loading the tasks, then their program.")
        new = NewEval.of(typed)
        try:
            suite = await asyncio.to_thread(suite_to_run, new)
            if await self._is_wanted(Size.of(suite), new.url):
                args = self._store, self._settings, new, suite
                found = await asyncio.to_thread(start_eval, *args)
                self._keep_draft()
                self.dismiss(found)
                return
            self._explain(self._field_of(self.focused))
        except FieldError as error:
            self.mark({error.field: sanitize_line(str(error))})
        except SandboxTuiError as error:
            complain_here(self, str(error), seconds=20)
        self._is_starting = False
        self._show_size()

    async def _is_wanted(self, size: Size, url: str) -> bool:
        """Ask before many samples, and before samples whose server does not answer."""
        words: list[str] = []
        if size.samples >= MANY_SAMPLES:
            words.append(f"This starts {size.total}: {size.factors}.")
        if url:
            self._check = await check_server(self._settings.model, url)
            self._show_notes()
            if not self._check.answers:
                words.append(f"The server {url} does not answer now.")
        if not words:
            return True
        end = "Start them?" if self._check.answers else "Start all the same?"
        dialog = ConfirmDialog(" ".join([*words, end]), "start", "back")
        return await app_of(self).push_screen_wait(dialog)

    def action_cancel(self) -> None:
        """Close without an evaluation; what was typed is there when the form opens again."""
        if not self._is_starting:
            self._keep_draft()
            self.dismiss(None)

    def _keep_draft(self) -> None:
        self._draft |= self.typed()


def _mistakes(typed: Texts, settings: config.Settings) -> Mistakes:
    """Return what is wrong with the fields, without reading the suite."""
    found: Texts = {
        "suite": "" if typed["suite"] else "Enter a suite's name, or the path of a file.",
        "model": "" if typed["model"] else MODEL_NEEDED,
        **{name: _mistake_in(name, typed[name]) for name in (*MOST, *LIKE_SETTING)},
    }
    changed = config.changed(settings, {"model.base_url": typed["url"]})
    if typed["url"] and not is_server_address(typed["url"]):
        found["url"] = SERVER_NEEDED
    elif config.lacks_key(changed.model):
        found["url"] = f"Enter a URL, or set {settings.model.api_key_env}."
    return {name: words for name, words in found.items() if words}


def _mistake_in(name: str, text: str) -> str:
    """Return what is wrong with the text of a number field; empty for other fields."""
    if not text or name not in (*MOST, *LIKE_SETTING):
        return ""
    if name in MOST:
        return mistake_of_count(text, MOST[name])
    return mistake_of_setting(LIKE_SETTING[name], text)


LAST_USED = "last used"
"""Note at the model and server of the last run or evaluation, and at its file and scorer."""

_HINTS = {
    "suite": (
        "a name (pocket, math, …) or a file: .yaml, or data (.jsonl, .json, .csv, .parquet) with "
        "columns problem or question, target or answer"
    ),
    "scorer": "how answers are compared with the target; a data file needs one, or a column scorer",
    "model": HINTS["model.name"],
    "url": HINTS["model.base_url"],
    "limit": "at most this many tasks of each domain; empty for all",
    "samples": "how often each task is run in each mode; empty for the suite's own number",
    "at_once": "how many samples run at the same time; empty for as many as fit in memory",
    "steps": "steps of a sample; empty: what the suite or the settings say",
    "temperature": "sampling temperature; empty: what the suite or the settings say",
    "budget": "seconds, or such as 30m or 8h, for all samples; empty for no limit",
    "mode": "sandbox: with a computer; vanilla: without one; both: what the computer adds",
    "kind": HINTS["sandbox.kind"],
}
"""What the fields mean."""


_USUAL_SCORERS = ("exact", "number", "math_verify", "choice", "multiple_choice", "judge")
_SCORERS = (OWN_SCORER, *_USUAL_SCORERS, *sorted(set(SCORERS) - set(_USUAL_SCORERS)))


def _temperature(settings: config.Settings) -> str:
    return text_of_setting(settings, LIKE_SETTING["temperature"]) or "the server's"


def _line(name: str, value: str, placeholder: str) -> Input:
    return OneLineInput(value, placeholder, id=name, classes="field")


def _choice(name: str, values: Sequence[str], value: str) -> Select[str]:
    options = [(each, each) for each in values]
    return Select(options, value=value, allow_blank=False, id=name, classes="field")
