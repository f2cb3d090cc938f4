"""Pictures of screens as text: the characters, and a digest of their styles.

The text of each screen is stored in `looks/NAME-WxH.txt`, so that changes can be reviewed as diffs;
the digests for all themes are in `looks/styles.json`. `make snapshots` updates both. A mismatch
leaves an SVG in `.cache/looks/` for inspection.
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
    """Return the screen as drawn, a list of segments per line."""
    return [list(strip) for strip in app.screen._compositor.render_strips()]


def text_of(lines: list[list[Segment]]) -> str:
    """Return the text on the screen."""
    return "\n".join("".join(part.text for part in line).rstrip() for line in lines) + "\n"


def digest_of(lines: list[list[Segment]]) -> str:
    """Return a short digest of the styles, independent of how the segments are cut."""
    runs: list[tuple[str, str]] = []
    for line in lines:
        pieces = ((_seen(part, blank), text) for part in line for blank, text in _blanks(part))
        for style, parts in groupby(pieces, key=itemgetter(0)):
            runs.append((style, "".join(text for _, text in parts)))
        runs.append(("", "\n"))
    return sha256(json.dumps(runs).encode()).hexdigest()[:12]


def _blanks(part: Segment) -> Iterator[tuple[bool, str]]:
    """Split the text of a segment into runs of blanks and of other characters."""
    for blank, characters in groupby(part.text, key=str.isspace):
        yield blank, "".join(characters)


def _seen(part: Segment, blank: bool) -> str:
    """Return the visible style: a blank has no visible foreground colour."""
    style = part.style
    if style is None or not blank or style.underline or style.reverse or style.strike:
        return str(style or "")
    return str(style.background_style)


def check(app: App[Any], name: str, theme: str) -> None:
    """Compare the screen with the stored picture, or store it when updating."""
    lines = lines_of(app)
    width, height = app.size
    text, digest = text_of(lines), digest_of(lines)
    # Textual draws different borders in these themes
    own = "-ansi" if app.current_theme.ansi else ""
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
