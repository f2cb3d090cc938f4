"""Which keys of an evaluation's screen do something now, and why the others do not."""

from __future__ import annotations

from dataclasses import dataclass

from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.screens.evals.source import EvalState


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalKeys:
    """What the keys depend on.

    Attributes:
        state: of the evaluation.
        is_here: whether this program runs it.
        can_stop: whether it can be stopped from here.
        is_starting: whether its own program is still starting.
        process: the process of another program, which has to be stopped there; empty if there is
            none.
        can_rerun: whether it has ended with samples that may run again.
        has_answers: whether a sample has ended.
        all_over: whether all samples have ended.
        any_running: whether a sample is running.
        has_resume: whether the opener of the screen can resume it.
        has_again: whether the opener of the screen can run it again.
    """

    state: EvalState
    is_here: bool
    can_stop: bool
    is_starting: bool
    process: str
    can_rerun: bool
    has_answers: bool
    all_over: bool
    any_running: bool
    has_resume: bool
    has_again: bool

    def why_unavailable(self, action: str) -> str:
        """Return why an action does nothing now; empty if it does something."""
        match action:
            case "resume":
                return self._why_no_resume()
            case "run_again":
                where = f"in the list of evaluations (home: {hint('home.evals')})"
                return "" if self.has_again else where
            case "score_again":
                return self._why_no_scoring()
            case "pause" | "stop" | "wall":
                return self._why_no_steering(action)
            case _:
                return ""

    def _why_no_resume(self) -> str:
        if self.state != "interrupted" and not self.can_rerun:
            return f"this evaluation is {self.state}"
        return "" if self.has_resume else "`sandbox-tui eval resume` resumes it"

    def _why_no_scoring(self) -> str:
        if self.state == "running":
            return "this evaluation is still running"
        return "" if self.has_answers else "no sample has ended"

    def _why_no_steering(self, action: str) -> str:
        if action == "stop" and self.can_stop:
            return ""
        if not self.is_here:
            if self.all_over:
                return "all samples have ended"
            if self.state != "running":
                return f"this evaluation is {self.state}"
            if self.is_starting and action != "wall":
                return "its program is still starting"
            if action == "pause" and self.can_stop:
                stop, resume = hint("eval.stop"), hint("eval.resume")
                return f"another program runs it; {stop} stops it, then {resume} resumes it"
            if action != "wall":
                return f"{self.process or 'another program'} runs it: {action} it there"
        return "no sample is running" if action == "wall" and not self.any_running else ""
