"""The request of the demo."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner

from sandbox_tui.core.config.settings import Settings, load
from sandbox_tui.tui.cli.main import main
from sandbox_tui.tui.screens.home.demo_request import demo_request


def test_the_users_limits_do_not_end_the_script(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text("[limits]\nmax_steps = 7\ntoken_limit = 10\n")
    request = demo_request(load(file=config))
    assert request.settings.limits == Settings().limits


def test_limits_given_for_the_demo_apply(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text("[limits]\nmax_steps = 7\n")
    given = {"limits.max_steps": 3, "limits.time_limit": None, "sandbox.kind": "bubblewrap"}
    limits = demo_request(load(given, file=config), given=given).settings.limits
    assert (limits.max_steps, limits.time_limit) == (3, Settings().limits.time_limit)


def test_documents_that_cannot_be_written_are_no_crash(own_home: Path) -> None:
    own_home.mkdir()
    (own_home / "demo").write_text("a file where the folder would be")
    done = CliRunner().invoke(main, ["demo", "--headless", "--sandbox", "bubblewrap"])
    assert done.exit_code == 6
    assert "The demo's documents cannot be written to " in done.stderr
