"""Opens the engine that a recipe names."""

from __future__ import annotations

import contextlib
import os
from collections.abc import AsyncGenerator

import msgspec

from sandbox_tui.core.evals.optional_packages import missing_extra
from sandbox_tui.core.models.factory import open_model
from sandbox_tui.core.rl.recipe import Recipe
from sandbox_tui.core.rl.training.collect_engine import CollectEngine
from sandbox_tui.core.rl.training.engine import Engine


@contextlib.asynccontextmanager
async def open_engine(recipe: Recipe) -> AsyncGenerator[Engine, None]:
    """Open the recipe's engine; close it when the context ends.

    Raises:
        ConfigError: its packages are not installed, or its model's server cannot be used.
    """
    if recipe.engine == "trl":
        yield _trl()
        return
    settings = msgspec.structs.replace(
        recipe.server, name=recipe.model, temperature=recipe.training.temperature
    )
    model = open_model(settings, os.environ.get(settings.api_key_env))
    try:
        yield CollectEngine(model, settings)
    finally:
        await model.close()


def _trl() -> Engine:
    try:
        from sandbox_tui.core.rl.adapters.trl_engine import TrlEngine
    except ImportError as error:
        raise missing_extra("The engine trl", "trl") from error
    return TrlEngine()
