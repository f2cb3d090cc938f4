"""A run without a named model uses one found on a local server."""

from __future__ import annotations

import click
import pytest
from click.testing import CliRunner

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.config.settings import load
from sandbox_tui.tui.cli.model_server.local_model import with_found_model
from tests.scripted_server import ScriptedServer


def on(*servers: ScriptedServer, **more: object) -> dict[str, object]:
    return {"model.local_ports": [server.port for server in servers], **more}


def test_the_only_model_is_taken_and_said(capsys: pytest.CaptureFixture[str]) -> None:
    with ScriptedServer([]) as server:
        server.models = ["tiny"]
        settings = with_found_model(load(on(server)), can_ask=False)
    assert settings.model.name == "tiny"
    assert settings.model.base_url.rstrip("/") == server.url.rstrip("/")
    assert "this run uses tiny at" in capsys.readouterr().err


@pytest.mark.parametrize("named", [{"model.name": "mine"}, {"model.base_url": "http://x/v1"}])
def test_a_named_model_is_kept(named: dict[str, object]) -> None:
    with ScriptedServer([]) as server:
        server.models = ["tiny"]
        settings = load(on(server, **named))
        assert with_found_model(settings, can_ask=False) is settings


def test_without_a_server_nothing_changes() -> None:
    settings = load({"model.local_ports": []})
    assert with_found_model(settings, can_ask=True) is settings


def test_several_are_named_where_nobody_can_be_asked() -> None:
    with ScriptedServer([]) as server:
        server.models = ["one", "two"]
        with pytest.raises(ConfigError, match=r"several: one at .*, two at .*--model"):
            with_found_model(load(on(server)), can_ask=False)


def test_the_models_of_a_named_server_are_offered(capsys: pytest.CaptureFixture[str]) -> None:
    with ScriptedServer([]) as server:
        settings = load({"model.base_url": server.url, "model.local_ports": []})
        server.models = [f"model-{n}" for n in range(7)]
        with pytest.raises(ConfigError) as caught:
            with_found_model(settings, can_ask=False)
        assert str(caught.value) == (
            f"No model is set. {server.url} has model-0, model-1, model-2, model-3, model-4, …: "
            "choose one with --model."
        )
        server.models = ["tiny"]
        assert with_found_model(settings, can_ask=False).model.name == "tiny"
    assert "this run uses tiny at" in capsys.readouterr().err


def test_a_person_chooses_among_several() -> None:
    chosen: list[str] = []

    @click.command()
    def choose() -> None:
        chosen.append(with_found_model(load(on(server)), can_ask=True).model.name)

    with ScriptedServer([]) as server:
        server.models = ["one", "two"]
        result = CliRunner().invoke(choose, input="7\n2\n")
    assert result.exit_code == 0, result.output
    assert "Type a number from 1 to 2.\n" in result.output
    assert chosen == ["two"]
