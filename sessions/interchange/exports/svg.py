"""Exports the terminal at the end of the session as one self-contained SVG file."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

from sandbox_tui.core.base.errors import RequestRefused
from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.run_state import MIRROR
from sandbox_tui.core.terminal.emulator.screen import Screen
from sandbox_tui.core.terminal.emulator.sgr import Attributes
from sandbox_tui.sessions.interchange.exports.base import Exporter, Part, Recording, shortened

_DIM = "38424d e07077 86b98b e3a94b 7fa7d6 b29ae0 83b0b0 b9c0ca"
_BRIGHT = "7a8694 e8949a a4cba8 eabe78 9fbde0 c5b3e8 a2c4c4 f1f3f5"
_FORMAT = """<svg class="rich-terminal" viewBox="0 0 {width} {height}" \
xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{ font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; \
font-size: {char_height}px; line-height: {line_height}px; font-variant-east-asian: full-width; }}
.{unique_id}-title {{ font-size: 18px; font-weight: bold; font-family: system-ui, sans-serif; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" />
</clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""


def _colours(words: str) -> list[tuple[int, int, int]]:
    numbers = [bytes.fromhex(word) for word in words.split()]
    return [(red, green, blue) for red, green, blue in numbers]


COLUMN_WIDTH, TITLE_CHARACTER_WIDTH = 12.2, 10.5
"""Pixels of a column of the terminal, and of an average character of the title."""
BUTTONS_WIDTH = 200
"""Pixels that the title leaves free: the buttons on the left, and as much on the right."""

_THEME = TerminalTheme((15, 19, 24), (214, 218, 225), _colours(_DIM), _colours(_BRIGHT))


def write(recording: Recording) -> Iterable[Part]:
    """Draw the final screen of the terminal."""
    screen = _screen(recording)
    above = screen.history_size
    rows = [_row(screen, above + y) for y in range(screen.lines)]
    while len(rows) > 1 and not rows[-1].plain.strip():
        rows.pop()
    console = Console(
        record=True,
        width=screen.columns,
        file=io.StringIO(),
        force_terminal=True,
        legacy_windows=False,
        color_system="truecolor",
    )
    for row in rows:
        console.print(row, no_wrap=True, overflow="crop", crop=True)
    room = int((screen.columns * COLUMN_WIDTH - BUTTONS_WIDTH) / TITLE_CHARACTER_WIDTH)
    most = min(80, max(1, room - len(" …")))
    title = shortened(recording.summary.title or recording.started.task, most)
    drawn = console.export_svg(
        title=title, theme=_THEME, code_format=_FORMAT, unique_id="sandbox-tui"
    )
    return [Part(".svg", drawn.encode("utf-8", "replace"))]


def _screen(recording: Recording) -> Screen:
    """Return the screen of the mirror after the last event; if it is empty, as in a recording of
    a shell alone, that of the first terminal that is not."""
    screens: dict[str, Screen] = {}
    for event in recording.events_with_output:
        match event:
            case e.TerminalOpened(terminal=name, cols=cols, rows=rows) if name not in screens:
                screens[name] = Screen(min(cols, 400), min(rows, 400), 0)
            case e.TerminalOpened() | e.TerminalResized():
                size = min(event.cols, 400), min(event.rows, 400)
                screens.setdefault(event.terminal, Screen(80, 24, 0)).resize(*size)
            case e.TerminalOutput(terminal=name, data=data):
                screens.setdefault(name, Screen(80, 24, 0)).feed(data)
            case _:
                pass
    if not screens:
        raise RequestRefused(f"The session {recording.summary.id} has no terminal to draw.")
    in_order = sorted(screens, key=lambda name: name != MIRROR)
    return next(
        (screens[name] for name in in_order if not _is_blank(screens[name])), screens[in_order[0]]
    )


def _is_blank(screen: Screen) -> bool:
    return not any(screen.text(row).strip() for row in range(screen.lines))


def _row(screen: Screen, index: int) -> Text:
    row = Text()
    for text, look in screen.row(index):
        row.append(text, _style(look))
    return row


def _style(look: Attributes) -> str:
    """Return a style in Rich's notation."""
    flags = {
        "bold": look.bold,
        "italic": look.italics,
        "underline": look.underscore,
        "strike": look.strikethrough,
        "reverse": look.reverse,
        "dim": look.faint,
        "conceal": look.conceal,
    }
    words = [name for name, on in flags.items() if on]
    if look.fg != "default":
        words.append(_colour(look.fg))
    if look.bg != "default":
        words.append(f"on {_colour(look.bg)}")
    return " ".join(words)


def _colour(name: str) -> str:
    if re.fullmatch(r"[0-9a-f]{6}", name):
        return f"#{name}"
    name = name.replace("brown", "yellow")
    return f"bright_{name.removeprefix('bright')}" if name.startswith("bright") else name


EXPORTER = Exporter("svg", "a screenshot of the terminal at the end", ".svg", write)
