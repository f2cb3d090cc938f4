"""Locates the checkpoints of a training run."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from sandbox_tui.core.config.settings import data_dir
from sandbox_tui.core.rl.recipe import Recipe

_STATE = "trainer_state.json"
"""The last file that engines write into a checkpoint; without it the checkpoint is incomplete."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A complete checkpoint.

    Attributes:
        path: its folder.
        step: the last step that it includes.
    """

    path: Path
    step: int


def checkpoint_folder(recipe: Recipe, training_id: str) -> Path:
    """Return the folder of a training's checkpoints."""
    named = recipe.checkpoints.folder
    return Path(named) if named else data_dir() / "trainings" / training_id


def newest_checkpoint(folder: Path) -> Checkpoint | None:
    """Return the newest complete checkpoint in a folder; one that was cut short by a kill is
    ignored."""
    found = [
        Checkpoint(path, int(number))
        for path in folder.glob("checkpoint-*")
        if (number := path.name.rpartition("-")[2]).isdigit() and _is_whole(path)
    ]
    return max(found, key=lambda one: one.step, default=None)


def _is_whole(path: Path) -> bool:
    try:
        json.loads((path / _STATE).read_text("utf-8"))
    except (OSError, ValueError):
        return False
    return True
