"""Imports the screens that the user is likely to open next, after the first one is shown."""

from __future__ import annotations

import importlib
import threading

from sandbox_tui.tui.lifecycle.gc_tuning import tune_gc

_NEXT = (
    "cockpit.live.live_screen",
    "cockpit.replay.replay_screen",
    "new_run.new_run",
    "wall.wall_screen",
    "compare.compare_screen",
    "evals.eval_screen",
    "training.training_screen",
)


def preload_screens() -> None:
    """Import the other screens in the background, so that the first of them opens at once."""
    threading.Thread(target=_import, name="importing", daemon=True).start()


def _import() -> None:
    for name in _NEXT:
        importlib.import_module(f"sandbox_tui.tui.screens.{name}")
    tune_gc()
