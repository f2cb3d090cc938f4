"""The output of `--help`: complete sentences, also on a terminal of usual width."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Iterator

import click
import pytest
from click.testing import CliRunner

from sandbox_tui.tui.cli.command_group import TOPICS
from sandbox_tui.tui.cli.help_sections import CommandWithSections
from sandbox_tui.tui.cli.main import main


def groups(group: click.Group, *path: str) -> Iterator[tuple[str, ...]]:
    yield path
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from groups(command, *path, name)


@pytest.mark.parametrize("width", [60, 80])
@pytest.mark.parametrize("path", list(groups(main)), ids=" ".join)
def test_no_line_about_a_command_is_cut(path: tuple[str, ...], width: int) -> None:
    done = CliRunner().invoke(main, [*path, "--help"], terminal_width=width)
    _, _, listed = done.stdout.partition("-h, --help")
    assert listed.strip()
    assert "..." not in listed


def commands(group: click.Group, *path: str) -> Iterator[tuple[str, click.Command]]:
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from commands(command, *path, name)
        yield " ".join((*path, name)), command


def test_every_option_is_described() -> None:
    undescribed = [
        (path, option.opts[-1])
        for path, command in commands(main)
        for option in command.params
        if isinstance(option, click.Option) and not option.hidden and not option.help
    ]
    assert undescribed == []


def test_options_name_their_values_in_words_of_the_field() -> None:
    """Not by click's names of types, such as INTEGER RANGE."""
    unnamed = [
        (path, option.opts[-1])
        for path, command in commands(main)
        for option in command.params
        if isinstance(option, click.Option) and not option.is_flag and not option.metavar
        if not isinstance(option.type, click.Choice)
    ]
    assert unnamed == []


def test_every_command_is_listed_under_one_topic() -> None:
    assert Counter(name for names in TOPICS.values() for name in names) == Counter(
        list(main.commands)
    )


@pytest.mark.parametrize("name", ["run", "fork", "demo"])
def test_every_option_is_listed_once(name: str) -> None:
    command = main.commands[name]
    done = CliRunner().invoke(main, [name, "--help"], terminal_width=80)
    listed = re.findall(r"^  (?:-\w, )?(--[a-z-]+)", done.stdout, re.MULTILINE)
    options = [one for one in command.params if isinstance(one, click.Option)]
    assert Counter(listed) == Counter([one.opts[0] for one in options] + ["--help"])


def test_the_examples_of_a_command_can_be_parsed() -> None:
    for name in ("run", "fork"):
        command = main.commands[name]
        assert isinstance(command, CommandWithSections)
        assert command.examples
        for example in command.examples:
            program, called, *words = shlex.split(example.partition(" < ")[0])
            assert (program, called) == ("sandbox-tui", name)
            command.make_context(name, words, resilient_parsing=False)


@pytest.mark.parametrize("path", [path for path, _ in commands(main)])
def test_no_line_is_wider_than_a_terminal_of_usual_width(path: str) -> None:
    done = CliRunner().invoke(main, [*path.split(), "--help"], terminal_width=80)
    assert [line for line in done.stdout.splitlines() if len(line) > 80] == []
    if "Examples:\n" in done.stdout:
        examples = done.stdout.partition("Examples:\n")[2].replace("\\\n", "")
        command = main.commands[path]
        assert isinstance(command, CommandWithSections)
        assert [" ".join(line.split()) for line in examples.splitlines()] == list(command.examples)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("replya", "replay"),
        ("version", "--version"),
        ("list", "sessions ls"),
        ("history", "sessions ls"),
        ("open", "replay"),
        ("kill", "stop"),
        ("settings", "config"),
        ("sessions delete", "rm"),
        ("sessions view", "show"),
        ("eval list", "ls"),
        ("eval cancel", "stop"),
        ("eval start", "run"),
    ],
)
def test_a_command_is_suggested_for_one_spelled_alike_or_another_word(
    typed: str, meant: str
) -> None:
    done = CliRunner().invoke(main, typed.split())
    assert done.exit_code == 2
    assert f"No such command '{typed.split()[-1]}'. Did you mean '{meant}'?" in done.output


def test_the_commands_of_saved_sessions_are_suggested_first() -> None:
    said = CliRunner().invoke(main, ["delete"]).output
    assert "Did you mean 'sessions rm', 'eval rm' or 'rl rm'?" in said


def test_a_group_without_such_a_command_names_its_commands() -> None:
    said = CliRunner().invoke(main, ["policy", "qqq"], prog_name="sandbox-tui").output
    assert "No such command 'qqq'. `sandbox-tui policy` has: check, show" in said


@pytest.mark.parametrize(
    ("words", "same"),
    [
        ("help", "--help"),
        ("help --help", "--help"),
        ("help run", "run --help"),
        ("help sessions", "sessions --help"),
        ("help sessions export", "sessions export --help"),
        ("sessions help export", "sessions export --help"),
        ("rl data help", "rl data --help"),
        ("help rl data check", "rl data check --help"),
    ],
)
def test_the_word_help_prints_the_help(words: str, same: str) -> None:
    done = CliRunner().invoke(main, words.split())
    assert done.exit_code == 0
    assert done.stdout == CliRunner().invoke(main, same.split()).stdout
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("help rnu", "No such command 'rnu'. Did you mean 'run'?"),
        ("help sessions exprt", "No such command 'exprt'. Did you mean 'export'?"),
        ("help export", "No such command 'export'. Did you mean 'sessions export'?"),
        ("help run x", "`main run` has no commands below it."),
    ],
)
def test_help_about_no_command_is_refused(words: str, said: str) -> None:
    done = CliRunner().invoke(main, words.split())
    assert done.exit_code == 2
    assert done.stderr.startswith(f"sandbox-tui: {said}\n")


def test_a_command_without_its_group_is_suggested() -> None:
    done = CliRunner().invoke(main, ["export", "last"])
    assert done.exit_code == 2
    assert "No such command 'export'. Did you mean 'sessions export'?" in done.output


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("evl", "eval"),
        ("config pth", "path"),
        ("sessions exprt", "export"),
        ("snapshots prnue", "prune"),
        ("policy shw", "show"),
        ("image biuld", "build"),
        ("rl dta", "data"),
        ("rl data chek", "check"),
        ("eval rnu", "run"),
    ],
)
def test_a_command_spelled_alike_is_suggested_in_the_same_words(words: str, meant: str) -> None:
    done = CliRunner().invoke(main, words.split())
    typed = words.split()[-1]
    assert f"No such command '{typed}'. Did you mean '{meant}'?" in done.output


@pytest.mark.parametrize(
    ("words", "wrong", "suggested"),
    [
        (["eval", "run", "x", "--label", "y"], "--label", None),
        (["doctor", "--model", "y"], "--model", None),
        (["run", "x", "--step-s"], "--step-s", "--step"),
        (["run", "x", "--modle"], "--modle", "--model"),
    ],
)
def test_only_an_option_spelled_alike_is_suggested(
    words: list[str], wrong: str, suggested: str | None
) -> None:
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 2
    # Versions of click differ in quotes and in how they introduce suggestions.
    error, _, _ = done.output.partition("\n")
    options = re.findall(r"--[a-z-]*[a-z]", error)
    assert options[0] == wrong
    assert options[1:] == [] if suggested is None else suggested in options[1:]


def test_the_help_ends_with_how_to_get_more() -> None:
    for width in (60, 100):
        shown = (
            CliRunner()
            .invoke(main, ["--help"], prog_name="sandbox-tui", terminal_width=width)
            .stdout
        )
        assert shown.endswith("\n\n`sandbox-tui help COMMAND` explains a command.\n")


def test_a_short_option_prints_the_version() -> None:
    shown = CliRunner().invoke(main, ["-V"])
    assert shown.exit_code == 0
    assert shown.stdout == CliRunner().invoke(main, ["--version"]).stdout
