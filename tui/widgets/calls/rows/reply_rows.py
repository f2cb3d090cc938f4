"""Rows of the model's replies in the list of calls."""

from __future__ import annotations

from rich.style import Style
from rich.text import Text

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.events.run_state import ReplyItem
from sandbox_tui.core.events.types import Usage
from sandbox_tui.core.tools.call_summaries import short_name
from sandbox_tui.tui.format import numbers
from sandbox_tui.tui.format.fit_line import fit_line
from sandbox_tui.tui.theming.palette import Palette
from sandbox_tui.tui.widgets.calls.rows.row_parts import GUTTER
from sandbox_tui.tui.widgets.preview.code import indented, wrapped

MAX_PROSE_COLUMNS = 106
"""Longer lines of prose are hard to read."""


def reply_lines(
    item: ReplyItem, width: int, now: float, opened: bool, palette: Palette
) -> list[Text]:
    """A step's rule with its figures, then the model's reasoning or text."""
    lines = [_rule(item, width, now, palette)]
    prose = item.text.strip() or item.reasoning.strip()
    if opened:
        for label, words in (("think", item.reasoning), ("says", item.text)):
            if words.strip():
                lines += _said(label, words.strip(), width, palette)
    elif prose:
        line = Text(" " * GUTTER, no_wrap=True, overflow="ellipsis")
        line.append(
            sanitize_line(_tail_line(prose, item)), style=palette.model + Style(italic=True)
        )
        fit_line(line, width)
        lines.append(line)
    if item.remark:
        remark = Text(f"{' ' * GUTTER}{item.remark}", style=palette.dim, no_wrap=True)
        fit_line(remark, width)
        lines.append(remark)
    if not item.ended:
        lines += _why_not(item, width, palette) if _has_failed(item) else []
        lines += _writing(item, width, palette)
    return lines


def reply_height(item: ReplyItem, opened: bool) -> int | None:
    """Height of a closed, finished reply; None when only drawing tells."""
    if opened or not item.ended:
        return None
    return 1 + bool(item.text.strip() or item.reasoning.strip()) + bool(item.remark)


def _rule(item: ReplyItem, width: int, now: float, palette: Palette) -> Text:
    left = f" step {item.step} "
    right = _fitting(_reply_figures(item, now), width - len(left) - 6)
    style = palette.dim if item.ended else palette.accent
    fill = max(2, width - len(left) - len(right) - 4)
    line = Text(no_wrap=True)
    line.append("──", style=palette.faint)
    line.append(left, style=palette.dim)
    line.append("─" * fill, style=palette.faint)
    line.append(f" {right}", style=style)
    line.truncate(width)
    return line


def _fitting(parts: list[str], room: int) -> str:
    """As many of the parts as fit, first ones first."""
    words = parts[0]
    for part in parts[1:]:
        if len(words) + len(part) + 3 > room:
            break
        words += f" · {part}"
    return words


def _reply_figures(item: ReplyItem, now: float) -> list[str]:
    if item.interrupted:
        return ["◆ stopped by you"]
    if item.replied is None:
        if _has_failed(item):
            return [_waiting_again(item, now)]
        doing = "thinking" if not item.writing else "writing"
        return [f"● {doing} {numbers.seconds(max(0.0, now - item.asked_at))}"]
    usage: Usage = item.replied.usage
    parts = [numbers.seconds(item.replied.latency)]
    if usage.input_tokens or usage.output_tokens:
        about = "≈" if usage.estimated else ""
        tokens = (
            f"{about}{numbers.count(usage.input_tokens)}→{numbers.count(usage.output_tokens)} tok"
        )
        parts.append(tokens)
    if item.replied.cost is not None:
        parts.append(numbers.cost(item.replied.cost))
    return parts


def _has_failed(item: ReplyItem) -> bool:
    """Whether the last attempt failed and the next one has not begun."""
    return bool(item.failures) and item.failures[-1].t >= item.asked_at


def _why_not(item: ReplyItem, width: int, palette: Palette) -> list[Text]:
    words = sanitize_line(item.failures[-1].error)
    return indented(wrapped(words, min(width, MAX_PROSE_COLUMNS) - GUTTER, palette.warn), GUTTER)


def _waiting_again(item: ReplyItem, now: float) -> str:
    failure = item.failures[-1]
    if failure.retry_in is None:
        return "✗ the model failed"
    left = max(0.0, failure.t + failure.retry_in - now)
    return f"! try {failure.attempt + 1} in {numbers.seconds(left)}"


def _tail_line(prose: str, item: ReplyItem) -> str:
    """One line of the prose: its end while it grows, its beginning afterwards."""
    lines = [line for line in prose.split("\n") if line.strip()]
    if not lines:
        return ""
    return " ".join(lines)[:400] if item.ended else lines[-1][-200:]


def _said(label: str, words: str, width: int, palette: Palette) -> list[Text]:
    style = palette.model + Style(italic=label == "think")
    return indented(wrapped(words, min(width, MAX_PROSE_COLUMNS) - GUTTER, style), GUTTER)


def _writing(item: ReplyItem, width: int, palette: Palette) -> list[Text]:
    """The calls the model is writing, as far as they have arrived."""
    lines: list[Text] = []
    for name, arguments in item.writing.values():
        title = Text(" " * GUTTER, no_wrap=True)
        title.append(f"{short_name(sanitize_line(name))} ", style=palette.tool)
        tail = arguments[-2000:].replace("\\n", "\n").split("\n")[-4:]
        lines.append(title)
        shown = [Text(sanitize_line(line), style=palette.dim, no_wrap=True) for line in tail]
        shown[-1].append("▌", style=palette.accent)
        for line in shown:
            fit_line(line, width - GUTTER)
        lines += indented(shown, GUTTER)
    return lines
