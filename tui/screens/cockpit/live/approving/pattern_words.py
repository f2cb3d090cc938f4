"""What a pattern that the user allows lets through, in words."""

from __future__ import annotations

import posixpath
import re

from sandbox_tui.core.base.tool_names import BASH, EDITOR

_INTERPRETERS = re.compile(r"(python|pypy|node|deno|bun|perl|ruby|php|Rscript|lua)[\d.]*")
"""Programs that run any code they are given."""

_EDITING = {
    "view": "viewing",
    "create": "creating",
    "str_replace": "replacing text in",
    "insert": "inserting into",
    "*": "viewing and changing",
}


def pattern_in_words(tool: str, pattern: str) -> str:
    """Return which calls of a tool a pattern lets through."""
    pattern = pattern.strip()
    if tool == EDITOR:
        command, _, path = pattern.partition(" ")
        return f"{_EDITING.get(command, command)} {_place(path.strip())}"
    if tool != BASH:
        return f"every call of {tool}"
    if pattern.startswith("> "):
        return f"writing {_place(pattern[2:])}"
    return _commands(pattern)


def _commands(pattern: str) -> str:
    literal = _unescaped(pattern)
    if literal is not None:
        return "only this exact command"
    if pattern == "*":
        return "every command, whatever it does"
    start = _unescaped(pattern.removesuffix("*"))
    if start is None:
        return "every command of this form, where * is any text"
    if not start.endswith(" "):
        return f"every command that begins with “{start}”"
    program = start.strip()
    if _INTERPRETERS.fullmatch(posixpath.basename(program)):
        return f"{program} with any arguments: any code"
    return f"{program} with any arguments"


def _place(path: str) -> str:
    literal = _unescaped(path)
    if path in ("", "*"):
        return "any file"
    if literal is not None:
        return f"only {literal}"
    folder = _unescaped(path.removesuffix("/*")) if path.endswith("/*") else None
    return f"files like {path}" if folder is None else f"any file below {folder or '/'}"


def _unescaped(pattern: str) -> str | None:
    """Return the only text that a pattern matches; None if it matches several."""
    literal = re.sub(r"\[([*?\[])\]", "", pattern)
    return None if set(literal) & set("*?[") else re.sub(r"\[([*?\[])\]", r"\1", pattern)
