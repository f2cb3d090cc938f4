"""Terminal search finds every match exactly once while lines are added and dropped."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sandbox_tui.core.terminal.emulator.screen import Screen
from sandbox_tui.core.terminal.search import Hit, Search


def all_hits(search: Search, screen: Screen) -> list[Hit]:
    while search.advance(screen, 7):
        pass
    return search.hits(screen)


def test_case_counts_once_a_capital_is_typed() -> None:
    assert Search("error").spans("Error ERROR error") == [(0, 5), (6, 11), (12, 17)]
    assert Search("Error").spans("Error ERROR error") == [(0, 5)]
    assert Search("a.b").spans("a.b axb") == [(0, 3)]
    assert Search("").spans("text") == []


def test_every_place_of_scrollback_and_screen_is_found_in_order() -> None:
    screen = Screen(40, 5)
    screen.feed(b"".join(b"needle %d needle\r\n" % n for n in range(20)))
    hits = all_hits(Search("needle"), screen)
    assert [hit.line for hit in hits] == [n // 2 for n in range(40)]
    assert {hit.start for hit in hits if hit.line == 3} == {0, 9}


def test_colours_and_wide_characters_are_in_nobodys_way() -> None:
    screen = Screen(40, 5)
    screen.feed("\x1b[31mне\x1b[32medle\x1b[0m 日本needle\r\n".encode() * 8)
    hits = all_hits(Search("needle"), screen)
    assert len(hits) == 8


def test_lines_are_dropped_and_come_while_one_searches() -> None:
    screen = Screen(40, 5, scrollback=50)
    search = Search("7")
    for start in range(0, 300, 30):
        screen.feed(b"".join(b"line %d\r\n" % n for n in range(start, start + 30)))
        found = {hit.line for hit in all_hits(search, screen)}
        oldest = screen.scrolled - screen.history_size
        assert found == {n for n in range(oldest, start + 30) if "7" in str(n)}


def test_an_earlier_moment_is_searched_again() -> None:
    late, early = Screen(40, 5), Screen(40, 5)
    late.feed(b"x\r\n" * 100)
    early.feed(b"x\r\n" * 10)
    search = Search("x")
    assert len(all_hits(search, late)) == 100
    search.hits(early)
    assert len(all_hits(search, early)) == 10


@given(st.lists(st.text("ab \x1b[31m", max_size=12), max_size=40), st.sampled_from(["a", "ab"]))
def test_nothing_is_missed_and_nothing_made_up(lines: list[str], needle: str) -> None:
    screen = Screen(20, 4)
    for line in lines:
        screen.feed(f"{line}\r\n".encode())
    oldest = screen.scrolled - screen.history_size
    wanted = [
        Hit(oldest + index, start)
        for index in range(screen.history_size + screen.lines)
        for start, _ in Search(needle).spans(screen.text(index))
    ]
    assert all_hits(Search(needle), screen) == wanted
