"""Reads a policy's answer: a message, raw text, or a whole reply."""

from __future__ import annotations

from dataclasses import replace

from sandbox_tui.core.agent.reply_with_calls import with_calls
from sandbox_tui.core.base.errors import ModelIncomplete
from sandbox_tui.core.base.json_arguments import without_surrogates
from sandbox_tui.core.events.types import Usage
from sandbox_tui.core.models.base import Message, Reply, Request
from sandbox_tui.core.models.reply_builder import ReplyBuilder, content_text
from sandbox_tui.core.models.tool_formats.reader import read_reply
from sandbox_tui.core.models.usage_estimate import estimated_usage


def policy_reply(answer: Message | str | Reply, request: Request, *, as_text: bool) -> Reply:
    """Convert a policy's answer to a reply, with the tool calls in its text and its token counts.

    Args:
        answer: the policy's answer.
        request: the request that it answers.
        as_text: the policy was told to write calls as text, and is told about invalid ones.

    Raises:
        ValueError: the message is not an assistant's.
    """
    reply = _as_reply(answer)
    if not reply.calls:
        reply = _read(reply, request, expects_text_calls=as_text or isinstance(answer, str))
    return reply if _is_counted(reply.usage) else replace(reply, usage=_usage(request, reply))


def written_text(answer: Message | str | Reply) -> str:
    """Return the text with which the policy continued a text prompt."""
    if isinstance(answer, str):
        return answer
    message = answer.message if isinstance(answer, Reply) else answer
    return content_text(message.get("content"))


def _as_reply(answer: Message | str | Reply) -> Reply:
    if isinstance(answer, Reply):
        return answer
    if isinstance(answer, str):
        text = without_surrogates(answer)
        message: Message = {"role": "assistant", "content": text}
        return Reply(message=message, text=text, finish_reason="stop")
    if answer.get("role") != "assistant":
        raise ValueError(f"A policy answers with an assistant message, not {answer.get('role')!r}.")
    return _of_message(answer)


def _of_message(message: Message) -> Reply:
    builder = ReplyBuilder()
    finish_reason = "tool_calls" if message.get("tool_calls") else "stop"
    builder.take({"choices": [{"message": message, "finish_reason": finish_reason}]})
    try:
        return builder.finish()
    except ModelIncomplete:  # an empty message is a step like any other
        return Reply(message={"role": "assistant", "content": ""}, finish_reason="stop")


def _read(reply: Reply, request: Request, *, expects_text_calls: bool) -> Reply:
    """Return the reply with the tool calls and thoughts in its text parsed."""
    reading = read_reply(reply.text, request.tools, reply.finish_reason)
    if not request.tools or not (expects_text_calls or reading.family):
        reading = replace(reading, problem="")
    return with_calls(reply, reading, len(request.messages))


def _is_counted(usage: Usage) -> bool:
    return usage.input_tokens + usage.output_tokens > 0


def _usage(request: Request, reply: Reply) -> Usage:
    """Return the token usage that the server did not report: from the token ids, or else
    estimated."""
    if reply.token_ids and reply.prompt_token_ids:
        return Usage(input_tokens=len(reply.prompt_token_ids), output_tokens=len(reply.token_ids))
    return estimated_usage(request, reply)
