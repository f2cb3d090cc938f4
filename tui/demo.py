"""The demo as a run: its scripted model, its documents in a folder that can be copied in."""

from __future__ import annotations

import tempfile
from pathlib import Path

from ..core.config import Settings
from ..core.events import Mode
from ..core.launch import RunRequest
from ..core.models.demo import DEMO_TASK, DemoModel, demo_documents


def demo_request(
    settings: Settings, *, mode: Mode | None = None, speed: float = 1.0, output: Path | None = None
) -> RunRequest:
    """The demo's run; `speed` 0 leaves out the script's pauses."""
    folder = Path(tempfile.mkdtemp(prefix="sandbox-tui-demo-"))
    for name, data in demo_documents().items():
        (folder / name).write_bytes(data)
    return RunRequest(
        task=DEMO_TASK,
        settings=settings,
        mode=mode,
        input=folder,
        output=output,
        model=DemoModel(speed=speed),
    )
