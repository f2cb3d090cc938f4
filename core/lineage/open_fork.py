"""Opens a fork: its settings, model and sandbox, and the events it inherits from its parent."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from sandbox_tui.core.base.blob_store import BlobStore
from sandbox_tui.core.base.errors import ConfigError, ForkRefused, ResumeRefused
from sandbox_tui.core.config import settings as config
from sandbox_tui.core.events import types as e
from sandbox_tui.core.lineage.fork_point import BaseSnapshot, ForkPoint
from sandbox_tui.core.lineage.forked_start import ForkedStart
from sandbox_tui.core.lineage.open_resumed import recorded_request
from sandbox_tui.core.lineage.recovery import recover
from sandbox_tui.core.models.base import Model
from sandbox_tui.core.models.error_mapping import without_secrets
from sandbox_tui.core.prompts import PromptPack, load_pack
from sandbox_tui.core.run.input_files import stored_files
from sandbox_tui.core.run.open_run import assemble, model_of, sandbox_of, sandbox_spec
from sandbox_tui.core.run.recorded_settings import recorded_settings
from sandbox_tui.core.run.run import Run
from sandbox_tui.core.run.run_request import RunRequest
from sandbox_tui.core.sandboxes.base import Sandbox, SandboxSpec
from sandbox_tui.core.sandboxes.factory import open_sandbox
from sandbox_tui.core.sandboxes.snapshot_store import kind_of
from sandbox_tui.core.tools.base import Tool
from sandbox_tui.core.tools.edited_call import check_changed_call
from sandbox_tui.core.tools.registry import command_docs, tools_named


@dataclass(frozen=True, slots=True, kw_only=True)
class ForkRequest:
    """The request for a fork.

    Attributes:
        run: settings and the rest of a run's request; its task is not used.
        message: message for the model, before it continues.
        edited: new arguments for the next call.
        prompts: another prompt pack, or None.
        task: another task, or None.
    """

    run: RunRequest
    message: str = ""
    edited: str | None = None
    prompts: str | None = None
    task: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Parts:
    """The parts of a fork; the sandbox is not yet started."""

    pack: PromptPack
    tools: Sequence[Tool]
    model: Model
    spec: SandboxSpec
    sandbox: Sandbox


def request_like_parent(
    started: e.RunStarted,
    settings: config.Settings,
    overrides: Mapping[str, Any],
    *,
    trusted: bool,
) -> RunRequest:
    """Return the parent's request, with the user's changes.

    Args:
        started: the parent's first event.
        settings: the current settings, including overrides.
        overrides: values by dotted name, as on the command line.
        trusted: whether the session was recorded here. An imported one must not decide which server
            receives a key, or what a sandbox may do.

    Raises:
        ConfigError: an override is invalid.
    """
    request = None
    if trusted:
        try:
            request = recorded_request(started, settings)
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


def _with_tool_format(request: RunRequest, fork_point: ForkPoint) -> RunRequest:
    """Return the request with the parent's tool call format, if the model is the same."""
    first, model = fork_point.history[0], request.settings.model
    if request.tool_format is not None or not isinstance(first, e.RunStarted):
        return request
    address = without_secrets(model.base_url)
    if (first.model, first.model_params.get("base_url", "")) != (model.name, address):
        return request
    chosen = [x.format for x in fork_point.history if isinstance(x, e.ToolFormatChosen)]
    if not chosen and any(isinstance(x, e.CallProposed) for x in fork_point.history):
        chosen = [e.ToolFormat()]  # its calls were native
    return replace(request, tool_format=chosen[-1]) if chosen else request


async def open_fork(
    fork_point: ForkPoint,
    base: BaseSnapshot | None,
    request: ForkRequest,
    run_id: str,
    blobs: BlobStore,
) -> tuple[Run, list[e.AnyEvent]]:
    """Return a run, ready for `events`, and the inherited events to store before its own.

    Raises:
        ConfigError: a setting or the edited call is invalid, or the fork has no step left.
        ForkRefused: a call was edited, but there is no next call.
        SandboxUnavailable: this machine cannot run a sandbox.
    """
    _check(fork_point, request)
    first = _first_event(fork_point)
    parts = await _open_parts(first, fork_point, base, request, run_id)
    started = _started(first, fork_point, request, run_id, parts)
    inherited = [_as_sent(event, first) for event in fork_point.history[1:]]
    run = assemble(
        _run_request(first, request),
        run_id,
        blobs,
        model=parts.model,
        sandbox=parts.sandbox,
        pack=parts.pack,
        start=_forked_start(fork_point, base, request, [started, *inherited], blobs),
    )
    return run, [_with_settings(started, run, parts), *inherited]


def _first_event(fork_point: ForkPoint) -> e.RunStarted:
    first = fork_point.history[0]
    if not isinstance(first, e.RunStarted):
        raise _no_start_recorded()
    return first


def _no_start_recorded() -> ForkRefused:
    return ForkRefused("This session does not record how it started.")


def _recorded_settings_of(first: e.RunStarted) -> e.RunSettings:
    """Return the settings that a run recorded; defaults if it recorded none."""
    return first.settings or e.RunSettings()


async def _open_parts(
    first: e.RunStarted,
    fork_point: ForkPoint,
    base: BaseSnapshot | None,
    request: ForkRequest,
    run_id: str,
) -> _Parts:
    asked = request.run
    pack = _pack(first, request)
    tools = tools_named(asked.tools)
    model = model_of(_with_tool_format(asked, fork_point))
    spec = sandbox_spec(asked.settings, pack, run_id, asked.environment)
    if base is not None:
        spec = replace(spec, snapshot=base.name)
        sandbox = await open_sandbox(kind_of(base.name), spec)
    else:
        sandbox = await sandbox_of(asked, spec)
    return _Parts(pack=pack, tools=tools, model=model, spec=spec, sandbox=sandbox)


def _started(
    first: e.RunStarted, fork_point: ForkPoint, request: ForkRequest, run_id: str, parts: _Parts
) -> e.RunStarted:
    """Return the fork's first event: its parent's with the differences, still without settings."""
    return msgspec.structs.replace(
        first,
        run_id=run_id,
        started_at=time.time() - fork_point.history[-1].t,
        model=parts.model.name,
        model_params=parts.model.params,
        sandbox=parts.sandbox.kind,
        sandbox_info={},
        limits=request.run.settings.limits,
        parent=fork_point.parent,
        parent_seq=fork_point.seq,
        **_prompts(first, request, parts.pack, parts.tools),
    )


def _run_request(first: e.RunStarted, request: ForkRequest) -> RunRequest:
    """Return the request with the parent's turn policy: rebuilding the conversation from the fork's
    events requires it."""
    return replace(request.run, turn_policy=_recorded_settings_of(first).turn_policy)


def _forked_start(
    fork_point: ForkPoint,
    base: BaseSnapshot | None,
    request: ForkRequest,
    history: Sequence[e.AnyEvent],
    blobs: BlobStore,
) -> ForkedStart:
    recovered = recover(history)
    if recovered is None:
        raise _no_start_recorded()
    recorded = _recorded_settings_of(recovered.started)
    return ForkedStart(
        fork_point=fork_point,
        base=base,
        recovered=recovered,
        message=request.message,
        edited=request.edited,
        inputs=stored_files(recorded.files, blobs),
        setup=recorded.setup,
    )


def _with_settings(started: e.RunStarted, run: Run, parts: _Parts) -> e.AnyEvent:
    """Add the settings to the fork's first event, in the form in which it will be read back."""
    settings = recorded_settings(run.spec, parts.spec, parts.tools)
    files = {**_recorded_settings_of(started).files, **settings.files}
    settings = msgspec.structs.replace(settings, files=files)
    return e.from_json(e.to_json(msgspec.structs.replace(started, settings=settings)))


def _as_sent(event: e.AnyEvent, parent: e.RunStarted) -> e.AnyEvent:
    """Return an inherited event that states the number of remaining steps shown to the model."""
    if not isinstance(event, e.ModelAsked) or event.steps_left is not None:
        return event
    return msgspec.structs.replace(event, steps_left=parent.limits.max_steps - event.step + 1)


def check_edited(fork_point: ForkPoint, arguments: str) -> None:
    """Check new arguments (JSON text) for the next call.

    Raises:
        ConfigError: they do not suit the call's tool.
        ForkRefused: there is no next call.
    """
    if fork_point.next_call is None:
        raise ForkRefused("There is no call after this position to change.")
    check_changed_call(fork_point.next_call.name, arguments)


def _check(fork_point: ForkPoint, request: ForkRequest) -> None:
    limits = request.run.settings.limits
    if request.edited is not None:
        check_edited(fork_point, request.edited)
    if fork_point.next_call is None and fork_point.step >= limits.max_steps:
        raise ConfigError(
            f"The parent had taken {fork_point.step} steps by then, and the limit is "
            f"{limits.max_steps}: use --max-steps {fork_point.step + 20}, for example."
        )


def _pack(first: e.RunStarted, request: ForkRequest) -> PromptPack:
    """Return the prompts to send; the directories are the parent's."""
    usual = load_pack(request.prompts or request.run.settings.agent.prompts)
    return PromptPack(
        name=request.prompts or first.prompt_pack or usual.name,
        system_prompt=usual.system_prompt if request.prompts else first.system_prompt,
        instance_prompt=usual.instance_prompt if request.prompts else first.instance_prompt,
        working_dir=first.working_dir or usual.working_dir,
        input_dir=first.input_dir or usual.input_dir,
        output_dir=first.output_dir or usual.output_dir,
    )


def _prompts(
    first: e.RunStarted, request: ForkRequest, pack: PromptPack, tools: Sequence[Tool]
) -> dict[str, str]:
    """Return the fields of `RunStarted` that change with another prompt pack or task."""
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
        "system_prompt": whole.system(command_docs(tools))
        if request.prompts
        else first.system_prompt,
        "instance_prompt": whole.instance(task),
    }
