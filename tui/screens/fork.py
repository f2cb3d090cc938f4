# pyright: reportUnknownMemberType=false
"""The form in which a fork is described: who goes on, with which words, and which call."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import ClassVar

import msgspec
from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Grid, Horizontal, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Button, Input, Label, Static, TextArea

from ...core import events as e
from ...core.errors import SandboxTuiError
from ...core.fork_launch import ForkRequest
from ...core.headline import headline, nickname
from ...core.launch import RunRequest
from ...core.text import clean_line
from ...sessions import Store
from ...sessions.fork import Plan
from ..keymap import hint
from ..widgets.key_bar import KeyBar
from .edit_call import EditCall

ROOM = 20
"""Steps that a fork has at least, where its parent had used up its own."""


@dataclass(frozen=True, slots=True)
class Described:
    """A fork to be begun."""

    plan: Plan
    request: ForkRequest


class ForkForm(ModalScreen[Described | None]):
    """Shows where a fork parts and where its files come from; dismisses with what is asked of it.

    Args:
        plan: the moment.
        run: what the parent was asked for.
        store: where it is kept.
    """

    CSS = """
    ForkForm { align: center middle; background: $background 60%; }
    ForkForm VerticalScroll {
        width: 84; max-width: 96%; height: auto; max-height: 96%; padding: 0 2;
        border: round $accent; background: $surface;
        border-title-color: $accent; border-subtitle-color: $role-dim; scrollbar-size-vertical: 1;
    }
    ForkForm Static { height: auto; }
    ForkForm #where { margin-top: 1; }
    ForkForm #repeats { color: $role-dim; }
    ForkForm Label { color: $role-dim; height: 1; margin-top: 1; }
    ForkForm TextArea { height: 5; border: round $border-blurred; }
    ForkForm TextArea:focus { border: round $accent; }
    ForkForm Grid { grid-size: 2; grid-gutter: 0 2; grid-rows: 2 3; height: auto; }
    ForkForm Grid > * { height: auto; }
    ForkForm Input { border: round $border-blurred; height: 3; }
    ForkForm Input:focus { border: round $accent; }
    ForkForm Horizontal { height: auto; align-horizontal: right; margin-top: 1; }
    ForkForm Button { margin-left: 2; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s,f2", "start", "fork", priority=True, id="fork.start"),
        Binding("f4", "change_call", "change the call", id="fork.call"),
        Binding("escape", "cancel", "back", priority=True, id="fork.leave"),
    ]

    AUTO_FOCUS = "#message"

    def __init__(self, plan: Plan, run: RunRequest, store: Store) -> None:
        super().__init__()
        self._plan = plan
        self._asked = run
        self._store = store
        self._edited: str | None = None
        self._first_model = clean_line(plan.started.model)

    def compose(self) -> ComposeResult:
        """The form."""
        model = self._asked.settings.model
        steps = self._asked.settings.limits.max_steps
        steps = max(steps, self._plan.parting.step + ROOM) if self._used_up else steps
        with VerticalScroll() as box:
            box.border_title = "fork"
            box.border_subtitle = f"{hint('fork.start')} forks · {hint('fork.leave')} goes back"
            yield Static(id="where", markup=False)
            yield Static(id="repeats", markup=False)
            yield Label("a message for the model, optional")
            yield TextArea(id="message", soft_wrap=True, tab_behavior="focus")
            with Grid():
                yield Label("model that goes on")
                yield Label("its server; empty: the hosted one")
                yield Input(self._first_model, id="model")
                yield Input(model.base_url, id="url")
            yield Label("most steps, those before the fork included")
            yield Input(str(steps), type="integer", id="steps")
            with Horizontal():
                yield Button("change the call", id="call")
                yield Button("fork", variant="primary", id="start")
        yield KeyBar()

    def on_mount(self) -> None:
        """Say where it parts."""
        self._show()

    def _show(self) -> None:
        parting = self._plan.parting
        parent, call = clean_line(self._plan.parent.id), parting.waiting
        if call is None:
            where = f"After step {parting.step} of {parent}"
        else:
            arguments = call.arguments if self._edited is None else self._edited
            what = f"{nickname(clean_line(call.name))} {clean_line(headline(call.name, arguments))}"
            how = "before the call" if self._edited is None else "with the call changed to"
            where = f"In step {parting.step} of {parent}, {how} {what}"
        self.query_one("#where", Static).update(where)
        self.query_one("#repeats", Static).update(clean_line(self._plan.sentence))
        self.query_one("#call", Button).disabled = self._last_call() is None

    @property
    def _used_up(self) -> bool:
        return self._plan.parting.step >= self._asked.settings.limits.max_steps

    def _last_call(self) -> e.ToolCall | None:
        """The call that comes next, else the last one that was carried out."""
        if self._plan.parting.waiting is not None:
            return self._plan.parting.waiting
        events = reversed(self._plan.parting.history)
        return next((x.call for x in events if isinstance(x, e.CallProposed)), None)

    @on(Button.Pressed, "#call")
    def action_change_call(self) -> None:
        """Open the call in the editor of calls; one that is over is then done differently."""
        self._change_call()

    @work(exclusive=True, group="call")
    async def _change_call(self) -> None:
        call = self._last_call()
        if call is None:
            self.notify("No call was made by then.", markup=False)
            return
        shown = call
        if self._edited is not None:
            shown = msgspec.structs.replace(call, arguments=self._edited)
        edited = await self.app.push_screen_wait(EditCall(shown))
        if edited is None:
            return
        if self._plan.parting.waiting is None:
            try:
                self._plan = await asyncio.to_thread(
                    Plan, self._store, self._plan.parent, f"call:{call.number}", before_call=True
                )
            except SandboxTuiError as error:
                self.notify(clean_line(str(error)), severity="error", markup=False)
                return
        self._edited = edited
        self._show()

    @on(Button.Pressed, "#start")
    def action_start(self) -> None:
        """Close with what is asked for, if it is complete."""
        steps, model = self._text("steps"), self._text("model")
        if not steps.isdigit() or int(steps) <= self._plan.parting.step:
            least = self._plan.parting.step + 1
            self.notify(f"Most steps must be at least {least}.", severity="warning", markup=False)
            return
        if not model:
            self.notify("Name the model.", severity="warning", markup=False)
            return
        message = self.query_one("#message", TextArea).text.strip()
        run = self._changed(model, int(steps))
        self.dismiss(
            Described(self._plan, ForkRequest(run=run, message=message, edited=self._edited))
        )

    def action_cancel(self) -> None:
        """Close without a fork."""
        self.dismiss(None)

    def _changed(self, model: str, steps: int) -> RunRequest:
        old, url = self._asked.settings, self._text("url")
        same = model == self._first_model and url == old.model.base_url
        settings = msgspec.structs.replace(
            old,
            model=old.model
            if same
            else msgspec.structs.replace(old.model, name=model, base_url=url),
            limits=msgspec.structs.replace(old.limits, max_steps=steps),
        )
        return replace(self._asked, settings=settings, model=self._asked.model if same else None)

    def _text(self, name: str) -> str:
        return self.query_one(f"#{name}", Input).value.strip()
