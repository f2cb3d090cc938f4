"""What is wrong with the form for new runs, beyond the syntax of its settings."""

from __future__ import annotations

from collections.abc import Sequence

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.base.typed_path import is_there, typed_path
from sandbox_tui.core.config import settings as config
from sandbox_tui.core.config.model_names import split_models
from sandbox_tui.core.prompts import load_pack
from sandbox_tui.core.run.run_request import MAX_RUNS
from sandbox_tui.tui.format.setting_text import MODEL_NEEDED, mistake_of_count
from sandbox_tui.tui.screens.dialogs.form import Mistakes, Texts
from sandbox_tui.tui.screens.new_run.run_fields import NUMBERS, ONE_DEFAULT, mistake_in


def missing(tasks: Sequence[str], typed: Texts) -> Mistakes:
    """Return what is wrong with the fields that are no settings, and what a run cannot lack."""
    found = {
        "task": "" if tasks else "Enter a task.",
        "model": "" if split_models(typed["model"]) else MODEL_NEEDED,
        "input": no_input(typed["input"].strip()),
        "samples": mistake_of_count(typed["samples"].strip(), MAX_RUNS),
        "seed": mistake_in("seed", typed["seed"].strip()),
    }
    return {name: words for name, words in found.items() if words}


def no_input(path: str) -> str:
    """Return that a typed path does not exist; empty if it does, or if there is none."""
    return "This path does not exist." if path and not is_there(typed_path(path)) else ""


def mistake_when_left(name: str, text: str) -> str:
    """Return what is wrong with the text of a field that has just lost the focus."""
    if name in ("output", "url"):
        return mistake_in(name, text)
    return no_input(text) if name == "input" else ""


def mistake_while_typing(name: str, text: str) -> str:
    """Return what is wrong with a number that is being typed; empty for other fields."""
    if not text or name not in NUMBERS:
        return ""
    return mistake_of_count(text, MAX_RUNS) if name == "samples" else mistake_in(name, text)


def no_default(typed: Texts) -> Mistakes:
    """Return that several models cannot be the default."""
    return {"model": ONE_DEFAULT} if len(split_models(typed["model"])) > 1 else {}


def without_server(settings: config.Settings) -> Mistakes:
    """Return that the model's server cannot be used."""
    if not config.lacks_key(settings.model):
        return {}
    return {"url": f"Enter a URL, or set {settings.model.api_key_env}."}


def without_pack(settings: config.Settings) -> Mistakes:
    """Return that the prompt pack cannot be loaded."""
    try:
        load_pack(settings.agent.prompts)
    except ConfigError as error:
        return {"prompts": sanitize_line(str(error))}
    return {}


def unusable(settings: config.Settings) -> Mistakes:
    """Return that the server or the prompt pack cannot be used."""
    return {**without_server(settings), **without_pack(settings)}
