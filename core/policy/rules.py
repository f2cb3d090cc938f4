"""Rules about calls: which may run, which a person is asked about, which never run.

    [policy]
    default = "ask"                 # where no rule matches: allow, ask or deny

    [[policy.rules]]
    action = "deny"
    tool = "execute_bash"
    command = "rm -rf *"
    reason = "Nothing is deleted here; move it to /tmp instead."

    [[policy.rules]]
    action = "allow"
    tool = "str_replace_editor"
    command = "create"
    path = "/testbed/output/*"

The first rule that matches holds. In patterns `*` stands for any text, `?` for one character; a
`*` after a blank at the end stands for nothing as well (`ls *` matches `ls`). A bash command is
parsed (`bash_parser`): it is allowed when every part is, denied when one is, and a person is
asked where the parse is not certain. What a redirection writes is a part of its own,
`> /the/file`. `submit` changes nothing and ends the run: it is allowed unless a rule says
otherwise.
"""

from __future__ import annotations

import dataclasses
import fnmatch
import functools
import posixpath
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import msgspec

from sandbox_tui.core.base.json_arguments import ArgumentsError, parse_arguments, text_argument
from sandbox_tui.core.base.tool_names import BASH, BUILT_IN, EDITOR, SUBMIT, installed_tool_names
from sandbox_tui.core.policy.bash_parser import Ambiguous, SimpleCommand, parse_command

Action = Literal["allow", "ask", "deny"]

_WRAPPERS = frozenset(
    {
        *("builtin", "busybox", "chroot", "command", "doas", "env", "exec", "ionice", "nice"),
        *("nohup", "setsid", "stdbuf", "sudo", "time", "timeout", "unshare", "xargs"),
    }
)
"""Programs whose arguments are another command: what they run is looked at for what is denied."""

_SHELLS = frozenset(("bash", "dash", "eval", "sh", "zsh"))
_ROUGHLY = re.compile(r"[;&|\n(){}`<>]+")


class Rule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One rule.

    Attributes:
        action: what becomes of a call that matches.
        tool: the tool's name, or * for all.
        command: pattern for the bash command, or for the editor's command.
        regex: instead of `command`: a regular expression for the whole of a bash command.
        path: pattern for the editor's path.
        reason: told to the model when it is denied, shown to the person when asked.
    """

    action: Action
    tool: str = "*"
    command: str = ""
    regex: str = ""
    path: str = ""
    reason: str = ""

    @property
    def unconditional(self) -> bool:
        """Whether it matches every call of its tool."""
        return not self.regex and self.command in ("", "*") and self.path in ("", "*")

    def __str__(self) -> str:
        """The rule in a few words, as written."""
        words = [self.action, self.tool, self.command, self.path]
        if self.regex:
            words.append(f"/{self.regex}/")
        return " ".join(word for word in words if word)


class Policy(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The rules of a run.

    Attributes:
        default: what becomes of a call that no rule matches; `submit` is allowed then.
        rules: the first that matches holds.
    """

    default: Action = "ask"
    rules: tuple[Rule, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What a policy says about a call.

    Attributes:
        action: what becomes of it.
        rule: number of the rule that decided, counted from 1; None where none did.
        why: the rule, or why there is none, in a few words.
        reason: the rule's own words for the model or the person.
        granted: whether a person allowed it during the run.
    """

    action: Action
    rule: int | None
    why: str
    reason: str = ""
    granted: bool = False


def rule_problem(rule: Rule, tools: Collection[str] = ()) -> str | None:
    """What is wrong with a rule, as a sentence; None when nothing is.

    Args:
        rule: as written.
        tools: names of tools besides the built-in and installed ones.
    """
    if rule.tool not in (*BUILT_IN, *tools, "*") and rule.tool not in installed_tool_names():
        known = ", ".join((*BUILT_IN, *installed_tool_names(), *tools))
        return f"there is no tool named {rule.tool!r}; known are {known}, and * for all."
    if rule.command and rule.tool not in (BASH, EDITOR):
        return f"`command` needs tool = {BASH!r} or {EDITOR!r}."
    if rule.path and rule.tool != EDITOR:
        return f"`path` needs tool = {EDITOR!r}."
    if rule.regex and rule.tool != BASH:
        return f"`regex` needs tool = {BASH!r}."
    if rule.regex and rule.command:
        return "give `command` or `regex`, not both."
    try:
        re.compile(rule.regex)
    except re.error as error:
        return f"the regular expression {rule.regex!r} cannot be read: {error}."
    return None


def decide(policy: Policy, tool: str, arguments: str, granted: Sequence[Rule] = ()) -> Judgement:
    """What `policy` says about a call.

    Args:
        policy: its rules are without `rule_problem`.
        tool: the tool's name, as the model wrote it.
        arguments: JSON text.
        granted: rules a person added during the run; they allow what else would be asked about.
    """
    judges = _Judges(policy, tuple(granted))
    try:
        given = parse_arguments(arguments)
    except ArgumentsError:
        return Judgement(action="ask", rule=None, why="its arguments cannot be read")
    if tool == BASH:
        return judges.bash(given)
    if tool == EDITOR:
        return judges.editor(given)
    return judges.first(tool, lambda rule: True)


def granted_rules(tool: str, patterns: Sequence[str]) -> tuple[Rule, ...]:
    """Rules that allow these patterns, in the form in which `suggested` writes them."""
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
    """Patterns that would allow this call and its like: as few as are needed, none too wide."""
    try:
        given = parse_arguments(arguments)
        command, path = text_argument(given, "command") or "", text_argument(given, "path") or ""
    except ArgumentsError:
        return ()
    if tool == EDITOR:
        folder = posixpath.dirname(posixpath.normpath(path))
        return (f"{command} {folder.rstrip('/')}/*",)
    if tool != BASH:
        return (tool,)
    command = command.replace("\0", "").strip()
    try:
        parts = _certain(command)
    except Ambiguous:  # then only this very command can be allowed
        return (command,) if "\n" not in command else ()
    judges = _Judges(policy, tuple(granted))
    open_ones = [part for part in parts if judges.part(part).action != "allow"] or parts
    return tuple(dict.fromkeys(_pattern(part) for part in open_ones))


def _certain(command: str) -> list[SimpleCommand]:
    parts = parse_command(command)
    if not all(part.named for part in parts):
        raise Ambiguous("which program it runs is only known when it runs")
    return parts


def _pattern(part: SimpleCommand) -> str:
    """A pattern for a command and its like: the same program, the same verb where it has one."""
    if part.writes:
        folder = posixpath.dirname(part.words[1].plain)
        return f"> {folder}/*" if folder.startswith("/") else part.text
    words = [word.raw for word in part.words]
    if words[0] in _WRAPPERS | _SHELLS or part.words[0].assigns or len(words) == 1:
        return part.text
    verb = re.fullmatch(r"[a-z][a-z-]*", words[1])
    return f"{words[0]} {words[1]} *" if verb else f"{words[0]} *"


@dataclass(frozen=True, slots=True)
class _Judges:
    """Looks for the rule that holds."""

    policy: Policy
    granted: tuple[Rule, ...]

    def of(self, tool: str) -> Iterator[tuple[int, Rule]]:
        """The rules for a tool, with their numbers."""
        for number, rule in enumerate(self.policy.rules, 1):
            if rule.tool in (tool, "*"):
                yield number, rule

    def first(self, tool: str, matches: Callable[[Rule], bool]) -> Judgement:
        """By the first rule for which `matches` holds, or by what was granted."""
        found = next((pair for pair in self.of(tool) if matches(pair[1])), None)
        judgement = self.default(tool) if found is None else _by(*found)
        if judgement.action != "deny":
            for rule in self.granted:
                if rule.tool == tool and matches(rule):
                    return _granted(rule)
        return judgement

    def default(self, tool: str = BASH) -> Judgement:
        """Where no rule matches."""
        action = "allow" if tool == SUBMIT else self.policy.default
        return Judgement(action=action, rule=None, why=f"no rule matches: {action}")

    # --- the editor

    def editor(self, given: dict[str, Any]) -> Judgement:
        """By command and path."""
        try:
            command, path = (
                text_argument(given, "command") or "",
                text_argument(given, "path") or "",
            )
        except ArgumentsError:
            return Judgement(action="ask", rule=None, why="its arguments cannot be read")
        path = posixpath.normpath(path) if path else ""
        path = "/" + path.lstrip("/") if path.startswith("//") else path

        def matches(rule: Rule) -> bool:
            return _glob(rule.command or "*", command) and _glob(rule.path or "*", path)

        return self.first(EDITOR, matches)

    # --- bash

    def bash(self, given: dict[str, Any]) -> Judgement:
        """Every part must be allowed; one that is denied is enough."""
        try:
            command = (text_argument(given, "command") or "").replace("\0", "")
        except ArgumentsError:
            return Judgement(action="ask", rule=None, why="its arguments cannot be read")
        try:
            parts = _certain(command)
        except Ambiguous as doubt:
            return self._doubtful(command, str(doubt))
        if not parts:
            return self.first(BASH, lambda rule: rule.unconditional)
        judgements = [self.part(part) for part in parts]
        hidden = [found for part in parts for found in self._hidden(part)]
        heaviest = max([*judgements, *hidden], key=_weight)
        return _naming(parts, judgements, heaviest) if len(parts) > 1 else heaviest

    def part(self, part: SimpleCommand) -> Judgement:
        """By the first rule that matches one simple command."""
        return self.first(BASH, lambda rule: _matches(rule, part.text, part.plain))

    def _hidden(self, part: SimpleCommand) -> Iterator[Judgement]:
        """Denials of what wrappers, shells and assignments run, and of rm where /bin/rm stands."""
        words = [word.plain for word in part.words]
        for found in _inside(words):
            judgement = self.first(BASH, lambda rule, found=found: _matches_text(found, rule))
            if judgement.action == "deny" and judgement.rule is not None:
                yield judgement

    def _doubtful(self, command: str, doubt: str) -> Judgement:
        """Where a rule might match or might not, a person is asked."""
        pieces = [piece.strip() for piece in _ROUGHLY.split(command)]
        pieces += [found for piece in pieces for found in _inside(piece.split())]
        asks = Judgement(action="ask", rule=None, why=f"in doubt, since {doubt}")
        might = False
        for number, rule in self.of(BASH):
            if rule.unconditional:
                found = _by(number, rule)
                return asks if might and rule.action == "allow" else found
            if any(_matches_text(piece, rule) for piece in (command.strip(), *pieces)):
                if rule.action == "deny":
                    return _by(number, rule)
                might = might or rule.action == "ask"
                if rule.action == "allow" and rule.command == command.strip():
                    return asks if might else _by(number, rule)
            might = might or rule.action != "allow"
        for rule in self.granted:
            if rule.tool == BASH and rule.command in ("*", command.strip()):
                return _granted(rule)
        return self.default() if self.policy.default == "deny" and not might else asks


def _naming(
    parts: Sequence[SimpleCommand], judgements: Sequence[Judgement], heaviest: Judgement
) -> Judgement:
    """The judgement of a command of several parts, with those of them that no rule matches."""
    if heaviest.rule is not None or heaviest.granted or heaviest not in judgements:
        return heaviest
    open_ones = (p.text for p, found in zip(parts, judgements, strict=True) if found == heaviest)
    names = ", ".join(f"`{text}`" for text in dict.fromkeys(open_ones))
    why = f"no rule matches {names}: {heaviest.action}"
    return dataclasses.replace(heaviest, why=why)


def _weight(judgement: Judgement) -> tuple[int, bool]:
    """The heaviest of the parts' judgements is the command's. One that is allowed counts as allowed
    by the person when that was needed for a part of it."""
    return {"allow": 0, "ask": 1, "deny": 2}[judgement.action], judgement.granted


def _granted(rule: Rule) -> Judgement:
    words = " ".join(word for word in (rule.command, rule.path) if word) or rule.tool
    return Judgement(action="allow", rule=None, why=f"you allowed: {words}", granted=True)


def _by(number: int, rule: Rule) -> Judgement:
    return Judgement(
        action=rule.action, rule=number, why=f"rule {number}: {rule}", reason=rule.reason
    )


def _matches(rule: Rule, *texts: str) -> bool:
    """Whether a rule is about a simple command, given as written and without its quotes."""
    if rule.action == "allow":  # `ls "a" ; b` without quotes would be another command
        return _matches_text(texts[0], rule)
    return any(_matches_text(found, rule) for found in texts)


def _matches_text(found: str, rule: Rule) -> bool:
    if rule.regex:
        return re.fullmatch(rule.regex, found, re.DOTALL) is not None
    return _glob(rule.command or "*", found)


def _inside(words: list[str]) -> Iterator[str]:
    """Commands that a command runs in its turn, as far as that can be seen."""
    while words and re.match(r"[A-Za-z_]\w*\+?=", words[0]):
        words = words[1:]
        yield " ".join(words)
    if not words:
        return
    name = posixpath.basename(words[0])
    if name != words[0]:
        yield " ".join([name, *words[1:]])
    if name in _WRAPPERS:
        for at in range(1, len(words)):
            rest = [posixpath.basename(words[at]), *words[at + 1 :]]
            yield " ".join(words[at:])
            yield " ".join(rest)
    if name in _SHELLS or (name in _WRAPPERS and _SHELLS & set(words)):
        for word in words[1:]:
            yield from _roughly(word)


def _roughly(command: str) -> Iterator[str]:
    for piece in _ROUGHLY.split(command):
        if piece.strip():
            yield piece.strip()
            yield " ".join([posixpath.basename(piece.split()[0]), *piece.split()[1:]])


def _glob(pattern: str, found: str) -> bool:
    if pattern == found or _compiled(pattern).match(found) is not None:
        return True
    return pattern.endswith(" *") and _compiled(pattern[:-2]).match(found) is not None


@functools.lru_cache(512)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(fnmatch.translate(pattern))
