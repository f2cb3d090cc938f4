"""`sandbox-tui config set` refuses what could not be used later, and says what to do."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from sandbox_tui.core.config.settings import load
from sandbox_tui.tui.cli.main import main
from tests.screens.test_live_config import theme_text


def config_set(name: str, value: str) -> Result:
    return CliRunner().invoke(main, ["config", "set", "--", name, value])


@pytest.mark.parametrize("option", [False, True])
def test_a_broken_theme_file_is_named_with_field_and_line(own_home: Path, option: bool) -> None:
    (own_home / "themes").mkdir(parents=True)
    (own_home / "themes" / "mine.toml").write_text(theme_text("mine", "brown"))
    done = (
        CliRunner().invoke(main, ["--theme", "mine", "config"])
        if option
        else config_set("ui.theme", "mine")
    )
    assert done.exit_code == 2
    words = " ".join((done.output + str(done.exception)).split())
    assert "There is no theme" not in words
    assert "mine.toml" in words
    assert "line 6: primary = 'brown' is not a colour" in words
    assert not (own_home / "config.toml").exists()


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("model.base_url", "nowhere", "must begin with http:// or https://"),
        ("model.base_url", "http://", "must begin with http:// or https://"),
        ("model.request_timeout", "0", "must be more than 0"),
        ("model.temperature", "-1", "must be 0 or more"),
        ("model.local_ports", "[70000]", "from 1 to 65535"),
        ("sandbox.memory", "-1", "must be more than 0"),
        ("sandbox.cpus", "0", "must be more than 0"),
        ("sandbox.pids", "0", "must be more than 0"),
        ("sandbox.snapshots_kept", "-1", "must be 0 or more"),
        ("agent.observation_lines", "0", "must be more than 0"),
        ("limits.max_steps", "-3", "must be more than 0"),
        ("limits.time_limit", "nan", "must be more than 0"),
        ("agent.prompts", "no-such-pack", "no-such-pack"),
    ],
)
def test_a_value_that_no_run_could_use_is_refused(
    own_home: Path, name: str, value: str, words: str
) -> None:
    done = config_set(name, value)
    assert done.exit_code == 2
    assert words in " ".join((done.output + str(done.exception)).split())
    assert not (own_home / "config.toml").exists()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("model.base_url", "http://127.0.0.1:8473/v1"),
        ("model.base_url", ""),
        ("model.temperature", "0"),
        ("sandbox.grace", "0"),
        ("sandbox.memory", "none"),
        ("limits.token_limit", "none"),
    ],
)
def test_a_value_that_can_be_used_is_taken(own_home: Path, name: str, value: str) -> None:
    assert config_set(name, value).exit_code == 0


def test_the_scheme_of_an_address_is_added(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done = config_set("model.base_url", "127.0.0.1:8473/v1")
    assert done.exit_code == 0
    assert "is set to http://127.0.0.1:8473/v1 in " in done.stdout
    assert 'base_url = "http://127.0.0.1:8473/v1"' in (own_home / "config.toml").read_text()
    (own_home / "config.toml").write_text('[model]\nbase_url = "api.example.org/v1"\n')
    assert load().model.base_url == "https://api.example.org/v1"
    assert load({"model.base_url": "localhost:1/v1"}).model.base_url == "http://localhost:1/v1"
    monkeypatch.setenv("OPENAI_BASE_URL", "127.0.0.1:2/v1")
    assert load().model.base_url == "http://127.0.0.1:2/v1"


@pytest.mark.parametrize("name", ["SANDBOX_TUI_MODLE", "SANDBOX_TUI_MODEL_NMAE"])
def test_a_misspelt_variable_is_said_with_the_value(
    own_home: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(name, "qwen")
    done = CliRunner().invoke(main, ["config", "get", "model.name"])
    assert done.exit_code == 0
    words = "no setting has this name, so the variable is ignored."
    assert f"${name}: {words} Did you mean SANDBOX_TUI_MODEL_NAME?" in done.stderr


def test_a_value_that_the_environment_overrides_is_said(
    own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SANDBOX_TUI_UI_THEME", "contrast")
    done = config_set("ui.theme", "daylight")
    assert "; $SANDBOX_TUI_UI_THEME sets it, too, and wins" in done.output


def test_a_negative_number_is_a_value_and_no_option(own_home: Path) -> None:
    done = CliRunner().invoke(main, ["config", "set", "limits.max_steps", "-3"])
    assert done.exit_code == 2
    assert "limits.max_steps must be more than 0" in done.output
    assert "--help" in CliRunner().invoke(main, ["config", "set", "--help"]).output


@pytest.mark.parametrize(
    ("command", "typed", "meant"),
    [
        ("get", ["grace"], "Did you mean 'sandbox.grace'?"),
        ("get", ["Grace"], "Did you mean 'sandbox.grace'?"),
        ("get", ["max_tok"], "Did you mean 'limits.max_tokens'?"),
        ("get", ["model.grace"], "Did you mean 'sandbox.grace'?"),
        ("set", ["thme", "daylight"], "Did you mean 'ui.theme'?"),
        ("set", ["ui.theme", "dayligt"], "no theme named 'dayligt'. Did you mean 'daylight'?"),
        ("set", ["ui.theme", "nothing-like-it"], "Known themes: "),
        ("set", ["sandbox.kind", "dokcer"], "not 'dokcer'. Did you mean 'docker'?"),
    ],
)
def test_a_name_or_value_that_is_nearly_right_gets_a_hint(
    own_home: Path, command: str, typed: list[str], meant: str
) -> None:
    done = CliRunner().invoke(main, ["config", command, *typed])
    assert done.exit_code == 2
    assert meant in " ".join((done.output + str(done.exception)).split())


def test_a_part_of_many_names_lists_the_sections_instead(own_home: Path) -> None:
    done = CliRunner().invoke(main, ["config", "get", "s"])
    assert "Did you mean" not in done.output + str(done.exception)
