"""The specification of a run: its task, its limits and how it works."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sandbox_tui.core.base.defaults import MIRROR_SIZE, OBSERVATION_CHARS, OBSERVATION_LINES
from sandbox_tui.core.environment.snapshotter import SnapshotPolicy
from sandbox_tui.core.events import types as e
from sandbox_tui.core.policy.rules import Policy


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSpec:
    """The specification of a run.

    Attributes:
        run_id: the session's id.
        task: the task for the model.
        limits: what ends the run.
        mode: the initial run mode.
        turn_policy: how the agent treats replies and requests.
        policy: which calls need approval and which never run.
        input: host file or folder copied into the input directory.
        output: host folder the results are copied to, or None.
        max_lines, max_chars: maximum size of an observation.
        mirror_size: columns and rows of the mirror until a screen sets them.
        tty: whether commands run on their own terminal, with colours and progress bars.
        files: input files as bytes, by path in the input directory.
        labels: recorded with the run.
        setup: commands run in the sandbox before the model starts.
        seed: seed of the first request; each later step adds one.
        snapshots: when snapshots of the sandbox are taken.
        watch: when its files are scanned.
    """

    run_id: str
    task: str
    limits: e.Limits = field(default_factory=e.Limits)
    mode: e.Mode = "auto"
    turn_policy: e.TurnPolicy = field(default_factory=e.TurnPolicy)
    policy: Policy = field(default_factory=Policy)
    input: Path | None = None
    output: Path | None = None
    max_lines: int = OBSERVATION_LINES
    max_chars: int = OBSERVATION_CHARS
    mirror_size: tuple[int, int] = MIRROR_SIZE
    tty: bool = False
    files: Mapping[str, bytes] = field(default_factory=dict[str, bytes])
    labels: Mapping[str, str] = field(default_factory=dict[str, str])
    setup: tuple[str, ...] = ()
    seed: int | None = None
    snapshots: SnapshotPolicy = field(default_factory=SnapshotPolicy)
    watch: e.Watch = "live"
