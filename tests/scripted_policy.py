"""A policy without a model: it looks up a key in the files of its task and writes it down."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from sandbox_tui.core.evals.task import Task
from sandbox_tui.core.models.base import Message
from sandbox_tui.core.rl.rewards.base import RewardResult, RolloutEnd
from sandbox_tui.core.rl.turn import Turn

QUESTION = re.compile(r"What is the key of room (\d+)\?")


def tasks(count: int) -> list[Task]:
    """Return `count` tasks; the policy gets every third one wrong."""
    return [
        Task(
            id=f"room/{number}",
            problem=f"What is the key of room {number}?",
            target="none" if number % 3 == 0 else str(number * 7919),
            files={"keys.txt": f"room {number}: {number * 7919}\n".encode()},
        )
        for number in range(count)
    ]


def reply(turn: Turn) -> Message:
    """Read the files, write the answer, submit."""
    asked = str(next(m["content"] for m in turn.messages if m["role"] == "user"))
    found = QUESTION.search(asked)
    assert found is not None, asked
    done = sum(message["role"] == "assistant" for message in turn.messages)
    steps: Sequence[tuple[str, dict[str, Any]]] = (
        ("execute_bash", {"command": "cd input && cat keys.txt"}),
        (
            "execute_bash",
            {"command": f"sed -n 's/^room {found[1]}: //p' keys.txt >../output/answer.txt"},
        ),
        ("submit", {}),
    )
    name, arguments = steps[done]
    function = {"name": name, "arguments": json.dumps(arguments)}
    call = {"id": f"call{done}", "type": "function", "function": function}
    return {"role": "assistant", "content": "", "tool_calls": [call]}


class KeyReward:
    """Rewards the right key with 1 and anything else with 0."""

    name = "key"

    async def reward(self, end: RolloutEnd) -> RewardResult:
        """Return the reward of one episode."""
        return RewardResult(value=float((end.answer or "").strip() == end.task.target))
