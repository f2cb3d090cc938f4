"""Pictures of screens as text: what is written where, and a digest of the colours it is written in.

The text of each screen stands in `looks/NAME-WxH.txt`, so that a change can be read in review; the
digests for all themes stand in `looks/styles.json`. `make snapshots` takes them anew. What does not
match is left as SVG in `.cache/looks/`, to be looked at.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from hashlib import sha256
from importlib.metadata import version
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import pytest
from rich.segment import Segment
from textual.app import App

HERE = Path(__file__).parent / "looks"
STYLES = HERE / "styles.json"
SEEN = Path(__file__).parents[2] / ".cache" / "looks"
UPDATE = os.environ.get("SNAPSHOTS") == "update"


def lines_of(app: App[Any]) -> list[list[Segment]]:
    """The screen as it is drawn, a list of segments a line."""
    return [list(strip) for strip in app.screen._compositor.render_strips()]


def text_of(lines: list[list[Segment]]) -> str:
    """What is written on the screen."""
    return "\n".join("".join(part.text for part in line).rstrip() for line in lines) + "\n"


def digest_of(lines: list[list[Segment]]) -> str:
    """A short digest of the styles, however the segments are cut."""
    runs: list[tuple[str, str]] = []
    for line in lines:
        pieces = ((_seen(part, blank), text) for part in line for blank, text in _blanks(part))
        for style, parts in groupby(pieces, key=itemgetter(0)):
            runs.append((style, "".join(text for _, text in parts)))
        runs.append(("", "\n"))
    return sha256(json.dumps(runs).encode()).hexdigest()[:12]


def _blanks(part: Segment) -> Iterator[tuple[bool, str]]:
    """The text of a segment, in pieces of blanks and of others."""
    for blank, characters in groupby(part.text, key=str.isspace):
        yield blank, "".join(characters)


def _seen(part: Segment, blank: bool) -> str:
    """Its style as it is seen: of a blank, not the colour of what is not written there."""
    style = part.style
    if style is None or not blank or style.underline or style.reverse or style.strike:
        return str(style or "")
    return str(style.background_style)


def check(app: App[Any], name: str, theme: str) -> None:
    """Compare the screen with what is kept, or keep it when told to."""
    lines = lines_of(app)
    width, height = app.size
    text, digest = text_of(lines), digest_of(lines)
    own = "-ansi" if app.current_theme.ansi else ""  # Textual draws other borders there
    file = HERE / f"{name}-{width}x{height}{own}.txt"
    key = f"{name}-{width}x{height}-{theme}"
    kept: dict[str, str] = json.loads(STYLES.read_text()) if STYLES.exists() else {}
    if UPDATE:
        _keep(file, text, {**kept, key: digest})
        return
    if kept.get("textual") != version("textual"):
        pytest.skip(f"the pictures were taken with Textual {kept.get('textual')}")
    if (text, digest) != (file.read_text(), kept.get(key)):
        SEEN.mkdir(parents=True, exist_ok=True)
        app.save_screenshot(f"{key}.svg", str(SEEN))
        (SEEN / f"{key}.txt").write_text(text)
    assert text == file.read_text(), f"another text than in {file.name}; see .cache/looks/{key}.svg"
    assert digest == kept.get(key), f"other colours than before; see .cache/looks/{key}.svg"


def _keep(file: Path, text: str, styles: dict[str, str]) -> None:
    HERE.mkdir(exist_ok=True)
    file.write_text(text)
    styles["textual"] = version("textual")
    STYLES.write_text(json.dumps(styles, indent=0, sort_keys=True) + "\n")
