"""How a person sets the pace of a run, and decides about a call that waits."""

from __future__ import annotations

from collections.abc import Sequence

from . import events as e
from .errors import SandboxTuiError
from .freezing import Freezer
from .gate import Decision, Gate


class RunOver(SandboxTuiError):
    """Something was asked of a run that has ended."""


class Steered:
    """Pace and decisions; `Run` is what is steered.

    Attributes:
        gate: where a call waits.
    """

    gate: Gate
    _freezer: Freezer

    @property
    def steerable(self) -> bool:
        """Whether anything can still be done to it."""
        raise NotImplementedError

    def set_mode(self, mode: e.Mode) -> None:
        """Change how the run proceeds; a frozen sandbox goes on unless it is to pause."""
        self._alive()
        self.gate.set_mode(mode)
        if mode != "paused":
            self._freezer.thaw_soon()

    def pause(self) -> None:
        """Hold the run before its next request or call."""
        self.set_mode("paused")

    def resume(self) -> None:
        """Let the run go on by itself, in the mode in which it last did."""
        self._alive()
        self.gate.go_on()
        self._freezer.thaw_soon()

    def step(self) -> None:
        """Let one call through and hold at the next."""
        self._alive()
        self.gate.step()
        self._freezer.thaw_soon()

    @property
    def frozen(self) -> bool:
        """Whether the sandbox's processes are stopped."""
        return self._freezer.frozen

    async def freeze(self) -> None:
        """Pause, and stop every process in the sandbox where it is.

        Raises:
            SandboxError: it cannot be frozen; the run is paused all the same.
        """
        self.pause()
        await self._freezer.freeze()

    async def thaw(self) -> None:
        """Let the sandbox go on, and the run with it."""
        self._alive()
        await self._freezer.thaw()
        self.gate.go_on()

    def approve(self, call: int) -> bool:
        """Let a waiting call run as it is; False when it is not waiting."""
        return self._let_through(self.gate.decide(call, Decision(verdict="approve", by="human")))

    def approve_always(self, call: int, patterns: Sequence[str]) -> bool:
        """Let a waiting call run, and all that match these patterns; False when it is not waiting.

        Args:
            call: its number.
            patterns: in the form of `Gate.suggested`.
        """
        return self._let_through(self.gate.grant(call, patterns))

    def edit(self, call: int, arguments: str) -> bool:
        """Let a waiting call run with other arguments (JSON text); the model is told."""
        return self._let_through(
            self.gate.decide(call, Decision(verdict="edit", by="human", arguments=arguments))
        )

    def reject(self, call: int, feedback: str = "") -> bool:
        """Keep a waiting call from running, with words for the model."""
        return self.gate.decide(call, Decision(verdict="reject", by="human", feedback=feedback))

    def answer(self, call: int, observation: str) -> bool:
        """Answer a waiting call in the tool's stead."""
        return self.gate.decide(call, Decision(verdict="answer", by="human", feedback=observation))

    def skip(self, call: int) -> bool:
        """Leave a waiting call out; the model is told that, and no more."""
        return self.gate.decide(call, Decision(verdict="skip", by="human"))

    def _let_through(self, decided: bool) -> bool:
        """A call that may run must be able to: a frozen sandbox goes on for it."""
        if decided:
            self._freezer.thaw_soon()
        return decided

    def _alive(self) -> None:
        if not self.steerable:
            raise RunOver("This run has ended; start a new one to go on.")
