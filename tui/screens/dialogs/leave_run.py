"""The dialog shown when the user leaves a screen or the program while runs are active."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar, Literal

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.events import Key
from textual.message import Message
from textual.widgets import Static
from typing_extensions import override

from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.screens.dialogs.confirm import ConfirmDialog
from sandbox_tui.tui.screens.dialogs.dialog import Dialog
from sandbox_tui.tui.terminal_io.counted_runs import going_words
from sandbox_tui.tui.textual_support.typed_app import app_of

if TYPE_CHECKING:
    from sandbox_tui.core.events.run_state import RunState

Leaving = Literal["end", "keep", "detach"]


class LeaveDialog(Dialog[Leaving | None]):
    """Dismisses with the choice, or None to stay.

    Args:
        states: those of the active runs.
        detachable: whether they can move to separate programs.
    """

    CSS = """
    LeaveDialog .dialog { width: 68; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("leave_run.keep", "answer('keep')"),
        binding("leave_run.detach", "answer('detach')"),
        binding("leave_run.end", "answer('end')"),
        binding("leave_run.stay", "answer(None)"),
    ]

    @property
    def end_word(self) -> str:
        """What the key is called that ends what is running."""
        return end_words(self._runs)

    def __init__(self, states: Sequence[RunState], *, detachable: bool = True) -> None:
        super().__init__()
        self._states = states
        self._runs = len(states)
        self._detachable = detachable
        self._asked_at = Message().time
        self._is_typed_ahead = False

    def compose(self) -> ComposeResult:
        """Yield the question."""
        with Vertical(classes="dialog") as box:
            box.border_title = self.title_words
            detach = f"{hint('leave_run.detach')} detach · " if self._detachable else ""
            box.border_subtitle = (
                f"{hint('leave_run.keep')} background · {detach}"
                f"{hint('leave_run.end')} {self.end_word} · {hint('leave_run.stay')} stay"
            )
            yield Static(self.question, markup=False)

    @property
    def title_words(self) -> str:
        """The title: what the runs do."""
        return going_words(self._states, "the run")

    @property
    def question(self) -> str:
        """The question, and what each choice does."""
        words = _ONE if self._runs == 1 else _SEVERAL
        return words.format(_detached(self._runs) if self._detachable else "", ENDED)

    def words_for(self, action: str) -> str | None:
        """The key bar's words for an answer; None for the binding's own description."""
        return self.end_word if action == "answer('end')" else None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Not every run can be detached."""
        return parameters != ("detach",) or self._detachable

    def on_key(self, event: Key) -> None:
        """Note whether a key was pressed before the question was asked."""
        self._is_typed_ahead = event.time < self._asked_at

    def action_answer(self, choice: Leaving | None) -> None:
        """Close with the choice; a key typed ahead was no answer to this question, so it can
        neither end nor detach runs."""
        if not (self._is_typed_ahead and choice in ("end", "detach")):
            self.dismiss(choice)


def end_words(runs: int) -> str:
    """Return what the key does that ends so many runs, which it does at once."""
    return "end" if runs == 1 else "end both" if runs == 2 else f"end all {runs}"


ENDED = "An ended run keeps its results so far. It cannot be resumed, only forked."
"""Explains what ending does."""


def _detached(runs: int) -> str:
    """Explain what detaching does."""
    continues = "it continues" if runs == 1 else "each continues"
    return (
        f"Detached, {continues} in a separate program, even after this program and its terminal "
        "are gone. "
    )


_ONE = (
    "Keep it running in the background, detach it, or end it?\n\n"
    "In the background it continues as long as this program runs, and the home screen opens it "
    "again. {}{}"
)
_SEVERAL = (
    "Keep them running in the background, detach them, or end them?\n\n"
    "In the background they continue as long as this program runs, and the home screen opens them "
    "again. {}{}"
)


DOUBLE_PRESS_SECONDS = 0.5
"""A key pressed again this soon after the question was drawn was pressed before it was read."""


class QuitQuestion(ConfirmDialog):
    """Asks whether to quit; asking to quit again answers yes."""

    answers_again = True
    """Whether asking again is an answer."""

    def __init__(self, question: str, yes: str, no: str) -> None:
        super().__init__(question, yes, no)
        self._drawn_at: float | None = None
        self._takes_again = False

    def on_screen_resume(self) -> None:
        """Note when the question is drawn first."""
        if self._drawn_at is None:
            self.call_after_refresh(self._note_drawn)

    def _note_drawn(self) -> None:
        self._drawn_at = Message().time
        if self.answers_again:
            self.set_timer(DOUBLE_PRESS_SECONDS, self._say_again)

    def _say_again(self) -> None:
        """Name the key that asked among those that answer, from when on it does."""
        self._takes_again = True
        self.ask(self._question)

    @property
    @override
    def keys_words(self) -> str:
        again = f" · {hint('app.quit')} again quits" if self._takes_again else ""
        return f"{self.answer_words}{again}"

    @property
    def answer_words(self) -> str:
        """The keys that answer, besides the one that asked."""
        return super().keys_words

    def ask_again(self) -> None:
        """Answer yes, except to a key that was pressed twice."""
        drawn = self._drawn_at
        if drawn is not None and Message().time - drawn >= DOUBLE_PRESS_SECONDS:
            self.dismiss(True)


class QuitDialog(QuitQuestion):
    """Asks whether to end the runs with the program; they can be detached instead. Only the
    keys that answer end several: those of `LeaveDialog`, and those of any question.

    Args:
        question: the question.
        runs: number of active runs.
        detach: called if the user chooses to detach.
    """

    CSS = """
    QuitDialog .dialog { width: 76; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("leave_run.detach", "answer('detach')"),
        binding("leave_run.end", "answer('end')"),
        binding("leave_run.stay", "answer(None)"),
        binding("confirm.yes", "answer(True)", show=False),
        binding("confirm.no", "answer(False)", show=False),
    ]

    def __init__(self, question: str, runs: int, detach: Callable[[], None]) -> None:
        words = f"{question} {ENDED}\n\n{_detached(runs)}"
        super().__init__(words, "end and quit", "stay")
        self._runs = runs
        self.answers_again = runs == 1
        self._detach_runs = detach

    @property
    @override
    def answer_words(self) -> str:
        ends, stays = f"{hint('leave_run.end')} end and quit", f"{hint('leave_run.stay')} stay"
        return f"{hint('leave_run.detach')} detach and quit · {ends} · {stays}"

    @override
    def ask_again(self) -> None:
        if self._runs == 1:
            super().ask_again()
            return
        those = "both" if self._runs == 2 else f"all {self._runs}"
        ends = f"{hint('leave_run.end')} ends {those} runs and quits"
        self.notify(f"{ends}, {hint('leave_run.stay')} stays.", markup=False)

    @override
    def action_answer(self, sure: bool | Literal["detach", "end"] | None) -> None:
        """Close with the answer, and detach the runs if chosen."""
        self.dismiss(sure is True or sure == "end")
        if sure == "detach":
            app_of(self).call_later(self._detach_runs)


class DraftDialog(QuitQuestion):
    """Asks whether to quit although a task is not started; the keys that asked also answer yes."""

    BINDINGS: ClassVar[list[BindingType]] = [binding("home.quit", "quit", show=False)]

    @override
    def ask_again(self) -> None:
        self.dismiss(True)

    async def action_quit(self) -> None:
        """Ask the program again, which takes that for yes."""
        await self.run_action("app.quit")
