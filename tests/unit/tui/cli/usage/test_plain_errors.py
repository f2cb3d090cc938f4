"""A command line that cannot be used is answered with one plain sentence."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from sandbox_tui.tui.cli.main import main
from sandbox_tui.tui.cli.usage.other_words import _OPTIONS
from tests.unit.tui.cli.test_help import commands

VALUES = {
    "run x --temperature abc": "--temperature must be a number from 0 to 2, not 'abc'.",
    "run x --seed abc": "--seed must be a whole number, not 'abc'.",
    "run x --samples 0": "--samples must be from 1 to 256, not 0.",
    "run x --samples abc": "--samples must be a whole number from 1 to 256, not 'abc'.",
    "run x --max-steps 0": "--max-steps must be at least 1, not 0.",
    "run x --max-steps 1.5": "--max-steps must be a whole number that is at least 1, not '1.5'.",
    "demo --speed x": "--speed must be a number that is at least 0, not 'x'.",
    "eval run pocket --budget-cost 0": "--budget-cost must be more than 0, not 0.0.",
    "eval resume last --budget-tokens x": "--budget-tokens must be a whole number that is at least "
    "1, not 'x'.",
    "eval report last -f htlm": "--format: There is no format 'htlm'. Did you mean 'html'?",
    "run x --sandbox dcker": "--sandbox must be auto, docker or bubblewrap, not 'dcker'. "
    "Did you mean 'docker'?",
    "run x --mode qq": "--mode must be auto, step or ask, not 'qq'.",
    "run x --model": "--model needs a value.",
    "doctor --json=yes": "--json takes no value.",
    "completion bsh": "SHELL must be bash, zsh or fish, not 'bsh'. Did you mean 'bash'?",
}


@pytest.mark.parametrize("words", VALUES)
def test_a_wrong_value_is_said_in_plain_words(words: str) -> None:
    done = CliRunner().invoke(main, shlex.split(words))
    assert done.exit_code == 2
    assert done.stderr.splitlines() == [f"sandbox-tui: {VALUES[words]}"]


def test_an_unknown_theme_is_said_in_the_same_way() -> None:
    done = CliRunner().invoke(main, ["--theme", "dayligt", "keys"])
    assert done.exit_code == 2
    assert done.stderr.startswith("sandbox-tui: --theme: ")
    assert "Invalid value" not in done.stderr


USAGES = {
    "run": 'TASK is missing, as in: sandbox-tui run "count the primes below 100"',
    "replay": "SESSION is missing, as in: sandbox-tui replay last",
    "eval run": "SUITE is missing, as in: sandbox-tui eval run pocket",
    "config set": "NAME is missing, as in: sandbox-tui config set ui.theme daylight",
    "config set ui.theme": "VALUE is missing, as in: sandbox-tui config set ui.theme daylight",
    "rl data split": "TASKS is missing, as in: sandbox-tui rl data split tasks.jsonl --train FILE "
    "--held-out FILE",
    "doctor now": "Unexpected argument: now.",
    "doctor now and then": "Unexpected arguments: now and then.",
    "rl data generate": "--output is missing, as in: sandbox-tui rl data generate --output FILE",
    "stop x --all": "Name SESSIONS or use --all, not both.",
}


@pytest.mark.parametrize("words", USAGES)
def test_what_is_missing_or_too_much_is_said_with_where_to_look(words: str) -> None:
    done = CliRunner().invoke(main, shlex.split(words), prog_name="sandbox-tui")
    assert done.exit_code == 2
    first, second = done.stderr.splitlines()
    assert first == f"sandbox-tui: {USAGES[words]}"
    assert re.fullmatch(r"Try `sandbox-tui [a-z -]+ --help`\.", second)


NEEDS = [
    path
    for path, command in commands(main)
    if any(isinstance(one, click.Argument) and one.required for one in command.params)
]


@pytest.mark.parametrize("path", NEEDS)
def test_the_example_of_a_missing_argument_can_be_parsed(
    path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model").mkdir()
    done = CliRunner().invoke(main, path.split(), prog_name="sandbox-tui")
    assert done.exit_code == 2
    example = done.stderr.splitlines()[0].partition(" is missing, as in: sandbox-tui ")[2]
    words = shlex.split(example)
    assert words[: len(path.split())] == path.split()
    command: click.Command = main
    while isinstance(command, click.Group):
        command = command.commands[words.pop(0)]
    command.make_context(path, words)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("run x -n 3", "No such option '-n'. Did you mean '--samples'?"),
        ("run x --url http://127.0.0.1:1", "No such option '--url'. Did you mean '--base-url'?"),
        ("run x --sample 3", "No such option '--sample'. Did you mean '--samples'?"),
        ("run x --modle 3", "No such option '--modle'. Did you mean '--mode' or '--model'?"),
        ("run x --workers 3", "No such option '--workers'."),
        ("eval run s --workers 3", "No such option '--workers'. Did you mean '--concurrency'?"),
    ],
)
def test_an_unknown_option_is_answered_with_the_one_that_is_meant(words: str, said: str) -> None:
    done = CliRunner().invoke(main, words.split(), prog_name="sandbox-tui")
    assert done.exit_code == 2
    assert done.stderr.splitlines()[0] == f"sandbox-tui: {said}"


def test_the_options_that_other_words_mean_exist() -> None:
    known = {name for _, command in commands(main) for one in command.params for name in one.opts}
    assert set(_OPTIONS.values()) <= known
