"""Opens a run from its request: model, prompts and sandbox."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path

from sandbox_tui.core.agent.tool_format_model import ToolFormatModel
from sandbox_tui.core.base.blob_store import BlobStore
from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.base.typed_path import is_there
from sandbox_tui.core.config import settings as config
from sandbox_tui.core.environment.snapshotter import SnapshotPolicy
from sandbox_tui.core.events.types import SANDBOX_FIELDS
from sandbox_tui.core.models.base import Model
from sandbox_tui.core.models.factory import open_model
from sandbox_tui.core.prompts import PromptPack, load_pack
from sandbox_tui.core.run.run import OnFinished, Run
from sandbox_tui.core.run.run_request import RunRequest
from sandbox_tui.core.run.spec import RunSpec
from sandbox_tui.core.run.start import RunStart
from sandbox_tui.core.sandboxes.base import Sandbox, SandboxSpec
from sandbox_tui.core.sandboxes.factory import open_sandbox
from sandbox_tui.core.sandboxes.no_sandbox import NoSandbox
from sandbox_tui.core.tools.registry import tools_named


async def open_run(
    request: RunRequest,
    run_id: str,
    blobs: BlobStore,
    *,
    owns_model: bool = True,
    on_finished: OnFinished | None = None,
) -> Run:
    """Return a new run, ready for `events`. See `Run` for `owns_model` and `on_finished`.

    Raises:
        ConfigError: no task, no model, an unknown tool, or an input that does not exist.
        SandboxUnavailable: this machine cannot run a sandbox.
    """
    settings = request.settings
    if not request.task.strip():
        raise ConfigError("There is no task: write what the model should do.")
    if request.input is not None and not is_there(request.input):
        raise ConfigError(f"The input {request.input} does not exist.")
    tools_named(request.tools)
    model = model_of(request)
    pack = request.pack or await asyncio.to_thread(load_pack, settings.agent.prompts)
    spec = sandbox_spec(settings, pack, run_id, request.environment)
    return assemble(
        request,
        run_id,
        blobs,
        model=model,
        sandbox=await sandbox_of(request, spec),
        pack=pack,
        owns_model=owns_model,
        on_finished=on_finished,
    )


def assemble(
    request: RunRequest,
    run_id: str,
    blobs: BlobStore,
    *,
    model: Model,
    sandbox: Sandbox,
    pack: PromptPack,
    start: RunStart | None = None,
    owns_model: bool = True,
    on_finished: OnFinished | None = None,
) -> Run:
    """Assemble a run from its parts; `start` makes it a new, resumed or forked one.

    Raises:
        ConfigError: a tool name is unknown.
    """
    return Run(
        run_spec(request, run_id),
        model=model,
        sandbox=sandbox,
        pack=pack,
        blobs=blobs,
        tools=tools_named(request.tools),
        start=start,
        owns_model=owns_model,
        on_finished=on_finished,
    )


def model_of(request: RunRequest) -> Model:
    """Return the model named by a request.

    Raises:
        ConfigError: the settings name no model.
    """
    if request.model is not None:
        return request.model
    settings = request.settings.model
    key = config.api_key(settings)
    return ToolFormatModel(
        open_model(settings, key), settings.tool_calls, previous=request.tool_format
    )


async def sandbox_of(request: RunRequest, spec: SandboxSpec) -> Sandbox:
    """Return the sandbox for a request, not yet started; a model without tools needs none.

    Raises:
        SandboxUnavailable: this machine cannot run a sandbox.
    """
    if request.tools == ():
        return NoSandbox(spec)
    return await open_sandbox(request.settings.sandbox.kind, spec)


def sandbox_spec(
    settings: config.Settings,
    pack: PromptPack,
    run_id: str,
    environment: Mapping[str, str] | None = None,
) -> SandboxSpec:
    """Return the sandbox spec of a run with these settings."""
    where = settings.sandbox
    return SandboxSpec(
        session_id=run_id,
        **{name: getattr(where, name) for name in SANDBOX_FIELDS},
        snapshot_dir=config.snapshot_dir(),
        working_dir=pack.working_dir,
        input_dir=pack.input_dir,
        output_dir=pack.output_dir,
        environment=dict(environment or {}),
    )


def run_spec(request: RunRequest, run_id: str) -> RunSpec:
    """Return the run spec of a request."""
    settings = request.settings
    output = request.output or Path(settings.agent.output) / run_id
    return RunSpec(
        run_id=run_id,
        task=request.task,
        limits=settings.limits,
        mode=request.mode or settings.agent.mode,
        turn_policy=request.turn_policy,
        policy=settings.policy,
        input=request.input,
        output=output if request.copy_results else None,
        max_lines=settings.agent.observation_lines,
        max_chars=settings.agent.observation_chars,
        tty=settings.agent.tty,
        files=request.files,
        labels=request.labels,
        seed=request.seed,
        setup=request.setup,
        snapshots=snapshot_policy(settings.sandbox),
        watch=request.watch,
    )


def snapshot_policy(sandbox: config.SandboxSettings) -> SnapshotPolicy:
    """Return the snapshot policy in these settings."""
    return SnapshotPolicy(
        when=sandbox.snapshots,
        max_count=sandbox.snapshots_kept,
        max_bytes=sandbox.snapshots_bytes,
    )
