"""The mirror's time of a command is the one that everything else says."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from sandbox_tui.core.environment import terminal_mirror
from sandbox_tui.core.environment.terminal_mirror import TerminalMirror
from sandbox_tui.core.events.sink import NullEventSink
from sandbox_tui.core.tools.base import Observation
from tests.fakes import FakeSandbox


class Printed(NullEventSink):
    def __init__(self) -> None:
        self.data = b""

    async def output(self, terminal: str, data: bytes) -> None:
        self.data += data


async def test_a_failed_command_has_one_duration(monkeypatch: pytest.MonkeyPatch) -> None:
    moments = iter((10.0, 10.03496))
    monkeypatch.setattr(terminal_mirror, "time", SimpleNamespace(monotonic=lambda: next(moments)))
    events, sandbox = Printed(), FakeSandbox()
    mirror = TerminalMirror(sandbox, events)  # type: ignore[arg-type]

    async def work(_: Any) -> Observation:
        return Observation(text="no", ok=False, exit_code=1)

    observation = await mirror.show("model", "false", work)
    assert observation.seconds == 0.035
    assert f"exit 1 · {observation.seconds:.2f}s".encode() in events.data
