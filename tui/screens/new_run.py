# pyright: reportUnknownMemberType=false
"""The form in which a run is described."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar, cast

import msgspec
from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Grid, Horizontal, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Button, Input, Label, Select, TextArea

from ...core.config import Settings
from ...core.errors import ConfigError
from ...core.events import Mode
from ...core.launch import MOST_RUNS, RunRequest, several, split_tasks
from ...core.models.local_servers import find_local_servers
from ...core.text import clean_line
from ..keymap import hint
from ..settings_in_force import SettingsInForce
from ..widgets.key_bar import KeyBar
from ..widgets.model_offers import Offer, offers_of
from .choose_model import ChooseModel


class NewRun(ModalScreen[Sequence[RunRequest] | None]):
    """Asks for tasks, a model, a sandbox; dismisses with a request for each run."""

    CSS = """
    NewRun { align: center middle; background: $background 60%; }
    NewRun VerticalScroll {
        width: 92; max-width: 96%; height: auto; max-height: 96%; padding: 0 2;
        border: round $accent; background: $surface;
        border-title-color: $accent; border-subtitle-color: $role-dim; scrollbar-size-vertical: 1;
    }
    NewRun Label { color: $role-dim; height: 1; margin-top: 1; }
    NewRun TextArea { height: 7; border: round $border-blurred; }
    NewRun TextArea:focus { border: round $accent; }
    NewRun Grid { grid-size: 2; grid-gutter: 0 2; grid-rows: 2 3; height: auto; }
    NewRun Grid > * { height: auto; }
    NewRun Input { border: round $border-blurred; height: 3; }
    NewRun Input:focus { border: round $accent; }
    NewRun #numbers { height: 3; margin: 0; }
    NewRun #numbers Input { width: 1fr; }
    NewRun Horizontal { height: auto; align-horizontal: right; margin-top: 1; }
    NewRun Button { margin-left: 2; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s,f2", "start", "start", priority=True, id="new_run.start"),
        Binding("f3", "models", "models", id="new_run.models"),
        Binding("escape", "cancel", "back", priority=True, id="new_run.leave"),
    ]

    def __init__(self, in_force: SettingsInForce) -> None:
        super().__init__()
        self._in_force = in_force
        self._settings = in_force.now

    def compose(self) -> ComposeResult:
        """The form."""
        model, sandbox = self._settings.model, self._settings.sandbox
        with VerticalScroll() as box:
            box.border_title = "new run"
            box.border_subtitle = (
                f"{hint('new_run.start')} starts · {hint('new_run.leave')} goes back"
            )
            yield Label("task; a line of --- begins another, each is a run of its own")
            yield TextArea(id="task", soft_wrap=True, tab_behavior="focus")
            with Grid():
                yield Label("model", id="model-label")
                yield Label("server (…/v1); empty: the hosted one")
                yield Input(model.name, placeholder="name as the server knows it", id="model")
                yield Input(model.base_url, placeholder="address of the server", id="url")
                yield Label("input file or folder, optional")
                yield Label("most steps · runs of each task")
                yield Input(placeholder="copied into the sandbox", id="input")
                with Horizontal(id="numbers"):
                    yield Input(str(self._settings.limits.max_steps), type="integer", id="steps")
                    yield Input("1", type="integer", id="samples")
                yield Label("sandbox")
                yield Label("begin")
                kinds = [(kind, kind) for kind in ("auto", "docker", "bubblewrap")]
                yield Select(kinds, value=sandbox.kind, allow_blank=False, id="kind")
                modes = [("by itself", "auto"), ("step by step", "step"), ("by policy", "ask")]
                mode = self._settings.agent.mode
                yield Select(modes, value=mode, allow_blank=False, id="mode")
            with Horizontal():
                yield Button("start", variant="primary", id="start")
        yield KeyBar()

    def on_mount(self) -> None:
        """Begin with the task."""
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
            words = f"model · {found} on this machine, {hint('new_run.models')} lists them"
            self.query_one("#model-label", Label).update(words)

    def action_models(self) -> None:
        """Choose among the models that this machine has."""
        self.app.push_screen(ChooseModel(self._settings.model), self._take)

    def _take(self, offer: Offer | None) -> None:
        if offer is None:
            return
        self.query_one("#model", Input).value = offer.model
        self.query_one("#url", Input).value = offer.base_url
        try:
            self._in_force.change({"model.name": offer.model, "model.base_url": offer.base_url})
        except ConfigError as error:  # it can be used all the same
            self.notify(clean_line(str(error)), severity="warning", markup=False)

    @on(Button.Pressed, "#start")
    def action_start(self) -> None:
        """Close with the request, if it is complete."""
        tasks = split_tasks(self.query_one("#task", TextArea).text)
        model = self._text("model")
        given = self._text("input")
        steps, samples = self._text("steps"), self._text("samples")
        problem = _problem(tasks, model, given, steps, samples)
        if problem:
            self.notify(problem, severity="warning", markup=False)
            return
        request = RunRequest(
            task="",
            settings=self._changed(model, int(steps)),
            mode=cast(Mode, self.query_one("#mode", Select[str]).value),
            input=Path(given).expanduser() if given else None,
        )
        self.dismiss(several(request, tasks, int(samples)))

    def action_cancel(self) -> None:
        """Close without a run."""
        self.dismiss(None)

    def _text(self, name: str) -> str:
        return self.query_one(f"#{name}", Input).value.strip()

    def _changed(self, model: str, steps: int) -> Settings:
        old = self._settings
        replace = msgspec.structs.replace
        kind = str(self.query_one("#kind", Select[str]).value)
        return replace(
            old,
            model=replace(old.model, name=model, base_url=self._text("url")),
            sandbox=replace(old.sandbox, kind=kind),  # pyright: ignore[reportArgumentType]
            limits=replace(old.limits, max_steps=steps),
        )


def _problem(tasks: list[str], model: str, given: str, steps: str, samples: str) -> str | None:
    if not tasks:
        return "Say what the model shall do."
    if not model:
        return "Name the model, as its server knows it."
    if given and not Path(given).expanduser().exists():
        return f"The input {given} does not exist."
    if not steps.isdigit() or int(steps) < 1:
        return "Most steps must be a number from 1."
    if not samples.isdigit() or not 1 <= int(samples) <= MOST_RUNS:
        return f"Runs of each task must be a number from 1 to {MOST_RUNS}."
    return None
