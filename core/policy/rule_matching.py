"""Applies the rules of a policy to calls."""

from __future__ import annotations

import dataclasses
import fnmatch
import functools
import glob
import posixpath
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sandbox_tui.core.base.json_arguments import ArgumentsError, parse_arguments, text_argument
from sandbox_tui.core.base.tool_names import BASH, EDITOR, SUBMIT
from sandbox_tui.core.policy.bash_parser import Ambiguous, SimpleCommand, parse_named
from sandbox_tui.core.policy.inner_commands import inner_commands, rough_pieces
from sandbox_tui.core.policy.rules import Action, Policy, Rule


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyDecision:
    """The decision of a policy about a call.

    Attributes:
        action: the decision.
        rule: number of the deciding rule, counted from 1; None if none matched.
        why: the rule, or why there is none, in a few words.
        reason: the rule's own explanation for the model or the user.
        granted: whether the user allowed it during the run.
    """

    action: Action
    rule: int | None
    why: str
    reason: str = ""
    granted: bool = False


def decide(
    policy: Policy, tool: str, arguments: str, granted: Sequence[Rule] = ()
) -> PolicyDecision:
    """Return the decision of `policy` about a call.

    Args:
        policy: its rules have no `rule_problem`.
        tool: the tool's name, as the model wrote it.
        arguments: JSON text.
        granted: rules the user added during the run; they allow calls that would otherwise ask.
    """
    judge = PolicyJudge(policy, tuple(granted))
    try:
        parsed = parse_arguments(arguments)
    except ArgumentsError:
        return PolicyDecision(action="ask", rule=None, why="its arguments cannot be read")
    if tool == BASH:
        return judge.decide_bash(parsed)
    if tool == EDITOR:
        return judge.decide_editor(parsed)
    return judge.first_match(tool, lambda rule: True)


@dataclass(frozen=True, slots=True)
class PolicyJudge:
    """Finds the rule that applies.

    Args:
        policy: its rules have no `rule_problem`.
        granted: rules the user added during the run.
    """

    policy: Policy
    granted: tuple[Rule, ...]

    def rules_for(self, tool: str) -> Iterator[tuple[int, Rule]]:
        """Yield the rules for a tool, with their numbers."""
        for number, rule in enumerate(self.policy.rules, 1):
            if rule.tool in (tool, "*"):
                yield number, rule

    def first_match(self, tool: str, matches: Callable[[Rule], bool]) -> PolicyDecision:
        """Return the decision of the first matching rule, or of a granted one."""
        found = next((pair for pair in self.rules_for(tool) if matches(pair[1])), None)
        judgement = self.decide_default(tool) if found is None else _by(*found)
        if judgement.action != "deny":
            for rule in self.granted:
                if rule.tool == tool and matches(rule):
                    return _granted(rule)
        return judgement

    def decide_default(self, tool: str = BASH) -> PolicyDecision:
        """Return the decision if no rule matches."""
        if tool == SUBMIT:
            return PolicyDecision(action="allow", rule=None, why="submitting needs no rule")
        return PolicyDecision(
            action=self.policy.default, rule=None, why="no rule matches this call"
        )

    # --- the editor

    def decide_editor(self, arguments: dict[str, Any]) -> PolicyDecision:
        """Return the decision about a call of the editor, by command and path."""
        try:
            command, path = (
                text_argument(arguments, "command") or "",
                text_argument(arguments, "path") or "",
            )
        except ArgumentsError:
            return PolicyDecision(action="ask", rule=None, why="its arguments cannot be read")
        path = posixpath.normpath(path) if path else ""
        path = "/" + path.lstrip("/") if path.startswith("//") else path

        def matches(rule: Rule) -> bool:
            fits_path = pattern_matches(rule.path or "*", path)
            return fits_path and pattern_matches(rule.command or "*", command)

        return self.first_match(EDITOR, matches)

    # --- bash

    def decide_bash(self, arguments: dict[str, Any]) -> PolicyDecision:
        """Return the decision about a command: all parts must be allowed; one denied part denies
        it."""
        try:
            command = (text_argument(arguments, "command") or "").replace("\0", "")
        except ArgumentsError:
            return PolicyDecision(action="ask", rule=None, why="its arguments cannot be read")
        try:
            parts = parse_named(command)
        except Ambiguous as doubt:
            return self._judge_ambiguous(command, str(doubt))
        if not parts:
            return self.first_match(BASH, lambda rule: rule.unconditional)
        judgements = [self.decide_part(part) for part in parts]
        hidden = [found for part in parts for found in self._hidden(part)]
        heaviest = max([*judgements, *hidden], key=_weight)
        return _with_unmatched(parts, judgements, heaviest) if len(parts) > 1 else heaviest

    def decide_part(self, part: SimpleCommand) -> PolicyDecision:
        """Return the decision about one simple command."""
        return self.first_match(BASH, lambda rule: _matches(rule, part.text, part.plain))

    def _hidden(self, part: SimpleCommand) -> Iterator[PolicyDecision]:
        """Yield the denials of what wrappers, shells and assignments run, and of `rm` written as
        /bin/rm."""
        words = [word.plain for word in part.words]
        for found in inner_commands(words):
            judgement = self.first_match(BASH, lambda rule, found=found: _matches_text(found, rule))
            if judgement.action == "deny" and judgement.rule is not None:
                yield judgement

    def _judge_ambiguous(self, command: str, doubt: str) -> PolicyDecision:
        """Return the decision about an ambiguous command, or of a granted rule about its exact
        text."""
        judgement = self._without_grants(command, doubt)
        whole = command.strip()
        if judgement.action != "deny":
            for rule in self.granted:
                if rule.tool == BASH and rule.command in ("*", whole, exactly(whole)):
                    return _granted(rule)
        return judgement

    def _without_grants(self, command: str, doubt: str) -> PolicyDecision:
        """Return the decision of the policy about an ambiguous command: ask if any rule might
        match."""
        pieces = rough_pieces(command)
        asks = PolicyDecision(action="ask", rule=None, why=f"cannot be checked: {doubt}")
        might = False
        for number, rule in self.rules_for(BASH):
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
        return self.decide_default() if self.policy.default == "deny" and not might else asks


def _with_unmatched(
    parts: Sequence[SimpleCommand], judgements: Sequence[PolicyDecision], heaviest: PolicyDecision
) -> PolicyDecision:
    """Return the judgement of a command with several parts, naming those that no rule matches."""
    if heaviest.rule is not None or heaviest.granted or heaviest not in judgements:
        return heaviest
    open_ones = (p.text for p, found in zip(parts, judgements, strict=True) if found == heaviest)
    names = ", ".join(f"`{text}`" for text in dict.fromkeys(open_ones))
    return dataclasses.replace(heaviest, why=f"no rule matches {names}")


def _weight(judgement: PolicyDecision) -> tuple[int, bool]:
    """Sort key for judgements: the heaviest part decides about the command.

    An allowed command counts as granted by the user if one of its parts needed a grant.
    """
    return {"allow": 0, "ask": 1, "deny": 2}[judgement.action], judgement.granted


def _granted(rule: Rule) -> PolicyDecision:
    words = " ".join(word for word in (rule.command, rule.path) if word) or rule.tool
    return PolicyDecision(action="allow", rule=None, why=f"you allowed: {words}", granted=True)


def _by(number: int, rule: Rule) -> PolicyDecision:
    return PolicyDecision(
        action=rule.action, rule=number, why=f"rule {number}: {rule}", reason=rule.reason
    )


def _matches(rule: Rule, *texts: str) -> bool:
    """Return whether a rule matches a simple command, given as written and without quotes."""
    if rule.action == "allow":  # `ls "a" ; b` without quotes would be another command
        return _matches_text(texts[0], rule)
    return any(_matches_text(found, rule) for found in texts)


def _matches_text(found: str, rule: Rule) -> bool:
    if rule.regex:
        return re.fullmatch(rule.regex, found, re.DOTALL) is not None
    return pattern_matches(rule.command or "*", found)


def exactly(text: str) -> str:
    """Return the pattern that matches only this text."""
    return glob.escape(text)


def pattern_matches(pattern: str, found: str) -> bool:
    """Return whether a pattern of a rule, in which `*` is any text, matches a whole text."""
    if pattern == found or _compiled(pattern).match(found) is not None:
        return True
    return pattern.endswith(" *") and _compiled(pattern[:-2]).match(found) is not None


@functools.lru_cache(512)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(fnmatch.translate(pattern))
