"""The output of `--help`: complete sentences, also on a terminal of usual width."""

from __future__ import annotations

from collections.abc import Iterator

import click
import pytest
from click.testing import CliRunner

from sandbox_tui.tui.cli.main import main


def groups(group: click.Group, *path: str) -> Iterator[tuple[str, ...]]:
    yield path
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from groups(command, *path, name)


@pytest.mark.parametrize("path", list(groups(main)), ids=" ".join)
def test_no_line_about_a_command_is_cut(path: tuple[str, ...]) -> None:
    done = CliRunner().invoke(main, [*path, "--help"], terminal_width=80)
    _, _, listed = done.stdout.partition("Commands:")
    assert listed.strip()
    assert "..." not in listed


def test_a_command_without_its_group_is_suggested() -> None:
    done = CliRunner().invoke(main, ["export", "last"])
    assert done.exit_code == 2
    assert "No such command 'export'. Did you mean: sandbox-tui sessions export?" in done.output
