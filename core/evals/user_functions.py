"""Calls functions in the user's own Python files, such as reward.py, in a separate process.

The code is as trusted as the user's shell, but it may hang, print, exit or exhaust memory, so it
is never imported into this program.
"""

from __future__ import annotations

import os
import sys
import types
from collections.abc import Sequence
from pathlib import Path
from typing import Any

Arguments = tuple[Sequence[Any], dict[str, Any]]
"""Positional and keyword arguments of one call, JSON-compatible."""

MAX_OWN_BYTES = 64 << 30
"""Address space limit, generous because user code may load large libraries."""


def call_user_function(
    source: str, folder: str, file: str, function: str, calls: Sequence[Arguments]
) -> list[Any]:
    """Call a function several times and return the results. Call this in a worker only.

    Args:
        source: Python source of the module.
        folder: directory of the module, used as working directory and import path; empty: none.
        file: file name of the module.
        function: name of the function in the module.
        calls: arguments of each call.
    """
    if folder and Path(folder).is_dir():
        os.chdir(folder)
        sys.path.insert(0, folder)
    module = types.ModuleType("own_code")
    module.__file__ = f"{folder}/{file}"
    sys.modules["own_code"] = module
    exec(compile(source, module.__file__, "exec"), module.__dict__)
    called = getattr(module, function)
    return [called(*args, **named) for args, named in calls]
