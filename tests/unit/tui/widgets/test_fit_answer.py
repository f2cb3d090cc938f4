from __future__ import annotations

import pytest
from rich.text import Text

from sandbox_tui.tui.widgets.wall.fit_answer import fit_beside

VOTE, MARK = "all 2 agree", "said in submit"


@pytest.mark.parametrize(
    ("width", "answer", "expected"),
    [
        (60, "I could not do it.", ("I could not do it.", VOTE, MARK)),
        (40, "I could not do it.", ("I could not do it.", VOTE, "")),
        (26, "I could not do it.", ("I could not do it.", "", "")),
        (26, "I could not do it, nor anything like it.", ("I could not…", VOTE, "")),
        (15, "I could not do it, nor anything like it.", ("I could not do…", "", "")),
    ],
)
def test_what_is_said_about_an_answer_costs_it_nothing(
    width: int, answer: str, expected: tuple[str, str, str]
) -> None:
    text = Text(answer, no_wrap=True)
    beside = fit_beside(text, VOTE, MARK, width)
    assert (text.plain, *beside) == expected
