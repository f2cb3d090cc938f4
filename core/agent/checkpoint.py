"""The state of an agent when its program ended or when its run was forked."""

from __future__ import annotations

from dataclasses import dataclass, field

from sandbox_tui.core.agent.repetition import RepetitionCounter
from sandbox_tui.core.events.types import ToolCall, ToolFormat
from sandbox_tui.core.models.base import RawToolCall


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentCheckpoint:
    """The state from which an agent continues.

    Attributes:
        step: steps taken; the last one may be unfinished.
        calls: tool calls so far.
        cost: US dollars spent so far.
        context_tokens: tokens of the conversation, as last counted.
        interrupted: the call whose tool was running.
        proposed: a proposed call whose tool had not started.
        proposed_cut: whether that call was cut off by its reply's token limit.
        proposed_held: whether that call was waiting for a decision of the user.
        edited: new arguments for the step's next call, proposed or not.
        unproposed: calls of the last step that were not proposed yet.
        submitted: whether a call of the last step submitted the work.
        tool_format: the recorded format of the tool calls.
        repetition: how often the last call was made in a row.
    """

    step: int = 0
    calls: int = 0
    cost: float = 0.0
    context_tokens: int = 0
    interrupted: ToolCall | None = None
    proposed: ToolCall | None = None
    proposed_cut: bool = False
    proposed_held: bool = False
    edited: str | None = None
    unproposed: tuple[RawToolCall, ...] = ()
    submitted: bool = False
    tool_format: ToolFormat = field(default_factory=ToolFormat)
    repetition: RepetitionCounter = field(default_factory=RepetitionCounter)
