"""Draws actions with their keys by group, in one or two columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rich.cells import cell_len
from rich.text import Text

from sandbox_tui.tui.format.fit_line import fit_line
from sandbox_tui.tui.format.wrap_cells import wrap_cells
from sandbox_tui.tui.keys.available_actions import ActionHere
from sandbox_tui.tui.keys.unavailable_reasons import needs_session_row
from sandbox_tui.tui.theming.palette import Palette

TWO_COLUMNS = 104
"""Minimum width of the list for two columns."""

GAP = 3
"""Columns between the two columns."""

MANY = 4
"""Actions of a group that are off for one reason, from which on that is said once for them even if
one more action is on, or off for another reason."""

NOT_NOW = "Not now"
"""Title for the actions that are off, of groups with others."""

MAX_LINES = 3
"""Maximum lines of an action with the reason why it is off."""

NOTED = 3
"""Actions of a group that are off for the same reason, from which on it is said once."""


def lines_of(
    groups: list[list[ActionHere]], width: int, palette: Palette, *, folds: bool
) -> list[Text]:
    """Return the lines of groups of actions, in two columns if there is room.

    Args:
        groups: the actions by group.
        width: columns.
        palette: the styles.
        folds: whether several actions that are off for one reason take one line together.
    """
    if width < TWO_COLUMNS:
        columns, room = [_off_ones_last(groups)], width
    else:
        columns, room = _halves(groups), (width - GAP) // 2
    drawn = [_column(column, room, palette, folds=folds) for column in columns]
    rows = max(map(len, drawn))
    return [
        _side_by_side([c[y] if y < len(c) else Text() for c in drawn], room) for y in range(rows)
    ]


def _off_ones_last(groups: list[list[ActionHere]]) -> list[list[ActionHere]]:
    """Return groups so that actions that are off come after all that can be used: in one column,
    their reasons would hide these below the end of the screen."""
    useful = [group for group in groups if not all(action.off for action in group)]
    useless = [group for group in groups if group not in useful]
    off = [
        action._replace(group=NOT_NOW)
        for group in useful
        for action in group
        if action.off and action not in _folded(group)
    ]
    usable = [[one for one in group if not one.off or one in _folded(group)] for group in useful]
    return [*usable, *([off] if off else []), *useless]


def _halves(groups: list[list[ActionHere]]) -> list[list[list[ActionHere]]]:
    """Distribute groups over two columns without splitting any, the longer one first."""
    heights = [len(group) + 2 for group in groups]
    at = next(n for n in range(1, len(groups) + 1) if 2 * sum(heights[:n]) >= sum(heights))
    return [groups[:at], groups[at:]]


def _column(
    groups: list[list[ActionHere]], room: int, palette: Palette, *, folds: bool
) -> list[Text]:
    """Return the lines of groups: a heading, then one line per action; if it `folds`, one line for
    several that only sessions have while the row under the cursor is none."""
    wide = max((cell_len(_keys(action)) for group in groups for action in group), default=0)
    lines: list[Text] = []
    for group in groups:
        if lines:
            lines.append(Text())
        title, folded = group[0].group, _folded(group) if folds else []
        group = [action for action in group if action not in folded]
        reason = _common_reason(group)
        heading = Text(" " * (wide + 2) + title, style=palette.strong, no_wrap=True)
        if reason:
            heading.append(f" – {reason}", style=palette.dim)
            fit_line(heading, room)
        lines.append(heading)
        if folds and reason and len(group) >= NOTED and all(action.off for action in group):
            lines += _keys_alone(group, wide, room, palette)
            continue
        note = "" if reason else _note_reason(group)
        for action in group:
            lines += _lines(action, wide, room, palette, said=reason, noted=note)
        if note:
            lines.append(_said_below(f"* {note}", wide, room, palette))
        if folded:
            words = f"{len(folded)} more actions on a row that is a session"
            lines.append(_said_below(words, wide, room, palette))
    return lines


def _keys_alone(group: Sequence[ActionHere], wide: int, room: int, palette: Palette) -> list[Text]:
    """Return the keys of a group that is off on one line: typing finds what they do."""
    keys = "  ".join(action.keys[0] for action in group)
    words = f"{len(group)} actions: {keys}"
    return [
        _said_below(piece, wide, room, palette)
        for piece in wrap_cells(words, room - wide - 2, MAX_LINES)
    ]


def _said_below(words: str, wide: int, room: int, palette: Palette) -> Text:
    """Return a line below the actions of a group."""
    line = Text(" " * (wide + 2) + words, style=palette.dim, no_wrap=True)
    fit_line(line, room)
    return line


def _folded(group: list[ActionHere]) -> list[ActionHere]:
    """Return the actions of a group that the row under the cursor does not have, if there are
    several and others are left."""
    found = [action for action in group if needs_session_row(action.off)]
    return found if NOTED <= len(found) < len(group) else []


def _common_reason(group: list[ActionHere]) -> str:
    """Return the one reason why all of a group are off, or all but one of many: it is said once;
    empty otherwise."""
    ((reason, times),) = Counter(action.off for action in group).most_common(1)
    excepted = len(group) - times
    return reason if times > 1 and (not excepted or (excepted == 1 and times >= MANY)) else ""


def _note_reason(group: list[ActionHere]) -> str:
    """Return the reason why several of a group are off, which is said once below them; empty if
    there is none."""
    counts = Counter(action.off for action in group if action.off)
    ((reason, times),) = counts.most_common(1) or [("", 0)]
    return reason if times >= NOTED else ""


def _lines(
    action: ActionHere, wide: int, room: int, palette: Palette, *, said: str, noted: str
) -> list[Text]:
    """Return an action; with the reason why it is off, unless that is `said` above, or `noted`
    below, to which a star refers."""
    words = action.words if action.off in ("", said) else f"{action.words} – {action.off}"
    if noted and action.off == noted:
        words = f"{action.words} *"
    lines: list[Text] = []
    for piece in wrap_cells(words, room - wide - 2, MAX_LINES):
        keys = "" if lines else _keys(action)
        line = Text(" " * (wide - cell_len(keys)), no_wrap=True)
        line.append(keys, style=palette.faint if action.off else palette.accent)
        line.append("  ")
        line.append(piece, style=palette.dim if action.off else palette.text)
        fit_line(line, room)
        lines.append(line)
    return lines


def _keys(action: ActionHere) -> str:
    return " ".join(action.keys)


def _side_by_side(cells: list[Text], room: int) -> Text:
    line = Text(no_wrap=True)
    for number, cell in enumerate(cells):
        if number:
            line.pad_right(room + GAP - line.cell_len)
        line.append_text(cell)
    return line
