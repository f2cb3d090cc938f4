"""The demo's script solves its task and responds to the user's actions."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from sandbox_tui.core.agent.model_messages import DEFAULT_TOOL_NAMES, EDITED, no_call
from sandbox_tui.core.events.items import NOT_YET
from sandbox_tui.core.models.base import Delta, Message, Reply, Request
from sandbox_tui.core.models.demo_model import DEMO_TASK, DemoModel, demo_documents, script
from sandbox_tui.core.tools.registry import DEFAULT_TOOLS
from sandbox_tui.core.tools.text_edits import replace

REJECTED = "A person rejected this call; it was not run. They say: use awk\nSteps Remaining: 9"
SKIPPED = "A person skipped this call; it was not run."
LAST = len(script()) - 1


async def ask(messages: list[Message], model: DemoModel | None = None) -> Reply:
    request = Request(messages=messages, tools=[])
    parts = [part async for part in (model or DemoModel(speed=0)).ask(request)]
    reply = parts[-1]
    assert isinstance(reply, Reply)
    deltas = [part for part in parts if isinstance(part, Delta)]
    for channel, whole in (("text", reply.text), ("reasoning", reply.reasoning)):
        assert "".join(d.text for d in deltas if d.channel == channel) == whole
    written = "".join(d.text for d in deltas if d.channel == "call")
    assert [written] == [call.arguments for call in reply.calls]
    return reply


def opening() -> list[Message]:
    return [{"role": "system", "content": "s"}, {"role": "user", "content": DEMO_TASK}]


async def turn(messages: list[Message], answer: str = "fine") -> Reply:
    """Run one turn of a conversation and answer its call."""
    reply = await ask(messages)
    messages += [
        reply.message,
        {"role": "tool", "tool_call_id": reply.calls[0].id, "content": answer},
    ]
    return reply


def wanted(reply: Reply) -> tuple[str, dict[str, Any]]:
    return reply.calls[0].name, json.loads(reply.calls[0].arguments)


def test_the_documents_hold_one_answer() -> None:
    falls: list[tuple[int, str, int]] = []
    for name, data in demo_documents().items():
        years = re.findall(r"YEAR (\d+)", data.decode())
        grain = [
            int(n.replace(" ", "")) for n in re.findall(r"Grain landed: ([\d ]+) t", data.decode())
        ]
        assert len(years) == len(grain) == 10
        falls += [(grain[n - 1] - grain[n], name, int(years[n])) for n in range(1, 10)]
    falls.sort(reverse=True)
    assert falls[0] == (8409, "corvane.txt", 1914)
    assert falls[1][0] < falls[0][0]
    assert sum(len(data.splitlines()) for data in demo_documents().values()) > 1500
    assert demo_documents() == demo_documents()


def test_the_script_is_one_that_can_be_carried_out() -> None:
    tools = {tool.name: tool.schema for tool in DEFAULT_TOOLS}
    files: dict[str, bytes] = {}
    for one in script():
        assert set(one.arguments) <= set(tools[one.tool]["parameters"]["properties"])
        if one.arguments.get("command") == "create":
            files[one.arguments["path"]] = one.arguments["file_text"].encode()
        elif one.arguments.get("command") == "str_replace":
            path = one.arguments["path"]
            before, old, new = files[path], one.arguments["old_str"], one.arguments["new_str"]
            files[path] = replace(before, old, new, path).data
    for path, data in files.items():
        compile(data, path, "exec")
    assert script()[-1].tool == "submit"
    assert 9 <= len(script()) <= 12


async def test_undisturbed_it_runs_from_beginning_to_end() -> None:
    messages = opening()
    replies = [await turn(messages) for _ in script()]
    assert [wanted(reply) for reply in replies] == [(t.tool, t.arguments) for t in script()]
    assert len({reply.calls[0].id for reply in replies}) == len(replies)
    assert all(reply.usage.output_tokens for reply in replies)
    assert DemoModel().name == "demo script"


@pytest.mark.parametrize("at", [0, 3, LAST])
async def test_a_refused_call_is_asked_for_once_more(at: int) -> None:
    messages = opening()
    for _ in range(at):
        await turn(messages)
    first = await turn(messages, REJECTED)
    second = await turn(messages, REJECTED)
    third = await turn(messages)
    assert wanted(first) == wanted(second)
    assert '"use awk"' in second.text
    assert "Rejected twice" in third.text
    assert wanted(third) == (
        script()[min(at + 1, LAST)].tool,
        script()[min(at + 1, LAST)].arguments,
    )


@pytest.mark.parametrize("answer", [REJECTED, SKIPPED])
async def test_it_reaches_submit_though_everything_is_refused(answer: str) -> None:
    messages = opening()
    names = [(await turn(messages, answer)).calls[0].name for _ in range(2 * len(script()))]
    assert names[-2:] == ["submit", "submit"]


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("A person who watches this run writes to you:\nbe quick", "read your message"),
        (
            "A person who watches this run ran a command in your sandbox:\n$ ls",
            "I see the command you ran",
        ),
    ],
)
async def test_a_users_message_is_acknowledged_once(said: str, words: str) -> None:
    messages = opening()
    await turn(messages)
    messages.append({"role": "user", "content": said})
    reply = await turn(messages)
    assert words in reply.text
    assert wanted(reply)[1] == script()[1].arguments
    assert words not in (await turn(messages)).text


async def test_an_edited_call_is_noticed() -> None:
    messages = opening()
    await turn(messages, f'{EDITED} {{"command": "ls"}}]\nExit code: 0')
    assert "you edited my call" in (await turn(messages)).text


async def test_a_submit_that_must_wait_is_made_again() -> None:
    messages = opening()
    for _ in script():
        await turn(messages, NOT_YET)
    assert wanted(await turn(messages))[0] == "submit"


async def test_a_reply_that_was_broken_off_is_written_again() -> None:
    model = DemoModel(speed=0)
    request = Request(messages=opening(), tools=[])
    async for _ in model.ask(request):
        break
    assert wanted(await ask(opening(), model))[1] == script()[0].arguments


async def test_a_conversation_can_be_resumed_anywhere() -> None:
    messages = opening()
    for _ in range(4):
        await turn(messages)
    messages.append({"role": "user", "content": no_call(DEFAULT_TOOL_NAMES)})
    assert wanted(await ask(messages, DemoModel(speed=0)))[1] == script()[4].arguments
