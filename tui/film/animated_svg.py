"""An SVG animation: the frames form a strip that moves behind a window.

CSS moves the strip (CSS Animations Level 1, `step-end`), so that the film also plays in an <img>,
where scripts do not run. A row that looks the same in several frames is stored once, and so is a
part of a row that looks the same in several rows: most rows change only in one pane. Without the
animation, the window shows the last frame: viewers that do not play it show the end as a picture.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from sandbox_tui.tui.film.screenshot_rows import LINE_HEIGHT, ScreenshotRows

_PART_WIDTH = 244.0
"""Width of the parts of a row, in the units of the SVG: 20 columns make the smallest films."""

_PIECE = re.compile(r'<(?:rect|text) [^>]*?\bx="(?P<x>[\d.]+)"[^>]*?(?:/>|>.*?</text>)', re.DOTALL)

_FILE = """\
<svg viewBox="0 0 {width:g} {height:g}" xmlns="http://www.w3.org/2000/svg">
<style>
text {{ font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; \
font-size: 20px; white-space: pre; }}
.title {{ font: bold 18px system-ui, sans-serif; }}
.strip {{ animation: film {seconds:g}s step-end infinite; }}
@keyframes film {{
{steps}
}}
@media (prefers-reduced-motion: reduce) {{ .strip {{ animation: none; }} }}
</style>
<defs>
<clipPath id="window"><rect width="{inner_width:g}" height="{inner_height:g}"/></clipPath>
{rows}
</defs>
{frame}
<g transform="translate(9, 41)" clip-path="url(#window)"><g class="strip" \
transform="translate({last:g})">
{frames}
</g></g>
</svg>
"""


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame of a film.

    Attributes:
        screen: the screenshot.
        seconds: how long it is shown.
    """

    screen: ScreenshotRows
    seconds: float


def animated_svg(frames: Sequence[Frame]) -> bytes:
    """Return all frames in an endless loop; users who prefer reduced motion, and viewers that play
    no animation, see only the last one.

    Args:
        frames: at least one; all of one size.
    """
    frames = _without_repeats(frames)
    first = frames[0].screen
    names: dict[str, str] = {}
    strip = [
        f'<g transform="translate({place * first.width:g})">{_uses(each.screen, names)}</g>'
        for place, each in enumerate(frames)
    ]
    return _FILE.format(
        width=first.width,
        height=first.height,
        seconds=sum(each.seconds for each in frames),
        steps=_steps(frames),
        last=-(len(frames) - 1) * first.width,
        inner_width=first.width - 18,
        inner_height=len(first.rows) * LINE_HEIGHT + 2,
        rows="\n".join(_definitions(names)),
        frame=first.frame,
        frames="\n".join(strip),
    ).encode("utf-8", "replace")


def _without_repeats(frames: Sequence[Frame]) -> list[Frame]:
    """Return the frames with those in a row that look the same as one."""
    kept: list[Frame] = []
    for each in frames:
        if kept and kept[-1].screen == each.screen:
            kept[-1] = replace(kept[-1], seconds=kept[-1].seconds + each.seconds)
        else:
            kept.append(each)
    return kept


def _definitions(names: dict[str, str]) -> Iterable[str]:
    """Yield the definition of each row, by its name, after those of the parts that several rows
    have."""
    rows = {name: _parts(row) for row, name in names.items()}
    counts = Counter(part for parts in rows.values() for part in parts)
    shared = {part: f"p{n}" for n, part in enumerate(p for p in counts if counts[p] > 1)}
    for part, name in shared.items():
        yield f'<g id="{name}">{part}</g>'
    for name, parts in rows.items():
        drawn = (f'<use href="#{shared[p]}"/>' if p in shared else p for p in parts)
        yield f'<g id="{name}">{"".join(drawn)}</g>'


def _parts(row: str) -> list[str]:
    """Return the backgrounds and text of a row in parts, from left to right."""
    pieces = sorted(_PIECE.finditer(row), key=_column)
    return ["".join(piece[0] for piece in part) for _, part in groupby(pieces, _column)]


def _column(piece: re.Match[str]) -> int:
    """Return the part of a row in which a piece begins."""
    return int(float(piece["x"]) / _PART_WIDTH)


def _uses(screen: ScreenshotRows, names: dict[str, str]) -> str:
    """Return references to the rows of a frame; new rows get a name."""
    uses: list[str] = []
    for number, row in enumerate(screen.rows):
        if row:
            name = names.setdefault(row, f"r{len(names)}")
            uses.append(f'<use href="#{name}" y="{number * LINE_HEIGHT + 1.5:g}"/>')
    return "".join(uses)


def _steps(frames: Sequence[Frame]) -> str:
    """Return the keyframes of the animation: the offset of the strip at each time."""
    total = sum(each.seconds for each in frames)
    lines: list[str] = []
    start = 0.0
    for place, each in enumerate(frames):
        offset = -place * each.screen.width
        lines.append(f"{100 * start / total:.3f}% {{ transform: translateX({offset:g}px); }}")
        start += each.seconds
    return "\n".join(lines)
