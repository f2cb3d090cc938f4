"""The figures of two compared sessions, with their differences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sandbox_tui.core.base.durations import clock
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.sessions import RunSummary
from sandbox_tui.sessions.relations.aligned_calls import Call
from sandbox_tui.sessions.relations.compare import Comparison, OwnPart
from sandbox_tui.sessions.relations.running_now import RunningNow
from sandbox_tui.sessions.relations.started_with import SettingPair
from sandbox_tui.sessions.store.answers import NO_ANSWER, reason_without_answer
from sandbox_tui.sessions.store.tables.evals.verdicts import Verdict
from sandbox_tui.tui.format import numbers
from sandbox_tui.tui.format.answers import result_answer, said_words, score_words
from sandbox_tui.tui.format.compared.running_words import running_words
from sandbox_tui.tui.format.outcome import outcome_words
from sandbox_tui.tui.format.titles import first_line, model_title, numbered_title, task_title


class Fact(NamedTuple):
    """A property that both sessions have, such as the outcome or the answer.

    Attributes:
        difference: right minus left, with its sign; empty for equal figures and for words.
        is_open: whether a session is still running, so that the property may yet change.
    """

    name: str
    left: str
    right: str
    difference: str = ""
    is_open: bool = False


OWN_PART = "own part"

_IDENTITIES = ("", "session", OWN_PART)
"""Facts whose values always differ, so that a sign would say nothing."""

_MAY_CHANGE = ("outcome", "answer")
"""Facts that may yet become equal while a session is running."""


def fact_sign(fact: Fact) -> str:
    """Return the sign between both values of a fact: equal or different; empty if it would say
    nothing, or too early."""
    if fact.name in _IDENTITIES or (fact.is_open and fact.name in _MAY_CHANGE):
        return "=" if fact.name and fact.left == fact.right else ""
    return "=" if fact.left == fact.right and not fact.difference else "≠"


def only_side(fact: Fact) -> str:
    """Return the value of a fact that one side lacks, with the other side's name; empty if both
    have it."""
    if fact.left and fact.right:
        return ""
    return f"left: {fact.left}" if fact.left else f"right: {fact.right}"


class _Figure(NamedTuple):
    """What one session has of a property.

    Attributes:
        words: shown.
        value: the number behind them; None if there is none to subtract.
    """

    words: str
    value: float | None = None


def facts(
    found: Comparison, left: RunningNow | None = None, right: RunningNow | None = None
) -> list[Fact]:
    """Return the properties of both sessions: identity, outcome, figures, and the settings that
    differ.

    Args:
        found: the comparison.
        left, right: what a session that is still running does now.
    """
    calls = (
        [pair.left for pair in found.pairs if pair.left],
        [pair.right for pair in found.pairs if pair.right],
    )
    runs, now = (found.left, found.right), (left, right)
    sides = [
        _figures(*side) for side in zip(runs, calls, now, found.verdicts, found.own, strict=True)
    ]
    known = [
        Fact(name, both[0].words, both[1].words, _difference(name, *both), found.is_running)
        for name in sides[0]
        for both in [(sides[0][name], sides[1][name])]
        if both[0].words or both[1].words
    ]
    return [*known[:-1], *map(_setting, found.settings), known[-1]]


def _setting(pair: SettingPair) -> Fact:
    return Fact(pair.name, sanitize_line(pair.left), sanitize_line(pair.right))


def _figures(
    run: RunSummary,
    calls: Sequence[Call],
    now: RunningNow | None,
    verdict: Verdict | None,
    own: OwnPart | None,
) -> dict[str, _Figure]:
    """Return the figures of one side: those of the whole session, also of a fork."""
    steps = max([run.steps, *(call.step for call in calls)])
    seconds = run.seconds if now is None else now.seconds
    return {
        "title": _Figure(numbered_title(run) if run.sample else task_title(run)),
        "outcome": _Figure(_outcome(run, now)),
        "answer": _Figure(first_line(answer_or_reason(run))),
        "expected": _Figure("" if verdict is None else sanitize_line(verdict.expected)),
        "score": _Figure("") if verdict is None else _score(verdict),
        "steps": _Figure(str(steps), steps),
        "calls": _Figure(_calls(calls), len(calls)),
        "tokens": _tokens(run),
        "cost": _Figure(numbers.cost(run.cost), run.cost),
        "time": _Figure(clock(seconds), int(seconds)),
        OWN_PART: _Figure("" if own is None else _own_words(run, own, steps - run.steps, seconds)),
        "model": _Figure(
            f"{model_title(run.model)} · {sanitize_line(run.sandbox) or 'no sandbox'}"
        ),
        "session": _Figure(run.id),
    }


def _own_words(run: RunSummary, own: OwnPart, begun: int, seconds: float) -> str:
    """Return a fork's own steps, tokens, cost and time.

    Args:
        run: the fork.
        own: its own part, without steps that have only begun.
        begun: number of those.
        seconds: on the run's clock.
    """
    tokens = own.input_tokens + own.output_tokens
    count = numbers.token_words(tokens, estimated=run.tokens_estimated)
    parts = [
        numbers.counted(own.steps + begun, "step"),
        count if run.has_token_counts else "",
        numbers.cost(own.cost),
        clock(max(0.0, seconds - own.begins_at)),
    ]
    return " · ".join(filter(None, parts))


def _score(verdict: Verdict) -> _Figure:
    return _Figure(score_words(verdict), verdict.score)


def _tokens(run: RunSummary) -> _Figure:
    if not run.has_token_counts:
        return _Figure("not recorded")
    tokens = run.input_tokens + run.output_tokens
    return _Figure(numbers.tokens(tokens, estimated=run.tokens_estimated), tokens)


def _outcome(run: RunSummary, now: RunningNow | None) -> str:
    if run.outcome != "running" or now is None or now.state is None:
        return outcome_words(run)
    return running_words(run, now.state, now.seconds)


def _difference(name: str, left: _Figure, right: _Figure) -> str:
    if left.value is None or right.value is None or left.value == right.value:
        return ""
    by = right.value - left.value
    size = abs(by)
    match name:
        case "time":
            words = clock(size)
        case "score":
            words = f"{size:.3g}"
        case "cost":
            words = numbers.cost(size)
        case _:
            words = numbers.count(int(size))
    return f"{'+' if by > 0 else '−'}{words}"


def _calls(calls: Sequence[Call]) -> str:
    if not calls:
        return "none"
    parts = [
        (sum(call.failed for call in calls), "failed"),
        (sum(call.was_prevented for call in calls), "not run"),
        (sum(call.waits_for_approval for call in calls), "to approve"),
        (sum(call.is_running for call in calls), "running"),
        (sum(call.ok is None and not call.is_open for call in calls), "without a result"),
    ]
    return ", ".join([str(len(calls)), *(f"{number} {words}" for number, words in parts if number)])


def answer_or_reason(run: RunSummary) -> str:
    """Return a session's answer, marked if it was not submitted; if it has none, why."""
    answer = result_answer(run.outcome, run.answer)
    if answer:
        return answer
    if run.said:
        return said_words(run.said, run.answer)
    if run.outcome == "running":
        return "none yet"
    return f"{NO_ANSWER} ({reason_without_answer(run)})"
