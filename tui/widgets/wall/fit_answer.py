"""An answer in one line, with as much of what is said about it as costs it nothing."""

from __future__ import annotations

from rich.text import Text

from sandbox_tui.tui.format.fit_line import fit_line

SEPARATOR_CELLS = 3
"""Cells between an answer and each part behind it."""


def fit_beside(answer: Text, vote: str, mark: str, width: int) -> tuple[str, str]:
    """Cut an answer to its place; return the vote and the mark, each empty without room for it.

    The mark never costs the answer anything. The vote may cut an answer that is too long anyway, to
    a third of the line.

    Args:
        answer: the answer; if nothing can be left out, it is cut.
        vote: how many others gave it, in words.
        mark: where it was found, in words.
        width: cells of the line.
    """
    vote_cells = len(vote) + SEPARATOR_CELLS if vote else 0
    left = width - vote_cells
    is_whole = answer.cell_len <= width and not answer.plain.endswith("…")
    if answer.cell_len > left and (is_whole or left < width // 3):
        vote, left = "", width
    if mark and answer.cell_len + SEPARATOR_CELLS + len(mark) > left:
        mark = ""
    fit_line(answer, max(1, left))
    return vote, mark
