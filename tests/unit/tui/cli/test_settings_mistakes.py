"""Every mistake in the config file is reported, with its line."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from sandbox_tui.core.config.mistakes import SettingsError
from sandbox_tui.core.config.settings import load
from sandbox_tui.tui.cli.main import main
from sandbox_tui.tui.cli.options import settings_to_look
from sandbox_tui.tui.lifecycle import config_mistakes
from sandbox_tui.tui.lifecycle.config_mistakes import mistakes_of_screen
from sandbox_tui.tui.live_settings import LiveSettings

BROKEN = """[ui]
theme = "dayligt"
[model]
tempersture = 0.5
[limits]
# how long
max_steps = "x"
[[policy.rules]]
action = "allow"
[[policy.rules]]
action = "allow"
tol = "submit"
[keys]
"live.aprove" = "f7"
[modle]
name = "x"
"""


@pytest.fixture
def file(own_home: Path) -> Path:
    own_home.mkdir(exist_ok=True)
    (own_home / "config.toml").write_text(BROKEN)
    return own_home / "config.toml"


def test_all_mistakes_are_listed_with_their_lines(file: Path) -> None:
    done = CliRunner().invoke(main, ["config"])
    assert done.exit_code == 2
    first, head, *lines = done.stderr.splitlines()
    assert first == "sandbox-tui: The settings have 6 mistakes, listed last."
    assert head == f"sandbox-tui: Settings (file {file}), 6 mistakes:"
    for line, words in zip(
        lines,
        (
            "line 2: ui.theme: There is no theme named 'dayligt'. Did you mean 'daylight'?",
            "line 4: model.tempersture is not a known key. Did you mean 'temperature'?",
            "line 7: limits.max_steps must be a whole number, not 'x'.",
            "line 12: policy rule 2: tol is not a known key. Did you mean 'tool'?",
            "line 14: [keys] live.aprove: no action has this name (did you mean live.approve?)",
            "line 15: modle is not a known key. Did you mean 'model'?",
        ),
        strict=True,
    ):
        assert line.strip().startswith(words)


def test_a_notice_has_the_first_mistake_and_counts_the_rest(file: Path) -> None:
    with pytest.raises(SettingsError) as caught:
        load()
    assert caught.value.short == (
        f"Settings (file {file}): line 4: model.tempersture is not a known key. "
        "Did you mean 'temperature'? And 3 more: `sandbox-tui config` lists them."
    )


def test_what_an_environment_variable_sets_has_no_line(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file.write_text("[limits]\nmax_steps = 5\n")
    monkeypatch.setenv("SANDBOX_TUI_LIMITS_MAX_STEPS", "many")
    wrong = "$SANDBOX_TUI_LIMITS_MAX_STEPS: limits.max_steps must be a whole number, not 'many'."
    done = CliRunner().invoke(main, ["config"])
    assert done.stderr.splitlines()[1:] == [f"sandbox-tui: Settings: {wrong}"]


def test_a_theme_that_does_not_exist_is_reported_with_the_settings(file: Path) -> None:
    file.write_text('[ui]\ntheme = "dayligt"\n')
    done = CliRunner().invoke(main, ["config"])
    assert done.exit_code == 0
    assert "sandbox-tui: line 2: ui.theme: There is no theme named 'dayligt'" in done.stderr


@pytest.mark.parametrize("content", [BROKEN, "[ui\n"])
def test_a_command_that_needs_no_settings_says_that_they_are_broken(
    file: Path, content: str
) -> None:
    file.write_text(content)
    done = CliRunner().invoke(main, ["sessions", "ls"])
    assert done.exit_code == 0
    assert "There are no sessions yet" in done.stdout
    (line,) = done.stderr.splitlines()
    assert str(file) in line
    assert ("And 5 more: `sandbox-tui config` lists them." in line) == (content == BROKEN)
    assert "line" in line


def test_a_wrong_theme_in_a_variable_is_not_blamed_on_the_file(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file.write_text('[ui]\ntheme = "dayligt"\n')
    monkeypatch.setenv("SANDBOX_TUI_UI_THEME", "nosuch")
    (mistake,) = mistakes_of_screen()
    assert str(mistake) == ("$SANDBOX_TUI_UI_THEME: ui.theme: There is no theme named 'nosuch'.")


MISSPELT = "SANDBOX_TUI_LIMITS_MAX_STPES"
IGNORED = (
    f"${MISSPELT}: no setting has this name, so the variable is ignored. "
    "Did you mean SANDBOX_TUI_LIMITS_MAX_STEPS?"
)


@pytest.mark.parametrize("command", [["config"], ["sessions", "ls"]])
def test_a_misspelt_variable_is_reported_and_stops_nothing(
    command: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(MISSPELT, "7")
    done = CliRunner().invoke(main, command)
    assert done.exit_code == 0
    assert done.stderr == f"sandbox-tui: {IGNORED}\n"


def test_a_misspelt_variable_never_comes_before_what_stops_the_program(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file.write_text("[limits]\nmax_steps = 'x'\n")
    monkeypatch.setenv(MISSPELT, "7")
    wrong = "line 2: limits.max_steps must be a whole number, not 'x'."
    done = CliRunner().invoke(main, ["config"])
    assert done.exit_code == 2
    head = f"sandbox-tui: Settings (file {file}), 2 mistakes:"
    assert done.stderr.splitlines()[1:] == [head, f"  {wrong}", f"  {IGNORED}"]
    done = CliRunner().invoke(main, ["sessions", "ls"])
    assert (
        done.stderr
        == f"sandbox-tui: Settings (file {file}): {wrong} And 1 more: `sandbox-tui config` lists them.\n"
    )


def test_a_variable_like_no_setting_lists_those_of_its_table(
    own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SANDBOX_TUI_UI_COLOURS", "secret")
    (mistake,) = mistakes_of_screen()
    assert str(mistake) == (
        "$SANDBOX_TUI_UI_COLOURS: no setting has this name, so the variable is ignored. Known "
        "keys of [ui]: theme, animations, terminal_engine, images, notify, title."
    )


def test_a_variable_of_a_misspelt_section_is_reported_if_a_setting_is_near(
    own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SANDBOX_TUI_MODLE_NAME", "m")
    monkeypatch.setenv("SANDBOX_TUI_SOMETHING_ELSE", "1")
    assert [str(mistake) for mistake in mistakes_of_screen()] == [
        "$SANDBOX_TUI_MODLE_NAME: no setting has this name, so the variable is ignored. Did you "
        "mean SANDBOX_TUI_MODEL_NAME?"
    ]


@pytest.mark.parametrize("source", ["file", "variable"])
def test_a_variable_that_holds_the_key_is_no_mistake(
    source: str, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = "SANDBOX_TUI_MODEL_API_KEY"
    monkeypatch.setenv(name, "sk-1")
    file.write_text("")
    assert [one.source for one in mistakes_of_screen()] == [f"${name}"]
    if source == "file":
        file.write_text(f'[model]\napi_key_env = "{name}"\n')
    else:
        monkeypatch.setenv("SANDBOX_TUI_MODEL_API_KEY_ENV", name)
    assert not mistakes_of_screen()


@pytest.mark.parametrize("name", ["SANDBOX_TUI_KILLS_SEED", "SANDBOX_TUI_REQUIRE_DOCKER"])
def test_a_variable_of_no_table_is_not_meant_as_a_setting(
    name: str, own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, "1")
    assert not mistakes_of_screen()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("[limits]\nmax_steps = 0\n", "line 2: limits.max_steps must be more than 0."),
        ("[limits]\ncost_limit = inf\n", "line 2: limits.cost_limit must be a finite number."),
        ("[sandbox]\nmemory = -5\n", "line 2: sandbox.memory must be more than 0."),
        ("[model]\ntemperature = -1\n", "line 2: model.temperature must be from 0 to 2."),
        ('[sandbox]\nkind = "dokcer"\n', "not 'dokcer'. Did you mean 'docker'?"),
        ("[model]\nname = qwen\n", "(at line 2, column 8); text needs quotes."),
        ("[ui]\ntitle = True\n", "(at line 2, column 9); write true."),
    ],
)
def test_a_value_in_the_file_that_no_run_could_use_is_a_mistake(
    file: Path, content: str, words: str
) -> None:
    file.write_text(content)
    done = CliRunner().invoke(main, ["config"])
    assert done.exit_code == 2
    assert words in done.stderr


def test_a_variable_with_a_value_that_no_run_could_use_is_a_mistake(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file.write_text("")
    monkeypatch.setenv("SANDBOX_TUI_LIMITS_TIME_LIMIT", "-3")
    done = CliRunner().invoke(main, ["config"])
    wrong = "$SANDBOX_TUI_LIMITS_TIME_LIMIT: limits.time_limit must be more than 0."
    assert done.stderr.splitlines()[1:] == [f"sandbox-tui: Settings: {wrong}"]


def test_an_address_of_another_program_stops_only_what_needs_it(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file.write_text("")
    monkeypatch.setenv("OPENAI_BASE_URL", "localhost:8000")
    assert CliRunner().invoke(main, ["config"]).exit_code == 0


def config_of(home: Path, text: str) -> None:
    home.mkdir(exist_ok=True)
    (home / "config.toml").write_text(text)


HOT = '[ui]\ntheme = "nope"\n[model]\ntemperature = "hot"\n'
"""Two mistakes for which defaults can stand in."""


def test_values_that_cannot_be_used_are_marked(own_home: Path) -> None:
    config_of(own_home, HOT)
    lines = CliRunner().invoke(main, ["config"]).stdout.splitlines()
    marked = {line.split()[0] for line in lines if line.endswith("cannot be used")}
    assert marked == {"ui.theme", "model.temperature"}
    for name, value in (("ui.theme", "nope"), ("model.temperature", "hot")):
        done = CliRunner().invoke(main, ["config", "get", name])
        assert done.stdout == f"{value}\n"
        assert f"This value of {name} cannot be used." in done.stderr
    done = CliRunner().invoke(main, ["config", "get", "model.name"])
    assert "This value" not in done.stderr


def test_theme_files_that_cannot_be_used_are_reported(own_home: Path) -> None:
    config_of(own_home, "")
    (own_home / "themes").mkdir()
    (own_home / "themes" / "mine.toml").write_text("[colors]\nprimary = 3\n")
    lacking = [
        "secondary",
        "accent",
        "foreground",
        "background",
        "surface",
        "panel",
        "success",
        "warning",
        "error",
    ]
    words = (
        f"mine.toml cannot be used: line 1: [colors] lacks {', '.join(map(repr, lacking))}; line 2: "
        "primary must be text in quotes; it lacks [roles]."
    )
    assert words in CliRunner().invoke(main, ["config"]).stderr
    (found,) = [one for one in doctor_lines() if "mine.toml" in one]
    assert found.startswith("· theme ")
    assert found.endswith(words)
    config_of(own_home, '[ui]\ntheme = "mine"\n')
    assert len([one for one in doctor_lines() if "mine.toml" in one]) == 1
    config_of(own_home, HOT)
    assert len([one for one in doctor_lines() if "mine.toml" in one]) == 1


def test_the_doctor_reads_the_mistakes_of_the_screen_once(
    own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config_of(own_home, '[ui]\ntheme = "mine"\n')
    (own_home / "themes").mkdir()
    (own_home / "themes" / "mine.toml").write_text("[colors]\nprimary = 3\n")
    reads: list[str] = []
    read = config_mistakes._problem_of_theme
    monkeypatch.setattr(
        config_mistakes, "_problem_of_theme", lambda name: reads.append(name) or read(name)
    )
    assert len([one for one in doctor_lines() if "mine.toml" in one]) == 1
    assert reads == ["mine"]


def doctor_lines() -> list[str]:
    return CliRunner().invoke(main, ["doctor"]).stdout.splitlines()


def test_the_doctor_says_what_it_has_not_checked(own_home: Path) -> None:
    config_of(own_home, HOT)
    lines = CliRunner().invoke(main, ["doctor"]).stdout.splitlines()
    for name in ("model", "servers"):
        assert f"· {name:<11}not checked, because the settings cannot be used" in lines


def test_screens_to_look_at_start_with_defaults_for_harmless_mistakes_only(
    own_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config_of(own_home, HOT)
    settings = settings_to_look("daylight")
    assert (settings.ui.theme, settings.model.temperature) == ("daylight", None)
    assert "line 4: model.temperature must be" in capsys.readouterr().err
    problem = LiveSettings(settings).problem
    assert problem.endswith("The default applies until it is corrected.")
    config_of(own_home, HOT + '[limits]\ncost_limit = "x"\n')
    with pytest.raises(SettingsError, match="cost_limit"):
        settings_to_look(None)
