"""Puts a run together from settings: model, sandbox, prompt pack, limits."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from . import config
from .blobs import Blobs
from .errors import ConfigError
from .events import Mode
from .models import open_model
from .models.base import Model
from .prompts import PromptPack, load_pack
from .run import Run
from .run_spec import RunSpec
from .sandboxes import open_sandbox
from .sandboxes.base import SandboxSpec
from .snapshots import SnapshotPolicy


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequest:
    """What a person asks for.

    Attributes:
        task: for the model.
        settings: in force.
        mode: how it begins; None: as the settings say.
        input: host file or folder for the input directory.
        output: host folder for the results; None: a new one below `settings.agent.output`.
        model: instead of the one the settings name.
    """

    task: str
    settings: config.Settings
    mode: Mode | None = None
    input: Path | None = None
    output: Path | None = None
    model: Model | None = None


MOST_RUNS = 256
"""Runs of one task that may be started at once."""


def split_tasks(text: str) -> list[str]:
    """The tasks of a text in which lines of `---` stand between them."""
    tasks = [""]
    for line in text.splitlines():
        if line.strip() == "---":
            tasks.append("")
        else:
            tasks[-1] += line + "\n"
    return [task.strip() for task in tasks if task.strip()]


def several(request: RunRequest, tasks: Sequence[str], samples: int = 1) -> list[RunRequest]:
    """A request for each run of each task; results go to folders of their own."""
    wanted = [task for task in tasks for _ in range(samples)]
    if len(wanted) == 1:
        return [replace(request, task=wanted[0])]
    outputs = [
        request.output / str(n) if request.output else None for n in range(1, len(wanted) + 1)
    ]
    return [
        replace(request, task=task, output=output)
        for task, output in zip(wanted, outputs, strict=True)
    ]


async def open_run(request: RunRequest, run_id: str, blobs: Blobs) -> Run:
    """A run, ready for `events`.

    Raises:
        ConfigError: no task, no model, or an input that is not there.
        SandboxUnavailable: nothing here can run a sandbox.
    """
    settings = request.settings
    if not request.task.strip():
        raise ConfigError("There is no task: say what the model shall do.")
    if request.input is not None and not request.input.exists():
        raise ConfigError(f"The input {request.input} does not exist.")
    model = request.model or open_model(settings.model, config.api_key(settings.model))
    pack = await asyncio.to_thread(load_pack, settings.agent.prompts)
    sandbox = await open_sandbox(settings.sandbox.kind, sandbox_spec(settings, pack, run_id))
    return Run(run_spec(request, run_id), model=model, sandbox=sandbox, pack=pack, blobs=blobs)


def sandbox_spec(settings: config.Settings, pack: PromptPack, run_id: str) -> SandboxSpec:
    """What a run with these settings asks of its sandbox."""
    where = settings.sandbox
    return SandboxSpec(
        session_id=run_id,
        image=where.image,
        network=where.network,
        memory=where.memory,
        cpus=where.cpus,
        pids=where.pids,
        grace=where.grace,
        working_dir=pack.working_dir,
        input_dir=pack.input_dir,
        output_dir=pack.output_dir,
    )


def run_spec(request: RunRequest, run_id: str) -> RunSpec:
    """What a request asks of its run."""
    settings = request.settings
    return RunSpec(
        run_id=run_id,
        task=request.task,
        limits=settings.limits,
        mode=request.mode or settings.agent.mode,
        policy=settings.policy,
        input=request.input,
        output=request.output or Path(settings.agent.output) / run_id,
        max_lines=settings.agent.observation_lines,
        max_chars=settings.agent.observation_chars,
        tty=settings.agent.tty,
        snapshots=snapshot_policy(settings.sandbox),
    )


def snapshot_policy(sandbox: config.SandboxSettings) -> SnapshotPolicy:
    """When the sandbox's file system is kept."""
    return SnapshotPolicy(
        when=sandbox.snapshots,
        most=sandbox.snapshots_kept,
        most_bytes=sandbox.snapshots_bytes,
    )
