"""A place in a replay as the user types it: a step, a time, a share of the session, or its end."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from sandbox_tui.core.base.durations import clock
from sandbox_tui.tui.screens.dialogs.dialog import WrongAnswer


class StepPlace(NamedTuple):
    """The reply of a step; 0 is the start.

    Attributes:
        step: its number.
    """

    step: int


class TimePlace(NamedTuple):
    """A moment.

    Attributes:
        seconds: since the run started.
    """

    seconds: float


@dataclass(frozen=True, slots=True)
class Extent:
    """What a session has.

    Attributes:
        step: the displayed step.
        steps: number of the last step.
        seconds: its length.
    """

    step: int
    steps: int
    seconds: float

    def place(self, text: str) -> StepPlace | TimePlace:
        """Return the place for a text: `12`, `+2`, `-2`, `50%`, `1:23` or `$`.

        Raises:
            WrongAnswer: there is no such place.
        """
        if text == "$":
            return TimePlace(self.seconds)
        if found := re.fullmatch(r"([+-]?)\s*(\d{1,9})", text):
            return self._step(found[1], int(found[2]))
        if found := re.fullmatch(r"(\d{1,9}(?:\.\d+)?)\s*%", text):
            return self._share(float(found[1]))
        if re.fullmatch(r"(\d{1,5}:)?\d{1,5}:\d{1,2}", text):
            return self._time(text)
        raise WrongAnswer(f"not a step: enter 1 to {self.steps}, +2, 50%, 1:23 or $")

    def _step(self, sign: str, number: int) -> StepPlace:
        step = {"+": self.step + number, "-": self.step - number}.get(sign, number)
        if not 0 <= step <= self.steps:
            raise WrongAnswer(f"no step {step}: enter 1 to {self.steps}")
        return StepPlace(step)

    def _share(self, percent: float) -> TimePlace:
        if percent > 100:
            raise WrongAnswer("enter 0% to 100%")
        return TimePlace(self.seconds * percent / 100)

    def _time(self, text: str) -> TimePlace:
        seconds = 0
        for part in text.split(":"):
            seconds = 60 * seconds + int(part)
        if seconds > self.seconds:
            raise WrongAnswer(f"the session ends at {clock(self.seconds)}")
        return TimePlace(seconds)
