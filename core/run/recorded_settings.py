"""The settings of a run as stored in its first event."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from sandbox_tui.core.agent.model_messages import MESSAGES_VERSION
from sandbox_tui.core.events.types import SANDBOX_FIELDS, SNAPSHOTS, RunSettings
from sandbox_tui.core.run.input_files import digests
from sandbox_tui.core.run.spec import RunSpec
from sandbox_tui.core.sandboxes.base import SandboxSpec
from sandbox_tui.core.tools.base import Tool


def recorded_settings(spec: RunSpec, sandbox: SandboxSpec, tools: Sequence[Tool]) -> RunSettings:
    """Return the settings, with absolute host paths because the run may be resumed from another
    folder."""
    return RunSettings(
        mode=spec.mode,
        policy=_as_stored(spec.policy),
        input=None if spec.input is None else str(spec.input.absolute()),
        output=None if spec.output is None else str(spec.output.absolute()),
        observation_lines=spec.max_lines,
        observation_chars=spec.max_chars,
        tty=spec.tty,
        sandbox={**recorded_sandbox(sandbox), SNAPSHOTS: spec.snapshots.when},
        turn_policy=spec.turn_policy,
        messages_version=MESSAGES_VERSION,
        tools=tuple(tool.name for tool in tools),
        files=digests(spec.files),
        environment=dict(sandbox.environment),
        setup=spec.setup,
        labels=dict(spec.labels),
        seed=spec.seed,
        watch=spec.watch,
    )


def recorded_sandbox(spec: SandboxSpec) -> dict[str, Any]:
    """Return the sandbox settings that are recorded."""
    return {name: getattr(spec, name) for name in SANDBOX_FIELDS}


def _as_stored(value: object) -> Any:
    """Return plain values as they come back from the database, where a tuple becomes a list."""
    return msgspec.json.decode(msgspec.json.encode(value))
