"""Every mistake in the config file is reported, with its line."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from sandbox_tui.core.config.mistakes import SettingsError
from sandbox_tui.core.config.settings import load
from sandbox_tui.tui.cli.main import main
from sandbox_tui.tui.lifecycle.config_mistakes import mistakes_of_screen

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
    head, *lines = done.stderr.splitlines()
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
        "Did you mean 'temperature'? And 3 more."
    )


def test_what_an_environment_variable_sets_has_no_line(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file.write_text("[limits]\nmax_steps = 5\n")
    monkeypatch.setenv("SANDBOX_TUI_LIMITS_MAX_STEPS", "many")
    wrong = "$SANDBOX_TUI_LIMITS_MAX_STEPS: limits.max_steps must be a whole number, not 'many'."
    done = CliRunner().invoke(main, ["config"])
    assert done.stderr == f"sandbox-tui: Settings: {wrong}\n"


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
    assert ("And 5 more." in line) == (content == BROKEN)
    assert "line" in line


def test_a_wrong_theme_in_a_variable_is_not_blamed_on_the_file(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file.write_text('[ui]\ntheme = "dayligt"\n')
    monkeypatch.setenv("SANDBOX_TUI_UI_THEME", "nosuch")
    (mistake,) = mistakes_of_screen()
    assert str(mistake) == ("$SANDBOX_TUI_UI_THEME: ui.theme: There is no theme named 'nosuch'.")
