"""The fields of the form: what they mean, and what is wrong with what they contain."""

from __future__ import annotations

from sandbox_tui.core.config import settings as config
from sandbox_tui.core.evals.scorers.table import SCORERS
from sandbox_tui.tui.format.setting_text import (
    HINTS,
    MODEL_NEEDED,
    mistake_of_count,
    mistake_of_server,
    mistake_of_setting,
    text_of_setting,
)
from sandbox_tui.tui.screens.dialogs.form import Mistakes, Texts
from sandbox_tui.tui.screens.evals.start_eval import LIKE_SETTING, OWN_SCORER

MOST = {"limit": None, "samples": None, "at_once": 1024, "steps": None}
"""The number fields, with the highest number if there is one."""

MEANINGS = {
    "suite": (
        "a name (pocket, math, …) or a file: .yaml, or data (.jsonl, .json, .csv, .parquet) with "
        "columns problem or question, target or answer"
    ),
    "scorer": "how answers are compared with the target; a data file needs one, or a column scorer",
    "model": HINTS["model.name"],
    "url": HINTS["model.base_url"],
    "domains": "only tasks of these domains, with commas between them; empty for all",
    "limit": "at most this many tasks of each domain; empty for all",
    "samples": "how often each task is run in each mode; empty for the suite's own number",
    "at_once": "how many samples run at the same time; empty for as many as fit in memory",
    "steps": "steps of a sample; empty: what the suite or the settings say",
    "temperature": "sampling temperature; empty: what the suite or the settings say",
    "budget": "seconds, or such as 30m or 8h, for all samples; empty for no limit",
    "budget_tokens": "input and output tokens of all samples; empty for no limit",
    "budget_cost": "US dollars for all samples; empty for no limit",
    "mode": "sandbox: with a computer; vanilla: without one; both: what the computer adds",
    "kind": HINTS["sandbox.kind"],
}
"""What the fields mean."""

TYPING_SECONDS = 0.3
"""Pause in typing after which the tasks of a suite are counted."""

LAST_USED = "last used"
"""Note at the model and server of the last run or evaluation, and at what else it used."""

_USUAL_SCORERS = ("exact", "number", "math_verify", "choice", "multiple_choice", "judge")
SCORER_CHOICES = (OWN_SCORER, *_USUAL_SCORERS, *sorted(set(SCORERS) - set(_USUAL_SCORERS)))
"""The scorers to choose from, the usual ones first."""


def usual_values(settings: config.Settings) -> Texts:
    """Return what holds in fields that stay empty, unless the suite says something else."""
    return {
        "samples": "the suite's",
        "steps": str(settings.limits.max_steps),
        "temperature": text_of_setting(settings, LIKE_SETTING["temperature"]) or "the server's",
    }


def mistakes_in(typed: Texts, settings: config.Settings) -> Mistakes:
    """Return what is wrong with the fields, without reading the suite."""
    found: Texts = {
        "suite": "" if typed["suite"] else "Enter a suite's name, or the path of a file.",
        "model": "" if typed["model"] else MODEL_NEEDED,
        **{name: mistake_in(name, typed[name]) for name in (*MOST, *LIKE_SETTING)},
    }
    changed = config.changed(settings, {"model.base_url": typed["url"]})
    if words := mistake_of_server(typed["url"]):
        found["url"] = words
    elif config.lacks_key(changed.model):
        found["url"] = f"Enter a URL, or set {settings.model.api_key_env}."
    return {name: words for name, words in found.items() if words}


def mistake_in(name: str, text: str) -> str:
    """Return what is wrong with the text of a number field; empty for other fields."""
    if not text or name not in (*MOST, *LIKE_SETTING):
        return ""
    if name in MOST:
        return mistake_of_count(text, MOST[name])
    return mistake_of_setting(LIKE_SETTING[name], text)
