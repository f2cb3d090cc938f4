"""The run request of the demo, with its scripted model and its documents as input."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from sandbox_tui.core.base.errors import StoreError
from sandbox_tui.core.config.settings import Settings, changed, data_dir
from sandbox_tui.core.events.types import Mode
from sandbox_tui.core.models.demo_model import DEMO_TASK, DemoModel, demo_documents
from sandbox_tui.core.run.run_request import RunRequest


def demo_request(
    settings: Settings,
    *,
    mode: Mode | None = None,
    speed: float = 1.0,
    output: Path | None = None,
    given: Mapping[str, Any] | None = None,
) -> RunRequest:
    """Return the demo's run request.

    The script has a fixed length, so the user's limits, which are meant for models, do not apply.

    Args:
        speed: 0 skips the script's pauses.
        given: settings given for this demo, by dotted name; limits among them apply.

    Raises:
        StoreError: the demo's documents cannot be written.
    """
    limits = {
        name: value
        for name, value in (given or {}).items()
        if name.startswith("limits.") and value is not None
    }
    return RunRequest(
        task=DEMO_TASK,
        settings=changed(msgspec.structs.replace(settings, limits=Settings().limits), limits),
        mode=mode,
        input=_documents(),
        output=output,
        model=DemoModel(speed=speed),
    )


def _documents() -> Path:
    """Return the folder with the demo's documents, written if they are missing or have changed."""
    folder = data_dir() / "demo"
    try:
        _write_missing(folder)
    except OSError as error:
        raise StoreError(
            f"The demo's documents cannot be written to {folder}: {error.strerror}. "
            "SANDBOX_TUI_HOME=DIR keeps everything in another folder."
        ) from error
    return folder


def _write_missing(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in demo_documents().items():
        path = folder / name
        if not path.exists() or path.read_bytes() != data:
            temporary = path.with_suffix(f".{os.getpid()}")  # another program may be reading them
            temporary.write_bytes(data)
            temporary.replace(path)
