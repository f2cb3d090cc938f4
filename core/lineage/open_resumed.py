"""Resumes a run whose program has ended, in the sandbox it left behind."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from sandbox_tui.core.base.blob_store import BlobStore
from sandbox_tui.core.base.errors import ResumeRefused
from sandbox_tui.core.config import settings as config
from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.run_state import RunState
from sandbox_tui.core.lineage.recovery import RecoveredRun
from sandbox_tui.core.lineage.resumed_start import ResumedStart
from sandbox_tui.core.models.base import Model
from sandbox_tui.core.models.demo_model import DemoModel
from sandbox_tui.core.models.error_mapping import without_keys, without_secrets
from sandbox_tui.core.policy.rules import Policy
from sandbox_tui.core.prompts import PromptPack
from sandbox_tui.core.run.input_files import stored_files
from sandbox_tui.core.run.open_run import assemble, model_of, sandbox_spec
from sandbox_tui.core.run.run import Run
from sandbox_tui.core.run.run_labels import OF_COLLECTIONS
from sandbox_tui.core.run.run_request import RunRequest
from sandbox_tui.core.sandboxes.factory import recorded_sandbox

NOT_RECORDED = (
    "This run does not record its settings: it was imported, or comes from an older sandbox-tui. "
    "It can be replayed."
)


def recorded_request(started: e.RunStarted, settings: config.Settings) -> RunRequest:
    """Return the request a run was started with; unrecorded values come from the current settings.

    Raises:
        ResumeRefused: too little is recorded.
    """
    recorded = started.settings
    if recorded is None:
        raise ResumeRefused(NOT_RECORDED)
    try:
        today = msgspec.to_builtins(settings.sandbox)
        sandbox = {**today, **_usable(recorded), "kind": started.sandbox}
        again = msgspec.structs.replace(
            settings,
            model=_model_settings(started, settings.model),
            sandbox=msgspec.convert(sandbox, config.SandboxSettings),
            limits=started.limits,
            policy=msgspec.convert(recorded.policy, Policy),
            agent=msgspec.structs.replace(
                settings.agent,
                observation_lines=recorded.observation_lines,
                observation_chars=recorded.observation_chars,
                tty=recorded.tty,
            ),
        )
    except msgspec.ValidationError as error:
        raise ResumeRefused(
            f"The settings this run was started with cannot be read: {error}."
        ) from error
    return RunRequest(
        task=started.task,
        settings=again,
        mode=recorded.mode,
        input=Path(recorded.input) if recorded.input else None,
        output=Path(recorded.output) if recorded.output else None,
        copy_results=recorded.output is not None,
        model=_scripted(started),
        tools=recorded.tools,
        pack=recorded_pack(started),
        environment=recorded.environment,
        setup=recorded.setup,
        labels=recorded.labels,
        seed=recorded.seed,
        turn_policy=recorded.turn_policy,
        watch=recorded.watch,
    )


def _usable(recorded: e.RunSettings) -> dict[str, Any]:
    """Return the recorded settings of the sandbox. Samples of an evaluation take no snapshots,
    because there are many of them: a run that comes from one takes them as the user wants now."""
    if not OF_COLLECTIONS & set(recorded.labels):
        return recorded.sandbox
    return {name: value for name, value in recorded.sandbox.items() if name != e.SNAPSHOTS}


def open_resumed(
    recovered: RecoveredRun,
    request: RunRequest,
    blobs: BlobStore,
    *,
    began: float | None = None,
) -> Run:
    """Return a run, ready for `events`, that continues where it stopped.

    Args:
        recovered: the run up to the end of its program.
        request: from `recorded_request`.
        blobs: where file contents are stored.
        began: see `ResumedStart`.

    Raises:
        ConfigError: its model cannot be used.
        SandboxUnavailable: its kind of sandbox is unknown here.
    """
    started, settings = recovered.started, request.settings
    pack = recorded_pack(started)
    files = started.settings.files if started.settings else {}
    spec = sandbox_spec(settings, pack, started.run_id, request.environment)
    return assemble(
        replace(request, files=stored_files(files, blobs)),
        started.run_id,
        blobs,
        model=model_of(replace(request, tool_format=_settled_format(recovered.state))),
        sandbox=recorded_sandbox(started.sandbox, spec),
        pack=pack,
        start=ResumedStart(recovered, began),
    )


def recorded_pack(started: e.RunStarted) -> PromptPack:
    """Return the prompts as they were sent; their file may have changed since."""
    return PromptPack(
        name=started.prompt_pack,
        system_prompt=started.system_prompt,
        instance_prompt=started.instance_prompt,
        working_dir=started.working_dir,
        input_dir=started.input_dir,
        output_dir=started.output_dir,
    )


def _scripted(started: e.RunStarted) -> Model | None:
    """Return the demo model, if the run used it."""
    speed = started.model_params.get("speed")
    if started.model == DemoModel.name and isinstance(speed, int | float):
        return DemoModel(speed=float(speed))
    return None


def _settled_format(state: RunState) -> e.ToolFormat | None:
    """Return the run's tool call format, if it made any calls."""
    return state.tool_format if state.calls else None


def _model_settings(started: e.RunStarted, today: config.ModelSettings) -> config.ModelSettings:
    """Return the recorded model, with the current key name and timeouts."""
    params = started.model_params
    address = str(params.get("base_url") or "")
    if without_secrets(today.base_url) == address:
        address = today.base_url  # includes parts that are not recorded
    body: Any = params.get("extra_body") or {}
    if without_keys(today.extra_body) == body:
        body = today.extra_body
    recorded: dict[str, Any] = {
        "name": started.model,
        "base_url": address,
        "temperature": params.get("temperature"),
        "extra_body": body,
        "tool_calls": params.get("tool_calls", today.tool_calls),
    }
    return msgspec.convert({**msgspec.to_builtins(today), **recorded}, config.ModelSettings)
