"""Addresses of model servers as people type them."""

from __future__ import annotations

import pytest

from sandbox_tui.core.config.valid_values import with_scheme


@pytest.mark.parametrize(
    "typed",
    [
        *("127.0.0.1:8000", "localhost:8000/v1", "192.168.0.7:1/v1", "10.1.2.3:80", "[::1]:8000"),
        *("localhost/v1", "gpu:8000", "gpu07/v1", "127.0.0.1/v1", "box.local:8000/v1"),
    ],
)
def test_a_server_nearby_gets_http(typed: str) -> None:
    assert with_scheme(typed) == f"http://{typed}"


@pytest.mark.parametrize(
    "typed",
    ["api.openai.com/v1", "models.example", "example.org:8000", "8.8.8.8:80", "a-b.example.org/v1"],
)
def test_a_server_elsewhere_gets_https(typed: str) -> None:
    assert with_scheme(typed) == f"https://{typed}"


@pytest.mark.parametrize(
    "typed",
    [
        *(
            "",
            "here",
            "localhost",
            "127.0.0.1",
            "gpu 7:8000",
            "two words/v1",
            ".",
            "...",
            "-x:80",
            "/v1",
        ),
        *("https://127.0.0.1:8000", "127.0.0.1:x", "127.0.0.1:99999", "me@127.0.0.1:80", "[::1"),
    ],
)
def test_any_other_text_stays(typed: str) -> None:
    assert with_scheme(typed) == typed
