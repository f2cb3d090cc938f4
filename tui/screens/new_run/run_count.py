"""How many runs the form for new runs starts."""

from __future__ import annotations

from sandbox_tui.core.config.model_names import split_models
from sandbox_tui.core.run.run_request import MAX_RUNS, split_tasks
from sandbox_tui.tui.format.setting_text import mistake_of_count
from sandbox_tui.tui.screens.dialogs.form import Texts


def start_words(typed: Texts) -> str:
    """Return what the start key does: how many runs it starts if there are several; empty while
    the number of samples is not valid."""
    samples = typed["samples"].strip()
    if mistake_of_count(samples, MAX_RUNS):
        return ""
    tasks, models = len(split_tasks(typed["task"])), len(split_models(typed["model"]))
    count = max(1, tasks) * max(1, models) * int(samples)
    return f"start {count} runs" if count > 1 else "start"
