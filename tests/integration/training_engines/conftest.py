"""Imports the installed engines early: the warnings of their imports are not ours to fix."""

from __future__ import annotations

import contextlib
import importlib
import warnings

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    for engine in ("openenv.core", "verl.experimental.agent_loop", "verl.trainer.ppo.v1"):
        with contextlib.suppress(ImportError):
            importlib.import_module(engine)
