"""Rows of the model's replies in the list of calls."""

from __future__ import annotations

from rich.style import Style
from rich.text import Text

from sandbox_tui.core.base.durations import short_duration
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.events.run_state import ReplyItem
from sandbox_tui.core.events.types import Usage
from sandbox_tui.tui.format import numbers
from sandbox_tui.tui.format.fit_line import fit_line
from sandbox_tui.tui.format.status import (
    doing_seconds,
    giving_up_words,
    reply_doing,
    retry_words,
    short_error,
)
from sandbox_tui.tui.theming.palette import Palette
from sandbox_tui.tui.widgets.calls.rows.growing_call import growing_call
from sandbox_tui.tui.widgets.calls.rows.row_parts import GUTTER
from sandbox_tui.tui.widgets.calls.rows.thought_rows import (
    MAX_SUMMARY_CHARS,
    THOUGHT,
    first_words,
    has_long_thinking,
    thought_lines,
)
from sandbox_tui.tui.widgets.preview.code import indented, wrapped
from sandbox_tui.tui.widgets.preview.growing_markdown import markdown_lines
from sandbox_tui.tui.widgets.preview.markdown_summary import markdown_summary

MAX_PROSE_COLUMNS = 106
"""Longer lines of prose are hard to read."""


def reply_lines(
    item: ReplyItem,
    width: int,
    now: float,
    opened: bool,
    palette: Palette,
    rows_left: int = 0,
    *,
    is_stopped: bool = False,
    whole: bool = False,
    next_try: str = "",
) -> list[Text]:
    """Return the lines of a reply: the step's rule with its figures, reasoning, text and failures.

    Args:
        item: the reply.
        width: width of the list, in columns.
        now: the run's clock in seconds.
        opened: whether it is open.
        palette: the palette to draw with.
        rows_left: rows that the reply may fill without scrolling; thinking that streams uses them.
        is_stopped: whether the run goes no further.
        whole: whether long thinking is shown in full, too.
        next_try: what another try waits for, in words, if not for its time.
    """
    figures = _reply_figures(item, now, next_try)
    if is_stopped and not item.ended:
        figures = [_unfinished(item)]
    lines = [_rule(item, width, figures, palette), *_failures(item, width, opened, palette, False)]
    prose = _full_lines(item, width, palette, whole, rows_left - len(lines)) if opened else []
    if prose:
        lines += prose
    elif has_prose(item):
        lines.append(_folded(item, width, palette))
    lines += _failures(item, width, opened, palette, True)
    if not item.ended and item.has_failed and not is_stopped:
        lines += _left_out(item, width, figures, palette)
    lines += _remark(item, width, palette.dim)
    if not item.ended:
        lines += [] if item.has_failed else _writing(item, width, palette)
    elif len(prose) > 1:
        lines.append(Text())
    return lines


def _remark(item: ReplyItem, width: int, style: Style) -> list[Text]:
    return indented(wrapped(item.remark, _room(width), style), GUTTER) if item.remark else []


def reply_height(item: ReplyItem, width: int, opened: bool) -> int | None:
    """Return the height of a closed, finished reply; None if it is only known after drawing."""
    if opened or not item.ended:
        return None
    return 1 + has_prose(item) + len(item.failures) + len(_remark(item, width, Style.null()))


def has_prose(item: ReplyItem) -> bool:
    """Return whether any text or reasoning has arrived."""
    return bool(item.text.strip() or item.reasoning.strip())


# --- the rule


def _rule(item: ReplyItem, width: int, figures: list[str], palette: Palette) -> Text:
    left = _left(item)
    right = _fitting(figures, _room_in_rule(item, width))
    style = palette.dim if item.ended else palette.accent
    fill = max(0, width - len(left) - len(right) - 4)
    line = Text(no_wrap=True)
    line.append("──", style=palette.faint)
    line.append(left, style=palette.dim)
    line.append("─" * fill, style=palette.faint)
    line.append(f" {right}", style=style)
    line.truncate(width)
    return line


def _left(item: ReplyItem) -> str:
    return f" step {item.step} "


def _room_in_rule(item: ReplyItem, width: int) -> int:
    return width - len(_left(item)) - 6


def _left_out(item: ReplyItem, width: int, figures: list[str], palette: Palette) -> list[Text]:
    """Return the figures that the rule has no room for, one a line."""
    in_rule = _fitting(figures, _room_in_rule(item, width))
    others = [one for one in figures if one not in in_rule]
    return [Text(f"{'':>{GUTTER}}{one}", style=palette.warn, no_wrap=True) for one in others]


def _fitting(parts: list[str], room: int) -> str:
    """Return as many of the parts as fit, in order."""
    words = parts[0]
    for part in parts[1:]:
        if len(words) + len(part) + 3 > room:
            break
        words += f" · {part}"
    return words


def _unfinished(item: ReplyItem) -> str:
    """Return what became of a reply that will not go on."""
    if not item.failures:
        return "! interrupted"
    return "✗ the model failed" if item.failures[-1].retry_in is None else "! failed"


def _reply_figures(item: ReplyItem, now: float, next_try: str) -> list[str]:
    if item.interrupted:
        return ["◆ stopped by you"]
    if item.cut_off:
        return ["◆ cut off when the run ended"]
    if item.abandoned:
        return [_unfinished(item)]
    if item.replied is None:
        if item.has_failed:
            failure = item.failures[-1]
            sign = "✗" if failure.retry_in is None else "!"
            longer = "" if next_try else giving_up_words(failure, now)
            words = retry_words(failure, now, when=next_try)
            return [f"{sign} {words}", *([longer] if longer else [])]
        return [f"● {reply_doing(item)} {short_duration(doing_seconds(item, now))}"]
    usage: Usage = item.replied.usage
    parts = [short_duration(item.replied.latency)]
    if usage.input_tokens or usage.output_tokens:
        about = "≈" if usage.estimated else ""
        tokens = (
            f"{about}{numbers.count(usage.input_tokens)}→{numbers.count(usage.output_tokens)} tok"
        )
        parts.append(tokens)
    if item.replied.cost is not None:
        parts.append(numbers.cost(item.replied.cost))
    return parts


def _failures(
    item: ReplyItem, width: int, opened: bool, palette: Palette, of_text: bool
) -> list[Text]:
    """Return why attempts failed: one line each, complete while it is current or the reply is
    open. An error that comes again is not repeated.

    Args:
        of_text: whether it is the attempt that brought the text, or those before it.
    """
    lines: list[Text] = []
    for failure, previous in zip(item.failures, [None, *item.failures], strict=False):
        if (failure.t >= item.asked_at) != of_text:
            continue
        is_same = previous is not None and previous.error == failure.error
        whole = opened or (not item.ended and failure.error == item.failures[-1].error)
        error = (
            sanitize_line(failure.error) if whole else short_error(failure.error, failure.status)
        )
        words = f"try {failure.attempt} failed: {'the same error' if is_same else error}"
        if whole:
            rows = indented(wrapped(words, _room(width), palette.warn), GUTTER)
        else:
            words = words if len(words) <= width - GUTTER else words.replace(" failed:", ":", 1)
            rows = [Text(" " * GUTTER, no_wrap=True).append(words, style=palette.warn)]
            fit_line(rows[0], width)
        first = Text(f"{'!':>{GUTTER - 1}} ", style=palette.warn, no_wrap=True)
        lines += [first.append_text(rows[0][GUTTER:]), *rows[1:]]
    return lines


# --- text and reasoning


def _full_lines(
    item: ReplyItem, width: int, palette: Palette, whole: bool, rows_left: int
) -> list[Text]:
    """Return the reasoning next to a bar, then all of the text as Markdown."""
    lines = thought_lines(item, _room(width), palette, whole=whole, rows_left=rows_left)
    is_folded = not whole and has_long_thinking(item)
    if item.text.strip():
        lines += [Text()] if lines else []
        lines += markdown_lines(item.text, _room(width), palette, GUTTER)
    if len(lines) > 1 and item.ended and not is_folded:
        lines[0] = _marked("▾", lines[0], palette)
    return lines


def _folded(item: ReplyItem, width: int, palette: Palette) -> Text:
    """Return a reply in one line: its latest words while it grows, its first words afterwards."""
    line = Text(" " * GUTTER, no_wrap=True)
    if not item.ended:
        newest = (item.text.strip() or item.reasoning.strip()).rsplit("\n", 1)[-1]
        line.append(sanitize_line(newest[-200:]), style=palette.model)
        fit_line(line, width)
        return line
    said = item.text.strip()
    style = palette.model if said else palette.model + THOUGHT
    words = markdown_summary(said[:MAX_SUMMARY_CHARS], palette)
    line.append(words if said else first_words(item.reasoning), style=style)
    more = line.cell_len > width or (said and item.reasoning.strip()) or "\n" in said
    fit_line(line, width)
    return _marked("▸", line, palette) if more else line


def _marked(mark: str, line: Text, palette: Palette) -> Text:
    """Return a line with the mark of an item that can be opened or folded."""
    return Text(f"{mark} ", style=palette.dim, no_wrap=True).append_text(line[2:])


def _room(width: int) -> int:
    return min(width, MAX_PROSE_COLUMNS) - GUTTER


def _writing(item: ReplyItem, width: int, palette: Palette) -> list[Text]:
    """Return the calls that the model is writing, as far as they have arrived."""
    newest = len(item.writing) - 1
    return [
        line
        for place, written in enumerate(item.writing.values())
        for line in growing_call(*written, width, palette, grows=place == newest)
    ]
