"""Detects names of environment variables and request fields that denote secrets."""

from __future__ import annotations

import re

_SECRET = re.compile(
    r"(?:^|[_.-])"
    r"(?:[A-Z0-9]*(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSW|PASSPHRASE|CREDENTIAL)S?"
    r"|(?:PROXY[_-]?)?AUTHORIZATION|PASS)\d*"
    r"(?:$|[_.-])",
    re.IGNORECASE,
)
_LOCATION = re.compile(r"(?:^|_)(?:PATH|FILE|DIR|FOLDER|HOME|SOCK|CONTROL)$", re.IGNORECASE)
"""Names of locations, which are not secrets themselves."""


def is_secret_name(name: str) -> bool:
    """Return whether a value with this name is a secret: `OPENAI_API_KEY`, `Authorization`,
    `password`."""
    return bool(_SECRET.search(name)) and not _LOCATION.search(name)
