"""A run whose model its server does not list starts, with a warning."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from sandbox_tui.core.config.settings import load
from sandbox_tui.core.run.run_request import RunRequest
from sandbox_tui.sessions.remote import detached
from sandbox_tui.tui.cli.main import main
from sandbox_tui.tui.lifecycle.unlisted_models import warn_of_unlisted_models
from tests.scripted_server import ScriptedServer


@pytest.mark.parametrize(
    ("listed", "closest"),
    [(["qwen3-coder", "gpt-oss"], "qwen3-coder"), (["qwen3"], ""), ([], "")],
)
async def test_the_closest_model_is_named(listed: list[str], closest: str) -> None:
    warnings: list[str] = []
    with ScriptedServer([]) as server:
        server.models = listed
        settings = load({"model.base_url": server.url, "model.name": "qwen3"})
        request = RunRequest(task="x", settings=settings)
        await warn_of_unlisted_models([request, request], warnings.append)
        where = server.url.rstrip("/")
    sentence = f"{where} lists no model qwen3; the closest is {closest}."
    assert warnings == ([sentence] if closest else [])


async def test_a_model_with_nothing_in_common_is_not_named() -> None:
    warnings: list[str] = []
    with ScriptedServer([]) as server:
        server.models = ["gpt-oss"]
        settings = load({"model.base_url": server.url, "model.name": "qwen3"})
        await warn_of_unlisted_models([RunRequest(task="x", settings=settings)], warnings.append)
        where = server.url.rstrip("/")
    assert warnings == [f"{where} lists no model qwen3, but gpt-oss."]


async def test_a_server_that_does_not_answer_is_no_reason_for_a_warning() -> None:
    warnings: list[str] = []
    settings = load({"model.base_url": "http://127.0.0.1:9/v1", "model.name": "qwen3"})
    await warn_of_unlisted_models([RunRequest(task="x", settings=settings)], warnings.append)
    assert warnings == []


def test_the_warning_about_a_detached_run_is_printed(
    monkeypatch: pytest.MonkeyPatch, own_home: Path
) -> None:
    begun: list[detached.Job] = []

    def begin(job: detached.Job) -> str:
        begun.append(job)
        return "the-id"

    monkeypatch.setattr(detached, "begin", begin)
    with ScriptedServer([]) as server:
        server.models = ["qwen3-coder"]
        words = ["run", "x", "--detach", "--model", "qwen3", "--base-url", server.url]
        done = CliRunner().invoke(main, words)
        assert done.stdout == "the-id\n"
        assert done.stderr.startswith("sandbox-tui: warning: ")
        assert "lists no model qwen3; the closest is qwen3-coder." in done.stderr
        done = CliRunner().invoke(main, [*words, "--json"])
    assert json.loads(done.stdout) == {"id": "the-id", "task": "x"}
    assert len(begun) == 2
