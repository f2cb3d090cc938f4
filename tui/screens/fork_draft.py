"""The draft of a form for a fork: what was typed there and is not started yet."""

from __future__ import annotations

from dataclasses import dataclass

from sandbox_tui.sessions.recording.fork_worker import ForkPlan

MAX_DIGITS = 10
"""A longer number is no step, and may be too long to read."""


@dataclass(frozen=True, slots=True)
class ForkDraft:
    """What was typed into the form and not started.

    Attributes:
        plan: the fork point.
        edited: the arguments of the changed call; None if no call was changed.
        texts: the text of each field.
    """

    plan: ForkPlan
    edited: str | None
    texts: dict[str, str]


def with_valid_numbers(
    texts: dict[str, str], first: dict[str, str], last_step: int
) -> dict[str, str]:
    """Return the texts of the form with its first ones for a step or a limit that is none.

    Args:
        texts, first: the text of each field, and what it contained at first.
        last_step: the last one after which a run can be forked.
    """
    at, steps = texts["at"].strip(), texts["steps"].strip()
    is_step = at.isdecimal() and len(at) < MAX_DIGITS and int(at) <= last_step
    numbers = {"at": is_step, "steps": steps.isdecimal() and steps.strip("0") != ""}
    return texts | {name: first[name] for name, is_valid in numbers.items() if not is_valid}


def draft_of(typed: ForkDraft, first: ForkDraft, last_step: int) -> ForkDraft | None:
    """Return the draft to keep, without a number that is none; None if nothing was typed.

    Args:
        typed: what the form contains.
        first: what it contained at first.
        last_step: the last one after which a run can be forked.
    """
    # a changed call stays where it is: it is of that step
    plan = first.plan if typed.edited is None else typed.plan
    texts = with_valid_numbers(
        typed.texts, first.texts | {"at": str(plan.fork_point.step)}, last_step
    )
    if texts == first.texts and typed.edited is None:
        return None
    return ForkDraft(typed.plan if texts["at"] == typed.texts["at"] else plan, typed.edited, texts)
