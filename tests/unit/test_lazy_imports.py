"""Modules that must not be imported early, because each would slow down the program's start."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sandbox_tui.sessions import Store

COMMAND_LINE = """
import sys
from click.testing import CliRunner
from sandbox_tui.tui.cli.main import main
for words in {words!r}:
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0, done.output
"""

HOME = """
import asyncio, sys
from sandbox_tui.core.config.settings import load, data_dir
from sandbox_tui.sessions import Store
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.screens.home.home import HomeScreen

async def show():
    app = SandboxTui(load({words!r}), Store(data_dir() / "sessions.db"))
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert isinstance(app.screen, HomeScreen)

asyncio.run(show())
"""

NEEDS_NO_SCREEN = ("textual", "rich", "pygments", "wcwidth", "pyte", "PIL", "textual_image")
NEEDS_NO_RUN = ("openai", "httpx", "pydantic", "docker", "requests", "yaml")
NEEDS_NO_CHANGE = ("sqlite_utils", "tomlkit")
OTHER_SCREENS = tuple(
    f"sandbox_tui.{name}"
    for name in (
        *("tui.screens.cockpit", "tui.screens.wall.wall_screen", "tui.screens.new_run.new_run"),
        *("tui.screens.settings", "tui.screens.compare", "tui.screens.help.help_screen"),
        *(
            "tui.terminal_io.image_protocols",
            "core.run.run",
            "core.run.open_run",
            "core.agent.loop",
        ),
        *("core.tools.registry", "core.sandboxes", "core.terminal"),
        *("sessions.playback.keyframes", "sessions.recording.run_worker"),
        *("sessions.recording.recorder",),
    )
)


def imported(script: str, words: object, names: tuple[str, ...], home: Path) -> list[str]:
    """Return those of `names` that a program has imported when it ends."""
    ending = f"\nprint('imported', *[name for name in {names!r} if name in sys.modules])"
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            script.format(words=words) + ending,
        ],
        capture_output=True,
        text=True,
        env={**os.environ, "SANDBOX_TUI_HOME": str(home)},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip().splitlines()[-1].split()[1:]


@pytest.mark.parametrize("words", [["--help"], ["run", "--help"], ["sessions", "--help"]])
def test_help(tmp_path: Path, words: list[str]) -> None:
    names = (
        *NEEDS_NO_SCREEN,
        *NEEDS_NO_RUN,
        *NEEDS_NO_CHANGE,
        "asyncio",
        "socket",
        "sqlite3",
        "msgspec",
    )
    assert imported(COMMAND_LINE, [words], names, tmp_path) == []


def test_commands_that_only_read(tmp_path: Path) -> None:
    names = (*NEEDS_NO_SCREEN, *NEEDS_NO_RUN, "tomlkit", "sandbox_tui.core.run.run")
    words = [["sessions", "ls"], ["config"], ["policy", "show"]]
    assert imported(COMMAND_LINE, words, names, tmp_path) == []


@pytest.mark.parametrize("words", [["keys"], ["config", "set", "keys.live.approve", "ctrl+x"]])
def test_commands_about_keys_import_no_screen(tmp_path: Path, words: list[str]) -> None:
    (tmp_path / "config.toml").write_text('[keys]\n"live.approve" = "f7"\n')
    names = ("textual.app", "textual.widget", "sandbox_tui.tui.screens", "sandbox_tui.tui.widgets")
    assert imported(COMMAND_LINE, [words], names, tmp_path) == []


COMPLETION = """
import sys
from click.shell_completion import ShellComplete
from sandbox_tui.tui.cli.main import main
shell = ShellComplete(main, {{}}, "sandbox-tui", "_SANDBOX_TUI_COMPLETE")
for words in {words!r}:
    shell.get_completions(words, "")
"""


def test_completion_imports_no_screen(tmp_path: Path) -> None:
    Store(tmp_path / "sessions.db").close()
    words = [
        *(["replay"], ["eval", "report"], ["rl", "watch"], ["sessions", "tag", "last"]),
        *(["config", "set"], ["config", "set", "ui.title"], ["keys"], ["eval", "rescore"]),
    ]
    names = (*NEEDS_NO_SCREEN, *NEEDS_NO_RUN, *NEEDS_NO_CHANGE)
    assert imported(COMPLETION, words, names, tmp_path) == []


def test_the_doctor_imports_no_screen(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text('[keys]\n"live.approve" = "f7"\n')
    script = "import sys; from sandbox_tui.tui.cli.doctor.examine import examine; examine()"
    names = ("textual.app", "textual.widget", "sandbox_tui.tui.screens", "sandbox_tui.tui.widgets")
    assert imported(script, None, names, tmp_path) == []


def test_the_home_screen(tmp_path: Path) -> None:
    Store(tmp_path / "sessions.db").close()  # the tables are created only once
    names = (*NEEDS_NO_RUN, *NEEDS_NO_CHANGE, *OTHER_SCREENS, "PIL", "pyte", "pygments.lexers")
    assert imported(HOME, {"model.name": "some"}, names, tmp_path) == []


NEW_DATABASE = """
import sys
from pathlib import Path
from sandbox_tui.sessions import Store
Store(Path({words!r})).close()
"""


def test_a_new_database(tmp_path: Path) -> None:
    """sqlite-utils would import them; code that needs them later can still import them."""
    made, names = tmp_path / "sessions.db", ("pandas", "numpy")
    assert imported(NEW_DATABASE, str(made), names, tmp_path) == []
    made.unlink()
    script = NEW_DATABASE + "import pandas; assert pandas.DataFrame([1]).size == 1"
    assert imported(script, str(made), names, tmp_path) == ["pandas", "numpy"]


def test_the_collector_skips_the_objects_of_the_program() -> None:
    script = (
        "import gc; from sandbox_tui.tui.lifecycle.gc_tuning import THRESHOLDS, tune_gc\n"
        "tune_gc(); print(gc.get_freeze_count() > 1000, gc.get_threshold() == THRESHOLDS)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout.split() == ["True", "True"]


def test_preloaded_modules_exist() -> None:
    """A wrong name would otherwise be noticed only when that screen is opened."""
    script = (
        "import sys, threading; from sandbox_tui.tui.lifecycle import preload_screens; preload_screens.preload_screens()\n"
        "[t.join() for t in threading.enumerate() if t.name == 'importing']\n"
        "print(all(f'sandbox_tui.tui.screens.{name}' in sys.modules for name in preload_screens._NEXT))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout.strip() == "True", done.stderr
