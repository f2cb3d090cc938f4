"""The text around the calls of a reply, and whether it makes a call a quotation."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sandbox_tui.core.models.tool_formats import quotation
from sandbox_tui.core.models.tool_formats.source import Block, PartialCall

_HEAD_CHARS = 200
_LEAD_CHARS = 400
_LINE_START = re.compile(r"[\s;,]*(?:(?:[-*+]|\d{1,3}[.)])\s+)?[\s;,]*")
_BLOCK_QUOTE = re.compile(r"\s{0,3}>")
_WORD = re.compile(r"\w")
_REMAINS = "\"'}]"  # what follows a call that ended at a quotation mark inside a string
_NOTHING = re.compile(r"[\s;,.*_`]*(?:</s>)?\s*")

FOLLOWED = (
    'something else follows it on its line; a quotation mark inside a string must be written as \\"'
)


@dataclass(slots=True, eq=False)
class Candidate:
    """Calls in the reply that may turn out to be quoted.

    Attributes:
        raw: their text.
        quoted: the place that makes them a quotation; empty if none does.
        ticks: length of the run of backticks that is open before them.
        closing: the quotation mark that would close the one right before them.
    """

    block: Block
    raw: str
    partial_calls: list[PartialCall]
    quoted: str = ""
    ticks: int = 0
    closing: str = ""


class Prose:
    """Tracks the lines and paragraphs around the calls.

    Attributes:
        made_up: the model has started to write other parties' turns.
    """

    def __init__(self) -> None:
        self.made_up = False
        self._line = ""  # its beginning
        self._last = ""  # the last character of the line
        self._on_line: list[Candidate] = []
        self._lead = ""  # the end of the paragraph's text since its last call
        self._after = ""  # the start of the text after the last call
        self._above = ""  # the line with a colon above the paragraph
        self._ticks = 0
        self._latest: Candidate | None = None  # the last calls, until more text follows
        self._comment = False
        self._unreadable = False
        self._pending: list[Candidate] = []

    def is_line_start(self) -> bool:
        """Return whether the line so far contains nothing but a list mark."""
        return bool(_LINE_START.fullmatch(self._line))

    def is_code(self) -> bool:
        """Return whether a run of backticks is open."""
        return self._ticks > 0

    def plain(self, text: str) -> None:
        """Process text without line breaks and backticks."""
        if self._pending and self._pending[-1].closing:
            last = self._pending[-1]
            if text[0] == last.closing:
                last.quoted = last.quoted or quotation.QUOTATION_MARKS
            last.closing = ""
        if self._latest is not None and text.strip():
            if text.lstrip()[0] in _REMAINS and not self._latest.quoted:
                self._latest.block.fault = self._latest.block.fault or FOLLOWED
            self._latest = None
        if self._comment and "-->" in self._lead[-2:] + text:
            self._comment = False
        self._line += text[: max(0, _HEAD_CHARS - len(self._line))]
        self._last = text[-1:]
        self._lead = (self._lead + text[-_LEAD_CHARS:])[-_LEAD_CHARS:]
        self._after += text[: max(0, _LEAD_CHARS - len(self._after))]

    def take_mark(self, family: str) -> None:
        """Process a mark of this family."""
        if self._latest is not None and self._latest.block.family != family:
            block = self._latest.block
            block.fault = block.fault or "a mark of another format follows it"

    def comment(self) -> None:
        """Process `<!--`."""
        self._comment = not self._ticks

    def ticks(self, count: int) -> None:
        """Process a run of backticks."""
        self.plain("`" * min(count, 3))
        if not self._ticks:
            self._ticks = count
        elif self._ticks == count:
            self._ticks = 0
            for candidate in self._pending:
                if candidate.ticks == count:
                    candidate.quoted = candidate.quoted or quotation.BACKTICKS

    def newline(self) -> None:
        """Process a line break."""
        self._end_line()
        if not self._line.strip() and not self._on_line:
            self.end_paragraph()
        self._line, self._last = "", ""
        self._on_line.clear()
        self._lead = f"{self._lead}\n"[-_LEAD_CHARS:] if self._lead.strip() else ""
        if self._after.strip() and len(self._after) < _LEAD_CHARS:
            self._after += "\n"

    def end_paragraph(self) -> None:
        """End the paragraph: later text does not refer to its calls."""
        self._end_line()
        if quotation.EXPLAINS.search(self._after):
            for candidate in self._pending:
                candidate.quoted = candidate.quoted or quotation.EXAMPLE
        text = self._lead.strip()
        if text:
            last_line = text.rpartition("\n")[2]
            self._above = last_line if last_line.rstrip("*_ ").endswith(":") else ""
        self._pending.clear()
        self._on_line.clear()
        self._lead = self._after = ""
        self._ticks = 0

    def block(self, candidate: Candidate) -> None:
        """Process calls found here."""
        candidate.quoted = self._quotation()
        candidate.ticks = self._ticks
        candidate.closing = quotation.QUOTES.get(self._last, "")
        self._end_line()
        self._unreadable = self._unreadable or bool(candidate.block.fault)
        self._pending.append(candidate)
        self._latest = candidate
        self._on_line.append(candidate)
        self._line, self._last = "", ""
        self._lead = self._after = ""

    def _end_line(self) -> None:
        """End the line: calls without a closing mark must be alone on their lines."""
        if _NOTHING.fullmatch(self._line):
            return
        for candidate in self._on_line:
            block = candidate.block
            if block.closed or block.fault:
                continue
            if block.marked or block.repaired_end or not _WORD.search(self._line):
                block.fault = FOLLOWED
            else:
                candidate.quoted = candidate.quoted or quotation.EXPLANATION

    def _quotation(self) -> str:
        if self.made_up:
            return quotation.MADE_UP
        if self._unreadable:
            return quotation.UNREADABLE
        if self._comment:
            return quotation.COMMENT
        if _BLOCK_QUOTE.match(self._line):
            return quotation.BLOCK_QUOTE
        lead = self._lead if self._lead.strip() or self._pending else self._above
        if quotation.INTRODUCES.search(lead):
            return quotation.EXAMPLE
        if self._pending and self._pending[-1].quoted == quotation.EXAMPLE:
            return quotation.EXAMPLE
        return ""
