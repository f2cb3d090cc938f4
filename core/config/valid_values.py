"""Which values of the right type a setting accepts, so that a wrong one is refused when it is
entered and not when a run uses it."""

from __future__ import annotations

import json
import math
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
_0_OR_MORE = frozenset({"sandbox.grace", "sandbox.snapshots_kept", "sandbox.snapshots_bytes"})
LAST_PORT = 65535
"""The highest port of TCP."""
_HOTTEST = 2
"""Highest temperature of the OpenAI API."""
_HOST = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?")
_NEAR_ENDINGS = (".local", ".localhost", ".lan", ".internal", ".home.arpa")


def is_server_address(url: str) -> bool:
    """Return whether a text may be the address of a model server."""
    try:
        parts = urlsplit(url)
        is_http = parts.scheme in ("http", "https")
        return is_http and bool(parts.hostname) and not has_wrong_port(url)
    except ValueError:
        return False


def has_wrong_port(url: str) -> bool:
    """Return whether an address, with or without a scheme, has a port that cannot exist."""
    try:
        parts = urlsplit(url if "://" in url else f"http://{url}")
    except ValueError:
        return False
    try:
        return parts.port == 0
    except ValueError:
        return True


def with_scheme(url: str) -> str:
    """Return an address without a scheme with the usual one before it: `http://` for this machine
    and its network, `https://` for hosts elsewhere; unchanged if it may be no address."""
    try:
        parts = urlsplit(f"http://{url}")
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return url
    is_name = _HOST.fullmatch(host) is not None
    if "://" in url or parts.username is not None or not (is_name or ":" in host):
        return url
    is_named = is_name and "." in host and not _is_number(host)
    if port is None and not is_named and not parts.path.strip("/"):
        return url  # a single word
    return f"{'http' if is_near(host) else 'https'}://{url}"


def is_near(host: str) -> bool:
    """Return whether a host is this machine or one in its network."""
    try:
        return ip_address(host).is_private  # includes loopback
    except ValueError:
        return "." not in host or host.endswith(_NEAR_ENDINGS)


def _is_number(host: str) -> bool:
    return host.replace(".", "").isdecimal()


def _is_infinite(value: object) -> bool:
    return isinstance(value, float) and math.isinf(value)


def _is_json(value: object) -> bool:
    try:
        json.dumps(value, allow_nan=False, default=str)
    except (ValueError, RecursionError):
        return False
    return True


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
    if name == "model.extra_body" and not _is_json(value):
        raise ConfigError(f"{name} must be valid JSON, which has no NaN and no infinite number.")
    if _is_infinite(value):
        raise ConfigError(f"{name} must be a finite number.")
    if (name.startswith("limits.") or name in _MORE_THAN_0) and not value > 0:
        raise ConfigError(f"{name} must be more than 0.")
    if name in _0_OR_MORE and not value >= 0:
        raise ConfigError(f"{name} must be 0 or more.")
    if name == "model.temperature" and not 0 <= value <= _HOTTEST:
        raise ConfigError(f"{name} must be from 0 to {_HOTTEST}.")
    if name == "model.base_url" and has_wrong_port(value):
        raise ConfigError(f"{name} must have a port from 1 to {LAST_PORT}, not {value!r}.")
    if name == "model.base_url" and value and not is_server_address(value):
        raise ConfigError(
            f"{name} must begin with http:// or https://, such as http://127.0.0.1:8000/v1, not "
            f"{value!r}."
        )
    if name == "model.local_ports" and not all(0 < port <= LAST_PORT for port in value):
        raise ConfigError(f"{name} must be a list of ports from 1 to {LAST_PORT}.")
