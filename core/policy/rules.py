"""Policy rules: which calls run, which need approval, which never run.

    [policy]
    default = "ask"                 # if no rule matches: allow, ask or deny

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

The first matching rule decides. In patterns `*` matches any text, `?` one character; a final `*`
after a space also matches nothing (`ls *` matches `ls`). A bash command is parsed (`bash_parser`):
it is allowed if every part is, denied if one is, and the user is asked if the parse is ambiguous.
The target of a redirection is a separate part, `> /the/file`. `submit` changes nothing and ends the
run: it is allowed unless a rule says otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Literal

import msgspec

from sandbox_tui.core.base.tool_names import BASH, BUILT_IN, EDITOR, installed_tool_names

Action = Literal["allow", "ask", "deny"]


class Rule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One rule.

    Attributes:
        action: the decision about a matching call.
        tool: the tool's name, or * for all.
        command: pattern for the bash command, or for the editor's command.
        regex: instead of `command`, a regular expression that must match a whole bash command.
        path: pattern for the editor's path.
        reason: shown to the model if a call is denied, to the user if they are asked.
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
        """A short description of the rule, as written."""
        words = [self.action, self.tool, self.command, self.path]
        if self.regex:
            words.append(f"/{self.regex}/")
        return " ".join(word for word in words if word)


class Policy(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The rules of a run.

    Attributes:
        default: the decision if no rule matches, except for `submit`, which is then allowed.
        rules: in order; the first one that matches decides.
    """

    default: Action = "ask"
    rules: tuple[Rule, ...] = ()


def rule_problem(rule: Rule, tools: Collection[str] = ()) -> str | None:
    """Say in a sentence what is wrong with a rule; None if it is valid.

    Args:
        rule: the rule as written.
        tools: names of tools besides the built-in and installed ones.
    """
    if rule.tool not in (*BUILT_IN, *tools, "*") and rule.tool not in installed_tool_names():
        known = ", ".join((*BUILT_IN, *installed_tool_names(), *tools))
        return f"there is no tool named {rule.tool!r}; known tools: {known}, and * for all."
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
