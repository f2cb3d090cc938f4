"""`sandbox-tui policy`: the rules as text, and their decisions about a recorded session."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import click
import msgspec

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.events import types as e
from sandbox_tui.core.policy.rule_matching import PolicyDecision, decide
from sandbox_tui.core.policy.rules import Policy
from sandbox_tui.core.tools.call_summaries import short_name, summarize_call
from sandbox_tui.tui.format import numbers
from sandbox_tui.tui.format.titles import cut_title

_EXAMPLE = """\
There are no rules yet. For example, in {file}:

    [policy]
    default = "ask"

    [[policy.rules]]
    action = "deny"
    tool = "execute_bash"
    command = "pip install *"
    reason = "Everything that is needed is installed."

    [[policy.rules]]
    action = "allow"
    tool = "str_replace_editor"
    command = "view"
"""


@dataclass(frozen=True, slots=True)
class Checked:
    """A call of a session and the policy's verdict on it."""

    call: e.ToolCall
    judgement: PolicyDecision


def check(policy: Policy, events: Iterable[e.AnyEvent]) -> list[Checked]:
    """Return the policy's verdict on every call that the model made."""
    return [
        Checked(event.call, decide(policy, event.call.name, event.call.arguments))
        for event in events
        if isinstance(event, e.CallProposed)
    ]


def print_policy(policy: Policy, file: Path, *, as_json: bool) -> None:
    """Print the rules with their numbers, and the default."""
    if as_json:
        click.echo(msgspec.json.encode(policy))
        return
    if not policy.rules:
        click.echo(_EXAMPLE.format(file=sanitize_line(str(file))))
    for number, rule in enumerate(policy.rules, 1):
        reason = f"  ({sanitize_line(rule.reason)})" if rule.reason else ""
        click.echo(f"{number:>3}  {sanitize_line(str(rule))}{reason}")
    click.echo(f"  *  {policy.default} if no rule matches")


def print_check(session: str, checked: list[Checked], *, as_json: bool) -> None:
    """Print one line per call, then the counts."""
    counts = dict.fromkeys(("allow", "ask", "deny"), 0)
    for one in checked:
        counts[one.judgement.action] += 1
    if as_json:
        calls = [_as_dict(one) for one in checked]
        click.echo(json.dumps({"session": session, "counts": counts, "calls": calls}))
        return
    for one in checked:
        call, judgement = one.call, one.judgement
        name = short_name(sanitize_line(call.name))
        summary = cut_title(sanitize_line(summarize_call(call.name, call.arguments)), 48)
        why = sanitize_line(judgement.why)
        click.echo(f"{call.number:>4}  {judgement.action:<5}  {name:<6} {summary:<48}  {why}")
    total = ", ".join(f"{number} {action}" for action, number in counts.items())
    click.echo(f"{session}: {numbers.counted(len(checked), 'call')}: {total}")


def _as_dict(one: Checked) -> dict[str, object]:
    judgement = one.judgement
    return {
        "call": one.call.number,
        "tool": one.call.name,
        "arguments": one.call.arguments,
        "action": judgement.action,
        "rule": judgement.rule,
        "why": judgement.why,
    }
