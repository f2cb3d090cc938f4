"""Imports sqlite-utils without its optional, slow dependencies."""

from __future__ import annotations

import contextlib
import importlib
import sys
from types import ModuleType

_ON_THE_SIDE = ("pandas", "numpy")
"""If these are installed, sqlite-utils imports them for column types that no migration uses. That
takes three times as long as creating all tables."""


def import_sqlite_utils() -> ModuleType:
    """Import `sqlite_utils`."""
    hidden = [name for name in _ON_THE_SIDE if name not in sys.modules]
    if "sqlite_utils" in sys.modules:
        hidden = []
    for name in hidden:
        sys.modules[name] = None  # type: ignore[assignment]  # an import of it fails
    try:
        return importlib.import_module("sqlite_utils")
    finally:
        for name in hidden:
            with contextlib.suppress(KeyError):
                del sys.modules[name]
