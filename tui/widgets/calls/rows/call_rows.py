"""Rows of tool calls in the list of calls.

Every function returns the lines of one item at a given width. The height of a closed item is known
without drawing it: a reply has its rule, plus a line of prose and a remark if it has them; every
other item has two lines.
"""

from __future__ import annotations

import json
from typing import Any, cast

from rich.cells import cell_len
from rich.text import Text

from sandbox_tui.core.base.durations import short_duration
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.base.tool_names import BASH
from sandbox_tui.core.events.notes import INTERRUPTED
from sandbox_tui.core.events.run_state import CallItem
from sandbox_tui.core.tools.call_summaries import short_name, summarize_call
from sandbox_tui.core.tools.edit_preview import EditPreview
from sandbox_tui.tui.format import numbers
from sandbox_tui.tui.format.call_end import failure_words
from sandbox_tui.tui.format.fit_line import fit_line
from sandbox_tui.tui.theming.palette import Palette
from sandbox_tui.tui.widgets.calls.rows.decided_status import decided_status, feedback_words
from sandbox_tui.tui.widgets.calls.rows.row_parts import (
    BOLD,
    GUTTER,
    body_of,
    inset_wrapped,
    last_line,
    observation_lines,
)
from sandbox_tui.tui.widgets.calls.rows.waiting_rows import waiting_lines
from sandbox_tui.tui.widgets.preview.code import (
    highlighted,
    indented,
    lexer_for,
    wrapped,
)
from sandbox_tui.tui.widgets.preview.diff import DiffDocument


def call_lines(
    item: CallItem,
    width: int,
    now: float,
    opened: bool,
    palette: Palette,
    preview: EditPreview | None = None,
    began: float | None = 0.0,
    *,
    is_stopped: bool = False,
    words: str = "",
) -> list[Text]:
    """Return a call and its status; if opened, also its arguments and its observation.

    Args:
        item: the call.
        width: width of the list, in columns.
        now: the run's clock in seconds.
        opened: whether it is shown in full.
        palette: the palette to draw with.
        preview: what a waiting call would do to the file it edits, if known.
        began: when it began to run; None if a running one waits for a command of the user's.
        is_stopped: whether the run goes no further.
        words: the words of a search: what is cut is shown around them.
    """
    status = _call_status(item, width, palette, is_stopped, None if began is None else now - began)
    lines = [_call_title(item, width, opened, palette), status]
    if opened:
        if item.call.repaired:
            repaired = sanitize_line(item.call.repaired)
            lines += indented(wrapped(repaired, width - GUTTER - 1, palette.warn), GUTTER)
        lines += _arguments(item, width, palette, preview, words)
        if item.finished is not None:
            observation = item.finished.observation
            with_end = item.status == "failed"
            lines += observation_lines(observation, width, palette, words, with_end=with_end)
        elif is_stopped and item.printed:
            lines += observation_lines(item.printed, width, palette, words, with_end=True)
        lines.append(Text())
    return lines


def tells_all_when_closed(item: CallItem, width: int) -> bool:
    """Return whether the two lines of a closed call hold all of its command and of its output."""
    finished = item.finished
    fields = _fields(item.arguments)
    if finished is None or fields is None or item.call.name != BASH or finished.ok:
        return False
    if item.decided is not None or item.call.family:
        return False  # the status has more to say
    command = str(fields.get("command", ""))
    output = sanitize_line(last_line(finished.observation))
    if command != summarize_call(item.call.name, item.arguments):
        return False
    if len(body_of(finished.observation).split("\n")) > 1:
        return False
    title = f"  {item.call.number:>3} {short_name(item.call.name):<5} {sanitize_line(command)}"
    status = f"{' ' * (GUTTER + 2)}✗ {failure_words(item)}{f' · {output}' if output else ''}"
    return max(cell_len(title), cell_len(status)) <= width


def _call_title(item: CallItem, width: int, opened: bool, palette: Palette) -> Text:
    waiting = item.status == "waiting"
    mark = "▾" if opened else ("◆" if waiting else " ")
    line = Text(no_wrap=True)
    line.append(f"{mark} ", style=palette.accent if waiting or opened else palette.dim)
    line.append(f"{item.call.number:>3} ", style=palette.accent if waiting else palette.dim)
    line.append(f"{short_name(sanitize_line(item.call.name)):<5} ", style=palette.tool)
    line.append(sanitize_line(summarize_call(item.call.name, item.arguments)), style=palette.text)
    fit_line(line, width)
    return line


def _call_status(
    item: CallItem, width: int, palette: Palette, is_stopped: bool, seconds: float | None
) -> Text:
    line = Text(" " * (GUTTER + 2), no_wrap=True)
    finished = item.finished
    if item.status == "waiting":
        line.append("waits for you", style=palette.accent + BOLD)
    elif item.status == "not_run":
        line.append("not run", style=palette.dim)
    elif finished is None and is_stopped:
        line.append(INTERRUPTED, style=palette.warn)
        line.append(_printed_until_then(item), style=palette.dim)
    elif finished is None and seconds is None:
        line.append("waits for your command", style=palette.human)
    elif finished is None:
        line.append(f"● {short_duration(max(0.0, seconds or 0.0))}", style=palette.good)
    else:
        _finished_status(line, item, palette)
    if item.call.family:
        repaired = ", repaired" if item.call.repaired else ""
        line.append(f"  as text ({sanitize_line(item.call.family)}{repaired})", style=palette.dim)
    fit_line(line, width)
    return line


def _printed_until_then(item: CallItem) -> str:
    """Return how much an interrupted call had printed."""
    if item.call.name != BASH or item.started_at is None:
        return ""
    if item.printed is None:
        return " · any output is in the terminal"
    lines = len(item.printed.splitlines())
    return f" after {numbers.counted(lines, 'line')}" if lines else " · no output"


def _finished_status(line: Text, item: CallItem, palette: Palette) -> None:
    finished = item.finished
    if finished is None:
        return
    decided = decided_status(item, palette)
    if decided is not None:
        feedback = feedback_words(item)
        line.append_text(decided).append(f"  {feedback}" if feedback else "", style=palette.dim)
        return
    if finished.ok:
        line.append(f"✓ {short_duration(finished.duration)}", style=palette.good)
    else:
        line.append(f"✗ {failure_words(item)}", style=palette.bad)
    if item.decided and item.decided.verdict == "edit":
        line.append("  edited by you ", style=palette.human)
    words = _amount(item) if finished.ok else sanitize_line(last_line(finished.observation))
    if words:
        line.append(f" · {words}", style=palette.dim)


def _amount(item: CallItem) -> str:
    finished = item.finished
    if finished is None:
        return ""
    total = finished.stdout_bytes + finished.stderr_bytes
    lines = len(body_of(finished.observation).splitlines())
    if finished.truncated:
        return f"{numbers.size(total)}, cut to {lines} lines"
    return numbers.counted(lines, "line") if lines else "no output"


def _arguments(
    item: CallItem, width: int, palette: Palette, preview: EditPreview | None, words: str
) -> list[Text]:
    """Return the arguments in readable form; complete if the call waits."""
    if item.status == "waiting":
        return waiting_lines(item, width, palette, preview)
    room = width - GUTTER - 1
    return inset_wrapped(_argument_lines(item, room, palette), width, palette, words)


def _argument_lines(item: CallItem, room: int, palette: Palette) -> list[Text]:
    fields = _fields(item.arguments)
    if fields is None:
        return wrapped(item.arguments, room, palette.text)
    if item.call.name == "execute_bash":
        return highlighted(str(fields.get("command", "")), "bash", palette)
    if item.call.name == "str_replace_editor":
        return _edit(fields, room, palette)
    if not fields:
        return []
    return highlighted(json.dumps(fields, indent=2, ensure_ascii=False), "json", palette)


def _edit(fields: dict[str, Any], width: int, palette: Palette) -> list[Text]:
    path = str(fields.get("path", ""))
    command = fields.get("command")
    if command == "str_replace":
        old, new = str(fields.get("old_str", "")), str(fields.get("new_str", ""))
        if not (old.endswith("\n") and new.endswith("\n")):  # a newline starts another line here
            old, new = (f"{part}\n" if part else "" for part in (old, new))
        return list(DiffDocument(old, new, path).lines(width, palette))
    text = str(fields.get("file_text" if command == "create" else "new_str") or "")
    if not text:
        return [Text(sanitize_line(f"{command} {path}"), style=palette.dim)]
    return highlighted(text.rstrip("\n"), lexer_for(path), palette)


def _fields(arguments: str) -> dict[str, Any] | None:
    try:
        value: object = json.loads(arguments or "{}")
    except (ValueError, RecursionError):
        return None
    return cast(dict[str, Any], value) if isinstance(value, dict) else None
