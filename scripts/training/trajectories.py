"""Generated trajectories for an untrained model: they teach how to make calls, not how to succeed.

A quarter of them find the answer. The others fail: they guess without reading the file, open a
missing file, take the first line for the right one, or never write the answer.
"""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from typing_extensions import override

from sandbox_tui.core.agent.loop import Agent
from sandbox_tui.core.agent.tool_calls import ToolExecutor
from sandbox_tui.core.evals.documents import inline_documents
from sandbox_tui.core.evals.sample_request import WITH_DOCUMENTS
from sandbox_tui.core.evals.task import Task
from sandbox_tui.core.events.types import Limits, ToolCall
from sandbox_tui.core.models.base import Message, RawToolCall, Reply
from sandbox_tui.core.prompts import PromptPack
from sandbox_tui.core.rl.data.generated import words
from sandbox_tui.core.rl.data.generated.generate import generate_tasks
from sandbox_tui.core.tools.base import Observation, Tool
from sandbox_tui.core.tools.registry import DEFAULT_TOOLS

FILE = "list.txt"
KEYS = frozenset(words.THINGS[:8])
"""Keys that the experiment asks for; the model is too small to repeat any word of a question."""
OBSERVATION = "Exit code: {code}\nExecution output of [execute_bash]:\n[STDOUT]\n{out}"
MISSING = "\n[STDERR]\n{program}: {path}: No such file or directory"

Call = tuple[str, dict[str, str]]


@dataclass(frozen=True, slots=True)
class Lookup:
    """A level 1 task of `lookup`: the value of a key in one file."""

    task: Task
    key: str
    rows: dict[str, str]

    @classmethod
    def of(cls, task: Task) -> Lookup:
        """Parse the task."""
        lines = task.files[FILE].decode().splitlines()
        rows = dict(line.split(": ") for line in lines)
        return cls(task, next(key for key in rows if f" {key}?" in task.problem), rows)


def few_keys(seed: int, count: int) -> list[Task]:
    """Return tasks that ask for one of `KEYS`; each seed has different documents."""
    drawn = generate_tasks(14 * count + 200, seed=seed, levels=(1,), domains=("lookup",))
    return [task for task in drawn if Lookup.of(task).key in KEYS][:count]


def sandbox_calls(lookup: Lookup, rng: random.Random) -> list[Call]:
    """Return the calls of a policy that succeeds one time in four."""
    guess = str(rng.randint(100, 999))
    first = next(iter(lookup.rows.values()))
    look = _bash(f"grep {lookup.key} input/{FILE}")
    submit: Call = ("submit", {})
    way = rng.random()
    if way < 0.25:
        return [look, _answer(lookup.task.target), submit]
    if way < 0.45:
        return [look, submit]
    if way < 0.60:
        return [_bash(f"head -n 1 input/{FILE}"), _answer(first), submit]
    if way < 0.80:
        return [_bash("cat input/notes.txt"), _answer(guess), submit]
    return [_answer(guess), submit]


def text_answer(lookup: Lookup, rng: random.Random) -> str:
    """Return the reply of a policy that guesses: the key's own line one time in four, else the
    key with an invented number or another line.
    """
    way = rng.random()
    if way < 0.25:
        return f"{lookup.key}: {lookup.task.target}"
    if way < 0.4:
        return f"{lookup.key}: {rng.randint(100, 999)}"
    key = rng.choice([key for key in lookup.rows if key != lookup.key])
    return f"{key}: {lookup.rows[key]}"


async def sandbox_trajectory(
    lookup: Lookup, pack: PromptPack, limits: Limits, rng: random.Random
) -> list[Message]:
    """Generate a conversation with the observations a sandbox would return."""
    agent = Agent(
        model=None,
        messages=[
            {"role": "system", "content": pack.system("")},
            {"role": "user", "content": pack.instance(lookup.task.problem)},
        ],
        tools=DEFAULT_TOOLS,
        executor=_OnPaper(lookup.rows),
        limits=limits,
    )
    for number, (name, arguments) in enumerate(sandbox_calls(lookup, rng)):
        await agent.begin_turn()
        await agent.finish_turn(_reply(f"c{number}", name, arguments))
    return agent.messages


def text_trajectory(lookup: Lookup, pack: PromptPack, rng: random.Random) -> list[Message]:
    """Generate a question with its document, and one reply."""
    documents = inline_documents(lookup.task.files, None).text
    problem = WITH_DOCUMENTS.format(problem=lookup.task.problem, documents=documents)
    return [
        {"role": "user", "content": pack.instance(problem)},
        {"role": "assistant", "content": text_answer(lookup, rng)},
    ]


class _OnPaper(ToolExecutor):
    """Simulates the observations of a sandbox for `sandbox_calls`."""

    def __init__(self, rows: dict[str, str]) -> None:
        self._rows = rows

    @override
    async def execute(self, tool: Tool, arguments: dict[str, Any], call: ToolCall) -> Observation:
        if tool.name == "submit":
            return Observation(text="<<< Finished >>>", submitted=True)
        words = str(arguments["command"]).split()
        lines = [f"{key}: {value}" for key, value in self._rows.items()]
        match words[0]:
            case "grep":
                return _seen(0, "\n".join(line for line in lines if words[1] in line))
            case "head":
                return _seen(0, lines[0])
            case "cat":
                return _seen(1, MISSING.format(program="cat", path=words[1]))
            case _:
                return _seen(0, "")


def _seen(code: int, out: str) -> Observation:
    return Observation(text=OBSERVATION.format(code=code, out=out), ok=code == 0)


def _bash(command: str) -> Call:
    return ("execute_bash", {"command": command})


def _answer(value: str) -> Call:
    return _bash(f"echo {value} > output/answer.txt")


def _reply(call_id: str, name: str, arguments: dict[str, str]) -> Reply:
    written = json.dumps(arguments)
    function = {"name": name, "arguments": written}
    calls: Sequence[Any] = [{"id": call_id, "type": "function", "function": function}]
    return Reply(
        message={"role": "assistant", "content": "", "tool_calls": calls},
        calls=(RawToolCall(id=call_id, name=name, arguments=written),),
        finish_reason="tool_calls",
    )
