"""Builds one reply from the pieces a server sends, tolerating missing and repeated fields."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from sandbox_tui.core.base.errors import ModelError, ModelIncomplete
from sandbox_tui.core.base.json_arguments import ArgumentsError, parse_arguments, without_surrogates
from sandbox_tui.core.events.types import Usage
from sandbox_tui.core.models.base import Delta, Message, RawToolCall, Reply
from sandbox_tui.core.models.error_mapping import broken_off, too_long
from sandbox_tui.core.models.json_completeness import JsonOutline

_INVALID_NAME_CHARS = re.compile(r"[^A-Za-z0-9_-]")
MAX_CALLS = 128
MAX_REPLY_CHARS = 8_000_000
"""Maximum characters of a reply; a longer one is a server error and must not fill the memory."""

MAX_CALL_SWITCHES = 10_000
"""Maximum number of switches between reasoning, text and calls; each switch adds an event."""

EMPTY = "The model's reply was empty."
CUT_SHORT = "The model's reply is not whole, although the server says so."

LIMIT_REASONS = ("length", "max_tokens", "model_length")
"""Finish reasons that mean a reply reached its limit."""


class ReplyBuilder:
    """Builds a `Reply` from dicts in the OpenAI API's format, sent in chunks or whole."""

    def __init__(self) -> None:
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self._reasoning_key = "reasoning_content"
        self._calls: list[_Call] = []
        self._by_index: dict[int, _Call] = {}
        self._finish_reason: str | None = None
        self._usage = Usage()
        self._tokens = _SampledTokens()
        self._size = 0
        self._switches = 0
        self._part: tuple[str, int] | None = None
        self._done = False

    def take(self, chunk: Mapping[str, Any]) -> list[Delta]:
        """Process a chunk of a stream, or a whole reply; returns what it adds, as deltas.

        Raises:
            ModelError: the reply exceeds the limits.
        """
        self._take_usage(chunk.get("usage"))
        choices = _dicts(chunk.get("choices"))
        if not choices:
            return []
        choice = choices[0]
        self._tokens.take(chunk, choice)
        if choice.get("finish_reason"):
            self._finish_reason = str(choice["finish_reason"])
        delta, message = choice.get("delta"), choice.get("message")
        if isinstance(delta, dict):
            return self._take_delta(cast(dict[str, Any], delta))
        if isinstance(message, dict):
            return self._take_delta(cast(dict[str, Any], message), whole=True)
        return []

    def done(self) -> None:
        """Record that the server has marked the end of the stream."""
        self._done = True

    def finish(self) -> Reply:
        """Return the whole reply.

        Raises:
            ModelIncomplete: it was empty, or the server says that it is whole and it is not.
            ModelError: the connection broke, as when the server is stopped or restarted.
        """
        if self._finish_reason is None and not self._ended_well():
            if self._size and not self._done:
                raise broken_off()
            raise ModelIncomplete(CUT_SHORT if self._size else EMPTY, retryable=True)
        text = without_surrogates("".join(self._text))
        reasoning = without_surrogates("".join(self._reasoning))
        calls = self._tool_calls()
        limited = self._finish_reason in LIMIT_REASONS
        if not (text.strip() or calls or reasoning.strip() or limited):
            if self._finish_reason == "content_filter":
                raise ModelError("The server's content filter withheld the model's reply.")
            raise ModelIncomplete(EMPTY, retryable=True)
        return Reply(
            message=self._message(text, reasoning, calls),
            text=text,
            reasoning=reasoning,
            calls=calls,
            usage=self._usage,
            finish_reason="length" if limited else self._finish_reason,
            token_ids=tuple(self._tokens.ids),
            prompt_token_ids=tuple(self._tokens.prompt),
            logprobs=tuple(self._tokens.logprobs),
        )

    def _ended_well(self) -> bool:
        """Return whether a reply without a finish reason is complete nevertheless."""
        whole = all(_object(call.written()) is not None for call in self._calls)
        return self._done and self._size > 0 and whole

    def _take_delta(self, delta: dict[str, Any], *, whole: bool = False) -> list[Delta]:
        deltas: list[Delta] = []
        for key in ("reasoning_content", "reasoning", "thinking"):
            piece = delta.get(key)
            if isinstance(piece, str) and piece:
                self._reasoning_key = key
                self._reasoning.append(piece)
                deltas.append(Delta("reasoning", without_surrogates(piece)))
                break
        content = content_text(delta.get("content"))
        if content:
            self._text.append(content)
            deltas.append(Delta("text", without_surrogates(content)))
        for fragment in _dicts(delta.get("tool_calls")):
            deltas += self._take_fragment(_Fragment.of(fragment), whole)
        self._check_size(deltas)
        return deltas

    def _take_fragment(self, fragment: _Fragment, whole: bool) -> list[Delta]:
        call = self._new_call() if whole else self._call_for(fragment)
        first = not call.name
        call.name = call.name or fragment.name
        call.id = call.id or fragment.id
        call.add(fragment.arguments)
        name = call.name if first and call.name else None
        if not fragment.arguments and name is None:
            return []
        return [Delta("call", without_surrogates(fragment.arguments), call.number, name)]

    def _call_for(self, fragment: _Fragment) -> _Call:
        """Return the call a fragment belongs to.

        Servers omit the index or always send 0; they omit the id, repeat it for every call, or make
        up a new one for every fragment; many repeat the name.
        """
        last = self._calls[-1] if self._calls else None
        call = last if fragment.index is None else self._by_index.get(fragment.index)
        if call is None or _begins_another(fragment, call):
            call = self._new_call()
        if fragment.index is not None:
            self._by_index[fragment.index] = call
        return call

    def _new_call(self) -> _Call:
        if len(self._calls) >= MAX_CALLS:
            raise ModelError(f"The model made more than {MAX_CALLS} calls in one reply.")
        call = _Call(len(self._calls))
        self._calls.append(call)
        return call

    def _tool_calls(self) -> tuple[RawToolCall, ...]:
        """Return the calls, each with a unique id, so that each can be answered."""
        written: list[RawToolCall] = []
        used: set[str] = set()
        for call in self._calls:
            identity = call.id or f"call_{call.number}"
            if identity in used:
                identity = f"{identity}_{call.number}"
            used.add(identity)
            arguments = call.written()
            last = call.number == len(self._calls) - 1
            cut = last and self._finish_reason in LIMIT_REASONS and _object(arguments) is None
            written.append(
                RawToolCall(id=identity, name=call.name, arguments=arguments, truncated=cut)
            )
        return tuple(written)

    def _message(self, text: str, reasoning: str, calls: tuple[RawToolCall, ...]) -> Message:
        message: Message = {"role": "assistant", "content": text or None}
        if reasoning:
            message[self._reasoning_key] = reasoning
        if calls:
            message["tool_calls"] = message_calls(calls)
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

    def _check_size(self, deltas: list[Delta]) -> None:
        for delta in deltas:
            self._size += len(delta.text)
            part = (delta.channel, delta.index)
            self._switches += part != self._part
            self._part = part
        if self._size > MAX_REPLY_CHARS or self._switches > MAX_CALL_SWITCHES:
            raise too_long()


class _SampledTokens:
    """The tokens of a reply and of its request, if the server was asked for them.

    vLLM and SGLang (`return_token_ids`) send ids beside the choice's text, and those of the prompt
    with the choice or around it. llama.cpp sends an id with each log-probability (`logprobs`); its
    probabilities are those before sampling. SGLang's `return_meta_info` has pairs of both.
    """

    def __init__(self) -> None:
        self.ids: list[int] = []
        self.prompt: list[int] = []
        self.logprobs: list[float] = []

    def take(self, chunk: Mapping[str, Any], choice: Mapping[str, Any]) -> None:
        """Collect the tokens in a chunk."""
        self.prompt = self.prompt or _ids(
            chunk.get("prompt_token_ids") or choice.get("prompt_token_ids")
        )
        sampled, each = _ids(choice.get("token_ids")), _logprobs(choice)
        self.ids += sampled or _ids([token for token, _ in each])
        self.logprobs += [value for _, value in each]


def _logprobs(choice: Mapping[str, Any]) -> list[tuple[Any, float]]:
    """Return the id and log-probability of each sampled token; a missing id is None."""
    each = [
        (entry.get("id"), entry.get("logprob"))
        for entry in _dicts(_field(choice.get("logprobs"), "content"))
    ]
    pairs = _field(choice.get("meta_info"), "output_token_logprobs")
    if isinstance(pairs, list) and not each:
        lists = [
            cast("list[Any]", pair) for pair in cast("list[Any]", pairs) if isinstance(pair, list)
        ]
        each = [(pair[1], pair[0]) for pair in lists if len(pair) > 1]
    return [(token, float(value)) for token, value in each if isinstance(value, int | float)]


def _field(value: Any, name: str) -> Any:
    return cast(dict[str, Any], value).get(name) if isinstance(value, dict) else None


def _ids(value: Any) -> list[int]:
    """Return the token ids; empty if any of them is invalid."""
    ids = cast("list[object]", value) if isinstance(value, list) else []
    known = [token for token in ids if type(token) is int]
    return known if len(known) == len(ids) else []


class _Call:
    """A call as its fragments arrive."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.id = ""
        self.name = ""
        self.arguments: list[str] = []
        self._outline = JsonOutline()
        self._whole: bool | None = None

    def add(self, arguments: str) -> None:
        """Append to the arguments."""
        self.arguments.append(arguments)
        self._outline.add(arguments)
        if arguments.strip():
            self._whole = None

    def is_whole(self) -> bool:
        """Return whether the arguments are a complete object; parsed only if they may be."""
        if self._whole is None:
            self._whole = self._outline.closed and _object(self.written()) is not None
        return self._whole

    def written(self) -> str:
        """Return the arguments so far."""
        return without_surrogates("".join(self.arguments))


@dataclass(frozen=True, slots=True)
class _Fragment:
    """Part of a call as a server sends it."""

    index: int | None
    id: str
    name: str
    arguments: str

    @classmethod
    def of(cls, sent: dict[str, Any]) -> _Fragment:
        function = sent.get("function")
        named = cast(dict[str, Any], function) if isinstance(function, dict) else {}
        arguments = named.get("arguments")
        if isinstance(arguments, dict):  # some servers send the object itself
            arguments = json.dumps(arguments)
        index = sent.get("index")
        return cls(
            index=index if isinstance(index, int) else None,
            id=without_surrogates(str(sent.get("id") or "")),
            name=without_surrogates(str(named.get("name") or "")).strip(),
            arguments=arguments if isinstance(arguments, str) else "",
        )


def _begins_another(fragment: _Fragment, call: _Call) -> bool:
    """Return whether a fragment that names a tool starts a new call instead of continuing
    `call`."""
    if not fragment.name or not call.name:
        return False
    if fragment.name != call.name or (fragment.id and call.id and fragment.id != call.id):
        return True
    return bool(fragment.arguments) and call.is_whole()


def message_calls(calls: Sequence[RawToolCall]) -> list[dict[str, Any]]:
    """Return the calls in the form of a message, with values that servers accept back."""
    return [
        {
            "id": call.id,
            "type": "function",
            "function": {
                "name": _INVALID_NAME_CHARS.sub("_", call.name)[:64] or "unknown",
                "arguments": _echo_safe_arguments(call.arguments),
            },
        }
        for call in calls
    ]


def content_text(value: Any) -> str:
    """Return the text of a content field: a string, or a list of parts that contain text."""
    if isinstance(value, str):
        return value
    return "".join(str(part.get("text") or "") for part in _dicts(value))


def _dicts(value: Any) -> list[dict[str, Any]]:
    if not isinstance(value, list):
        return []
    items = cast(list[object], value)
    return [cast(dict[str, Any], item) for item in items if isinstance(item, dict)]


MAX_TOKEN_COUNT = 1 << 53
"""A larger count is ignored; the database could not sum it."""


def _count(counts: Any, name: str) -> int:
    value = _field(counts, name)
    return value if type(value) is int and 0 <= value <= MAX_TOKEN_COUNT else 0  # not a bool


def _object(arguments: str) -> dict[str, Any] | None:
    """Return the parsed arguments, or None if they are not a JSON object."""
    try:
        return parse_arguments(arguments) if arguments.strip() else None
    except ArgumentsError:
        return None


def _echo_safe_arguments(arguments: str) -> str:
    """Return the arguments in a form that servers, which parse incoming messages, accept back."""
    value = _object(arguments)
    try:
        if value is not None and json.loads(arguments) == value:
            return arguments
    except ValueError:  # raw line breaks inside strings, which we accept
        pass
    return "{}" if value is None else json.dumps(value, ensure_ascii=False)
