"""Rows of the user's file actions in the list of calls."""

from __future__ import annotations

from rich.style import Style
from rich.text import Text

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.events.run_state import HumanItem
from sandbox_tui.core.events.types import HumanFile
from sandbox_tui.tui.format.fit_line import fit_line
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.theming.palette import Palette
from sandbox_tui.tui.widgets.preview.code import indented, wrapped

FILE_ACTION_WORDS = {"pull": "copy out", "push": "copy in", "edit": "edit"}
"""The words for each action, in the place of the tool name."""

UNSEEN = "the model never saw it"
"""Said of what was meant for the model when the run ended before its next request."""

WITHDRAWN = f"withdrawn: {UNSEEN}"
"""Said of what was done in the sandbox, and withdrawn before the model was told of it."""

MAX_DIFF_LINES = 15


def file_lines(
    item: HumanItem,
    file: HumanFile,
    gutter: int,
    width: int,
    opened: bool,
    palette: Palette,
    *,
    unseen: bool = False,
) -> list[Text]:
    """Return a file that was copied out, copied in or edited: two lines; if opened, also its diff.

    Args:
        item: the user's action.
        file: what was done to the file.
        gutter: columns left of the item's text.
        width: width of the list, in columns.
        opened: whether the details are shown.
        palette: the palette to draw with.
        unseen: whether the run ended before the model was told.
    """
    title = Text(f"{'':>{gutter - 1}} ", no_wrap=True)
    title.append(f"{FILE_ACTION_WORDS[file.action]:<4} ", style=palette.human + Style(bold=True))
    title.append(sanitize_line(file.path), style=palette.text)
    fit_line(title, width)
    lines = [title, _status(item, file, gutter, width, palette, unseen)]
    if opened:
        lines += indented(_details(file, width - gutter, palette), gutter)
        lines.append(Text())
    return lines


def _status(
    item: HumanItem, file: HumanFile, gutter: int, width: int, palette: Palette, unseen: bool
) -> Text:
    line = Text(" " * (gutter + 2), no_wrap=True)
    line.append("✓ ", style=palette.good)
    line.append(_what(file), style=palette.dim)
    stands_out = file.told_to_model and not unseen and not item.withdrawn
    line.append(
        f"  {_told_words(item, unseen) if file.told_to_model else 'private'}",
        style=palette.human if stands_out else palette.dim,
    )
    fit_line(line, width)
    return line


def _told_words(item: HumanItem, unseen: bool) -> str:
    if item.withdrawn:
        return WITHDRAWN
    return "delivered" if item.delivered else UNSEEN if unseen else "visible to model"


def _what(file: HumanFile) -> str:
    if file.action == "edit":
        lines = file.diff.split("\n")
        added = sum(1 for line in lines if line.startswith("+") and not line.startswith("+++"))
        removed = sum(1 for line in lines if line.startswith("-") and not line.startswith("---"))
        return f"by you +{added} -{removed}"
    way = "from" if file.action == "push" else "to"
    left = f", {len(file.left_behind)} not copied" if file.left_behind else ""
    return f"{way} {sanitize_line(file.host or '')}{left}"


def _details(file: HumanFile, width: int, palette: Palette) -> list[Text]:
    lines: list[Text] = []
    for sentence in file.left_behind:
        lines += wrapped(sentence, width, palette.warn)
    for line in file.diff.split("\n")[2 : 2 + MAX_DIFF_LINES] if file.diff else []:
        style = palette.dim
        if line.startswith(("+", "-")):
            style = palette.good if line.startswith("+") else palette.bad
        shown = Text(sanitize_line(line.expandtabs(4)), style=style, no_wrap=True)
        fit_line(shown, width)
        lines.append(shown)
    more = file.diff.count("\n") - 1 - MAX_DIFF_LINES
    if more > 0:
        lines.append(
            Text(f"… {more} more lines  {hint('cockpit.whole')} open all", style=palette.dim)
        )
    return lines
