"""Says which model the last run used, where none is set."""

from __future__ import annotations

import shlex

from sandbox_tui.core.base.errors import SandboxTuiError
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.config.settings import data_dir
from sandbox_tui.core.models.error_mapping import without_secrets


def last_used_words() -> str:
    """Return the options that name the model of the last run and its server, as a sentence; empty
    if there is no such run."""
    from sandbox_tui.sessions import Store
    from sandbox_tui.sessions.relations.last_model import last_model

    path = data_dir() / "sessions.db"
    if not path.exists():
        return ""
    try:
        with Store.open_readonly_if_needed(path) as store:
            last = last_model(store)
    except SandboxTuiError:
        return ""
    if last is None:
        return ""
    options = ["--model", last.name]
    if last.base_url:
        options += ["--base-url", without_secrets(last.base_url)]
    return f"The last run used `{sanitize_line(shlex.join(options))}`."
