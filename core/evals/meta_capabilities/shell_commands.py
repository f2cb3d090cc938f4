"""Splits a bash command into its simple commands, for the statistics of a report.

The policy's parser only accepts commands that it can parse with certainty, because deny rules must
not guess. Statistics may guess: a command that the parser rejects is simplified first (arithmetic,
here documents with expansions) and, as a last resort, split at its operators, respecting quotes.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sandbox_tui.core.policy.bash_parser import (
    MAX_COMMAND_CHARS,
    Ambiguous,
    SimpleCommand,
    Word,
    parse_command,
)

ARITHMETIC = "let"
"""Command name that stands for shell arithmetic."""

_READS = re.compile(r"\d*(<|<<|<<-|<<<|<&)")
_HERE_DOCUMENT = re.compile(r"(<<-?\s*)(\\?)([A-Za-z_]\w*)(?=[\s;|&>)]|\Z)")
_HERE_END = re.compile(r"<<-?\s*(['\"\\]?)([A-Za-z_]\w*)")
_EXPANSION = re.compile(r"\$\{[^{}]*\}")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_OPERATOR = re.compile(r"[;&|()\n]+")
_KEYWORDS = frozenset(
    {"!", "if", "then", "elif", "else", "do", "while", "until", "{", "}", "fi", "done", "esac"}
    | {"case", "in", "for", "select"}
)
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=")


@dataclass(frozen=True, slots=True)
class Command:
    """A simple command.

    Attributes:
        words: the words without quotes; the first is the program.
        reads: input file, if any.
        writes: files that redirections write; those after a loop belong to its last command.
        document: here document or here string; None if there is none.
    """

    words: tuple[str, ...]
    reads: str = ""
    writes: tuple[str, ...] = ()
    document: str | None = None


def commands_of(command: str) -> list[Command]:
    """Return the simple commands of a bash command; none if it cannot be parsed at all or is longer
    than `MAX_COMMAND_CHARS`."""
    if len(command) > MAX_COMMAND_CHARS:
        return []
    for reading in (command, _simplified(command)):
        try:
            parts = parse_command(reading)
        except Ambiguous:
            continue
        found = list(_with_documents(_joined(parts), _documents(reading)))
        return [*found, *_arithmetic(command)] if reading is not command else found
    return [*_split(_simplified(command)), *_arithmetic(command)]


@dataclass(slots=True)
class _Part:
    words: tuple[str, ...]
    reads: str
    writes: tuple[str, ...]
    sign: str
    read_word: str


def _joined(parts: Sequence[SimpleCommand]) -> Iterator[_Part]:
    """Pair commands with the files that they write, which the parser reports just before them."""
    writes: tuple[str, ...] = ()
    for part in parts:
        if part.writes:
            writes = (*writes, part.words[1].plain)
            continue
        words, sign, target = _without_reads(part.words)
        reads = target if sign.endswith("<") and "<<" not in sign else ""
        yield _Part(words, reads, writes, sign, target)
        writes = ()
    if writes:
        yield _Part((), "", writes, "", "")


def _without_reads(words: Sequence[Word]) -> tuple[tuple[str, ...], str, str]:
    """Return the words without assignments, the last operator that redirects input, and its
    target."""
    kept: list[str] = []
    sign = target = ""
    at = 0
    while at < len(words):
        word = words[at]
        if _READS.fullmatch(word.raw) and at + 1 < len(words):
            sign, target = word.raw, words[at + 1].plain
            at += 2
            continue
        if kept or not word.assigns:
            kept.append(word.plain)
        at += 1
    return tuple(kept), sign, target


def _with_documents(parts: Iterator[_Part], documents: Iterator[str]) -> Iterator[Command]:
    for part in parts:
        document = None
        if "<<<" in part.sign:
            document = part.read_word
        elif "<<" in part.sign:
            document = next(documents, None)
        yield Command(part.words, part.reads, part.writes, document)


def _documents(command: str) -> Iterator[str]:
    """Yield the bodies of the here documents in a command, in order."""
    lines = command.split("\n")
    known = {line.lstrip("\t") for line in lines}
    at = 0
    while at < len(lines):
        ends = [match[2] for match in _HERE_END.finditer(lines[at]) if match[2] in known]
        at += 1
        for end in ends:
            body: list[str] = []
            start = at
            while at < len(lines) and lines[at].lstrip("\t") != end:
                body.append(lines[at])
                at += 1
            if at == len(lines):  # not a here document after all
                at = start
                continue
            at += 1
            yield "\n".join(body)


def _simplified(command: str) -> str:
    """Replace syntax that the parser rejects, where that changes no program's name."""
    text = _CONTROL.sub(" ", command.replace("\r\n", "\n").replace("\\\n", ""))
    text = _HERE_DOCUMENT.sub(r"\1'\3'", text)
    return _EXPANSION.sub("$x", _without_arithmetic(text)).replace("[[ ", "[ ").replace(" ]]", " ]")


def _without_arithmetic(text: str) -> str:
    made: list[str] = []
    at = 0
    for begin, end in _arithmetic_places(text):
        made += (text[at:begin], "0" if text[begin] == "$" else "true")
        at = end
    return "".join((*made, text[at:]))


def _arithmetic(command: str) -> Iterator[Command]:
    for begin, end in _arithmetic_places(command):
        yield Command((ARITHMETIC, command[begin:end]))


def _arithmetic_places(text: str) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each `$((...))` and `((...))` outside single quotes and here
    documents."""
    bodies = [body for body in _documents(text) if body]
    at = 0
    while at < len(text):
        body = next((body for body in bodies if text.startswith(body, at)), None)
        if body is not None and text[at - 1 : at] == "\n":
            at += len(body)
        elif text[at] == "'":
            close = text.find("'", at + 1)
            at = len(text) if close < 0 else close + 1
        elif text[at] == "\\":
            at += 2
        elif text.startswith("((", at):
            end = _closing(text, at)
            if end is None:
                return
            yield at - (text[at - 1 : at] == "$"), end
            at = end
        else:
            at += 1


def _closing(text: str, at: int) -> int | None:
    depth = 0
    for place in range(at, len(text)):
        depth += {"(": 1, ")": -1}.get(text[place], 0)
        if depth == 0:
            return place + 1
    return None


def _split(command: str) -> Iterator[Command]:
    """Split a command at its operators only."""
    lexer = shlex.shlex(_without_documents(command), posix=True, punctuation_chars=";&|()<>\n")
    lexer.whitespace = " \t\r"
    lexer.whitespace_split = True
    lexer.commenters = ""
    words: list[str] = []
    comment = False
    try:
        for token in lexer:
            if _OPERATOR.fullmatch(token):
                yield from _rough_command(words)
                words, comment = [], comment and "\n" not in token
            elif not comment:
                comment = token.startswith("#")
                words += [] if comment else [token]
    except ValueError:  # unclosed quote: bash would not run it
        return
    yield from _rough_command(words)


def _rough_command(words: Sequence[str]) -> Iterator[Command]:
    kept: list[str] = []
    writes: list[str] = []
    tokens = iter(words)
    for token in tokens:
        if set(token) <= set("<>&|"):  # a redirection
            target = next(tokens, "")
            writes += [target] if ">" in token and not target.isdigit() else []
            if kept and kept[-1].isdigit():
                kept.pop()
        elif kept or not (token in _KEYWORDS or _ASSIGNMENT.match(token)):
            kept.append(token)
    if kept or writes:
        yield Command(tuple(kept), "", tuple(filter(None, writes)))


def _without_documents(command: str) -> str:
    for body in _documents(command):
        command = command.replace(f"\n{body}\n", "\n", 1) if body else command
    return command
