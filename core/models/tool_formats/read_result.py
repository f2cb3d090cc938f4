"""The result of reading a reply whose calls are text."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class TextCall:
    """A call to run.

    Attributes:
        tool: name of one of the run's tools.
        arguments: they match the tool's schema.
        repaired: what was repaired to read the call, as a sentence for the user; empty if nothing
            was.
    """

    tool: str
    arguments: dict[str, Any]
    repaired: str = ""

    @property
    def json(self) -> str:
        """The arguments as JSON text, as in native calls."""
        return json.dumps(self.arguments, ensure_ascii=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A whole reply that has been read.

    It has calls, or a problem, or neither if it simply called no tool.

    Attributes:
        reasoning: the content of thinking tags or an analysis channel.
        text: the text beside the calls; calls that are not run stay in it.
        calls: the calls to run, in the order in which they were written.
        problem: why none of the reply's calls is run and what to do about it, as a sentence for the
            model.
        family: name of the calls' format; empty if there are none.
    """

    reasoning: str = ""
    text: str = ""
    calls: tuple[TextCall, ...] = ()
    problem: str = ""
    family: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A call as written so far, not yet validated.

    Attributes:
        tool: its name; empty while unknown.
        arguments: their text so far: partial JSON, or Python in a Pythonic list.
        family: name of the format.
        is_complete: whether the call is complete.
    """

    tool: str
    arguments: str
    family: str
    is_complete: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """A reply so far. Depends only on the text so far, not on how it was split into pieces.

    What has been shown may move: text becomes reasoning if a closing tag shows that it was, and a
    call that turns out to be quoted returns to the text.
    """

    reasoning: str
    text: str
    calls: tuple[Draft, ...]
