"""Snippets of tool calls as text: the index has their arguments as JSON with most escapes undone.

A snippet may begin and end anywhere and contains marks around the words found, so it cannot be
parsed; braces, quotes and commas are recognised by the names of arguments between them.
"""

from __future__ import annotations

import re

from sandbox_tui.sessions.store.unescaped_arguments import unescaped

OPEN, CLOSE = "\ue000", "\ue001"
"""Marks before and after a word that was found, which no text of a session contains."""

_CHARACTERS_PER_WORD = 6

_WORD = rf"[\w.{OPEN}{CLOSE}-]"
_KEY = rf'(?P<name>{_WORD}{{1,80}})"\s*:\s*"?'
_FIRST = re.compile(rf'^(?P<tool>{_WORD}+\n)?(?P<cut>…?)\{{?\s*"?{_KEY}')
_NEXT = re.compile(rf'"?(?:\}}\s*\{{|,)\s*"{_KEY}')
_END = re.compile(r'(?:\{|")?\}\s*$')


def literal_snippet(text: str, literal: str, words: int) -> str:
    """Return the text around the first place of `literal`, with marks; about `words` long."""
    start = max(0, text.find(literal))
    end = start + len(literal)
    room = words * _CHARACTERS_PER_WORD // 2
    first, last = max(0, start - room), end + room
    before = f"{'…' if first else ''}{text[first:start]}"
    return f"{before}{OPEN}{literal}{CLOSE}{text[end:last]}{'…' if last < len(text) else ''}"


def readable_snippet(snippet: str) -> str:
    """Return the snippet of a call's arguments, with its marks, without the syntax of JSON."""
    start = "command: " if _NEXT.search(snippet) else "$ "  # an editor has a command, too
    text = _FIRST.sub(lambda found: _first(found, start), snippet, count=1)
    text = _NEXT.sub(r" · \g<name>: ", text)
    text = _END.sub("", text)
    return unescaped(text).replace("\\\\", "\\")


def _first(found: re.Match[str], command: str) -> str:
    name = command if found["name"] == "command" else f"{found['name']}: "
    return f"{found['tool'] or ''}{found['cut']}{name}"
