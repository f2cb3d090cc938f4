"""Recorded programs, and the screen that Alacritty shows after each.

`alacritty.json.xz` holds the 43 reference tests of Alacritty that have both a recording and a
screen (alacritty_terminal/tests/ref, Apache-2.0 or MIT). It maps each name to the size, the output
(one character per byte) and the text of each row without trailing blanks.
"""

from __future__ import annotations

import json
import lzma
from pathlib import Path
from typing import TypedDict

import pytest

from sandbox_tui.core.terminal.emulator.screen import Screen
from tests.terminal_oracles import cut, display_of


class Recording(TypedDict):
    columns: int
    lines: int
    output: str
    screen: list[str]


RECORDINGS: dict[str, Recording] = json.loads(
    lzma.decompress(Path(__file__).with_name("alacritty.json.xz").read_bytes())
)

OTHERWISE = {"selective_erasure": [" B", " B", ""]}
"""Alacritty ignores DECSED and DECSEL and leaves `ABC`. We erase `A` and `C`, and leave `B`, which
DECSCA protects, as VT510, xterm and libghostty do."""


def test_all_recordings_are_here() -> None:
    assert len(RECORDINGS) == 43


@pytest.mark.parametrize("name", RECORDINGS)
def test_the_screen_is_that_of_alacritty(name: str) -> None:
    recording = RECORDINGS[name]
    screen = Screen(recording["columns"], recording["lines"])
    screen.feed(recording["output"].encode("latin-1"))
    assert cut(display_of(screen)) == OTHERWISE.get(name, recording["screen"])
