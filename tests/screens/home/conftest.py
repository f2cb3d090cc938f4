"""Fixtures for tests of the forms on the home screen."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from sandbox_tui.core.run.run_request import RunRequest
from sandbox_tui.tui.screens.home.run_starts import RunStarts


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[RunRequest]:
    """Collect the requests that the home screen would start, without starting them."""
    requests: list[RunRequest] = []

    def begin(self: RunStarts, wanted: Sequence[RunRequest], *_: object) -> None:
        requests.extend(wanted)

    monkeypatch.setattr(RunStarts, "begin", begin)
    return requests
