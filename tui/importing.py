"""Imports in the pause after the first screen is shown: what a person is likely to open next."""

from __future__ import annotations

import importlib
import threading

from .collecting import collect_rarely

_NEXT = ("screens.live", "screens.replay", "screens.new_run", "screens.wall", "screens.compare")


def import_rest() -> None:
    """Import the other screens in the background, so that the first of them opens at once."""
    threading.Thread(target=_import, name="importing", daemon=True).start()


def _import() -> None:
    for name in _NEXT:
        importlib.import_module(f"{__package__}.{name}")
    collect_rarely()
