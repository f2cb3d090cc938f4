"""Reads the calls that a model writes as text, while the reply streams.

    reader = TextCallReader(tools)
    for piece in stream:
        show(reader.feed(piece))  # or reader.progress()
    reading = reader.finish(finish_reason)

All or nothing: unless all calls of a reply are clear, none is run, and `Reading.problem` tells the
model why. See quotation.py for calls that do not count, json_text.py for repairs. The run time is
linear in the length of the text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, cast

from sandbox_tui.core.base.json_arguments import without_surrogates
from sandbox_tui.core.models.base import Delta
from sandbox_tui.core.models.reply_builder import LIMIT_REASONS, MAX_CALLS
from sandbox_tui.core.models.tool_formats import problems, quotation
from sandbox_tui.core.models.tool_formats.prose import Candidate
from sandbox_tui.core.models.tool_formats.read_result import Draft, Progress, Reading, TextCall
from sandbox_tui.core.models.tool_formats.scanner import Scanner
from sandbox_tui.core.models.tool_formats.schema import Unfit, fit
from sandbox_tui.core.models.tool_formats.source import PartialCall, Source, Written
from sandbox_tui.core.models.tool_formats.table import FAMILIES

_ENDED_WELL = ("stop", "tool_calls", "function_call", "eos", "end_turn", "stop_sequence")
_STOP_TOKENS = (
    *("<|im_end|>", "<|eot_id|>", "<|eom_id|>", "<|eot|>", "<|end_of_text|>"),
    *("<|endoftext|>", "<｜end▁of▁sentence｜>", "</s>"),
)


class TextCallReader:
    """Reads one reply.

    Args:
        tools: the run's tools, as OpenAI function objects.
    """

    def __init__(self, tools: Sequence[Mapping[str, Any]]) -> None:
        self._source = Source(_schemas(tools))
        self._deltas: list[Delta] = []
        self._scanner = Scanner(self._source, self._emit)
        self._steps = self._scanner.run()
        self._high_surrogate = ""
        self._first_open = 0  # index of the first incomplete call
        self._shown = 0  # number of calls shown

    def feed(self, piece: str) -> list[Delta]:
        """Process the next piece of the reply; returns what it adds, for the screen.

        A delta shows the apparent text, with arguments as in `Draft`. `Progress` and `Reading` are
        more accurate: a call may turn out to be quoted, and text to be reasoning. What was
        retracted within one piece is not shown at all.
        """
        piece = self._high_surrogate + piece
        self._high_surrogate = ""
        if piece and "\ud800" <= piece[-1] <= "\udbff":
            piece, self._high_surrogate = piece[:-1], piece[-1]
        if piece:
            self._source.add(without_surrogates(piece))
            next(self._steps, None)
        self._emit_calls()
        deltas, self._deltas = self._deltas, []
        return deltas

    def progress(self) -> Progress:
        """Return the reply so far."""
        return Progress(
            reasoning="".join(self._scanner.reasoning),
            text=self._scanner.text(),
            calls=tuple(
                Draft(
                    tool=partial.tool,
                    arguments="".join(partial.pieces),
                    family=partial.family,
                    is_complete=partial.is_complete,
                )
                for partial in self._visible()
            ),
        )

    def finish(self, finish_reason: str | None) -> Reading:
        """End the reply and read its calls.

        Args:
            finish_reason: as reported by the server; if None, nothing is repaired that may have
                been cut off.
        """
        if self._high_surrogate:
            self._source.add(without_surrogates(self._high_surrogate))
        self._source.end()
        next(self._steps, None)
        judged = self._judge(finish_reason)
        text = self._scanner.text(with_calls=bool(judged.problem)).rstrip()
        while text.endswith(_STOP_TOKENS):
            text = text[: text.rindex("<")].rstrip()
        return Reading(
            reasoning="".join(self._scanner.reasoning).strip(),
            text=text.lstrip("\r\n"),
            calls=judged.calls,
            problem=judged.problem,
            family=judged.family,
        )

    # --- which calls are run

    def _judge(self, finish_reason: str | None) -> Reading:
        candidates = self._scanner.candidates()
        intended = [candidate for candidate in candidates if not candidate.quoted]
        if not intended:
            return Reading(problem=self._quoted_only(candidates))
        families = list(dict.fromkeys(candidate.block.family for candidate in intended))
        titles = [FAMILIES[name].title for name in families]
        title, family = titles[0], families[0]
        problem = ""
        calls: list[TextCall] = []
        if finish_reason in LIMIT_REASONS:
            problem = problems.cut_by_limit(title, _whole_calls(intended))
        elif _was_cut(intended, finish_reason):
            problem = problems.ended_inside(title, _whole_calls(intended))
        elif len(families) > 1:
            problem = problems.two_formats(titles)
        else:
            calls, problem = self._calls(intended, title)
        return Reading(calls=tuple(calls), problem=problem, family=family)

    def _calls(self, intended: Sequence[Candidate], title: str) -> tuple[list[TextCall], str]:
        """Return the calls to run; if there are none, also the message about why."""
        faults = [candidate.block.fault for candidate in intended if candidate.block.fault]
        mended = [candidate for candidate in intended if candidate.block.repaired_end]
        if mended and (mended != intended[-1:] or self._has_text_after(intended[-1])):
            faults.append("it is not closed, and something else follows")
        if self._scanner.stray.intersection(FAMILIES[intended[0].block.family].closers):
            faults.append(problems.STRAY_TAG)
        if faults:
            return [], problems.unreadable(title, faults[0])
        written = [call for candidate in intended for call in candidate.block.calls]
        if len(written) > MAX_CALLS:
            return [], problems.too_many(title, MAX_CALLS)
        unknown = [call.tool for call in written if call.tool not in self._source.tools]
        if unknown:
            return [], problems.unknown_tool(title, unknown[0], self._source.tools)
        calls: list[TextCall] = []
        for call in written:
            try:
                calls.append(self._fitted(call))
            except Unfit as error:
                return [], problems.invalid_arguments(title, call.tool, str(error))
        return calls, ""

    def _has_text_after(self, last: Candidate) -> bool:
        """Return whether any text follows the last call."""
        parts = self._scanner.parts
        behind = "".join(str(part) for part in parts[parts.index(last) + 1 :]).strip()
        return bool(behind) and behind not in _STOP_TOKENS

    def _fitted(self, call: Written) -> TextCall:
        arguments, converted = fit(call.arguments, self._source.tools[call.tool])
        repairs = "; ".join((*call.repairs, *converted))
        repaired = f"{repairs[0].upper()}{repairs[1:]}." if repairs else ""
        return TextCall(tool=call.tool, arguments=arguments, repaired=repaired)

    def _quoted_only(self, candidates: Sequence[Candidate]) -> str:
        """Return the message about calls that are only quoted; empty if there are none."""
        scanner = self._scanner
        mention = quotation.mention_of(self._source.tools)
        if candidates:
            return problems.only_quoted(candidates[0].quoted)
        if any(mention.search(shown) for shown in scanner.shown):
            return problems.only_quoted(quotation.FENCE)
        if mention.search(scanner.text()):
            return problems.only_quoted(quotation.EXPLANATION)
        if scanner.thought_calls or mention.search("".join(scanner.reasoning)):
            return problems.only_quoted(quotation.THOUGHT)
        return ""

    # --- what is shown

    def _emit(self, channel: Literal["text", "reasoning"], piece: str) -> None:
        self._deltas.append(Delta(channel, piece))

    def _visible(self) -> list[PartialCall]:
        """Return the calls being written, except those that may turn out to be something else."""
        quoted = {
            id(partial)
            for candidate in self._scanner.candidates()
            if candidate.quoted
            for partial in candidate.partial_calls
        }
        return [
            partial
            for partial in self._source.partial_calls
            if id(partial) not in quoted and self._is_call(partial)
        ]

    def _is_call(self, partial: PartialCall) -> bool:
        return partial.is_certain or partial.tool in self._source.tools

    def _emit_calls(self) -> None:
        """Add deltas for the calls being written."""
        partial_calls = self._source.partial_calls
        self._first_open = min(self._first_open, len(partial_calls))
        for partial in partial_calls[self._first_open :]:
            if partial.tool and self._is_call(partial):
                self._emit_call(partial)
        while self._first_open < len(partial_calls) and partial_calls[self._first_open].is_complete:
            self._first_open += 1

    def _emit_call(self, partial: PartialCall) -> None:
        name = None
        if partial.number < 0:
            name, partial.number = partial.tool, self._shown
            self._shown += 1
        pieces = partial.pieces[partial.shown_pieces :]
        partial.shown_pieces = len(partial.pieces)
        if name or pieces:
            self._deltas.append(Delta("call", "".join(pieces), partial.number, name))


def read_reply(
    text: str, tools: Sequence[Mapping[str, Any]], finish_reason: str | None = "stop"
) -> Reading:
    """Read a whole reply. Arguments as in `TextCallReader`."""
    reader = TextCallReader(tools)
    reader.feed(text)
    return reader.finish(finish_reason)


def _was_cut(intended: Sequence[Candidate], finish_reason: str | None) -> bool:
    """Return whether the last call was cut off, and lacks more than a mark that can be added."""
    open_ends = [candidate.block for candidate in intended if candidate.block.open_end]
    if not open_ends:
        return False
    return finish_reason not in _ENDED_WELL or any(block.fault for block in open_ends)


def _whole_calls(intended: Sequence[Candidate]) -> int:
    """Return the number of calls completed before the reply was cut."""
    last = intended[-1].block
    mended = last.open_end and last.repaired_end and bool(last.calls)
    return sum(len(candidate.block.calls) for candidate in intended) - mended


def _schemas(tools: Sequence[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """Return the names of the tools, and the schemas of their arguments."""
    found: dict[str, Mapping[str, Any]] = {}
    for tool in tools:
        inner = tool.get("function")
        function = cast(Mapping[str, Any], inner) if isinstance(inner, Mapping) else tool
        schema = function.get("parameters")
        found[str(function.get("name"))] = (
            cast(Mapping[str, Any], schema) if isinstance(schema, Mapping) else {}
        )
    return found
