"""Splits a bash command into the simple commands that it may run.

`a && b; c $(d) | e >f` runs a, b, c, d and e and writes f; a rule must check every one of them. The
parser covers the part of bash's grammar (bash manual, "Shell Grammar") that can be parsed reliably,
and raises `Ambiguous` for the rest: a case, a function, arithmetic, an array, a here document with
expansions. It never guesses: a command runs nothing but what it returns.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass, field

MAX_COMMAND_CHARS = 100_000
"""Maximum length of a command that is parsed; longer ones are ambiguous."""

_CONTROL = re.compile(r"[\x01-\x08\x0b-\x1f\x7f]")
_JOINED = re.compile(r"(?<![ \t])\\\n")
_BRACED = re.compile(
    r"\$\{#?[A-Za-z_]\w*(?:\[[@*]\])?(?:(?::?[-+?]|%%?|##?|//?)[\w.,/*: +-]*)?\}", re.ASCII
)
_VARIABLE = re.compile(r"\$(?:[A-Za-z_]\w*|[0-9@*#?!$-])", re.ASCII)
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=", re.ASCII)
_ELEMENT = re.compile(r"[A-Za-z_]\w*\[", re.ASCII)
_READS = re.compile(r"\d*(?:<|<<|<<-|<<<|<&)")
_REDIRECTION = re.compile(r"&>>|&>|<<<|<<-|<<|<>|>>|>\||>&|<&|>|<")

_OPENING = frozenset({"if", "then", "elif", "else", "do", "while", "until", "!", "{"})
_CLOSING = frozenset({"fi", "done", "}"})
_DOUBTFUL = frozenset({"case", "esac", "select", "function", "coproc", "[[", "in"})
_HARMLESS = frozenset({"/dev/null", "/dev/stdout", "/dev/stderr"})
_ENDS = frozenset(" \t\n;&|()<>")


class Ambiguous(ValueError):
    """A command that cannot be parsed reliably; the message says why."""


@dataclass(frozen=True, slots=True)
class Word:
    """One word.

    Attributes:
        raw: as written.
        plain: without quotes.
        literal: whether the command receives exactly `plain`, without any expansion.
    """

    raw: str
    plain: str
    literal: bool

    @property
    def assigns(self) -> bool:
        """Whether it is a variable assignment before a command."""
        return _ASSIGNMENT.match(self.raw) is not None


@dataclass(frozen=True, slots=True)
class SimpleCommand:
    """A simple command, or a file written by a redirection (its words are `>` and the file)."""

    words: tuple[Word, ...]
    writes: bool = False

    @property
    def text(self) -> str:
        """Its words as written, separated by single spaces."""
        return " ".join(word.raw for word in self.words)

    @property
    def plain(self) -> str:
        """Its words without quotes."""
        return " ".join(word.plain for word in self.words)

    @property
    def named(self) -> bool:
        """Whether the command that it runs is known."""
        name = next((word for word in self.words if not word.assigns), None)
        if name is None or name.raw == "[":
            return True
        return name.literal and not set(name.raw) & set("*?[{~")


def parse_command(command: str) -> list[SimpleCommand]:
    """Return all simple commands and written files of `command`, in no particular order.

    Raises:
        Ambiguous: part of it cannot be parsed reliably.
    """
    if len(command) > MAX_COMMAND_CHARS:
        raise Ambiguous("it is very long")
    if _CONTROL.search(command):
        raise Ambiguous("it holds control characters")
    if _JOINED.search(command):
        raise Ambiguous("a line is continued in the middle of a word")
    reader = _Reader(command)
    try:
        reader.commands("")
    except RecursionError:
        raise Ambiguous("it is nested too deeply") from None
    return reader.parts


def parse_named(command: str) -> list[SimpleCommand]:
    """Parse a command like `parse_command`, and require that all of its programs are known.

    Raises:
        Ambiguous: part of it cannot be parsed reliably, or a program is unknown.
    """
    parts = parse_command(command)
    if not all(part.named for part in parts):
        raise Ambiguous("the program it runs is not known in advance")
    return parts


@dataclass(slots=True)
class _HereDocument:
    end: str
    tabs: bool
    quoted: bool


@dataclass(slots=True)
class _Reader:
    text: str
    at: int = 0
    parts: list[SimpleCommand] = field(default_factory=list[SimpleCommand])
    waiting: list[_HereDocument] = field(default_factory=list[_HereDocument])

    def commands(self, closer: str) -> None:
        """Parse commands up to and including `closer`, or to the end."""
        if self.waiting:
            raise Ambiguous("something is nested next to a here document")
        words: list[Word] = []
        while True:
            self._skip_blanks()
            char = self._peek()
            if char == "" or char == ")":
                if char != closer or self.waiting:
                    raise Ambiguous("something is not closed" if char == "" else "a lone )")
                self._finish(words)
                self.at += len(char)
                return
            if char == "#":
                self._skip_comment()
            elif char == "\n":
                self._finish(words)
                self.at += 1
                self._skip_here_documents()
            elif char == "(":
                self._subshell(words)
            elif self._is_redirection():
                self._redirection(words, "")
            elif char in ";&|":
                self._finish(words)
                self._operator()
            else:
                self._word_or_descriptor(words)

    # --- between words

    def _peek(self, ahead: int = 0) -> str:
        at = self.at + ahead
        return self.text[at : at + 1]

    def _skip_blanks(self) -> None:
        while self._peek() in (" ", "\t") or self.text.startswith("\\\n", self.at):
            self.at += 2 if self._peek() == "\\" else 1

    def _skip_comment(self) -> None:
        end = self.text.find("\n", self.at)
        self.at = len(self.text) if end < 0 else end

    def _operator(self) -> None:
        for operator in ("&&", "||", "|&", ";;", ";&", ";", "&", "|"):
            if self.text.startswith(operator, self.at):
                if operator in (";;", ";&"):
                    raise Ambiguous("it contains a case statement")
                self.at += len(operator)
                return

    def _subshell(self, words: list[Word]) -> None:
        if any(word.raw not in _OPENING for word in words):
            raise Ambiguous("it holds a function, an array or a pattern in parentheses")
        if self._peek(1) == "(" or self.text[self.at - 1 : self.at] == "!":
            raise Ambiguous("it holds arithmetic or a pattern")
        words.clear()
        self.at += 1
        self.commands(")")

    def _finish(self, words: list[Word]) -> None:
        """End the command that started after the last operator."""
        while words and words[0].raw in _OPENING | _CLOSING:
            words.pop(0)
        read_first = 0
        while read_first < len(words) and _READS.fullmatch(words[read_first].raw):
            read_first += 2
        words[:] = words[read_first:] + words[:read_first]
        if len(words) == read_first:
            words.clear()
            return
        first = words[0].raw
        if first in _DOUBTFUL:
            raise Ambiguous(f"it holds “{first}”")
        if first == "for":
            if len(words) > 2 and words[2].raw != "in":
                raise Ambiguous("it holds an unusual loop")
        else:
            self.parts.append(SimpleCommand(tuple(words)))
        words.clear()

    # --- redirections

    def _is_redirection(self) -> bool:
        if self._peek() in ("<", ">"):
            return self._peek(1) != "("  # <( starts a word
        return self.text.startswith("&>", self.at)

    def _redirection(self, words: list[Word], descriptor: str) -> None:
        match = _REDIRECTION.match(self.text, self.at)
        if match is None:
            raise Ambiguous("a redirection cannot be read")
        sign = match[0]
        self.at = match.end()
        self._skip_blanks()
        target = self._word()
        if not target.raw:
            raise Ambiguous("a redirection has no target")
        if sign in ("<<", "<<-"):
            quoted = bool(set(target.raw) & set("'\"\\"))
            if not target.literal:
                raise Ambiguous("a here document has an unusual delimiter")
            self.waiting.append(_HereDocument(target.plain, sign == "<<-", quoted))
        if sign in (">&", "<&") and re.fullmatch(r"\d+-?|-", target.raw):
            return
        if sign in ("<", "<<", "<<-", "<<<", "<&"):
            words.append(Word(f"{descriptor}{sign}", f"{descriptor}{sign}", True))
            words.append(target)
        elif not (target.literal and target.plain in _HARMLESS):
            self.parts.append(
                SimpleCommand((Word(">", ">", True), _normalized(target)), writes=True)
            )

    def _skip_here_documents(self) -> None:
        """Skip the bodies of here documents, which start after the line that names them."""
        for document in self.waiting:
            body: list[str] = []
            while True:
                if self.at >= len(self.text):
                    raise Ambiguous("a here document has no end")
                end = self.text.find("\n", self.at)
                end = len(self.text) if end < 0 else end
                line = self.text[self.at : end]
                self.at = min(end + 1, len(self.text))
                if (line.lstrip("\t") if document.tabs else line) == document.end:
                    break
                body.append(line)
            if not document.quoted and set("\n".join(body)) & set("`\\$"):
                raise Ambiguous("a here document holds expansions")
        self.waiting.clear()

    # --- words

    def _word_or_descriptor(self, words: list[Word]) -> None:
        word = self._word()
        if re.fullmatch(r"\d+|\{\w+\}", word.raw) and self._is_redirection():
            if word.raw.startswith("{") or self._peek() == "&":
                raise Ambiguous("a redirection cannot be read")
            self._redirection(words, word.raw)
            return
        if _ELEMENT.match(word.raw) and "=" in word.raw:
            raise Ambiguous("it sets an element of an array")
        words.append(word)

    def _word(self) -> Word:
        """Return a word, with the commands inside it."""
        begin, plain, literal = self.at, "", True
        while True:
            char = self._peek()
            if char == "" or (char in _ENDS and not self._is_substitution()):
                return Word(self.text[begin : self.at], plain, literal)
            if char == "\\":
                plain += self._escaped()
            elif char == "'":
                plain += self._single_quoted()
            elif char == '"':
                inner, inner_literal = self._double_quoted()
                plain, literal = plain + inner, literal and inner_literal
            elif char in "$`<>":
                before = self.at
                literal = self._expansion() and literal
                plain += self.text[before : self.at]
            else:
                plain += char
                self.at += 1

    def _is_substitution(self) -> bool:
        return self._peek() in ("<", ">") and self._peek(1) == "("

    def _escaped(self) -> str:
        char = self._peek(1)
        self.at += 2 if char else 1
        return "" if char == "\n" else char or "\\"

    def _single_quoted(self) -> str:
        end = self.text.find("'", self.at + 1)
        if end < 0:
            raise Ambiguous("a quote is not closed")
        inner, self.at = self.text[self.at + 1 : end], end + 1
        return inner

    def _double_quoted(self) -> tuple[str, bool]:
        self.at += 1
        plain, literal = "", True
        while (char := self._peek()) != '"':
            if char == "":
                raise Ambiguous("a quote is not closed")
            if char == "\\" and self._peek(1) in set('$`"\\\n'):
                plain += self._escaped()
            elif char in "$`":
                before = self.at
                literal = self._expansion(quoted=True) and literal
                plain += self.text[before : self.at]
            else:
                plain += char
                self.at += 1
        self.at += 1
        return plain, literal

    def _expansion(self, *, quoted: bool = False) -> bool:
        """Parse an expansion that starts with $, ` or <(; True for a literal dollar sign."""
        text = self.text
        if text.startswith(("$((", "$["), self.at):
            raise Ambiguous("it holds arithmetic")
        if text.startswith(("$(", "<(", ">("), self.at):
            self.at += 2
            self.commands(")")
        elif text.startswith("`", self.at):
            self._backquoted()
        elif not quoted and text.startswith("$'", self.at):
            self._ansi_quoted()
        elif not quoted and text.startswith('$"', self.at):
            raise Ambiguous("it holds a translated string")
        elif match := (_BRACED.match(text, self.at) or _VARIABLE.match(text, self.at)):
            self.at = match.end()
        elif text.startswith("${", self.at):
            raise Ambiguous("it holds a complex expansion")
        else:
            self.at += 1
            return True
        return False

    def _backquoted(self) -> None:
        end = self.text.find("`", self.at + 1)
        inner = self.text[self.at + 1 : end]
        if end < 0 or "\\" in inner:
            raise Ambiguous("a back quote holds quotes")
        if self.waiting:
            raise Ambiguous("something is nested next to a here document")
        nested = _Reader(inner)
        nested.commands("")
        self.parts += nested.parts
        self.at = end + 1

    def _ansi_quoted(self) -> None:
        self.at += 2
        while (char := self._peek()) != "'":
            if char == "":
                raise Ambiguous("a quote is not closed")
            self.at += 2 if char == "\\" else 1
        self.at += 1


def _normalized(target: Word) -> Word:
    """Normalize the name of a written file, so that /a/../b does not match /a/*."""
    if not target.literal:
        return target
    path = posixpath.normpath(target.plain)
    return Word(path, path, True)
