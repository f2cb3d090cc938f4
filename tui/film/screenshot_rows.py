"""Splits a screenshot into rows of SVG.

Rich draws a screen as one SVG whose classes and clip paths are numbered within that screenshot.
Here, the styles are written into each row, and each row has its own coordinates starting at 0, so
that rows of different screenshots that look the same are the same text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

LINE_HEIGHT = 24.4
"""Height of a row in the units of Rich's SVG (rich.console.Console.export_svg)."""

_RULE = re.compile(r"\.terminal-\d+-(r\d+) \{ ([^}]*?);?\s*\}")
_VIEW_BOX = re.compile(r'viewBox="0 0 ([\d.]+) ([\d.]+)"')
_CHROME = re.compile(
    r'<rect fill="[^"]*" stroke=.*?(?=<g transform="translate\(9, 41\)")', re.DOTALL
)
_RECT = re.compile(
    r'<rect fill="(?P<fill>[^"]+)" x="(?P<x>[\d.]+)" y="(?P<y>[\d.]+)" width="(?P<width>[\d.]+)" '
    r'height="[\d.]+" shape-rendering="crispEdges"/>'
)
_TEXT = re.compile(
    r'<text class="terminal-\d+-(?P<look>r\d+)" x="(?P<x>[\d.]+)" y="[\d.]+" '
    r'textLength="(?P<length>[\d.]+)" clip-path="url\(#terminal-\d+-line-(?P<row>\d+)\)">'
    r"(?P<words>.*?)</text>",
    re.DOTALL,
)
_TITLE_CLASS = re.compile(r'class="terminal-\d+-title"')


@dataclass(frozen=True, slots=True)
class ScreenshotRows:
    """A screenshot, split into its parts.

    Attributes:
        width, height: of the whole screenshot, in its units.
        frame: the window around the rows.
        rows: the backgrounds and text of each row.
    """

    width: float
    height: float
    frame: str
    rows: tuple[str, ...]


def screenshot_rows(drawn: str) -> ScreenshotRows:
    """Split a screenshot into its parts.

    Args:
        drawn: the output of `App.export_screenshot`.
    """
    looks: dict[str, str] = dict(_RULE.findall(drawn))
    rows: dict[int, list[str]] = {}
    for number, each in _backgrounds(drawn):
        rows.setdefault(number, []).append(each)
    for match in _TEXT.finditer(drawn):
        rows.setdefault(int(match["row"]), []).append(_text(match, looks[match["look"]]))
    size = _VIEW_BOX.search(drawn)
    chrome = _CHROME.search(drawn)
    if size is None or chrome is None:
        raise ValueError("This is not a screenshot.")
    frame = _TITLE_CLASS.sub('class="title"', chrome[0]).strip()
    ordered = tuple("".join(rows.get(number, ())) for number in range(max(rows, default=-1) + 1))
    return ScreenshotRows(float(size[1]), float(size[2]), frame, ordered)


def _backgrounds(drawn: str) -> list[tuple[int, str]]:
    """Return the row and SVG of each background; adjacent ones of one colour are merged."""
    spans: list[tuple[int, str, float, float]] = []
    for match in _RECT.finditer(drawn):
        row = int(float(match["y"]) / LINE_HEIGHT)
        start, end = float(match["x"]), float(match["x"]) + float(match["width"])
        if spans and spans[-1][:2] == (row, match["fill"]) and abs(spans[-1][3] - start) < 0.1:
            start = spans.pop()[2]
        spans.append((row, match["fill"], start, end))
    return [
        (row, f'<rect fill="{fill}" x="{start:g}" width="{end - start:g}" height="24.65"/>')
        for row, fill, start, end in spans
    ]


def _text(match: re.Match[str], look: str) -> str:
    """Return the text of one style; its length is fixed, since fonts differ in width."""
    words = match["words"].replace("&#160;", "\N{NO-BREAK SPACE}")  # a third as long
    if not words.strip():
        return ""
    style = look.replace("fill: ", "fill:").replace(": ", ":")
    return (
        f'<text style="{style}" x="{match["x"]}" y="18.5" textLength="{match["length"]}">'
        f"{words}</text>"
    )
