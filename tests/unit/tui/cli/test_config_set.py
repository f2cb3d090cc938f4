"""`sandbox-tui config set` refuses what could not be used later, and says what to do."""

from __future__ import annotations

import tomllib
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
        ("model.temperature", "-1", "must be from 0 to 2"),
        ("model.temperature", "9", "must be from 0 to 2"),
        ("model.local_ports", "[70000]", "from 1 to 65535"),
        ("sandbox.memory", "-1", "must be more than 0"),
        ("sandbox.cpus", "0", "must be more than 0"),
        ("sandbox.pids", "0", "must be more than 0"),
        ("sandbox.snapshots_kept", "-1", "must be 0 or more"),
        ("agent.observation_lines", "0", "must be more than 0"),
        ("limits.max_steps", "-3", "must be more than 0"),
        ("limits.time_limit", "nan", "must be more than 0"),
        ("limits.cost_limit", "1e999", "must be a finite number"),
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
    assert done.stdout.startswith("model.base_url = http://127.0.0.1:8473/v1 (in ")
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


@pytest.mark.parametrize(
    ("name", "typed", "in_file", "printed"),
    [
        ("limits.time_limit", "1h", '"1h"', "1h"),
        ("limits.time_limit", "90m", '"90m"', "1h30m"),
        ("limits.time_limit", "3600", "3600", "1h"),
        ("limits.time_limit", "0.5", "0.5", "0.5"),
        ("sandbox.memory", " 2 GiB ", '"2 GiB"', "2g"),
        ("sandbox.memory", "1000", "1000", "1000"),
    ],
)
def test_a_time_or_a_size_is_written_as_it_was_typed(
    own_home: Path, name: str, typed: str, in_file: str, printed: str
) -> None:
    assert config_set(name, typed).exit_code == 0
    assert f" = {in_file}\n" in (own_home / "config.toml").read_text()
    assert config_get(name) == printed
    assert config_set(name, printed).exit_code == 0
    assert config_get(name) == printed


def test_a_value_that_is_not_set_is_none(own_home: Path) -> None:
    assert config_get("model.temperature") == "none"
    listed = CliRunner().invoke(main, ["config"]).stdout
    assert any(line.split()[:2] == ["model.temperature", "none"] for line in listed.splitlines())
    assert config_set("model.temperature", "none").exit_code == 0


def config_get(name: str) -> str:
    return CliRunner().invoke(main, ["config", "get", name]).stdout.rstrip("\n")


@pytest.mark.parametrize("words", ["yes on true ON", "no off false No"])
def test_a_switch_takes_the_usual_words(own_home: Path, words: str) -> None:
    for value in words.split():
        assert config_set("agent.tty", value).exit_code == 0
        assert config_get("agent.tty") == ("true" if value.lower() in "yes on true" else "false")


@pytest.mark.parametrize("before", ["[ui]\nnotify = 'off'\n", "[ui]\nnotify = 'off'\n\n"])
def test_a_new_table_comes_after_a_blank_line(own_home: Path, before: str) -> None:
    file = own_home / "config.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(before)
    config_set("sandbox.pids", "7")
    assert file.read_text() == "[ui]\nnotify = 'off'\n\n[sandbox]\npids = 7\n"


def test_only_what_differs_from_the_defaults_is_listed(
    own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SANDBOX_TUI_MODEL_LOCAL_PORTS")
    changed = ["config", "--changed"]
    assert CliRunner().invoke(main, changed).stdout == "Every setting has its default.\n"
    for name, value in (("limits.max_steps", "7"), ("ui.title", "yes"), ("keys.live.pause", "f9")):
        config_set(name, value)
    lines = CliRunner().invoke(main, changed).stdout.splitlines()
    assert [line.split()[:2] for line in lines] == [
        ["limits.max_steps", "7"],
        ["keys.live.pause", '["f9"]'],
    ]
    assert len(CliRunner().invoke(main, [*changed, "--json"]).stdout.splitlines()) == 2


def test_mistakes_are_announced_before_the_list_and_come_after_it(own_home: Path) -> None:
    own_home.mkdir(parents=True, exist_ok=True)
    (own_home / "config.toml").write_text("[limits]\nmax_steps = 'x'\n")
    lines = CliRunner().invoke(main, ["config"]).output.splitlines()
    assert lines[0] == "sandbox-tui: The settings have a mistake, listed last."
    assert "limits.max_steps must be a whole number" in lines[-1]


@pytest.mark.parametrize(
    ("before", "name", "key", "words"),
    [
        ("", "keys.home.quit", "e", "keys.home.quit: e is home.evals at the same place already"),
        ("", "keys.quit", "e", "keys.quit: e is home.evals at the same place already"),
        ('"home.evals" = "f7"\n', "keys.home.quit", "f7", "f7 is home.evals at the same place"),
        ('"home.evals" = "f7"\n"home.quit" = "f8"\n', "keys.home.evals", "f8", "f8 is home."),
    ],
)
def test_a_key_that_is_taken_is_refused(
    own_home: Path, before: str, name: str, key: str, words: str
) -> None:
    own_home.mkdir(exist_ok=True)
    file = own_home / "config.toml"
    file.write_text(f"[keys]\n{before}")
    done = config_set(name, key)
    assert done.exit_code == 2
    assert words in " ".join((done.output + str(done.exception)).split())
    assert "nothing was changed" in done.output
    assert "(in " not in done.output
    assert file.read_text() == f"[keys]\n{before}"


def test_a_conflict_that_the_file_has_already_stops_no_other_key(own_home: Path) -> None:
    own_home.mkdir(exist_ok=True)
    (own_home / "config.toml").write_text('[keys]\n"home.quit" = "e"\n')
    assert config_set("keys.live.approve", "f7").exit_code == 0
    assert config_set("keys.home.quit", "f9").exit_code == 0


@pytest.mark.parametrize(
    ("name", "typed", "listed"),
    [
        ("keys.find", '["/","ctrl+f"]', ["/", "ctrl+f"]),
        ("keys.find", "['/', 'ctrl+f']", ["/", "ctrl+f"]),
        ("keys.find", "/,ctrl+f", ["/", "ctrl+f"]),
        ("keys.find", "/, ctrl+f", ["/", "ctrl+f"]),
        ("keys.home.evals", '"f7"', ["f7"]),
        ("keys.home.evals", ",", [","]),
        ("keys.home.evals", "[", ["["]),
        ("model.local_ports", "[8000, 8001]", [8000, 8001]),
        ("model.local_ports", "8000,8001", [8000, 8001]),
    ],
)
def test_a_list_is_taken_as_in_the_file_and_with_commas(
    own_home: Path, name: str, typed: str, listed: list[object]
) -> None:
    if typed == ",":
        assert config_set("keys.settings", "f9").exit_code == 0  # it has this key at home
    done = config_set(name, typed)
    assert done.exit_code == 0, done.output
    table = tomllib.loads((own_home / "config.toml").read_text())[name.partition(".")[0]]
    assert table[name.partition(".")[2]] == listed
    words = " ".join(CliRunner().invoke(main, ["config", "set", "--help"]).output.split())
    assert """keys.find '["/", "ctrl+f"]'""" in words
    assert "keys.find /,ctrl+f" in words


def test_a_setting_and_its_value_may_be_one_word() -> None:
    done = CliRunner().invoke(main, ["config", "set", "ui.theme=daylight"])
    assert (done.exit_code, done.stdout.startswith("ui.theme = ")) == (0, True)
    done = CliRunner().invoke(main, ["config", "set", "ui.theme"])
    assert done.exit_code == 2
    assert "VALUE is missing, as in: " in done.stderr


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("ui.theme", "daylight", "daylight"),
        ("limits.time_limit", "90s", "1m30s"),
        ("keys.find", "/,ctrl+f", '["/", "ctrl+f"]'),
        ("model.extra_body", '{"top_k": 20}', '{"top_k": 20}'),
    ],
)
def test_it_says_what_it_wrote_and_where(own_home: Path, name: str, value: str, said: str) -> None:
    assert config_set(name, value).stdout == f"{name} = {said} (in {own_home / 'config.toml'})\n"


def test_unset_says_which_default_applies_again(own_home: Path) -> None:
    config_set("limits.max_steps", "7")
    done = CliRunner().invoke(main, ["config", "unset", "limits.max_steps"])
    assert done.stdout == (
        f"limits.max_steps is removed from {own_home / 'config.toml'}; "
        "the default applies again: 100\n"
    )
