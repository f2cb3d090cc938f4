"""Completion of `--image`: the images of the Docker engine, if it answers at once."""

from __future__ import annotations

import time

import pytest
from click.shell_completion import ShellComplete

from sandbox_tui.core.base.errors import SandboxUnavailable
from sandbox_tui.core.sandboxes.docker import engine
from sandbox_tui.tui.cli.main import main

COMMANDS = ("run hello", "demo", "fork last", "eval run pocket", "rl serve x.jsonl")


class Api:
    """What docker-py says about images."""

    def images(self) -> list[dict[str, object]]:
        return [
            {"RepoTags": ["sandbox-tui:latest"], "Size": 2_100_000_000},
            {"RepoTags": ["sandbox-tui-snapshot:abc"], "Size": 1},
            {"RepoTags": None, "Size": 1},
            {"RepoTags": ["python:3.12", "mine:1"], "Size": 130_000_000},
        ]


class Client:
    api = Api()

    def close(self) -> None:
        pass


def completed(words: str, typed: str = "") -> list[str]:
    shell = ShellComplete(main, {}, "sandbox-tui", "_SANDBOX_TUI_COMPLETE")
    return [item.value for item in shell.get_completions(words.split(), typed)]


@pytest.fixture
def images(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "_client", lambda timeout: Client())


@pytest.mark.usefixtures("images")
@pytest.mark.parametrize("command", COMMANDS)
def test_the_images_of_the_engine_are_offered_without_snapshots(command: str) -> None:
    found = ["sandbox-tui:latest", "python:3.12", "mine:1"]
    assert completed(f"{command} --image") == found
    assert completed(f"{command} --image", "py") == ["python:3.12"]


@pytest.mark.usefixtures("images")
def test_they_are_values_of_the_setting_and_have_sizes() -> None:
    assert completed("config set sandbox.image", "sand") == ["sandbox-tui:latest"]
    shell = ShellComplete(main, {}, "sandbox-tui", "_SANDBOX_TUI_COMPLETE")
    [item] = shell.get_completions(["run", "hello", "--image"], "python")
    assert item.help == "130M"


def test_without_an_engine_nothing_is_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(timeout: int) -> Client:
        raise SandboxUnavailable("nothing listens")

    monkeypatch.setattr(engine, "_client", refused)
    assert completed("run hello --image") == []


def test_nobody_waits_for_a_slow_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(timeout: int) -> Client:
        time.sleep(5)
        return Client()

    monkeypatch.setattr(engine, "_client", slow)
    began = time.monotonic()
    assert completed("run hello --image") == []
    assert time.monotonic() - began < 3
