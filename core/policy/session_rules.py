"""Rules that the user adds during a run: patterns that allow a call and similar ones."""

from __future__ import annotations

import glob
import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sandbox_tui.core.base.json_arguments import ArgumentsError, parse_arguments, text_argument
from sandbox_tui.core.base.tool_names import BASH, EDITOR
from sandbox_tui.core.policy.bash_parser import Ambiguous, SimpleCommand, parse_named
from sandbox_tui.core.policy.inner_commands import SHELLS, WRAPPERS
from sandbox_tui.core.policy.rule_matching import PolicyJudge, decide, exactly, pattern_matches
from sandbox_tui.core.policy.rules import Policy, Rule


@dataclass(frozen=True, slots=True)
class OpenPart:
    """A part of a waiting call that nothing allows yet, with the patterns that would allow it.

    Attributes:
        tool: the tool's name.
        text: a simple command of a bash command, or all of it if it cannot be parsed; the editor's
            command and path; the name of any other tool.
        proposals: patterns that match it, from the narrowest to the broadest; at least one.
        is_whole: whether it is a bash command that cannot be parsed: only its exact text, or `*`,
            allows it.
    """

    tool: str
    text: str
    proposals: tuple[str, ...]
    is_whole: bool = False

    def is_matched_by(self, pattern: str) -> bool:
        """Return whether a pattern, as the user typed it, matches this part."""
        pattern = pattern.strip()
        if self.is_whole:
            return pattern in ("*", self.text, exactly(self.text))
        if self.tool not in (BASH, EDITOR):
            return pattern == self.text
        if self.tool == BASH:
            return bool(pattern) and pattern_matches(pattern, self.text)
        (command, _, path), (wanted, _, place) = self.text.partition(" "), pattern.partition(" ")
        return pattern_matches(wanted, command) and pattern_matches(place.strip() or "*", path)


def granted_rules(tool: str, patterns: Sequence[str]) -> tuple[Rule, ...]:
    """Return rules that allow these patterns, in the form of `OpenPart.proposals`."""
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


def newly_granted(
    policy: Policy, tool: str, arguments: str, granted: Sequence[Rule], more: Sequence[Rule]
) -> bool:
    """Return whether a call is granted only with `more` rules besides `granted`."""
    before = decide(policy, tool, arguments, granted)
    return not before.granted and decide(policy, tool, arguments, (*granted, *more)).granted


def open_parts(
    policy: Policy, tool: str, arguments: str, granted: Sequence[Rule] = ()
) -> tuple[OpenPart, ...]:
    """Return the parts of a call that the user has to allow for it to run without asking.

    All of its parts, if the policy and `granted` allow every one: in mode `step` it waits anyway.
    """
    try:
        parsed = parse_arguments(arguments)
        command, path = text_argument(parsed, "command") or "", text_argument(parsed, "path") or ""
    except ArgumentsError:
        return ()
    if tool == EDITOR:
        text = f"{command} {posixpath.normpath(path)}" if path else command
        return (OpenPart(tool, text, tuple(_editor_proposals(command, path))),)
    if tool != BASH:
        return (OpenPart(tool, tool, (tool,)),)
    command = command.replace("\0", "").strip()
    try:
        parts = parse_named(command)
    except Ambiguous:
        return (OpenPart(tool, command, (exactly(command),), is_whole=True),)
    judge = PolicyJudge(policy, tuple(granted))
    open_ones = [part for part in parts if judge.decide_part(part).action != "allow"] or parts
    return tuple({part.text: _open_part(part) for part in open_ones}.values())


def _open_part(part: SimpleCommand) -> OpenPart:
    patterns = (exactly(part.text), *_broader(part))
    return OpenPart(BASH, part.text, tuple(dict.fromkeys(patterns)))


def _editor_proposals(command: str, path: str) -> Iterator[str]:
    """Yield the command on this file, in its folder, and any command there."""
    if not path:
        yield command
        return
    path = posixpath.normpath(path)
    folder = glob.escape(posixpath.dirname(path).rstrip("/"))
    yield f"{command} {exactly(path)}"
    yield f"{command} {folder}/*"
    yield f"* {folder}/*"


def _broader(part: SimpleCommand) -> Iterator[str]:
    """Yield patterns for a command and similar ones: with the same verb, if any, then with the same
    program.

    None for a program that runs other commands, and for an assignment: their text says too little
    about what would run.
    """
    if part.writes:
        folder = posixpath.dirname(part.words[1].plain)
        if folder.startswith("/"):
            yield f"> {glob.escape(folder.rstrip('/'))}/*"
        return
    words = [word.raw for word in part.words]
    if words[0] in WRAPPERS | SHELLS or part.words[0].assigns or len(words) == 1:
        return
    program = glob.escape(words[0])
    if re.fullmatch(r"[a-z][a-z-]*", words[1]):
        yield f"{program} {words[1]} *"
    yield f"{program} *"
