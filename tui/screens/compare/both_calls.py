"""Two calls as a document: how each ended, then the diffs of their arguments and outputs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.style import Style
from rich.text import Text
from typing_extensions import override

from sandbox_tui.core.base.sanitize import sanitize, sanitize_line
from sandbox_tui.core.base.tool_names import BASH
from sandbox_tui.core.tools.call_summaries import short_name
from sandbox_tui.sessions.relations.aligned_calls import Call, Pair
from sandbox_tui.tui.format.compared.comparison import difference_word, end_and_size
from sandbox_tui.tui.format.compared.human_words import decision_words
from sandbox_tui.tui.screens.compare.diff_rows import diff_rows
from sandbox_tui.tui.theming.palette import Palette
from sandbox_tui.tui.widgets.calls.call_text import readable_arguments
from sandbox_tui.tui.widgets.calls.rows.coloured_call import coloured_call
from sandbox_tui.tui.widgets.preview.code import CONTINUED, rows_of, wrapped
from sandbox_tui.tui.widgets.preview.document import Document

_SIDE = 6
"""Columns for the name of a side."""

WHOLE_UNTIL = 30
"""Arguments with fewer lines are shown whole: their first lines say what the call is about."""

FACTS = {
    "": "the same, with the same output",
    "not yet": "not finished on both sides yet",
    "only": "one side only",
    "tool": "different tools",
    "args": "different arguments",
    "result": "same call, different result",
    "output": "same call, different output",
}
"""What differs between two calls, by `difference_word`."""


class BothCalls(Document):
    """The two calls of a pair.

    Args:
        pair: the calls; what is identical is shown once.
        is_whole: whether all lines are shown, not only those around a difference.
    """

    def __init__(self, pair: Pair, *, is_whole: bool = False) -> None:
        self._pair = pair
        self._is_whole = is_whole
        self.facts = FACTS[difference_word(pair)]

    @override
    def lines(self, width: int, palette: Palette) -> Sequence[Text]:
        left, right = self._pair.left, self._pair.right
        if left is None or right is None:
            return [
                *_ends(left, right, width, palette),
                *(row for call in (left, right) if call for row in _alone(call, width, palette)),
            ]
        return [
            *_ends(left, right, width, palette),
            *self._arguments(left, right, width, palette),
            *_edited("left", left, width, palette, other=right),
            *_edited("right", right, width, palette, other=left),
            *self._outputs(left, right, width, palette),
        ]

    def _arguments(self, left: Call, right: Call, width: int, palette: Palette) -> list[Text]:
        if self._pair.same:
            same = coloured_call(left.tool, left.arguments, max(1, width), palette)
            return [Text(), _heading("the call of both", palette), *same]
        heading = _heading("arguments, left and right", palette)
        sides = _readable(left), _readable(right)
        is_short = max(side.count("\n") for side in sides) < WHOLE_UNTIL
        rows = diff_rows(*sides, width, palette, is_whole=self._is_whole or is_short)
        return [Text(), heading, *(rows or [_nothing("no arguments", palette)])]

    def _outputs(self, left: Call, right: Call, width: int, palette: Palette) -> list[Text]:
        if all(side.ok is None and not side.observation for side in (left, right)):
            return []
        if left.output == right.output:
            words = "output of both"
            rows = _output(left, width, palette) or [_nothing("no output", palette)]
            return [Text(), _heading(words, palette), *rows]
        heading = _heading("output, left and right", palette)
        texts = left.output_text, right.output_text
        return [Text(), heading, *diff_rows(*texts, width, palette, is_whole=self._is_whole)]


def _ends(left: Call | None, right: Call | None, width: int, palette: Palette) -> list[Text]:
    return [*_end("left", left, width, palette), *_end("right", right, width, palette)]


def _end(side: str, call: Call | None, width: int, palette: Palette) -> list[Text]:
    """Return which call it is and how it ended, wrapped between its parts."""
    lines = [Text(f"{side:<{_SIDE}}", style=_bold(palette), no_wrap=True)]
    for number, (words, style) in enumerate(_end_parts(call, palette)):
        between = " · " if number else ""
        if number and lines[-1].cell_len + len(between) + len(words) > width:
            lines.append(Text(" " * _SIDE, no_wrap=True))
            between = ""
        lines[-1].append(between, style=palette.dim).append(words, style=style)
    return lines


def _end_parts(call: Call | None, palette: Palette) -> list[tuple[str, Style]]:
    if call is None:
        return [("no call here", palette.dim)]
    tool = short_name(sanitize_line(call.tool))
    style = palette.bad if call.failed else palette.good if call.ok else palette.warn
    decided = decision_words(call)
    return [
        (f"call {call.number}, step {call.step}", palette.dim),
        (tool, palette.dim),
        *((part, style) for part in end_and_size(call).split(" · ")),
        *([(decided, palette.human)] if decided else []),
    ]


def _alone(call: Call, width: int, palette: Palette) -> list[Text]:
    words = coloured_call(call.tool, call.arguments, max(1, width), palette)
    output = _output(call, width, palette)
    return [
        Text(),
        *words,
        *_edited("", call, width, palette),
        *([Text(), _heading("output", palette), *output] if output else []),
    ]


def _edited(
    side: str, call: Call, width: int, palette: Palette, *, other: Call | None = None
) -> list[Text]:
    """Return the model's version of a call that was edited, unless the other side has run it."""
    if call.verdict != "edit" or call.proposed_arguments is None:
        return []
    words = f"{side}: {decision_words(call)}" if side else decision_words(call).capitalize()
    if other is not None and _has_run(other, call.tool, call.proposed_arguments):
        there = "right" if side == "left" else "left"
        sentence = f"{words}; the model wrote the call on the {there}"
        return [Text(), *wrapped(sentence, max(1, width), palette.human)]
    model = coloured_call(call.tool, call.proposed_arguments, max(1, width), palette)
    return [Text(), Text(f"{words}; the model wrote", style=palette.human), *model]


def _has_run(call: Call, tool: str, arguments: str) -> bool:
    wanted = readable_arguments(tool, arguments)
    return call.tool == tool and readable_arguments(tool, call.arguments) == wanted


def _readable(call: Call) -> str:
    text = readable_arguments(call.tool, call.arguments)
    return text.removeprefix("$ ") if call.tool == BASH else text


def _output(call: Call, width: int, palette: Palette) -> list[Text]:
    text = sanitize(call.output_text.expandtabs(8))
    lines = text.split("\n") if text else []
    return [row for line in lines for row in _output_rows(line, width, palette)]


def _output_rows(line: str, width: int, palette: Palette) -> Iterator[Text]:
    """Yield a line of output; the rows that continue it are marked."""
    whole = Text(line, style=palette.text, no_wrap=True)
    if whole.cell_len <= width:
        yield whole
        return
    for place, row in enumerate(rows_of(whole, max(1, width - len(CONTINUED)))):
        yield Text(CONTINUED if place else "", style=palette.dim, no_wrap=True).append_text(row)


def _heading(words: str, palette: Palette) -> Text:
    return Text(words, style=_bold(palette), no_wrap=True)


def _nothing(words: str, palette: Palette) -> Text:
    return Text(words, style=palette.dim, no_wrap=True)


def _bold(palette: Palette) -> Style:
    return palette.accent + Style(bold=True)
