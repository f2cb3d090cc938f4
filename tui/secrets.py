"""The secrets this program knows of: whatever is handed on is looked through for them."""

from __future__ import annotations

import os

from ..core.config import api_key, load
from ..core.errors import SandboxTuiError
from ..sessions.redaction import secrets_of


def known_secrets() -> list[str]:
    """Values of variables named like secrets, and of the one that holds the model's key."""
    secrets = secrets_of(os.environ)
    try:
        key = api_key(load().model)
    except SandboxTuiError:
        key = None
    return [*secrets, key] if key else secrets
