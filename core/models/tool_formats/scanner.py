"""Finds the calls in a reply as it arrives, and divides the rest into text and reasoning."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Literal

from sandbox_tui.core.models.tool_formats import quotation, thinking
from sandbox_tui.core.models.tool_formats.families import harmony, json_block, pythonic
from sandbox_tui.core.models.tool_formats.prose import Candidate, Prose
from sandbox_tui.core.models.tool_formats.source import Block, Opener, Passage, Source, Step
from sandbox_tui.core.models.tool_formats.table import FAMILIES

Tell = Callable[[Literal["text", "reasoning"], str], None]
"""Receives each piece of text with its channel."""

OPENERS: Mapping[str, Opener] = {
    **{word: opener for family in FAMILIES.values() for word, opener in family.openers.items()},
    **dict.fromkeys(thinking.TAGS, thinking.read_tag),
}
MADE_UP = (
    *("<tool_response>", "<|tool_response>", "<tool_result>", "<function_results>"),
    *("[TOOL_RESULTS]", "<｜tool▁outputs▁begin｜>", "<｜tool▁output▁begin｜>"),
    *("<|im_end|>", "<|im_start|>", "<|eot_id|>", "<|eom_id|>", "<|eot|>", "<|end_of_text|>"),
    *(
        "<|start_header_id|>",
        "<|header_start|>",
        "<|endoftext|>",
        "<｜end▁of▁sentence｜>",
        "<｜User｜>",
        "<|observation|>",
        "<|user|>",
        "]~b]",
    ),
)
"""Words that end a model's turn or start another party's; anything after them is made up."""

STRAY = frozenset(word for family in FAMILIES.values() for word in family.closers)
_WORDS = (*OPENERS, *thinking.CLOSING, *MADE_UP, *STRAY, "<!--")
_FIRST = re.escape("".join(sorted({word[0] for word in _WORDS})))
_PLAIN = re.compile(rf"[^\n`~{{{_FIRST}]+")
_TICKS = {"`": re.compile("`+"), "~": re.compile("~+")}
_INFO = re.compile(r"[^\n`{\[<]+")
_REST_OF_LINE = re.compile(r"[^\n]+")
_INDENT = re.compile(r"[ \t]+")
_SPACE = re.compile(r"[\s;,]+")


class Scanner:
    """Reads a source to its end.

    Attributes:
        parts: the text and the calls, in order.
        reasoning: the reasoning.
        shown: contents of code fences without calls.
        stray: stray closing marks, which suggest that a call may have ended too early.
    """

    def __init__(self, source: Source, tell: Tell) -> None:
        self.parts: list[str | Candidate] = []
        self.reasoning: list[str] = []
        self.shown: list[str] = []
        self.thought_calls = False
        self.stray: set[str] = set()
        self._source = source
        self._emit = tell
        self._prose = Prose()

    def candidates(self) -> list[Candidate]:
        """Return the calls so far, including those that are only quoted."""
        return [part for part in self.parts if isinstance(part, Candidate)]

    def text(self, *, with_calls: bool = False) -> str:
        """Return the text, with all calls or only with the quoted ones."""
        return "".join(
            part if isinstance(part, str) else part.raw if with_calls or part.quoted else ""
            for part in self.parts
        )

    def run(self) -> Step[None]:
        """Read to the end."""
        source = self._source
        while True:
            yield from source.take_run(_PLAIN, self._add_plain)
            mark = yield from source.peek()
            if not mark:
                break
            if mark == "\n":
                source.take(1)
                self._add_newline()
            elif mark in _TICKS:
                yield from self._read_ticks(mark)
            elif mark in "{[" and self._prose.is_line_start() and not self._prose.is_code():
                yield from self._read_at_line_start(mark)
            else:
                yield from self._read_word()
        self._prose.end_paragraph()

    # --- what starts with a word

    def _read_word(self) -> Step[None]:
        source = self._source
        word = yield from source.begins(_WORDS)
        if word in thinking.TAGS and not self._prose.is_line_start():
            word = ""
        if not word:
            self._add_plain(source.take(1))
        elif word in OPENERS:
            source.mark()
            source.take(len(word))
            yield from self._read_opened(OPENERS[word](source, word), word)
        else:
            source.take(len(word))
            self._handle_word(word)

    def _handle_word(self, word: str) -> None:
        """Handle words that have a meaning but do not start a block."""
        if word in thinking.CLOSING:
            self._move_all_to_reasoning()
            return
        if word in MADE_UP:
            self._prose.end_paragraph()
            self._prose.made_up = True
        elif word in STRAY:
            self.stray.add(word)
        self._add_plain(word)
        if word == "<!--":
            self._prose.comment()

    def _read_at_line_start(self, mark: str) -> Step[None]:
        """Take JSON or a Pythonic list, if one starts here."""
        source = self._source
        if mark == "[" and (yield from source.begins(_WORDS)):
            yield from self._read_word()
            return
        source.mark()
        reader = json_block.read_object if mark == "{" else json_block.read_bracket
        yield from self._read_opened(reader(source))

    def _read_opened(self, reader: Step[Block | Passage | None], word: str = "") -> Step[None]:
        """Read a block or a passage; the source is marked at its start."""
        source = self._source
        before = len(source.partial_calls)
        found = yield from reader
        if isinstance(found, Block):
            self._add_block(found, before)
            return
        del source.partial_calls[before:]
        if isinstance(found, Passage):
            if self.parts and word in harmony.FAMILY.openers:
                self._prose.take_mark(harmony.NAME)
            yield from self._read_passage(found)
            return
        self._add_text(source.taken() or source.take(1))

    def _add_block(self, block: Block, before: int) -> None:
        """Add the calls of a block, with their text and partial calls."""
        source = self._source
        for partial in source.partial_calls[before:]:
            partial.is_complete = True
        candidate = Candidate(block, source.taken(), source.partial_calls[before:])
        self.parts.append(candidate)
        self._prose.block(candidate)

    def _read_passage(self, passage: Passage) -> Step[None]:
        self._prose.end_paragraph()
        if passage.kind == "invented":
            self._prose.made_up = True
        if not passage.until:
            return
        words = (*passage.until, *passage.left)
        run = re.compile(f"[^{re.escape(''.join({word[0] for word in words}))}]+")
        say = self._add_reasoning if passage.kind == "reasoning" else self._add_text
        while True:
            yield from self._source.take_run(run, say)
            word = yield from self._source.begins(words)
            if word or not (yield from self._source.peek()):
                break
            say(self._source.take(1))
        if word in passage.until:
            self._source.take(len(word))

    # --- code fences and backticks

    def _read_ticks(self, mark: str) -> Step[None]:
        """Take a run of backticks or tildes: a code fence, or a mark in the text."""
        source = self._source
        at_start = self._prose.is_line_start()
        source.mark()
        run = yield from source.take_run(_TICKS[mark])
        if len(run) < 3 or not at_start:
            self._add_ticks(run)
            return
        info = yield from source.take_run(_INFO)
        ahead = yield from source.peek()
        if ahead == "`":
            self._add_ticks(run)
            self._add_text(info)
            return
        language = info.strip().lower()
        if ahead == "\n" or language in quotation.CALL_LANGUAGES:
            language = language.split()[0] if language else ""
            yield from self._read_fence(run, language)
        else:
            yield from source.take_run(_REST_OF_LINE)
            yield from self._take_code(run)
            self._add_code(source.taken())

    def _read_fence(self, run: str, language: str) -> Step[None]:
        """Take a fence's content: calls, or code."""
        source = self._source
        before = len(source.partial_calls)
        found: Block | None = None
        closed = False
        source.fence = language
        while language in quotation.CALL_LANGUAGES and not closed:
            yield from source.take_run(_SPACE)
            closed = bool((yield from source.take_word(run)))
            if closed or not (yield from source.peek()):
                break
            block = yield from self._read_call_in_fence(language)
            if block is None:
                found = None
                break
            found = block if found is None else found.joined(block)
            if block.fault:
                break
        source.fence = None
        if found is not None:
            found.marked = found.closed = True
            self._add_block(found, before)
            return
        del source.partial_calls[before:]
        if not closed:
            yield from self._take_code(run)
        self._add_code(source.taken())

    def _read_call_in_fence(self, language: str) -> Step[Block | None]:
        source = self._source
        mark = yield from source.peek()
        word = yield from source.begins(_WORDS)
        found: Block | Passage | None = None
        if word in OPENERS:
            source.take(len(word))
            found = yield from OPENERS[word](source, word)
        elif mark == "{":
            found = yield from json_block.read_object(source)
        elif mark == "[":
            found = yield from json_block.read_bracket(source)
        elif language == quotation.CODE_LANGUAGE:
            found = yield from pythonic.read_call(source)
        return found if isinstance(found, Block) else None

    def _take_code(self, run: str) -> Step[None]:
        """Take the rest of a fence without calls, including its closing line."""
        source = self._source
        while True:
            if source.is_at_new_line():
                ticks = yield from source.take_run(_TICKS[run[0]])
                if len(ticks) >= len(run):
                    rest = yield from source.take_run(_REST_OF_LINE)
                    if not rest.strip():
                        return
            yield from source.take_run(_REST_OF_LINE)
            if not (yield from source.peek()):
                return
            source.take(1)
            yield from source.take_run(_INDENT)

    # --- output

    def _add_text(self, text: str) -> None:
        """Add text that may contain line breaks and backticks."""
        for part in re.split("(\n|`+)", text):
            if part == "\n":
                self._add_newline()
            elif part.startswith("`"):
                self._add_ticks(part)
            elif part:
                self._add_plain(part)

    def _add_plain(self, text: str) -> None:
        self._prose.plain(text)
        self._emit_text(text)

    def _add_newline(self) -> None:
        self._prose.newline()
        self._emit_text("\n")

    def _add_ticks(self, run: str) -> None:
        if run[0] == "`":
            self._prose.ticks(len(run))
        else:
            self._prose.plain(run)
        self._emit_text(run)

    def _add_code(self, text: str) -> None:
        """Add a fence without calls: its text does not refer to the calls around it."""
        self.shown.append(text)
        self._prose.end_paragraph()
        self._emit_text(text)

    def _emit_text(self, text: str) -> None:
        self.parts.append(text)
        self._emit("text", text)

    def _add_reasoning(self, text: str) -> None:
        self.reasoning.append(text)
        self._emit("reasoning", text)

    def _move_all_to_reasoning(self) -> None:
        """Handle the end of reasoning that was never opened: everything so far belongs to it."""
        self.thought_calls = self.thought_calls or bool(self.candidates())
        self.reasoning.append(self.text(with_calls=True))
        self.parts.clear()
        self.shown.clear()
        self._source.partial_calls.clear()
        self._prose = Prose()
