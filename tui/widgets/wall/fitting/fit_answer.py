"""An answer in one line, with as much of what is said about it as costs it nothing."""

from __future__ import annotations

from rich.text import Text

from sandbox_tui.tui.format.fit_line import fit_line

SEPARATOR = " · "
"""What is between the vote and the mark."""

INDENT = 2
"""Blanks before what is said below an answer."""

SEPARATOR_CELLS = 3
"""Cells between an answer and each part behind it."""


def fit_beside(
    answer: Text, vote: str, mark: str, width: int, *, mark_first: bool = False
) -> tuple[str, str]:
    """Cut an answer to its place; return the vote and the mark, each empty without room for it.

    The mark never costs the answer anything. The vote may cut an answer that is too long anyway, to
    a third of the line. With `mark_first`, these are the other way round: a mark that contradicts
    the answer is worth more than how many agree.

    Args:
        answer: the answer; if nothing can be left out, it is cut.
        vote: how many others gave it, in words.
        mark: where it was found, in words.
        width: cells of the line.
        mark_first: whether the mark comes before the vote.
    """
    if mark and mark_first:
        mark, vote = fit_beside(answer, mark, vote, width)
        return vote, mark
    vote_cells = len(vote) + SEPARATOR_CELLS if vote else 0
    left = width - vote_cells
    is_whole = answer.cell_len <= width and not answer.plain.endswith("…")
    if answer.cell_len > left and (is_whole or left < width // 3):
        vote, left = "", width
    if mark and answer.cell_len + SEPARATOR_CELLS + len(mark) > left:
        mark = ""
    fit_line(answer, max(1, left))
    return vote, mark


def below_answer(about: Text, width: int, most: int) -> list[Text]:
    """Return what is said about an answer in lines below it: on two if it is too long for one.

    Args:
        about: the vote and the mark, if there are both with a separator.
        width: cells of a line.
        most: maximum number of lines.
    """
    lines = [about]
    place = about.plain.find(SEPARATOR)
    if about.cell_len + INDENT > width and place > 0:
        vote, separator, mark = about.divide([place, place + len(SEPARATOR)])
        lines = [vote, mark] if most > 1 else [mark.append_text(separator).append_text(vote)]
    for line in lines:
        line.pad_left(INDENT)
    return lines
