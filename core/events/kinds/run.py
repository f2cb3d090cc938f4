"""Events for the life cycle of a run: started, resumed, forked, finished; and warnings."""

from __future__ import annotations

from typing import Any

import msgspec

from sandbox_tui.core.events.kinds.base import Event
from sandbox_tui.core.events.kinds.values import (
    Actor,
    FinishReason,
    Limits,
    RunSettings,
    ToolCall,
    Totals,
)


class RunStarted(Event, frozen=True, kw_only=True):
    """A run started. Describes what is run; never contains a key.

    Attributes:
        schema: version of this vocabulary.
        run_id: the session's id.
        started_at: wall clock, seconds since the epoch.
        task: the task for the model.
        model: the model's name.
        model_params: server address and sampling parameters, without secrets.
        sandbox: docker or bubblewrap.
        sandbox_info: image, container, network and limits, as display text.
        prompt_pack: name of the prompt pack.
        system_prompt, instance_prompt: the two opening messages as sent.
        working_dir, input_dir, output_dir: absolute paths inside the sandbox.
        limits: what will end the run.
        parent: the session this one was forked from, or None.
        parent_seq: the event of the parent at which it was forked.
        settings: its other settings; None in records that lack them.
    """

    schema: int
    run_id: str
    started_at: float
    task: str
    model: str
    model_params: dict[str, Any]
    sandbox: str
    sandbox_info: dict[str, str]
    prompt_pack: str
    system_prompt: str
    instance_prompt: str
    working_dir: str
    input_dir: str
    output_dir: str
    limits: Limits
    parent: str | None = None
    parent_seq: int | None = None
    settings: RunSettings | None = None


class RunResumed(Event, frozen=True, kw_only=True):
    """Another program resumed the run after its own had ended; `t` excludes the time between.

    If the run was handed over (detached), its clock runs on, and nothing is excluded.

    Attributes:
        resumed_at: wall clock, seconds since the epoch.
        away: seconds between the previous event and this one that `t` excludes; 0 after a
            handover.
        sandbox_info: description of the sandbox now, as display text.
        lost: a sentence for each thing that ended with the previous program.
        changed: a sentence for each setting that has changed.
    """

    resumed_at: float
    away: float
    sandbox_info: dict[str, str]
    lost: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()


class RunFinished(Event, frozen=True, kw_only=True):
    """A run ended. `error` is a sentence for the user unless the model submitted.

    Attributes:
        answer: text of answer.txt, if the model wrote one.
        output: host folder the results were copied to, or None.
    """

    reason: FinishReason
    error: str | None
    totals: Totals
    answer: str | None = None
    output: str | None = None


class Scored(Event, frozen=True, kw_only=True):
    """A scorer scored the result of a run: a sample of an evaluation, or a training rollout.

    Attributes:
        scorer: its name.
        value: between 0 and 1, or the reward of a rollout, which may be any number; None if the
            scorer itself failed.
        explanation: a sentence about the score, or why there is none.
        seconds: wall-clock time of the scoring; 0 in events of older versions.
    """

    scorer: str
    value: float | None
    explanation: str = ""
    seconds: float = 0.0


class Forked(Event, frozen=True, kw_only=True):
    """The run is a fork: all earlier events come from its parent.

    Attributes:
        parent: the session it was forked from.
        parent_seq: the last event they have in common.
        step: the last step they have in common, in whole or in part.
        snapshot: name of the snapshot its sandbox started from; None if from the input alone.
        repeats: number of recorded calls and commands replayed in its sandbox.
        model: name of the model that continues.
        sandbox_info: as in `RunStarted`, for the new sandbox.
        edited: the next call as it will run, if the user has edited it.
    """

    parent: str
    parent_seq: int
    step: int
    snapshot: str | None
    repeats: int
    model: str
    sandbox_info: dict[str, str] = msgspec.field(default_factory=dict[str, str])
    edited: ToolCall | None = None


class Repeated(Event, frozen=True, kw_only=True):
    """A recorded call or user command was replayed in a fork's sandbox.

    Attributes:
        what: the call's or command's number.
        by: who made it.
        number, of: its position among the replays, counted from 1, and their total.
        parted: how its result differs from the recorded one, as a sentence; empty if it does not.
    """

    what: int
    by: Actor
    number: int
    of: int
    parted: str = ""


class Warned(Event, frozen=True, kw_only=True):
    """Something the user should know; it does not end the run."""

    text: str
