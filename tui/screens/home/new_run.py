"""The form in which a run is described."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import ClassVar, NamedTuple, TypeAlias, cast

import msgspec
from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.widget import Widget
from textual.widgets import Button, Input, Select, TextArea

from sandbox_tui.core.config.settings import Settings
from sandbox_tui.core.events.types import Mode
from sandbox_tui.core.models.discovery import find_local_servers
from sandbox_tui.core.run.run_request import MAX_RUNS, RunRequest, requests_for, split_tasks
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.live_settings import LiveSettings
from sandbox_tui.tui.screens.dialogs.dialog import Dialog
from sandbox_tui.tui.screens.home.choose_model import ChooseModelDialog
from sandbox_tui.tui.textual_support.typed_app import app_of
from sandbox_tui.tui.widgets.key_bar import KeyBar
from sandbox_tui.tui.widgets.sessions.model_offers import Offer, offers_of

Draft: TypeAlias = dict[str, str]
"""What a person typed into a form that was left, by field."""

TASK_HINT = "a line of --- begins another task"


class Problem(NamedTuple):
    """Why a run cannot be started yet.

    Attributes:
        field: where it has to be mended.
        words: what to do there.
    """

    field: str
    words: str


class NewRunDialog(Dialog[Sequence[RunRequest] | None]):
    """Asks for tasks, a model, a sandbox; dismisses with a request for each run.

    Args:
        in_force: the settings to begin with.
        draft: what was typed into the form when it was left; kept up to date on leaving.
    """

    CSS = """
    NewRunDialog { background: $background 60%; }
    NewRunDialog .dialog { width: 92; max-width: 96%; max-height: 96%; padding: 0 2; }
    NewRunDialog #fields { height: auto; scrollbar-size-vertical: 1; }
    NewRunDialog .row { height: 3; }
    NewRunDialog .row > * { width: 1fr; }
    NewRunDialog .row > #input, NewRunDialog .row > #mode { width: 3fr; }
    NewRunDialog .row > #kind, NewRunDialog .row > #calls { width: 2fr; }
    NewRunDialog .row > Select { min-width: 12; }
    NewRunDialog .row > #steps, NewRunDialog .row > #samples { width: 2fr; }
    NewRunDialog .field {
        border: round $border-blurred; border-title-color: $role-dim;
        border-subtitle-color: $role-dim; padding: 0 1;
        &:focus, &:focus-within { border: round $accent; border-title-color: $accent; }
        &.-wrong { border: round $error; border-title-color: $error;
                   border-subtitle-color: $error; border-subtitle-style: bold; }
    }
    NewRunDialog TextArea { height: 7; }
    NewRunDialog Input, NewRunDialog Select { height: 3; }
    NewRunDialog SelectCurrent, NewRunDialog Select:focus > SelectCurrent {
        border: none; padding: 0; height: 1; background: transparent; background-tint: transparent;
    }
    NewRunDialog #buttons { height: 3; align-horizontal: right; }
    NewRunDialog.-low TextArea { height: 4; }
    NewRunDialog.-low #buttons { height: 1; }
    NewRunDialog.-low Button { height: 1; border: none; }
    """

    VERTICAL_BREAKPOINTS = [(0, "-low"), (26, "-tall")]  # noqa: RUF012

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("new_run.start", "start", priority=True),
        binding("new_run.models", "models"),
        binding("new_run.leave", "cancel"),
    ]

    def __init__(self, in_force: LiveSettings, draft: Draft | None = None) -> None:
        super().__init__()
        self._settings = in_force.now
        self._draft: Draft = {} if draft is None else draft
        self._at_first: Draft = {}
        self._wrong: Draft = {}

    def compose(self) -> ComposeResult:
        """The form."""
        model, sandbox = self._settings.model, self._settings.sandbox
        with Vertical(id="box", classes="dialog") as box:
            box.border_title = "new run"
            box.border_subtitle = (
                f"{hint('new_run.start')} starts · {hint('new_run.leave')} goes back"
            )
            with VerticalScroll(id="fields", can_focus=False):
                yield TextArea(id="task", classes="field", soft_wrap=True, tab_behavior="focus")
                with Horizontal(classes="row"):
                    yield _line("model", model.name, "name as the server knows it")
                    yield _line("url", model.base_url, "…/v1, or empty: the hosted one")
                with Horizontal(classes="row"):
                    yield _line("input", "", "copied into the sandbox")
                    yield _line("steps", str(self._settings.limits.max_steps))
                    yield _line("samples", "1")
                with Horizontal(classes="row"):
                    yield _choice("kind", ("auto", "docker", "bubblewrap"), sandbox.kind)
                    yield _choice("mode", ("auto", "ask", "step"), self._settings.agent.mode)
                    yield _choice(
                        "calls", ("auto", "native", "json_schema", "text"), model.tool_calls
                    )
            with Horizontal(id="buttons"):
                yield Button("start", variant="primary", id="start")
        yield KeyBar()

    def on_mount(self) -> None:
        """Begin with the task, and with what was typed before."""
        for name, title in _TITLES.items():
            self.query_one(f"#{name}").border_title = title
        self.query_one("#task").border_subtitle = TASK_HINT
        self._at_first = self._typed()
        for name, text in self._draft.items():
            self._put(name, text)
        self.query_one("#task").focus()
        if not self._settings.model.name:
            self._look_for_models()

    @work(exclusive=True, group="look")
    async def _look_for_models(self) -> None:
        """Say that this machine has models, where none is named yet."""
        model = self._settings.model
        offers = offers_of(await find_local_servers(model.local_ports), model)
        found = sum(bool(offer.model) for offer in offers)
        if found:
            words = f"{found} on this machine, {hint('new_run.models')} lists them"
            self.query_one("#model").border_subtitle = words

    def action_models(self) -> None:
        """Choose among the models that this machine has, for this run alone."""
        app_of(self).push_screen(
            ChooseModelDialog(self._settings.model, for_good=False), self._take
        )

    def _take(self, offer: Offer | None) -> None:
        if offer is not None:
            self._put("model", offer.model)
            self._put("url", offer.base_url)

    @on(Button.Pressed, "#start")
    def action_start(self) -> None:
        """Close with the request, if it is complete."""
        typed = self._typed()
        tasks, given = split_tasks(typed["task"]), typed["input"].strip()
        problem = _problem(tasks, typed)
        if problem is not None:
            self._mark(problem)
            return
        request = RunRequest(
            task="",
            settings=self._changed(typed),
            mode=cast(Mode, typed["mode"]),
            input=Path(given).expanduser() if given else None,
        )
        self._draft.clear()
        self.dismiss(requests_for(request, tasks, int(typed["samples"])))

    def action_cancel(self) -> None:
        """Close without a run; what was typed is there again when the form is opened again."""
        self._draft.clear()
        self._draft |= self.unsaved
        if "task" in self._draft:
            self.notify(f"Draft kept: {hint('home.new')} opens it again.", markup=False, timeout=4)
        self.dismiss(None)

    @property
    def unsaved(self) -> Draft:
        """What was typed or chosen here, and is nowhere else."""
        typed = self._typed().items()
        return {name: text for name, text in typed if text != self._at_first.get(name)}

    # --- what is wrong, said where it is

    def _mark(self, problem: Problem) -> None:
        field = self.query_one(f"#{problem.field}")
        self._wrong[problem.field] = self._typed()[problem.field]
        field.add_class("-wrong")
        field.border_subtitle = problem.words
        field.focus()

    @on(TextArea.Changed)
    @on(Input.Changed)
    def _typed_in(self, event: TextArea.Changed | Input.Changed) -> None:
        field, name = event.control, event.control.id or ""
        # a key typed just before starting is told of only after the field was marked
        if field.has_class("-wrong") and self._typed()[name] != self._wrong[name]:
            field.remove_class("-wrong")
            field.border_subtitle = TASK_HINT if name == "task" else ""

    # --- the fields

    def _fields(self) -> Iterator[tuple[str, Widget]]:
        for name in _TITLES:
            yield name, self.query_one(f"#{name}")

    def _typed(self) -> Draft:
        """What stands in each field."""
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

    def _changed(self, typed: Draft) -> Settings:
        old = self._settings
        replace = msgspec.structs.replace
        name, url = typed["model"].strip(), typed["url"].strip()
        return replace(
            old,
            model=replace(
                old.model,
                name=name,
                base_url=url,
                tool_calls=typed["calls"],  # pyright: ignore[reportArgumentType]
            ),
            sandbox=replace(old.sandbox, kind=typed["kind"]),  # pyright: ignore[reportArgumentType]
            limits=replace(old.limits, max_steps=int(typed["steps"])),
        )


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
}
"""What stands in the border of each field."""

_MODE_WORDS = {"auto": "auto", "ask": "ask: by the policy", "step": "step: every call waits"}


def _line(name: str, value: str, placeholder: str = "") -> Input:
    kind = "integer" if name in ("steps", "samples") else "text"
    return Input(value, placeholder, type=kind, id=name, classes="field")


def _choice(name: str, values: Sequence[str], value: str) -> Select[str]:
    options = [(_MODE_WORDS.get(each, each) if name == "mode" else each, each) for each in values]
    return Select(options, value=value, allow_blank=False, id=name, classes="field")


def _problem(tasks: Sequence[str], typed: Draft) -> Problem | None:
    given = typed["input"].strip()
    steps, samples = typed["steps"].strip(), typed["samples"].strip()
    if not tasks:
        return Problem("task", "Enter a task.")
    if not typed["model"].strip():
        return Problem("model", "Enter a model's name.")
    if given and not Path(given).expanduser().exists():
        return Problem("input", "This does not exist.")
    if not steps.isdecimal() or int(steps) < 1:
        return Problem("steps", "from 1")
    if not samples.isdecimal() or not 1 <= int(samples) <= MAX_RUNS:
        return Problem("samples", f"from 1 to {MAX_RUNS}")
    return None
