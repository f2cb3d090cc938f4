from __future__ import annotations

import pytest
from rich.text import Text

from sandbox_tui.tui.widgets.wall.fitting.fit_answer import below_answer, fit_beside

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


def test_a_mark_that_contradicts_comes_before_the_vote() -> None:
    text = Text("17", no_wrap=True)
    assert fit_beside(text, VOTE, "submit said 42", 24, mark_first=True) == ("", "submit said 42")


def test_what_is_too_long_for_a_line_below_takes_two() -> None:
    about = Text(f"{VOTE} · submit said 42")
    assert [one.plain for one in below_answer(about.copy(), 60, 2)] == [f"  {about.plain}"]
    lines = [f"  {VOTE}", "  submit said 42"]
    assert [one.plain for one in below_answer(about.copy(), 20, 2)] == lines
    assert [one.plain for one in below_answer(about, 20, 1)] == [f"  submit said 42 · {VOTE}"]
