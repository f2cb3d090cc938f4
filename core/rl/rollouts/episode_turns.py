"""Builds the turns of one episode: its conversation in the form of the policy's chat template."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sandbox_tui.core.agent import model_messages as texts
from sandbox_tui.core.agent.text_conversation import native_conversation, text_conversation
from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.models.base import Message
from sandbox_tui.core.models.tool_formats.families.base import Family
from sandbox_tui.core.models.tool_formats.table import FAMILIES
from sandbox_tui.core.rl.episode_settings import NATIVE
from sandbox_tui.core.rl.rollouts import chatml
from sandbox_tui.core.rl.turn import Turn


class Prompts:
    """The prompts of one episode, each a prefix of the next one.

    The text of a prompt is never rendered again: the policy's own text and what follows it are
    appended, so that a policy finds its replies exactly as it wrote them.

    Args:
        tools: OpenAI function objects.
        tool_format: see `EpisodeSettings`.

    Raises:
        ConfigError: the tool format does not exist.
    """

    def __init__(self, tools: Sequence[dict[str, Any]], tool_format: str) -> None:
        self._tools = list(tools)
        self._family = _family(tool_format)
        self._text = ""
        self._count = 0

    @property
    def as_text(self) -> bool:
        """Whether tool calls travel as text."""
        return self._family is not None

    def turn(self, conversation: Sequence[Message], written: str = "") -> Turn:
        """Build the next turn.

        Args:
            conversation: the agent's conversation, in the OpenAI format.
            written: the policy's reply to the previous turn, verbatim.
        """
        messages = self.rendered(conversation)
        if self._family is None:
            return Turn(messages=messages, tools=list(self._tools))
        if self._text:
            self._text += chatml.ended(written) + chatml.render(messages[self._count + 1 :])
        else:
            self._text = chatml.render(messages)
        self._text += chatml.REPLY_BEGINS
        self._count = len(messages)
        return Turn(messages=messages, tools=[], text=self._text)

    def rendered(self, conversation: Sequence[Message]) -> list[Message]:
        """Return the conversation in the form of `Turn.messages`."""
        if self._family is None or not self._tools:
            return list(native_conversation(conversation))
        instructions = texts.text_instructions(self._tools, self._family.write_calls)
        return text_conversation(conversation, instructions, self._family)


def _family(tool_format: str) -> Family | None:
    """Return the text family of a format; None for native calls."""
    if tool_format == NATIVE:
        return None
    if tool_format not in FAMILIES:
        known = ", ".join((NATIVE, *FAMILIES))
        raise ConfigError(f"There is no tool format {tool_format!r}. Known formats: {known}.")
    return FAMILIES[tool_format]
