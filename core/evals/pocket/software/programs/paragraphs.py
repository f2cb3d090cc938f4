"""Lays out plain text.

layout(text, width) returns a list of lines:

- Paragraphs are separated by one or more blank lines in the text, and by one empty line in the
  result. Within a paragraph every run of spaces and line ends separates words.
- Every line takes as many words as fit into width characters with one space between them. The first
  line of each paragraph begins with INDENT spaces, which count.
- A word that is too long for a line of its own begins a new line all the same (but not a new one
  at the beginning of a paragraph) and is cut: the line takes as much of it as fits, the next line
  goes on with it; after its last piece, words follow as on any line.

centred(lines, width) puts as many spaces before each line that is not empty as are needed to centre
it; where they cannot be split evenly, the smaller half goes before the line. Longer lines stay.
"""

from __future__ import annotations

INDENT = 2


def layout(text: str, width: int) -> list[str]:
    lines: list[str] = []
    paragraph: list[str] = []
    for line in [*text.splitlines(), ""]:
        if line.strip():
            paragraph += line.split()
        elif paragraph:
            if lines:
                lines.append("")
            lines += _filled(paragraph, width)
            paragraph = []
    return lines


def _filled(words: list[str], width: int) -> list[str]:
    lines: list[str] = []
    line, empty = " " * INDENT, True
    for word in words:
        if not empty and len(line) + 1 + len(word) > width:
            lines.append(line)
            line, empty = "", True
        rest = word
        while empty and len(line) + len(rest) > width:
            cut = width - len(line)
            lines.append(line + rest[:cut])
            line, rest = "", rest[cut:]
        line += rest if empty else " " + rest
        empty = False
    return [*lines, line]


def centred(lines: list[str], width: int) -> list[str]:
    return [" " * ((width - len(line)) // 2) + line if line else "" for line in lines]
