"""Recipes for `sandbox-tui rl train`: from a file, or as recorded."""

from __future__ import annotations

import msgspec

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.rl.recipe import Recipe, load_recipe
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.store.tables import trainings


def given_recipe(path: str, seed: int | None) -> Recipe:
    """Read the recipe in a file; `seed` replaces its seed if given.

    Raises:
        ConfigError: the recipe is not valid; the message says where.
    """
    return load_recipe(path, seed=seed)


def recorded_recipe(store: Store, training: str) -> Recipe:
    """Return the recipe of a recorded training.

    Raises:
        StoreError: there is no such training.
        ConfigError: it was not started from a recipe.
    """
    found = trainings.summary(store, training)
    if found.status == "finished":
        raise ConfigError(f"The training {found.id} is finished, so there is nothing to resume.")
    try:
        return msgspec.convert(found.recipe, Recipe)
    except msgspec.ValidationError as error:
        raise ConfigError(
            f"The recipe of the training {found.id} cannot be read: {error}"
        ) from error
