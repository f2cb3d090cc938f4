"""The form for new runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar, TypeAlias, cast

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.events import DescendantFocus
from textual.widget import Widget
from textual.widgets import Button, Input, Label, Select, TextArea

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.base.typed_path import is_there, typed_path
from sandbox_tui.core.config import settings as config
from sandbox_tui.core.events.types import Mode
from sandbox_tui.core.models.discovery import find_local_servers
from sandbox_tui.core.prompts import load_pack
from sandbox_tui.core.run.run_request import MAX_RUNS, RunRequest, requests_for, split_tasks
from sandbox_tui.tui.format.setting_text import HINTS, YES_NO
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.keys.unavailable_reasons import ExplainsUnavailable
from sandbox_tui.tui.live_settings import LiveSettings
from sandbox_tui.tui.screens.dialogs.dialog import Dialog
from sandbox_tui.tui.screens.home.choose_model import ChooseModelDialog
from sandbox_tui.tui.screens.home.run_fields import (
    SETTINGS,
    FieldProblem,
    Problem,
    changes_of,
    texts_of,
)
from sandbox_tui.tui.textual_support.typed_app import app_of
from sandbox_tui.tui.widgets.key_bar import KeyBar
from sandbox_tui.tui.widgets.line_input import NameInput, OneLineInput
from sandbox_tui.tui.widgets.sessions.model_offers import Offer, offers_of

Draft: TypeAlias = dict[str, str]
"""What the user typed into a form that was closed, by field."""

TASK_HINT = "a line of --- starts another task"


class NewRunDialog(ExplainsUnavailable, Dialog[Sequence[RunRequest] | None]):
    """Asks for tasks, a model, a sandbox; dismisses with a request for each run.

    Args:
        live_settings: the initial settings.
        draft: texts from when the form was last closed; updated on leaving.
    """

    CSS = """
    NewRunDialog { background: $background 60%; }
    NewRunDialog .dialog { width: 92; max-width: 96%; max-height: 96%; padding: 0 2; }
    NewRunDialog ToastRack { dock: top; margin: 0; }
    NewRunDialog #fields { height: auto; scrollbar-size-vertical: 1; }
    NewRunDialog .row { height: 3; }
    NewRunDialog .row > * { width: 1fr; }
    NewRunDialog .row > #input, NewRunDialog .row > #mode { width: 3fr; }
    NewRunDialog .row > #kind, NewRunDialog .row > #calls { width: 2fr; }
    NewRunDialog.-low .row > #mode { width: 2fr; }
    NewRunDialog.-low .row > #kind, NewRunDialog.-low .row > #calls { width: 3fr; }
    NewRunDialog .row > Select { min-width: 12; }
    NewRunDialog #mode SelectOverlay { min-width: 30; }
    NewRunDialog .row > #steps, NewRunDialog .row > #samples { width: 2fr; }
    NewRunDialog .field {
        border: round $border-blurred; border-title-color: $role-dim;
        border-subtitle-color: $role-dim; padding: 0 1;
        &:focus, &:focus-within { border: round $accent; border-title-color: $accent; }
        &.-wrong { border: round $error; border-title-color: $error;
                   border-subtitle-color: $error; border-subtitle-style: bold; }
    }
    NewRunDialog #more { height: auto; display: none; }
    NewRunDialog.-tallest #more, NewRunDialog.-more #more { display: block; }
    NewRunDialog TextArea { height: 7; }
    NewRunDialog Input, NewRunDialog Select { height: 3; }
    NewRunDialog SelectCurrent, NewRunDialog Select:focus > SelectCurrent {
        border: none; padding: 0; height: 1; background: transparent; background-tint: transparent;
    }
    NewRunDialog #buttons { height: 3; }
    NewRunDialog #hint { width: 1fr; height: 100%; padding: 0 2 0 1; color: $role-dim; }
    NewRunDialog.-low TextArea { height: 4; }
    NewRunDialog.-low #buttons { height: 1; }
    NewRunDialog.-low Button { height: 1; border: none; }
    """

    VERTICAL_BREAKPOINTS = [(0, "-low"), (26, "-tall"), (38, "-tallest")]  # noqa: RUF012

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("new_run.start", "start", priority=True),
        binding("new_run.models", "models"),
        binding("new_run.more", "more"),
        binding("new_run.keep", "keep"),
        binding("new_run.leave", "cancel"),
    ]

    def __init__(self, live_settings: LiveSettings, draft: Draft | None = None) -> None:
        super().__init__()
        self._live_settings = live_settings
        self._settings = live_settings.now
        self._draft: Draft = {} if draft is None else draft
        self._at_first: Draft = {}
        self._wrong: Draft = {}

    def compose(self) -> ComposeResult:
        """Yield the form."""
        model, sandbox = self._settings.model, self._settings.sandbox
        with Vertical(id="box", classes="dialog") as box:
            box.border_title = "new run"
            box.border_subtitle = f"{hint('new_run.start')} start · {hint('new_run.leave')} cancel"
            with VerticalScroll(id="fields", can_focus=False):
                yield TextArea(id="task", classes="field", soft_wrap=True, tab_behavior="focus")
                with Horizontal(classes="row"):
                    hint_words = "name as the server knows it"
                    yield NameInput(model.name, hint_words, id="model", classes="field")
                    yield _line("url", model.base_url, "…/v1; empty for OpenAI")
                with Horizontal(classes="row"):
                    yield _line("input", "", "path to copy in")
                    yield _line("steps", str(self._settings.limits.max_steps))
                    yield _line("samples", "1")
                with Horizontal(classes="row"):
                    yield _choice("kind", ("auto", "docker", "bubblewrap"), sandbox.kind)
                    yield _choice("mode", ("auto", "ask", "step"), self._settings.agent.mode)
                    yield _choice(
                        "calls", ("auto", "native", "json_schema", "text"), model.tool_calls
                    )
                with Vertical(id="more"):
                    yield from self._more()
            with Horizontal(id="buttons"):
                yield Label(id="hint", markup=False)
                yield Button("start", variant="primary", id="start")
        yield KeyBar()

    def _more(self) -> ComposeResult:
        """Yield the less frequently changed settings."""
        texts = texts_of(self._settings)
        with Horizontal(classes="row"):
            yield _line("output", texts["output"], "each run gets a subfolder")
            yield _line("prompts", texts["prompts"], "prompt pack name")
        with Horizontal(classes="row"):
            yield _choice("network", ("auto", "bridge", "none"), texts["network"])
            yield _choice("tty", YES_NO, texts["tty"])
            yield _choice("policy", ("allow", "ask", "deny"), texts["policy"])
        with Horizontal(classes="row"):
            yield _line("temperature", texts["temperature"], "server default")
            yield _line("tokens", texts["tokens"], "no limit")
            yield _line("time", texts["time"], "no limit")
            yield _line("cost", texts["cost"], "no limit")

    def on_mount(self) -> None:
        """Restore the draft and focus the task."""
        for name, title in _TITLES.items():
            self.query_one(f"#{name}").border_title = title
        self.query_one("#task").border_subtitle = TASK_HINT
        self._at_first = self._typed()
        for name, text in self._draft.items():
            self._put(name, text)
        self.query_one("#task").focus()
        if not self._settings.model.name:
            self._look_for_models()

    @on(DescendantFocus)
    def _explain(self, event: DescendantFocus) -> None:
        """Say what the field with the focus means."""
        ids = (node.id for node in event.widget.ancestors_with_self)
        name = next((name for name in ids if name in _TITLES), "")
        self.query_one("#hint", Label).update(_OTHER_HINTS.get(name) or HINTS[SETTINGS[name]])

    @work(exclusive=True, group="look")
    async def _look_for_models(self) -> None:
        """If no model is set yet, show that this machine has models."""
        model = self._settings.model
        offers = offers_of(await find_local_servers(model.local_ports), model)
        found = sum(bool(offer.model) for offer in offers)
        if found:
            words = f"{found} on this machine, {hint('new_run.models')} to choose"
            self.query_one("#model").border_subtitle = words

    def action_models(self) -> None:
        """Choose a model that is available on this machine, only for this run."""
        app_of(self).push_screen(
            ChooseModelDialog(self._settings.model, for_good=False), self._take
        )

    def _take(self, offer: Offer | None) -> None:
        if offer is not None:
            self._put("model", offer.model)
            self._put("url", offer.base_url)

    @on(Button.Pressed, "#start")
    def action_start(self) -> None:
        """Close with the requests if they are complete."""
        typed = self._typed()
        tasks, input_path = split_tasks(typed["task"]), typed["input"].strip()
        try:
            _check(tasks, typed)
            settings = config.changed(self._settings, changes_of(typed, self._at_first))
            _check_key(settings.model)
            load_pack(settings.agent.prompts)
        except FieldProblem as error:
            self._mark(error.problem)
            return
        except ConfigError as error:  # from the prompt pack: all other texts are parsed
            self._mark(Problem("prompts", sanitize_line(str(error))))
            return
        request = RunRequest(
            task="",
            settings=settings,
            mode=cast(Mode, typed["mode"]),
            input=typed_path(input_path) if input_path else None,
        )
        self._draft.clear()
        self.dismiss(requests_for(request, tasks, int(typed["samples"])))

    def action_more(self) -> None:
        """Show or hide the less frequently changed settings."""
        self.toggle_class("-more")

    def why_unavailable(self, action: str, parameters: tuple[object, ...]) -> str:
        """Nothing is hidden if there is room for everything."""
        all_shown = action == "more" and self.has_class("-tallest")
        return "all settings are shown" if all_shown else ""

    def action_keep(self) -> None:
        """Save the changed settings as defaults for future runs."""
        typed = self._typed()
        try:
            changes = changes_of(typed, texts_of(self._live_settings.now))
            if not changes:
                self.notify("Nothing to save: these are the defaults already.", markup=False)
                return
            path = self._live_settings.change(changes)
        except FieldProblem as error:
            self._mark(error.problem)
        except ConfigError as error:
            self.notify(sanitize_line(str(error)), severity="error", markup=False, timeout=20)
        else:
            words = f"New runs start with these settings from now on (saved in {path})."
            self.notify(sanitize_line(words), markup=False)

    def action_cancel(self) -> None:
        """Close without a run; the typed text is kept as a draft."""
        self._draft.clear()
        self._draft |= self.unsaved
        if "task" in self._draft:
            self.notify(f"Draft saved: {hint('home.new')} opens it again.", markup=False, timeout=4)
        self.dismiss(None)

    @property
    def unsaved(self) -> Draft:
        """What was typed or chosen here and is saved nowhere else."""
        typed = self._typed().items()
        return {name: text for name, text in typed if text != self._at_first.get(name)}

    # --- errors at their fields

    def _mark(self, problem: Problem) -> None:
        field = self.query_one(f"#{problem.field}")
        if field in self.query("#more .field"):
            self.add_class("-more")
        self._wrong[problem.field] = self._typed()[problem.field]
        field.add_class("-wrong")
        field.border_subtitle = Content(problem.words)
        field.focus()

    @on(TextArea.Changed)
    @on(Input.Changed)
    def _typed_in(self, event: TextArea.Changed | Input.Changed) -> None:
        field, name = event.control, event.control.id or ""
        # The event of a key typed just before starting arrives only after the field was marked.
        if field.has_class("-wrong") and self._typed()[name] != self._wrong[name]:
            field.remove_class("-wrong")
            field.border_subtitle = TASK_HINT if name == "task" else ""

    # --- the fields

    def _fields(self) -> Iterator[tuple[str, Widget]]:
        for name in _TITLES:
            yield name, self.query_one(f"#{name}")

    def _typed(self) -> Draft:
        """Return the text of each field."""
        texts: Draft = {}
        for name, field in self._fields():
            match field:
                case TextArea():
                    texts[name] = field.text
                case Input():
                    texts[name] = field.value
                case Select():
                    texts[name] = str(cast(object, field.value))
                case _:
                    pass
        return texts

    def _put(self, name: str, text: str) -> None:
        match self.query_one(f"#{name}"):
            case TextArea() as area:
                area.load_text(text)
                area.move_cursor(area.document.end)
            case Input() | Select() as field:
                field.value = text
            case _:
                pass


_TITLES = {
    "task": "task",
    "model": "model",
    "url": "server",
    "input": "input, optional",
    "steps": "max steps",
    "samples": "samples",
    "kind": "sandbox",
    "mode": "mode",
    "calls": "tool calls",
    "output": "output folder",
    "prompts": "prompts",
    "network": "network",
    "tty": "commands on a terminal",
    "policy": "calls without a rule",
    "temperature": "temperature",
    "tokens": "max tokens",
    "time": "max seconds",
    "cost": "max US dollars",
}
"""The border title of each field."""

_OTHER_HINTS = {
    "": " ",
    "task": "what the model has to do",
    "input": "a file or folder of this machine; it is copied into the sandbox",
    "samples": "how often to run each task, at the same time",
}
"""What the fields mean that are not settings; the others have the hints of their settings."""

_MODE_WORDS = {"auto": "auto", "ask": "ask: the policy decides", "step": "step: every call waits"}


def _line(name: str, value: str, placeholder: str = "") -> Input:
    kind = "integer" if name in ("steps", "samples") else "text"
    return OneLineInput(value, placeholder, type=kind, id=name, classes="field")


def _choice(name: str, values: Sequence[str], value: str) -> Select[str]:
    options = [(_MODE_WORDS.get(each, each) if name == "mode" else each, each) for each in values]
    return Select(options, value=value, allow_blank=False, id=name, classes="field")


def _check(tasks: Sequence[str], typed: Draft) -> None:
    """Check the fields that are not settings, and settings that a run requires.

    Raises:
        FieldProblem: something is missing or invalid.
    """
    input_path = typed["input"].strip()
    steps, samples = typed["steps"].strip(), typed["samples"].strip()
    if not tasks:
        raise FieldProblem(Problem("task", "Enter a task."))
    if not typed["model"].strip():
        raise FieldProblem(Problem("model", "Enter a model's name."))
    if input_path and not is_there(typed_path(input_path)):
        raise FieldProblem(Problem("input", "This path does not exist."))
    if not steps.isdecimal() or int(steps) < 1:
        raise FieldProblem(Problem("steps", "from 1"))
    if not samples.isdecimal() or not 1 <= int(samples) <= MAX_RUNS:
        raise FieldProblem(Problem("samples", f"from 1 to {MAX_RUNS}"))


def _check_key(model: config.ModelSettings) -> None:
    """Check that the model can be used.

    Raises:
        FieldProblem: it is hosted, and its API key is missing.
    """
    if config.lacks_key(model):
        raise FieldProblem(Problem("url", f"Enter a URL, or set {model.api_key_env}."))
