"""The job that a detached program receives."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import msgspec
import pytest

from sandbox_tui.core.base.errors import SandboxTuiError
from sandbox_tui.core.config.settings import Settings
from sandbox_tui.core.events.types import ToolFormat, TurnPolicy
from sandbox_tui.core.prompts import load_pack
from sandbox_tui.core.run.run_request import RunRequest
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.remote import detached
from sandbox_tui.sessions.remote.detached import Job


def test_a_job_carries_the_whole_request(tmp_path: Path) -> None:
    request = RunRequest(
        task="a task",
        settings=Settings(),
        mode="ask",
        input=tmp_path / "in",
        output=tmp_path / "out",
        copy_results=False,
        tools=("execute_bash", "submit"),
        pack=load_pack("general"),
        files={"data.bin": b"\x00\xff"},
        environment={"SUITE": "proof"},
        setup=("make ready",),
        labels={"sample": "3"},
        seed=7,
        tool_format=ToolFormat(mode="text", family="json"),
        turn_policy=TurnPolicy(no_call="final_answer", steps_remaining=False),
        watch="off",
    )
    plain = RunRequest(task="a task", settings=Settings())
    told = [each.name for each in fields(RunRequest) if each.name not in ("settings", "model")]
    same = [name for name in told if getattr(request, name) == getattr(plain, name)]
    assert same == ["task"], "a new field of the request needs a value here, and a place in Job"
    job = msgspec.json.decode(msgspec.json.encode(Job.of(request)), type=Job)
    store = Store(tmp_path / "s.db")
    assert job.worker(store).request == request
    store.close()


@pytest.mark.parametrize("command", [["/no/such/program"], ["sh", "-c", "exec <&-"]])
def test_a_program_that_cannot_be_started_or_ends_at_once_is_an_error_of_ours(
    own_home: Path, monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    """The program that detached the run then takes it back."""
    own_home.mkdir()
    monkeypatch.setattr(detached, "COMMAND", command)
    with pytest.raises(SandboxTuiError, match="the run"):
        detached.begin(Job(settings=Settings(), task="x" * 1_000_000))
