"""Puts a run together again whose program is gone: as it was, in the sandbox it left."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from . import config
from . import events as e
from .blobs import Blobs
from .errors import ResumeRefused
from .launch import RunRequest, snapshot_policy
from .models import open_model
from .models.base import Model
from .models.demo import DemoModel
from .models.failures import without_keys, without_secrets
from .past import Past
from .policy import Policy
from .prompts import PromptPack
from .run import Run
from .run_spec import RunSpec
from .sandboxes import recorded_sandbox
from .sandboxes.base import SandboxSpec

NOT_RECORDED = (
    "With what this run was begun is not recorded: it was imported, or comes from an older "
    "sandbox-tui. It can be replayed."
)


def request_again(started: e.RunStarted, settings: config.Settings) -> RunRequest:
    """What was asked for at first; what is not recorded is taken from today's settings.

    Raises:
        ResumeRefused: too little is recorded.
    """
    recorded = started.settings
    if recorded is None:
        raise ResumeRefused(NOT_RECORDED)
    try:
        today = msgspec.to_builtins(settings.sandbox)
        sandbox = {**today, **recorded.sandbox, "kind": started.sandbox}
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
        raise ResumeRefused(f"With what this run was begun cannot be read: {error}.") from error
    return RunRequest(
        task=started.task,
        settings=again,
        mode=recorded.mode,
        input=Path(recorded.input) if recorded.input else None,
        output=Path(recorded.output) if recorded.output else None,
        model=_scripted(started),
    )


def open_again(past: Past, request: RunRequest, blobs: Blobs) -> Run:
    """A run, ready for `events`, that goes on where it was.

    Args:
        past: what it had come to.
        request: from `request_again`.
        blobs: where file contents go.

    Raises:
        ConfigError: its model cannot be asked.
        SandboxUnavailable: its sandbox is of a kind that is not known here.
    """
    started, settings = past.started, request.settings
    where = settings.sandbox
    model = request.model or open_model(settings.model, config.api_key(settings.model))
    sandbox = recorded_sandbox(
        started.sandbox,
        SandboxSpec(
            session_id=started.run_id,
            **{name: getattr(where, name) for name in e.SANDBOX_FIELDS},
            working_dir=started.working_dir,
            input_dir=started.input_dir,
            output_dir=started.output_dir,
        ),
    )
    spec = RunSpec(
        run_id=started.run_id,
        task=started.task,
        limits=settings.limits,
        mode=request.mode or "auto",
        policy=settings.policy,
        input=request.input,
        output=request.output,
        max_lines=settings.agent.observation_lines,
        max_chars=settings.agent.observation_chars,
        tty=settings.agent.tty,
        snapshots=snapshot_policy(where),
    )
    return Run(spec, model=model, sandbox=sandbox, pack=_pack(started), blobs=blobs, past=past)


def _pack(started: e.RunStarted) -> PromptPack:
    """The prompts as they were sent: the file they came from may be another by now."""
    return PromptPack(
        name=started.prompt_pack,
        system_prompt=started.system_prompt,
        instance_prompt=started.instance_prompt,
        working_dir=started.working_dir,
        input_dir=started.input_dir,
        output_dir=started.output_dir,
    )


def _scripted(started: e.RunStarted) -> Model | None:
    """The demo's model, where it was that."""
    speed = started.model_params.get("speed")
    if started.model == DemoModel.name and isinstance(speed, int | float):
        return DemoModel(speed=float(speed))
    return None


def _model_settings(started: e.RunStarted, today: config.ModelSettings) -> config.ModelSettings:
    """The model as recorded; its key's name and its timeouts as they are set today."""
    params = started.model_params
    address = str(params.get("base_url") or "")
    if without_secrets(today.base_url) == address:
        address = today.base_url  # with what was not recorded of it
    body: Any = params.get("extra_body") or {}
    if without_keys(today.extra_body) == body:
        body = today.extra_body
    recorded: dict[str, Any] = {
        "name": started.model,
        "base_url": address,
        "temperature": params.get("temperature"),
        "extra_body": body,
    }
    return msgspec.convert({**msgspec.to_builtins(today), **recorded}, config.ModelSettings)
