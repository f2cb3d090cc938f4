"""The form for a fork: its model, a message, and an edited call."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import ClassVar

import msgspec
from rich.text import Text
from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Grid, Horizontal, VerticalScroll
from textual.widgets import Button, Input, Static, TextArea

from sandbox_tui.core.base.errors import SandboxTuiError
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.base.tool_names import SUBMIT
from sandbox_tui.core.config import settings as config
from sandbox_tui.core.config.valid_values import with_scheme
from sandbox_tui.core.events import types as e
from sandbox_tui.core.lineage.open_fork import ForkRequest
from sandbox_tui.core.models.factory import DEMO_NAMES
from sandbox_tui.core.run.run_request import RunRequest
from sandbox_tui.core.tools.call_difference import differing_lines
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.recording.fork_worker import ForkPlan
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.keys.unavailable_reasons import ExplainsUnavailable
from sandbox_tui.tui.screens.dialogs.dialog import Dialog
from sandbox_tui.tui.screens.dialogs.edit_call import ChangeCallDialog
from sandbox_tui.tui.screens.fork_description import ForkDescription, mistake_of_model, with_choices
from sandbox_tui.tui.screens.fork_draft import ForkDraft, draft_of, with_valid_numbers
from sandbox_tui.tui.screens.home.choose_model import ChooseModelDialog
from sandbox_tui.tui.screens.new_run.kept_draft import KEEP_SECONDS
from sandbox_tui.tui.textual_support.mark_mistake import mark_mistake
from sandbox_tui.tui.textual_support.typed_app import app_of
from sandbox_tui.tui.theming.palette import palette_of
from sandbox_tui.tui.widgets.key_bar import KeyBar
from sandbox_tui.tui.widgets.line_input import OneLineInput
from sandbox_tui.tui.widgets.sessions.fork_words import (
    MAX_LINES,
    change_lines,
    place_words,
    step_note,
    words_for_earlier_call,
)
from sandbox_tui.tui.widgets.sessions.model_offers import Offer

TITLES = {"steps": "max steps in all", "model": "model of the fork", "url": "server"}

ROOM = 20
"""Minimum steps left for a fork whose parent has used up its own."""


class ForkDialog(ExplainsUnavailable, Dialog[ForkDescription | None]):
    """Shows where a fork starts and where its files come from; dismisses with its description.

    Args:
        plan: the fork point.
        run: the parent's request.
        store: the store that contains the parent.
        draft: from when the form for this place was last closed; updated while it is open.
        keep: keeps a new draft for the next start of the program; None if nothing is typed.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("fork.start", "start", priority=True),
        binding("fork.models", "models"),
        binding("fork.call", "change_call"),
        binding("fork.clear", "clear"),
        binding("fork.leave", "cancel", priority=True),
    ]

    VERTICAL_BREAKPOINTS = [(0, "-low"), (30, "-tall")]  # noqa: RUF012

    AUTO_FOCUS = None  # scrolling to the first field would hide where the fork starts

    def __init__(
        self,
        plan: ForkPlan,
        run: RunRequest,
        store: Store,
        draft: ForkDraft | None = None,
        keep: Callable[[ForkDraft | None], None] = lambda _: None,
    ) -> None:
        super().__init__()
        self.draft, self._keep, self._is_started = draft, keep, False
        self._is_restored = draft is not None
        self._cleared: ForkDraft | None = None
        self._plan, self._first = plan, ForkDraft(plan, None, {})
        self._typed_step = str(plan.fork_point.step)
        self._last_step = max(plan.parent.steps, plan.fork_point.step)
        self._problem = ""
        self._is_planned = asyncio.Event()
        self._is_planned.set()
        self._run_request = run
        self._store = store
        self._edited: str | None = None
        self._is_scripted = run.model is not None
        model = run.settings.model
        self._first_url = "" if self._is_scripted else model.base_url
        self._first_model = sanitize_line(plan.started.model)
        if not self._is_scripted and self._first_model in DEMO_NAMES and not self._first_url:
            self._first_model = sanitize_line(model.name)  # only the demo here has its script

    def compose(self) -> ComposeResult:
        """Yield the form."""
        steps, at = self._run_request.settings.limits.max_steps, self._plan.fork_point.step
        steps = at + ROOM if at >= steps else steps
        with VerticalScroll(classes="dialog form") as box:
            box.border_title = "fork"
            box.border_subtitle = f"{hint('fork.start')} fork · {hint('fork.leave')} cancel"
            yield Static(id="where", markup=False)
            yield Static(id="changed")
            yield Static(id="repeats", markup=False)
            yield Static(id="which", markup=False)
            with Grid():
                yield OneLineInput(self._typed_step, id="at")
                yield OneLineInput(str(steps), id="steps")
            yield TextArea(id="message", soft_wrap=True, tab_behavior="focus")
            with Grid():
                yield OneLineInput(self._first_model, id="model")
                yield OneLineInput(self._first_url, id="url")
            with Horizontal():
                yield Button("change the call", id="call")
                yield Button("fork", variant="primary", id="start")
        yield KeyBar()

    def on_mount(self) -> None:
        """Show the fork point, unless a key closed the form before its widgets existed."""
        if self.query("#where"):
            for name, title in TITLES.items():
                self.query_one(f"#{name}").border_title = title
            self._first = ForkDraft(self._plan, None, self._texts())
            self._fill(self.draft)
            self._name_server()
            self.query_one("#at").focus(scroll_visible=False)
            self.set_interval(KEEP_SECONDS, self.keep_draft)

    def _fill(self, draft: ForkDraft | None) -> None:
        """Put a draft into the form; without one, what it contained at first."""
        self.workers.cancel_group(self, "plan")  # pyright: ignore[reportUnknownMemberType]
        self._is_planned.set()
        draft = draft or self._first
        texts = with_valid_numbers(draft.texts, self._first.texts, self._last_step)
        self._plan, self._edited, self._problem = draft.plan, draft.edited, ""
        self._typed_step = str(draft.plan.fork_point.step)  # another one is planned again
        for field in self.query(Input):
            field.value = texts[field.id or ""]
        self.query_one("#message", TextArea).text = texts["message"]
        self._show()

    def action_clear(self) -> None:
        """Put back what the fields contained at first; pressed again, what was typed."""
        before = None if self._is_changed else self._cleared
        self._cleared, self._is_restored = self._as_draft(), False
        self._fill(before)
        self.keep_draft()
        self._note_draft()
        self.query_one("#at").focus()

    @on(Input.Changed)
    @on(TextArea.Changed)
    def _note_draft(self) -> None:
        """Say that a draft was restored, or that a cleared one can be brought back."""
        words, key = "", hint("fork.clear")
        if self._cleared is not None and not self._is_changed:
            words = f"cleared · {key} brings it back until you type"
        elif self._is_restored:
            words = f"draft restored · {key} clears it"
        self.query_one("#message").border_subtitle = words

    @on(Input.Changed, "#at")
    @on(Input.Changed, "#steps")
    def _mark_mistake(self, event: Input.Changed) -> None:
        """Say at a number field what fits."""
        text = event.value.strip()
        is_wrong = bool(text) and not text.isdecimal()
        mark_mistake(event.input, "a whole number" if is_wrong else "")
        if not is_wrong and event.input.id == "at":
            event.input.border_subtitle = step_note(self._plan)

    @on(Input.Changed, "#at")
    def _step_typed(self) -> None:
        """Fork after the typed step instead."""
        typed = self._text("at")
        if typed != self._typed_step:
            self._typed_step = typed
            self._is_planned.clear()
            self._plan_again(typed)

    @work(exclusive=True, group="plan")
    async def _plan_again(self, step: str) -> None:
        store, parent, self._problem = self._store, self._plan.parent, ""
        try:
            if step == str(self._first.plan.fork_point.step):
                self._plan = self._first.plan
            elif step.isdecimal():
                self._plan = await asyncio.to_thread(ForkPlan, store, parent, f"step:{step}")
            else:
                self._problem = f"Enter a step from 0 to {self._last_step}."
            self._edited = None  # it was another call
        except SandboxTuiError as error:
            self._problem = sanitize_line(str(error))
        self._is_planned.set()
        self._show()
        self.refresh_bindings()

    def _show(self) -> None:
        fork_point, problem = self._plan.fork_point, self._problem
        call = fork_point.next_call
        where = place_words(self._plan, is_changed=self._edited is not None)
        self.query_one("#where", Static).update(problem or where)
        self.query_one("#repeats", Static).update(
            "" if problem else sanitize_line(self._plan.sentence)
        )
        self._show_change(None if problem else call)
        self._show_which()
        at = self.query_one("#at", Input)
        at.border_title = f"{'after' if call is None else 'in'} step (0–{self._last_step})"
        if not at.has_class("-wrong"):
            at.border_subtitle = step_note(self._plan)
        need = "needed after submit" if self._plan.is_after_submit else "optional"
        self.query_one("#message").border_title = f"a message for the model, {need}"

    def _show_change(self, call: e.ToolCall | None) -> None:
        """List the lines of the call that differ from the model's."""
        shown, most = self.query_one("#changed", Static), 3 if self.has_class("-low") else MAX_LINES
        shown.display = call is not None and self._edited is not None
        if call is not None and self._edited is not None:
            lines = change_lines(call.arguments, self._edited, palette_of(self), most)
            shown.update(Text("\n").join(lines))

    def _show_which(self) -> None:
        """Say which call can be changed, and why it is another one than the last."""
        call, words = self._last_call(), ""
        button = self.query_one("#call", Button)
        button.display = call is not None
        if call is not None:
            button.label = f"change call {call.number}"
            if call is not self._plan.fork_point.next_call:
                words = words_for_earlier_call(call, self._plan.calls[0])
        which = self.query_one("#which", Static)
        which.update(words)
        which.display = bool(words) and not self._problem

    def why_unavailable(self, action: str, parameters: tuple[object, ...]) -> str:
        """There may be no call to change."""
        nothing = action == "change_call" and self._last_call() is None
        return "there is no call to change here" if nothing else ""

    @on(Input.Changed, "#model")
    def _name_server(self) -> None:
        """Say in the empty field what it means for this model."""
        url, model = self.query_one("#url", Input), self._text("model")
        no_server = self._is_scripted and model == self._first_model
        url.placeholder = "not needed" if no_server else "empty for OpenAI"
        mark_mistake(self.query_one("#model", Input), "")

    def action_models(self) -> None:
        """Choose a model of the server in the form or of this machine, only for this fork."""
        settings, url = self._run_request.settings.model, self.query_one("#url", Input).value
        app_of(self).push_screen(ChooseModelDialog.at(settings, url), self._take)

    def _take(self, offer: Offer | None) -> None:
        if offer is not None:
            self.query_one("#model", Input).value = offer.model
            self.query_one("#url", Input).value = offer.base_url

    def _last_call(self) -> e.ToolCall | None:
        """Return the next call, otherwise the last one that was executed; a submit has nothing to
        change."""
        return next((call for call in self._plan.calls if call.name != SUBMIT), None)

    @on(Button.Pressed, "#call")
    def action_change_call(self) -> None:
        """Open the call in the call editor; an executed call then runs in its edited form."""
        self._change_call()

    @work(exclusive=True, group="call")
    async def _change_call(self) -> None:
        await self._is_planned.wait()
        call = self._last_call()
        if call is None or not self._has_valid_step():
            return
        shown = call
        if self._edited is not None:
            shown = msgspec.structs.replace(call, arguments=self._edited)
        edited = await app_of(self).push_screen_wait(ChangeCallDialog(shown))
        if edited is None:
            return
        if not differing_lines(call.arguments, edited):
            edited = None  # it is the model's call again
        elif call is not self._plan.fork_point.next_call and not await self._plan_before(call):
            return
        self._edited = edited
        self._typed_step = str(self._plan.fork_point.step)
        self.query_one("#at", Input).value = self._typed_step
        self._show()

    async def _plan_before(self, call: e.ToolCall) -> bool:
        """Move the fork point to just before an executed call; False if that is not possible."""
        at = f"call:{call.number}"
        try:
            self._plan = await asyncio.to_thread(
                ForkPlan, self._store, self._plan.parent, at, before_call=True
            )
        except SandboxTuiError as error:
            self.notify(sanitize_line(str(error)), severity="error", markup=False)
            return False
        return True

    @on(Button.Pressed, "#start")
    def action_start(self) -> None:
        """Close with the description if it is complete, once the typed step has been read."""
        self._close_when_planned()

    @work(exclusive=True, group="start")
    async def _close_when_planned(self) -> None:
        await self._is_planned.wait()
        if not self._has_valid_step():
            return
        steps, model = self._text("steps"), self._text("model")
        if not steps.isdecimal() or int(steps) <= self._plan.fork_point.step:
            least = self._plan.fork_point.step + 1
            self.notify(f"Max steps must be at least {least}.", severity="warning", markup=False)
            self.query_one("#steps").focus()
            return
        url, is_script = self._text("url"), self._is_scripted and model == self._first_model
        if mistake := mistake_of_model(model, url, is_script=is_script):
            field = self.query_one("#model", Input)
            mark_mistake(field, mistake)
            field.focus()
            return
        known = self._first_model if self._is_scripted else self._run_request.settings.model.name
        first = known, self._first_url
        run = with_choices(self._run_request, int(steps), model, with_scheme(url), first)
        if run.model is None and config.lacks_key(run.settings.model):
            needed = f"Enter a server, or set {run.settings.model.api_key_env}."
            self.notify(sanitize_line(needed), severity="warning", markup=False)
            return
        message = self.query_one("#message", TextArea).text.strip()
        if self._plan.is_after_submit and not message:
            words = "The model has submitted here: enter a message, or an earlier step."
            self.notify(words, severity="warning", markup=False)
            self.query_one("#message").focus()
            return
        self._is_started = True
        self.dismiss(
            ForkDescription(self._plan, ForkRequest(run=run, message=message, edited=self._edited))
        )

    def _has_valid_step(self) -> bool:
        """Return whether the typed step is one; say why if it is not."""
        if self._problem:
            self.notify(self._problem, severity="warning", markup=False)
            self.query_one("#at").focus()
        return not self._problem

    def action_cancel(self) -> None:
        """Close without a fork; what was typed is kept as a draft."""
        self.keep_draft()
        if self.draft is not None:
            self.notify(f"Draft saved: {hint('home.fork')} opens it again.", markup=False)
        self.dismiss(None)

    def on_screen_suspend(self) -> None:
        """Keep what was typed: the screen above may be the question whether to quit."""
        self.keep_draft()

    def keep_draft(self) -> None:
        """Keep what was typed for the next start of the program."""
        if self._is_started or not self.query("#message"):
            return
        now = self._as_draft()
        if now != self.draft:
            self.draft = now
            self._keep(now)

    @property
    def _is_changed(self) -> bool:
        return self._texts() != self._first.texts or self._edited is not None

    def _as_draft(self) -> ForkDraft | None:
        """Return what is typed, without a step that is none; None if nothing is."""
        texts = self._texts() | ({"at": ""} if self._problem else {})
        return draft_of(ForkDraft(self._plan, self._edited, texts), self._first, self._last_step)

    def _texts(self) -> dict[str, str]:
        texts = {field.id or "": field.value for field in self.query(Input)}
        return {**texts, "message": self.query_one("#message", TextArea).text}

    def _text(self, name: str) -> str:
        return self.query_one(f"#{name}", Input).value.strip()
