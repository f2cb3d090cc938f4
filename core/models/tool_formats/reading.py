"""What is read from a reply in which calls stand as text."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class TextCall:
    """A call to run.

    Attributes:
        tool: name of a tool that the run has.
        arguments: they fit the tool's schema.
        repaired: what was mended to read the call, as a sentence for people; empty: nothing.
    """

    tool: str
    arguments: dict[str, Any]
    repaired: str = ""

    @property
    def json(self) -> str:
        """The arguments as JSON text, as native calls carry them."""
        return json.dumps(self.arguments, ensure_ascii=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A whole reply, read.

    Either there are calls, or a problem, or neither: then the reply simply called no tool.

    Attributes:
        reasoning: what stood in thinking tags or an analysis channel.
        text: what is said besides the calls; calls that are not carried out stay in it.
        calls: in the order in which they were written; all of them are to be carried out.
        problem: why none of the calls that the reply holds is carried out and what to do about
            it, as a sentence for the model.
        family: name of the format in which the calls are written; empty where there are none.
    """

    reasoning: str = ""
    text: str = ""
    calls: tuple[TextCall, ...] = ()
    problem: str = ""
    family: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A call as far as it has been written, not yet validated.

    Attributes:
        tool: its name; empty while it is not known.
        arguments: what is written of them: JSON text as far as it goes, Python's in a Pythonic
            list.
        family: name of the format.
        whole: the call has come to its end.
    """

    tool: str
    arguments: str
    family: str
    whole: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """A reply as far as it has come. Depends on the text so far alone, not on its pieces.

    What has been shown may move: text becomes reasoning when a closing tag shows that it was a
    thought, and a call that turns out to be quoted returns to the text.
    """

    reasoning: str
    text: str
    calls: tuple[Draft, ...]
