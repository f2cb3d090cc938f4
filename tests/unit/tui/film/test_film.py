"""Films: which frames they show, how a screenshot is split into rows, and how rows become a film."""

from __future__ import annotations

import io
import re
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from rich.text import Text

from sandbox_tui.core.events import types as e
from sandbox_tui.tui.film.animated_svg import Frame, animated_svg
from sandbox_tui.tui.film.frame_times import MAX_FRAMES, MAX_SECONDS, MIN_SECONDS, moments
from sandbox_tui.tui.film.screenshot_rows import screenshot_rows


def drawn(*lines: Text | str) -> str:
    console = Console(
        record=True, width=20, file=io.StringIO(), force_terminal=True, color_system="truecolor"
    )
    for line in lines:
        console.print(line)
    return console.export_svg(title="a <title>", unique_id="terminal-123")


def events(times: list[float]) -> list[e.AnyEvent]:
    return [e.Warned(seq=n, t=t, text="look") for n, t in enumerate(sorted(times), 1)]


@given(st.lists(st.floats(0, 4000), min_size=1, max_size=400))
def test_moments_go_forward_to_the_last_event(times: list[float]) -> None:
    shown = moments(events(times))
    assert [moment.seq for moment in shown] == sorted({moment.seq for moment in shown})
    assert shown[-1].seq == len(times)
    assert len(shown) <= MAX_FRAMES
    assert all(MIN_SECONDS <= moment.seconds <= MAX_SECONDS for moment in shown[:-1])


def test_simultaneous_events_are_one_frame_and_a_slow_trickle_is_not() -> None:
    assert [m.seq for m in moments(events([0, 0.01, 0.02, 9]))] == [3, 4]
    trickle = moments(events([n * MIN_SECONDS / 2 for n in range(40)]))
    assert 15 <= len(trickle) <= 25


def test_rows_of_different_screenshots_that_look_the_same_are_the_same() -> None:
    red = Text("a red word", style="red on blue")
    one, other = drawn("first", red), drawn(Text("other", style="bold green"), red, "more")
    assert screenshot_rows(one).rows[1] == screenshot_rows(other).rows[1]
    assert screenshot_rows(one).rows[0] != screenshot_rows(other).rows[0]


def test_no_word_and_no_look_is_lost() -> None:
    rows = screenshot_rows(
        drawn(Text("<&> words", style="bold #112233 on #445566"), "", "end")
    ).rows
    words = ElementTree.fromstring(f"<svg>{rows[0]}</svg>")
    assert "".join(words.itertext()).replace("\xa0", " ") == "<&> words"
    assert "fill:#112233" in rows[0]
    assert "font-weight:bold" in rows[0]
    assert '<rect fill="#445566" x="0"' in rows[0]
    assert "end" in rows[2]


def test_invalid_screenshots_are_refused() -> None:
    with pytest.raises(ValueError, match="not a screenshot"):
        screenshot_rows("<svg></svg>")


def test_each_row_is_written_once_and_each_frame_has_its_time() -> None:
    first, second = screenshot_rows(drawn("same", "old")), screenshot_rows(drawn("same", "new"))
    film = animated_svg([Frame(first, 1.0), Frame(second, 3.0), Frame(first, 1.0)])
    ElementTree.fromstring(film)
    text = film.decode()
    assert text.count(">same<") == text.count(">old<") == text.count(">new<") == 1
    assert [float(n) for n in re.findall(r"^([\d.]+)% ", text, re.MULTILINE)] == [0, 20, 80]
    assert "film 5s" in text
    assert "prefers-reduced-motion" in text


def test_a_viewer_without_animation_shows_the_last_frame() -> None:
    first, last = screenshot_rows(drawn("first")), screenshot_rows(drawn("last"))
    root = ElementTree.fromstring(animated_svg([Frame(first, 1.0), Frame(last, 1.0)]))
    (strip,) = (each for each in root.iter() if each.get("class") == "strip")
    frame = strip[1]
    assert "last" in "".join(root.itertext())
    shift = float(strip.get("transform", "").removeprefix("translate(").removesuffix(")"))
    place = float(frame.get("transform", "").removeprefix("translate(").removesuffix(")"))
    assert place > 0
    assert shift == -place


def test_frames_in_a_row_that_look_the_same_are_one() -> None:
    first, second = screenshot_rows(drawn("old")), screenshot_rows(drawn("new"))
    text = animated_svg([Frame(first, 1.0), Frame(first, 1.0), Frame(second, 3.0)]).decode()
    assert [float(n) for n in re.findall(r"^([\d.]+)% ", text, re.MULTILINE)] == [0, 40]


def test_a_part_that_several_rows_have_is_written_once() -> None:
    def row(right: str) -> Text:
        return Text.assemble(
            ("same left".ljust(20), "red"), (right.rjust(30), "blue on green"), "end"
        )

    console = Console(
        record=True, width=60, file=io.StringIO(), force_terminal=True, color_system="truecolor"
    )
    for right in ("one", "two", "three"):
        console.print(row(right))
    screen = screenshot_rows(console.export_svg(title="", unique_id="terminal-1"))
    film = animated_svg([Frame(screen, 1.0)])
    tree = ElementTree.fromstring(film)
    text = film.decode()
    assert len(re.findall(">same.left", text)) == 1
    names = {each.get("id"): each for each in tree.iter() if each.get("id")}

    def words(each: ElementTree.Element) -> str:
        used = names.get((each.get("href") or "#")[1:])
        inside = "".join(map(words, each))
        return (each.text or "") + inside + (words(used) if used is not None else "")

    for number, right in enumerate(("one", "two", "three")):
        expected = f"{'same left':20}{right.rjust(30)}end"
        assert words(names[f"r{number}"]).replace("\xa0", " ").strip() == expected
