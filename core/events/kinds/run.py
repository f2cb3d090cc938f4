"""The life of a run: begun, resumed, forked, finished; what its reader should know."""

from __future__ import annotations

from typing import Any

import msgspec

from sandbox_tui.core.events.kinds.base import Event
from sandbox_tui.core.events.kinds.values import Actor, FinishReason, Limits, RunSettings, Totals


class RunStarted(Event, frozen=True, kw_only=True):
    """A run began. Says what is run; never holds a key.

    Attributes:
        schema: version of this vocabulary.
        run_id: the session's id.
        started_at: wall clock, seconds since the epoch.
        task: what the model was asked.
        model: the model's name.
        model_params: server address and sampling parameters, without secrets.
        sandbox: docker or bubblewrap.
        sandbox_info: image, container, network and limits, as text to show.
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
    """Another program resumed the run, whose own was gone; `t` does not count the time between.

    Attributes:
        resumed_at: wall clock, seconds since the epoch.
        away: seconds between the last event before and this one.
        sandbox_info: of the sandbox now, as text to show.
        lost: a sentence for each thing that ended with the program before.
        changed: a sentence for each setting that is not as it was.
    """

    resumed_at: float
    away: float
    sandbox_info: dict[str, str]
    lost: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()


class RunFinished(Event, frozen=True, kw_only=True):
    """A run ended. `error` is a sentence for the reader unless the model submitted.

    Attributes:
        answer: text of answer.txt where the model wrote one.
        output: host folder the results were copied to, or None.
    """

    reason: FinishReason
    error: str | None
    totals: Totals
    answer: str | None = None
    output: str | None = None


class Scored(Event, frozen=True, kw_only=True):
    """A scorer looked at the result of a run: a sample of an evaluation, a rollout of a training.

    Attributes:
        scorer: its name.
        value: between 0 and 1, or the reward of a rollout, which may be any number; None: the
            scorer itself failed.
        explanation: a sentence on the score, or why there is none.
        seconds: wall clock of the scoring; 0 in events of older versions.
    """

    scorer: str
    value: float | None
    explanation: str = ""
    seconds: float = 0.0


class Forked(Event, frozen=True, kw_only=True):
    """The run is a fork: the events before are its parent's, those after are its own.

    Attributes:
        parent: the session it was forked from.
        parent_seq: the last event they have in common.
        step: the last step they have in common, in whole or in part.
        snapshot: name of the snapshot its sandbox began from; None: from the input alone.
        repeats: how many recorded calls and commands are replayed in its sandbox.
        model: name of the model that continues.
        sandbox_info: as in `RunStarted`, of the new sandbox.
    """

    parent: str
    parent_seq: int
    step: int
    snapshot: str | None
    repeats: int
    model: str
    sandbox_info: dict[str, str] = msgspec.field(default_factory=dict[str, str])


class Repeated(Event, frozen=True, kw_only=True):
    """A recorded call or person's command was replayed in a fork's sandbox.

    Attributes:
        what: the call's or command's number.
        by: whose it was.
        number, of: its place among the replays, counted from 1, and how many there are.
        parted: how its result differs from the recorded one, as a sentence; empty when it does not.
    """

    what: int
    by: Actor
    number: int
    of: int
    parted: str = ""


class Warned(Event, frozen=True, kw_only=True):
    """Something the reader should know; it does not end the run."""

    text: str
