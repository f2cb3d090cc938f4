"""Two calls side by side, as a document: arguments, outcomes and outputs."""

from __future__ import annotations

from collections.abc import Sequence

from rich.style import Style
from rich.text import Text
from typing_extensions import override

from sandbox_tui.core.base.sanitize import sanitize, sanitize_line
from sandbox_tui.core.tools.call_summaries import short_name
from sandbox_tui.sessions.relations.compare import Call, Pair
from sandbox_tui.tui.format.comparison import end_and_size
from sandbox_tui.tui.theming.palette import Palette
from sandbox_tui.tui.widgets.calls.rows.coloured_call import coloured_call
from sandbox_tui.tui.widgets.preview.diff import DiffDocument
from sandbox_tui.tui.widgets.preview.document import Document


class BothCalls(Document):
    """The two calls of a pair.

    Args:
        pair: the calls; identical ones are shown once, with their outputs compared.
    """

    def __init__(self, pair: Pair) -> None:
        self._pair = pair

    @override
    def lines(self, width: int, palette: Palette) -> Sequence[Text]:
        pair = self._pair
        if pair.same and pair.left is not None and pair.right is not None:
            return _same(pair.left, pair.right, width, palette)
        left = _alone("left", pair.left, width, palette)
        return [*left, Text(), *_alone("right", pair.right, width, palette)]


def _same(left: Call, right: Call, width: int, palette: Palette) -> list[Text]:
    lines = coloured_call(left.tool, left.arguments, max(1, width), palette)
    lines = [*lines, Text(), _end("left", left, palette), _end("right", right, palette), Text()]
    if left.output == right.output:
        lines.append(Text("output of both", style=_heading(palette)))
        return [*lines, *_output(left, palette)]
    lines.append(Text("output, left and right", style=_heading(palette)))
    return [*lines, *DiffDocument(left.output_text, right.output_text, "").lines(width, palette)]


def _alone(side: str, call: Call | None, width: int, palette: Palette) -> list[Text]:
    if call is None:
        return [Text(f"{side}: no call here", style=palette.dim)]
    return [
        _end(side, call, palette),
        *coloured_call(call.tool, call.arguments, max(1, width), palette),
        Text(),
        *_output(call, palette),
    ]


def _end(side: str, call: Call, palette: Palette) -> Text:
    tool = short_name(sanitize_line(call.tool))
    line = Text(f"{side:<6}", style=_heading(palette), no_wrap=True)
    line.append(f"call {call.number}, step {call.step} · {tool} · ", style=palette.dim)
    style = palette.bad if call.failed else palette.good if call.ok else palette.warn
    return line.append(end_and_size(call), style=style)


def _output(call: Call, palette: Palette) -> list[Text]:
    text = sanitize(call.output_text.expandtabs(8))
    return [Text(line, style=palette.text) for line in text.split("\n")] if text else []


def _heading(palette: Palette) -> Style:
    return palette.accent + Style(bold=True)
