"""The model of the last run as the first choice for the next one."""

from __future__ import annotations

from sandbox_tui.core.config.settings import Settings, changed
from sandbox_tui.sessions.relations.last_model import LastModel

FROM_LAST_RUN = "from your last run"


def with_last_model(settings: Settings, last: LastModel | None) -> Settings:
    """Return the settings with the model and server of the last run if they name no model; a server
    that they name stays."""
    if last is None or settings.model.name:
        return settings
    if settings.model.base_url not in ("", last.base_url):
        return settings
    return changed(settings, {"model.name": last.name, "model.base_url": last.base_url})
