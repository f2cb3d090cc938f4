"""Which values of the right type a setting accepts, so that a wrong one is refused when it is
entered and not when a run uses it."""

from __future__ import annotations

import re
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from sandbox_tui.core.base.errors import ConfigError

VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
"""The name of an environment variable."""

_MORE_THAN_0 = frozenset(
    {
        "model.request_timeout",
        "model.stall_timeout",
        "sandbox.memory",
        "sandbox.cpus",
        "sandbox.pids",
        "agent.observation_lines",
        "agent.observation_chars",
    }
)
_0_OR_MORE = frozenset(
    {"model.temperature", "sandbox.grace", "sandbox.snapshots_kept", "sandbox.snapshots_bytes"}
)
_LAST_PORT = 65535


def is_server_address(url: str) -> bool:
    """Return whether a text may be the address of a model server."""
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        return False


def with_scheme(url: str) -> str:
    """Return an address with `http://` before it if it is a port of this machine or of a private
    network without a scheme; otherwise unchanged."""
    try:
        parts = urlsplit(f"http://{url}")
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return url
    if "://" in url or port is None or parts.username is not None:
        return url
    return f"http://{url}" if host == "localhost" or _is_private(host) else url


def _is_private(host: str) -> bool:
    try:
        return ip_address(host).is_private  # includes loopback
    except ValueError:
        return False


def refuse_unusable_value(name: str, value: Any) -> None:
    """Refuse a value that has the right type but that no run could use.

    Args:
        name: dotted name of the setting.
        value: converted to the setting's type; None is always accepted.

    Raises:
        ConfigError: the message says what the value must be.
    """
    if value is None:
        return
    if (name.startswith("limits.") or name in _MORE_THAN_0) and not value > 0:
        raise ConfigError(f"{name} must be more than 0.")
    if name in _0_OR_MORE and not value >= 0:
        raise ConfigError(f"{name} must be 0 or more.")
    if name == "model.base_url" and value and not is_server_address(value):
        raise ConfigError(
            f"{name} must begin with http:// or https://, such as http://127.0.0.1:8000/v1, not "
            f"{value!r}."
        )
    if name == "model.local_ports" and not all(0 < port <= _LAST_PORT for port in value):
        raise ConfigError(f"{name} must be a list of ports from 1 to {_LAST_PORT}.")
