"""Addresses of model servers as people type them."""

from __future__ import annotations

import pytest

from sandbox_tui.core.config.valid_values import with_scheme


@pytest.mark.parametrize(
    "typed",
    ["127.0.0.1:8000", "localhost:8000/v1", "192.168.0.7:1/v1", "10.1.2.3:80", "[::1]:8000"],
)
def test_a_port_nearby_gets_the_scheme(typed: str) -> None:
    assert with_scheme(typed) == f"http://{typed}"


@pytest.mark.parametrize(
    "typed",
    [
        *("", "here", "localhost", "127.0.0.1", "8.8.8.8:80", "example.org:8000", "gpu:8000"),
        *("https://127.0.0.1:8000", "127.0.0.1:x", "127.0.0.1:99999", "me@127.0.0.1:80", "[::1"),
    ],
)
def test_any_other_text_stays(typed: str) -> None:
    assert with_scheme(typed) == typed
