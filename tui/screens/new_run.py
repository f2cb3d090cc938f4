# pyright: reportUnknownMemberType=false
"""The form in which a run is described."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import msgspec
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Grid, Horizontal, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Button, Footer, Input, Label, Select, TextArea

from ...core.config import Settings
from ...core.launch import RunRequest


class NewRun(ModalScreen[RunRequest | None]):
    """Asks for a task, a model, a sandbox; dismisses with the request."""

    CSS = """
    NewRun { align: center middle; background: $background 60%; }
    NewRun VerticalScroll {
        width: 92; max-width: 96%; height: auto; max-height: 96%; padding: 0 2;
        border: round $accent; background: $surface;
        border-title-color: $accent; border-subtitle-color: $role-dim;
    }
    NewRun Label { color: $role-dim; height: 1; margin-top: 1; }
    NewRun TextArea { height: 7; border: round $border-blurred; }
    NewRun TextArea:focus { border: round $accent; }
    NewRun Grid { grid-size: 2; grid-gutter: 0 2; grid-rows: 2 3; height: auto; }
    NewRun Grid > * { height: auto; }
    NewRun Input { border: round $border-blurred; height: 3; }
    NewRun Input:focus { border: round $accent; }
    NewRun Horizontal { height: auto; align-horizontal: right; margin-top: 1; }
    NewRun Button { margin-left: 2; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s,f2", "start", "start", priority=True),
        Binding("escape", "cancel", "back", priority=True),
    ]

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self._settings = settings

    def compose(self) -> ComposeResult:
        """The form."""
        model, sandbox = self._settings.model, self._settings.sandbox
        with VerticalScroll() as box:
            box.border_title = "new run"
            box.border_subtitle = "ctrl+s starts · esc goes back"
            yield Label("task")
            yield TextArea(id="task", soft_wrap=True, tab_behavior="focus")
            with Grid():
                yield Label("model")
                yield Label("server (…/v1), empty for the hosted default")
                yield Input(model.name, placeholder="name as the server knows it", id="model")
                yield Input(model.base_url, placeholder="address of the server", id="url")
                yield Label("input file or folder, optional")
                yield Label("most steps")
                yield Input(placeholder="copied into the sandbox", id="input")
                yield Input(str(self._settings.limits.max_steps), type="integer", id="steps")
                yield Label("sandbox")
                yield Label("begin")
                kinds = [(kind, kind) for kind in ("auto", "docker", "bubblewrap")]
                yield Select(kinds, value=sandbox.kind, allow_blank=False, id="kind")
                modes = [("by itself", "auto"), ("step by step", "step")]
                yield Select(modes, value="auto", allow_blank=False, id="mode")
            with Horizontal():
                yield Button("start", variant="primary", id="start")
        yield Footer(compact=True)

    def on_mount(self) -> None:
        """Begin with the task."""
        self.query_one("#task").focus()

    @on(Button.Pressed, "#start")
    def action_start(self) -> None:
        """Close with the request, if it is complete."""
        task = self.query_one("#task", TextArea).text.strip()
        model = self._text("model")
        given = self._text("input")
        steps = self._text("steps")
        problem = _problem(task, model, given, steps)
        if problem:
            self.notify(problem, severity="warning", markup=False)
            return
        self.dismiss(
            RunRequest(
                task=task,
                settings=self._changed(model, int(steps)),
                mode="step" if self.query_one("#mode", Select[str]).value == "step" else "auto",
                input=Path(given).expanduser() if given else None,
            )
        )

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


def _problem(task: str, model: str, given: str, steps: str) -> str | None:
    if not task:
        return "Say what the model shall do."
    if not model:
        return "Name the model, as its server knows it."
    if given and not Path(given).expanduser().exists():
        return f"The input {given} does not exist."
    if not steps.isdigit() or int(steps) < 1:
        return "Most steps must be a number from 1."
    return None
