"""A person's own Python files, such as reward.py, called in a process of their own.

The code is as trusted as the person's shell, and no more stable: it may hang, print, exit or eat
memory, so it is never imported into this program.
"""

from __future__ import annotations

import os
import sys
import types
from collections.abc import Sequence
from pathlib import Path
from typing import Any

Arguments = tuple[Sequence[Any], dict[str, Any]]
"""Arguments of a call by position and by name, as JSON has them."""

MAX_OWN_BYTES = 64 << 30
"""Address space; such code may load anything."""


def call_own_code(
    source: str, folder: str, file: str, function: str, calls: Sequence[Arguments]
) -> list[Any]:
    """The results of calls of a function. To be called in a worker only.

    Args:
        source: Python source of the module.
        folder: that it stands in, where it runs; modules beside it can be imported. Empty: none.
        file: its name there.
        function: its name in the module.
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
