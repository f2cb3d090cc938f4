"""Puts a fork together: settings, model, sandbox, and the beginning it shares with its parent."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from . import config
from . import events as e
from .blobs import Blobs
from .errors import ConfigError, ForkRefused, ResumeRefused
from .fork import Base, Parting
from .forking import Fork
from .launch import RunRequest, run_spec, sandbox_spec
from .models import open_model
from .past import past_of
from .prompts import PromptPack, load_pack
from .recorded import recorded_settings
from .resume import request_again
from .run import Run
from .sandboxes import open_sandbox
from .sandboxes.kept_snapshots import kind_of
from .tools.arguments import ArgumentsError, parse_arguments
from .tools.registry import command_docs


@dataclass(frozen=True, slots=True, kw_only=True)
class ForkRequest:
    """What a person asks of a fork.

    Attributes:
        run: settings and all else a run needs; its task is only used where it is another.
        message: words for the model before it goes on.
        edited: new arguments for the call that comes next.
        prompts: another prompt pack, or None.
        task: another task, or None.
    """

    run: RunRequest
    message: str = ""
    edited: str | None = None
    prompts: str | None = None
    task: str | None = None


def request_like(
    started: e.RunStarted,
    settings: config.Settings,
    overrides: Mapping[str, Any],
    *,
    trusted: bool,
) -> RunRequest:
    """What the parent was asked for, with what a person changes about it.

    Args:
        started: the parent's beginning.
        settings: of today, overrides included.
        overrides: by dotted name, as on the command line.
        trusted: whether the record was made here. What somebody else has written does not say to
            which server a key is sent, nor what a sandbox may do.

    Raises:
        ConfigError: an override cannot be used.
    """
    request = None
    if trusted:
        try:
            request = request_again(started, settings)
        except ResumeRefused:
            request = None
    if request is None:
        return RunRequest(task=started.task, settings=settings)
    changed = {name: value for name, value in overrides.items() if value is not None}
    other_model = any(name in changed for name in ("model.name", "model.base_url"))
    return replace(
        request,
        settings=config.changed(request.settings, changed),
        model=None if other_model else request.model,
        input=None,
        output=None,
    )


async def open_fork(
    parting: Parting, base: Base | None, request: ForkRequest, run_id: str, blobs: Blobs
) -> tuple[Run, list[e.AnyEvent]]:
    """A run, ready for `events`, and the events it takes over, to be stored before its own.

    Raises:
        ConfigError: a setting cannot be used, or leaves the fork no step.
        ForkRefused: a call was edited where none comes next.
        SandboxUnavailable: nothing here can run a sandbox.
    """
    _check(parting, request)
    settings = request.run.settings
    first = parting.history[0]
    if not isinstance(first, e.RunStarted):
        raise ForkRefused("This session does not say how it began.")
    pack = _pack(first, request)
    model = request.run.model or open_model(settings.model, config.api_key(settings.model))
    kind = settings.sandbox.kind if base is None else kind_of(base.name)
    where = sandbox_spec(settings, pack, run_id)
    if base is not None:
        where = replace(where, snapshot=base.name)
    sandbox = await open_sandbox(kind, where)  # pyright: ignore[reportArgumentType]
    spec = run_spec(request.run, run_id)
    started = msgspec.structs.replace(
        first,
        run_id=run_id,
        started_at=time.time() - parting.history[-1].t,
        model=model.name,
        model_params=model.params,
        sandbox=sandbox.kind,
        sandbox_info={},
        limits=settings.limits,
        parent=parting.parent,
        parent_seq=parting.seq,
        **_prompts(first, request, pack),
    )
    history = [started, *parting.history[1:]]
    past = past_of(history)
    if past is None:
        raise ForkRefused("This session does not say how it began.")
    fork = Fork(
        parting=parting, base=base, past=past, message=request.message, edited=request.edited
    )
    run = Run(spec, model=model, sandbox=sandbox, pack=pack, blobs=blobs, past=past, fork=fork)
    first = msgspec.structs.replace(started, settings=recorded_settings(spec, where))
    history[0] = e.from_json(e.to_json(first))  # as it will be read back
    return run, history


def _check(parting: Parting, request: ForkRequest) -> None:
    limits = request.run.settings.limits
    if request.edited is not None:
        if parting.waiting is None:
            raise ForkRefused("No call comes next at this moment: there is none to change.")
        try:
            parse_arguments(request.edited)
        except ArgumentsError as error:
            raise ConfigError(f"The changed call cannot be used: {error}") from error
    if parting.waiting is None and parting.step >= limits.max_steps:
        raise ConfigError(
            f"The parent had taken {parting.step} steps by then, and the limit is "
            f"{limits.max_steps}: say --max-steps {parting.step + 20}, for example."
        )


def _pack(first: e.RunStarted, request: ForkRequest) -> PromptPack:
    """The prompts as they will be sent; the directories stay the parent's."""
    usual = load_pack(request.prompts or request.run.settings.agent.prompts)
    return PromptPack(
        name=request.prompts or first.prompt_pack or usual.name,
        system_prompt=usual.system_prompt if request.prompts else first.system_prompt,
        instance_prompt=usual.instance_prompt if request.prompts else first.instance_prompt,
        working_dir=first.working_dir or usual.working_dir,
        input_dir=first.input_dir or usual.input_dir,
        output_dir=first.output_dir or usual.output_dir,
    )


def _prompts(first: e.RunStarted, request: ForkRequest, pack: PromptPack) -> dict[str, str]:
    """The fields of `RunStarted` that another prompt pack or task changes."""
    task = first.task if request.task is None else request.task
    if request.prompts is None and request.task is None:
        return {}
    whole = load_pack(request.prompts or first.prompt_pack or "general")
    whole = replace(
        whole,
        working_dir=pack.working_dir,
        input_dir=pack.input_dir,
        output_dir=pack.output_dir,
    )
    return {
        "task": task,
        "prompt_pack": pack.name,
        "system_prompt": whole.system(command_docs()) if request.prompts else first.system_prompt,
        "instance_prompt": whole.instance(task),
    }
