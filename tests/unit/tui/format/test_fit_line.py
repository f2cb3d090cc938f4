from __future__ import annotations

import pytest
from rich.text import Text

from sandbox_tui.tui.format.fit_line import fit_line
from tests.cost import Work


@pytest.mark.parametrize(
    ("words", "columns", "shown"),
    [
        ("short", 10, "short"),
        ("exactly ten", 11, "exactly ten"),
        ("a longer line", 8, "a longe…"),
        ("漢字漢字漢字", 7, "漢字漢…"),
        ("e\u0301" * 20, 5, "e\u0301" * 4 + "…"),
        ("", 0, ""),
    ],
)
def test_a_line_is_cut_to_its_width(words: str, columns: int, shown: str) -> None:
    line = Text(words)
    fit_line(line, columns)
    assert line.plain == shown


def test_styles_end_with_the_line() -> None:
    line = Text("some ").append("words " * 1_000, style="bold")
    fit_line(line, 12)
    assert line.plain == "some words …"
    assert [(span.start, span.end) for span in line.spans] == [(5, 12)]


def test_a_line_without_an_end_costs_as_much_as_a_short_one() -> None:
    costs: list[int] = []
    for count in (1_000, 100_000):
        line = Text("é" * count)
        with Work() as work:
            fit_line(line, 80)
        costs.append(work.lines)
    assert costs[0] == costs[1]
