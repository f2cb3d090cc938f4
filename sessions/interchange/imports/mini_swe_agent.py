"""Imports mini-swe-agent's `.traj.json`, versions 1 and 1.1: the conversation with observations.

Commands are tool calls (`tool_calls`, or `output` of OpenAI's Responses), `extra.actions`, or the
single bash block in the reply of a model without tools.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from sandbox_tui.core.events import types as e
from sandbox_tui.sessions.interchange.imports.base import (
    Imported,
    Importer,
    Opened,
    number_of,
    object_of,
    objects_of,
    text_of,
)
from sandbox_tui.sessions.interchange.imports.rebuild_events import Rebuilder, arguments_of

FORMAT = "mini-swe-agent"
_BLOCK = re.compile(r"```(?:bash|sh|mswea_bash_command)[^\n]{0,80}\n(.*?)\n?```", re.DOTALL)
_CODE = re.compile(r"<returncode>(-?\d{1,5})</returncode>")

_REASONS: dict[str, e.FinishReason] = {
    "Submitted": "submitted",
    "LimitsExceeded": "cost_limit",
    "TimeExceeded": "time_limit",
    "ContextWindowExceededError": "token_limit",
    "UserInterruption": "cancelled",
}


class _Command(NamedTuple):
    id: str
    name: str
    arguments: str
    command: str


def recognises(opened: Opened) -> bool:
    """Return whether a file has this format."""
    document = opened.document
    if document is None or document.lines is not None:
        return False
    fields = object_of(document.value)
    if not isinstance(fields.get("messages"), list):
        return False
    format_ = fields.get("trajectory_format")
    return (isinstance(format_, str) and format_.startswith("mini-swe-agent")) or (
        "exit_status" in object_of(fields.get("info"))
    )


def read(opened: Opened) -> Sequence[Imported]:
    """Return the sessions in a file.

    Raises:
        ImportRefused: the file cannot be used; the message says why.
    """
    source = opened.source
    fields = object_of(opened.document.value if opened.document else None)
    messages = objects_of(fields.get("messages"))
    info = object_of(fields.get("info"))
    config = object_of(info.get("config"))
    began = _began(messages, source.modified)
    opening = {m.get("role"): text_of(m.get("content")) for m in reversed(_opening(messages))}
    environment = object_of(config.get("environment"))
    rebuilder = Rebuilder(
        task=opening.get("user") or "A run of mini-swe-agent",
        source="mini-swe-agent",
        started_at=began,
        model=text_of(object_of(config.get("model")).get("model_name")),
        system_prompt=opening.get("system", ""),
        instance_prompt=opening.get("user", ""),
        info={"image": text_of(environment.get("image"))},
    )
    _turns(rebuilder, messages, began)
    _finish(rebuilder, info)
    return [rebuilder.imported(FORMAT, source.name, source.data)]


def _opening(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the messages before the first reply."""
    ends = (at for at, message in enumerate(messages) if _is_reply(message))
    return messages[: next(ends, len(messages))]


def _is_reply(message: dict[str, Any]) -> bool:
    return message.get("role") == "assistant" or message.get("object") == "response"


def _time(message: dict[str, Any]) -> float:
    return number_of(object_of(message.get("extra")).get("timestamp"), most=4e9)


def _began(messages: list[dict[str, Any]], modified: float) -> float:
    return next((time for time in map(_time, messages) if time), modified)


def _turns(rebuilder: Rebuilder, messages: list[dict[str, Any]], began: float) -> None:
    at = len(_opening(messages))
    while at < len(messages):
        end = at + 1
        while end < len(messages) and not _is_reply(messages[end]):
            end += 1
        _turn(rebuilder, messages[at], messages[at + 1 : end], began)
        at = end


def _turn(
    rebuilder: Rebuilder, reply: dict[str, Any], answers: list[dict[str, Any]], began: float
) -> None:
    extra = object_of(reply.get("extra"))
    commands = _commands(reply, extra)
    usage = object_of(object_of(extra.get("response")).get("usage")) or object_of(
        reply.get("usage")
    )
    cost = extra.get("cost")
    latency = max(0.0, _time(reply) - began - rebuilder.t) if _time(reply) else 0.0
    calls = rebuilder.reply(
        _text(reply),
        reasoning=text_of(reply.get("reasoning_content")),
        calls=[(c.id, c.name, c.arguments) for c in commands],
        latency=latency,
        usage=_usage(usage),
        cost=number_of(cost) if isinstance(cost, int | float) else None,
    )
    observations = [m for m in answers if m.get("role") != "exit"]
    for at, (call, command) in enumerate(zip(calls, commands, strict=True)):
        answer = _answer(observations, command.id, at)
        time = _time(answer)
        code, output = _observed(answer)
        rebuilder.call(
            call,
            text_of(answer.get("content")) or text_of(answer.get("output")),
            output=output,
            ok=code in (None, 0),
            exit_code=code,
            duration=max(0.0, time - began - rebuilder.t) if time else 0.0,
            command=command.command,
        )


def _text(reply: dict[str, Any]) -> str:
    """Return the reply's prose."""
    if reply.get("object") != "response":
        return text_of(reply.get("content"))
    parts = objects_of(reply.get("output"))
    return "\n".join(text_of(p.get("content")) for p in parts if p.get("type") == "message")


def _commands(reply: dict[str, Any], extra: dict[str, Any]) -> list[_Command]:
    called = [
        (text_of(c.get("id")), object_of(c.get("function")))
        for c in objects_of(reply.get("tool_calls"))
    ]
    called += [
        (text_of(c.get("call_id")), c)
        for c in objects_of(reply.get("output"))
        if c.get("type") == "function_call"
    ]
    actions = objects_of(extra.get("actions"))
    by_id = {text_of(a.get("tool_call_id")): text_of(a.get("command")) for a in actions}
    if called:
        return [
            _Command(id_, _tool(c), arguments_of(c.get("arguments") or {}), by_id.get(id_, ""))
            for id_, c in called
        ]
    found = [text_of(a.get("command")) for a in actions] or _BLOCK.findall(_text(reply))[:1]
    return [
        _Command(f"call_{at}", "execute_bash", arguments_of({"command": command}), command)
        for at, command in enumerate(found, 1)
    ]


def _tool(function: dict[str, Any]) -> str:
    """Return the tool's name; their `bash` takes the same argument as our `execute_bash`."""
    name = text_of(function.get("name"))
    return "execute_bash" if name == "bash" else name


def _answer(answers: list[dict[str, Any]], id_: str, at: int) -> dict[str, Any]:
    """Return the message that answers a call: by its id, else by position."""
    for answer in answers:
        if id_ and id_ in (answer.get("tool_call_id"), answer.get("call_id")):
            return answer
    return answers[at] if at < len(answers) else {}


def _observed(answer: dict[str, Any]) -> tuple[int | None, str]:
    """Return the exit code and output of an observation."""
    extra = object_of(answer.get("extra"))
    text = text_of(answer.get("content")) or text_of(answer.get("output"))
    found = _CODE.search(text)
    code = extra.get("returncode")
    if isinstance(code, bool) or not isinstance(code, int) or abs(code) > 99_999:
        code = int(found[1]) if found else None
    raw = extra.get("raw_output")
    return code, text_of(raw) if isinstance(raw, str) else _output_in(text)


def _output_in(text: str) -> str:
    """Return the text between the `<output>` tags; the whole text if there are none."""
    start, end = text.find("<output>"), text.rfind("</output>")
    return text[start + 8 : end].strip("\n") if 0 <= start < end else text


def _usage(usage: dict[str, Any]) -> e.Usage:
    def count(*names: str) -> int:
        return int(next((number_of(usage[name]) for name in names if name in usage), 0))

    details = object_of(usage.get("prompt_tokens_details") or usage.get("input_tokens_details"))
    return e.Usage(
        input_tokens=count("prompt_tokens", "input_tokens"),
        output_tokens=count("completion_tokens", "output_tokens"),
        cached_tokens=int(number_of(details.get("cached_tokens"))),
    )


def _finish(rebuilder: Rebuilder, info: dict[str, Any]) -> None:
    status = text_of(info.get("exit_status"))
    reason = _REASONS.get(status, "internal_error") if status else "imported"
    answer = info.get("submission")
    failed = reason not in ("submitted", "imported")
    rebuilder.finish(
        reason,
        f"mini-swe-agent exited with status {status}." if failed else None,
        answer=text_of(answer) if isinstance(answer, str) and answer else None,
    )


IMPORTER = Importer(
    name="mini-swe-agent's .traj.json",
    short=FORMAT,
    lacks="the files that commands wrote",
    recognises=recognises,
    read=read,
)
