"""Calls that the user edited."""

from __future__ import annotations

import json
from typing import Any

from typing_extensions import override

from sandbox_tui.core.agent.approver import Decision, NullApprover
from sandbox_tui.core.agent.message_queue import MessageQueue
from sandbox_tui.core.agent.tool_calls import ToolCalls
from sandbox_tui.core.events.sink import NullEventSink
from sandbox_tui.core.events.types import ToolCall
from sandbox_tui.core.models.base import RawToolCall
from sandbox_tui.core.tools.base import Observation, Tool
from sandbox_tui.core.tools.call_summaries import summarize_call
from sandbox_tui.core.tools.editor import StrReplaceEditor

WRITTEN = json.dumps({"command": "create", "path": "/testbed/a.py", "file_text": "1\n"})
EDITED = json.dumps({"command": "create", "path": "/testbed/a.py", "file_text": "1\n2\n"})


class Editing(NullApprover):
    """Edits every call."""

    @override
    async def authorize(self, call: ToolCall, *, held: bool = False) -> Decision:
        return Decision(verdict="edit", by="human", arguments=EDITED)


class Executed:
    """Keeps the calls that it is to run."""

    def __init__(self) -> None:
        self.calls: list[ToolCall] = []

    async def execute(self, tool: Tool, arguments: dict[str, Any], call: ToolCall) -> Observation:
        self.calls.append(call)
        return Observation(text="done")


async def test_the_executor_is_told_the_call_that_runs_whenever_it_was_edited() -> None:
    for approver, edited in ((Editing(), None), (NullApprover(), EDITED)):
        executed = Executed()
        calls = ToolCalls(
            tools=[StrReplaceEditor()],
            executor=executed,
            approver=approver,
            messages=MessageQueue(),
            events=NullEventSink(),
        )
        written = RawToolCall(id="c", name="str_replace_editor", arguments=WRITTEN)
        call, _ = await calls.execute(1, written, after_submit=False, edited=edited)
        assert call.arguments == WRITTEN
        (ran,) = executed.calls
        assert summarize_call(ran.name, ran.arguments).endswith("a.py +2")
