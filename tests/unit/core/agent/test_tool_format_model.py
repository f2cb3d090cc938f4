"""A model is asked for tool calls in the format that works for it."""

from __future__ import annotations

import itertools
import json
from collections.abc import AsyncGenerator, Sequence
from typing import Any

import pytest

from sandbox_tui.core.agent.model_messages import json_instructions, json_reminder
from sandbox_tui.core.agent.text_conversation import FAMILY_KEY, text_conversation
from sandbox_tui.core.agent.tool_format_model import (
    FIRST_TEXT_INDEX,
    REPLIES_AGAINST_MEMORY,
    ToolFormatModel,
)
from sandbox_tui.core.agent.try_tool_calls import MAX_REPLY_TOKENS, try_tool_calls
from sandbox_tui.core.base.errors import ModelError
from sandbox_tui.core.events.types import ToolCallSetting, ToolFormat
from sandbox_tui.core.models.base import (
    Delta,
    Message,
    RawToolCall,
    Reply,
    Request,
    ToolFormatSettled,
)
from sandbox_tui.core.models.template_limits import NO_TEXT
from sandbox_tui.core.models.tool_formats.table import FAMILIES
from sandbox_tui.core.tools.registry import DEFAULT_TOOLS

TOOLS = [{"type": "function", "function": dict(tool.schema)} for tool in DEFAULT_TOOLS]
TASK: list[Message] = [
    {"role": "system", "content": "You work."},
    {"role": "user", "content": "Do it."},
]
HERMES = '<tool_call>\n{"name": "execute_bash", "arguments": {"command": "ls"}}\n</tool_call>'
FENCED = '```json\n{"name": "execute_bash", "arguments": {"command": "ls"}}\n```'
BY_SCHEMA = '{"thought": "First I look.", "name": "execute_bash", "arguments": {"command": "ls"}}'

NO_TOOLS = ModelError(
    'The server returned an error (400). It says: "auto" tool choice requires '
    "--enable-auto-tool-choice and --tool-call-parser to be set",
    status=400,
)
NO_SCHEMA = ModelError("It says: response_format is not supported", status=400)


class Inner:
    """A model that gives these replies or raises these errors, and records its requests."""

    name = "inner"

    def __init__(self, answers: Sequence[str | Reply | ModelError]) -> None:
        self.params: dict[str, Any] = {"base_url": "http://x"}
        self.requests: list[Request] = []
        self._answers = list(answers)

    async def ask(self, request: Request) -> AsyncGenerator[Delta | Reply, None]:
        self.requests.append(request)
        answer = self._answers.pop(0)
        if isinstance(answer, ModelError):
            raise answer
        if isinstance(answer, Reply):
            yield answer
            return
        for character in answer:
            yield Delta("text", character)
        message = {"role": "assistant", "content": answer}
        yield Reply(message=message, text=answer, finish_reason="stop")

    async def prepare(self) -> None: ...

    async def close(self) -> None: ...


def native(command: str = "ls") -> Reply:
    call = RawToolCall(id="a", name="execute_bash", arguments=json.dumps({"command": command}))
    function = {"name": call.name, "arguments": call.arguments}
    sent = [{"id": "a", "type": "function", "function": function}]
    return Reply(message={"role": "assistant", "content": None, "tool_calls": sent}, calls=(call,))


class Asked:
    """A conversation with a model, turn by turn."""

    def __init__(
        self,
        *answers: str | Reply | ModelError,
        requested: ToolCallSetting = "auto",
        previous: ToolFormat | None = None,
    ) -> None:
        self.inner = Inner(answers)
        self.model = ToolFormatModel(self.inner, requested, previous)
        self.messages = list(TASK)
        self.settled: list[ToolFormatSettled] = []
        self.deltas: list[Delta] = []

    async def turn(self, observation: str = "a file") -> Reply:
        self.deltas = []
        reply: Reply | None = None
        async for part in self.model.ask(Request(messages=list(self.messages), tools=TOOLS)):
            if isinstance(part, Reply):
                reply = part
            elif isinstance(part, ToolFormatSettled):
                self.settled.append(part)
            elif isinstance(part, Delta):
                self.deltas.append(part)
        assert reply is not None
        self.messages.append(reply.message)
        for call in reply.calls:
            self.messages.append({"role": "tool", "tool_call_id": call.id, "content": observation})
        if not reply.calls:
            self.messages.append({"role": "user", "content": reply.problem or "Call a tool."})
        return reply

    @property
    def modes(self) -> list[tuple[str, str]]:
        """Mode and family of each format settled on, without the initial native one."""
        formats = [(settled.format.mode, settled.format.family) for settled in self.settled]
        return formats[1:] if formats[:1] == [("native", "")] else formats


@pytest.mark.parametrize("requested", ["auto", "native"])
async def test_a_native_model_is_asked_as_ever(requested: ToolCallSetting) -> None:
    asked = Asked(native(), native("pwd"), requested=requested)
    await asked.turn()
    await asked.turn()
    assert not asked.modes
    first, second = asked.inner.requests
    assert first == Request(messages=TASK, tools=TOOLS)
    assert second == Request(messages=asked.messages[:4], tools=TOOLS)


@pytest.mark.parametrize(
    ("written", "family"), [(HERMES, "hermes"), (FENCED, "json")], ids=["hermes", "fenced"]
)
async def test_a_call_written_as_text_is_carried_out_at_once(written: str, family: str) -> None:
    asked = Asked(f"I look.\n\n{written}", f"And again.\n\n{written}")
    reply = await asked.turn()
    (call,) = reply.calls
    assert (call.name, json.loads(call.arguments), call.family) == (
        "execute_bash",
        {"command": "ls"},
        family,
    )
    assert reply.text == "I look."
    assert reply.message["content"] == f"I look.\n\n{written}"
    assert asked.modes == [("text", family)]
    await asked.turn()
    assert asked.modes == [("text", family)], "said once"
    sent = asked.inner.requests[1]
    assert not sent.tools
    assert sent.messages[0]["content"].startswith("You work.\n\nTOOLS\n- ")
    roles = [message["role"] for message in sent.messages]
    assert roles == ["system", "user", "assistant", "user"]
    assert sent.messages[2] == {"role": "assistant", "content": f"I look.\n\n{written}"}
    assert "a file" in sent.messages[3]["content"]


async def test_a_call_in_text_streams_as_a_call() -> None:
    asked = Asked(f"Look:\n{HERMES}")
    await asked.turn()
    calls = [delta for delta in asked.deltas if delta.channel == "call"]
    assert calls[0].name == "execute_bash"
    assert {delta.index for delta in calls} == {FIRST_TEXT_INDEX}
    assert json.loads("".join(delta.text for delta in calls)) == {"command": "ls"}
    shown = "".join(delta.text for delta in asked.deltas if delta.channel == "text")
    assert shown.strip() == "Look:"


async def test_requests_stay_prefixes_of_each_other() -> None:
    asked = Asked(HERMES, HERMES, "words alone", HERMES, HERMES)
    for number in range(5):
        await asked.turn(f"result {number}")
    conversations = [request.messages for request in asked.inner.requests[1:]]
    for before, after in itertools.pairwise(conversations):
        assert list(after[: len(before)]) == list(before)


async def test_a_server_without_tools_is_asked_by_schema() -> None:
    asked = Asked(NO_TOOLS, BY_SCHEMA, BY_SCHEMA)
    reply = await asked.turn()
    assert asked.modes == [("json_schema", "json")]
    assert reply.text == "First I look."
    assert reply.calls[0].arguments == '{"command": "ls"}'
    sent = asked.inner.requests[1]
    assert not sent.tools
    assert sent.response_format is not None
    branches = sent.response_format["json_schema"]["schema"]["anyOf"]
    names = [branch["properties"]["name"]["const"] for branch in branches]
    assert names == ["execute_bash", "str_replace_editor", "submit"], "the simplest first"
    await asked.turn()
    assert asked.inner.requests[2].messages[2]["content"] == BY_SCHEMA


async def test_a_server_without_tools_and_schemas_gets_text() -> None:
    asked = Asked(NO_TOOLS, NO_SCHEMA, HERMES)
    reply = await asked.turn()
    assert reply.calls
    assert asked.modes == [("json_schema", "json"), ("text", "hermes")]
    assert asked.inner.requests[2].response_format is None
    assert "<tool_call>" in asked.inner.requests[2].messages[0]["content"]


async def test_an_error_about_something_else_stays_an_error() -> None:
    asked = Asked(ModelError("The server is busy.", status=503, retryable=True), native())
    with pytest.raises(ModelError, match="busy"):
        await asked.turn()
    assert not asked.modes
    asked = Asked(native(), NO_TOOLS)
    await asked.turn()
    with pytest.raises(ModelError, match="tool choice"):
        await asked.turn()  # it accepted tools before, so something else is wrong


@pytest.mark.parametrize("requested", ["native", "text", "json_schema"])
async def test_a_configured_format_is_kept(requested: ToolCallSetting) -> None:
    asked = Asked("words", "words", "words", requested=requested)
    for _ in range(3):
        await asked.turn()
    assert [mode for mode, _ in asked.modes] == ([] if requested == "native" else [requested])
    asked = Asked(NO_TOOLS, requested=requested)
    with pytest.raises(ModelError):
        await asked.turn()


async def test_replies_without_calls_lead_to_the_schema() -> None:
    asked = Asked("I would run ls.", "Let me think.", BY_SCHEMA)
    first = await asked.turn()
    assert not first.calls
    await asked.turn()
    assert asked.modes == [("json_schema", "json")]
    assert "2 replies in a row" in asked.settled[-1].why
    assert (await asked.turn()).calls


def cut_off(text: str = "", reasoning: str = "") -> Reply:
    message = {"role": "assistant", "content": text}
    return Reply(message=message, text=text, reasoning=reasoning, finish_reason="length")


async def test_a_reply_cut_off_at_its_limit_is_not_one_without_a_call() -> None:
    asked = Asked(cut_off("The task is to"), "words", cut_off("The task is to"), native())
    for _ in range(4):
        await asked.turn()
    assert not asked.modes


async def test_a_model_remembered_for_native_calls_is_reminded_first() -> None:
    words = ["words"] * (REPLIES_AGAINST_MEMORY - 1)
    asked = Asked(*words, native(), previous=ToolFormat())
    for _ in range(REPLIES_AGAINST_MEMORY):
        await asked.turn()
    assert not asked.modes
    asked = Asked(*words, "words", BY_SCHEMA, previous=ToolFormat())
    for _ in range(REPLIES_AGAINST_MEMORY + 1):
        await asked.turn()
    assert asked.modes == [("json_schema", "json")], "its server may have changed"


async def test_a_server_that_no_longer_takes_tools_is_asked_otherwise_despite_memory() -> None:
    asked = Asked(NO_TOOLS, BY_SCHEMA, previous=ToolFormat())
    assert (await asked.turn()).calls
    assert asked.modes == [("json_schema", "json")]


async def test_a_native_call_switches_back_to_native_calls() -> None:
    asked = Asked("words", "words", native(), "words", "words", native())
    for _ in range(6):
        await asked.turn()
    assert asked.modes == [("json_schema", "json"), ("native", "")]
    assert asked.inner.requests[3].tools


async def test_a_server_that_refused_tools_is_not_sent_them_again() -> None:
    asked = Asked(NO_TOOLS, native(), BY_SCHEMA)
    await asked.turn()
    await asked.turn()
    assert asked.modes == [("json_schema", "json")]
    asked = Asked("words", "words", native(), NO_TOOLS, native())
    for _ in range(4):
        await asked.turn()
    assert asked.modes == [("json_schema", "json"), ("native", ""), ("json_schema", "json")]


@pytest.mark.parametrize("reply", [cut_off(reasoning="Let me see"), cut_off(HERMES[:40])])
async def test_a_thought_or_a_call_that_was_cut_tells_nothing_of_the_format(reply: Reply) -> None:
    asked = Asked(reply, reply, reply)
    for _ in range(3):
        await asked.turn()
    assert not asked.modes


async def test_a_model_that_called_natively_is_not_asked_otherwise() -> None:
    asked = Asked(native(), "words", "words", "words", native())
    for _ in range(5):
        await asked.turn()
    assert not asked.modes


async def test_a_model_that_calls_natively_is_not_told_how_to_write_a_call() -> None:
    shown = "For example:\n\n> " + HERMES.replace("\n", "\n> ")
    unknown = HERMES.replace("execute_bash", "fly")
    assert not (await Asked(shown).turn()).problem
    assert (await Asked(unknown).turn()).problem
    asked = Asked(native(), unknown)
    await asked.turn()
    assert not (await asked.turn()).problem


async def test_a_call_that_cannot_run_says_why() -> None:
    asked = Asked('<tool_call>\n{"name": "fly", "arguments": {}}\n</tool_call>')
    reply = await asked.turn()
    assert not reply.calls
    assert "'fly', which does not exist" in reply.problem
    assert FAMILY_KEY not in reply.message


async def test_the_remembered_format_is_tried_first() -> None:
    asked = Asked(FENCED, previous=ToolFormat(mode="text", family="json"))
    assert (await asked.turn()).calls
    assert asked.modes == [("text", "json")]
    assert "before" in asked.settled[0].why
    assert not asked.inner.requests[0].tools


async def test_native_history_is_told_in_the_format() -> None:
    """A run that started with native calls continues with a server that does not support them."""
    asked = Asked(HERMES, previous=ToolFormat(mode="text", family="hermes"))
    asked.messages += [
        native("pwd").message,
        {"role": "tool", "tool_call_id": "a", "content": "/testbed"},
        {"role": "user", "content": "Go on."},
        {"role": "assistant", "content": ""},
        {"role": "user", "content": "Well?"},
    ]
    await asked.turn()
    sent = asked.inner.requests[0].messages
    assert [message["role"] for message in sent[2:]] == ["assistant", "user"] * 2
    assert sent[2]["content"] == HERMES.replace('"ls"', '"pwd"')
    assert sent[3]["content"].endswith("/testbed\n</tool_response>\n\nGo on.")
    assert sent[4]["content"] == NO_TEXT


async def test_our_mark_is_sent_to_no_server() -> None:
    asked = Asked(HERMES, native(), requested="native")
    model = ToolFormatModel(Inner([HERMES]), "text")
    async for part in model.ask(Request(messages=TASK, tools=TOOLS)):
        if isinstance(part, Reply):
            asked.messages.append(part.message)
            assert part.message[FAMILY_KEY] == "hermes"
    await asked.turn()
    assert all(FAMILY_KEY not in message for message in asked.inner.requests[0].messages)


HELLO = '{"name": "say_hello", "arguments": {"name": "World"}}'


@pytest.mark.parametrize(
    ("answers", "works", "mode"),
    [
        ([f"<tool_call>{HELLO}</tool_call>"], True, "text"),
        ([NO_TOOLS, HELLO], True, "json_schema"),
        (["Hello!", "Hello, World!", HELLO], True, "json_schema"),
        (["Hello!"] * 3, False, "json_schema"),
    ],
    ids=["text", "schema", "in the end", "never"],
)
async def test_a_trial_of_one_call(
    answers: list[str | Reply | ModelError], works: bool, mode: str
) -> None:
    inner = Inner(answers)
    trial = await try_tool_calls(inner)
    assert (trial.works, trial.format.mode) == (works, mode)
    assert trial.why
    assert all(request.max_tokens == MAX_REPLY_TOKENS for request in inner.requests)


async def test_without_tools_nothing_is_changed() -> None:
    inner = Inner([HERMES])
    model = ToolFormatModel(inner, "text")
    request = Request(messages=TASK, tools=())
    parts = [part async for part in model.ask(request)]
    assert inner.requests == [request]
    assert parts[-1] == Reply(
        message={"role": "assistant", "content": HERMES}, text=HERMES, finish_reason="stop"
    )


# --- cut-off replies and other edge cases


def cut(text: str = "") -> Reply:
    message = {"role": "assistant", "content": text}
    return Reply(message=message, text=text, finish_reason="length")


async def test_replies_cut_at_their_limit_say_nothing_about_the_format() -> None:
    asked = Asked(cut(), cut(), cut(), native())
    for _ in range(4):
        await asked.turn()
    assert not asked.modes


async def test_a_name_with_tool_in_it_refuses_no_tools() -> None:
    words = "It says: model 'inner-tool-use' not found"
    asked = Asked(ModelError(words, status=404))
    asked.model.name = "inner-tool-use"
    with pytest.raises(ModelError, match="not found"):
        await asked.turn()


async def test_a_schema_that_breaks_the_server_is_given_up() -> None:
    asked = Asked("words", "words", ModelError("Internal Server Error", status=500), HERMES)
    await asked.turn()
    await asked.turn()
    assert (await asked.turn()).calls
    assert asked.modes == [("json_schema", "json"), ("text", "hermes")]


async def test_formats_that_alternate_are_read_and_not_followed() -> None:
    asked = Asked(HERMES, FENCED, HERMES, FENCED)
    for _ in range(4):
        assert (await asked.turn()).calls
    assert asked.modes == [("text", "hermes")]


async def test_a_thought_can_be_stored() -> None:
    thought = BY_SCHEMA.replace("First I look.", "First\\ud83d I\nlook.")
    asked = Asked(thought, requested="json_schema")
    reply = await asked.turn()
    assert reply.text == "First\ufffd I\nlook."


async def test_a_character_in_two_pieces_is_kept() -> None:
    text = HERMES.replace("ls", "echo 😀")

    class Halves(Inner):
        async def ask(self, request: Request) -> AsyncGenerator[Delta | Reply, None]:
            self.requests.append(request)
            first, _, rest = text.partition("😀")
            for piece in (first, "\ufffd", "\ufffd", rest):
                yield Delta("text", piece)
            yield Reply(message={"role": "assistant", "content": text}, text=text)

    asked = Asked(requested="text")
    asked.model = ToolFormatModel(Halves([]), "text")
    (call,) = (await asked.turn()).calls
    assert json.loads(call.arguments) == {"command": "echo 😀"}


async def test_a_native_server_is_told_of_a_text_call_once() -> None:
    asked = Asked(native(), f"I look.\n{HERMES}", native())
    for _ in range(3):
        await asked.turn()
    sent = [m for m in asked.inner.requests[2].messages if m["role"] == "assistant"]
    assert sent[1]["content"] == "I look."
    (call,) = sent[1]["tool_calls"]
    assert call["id"].isalnum()
    assert len(call["id"]) == 9
    assert set(sent[1]) == {"role", "content", "tool_calls"}


def test_a_history_with_numbers_that_json_lacks_can_be_told() -> None:
    function = {"name": "execute_bash", "arguments": '{"command": "ls", "timeout": NaN}'}
    message = {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"id": "a", "function": function}],
    }
    (_, told) = text_conversation([message], "how", FAMILIES["hermes"])
    assert '"timeout": null' in told["content"]


def test_tools_without_descriptions_can_be_listed() -> None:
    odd: list[dict[str, Any]] = [
        {"type": "function", "function": {"name": "a", "parameters": None}},
        {"type": "function", "function": {"name": "b", "parameters": {"required": None}}},
        {"type": "function", "function": {"name": "c", "parameters": {"properties": {"x": True}}}},
    ]
    words = json_instructions(odd)
    assert all(f"- {name}()" in words for name in "abc")
    assert json_reminder(odd).endswith('{"thought": "...", "name": "a", "arguments": {}}')
    assert json_reminder(TOOLS).endswith('"name": "execute_bash", "arguments": {"command": "..."}}')


async def test_a_task_by_schema_ends_with_what_to_answer() -> None:
    asked = Asked(BY_SCHEMA, BY_SCHEMA, requested="json_schema")
    await asked.turn()
    await asked.turn()
    first, second = (request.messages for request in asked.inner.requests)
    task = f"Do it.\n\n{json_reminder(TOOLS)}"
    assert [message["content"] for message in first[1:]] == [task]
    assert list(second[:2]) == list(first), "a request stays a prefix of the next one"
    assert json_reminder(TOOLS) not in second[-1]["content"]


async def test_a_first_text_reply_without_a_call_ends_nothing() -> None:
    asked = Asked(NO_TOOLS, NO_SCHEMA, "words", HERMES)
    assert not (await asked.turn()).calls
    assert (await asked.turn()).calls
    assert asked.modes == [("json_schema", "json"), ("text", "hermes")]
