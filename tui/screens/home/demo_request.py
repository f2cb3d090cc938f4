"""The run request of the demo, with its scripted model and its documents as input."""

from __future__ import annotations

import os
from pathlib import Path

from sandbox_tui.core.config.settings import Settings, data_dir
from sandbox_tui.core.events.types import Mode
from sandbox_tui.core.models.demo_model import DEMO_TASK, DemoModel, demo_documents
from sandbox_tui.core.run.run_request import RunRequest


def demo_request(
    settings: Settings, *, mode: Mode | None = None, speed: float = 1.0, output: Path | None = None
) -> RunRequest:
    """Return the demo's run request; `speed` 0 skips the script's pauses."""
    return RunRequest(
        task=DEMO_TASK,
        settings=settings,
        mode=mode,
        input=_documents(),
        output=output,
        model=DemoModel(speed=speed),
    )


def _documents() -> Path:
    """Return the folder with the demo's documents, written if they are missing or have changed."""
    folder = data_dir() / "demo"
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in demo_documents().items():
        path = folder / name
        if not path.exists() or path.read_bytes() != data:
            temporary = path.with_suffix(f".{os.getpid()}")  # another program may be reading them
            temporary.write_bytes(data)
            temporary.replace(path)
    return folder
