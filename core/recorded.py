"""What is written down of a run's settings, so that another program can take it up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from .events import SANDBOX_FIELDS, RunSettings
from .sandboxes.base import SandboxSpec

if TYPE_CHECKING:
    from .run_spec import RunSpec


def recorded_settings(spec: RunSpec, sandbox: SandboxSpec) -> RunSettings:
    """The settings of a run; host paths are absolute, for the next program may start elsewhere."""
    return RunSettings(
        mode=spec.mode,
        policy=_as_stored(spec.policy),
        input=None if spec.input is None else str(spec.input.absolute()),
        output=None if spec.output is None else str(spec.output.absolute()),
        observation_lines=spec.max_lines,
        observation_chars=spec.max_chars,
        tty=spec.tty,
        sandbox={name: getattr(sandbox, name) for name in SANDBOX_FIELDS},
    )


def _as_stored(value: object) -> Any:
    """Plain values as they come back from the database, where a tuple is a list."""
    return msgspec.json.decode(msgspec.json.encode(value))
