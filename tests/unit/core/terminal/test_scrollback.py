"""Scrollback in blocks returns the lines it was given and takes little memory."""

from __future__ import annotations

import tracemalloc

from hypothesis import example, given, settings
from hypothesis import strategies as st

from sandbox_tui.core.terminal.emulator.screen import Screen
from sandbox_tui.core.terminal.emulator.scrollback import BLOCK_LINES, History
from tests.cost import assert_growth

LINES = st.sampled_from(["", "plain", "漢字", "\x1b[31mred\x1b[0m", "x" * 300, "e\u0301"])


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(LINES, st.integers(1, 3 * BLOCK_LINES)), max_size=8),
    st.sampled_from([0, 1, 40, BLOCK_LINES, 3 * BLOCK_LINES + 7, 100_000]),
)
@example([("", 1), ("", 1535), ("", 520)], 1543)  # more than one block over the limit
def test_the_last_lines_are_kept(batches: list[tuple[str, int]], limit: int) -> None:
    history, every = History(limit), list[str]()
    for line, count in batches:
        lines = [f"{line}{number}" for number in range(count)]
        history.extend(lines[1:])
        history.append(lines[0])
        every += [*lines[1:], lines[0]]
    wanted = every[max(0, len(every) - limit) :]
    assert len(history) == len(wanted)
    assert list(history) == wanted
    assert [history[index] for index in range(0, len(wanted), 97)] == wanted[::97]
    for count in (0, 1, BLOCK_LINES + 5, 10**6):
        assert history.tail(count) == wanted[max(0, len(wanted) - count) :]


def test_a_line_takes_little_memory() -> None:
    """pyte takes 14,000 bytes for such a line, 11,000 for a line of wide characters."""
    for line in ("2026-11-21 02:11:07,312 INFO  [worker] " + "query cache miss " * 3, "漢字" * 20):
        tracemalloc.start()
        screen = Screen(120, 40)
        for number in range(200):
            screen.feed(f"{number:06} {line}\r\n".encode() * 100)
        used, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert used / screen.history_size < 14_000 / 80


def test_reading_a_line_costs_the_same_wherever_it_is() -> None:
    screen = Screen(120, 40)
    screen.feed(b"".join(b"line %d\r\n" % number for number in range(60_000)))

    def read(count: int) -> None:
        for _ in range(20):
            for index in range(0, screen.history_size, screen.history_size // count):
                screen.row(index)

    assert screen.text(31_234) == "line 31234"
    assert_growth(read, 20, 80, below=12)
