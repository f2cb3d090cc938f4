"""What to run, and within which bounds."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from . import events as e
from .policy import Policy
from .snapshots import SnapshotPolicy


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSpec:
    """What to run.

    Attributes:
        run_id: the session's id.
        task: what the model is asked.
        limits: what ends it.
        mode: how it begins.
        policy: about which calls a person is asked, and which never run.
        input: host file or folder copied into the input directory.
        output: host folder the results are copied to, or None.
        max_lines, max_chars: bounds of an observation.
        mirror_size: columns and rows of the mirror until a screen says otherwise.
        tty: whether commands run on a terminal of their own, with colours and progress bars.
        snapshots: when the sandbox's file system is kept.
    """

    run_id: str
    task: str
    limits: e.Limits = field(default_factory=e.Limits)
    mode: e.Mode = "auto"
    policy: Policy = field(default_factory=Policy)
    input: Path | None = None
    output: Path | None = None
    max_lines: int = 160
    max_chars: int = 20_000
    mirror_size: tuple[int, int] = (100, 30)
    tty: bool = False
    snapshots: SnapshotPolicy = field(default_factory=SnapshotPolicy)
