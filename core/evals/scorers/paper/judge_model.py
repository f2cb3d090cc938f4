"""Finds the judge's model if the suite names none: by a variable, or by asking the server."""

from __future__ import annotations

import asyncio
import functools
import os
from concurrent.futures import ThreadPoolExecutor

from sandbox_tui.core.base.errors import ConfigError, ModelError
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.config.settings import ModelSettings, api_key
from sandbox_tui.core.models.discovery import ask_for_models
from sandbox_tui.core.models.error_mapping import without_secrets

MODEL_VARIABLE = "JUDGE_MODEL"
"""Environment variable with the judge's model, for suites that do not name one."""

MAX_NAMED = 5
"""Maximum number of models named in one sentence."""

_WAYS = (
    f"Set ${MODEL_VARIABLE}, or scorer_options.judge.model in the suite file, as in "
    "scorer_options: {{judge: {{model: {example}}}}}."
)


def judge_model(base_url: str, api_key_env: str) -> str:
    """Return `$JUDGE_MODEL`, or else the only model that the server lists. May block for as long as
    a server has to answer (`discovery.MAX_WAIT_SECONDS`).

    Raises:
        ConfigError: the variable is not set, and there is no server to ask, it does not answer, or
            it does not list exactly one model.
    """
    if named := os.environ.get(MODEL_VARIABLE, ""):
        return named
    if not base_url:
        raise ConfigError(f"The judge has no model. {_WAYS.format(example='NAME')}")
    return _only_model(base_url, api_key_env)


def forget_found_models() -> None:
    """Ask the servers again: one of them may have another model now."""
    _only_model.cache_clear()


@functools.lru_cache(maxsize=8)  # each sample makes its own judge
def _only_model(base_url: str, api_key_env: str) -> str:
    settings = ModelSettings(base_url=base_url, api_key_env=api_key_env)
    try:
        with ThreadPoolExecutor(1) as thread:  # the caller's thread may have a running event loop
            asking = thread.submit(lambda: asyncio.run(ask_for_models(settings, api_key(settings))))
            models = asking.result().models
    except ModelError as error:
        ways = _WAYS.format(example="NAME")
        raise ConfigError(f"The judge has no model, and {error} {ways}") from error
    if len(models) == 1:
        return models[0]
    where = without_secrets(base_url)
    if not models:
        raise ConfigError(
            f"The judge has no model, and {where} lists none. {_WAYS.format(example='NAME')}"
        )
    more = ", …" if len(models) > MAX_NAMED else ""
    named = sanitize_line(", ".join(models[:MAX_NAMED]))
    raise ConfigError(
        f"The judge has no model, and {where} has {len(models)}: {named}{more}. "
        f"{_WAYS.format(example=models[0])}"
    )
