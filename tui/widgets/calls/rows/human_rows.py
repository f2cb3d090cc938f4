"""Rows of user actions and of notes in the list of calls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text

from sandbox_tui.core.agent.model_messages import ENDED_COMMAND, LOST_COMMAND, NOT_RUN_IN_FORK
from sandbox_tui.core.base.durations import short_duration
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.events.notes import INTERRUPTED
from sandbox_tui.core.events.run_state import HumanItem, NoteItem
from sandbox_tui.core.tools.bash import INTERRUPTED as INTERRUPTED_NOTE
from sandbox_tui.tui.format import numbers
from sandbox_tui.tui.format.fit_line import fit_line
from sandbox_tui.tui.theming.palette import Palette
from sandbox_tui.tui.widgets.calls.rows.file_rows import UNSEEN, WITHDRAWN, file_lines
from sandbox_tui.tui.widgets.calls.rows.free_shell import AFTER_CALL
from sandbox_tui.tui.widgets.calls.rows.row_parts import (
    BOLD,
    GUTTER,
    body_of,
    last_line,
    observation_lines,
)
from sandbox_tui.tui.widgets.preview.code import indented, wrapped

RunEnd = Literal["", "over", "stopped"]
"""Whether a run has ended: `over` if what still waits will never reach the model, `stopped` if the
run may be resumed."""

_MESSAGE = "message  "


def human_lines(
    item: HumanItem,
    width: int,
    opened: bool,
    palette: Palette,
    end: RunEnd = "",
    starts: str = "",
    words: str = "",
) -> list[Text]:
    """Return a user's message, command or file action.

    Args:
        item: what the user did.
        width: width of the list, in columns.
        opened: whether it is shown in full.
        palette: the palette to draw with.
        end: whether the run has ended.
        starts: when a command that waits starts, or a message is read, unless at the usual time.
        words: the words of a search: what is cut is shown around them.
    """
    if item.file is not None:
        unseen = end == "over" and item.waits
        return file_lines(item, item.file, GUTTER, width, opened, palette, unseen=unseen)
    title = Text(f"{'':>{GUTTER - 1}} ", no_wrap=True)
    title.append("you  " if item.command is not None else _MESSAGE, style=palette.human + BOLD)
    title.append(sanitize_line(item.text), style=palette.text)
    fit_line(title, width)
    lines = [title, _human_status(item, width, palette, end, starts)]
    if opened:
        if item.command is None and not is_all_shown(item, width):
            lines += indented(wrapped(item.text, width - GUTTER, palette.text), GUTTER)
        elif item.finished is not None:
            lines += observation_lines(item.finished.observation, width, palette, words)
        lines.append(Text())
    return lines


def is_all_shown(item: HumanItem, width: int) -> bool:
    """Return whether the row of a message shows all of it."""
    if item.command is not None or item.file is not None or "\n" in item.text.strip():
        return False
    return GUTTER + cell_len(f"{_MESSAGE}{sanitize_line(item.text)}") <= width


def written_lines(notes: Sequence[str], width: int, opened: bool, palette: Palette) -> list[Text]:
    """Return the user's notes on a step: one line each, or complete if opened."""
    lines: list[Text] = []
    for note in notes:
        if opened:
            words = indented(wrapped(note, width - GUTTER, palette.human), GUTTER)
        else:
            words = [Text(" " * GUTTER, no_wrap=True).append(sanitize_line(note), palette.human)]
        first = Text(f"{'✎':>{GUTTER - 1}} ", style=palette.human, no_wrap=True)
        first.append_text(words[0][GUTTER:])
        fit_line(first, width)
        lines += [first, *words[1:]]
    return lines


def session_note_lines(notes: Sequence[str], width: int, palette: Palette) -> list[Text]:
    """Return the user's notes on the whole session, complete, and an empty line."""
    told = [f"this session: {note}" for note in notes]
    return [*written_lines(told, width, True, palette), Text()]


def note_lines(item: NoteItem, width: int, palette: Palette) -> list[Text]:
    """Return a notice for the user, wrapped."""
    sign, style = {
        "info": ("·", palette.dim),
        "warning": ("!", palette.warn),
        "error": ("✗", palette.bad),
        "yours": ("◆", palette.human),
    }[item.level]
    lines = indented(wrapped(item.text, width - GUTTER, style), GUTTER)
    first = Text(f"{sign:>{GUTTER - 1}} ", style=style, no_wrap=True)
    first.append_text(lines[0][GUTTER:])
    return [first, *lines[1:]]


def _human_status(item: HumanItem, width: int, palette: Palette, end: RunEnd, starts: str) -> Text:
    line = Text(" " * (GUTTER + 2), no_wrap=True)
    unseen = end == "over" and item.waits
    if item.command is None:
        words, style = _message_status(item, end, starts, palette)
        line.append(words, style=style)
    else:
        _command_status(line, item, end, starts, palette)
    if item.command is not None and (item.started or not (unseen or item.withdrawn)):
        stands_out = item.told_to_model and not unseen and not item.withdrawn
        style = palette.human if stands_out else palette.dim
        line.append(f"  {_told_words(item, unseen)}", style=style)
    fit_line(line, width)
    return line


def _told_words(item: HumanItem, unseen: bool) -> str:
    if item.withdrawn:
        return WITHDRAWN
    return UNSEEN if unseen else "visible to model" if item.told_to_model else "private"


def _message_status(
    item: HumanItem, end: RunEnd, starts: str, palette: Palette
) -> tuple[str, Style]:
    if item.withdrawn:
        return "withdrawn", palette.dim
    if item.delivered and starts:
        is_over = end == "over"
        words = "sent, never answered" if is_over else f"◇ {starts}"
        return words, palette.warn if is_over else palette.human
    if item.delivered:
        return "✓ delivered", palette.dim
    if end == "over":
        return "never sent: the run ended", palette.warn
    return "◇ will be sent with the next request", palette.human


def _command_status(
    line: Text, item: HumanItem, end: RunEnd, starts: str, palette: Palette
) -> None:
    if item.withdrawn and not item.started:
        line.append("withdrawn", style=palette.dim)
    elif item.finished is None and item.started and end:
        line.append(INTERRUPTED, style=palette.warn)
    elif item.finished is None and end == "over":
        line.append("never ran: the run ended", style=palette.warn)
    elif item.finished is None:
        running = ("● running", palette.good)
        words, style = running if item.started else (f"◇ {starts or AFTER_CALL}", palette.human)
        line.append(words, style=style)
    elif item.finished.observation in (ENDED_COMMAND, LOST_COMMAND):
        line.append(INTERRUPTED, style=palette.warn)
    elif item.finished.observation == NOT_RUN_IN_FORK:
        line.append("not run in this fork", style=palette.dim)
    else:
        good = item.finished.exit_code == 0
        code = item.finished.exit_code
        failed = "failed" if code is None else f"exit {code}"
        if INTERRUPTED_NOTE in item.finished.observation:
            good, failed = False, "interrupted"
        sign = "✓" if good else f"✗ {failed}"
        line.append(f"{sign} ", style=palette.good if good else palette.bad)
        line.append(short_duration(item.finished.duration), style=palette.dim)
        if words := _output_words(item.finished.observation, good=good):
            line.append(f" · {words}", style=palette.dim)


def _output_words(observation: str, *, good: bool) -> str:
    """Return how many lines a command printed; the last one if it failed or printed no more."""
    lines = len(body_of(observation).splitlines())
    if good and lines > 1:
        return numbers.counted(lines, "line")
    return sanitize_line(last_line(observation))
