"""Builds one reply from the pieces in which servers send it, whatever they leave out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

from ..errors import ModelError, ModelIncomplete
from ..events import Usage
from ..tools.arguments import without_surrogates
from .base import Delta, Message, Reply, WrittenCall

MOST_CALLS = 128
MOST_CHARS = 8_000_000
"""A reply larger than this is a fault of the server's, and cut off before it fills the memory."""


class ReplyBuilder:
    """Takes chunks (dicts as the OpenAI API documents them) and finishes with a `Reply`."""

    def __init__(self) -> None:
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self._reasoning_key = "reasoning_content"
        self._calls: list[_Call] = []
        self._by_index: dict[int, _Call] = {}
        self._finish_reason: str | None = None
        self._usage = Usage()
        self._size = 0
        self._seen_choice = False

    def take(self, chunk: Mapping[str, Any]) -> list[Delta]:
        """Take a chunk of a stream; what it adds, as deltas.

        Raises:
            ModelError: the chunk is an error, or the reply grows beyond all bounds.
        """
        if chunk.get("error"):
            raise ModelError(f"The server broke off with an error: {_short(chunk['error'])}")
        self._take_usage(chunk.get("usage"))
        choices = _dicts(chunk.get("choices"))
        if not choices:
            return []
        self._seen_choice = True
        choice = choices[0]
        if choice.get("finish_reason"):
            self._finish_reason = str(choice["finish_reason"])
        delta = choice.get("delta") or choice.get("message")
        return self._take_delta(cast(dict[str, Any], delta)) if isinstance(delta, dict) else []

    def take_whole(self, body: Mapping[str, Any]) -> None:
        """Take a reply that was not streamed."""
        self.take(body)
        if self._finish_reason is None and self._seen_choice:
            self._finish_reason = "stop"

    def finish(self) -> Reply:
        """The whole reply.

        Raises:
            ModelIncomplete: it ended in the middle, or nothing came.
        """
        if self._finish_reason is None:
            what = "ended in the middle" if self._size else "was empty"
            raise ModelIncomplete(f"The model's reply {what}.", retryable=True)
        text = without_surrogates("".join(self._text))
        reasoning = without_surrogates("".join(self._reasoning))
        calls = tuple(self._written(number, call) for number, call in enumerate(self._calls))
        if not (text.strip() or calls or reasoning.strip() or self._finish_reason == "length"):
            raise ModelIncomplete("The model's reply was empty.", retryable=True)
        return Reply(
            message=self._message(text, reasoning, calls),
            text=text,
            reasoning=reasoning,
            calls=calls,
            usage=self._usage,
            finish_reason=self._finish_reason,
        )

    def _take_delta(self, delta: dict[str, Any]) -> list[Delta]:
        deltas: list[Delta] = []
        for key in ("reasoning_content", "reasoning"):
            piece = delta.get(key)
            if isinstance(piece, str) and piece:
                self._reasoning_key = key
                self._reasoning.append(piece)
                deltas.append(Delta("reasoning", without_surrogates(piece)))
                break
        content = _content(delta.get("content"))
        if content:
            self._text.append(content)
            deltas.append(Delta("text", without_surrogates(content)))
        for fragment in _dicts(delta.get("tool_calls")):
            deltas += self._take_fragment(fragment)
        self._grow(sum(len(one.text) for one in deltas))
        return deltas

    def _take_fragment(self, fragment: dict[str, Any]) -> list[Delta]:
        function = fragment.get("function")
        named = cast(dict[str, Any], function) if isinstance(function, dict) else {}
        call = self._call_for(fragment, str(named.get("name") or ""))
        first = not call.name
        if named.get("name"):
            call.name = call.name or without_surrogates(str(named["name"]))
        if fragment.get("id") and not call.id:
            call.id = str(fragment["id"])
        arguments = named.get("arguments")
        if isinstance(arguments, dict):  # some servers send the object itself
            arguments = json.dumps(arguments)
        piece = arguments if isinstance(arguments, str) else ""
        call.arguments.append(piece)
        name = call.name if first and call.name else None
        index = self._calls.index(call)
        if not piece and name is None:
            return []
        return [Delta("call", without_surrogates(piece), index, name)]

    def _call_for(self, fragment: dict[str, Any], name: str) -> _Call:
        """The call a fragment belongs to; servers that leave the index out begin a new call with
        a new id or name."""
        index = fragment.get("index")
        if isinstance(index, int):
            call = self._by_index.get(index)
            if call is not None and not (
                name and call.name and fragment.get("id") not in (None, call.id)
            ):
                return call
            call = self._by_index[index] = self._new_call()
            return call
        last = self._calls[-1] if self._calls else None
        fresh = fragment.get("id") not in (None, "", last.id if last else None)
        if last is None or fresh or (name and last.name and not fragment.get("id")):
            return self._new_call()
        return last

    def _new_call(self) -> _Call:
        if len(self._calls) >= MOST_CALLS:
            raise ModelError(f"The model asked for more than {MOST_CALLS} calls at once.")
        call = _Call()
        self._calls.append(call)
        return call

    def _written(self, number: int, call: _Call) -> WrittenCall:
        arguments = without_surrogates("".join(call.arguments))
        last = number == len(self._calls) - 1
        cut = last and self._finish_reason == "length" and not _is_json(arguments)
        identity = call.id or f"call_{number}"
        return WrittenCall(id=identity, name=call.name, arguments=arguments, cut=cut)

    def _message(self, text: str, reasoning: str, calls: tuple[WrittenCall, ...]) -> Message:
        message: Message = {"role": "assistant", "content": text or None}
        if reasoning:
            message[self._reasoning_key] = reasoning
        if calls:
            message["tool_calls"] = [
                {
                    "id": call.id,
                    "type": "function",
                    "function": {
                        "name": call.name,
                        # servers parse what is sent back to them: it must be a JSON object
                        "arguments": call.arguments if _is_json(call.arguments) else "{}",
                    },
                }
                for call in calls
            ]
        elif not text:
            message["content"] = ""
        return message

    def _take_usage(self, usage: Any) -> None:
        if not isinstance(usage, dict):
            return
        counts = cast(dict[str, Any], usage)
        self._usage = Usage(
            input_tokens=_count(counts, "prompt_tokens"),
            output_tokens=_count(counts, "completion_tokens"),
            cached_tokens=_count(counts.get("prompt_tokens_details"), "cached_tokens"),
            reasoning_tokens=_count(counts.get("completion_tokens_details"), "reasoning_tokens"),
        )

    def _grow(self, by: int) -> None:
        self._size += by
        if self._size > MOST_CHARS:
            raise ModelError("The model's reply is longer than anything sensible; it was cut off.")


class _Call:
    """A call as its fragments arrive."""

    def __init__(self) -> None:
        self.id = ""
        self.name = ""
        self.arguments: list[str] = []


def _content(value: Any) -> str:
    """Text of a content field: a string, or a list of parts that hold text."""
    if isinstance(value, str):
        return value
    return "".join(str(part.get("text") or "") for part in _dicts(value))


def _dicts(value: Any) -> list[dict[str, Any]]:
    if not isinstance(value, list):
        return []
    items = cast(list[object], value)
    return [cast(dict[str, Any], item) for item in items if isinstance(item, dict)]


def _count(counts: Any, name: str) -> int:
    value = cast(dict[str, Any], counts).get(name) if isinstance(counts, dict) else None
    return value if isinstance(value, int) and value >= 0 else 0


def _is_json(arguments: str) -> bool:
    try:
        return isinstance(json.loads(arguments), dict)
    except (ValueError, RecursionError):
        return False


def _short(error: Any) -> str:
    message = cast(dict[str, Any], error).get("message") if isinstance(error, dict) else error
    return str(message)[:300]
