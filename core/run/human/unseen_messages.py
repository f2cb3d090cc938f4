"""What the user did that the model never saw, because the run ended before."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from sandbox_tui.core.agent.message_queue import PROGRAM, QueuedMessage
from sandbox_tui.core.events.run_state import HumanItem

MAX_CHARS = 200
"""Characters of the user's own words in a sentence."""


def unseen_sentences(
    messages: Iterable[QueuedMessage], humans: Mapping[int, HumanItem]
) -> Iterator[str]:
    """Return a sentence for each message that was still queued; hints of the program do not
    matter.

    Args:
        messages: the queued messages.
        humans: what the user did, by the ids of the messages.
    """
    for message in messages:
        if message.id != PROGRAM:
            yield f"The model never saw {_named(humans[message.id])}"


def _named(item: HumanItem) -> str:
    text = shortened(item.text)
    if item.file is not None:
        return f"that you changed {text}."
    if item.command is not None:
        return f"the output of your command: {text}"
    return f"your message: {text}"


def shortened(text: str) -> str:
    """Return the beginning of the user's words."""
    return text if len(text) <= MAX_CHARS else f"{text[:MAX_CHARS]} …"
