"""The title of an exported screenshot of the terminal."""

from __future__ import annotations

import contextlib
import html
import re
from pathlib import Path

import pytest

from sandbox_tui.core.events import types as e
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.interchange.exports import EXPORTERS, Recording
from tests.unit.event_streams import started
from tests.unit.sample_run import keep

TASK = "the annual reports of four harbours, ten years each, and which of them lost the most grain"


@pytest.mark.parametrize("columns", [30, 56, 80, 200])
def test_the_title_fits_between_the_buttons(tmp_path: Path, columns: int) -> None:
    events = [
        started(task=TASK),
        e.TerminalOpened(seq=2, t=0.0, terminal="model", cols=columns, rows=4),
        e.TerminalOutput(seq=3, t=0.1, terminal="model", data=b"x" * columns),
    ]
    with contextlib.closing(Store(tmp_path / "s.db")) as store:
        keep(store, events, {})
        (part,) = EXPORTERS["svg"].write(Recording(store, "r"))
    drawn = part.data.decode()
    (title,) = re.findall(r"<text[^>]*-title\"[^>]*>([^<]*)</text>", drawn)
    words = html.unescape(title).replace("\xa0", " ")
    assert words.split()[0] == "the"
    assert len(words) * 10.5 <= columns * 12.2 - 200
