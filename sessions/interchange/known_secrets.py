"""The secrets known to this program, which exports and crash reports redact."""

from __future__ import annotations

import os

from sandbox_tui.core.base.errors import SandboxTuiError
from sandbox_tui.core.config.settings import api_key, load
from sandbox_tui.sessions.interchange.redaction import secrets_of


def known_secrets() -> list[str]:
    """Return the values of environment variables that are named like secrets, and the API key."""
    secrets = secrets_of(os.environ)
    try:
        key = api_key(load().model)
    except SandboxTuiError:
        key = None
    return [*secrets, key] if key else secrets
