"""A model that requests tool calls in the format that works with it and its server.

It wraps another model. `native` leaves requests as they are. `json_schema` asks for one JSON
object, constrained by the server's guided decoding. `text` explains the tools in the system prompt
and reads the calls out of the reply. `auto` starts with native and settles on the format that
works, judging by the server's errors and the model's replies. No step is lost on the way, because
calls that the model wrote as text are run too.
"""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Any

from typing_extensions import override

from sandbox_tui.core.agent import model_messages as texts
from sandbox_tui.core.agent.call_schema import response_format
from sandbox_tui.core.agent.reply_with_calls import with_calls
from sandbox_tui.core.agent.text_conversation import native_conversation, text_conversation
from sandbox_tui.core.base.errors import ContextOverflow, ModelError
from sandbox_tui.core.events.types import ToolCallSetting, ToolFormat
from sandbox_tui.core.models.base import (
    Delta,
    Model,
    Reply,
    ReplyPart,
    Request,
    ToolFormatSettled,
)
from sandbox_tui.core.models.tool_formats.read_result import Reading
from sandbox_tui.core.models.tool_formats.reader import TextCallReader, read_reply
from sandbox_tui.core.models.tool_formats.table import FAMILIES

PLAIN_FAMILY = "hermes"
"""The text format requested from a model that has not shown a preference."""

_NATIVE = ToolFormat()
_BY_SCHEMA = ToolFormat(mode="json_schema", family="json")
_TEXT = ToolFormat(mode="text", family=PLAIN_FAMILY)
_STARTING_FORMATS: dict[ToolCallSetting, ToolFormat] = {
    "auto": _NATIVE,
    "native": _NATIVE,
    "json_schema": _BY_SCHEMA,
    "text": _TEXT,
}

REPLIES_WITHOUT_CALLS = 2
"""After this many consecutive replies without a valid call, `auto` tries another format."""

REPLIES_AGAINST_MEMORY = 6
"""The same for a model that made native calls in an earlier run, but none in this one: perhaps its
server has changed."""

_CUT_SHORT = ("length", "content_filter")
"""Finish reasons of a reply that might have made a call later."""

FIRST_TEXT_INDEX = 1000
"""Index of the first text call in deltas, above the indexes of any native calls in the reply."""

_TOOLS_REFUSED = re.compile(r"\btools?\b|tool[_-]|function[_ -]?call|--jinja", re.IGNORECASE)
_REFUSALS = (400, 404, 415, 422, 500, 501)
"""HTTP statuses of a server that rejects the form of a request."""


class ToolFormatModel(Model):
    """Wraps a model and asks it for tool calls in the format that works with it.

    Args:
        inner: the wrapped model.
        requested: the requested format of tool calls.
        previous: the format that worked in an earlier run with this model, for `auto`.
    """

    def __init__(
        self, inner: Model, requested: ToolCallSetting, previous: ToolFormat | None = None
    ) -> None:
        self.name = inner.name
        self.params: dict[str, Any] = {**inner.params, "tool_calls": requested}
        self._inner = inner
        self._auto = requested == "auto"
        self._format = _STARTING_FORMATS[requested]
        self._announced: ToolFormat | None = None
        self._why = "Native calls are tried first." if self._auto else "As set by model.tool_calls."
        if (
            self._auto
            and previous is not None
            and (previous.family in FAMILIES or previous == _NATIVE)
        ):
            self._format, self._why = previous, "It worked with this model before."
        self._schema_refused = False
        self._without_calls = 0
        self._schema_works = False
        self._family_shown = False
        self._calls_natively = self._auto and previous == _NATIVE
        self._tools_accepted = False
        self._tools_refused = False

    @override
    async def prepare(self) -> None:
        await self._inner.prepare()

    @override
    async def ask(self, request: Request) -> AsyncGenerator[ReplyPart, None]:
        if not request.tools:
            plain = replace(request, messages=native_conversation(request.messages))
            async with aclosing(self._inner.ask(plain)) as parts:
                async for part in parts:
                    yield part
            return
        while True:
            for settled in self._announcements():
                yield settled
            has_output = False
            try:
                async with aclosing(self._parts(request)) as parts:
                    async for part in parts:
                        has_output = True
                        if isinstance(part, Reply):
                            self._learn(part)
                            for settled in self._announcements():
                                yield settled
                        yield part
                return
            except ModelError as error:
                if has_output or not self._settle_after(error):
                    raise

    @override
    async def close(self) -> None:
        await self._inner.close()

    def _parts(self, request: Request) -> AsyncGenerator[ReplyPart, None]:
        if self._format.mode != "native":
            return self._with_text_calls(request, self._rendered(request))
        sent = replace(request, messages=native_conversation(request.messages))
        return self._with_text_calls(request, sent) if self._auto else self._inner.ask(sent)

    async def _with_text_calls(
        self, request: Request, sent: Request
    ) -> AsyncGenerator[ReplyPart, None]:
        """Yield the answer to `sent` (the rendered `request`) with the calls found in its text."""
        reader = TextCallReader(request.tools)
        async with aclosing(self._inner.ask(sent)) as parts:
            async for part in parts:
                if isinstance(part, Reply) and not part.calls:
                    reading = self._reading(part, request.tools)
                    yield with_calls(part, reading, len(request.messages))
                elif isinstance(part, Delta) and part.channel == "text":
                    for delta in reader.feed(part.text):
                        yield _moved(delta)
                else:
                    yield part

    def _reading(self, reply: Reply, tools: Sequence[Mapping[str, Any]]) -> Reading:
        reading = read_reply(reply.text, tools, reply.finish_reason)
        if self._format.mode == "native" and (self._calls_natively or not reading.family):
            # a model that may call tools natively must not learn a text format
            return replace(reading, problem="")
        return reading

    def _rendered(self, request: Request) -> Request:
        """Render the conversation of a request as text, and remove its tools."""
        by_schema = self._format.mode == "json_schema"
        family = FAMILIES[self._format.family]
        instructions = (
            texts.json_instructions(request.tools)
            if by_schema
            else texts.text_instructions(request.tools, family.write_calls)
        )
        reminder = texts.json_reminder(request.tools) if by_schema else ""
        return replace(
            request,
            messages=text_conversation(request.messages, instructions, family, reminder),
            tools=(),
            response_format=response_format(request.tools) if by_schema else None,
        )

    # --- which format works

    def _announcements(self) -> list[ToolFormatSettled]:
        """Return the notice about the current format, unless it was returned before."""
        if self._format == self._announced:
            return []
        self._announced = self._format
        return [ToolFormatSettled(self._format, self._why)]

    def _settle(self, settled: ToolFormat, why: str) -> None:
        self._format, self._why, self._without_calls = settled, why, 0

    def _settle_after(self, error: ModelError) -> bool:
        """Choose another format after a refusal; False if none would help."""
        if not self._auto or isinstance(error, ContextOverflow) or error.status not in _REFUSALS:
            return False
        mode = self._format.mode
        words = str(error).partition("It says:")[2].replace(self.name, "")
        if mode == "native" and not self._tools_accepted and _TOOLS_REFUSED.search(words):
            self._tools_refused = True
            self._settle(_BY_SCHEMA, "The server does not accept tools in a request.")
            return True
        if mode == "json_schema" and not self._schema_works:
            self._schema_refused = True
            self._settle(_TEXT, "The server did not answer a request with a schema.")
            return True
        return False

    def _learn(self, reply: Reply) -> None:
        """Update from a reply whether the current format works, and switch if it does not."""
        mode = self._format.mode
        written = next((call.family for call in reply.calls), "")
        is_native = bool(reply.calls) and not written
        self._calls_natively = self._calls_natively or is_native
        self._tools_accepted = self._tools_accepted or (is_native and mode == "native")
        self._schema_works = self._schema_works or (mode == "json_schema" and not is_native)
        if reply.calls:
            self._without_calls = 0
        elif reply.finish_reason not in _CUT_SHORT:
            self._without_calls += 1
        if self._auto:
            self._settle_after_reply(mode, written, is_native=is_native)

    def _settle_after_reply(self, mode: str, written: str, *, is_native: bool) -> None:
        """Choose another format if a reply shows that the model calls tools in another one.

        Args:
            mode: the mode in which the reply was requested.
            written: the family of the calls that it contains as text; empty if there are none.
            is_native: it contains native calls.
        """
        first_shown = bool(written) and not self._family_shown
        self._family_shown = self._family_shown or bool(written)
        if is_native and mode != "native" and not self._tools_refused:
            self._settle(_NATIVE, "The model made a native call.")
        elif mode == "native" and written and not self._calls_natively:
            title = FAMILIES[written].title
            self._settle(
                ToolFormat(mode="text", family=written),
                f"The model wrote its call as text: {title}.",
            )
        elif mode == "text" and first_shown and self._format.family != written:
            self._settle(
                ToolFormat(mode="text", family=written),
                f"The model writes its calls in this format: {FAMILIES[written].title}.",
            )
        elif self._without_calls >= self._patience and not self._tools_accepted:
            self._try_another(mode)

    @property
    def _patience(self) -> int:
        remembered = self._calls_natively and self._format.mode == "native"
        return REPLIES_AGAINST_MEMORY if remembered else REPLIES_WITHOUT_CALLS

    def _try_another(self, mode: str) -> None:
        why = f"{self._without_calls} replies in a row contained no valid call."
        if mode == "json_schema":
            self._schema_refused = True
            self._settle(_TEXT, why)
        elif not self._schema_refused:
            self._settle(_BY_SCHEMA, why)


def _moved(delta: Delta) -> Delta:
    """Return a delta of a text call, with an index that no native call has."""
    if delta.channel != "call":
        return delta
    return replace(delta, index=FIRST_TEXT_INDEX + delta.index)
