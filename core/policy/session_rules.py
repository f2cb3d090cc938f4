"""Rules that the user adds during a run: patterns that allow a call and similar ones."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence

from sandbox_tui.core.base.json_arguments import ArgumentsError, parse_arguments, text_argument
from sandbox_tui.core.base.tool_names import BASH, EDITOR
from sandbox_tui.core.policy.bash_parser import Ambiguous, SimpleCommand, parse_named
from sandbox_tui.core.policy.inner_commands import SHELLS, WRAPPERS
from sandbox_tui.core.policy.rule_matching import PolicyJudge
from sandbox_tui.core.policy.rules import Policy, Rule


def granted_rules(tool: str, patterns: Sequence[str]) -> tuple[Rule, ...]:
    """Return rules that allow these patterns, in the form that `suggested` returns."""
    rules: list[Rule] = []
    for pattern in (pattern.strip() for pattern in patterns):
        if tool == EDITOR and pattern:
            command, _, path = pattern.partition(" ")
            rules.append(Rule(action="allow", tool=tool, command=command, path=path.strip()))
        elif tool == BASH and pattern:
            rules.append(Rule(action="allow", tool=tool, command=pattern))
        elif tool not in (BASH, EDITOR):
            rules.append(Rule(action="allow", tool=tool))
    return tuple(rules)


def suggested(
    policy: Policy, tool: str, arguments: str, granted: Sequence[Rule] = ()
) -> tuple[str, ...]:
    """Return patterns that would allow this call and similar ones: as few and as narrow as
    possible."""
    try:
        parsed = parse_arguments(arguments)
        command, path = text_argument(parsed, "command") or "", text_argument(parsed, "path") or ""
    except ArgumentsError:
        return ()
    if tool == EDITOR:
        folder = posixpath.dirname(posixpath.normpath(path))
        return (f"{command} {folder.rstrip('/')}/*",)
    if tool != BASH:
        return (tool,)
    command = command.replace("\0", "").strip()
    try:
        parts = parse_named(command)
    except Ambiguous:  # only this exact command can be allowed
        return (command,) if "\n" not in command else ()
    judge = PolicyJudge(policy, tuple(granted))
    open_ones = [part for part in parts if judge.decide_part(part).action != "allow"] or parts
    return tuple(dict.fromkeys(_pattern(part) for part in open_ones))


def _pattern(part: SimpleCommand) -> str:
    """Return a pattern for a command and similar ones: the same program and, if any, the same
    verb."""
    if part.writes:
        folder = posixpath.dirname(part.words[1].plain)
        return f"> {folder}/*" if folder.startswith("/") else part.text
    words = [word.raw for word in part.words]
    if words[0] in WRAPPERS | SHELLS or part.words[0].assigns or len(words) == 1:
        return part.text
    verb = re.fullmatch(r"[a-z][a-z-]*", words[1])
    return f"{words[0]} {words[1]} *" if verb else f"{words[0]} *"
