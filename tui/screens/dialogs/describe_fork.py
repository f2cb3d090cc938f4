"""The form for a fork: its model, a message, and an edited call."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import ClassVar

import msgspec
from rich.text import Text
from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Grid, Horizontal, Vertical, VerticalScroll
from textual.widgets import Button, Input, Label, Static, TextArea
from typing_extensions import override

from sandbox_tui.core.base.errors import SandboxTuiError
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.base.tool_names import SUBMIT
from sandbox_tui.core.events import types as e
from sandbox_tui.core.lineage.open_fork import ForkRequest
from sandbox_tui.core.run.run_request import RunRequest
from sandbox_tui.core.tools.call_difference import differing_lines
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.recording.fork_worker import ForkPlan
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.keys.unavailable_reasons import ExplainsUnavailable
from sandbox_tui.tui.screens.dialogs.edit_call import ChangeCallDialog
from sandbox_tui.tui.screens.dialogs.form import when_filled
from sandbox_tui.tui.screens.fork_description import (
    WHOLE,
    ForkDescription,
    first_choices,
    first_limit,
    mistakes_of,
    no_step,
    plan_before,
    run_of,
    step_mistake,
)
from sandbox_tui.tui.screens.fork_draft import ForkDraft, draft_of, with_valid_numbers
from sandbox_tui.tui.screens.home.model_form import ModelForm
from sandbox_tui.tui.screens.new_run.field_widgets import line_field
from sandbox_tui.tui.screens.new_run.kept_draft import KEEP_SECONDS
from sandbox_tui.tui.textual_support.typed_app import app_of
from sandbox_tui.tui.theming.palette import palette_of
from sandbox_tui.tui.widgets.key_bar import KeyBar
from sandbox_tui.tui.widgets.sessions.fork_words import (
    MAX_LINES,
    change_lines,
    place_words,
    step_note,
    words_for_earlier_call,
)

CHANGE = "change the call"
"""What the button says while it is not known which call."""


class ForkDialog(ExplainsUnavailable, ModelForm[ForkDescription | None]):
    """Shows where a fork starts and where its files come from; dismisses with its description.

    Args:
        plan: the fork point.
        run: the parent's request.
        store: the store that contains the parent.
        draft: from when the form for this place was last closed; updated while it is open.
        keep: keeps a new draft for the next start of the program; None if nothing is typed.
    """

    HEADING = "fork"

    TITLES: ClassVar[Mapping[str, str]] = {
        "at": "step",
        "steps": "max steps in all",
        "message": "a message for the model",
        "model": "model of the fork",
        "url": "server",
    }

    MORE_HINT_LINES = 2

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
        self.draft, self._keep = draft, keep
        self._is_started, self._is_restored = False, draft is not None
        self._cleared: ForkDraft | None = None
        self._plan: ForkPlan = plan
        self._first = ForkDraft(plan, None, {})
        self._typed_step = str(plan.fork_point.step)
        self._last_step = max(plan.parent.steps, plan.fork_point.step)
        self._problem = ""
        self._is_planned = asyncio.Event()
        self._is_planned.set()
        self._run_request, self._settings = run, run.settings
        self._store = store
        self._edited: str | None = None
        self._is_scripted = run.model is not None
        self._first_model, self._first_url = first_choices(plan, run)
        known = self._first_model if self._is_scripted else run.settings.model.name
        self._parents = known, self._first_url  # no change if the form still names them

    def compose(self) -> ComposeResult:
        """Yield the form."""
        with Vertical(id="box", classes="dialog") as box:
            box.border_title = self.HEADING
            box.border_subtitle = f"{hint('fork.start')} fork · {hint('fork.leave')} cancel"
            with VerticalScroll(id="fields", can_focus=False):
                yield Static(id="where", markup=False)
                yield Static(id="changed")
                yield Static(id="repeats", markup=False)
                yield Static(id="which", markup=False)
                with Grid():
                    yield line_field("at", self._typed_step)
                    yield line_field("steps", str(first_limit(self._plan, self._run_request)))
                yield TextArea(id="message", classes="field", soft_wrap=True, tab_behavior="focus")
                with Grid():
                    yield line_field("model", self._first_model)
                    yield line_field("url", self._first_url)
            yield Label(id="hint", markup=False)
            with Horizontal(id="buttons"):
                yield Button(CHANGE, id="call")
                yield Button("fork", variant="primary", id="start")
        yield KeyBar()

    def on_mount(self) -> None:
        """Show the fork point, unless the form was closed before its widgets existed."""
        if self.query("#where"):
            self.show_titles()
            self._first = ForkDraft(self._plan, None, self.typed())
            self._fill(self.draft)
            self.is_filled = True
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
        self.mark({})
        for field in self.query(Input):  # not `put`: the first key replaces the step
            field.value = texts[field.id or ""]
        self.query_one("#message", TextArea).text = texts["message"]
        self._show()

    @when_filled
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
        if "message" not in self._mistakes:
            self.query_one("#message").border_subtitle = self.note_of("message")

    @override
    def note_of(self, name: str) -> str:
        if name == "at":
            return step_note(self._plan)
        return self._draft_note if name == "message" else self.server_note(name)

    @property
    def _draft_note(self) -> str:
        """That a draft was restored, or that a cleared one can be brought back."""
        key = hint("fork.clear")
        if self._cleared is not None and not self._is_changed:
            return f"cleared · {key} brings it back until you type"
        return f"draft restored · {key} clears it" if self._is_restored else ""

    @override
    def hint_of(self, name: str) -> str:
        return ""

    @override
    def _explain(self, name: str) -> None:
        super()._explain(name)
        is_said = name == "at" and bool(self._problem)  # at the top
        self.query_one("#hint").display = name in self._mistakes and not is_said

    @override
    def mistake_while_typing(self, name: str, text: str) -> str:
        if name not in ("at", "steps") or not text or text.isdecimal():
            return ""
        return step_mistake(text, self._last_step) if name == "at" else WHOLE

    @on(Input.Changed, "#at")
    def _step_typed(self) -> None:
        """Fork after the typed step instead."""
        typed = self.typed()["at"].strip()
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
                self._problem = no_step(self._last_step)
            self._edited = None  # it was another call
        except SandboxTuiError as error:
            self._problem = sanitize_line(str(error))
        self._is_planned.set()
        self._show()
        self._mark_numbers()
        self.refresh_bindings()

    def _mark_numbers(self) -> None:
        """Mark the typed step if there is none; the limit is checked again if it was wrong."""
        mistakes = self._all_mistakes()
        if self._problem and "at" not in self._mistakes:
            self._mark("at", mistakes["at"])
        if "steps" in self._mistakes and "steps" not in mistakes:
            self._unmark("steps")

    def _show(self) -> None:
        fork_point, problem = self._plan.fork_point, self._problem
        call = fork_point.next_call
        where = place_words(self._plan, is_changed=self._edited is not None)
        self.query_one("#where", Static).update(problem or where)
        repeats = "" if problem else sanitize_line(self._plan.sentence)
        self.query_one("#repeats", Static).update(repeats)
        self._show_change(None if problem else call)
        self._show_which()
        at = self.query_one("#at", Input)
        at.border_title = f"{'after' if call is None else 'in'} step (0–{self._last_step})"
        if "at" not in self._mistakes:
            at.border_subtitle = self.note_of("at")
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
        button.display, button.disabled = call is not None, bool(self._problem)
        if call is not None:
            button.label = CHANGE if self._problem else f"change call {call.number}"
            if call is not self._plan.fork_point.next_call:
                words = words_for_earlier_call(call, self._plan.calls[0])
        which = self.query_one("#which", Static)
        which.update(words)
        which.display = bool(words) and not self._problem

    def why_unavailable(self, action: str, parameters: tuple[object, ...]) -> str:
        """There may be no call to change, or no such step."""
        if action != "change_call":
            return ""
        if self._problem:
            return f"{self._problem[:1].lower()}{self._problem[1:]}".rstrip(".")
        return "" if self._last_call() else "there is no call to change here"

    @on(Input.Changed, "#model")
    def _name_server(self) -> None:
        """Say in the empty field what it means for this model."""
        url = self.query_one("#url", Input)
        no_server = self._is_scripted and self.typed()["model"].strip() == self._first_model
        url.placeholder = "not needed" if no_server else "empty for OpenAI"

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
        self._step_typed()  # its event may come later
        await self._is_planned.wait()
        call = self._last_call()
        if call is None or self._problem:
            self.notify(self._problem, severity="warning", markup=False)
            return
        shown = call
        if self._edited is not None:
            shown = msgspec.structs.replace(call, arguments=self._edited)
        edited = await app_of(self).push_screen_wait(ChangeCallDialog(shown))
        if edited is None:
            return
        if not differing_lines(call.arguments, edited):
            edited = None  # it is the model's call again
        elif call is not self._plan.fork_point.next_call:
            try:
                self._plan = await asyncio.to_thread(plan_before, self._plan, self._store, call)
            except SandboxTuiError as error:
                self.notify(sanitize_line(str(error)), severity="error", markup=False)
                return
        self._edited = edited
        self._typed_step = str(self._plan.fork_point.step)
        self.query_one("#at", Input).value = self._typed_step
        self._show()

    @on(Button.Pressed, "#start")
    @when_filled
    def action_start(self) -> None:
        """Close with the description if it is complete, once the typed step has been read."""
        self._close_when_planned()

    @work(exclusive=True, group="start")
    async def _close_when_planned(self) -> None:
        self._step_typed()  # its event may come later
        await self._is_planned.wait()
        self.complete_server()
        mistakes = self._all_mistakes()
        self.mark(mistakes)
        if mistakes:
            return
        typed = self.stripped()
        run = run_of(self._run_request, typed, self._parents)
        is_unknown = self.has_unknown_server or self.is_server_in_doubt
        if run.model is None and is_unknown and not await self.is_start_wanted():
            return
        self._is_started = True
        request = ForkRequest(run=run, message=typed["message"], edited=self._edited)
        self.dismiss(ForkDescription(self._plan, request))

    def _all_mistakes(self) -> dict[str, str]:
        """Return what is wrong with the form as it is now."""
        typed, first = self.stripped(), self._parents
        at = {"at": step_mistake(typed["at"], self._last_step)} if self._problem else {}
        is_script = self._is_scripted and typed["model"] == self._first_model
        return at | mistakes_of(typed, self._plan, self._run_request, first, is_script=is_script)

    @when_filled
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
        if self._is_started or not self.is_filled:
            return
        if (now := self._as_draft()) != self.draft:
            self.draft = now
            self._keep(now)

    @property
    def _is_changed(self) -> bool:
        return self.typed() != self._first.texts or self._edited is not None

    def _as_draft(self) -> ForkDraft | None:
        """Return what is typed, without a step that is none; None if nothing is."""
        texts = self.typed() | ({"at": ""} if self._problem else {})
        return draft_of(ForkDraft(self._plan, self._edited, texts), self._first, self._last_step)
