"""Importing sessions on the home screen: one file, several, or a pattern."""

from __future__ import annotations

import contextlib
from pathlib import Path

import msgspec
import pytest
from textual.pilot import Pilot
from textual.widgets import Static

from sandbox_tui.sessions import Store
from sandbox_tui.sessions.interchange.export_files import make_export
from sandbox_tui.sessions.interchange.exports import EXPORTERS
from sandbox_tui.sessions.interchange.imports import import_file
from sandbox_tui.tui.screens.home.home import HomeScreen
from sandbox_tui.tui.screens.home.import_sessions import ImportDialog
from sandbox_tui.tui.textual_support.private_api import shown_toasts
from sandbox_tui.tui.widgets.path_input import PathInput, completed, completed_by_tab
from sandbox_tui.tui.widgets.sessions.session_list import SessionList
from tests.screens.cockpit.test_replay_screen import until
from tests.screens.home.test_find_sessions import at_home
from tests.unit.sample_run import keep, sample

HERE = 250
"""More sessions than home reads at first, all newer than those that are imported."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with two bundles and a file that is none."""
    found = tmp_path / "shared files"
    found.mkdir()
    with contextlib.closing(Store(tmp_path / "other.db")) as other:
        for name in ("one", "two"):
            keep(other, *sample(name), run_id=name)
            make_export(other, other.run(name), EXPORTERS["bundle"], redact=False).write(
                found / f"{name}.sbx", overwrite=False
            )
    (found / "notes.txt").write_text("notes")
    return found


async def asked(home: HomeScreen, pilot: Pilot[int], typed: str) -> PathInput:
    await pilot.press("I")
    await until(pilot, lambda: isinstance(home.app.screen, ImportDialog))
    field = home.app.screen.query_one(PathInput)
    field.value = typed
    await pilot.press("enter")
    return field


@pytest.mark.parametrize("pattern", ["{0}/*.sbx", "'{0}/one.sbx' '{0}/two.sbx'"])
async def test_several_files_are_imported(tmp_path: Path, folder: Path, pattern: str) -> None:
    typed = pattern.format(str(folder).replace(" ", "?") if "*" in pattern else folder)
    with contextlib.closing(Store(tmp_path / "s.db")) as store:
        keep(store, *sample("mine"), run_id="mine")
        async with at_home(store) as (home, pilot):
            await asked(home, pilot, typed)
            await until(pilot, lambda: home.app.screen is home)
            assert store.count() == 3


async def test_files_that_cannot_be_imported_keep_no_others_out(
    tmp_path: Path, folder: Path
) -> None:
    with contextlib.closing(Store(tmp_path / "s.db")) as store:
        keep(store, *sample("mine"), run_id="mine")
        async with at_home(store) as (home, pilot):
            await asked(home, pilot, f"{str(folder).replace(' ', '?')}/*")
            await until(pilot, lambda: home.app.screen is home)
            assert store.count() == 3
            await until(
                pilot,
                lambda: any(
                    one.message.startswith("Not imported: notes.txt is not a recording")
                    for one in shown_toasts(home.app)
                ),
            )


async def test_of_a_folder_the_files_that_can_be_imported_are(tmp_path: Path, folder: Path) -> None:
    (folder / "empty").mkdir()
    with contextlib.closing(Store(tmp_path / "s.db")) as store:
        keep(store, *sample("mine"), run_id="mine")
        async with at_home(store) as (home, pilot):
            await asked(home, pilot, f"{folder}/empty/")
            why = home.app.screen.query_one("#why", Static)
            await until(pilot, lambda: "a folder without .sbx, .json, .traj or" in str(why.content))
            home.app.screen.query_one(PathInput).value = f"{folder}/"
            await pilot.press("enter")
            await until(pilot, lambda: home.app.screen is home)
            assert store.count() == 3
            words = "Imported 2 sessions"
            await until(pilot, lambda: shown_toasts(home.app)[0].message.startswith(words))


async def test_a_pattern_names_no_folders(tmp_path: Path, folder: Path) -> None:
    (folder / "one.sbx.d").mkdir()
    with contextlib.closing(Store(tmp_path / "s.db")) as store:
        keep(store, *sample("mine"), run_id="mine")
        async with at_home(store) as (home, pilot):
            await asked(home, pilot, f"{str(folder).replace(' ', '?')}/o*")
            await until(pilot, lambda: home.app.screen is home)
            assert store.count() == 2


async def test_the_cursor_goes_to_the_first_imported_session_and_shows_it(
    tmp_path: Path, folder: Path
) -> None:
    with contextlib.closing(Store(tmp_path / "s.db")) as store:
        for number in range(HERE):
            events, contents = sample(f"mine {number}")
            later = msgspec.structs.replace(events[0], started_at=2e9 + number)
            keep(store, [later, *events[1:]], contents, run_id=f"mine{number}")
        async with at_home(store) as (home, pilot):
            await asked(home, pilot, f"{folder}/")
            await until(pilot, lambda: home.app.screen is home)
            sessions = home.query_one(SessionList)
            await until(
                pilot, lambda: sessions.current is not None and "one" in sessions.current.task
            )
            await until(pilot, lambda: sessions.is_visible(sessions.cursor))


async def test_why_files_are_not_imported_is_counted_by_reason(
    tmp_path: Path, folder: Path
) -> None:
    (folder / "more.txt").write_text("more")
    with contextlib.closing(Store(tmp_path / "s.db")) as store:
        keep(store, *sample("mine"), run_id="mine")
        for name in ("one", "two"):
            import_file(store, folder / f"{name}.sbx")
        async with at_home(store) as (home, pilot):
            await asked(home, pilot, f"{str(folder).replace(' ', '?')}/*")
            why = home.app.screen.query_one("#why", Static)
            words = "2 already here, 2 are no recordings."
            await until(pilot, lambda: str(why.content) == words)


async def test_the_field_counts_the_files_that_match(tmp_path: Path, folder: Path) -> None:
    (folder / "once.sbx").touch()
    with contextlib.closing(Store(tmp_path / "s.db")) as store:
        keep(store, *sample("mine"), run_id="mine")
        async with at_home(store) as (home, pilot):
            await pilot.press("I")
            await until(pilot, lambda: isinstance(home.app.screen, ImportDialog))
            field = home.app.screen.query_one(PathInput)
            await pilot.press(*f"{folder}/o", "tab")
            await until(pilot, lambda: field.border_subtitle == "2 files match · ↓ next")
            await pilot.press("down")
            await until(pilot, lambda: field.border_subtitle == "1 of 2 · ↓ next")
            await pilot.press("down")
            await until(pilot, lambda: field.border_subtitle == "2 of 2 · ↓ next")


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("", "enter a file"),
        ("none.sbx", "this file does not exist"),
        ("none*.sbx", "this file does not exist"),
        ("it's.sbx", "this file does not exist"),
        ("/ none.sbx", "none.sbx does not exist"),
    ],
)
async def test_what_names_no_file_is_said_at_the_field(
    tmp_path: Path, typed: str, words: str
) -> None:
    with contextlib.closing(Store(tmp_path / "s.db")) as store:
        keep(store, *sample("mine"), run_id="mine")
        async with at_home(store) as (home, pilot):
            field = await asked(home, pilot, typed)
            await until(pilot, lambda: words in str(field.border_subtitle))


def test_only_files_with_the_endings_and_folders_are_suggested(tmp_path: Path) -> None:
    for name in ("a.txt", "b.sbx"):
        (tmp_path / name).touch()
    (tmp_path / "c").mkdir()
    assert completed(f"{tmp_path}/", (".sbx",)) == f"{tmp_path}/b.sbx"
    assert completed(f"{tmp_path}/a", (".sbx",)) is None
    assert completed(f"{tmp_path}/a") == f"{tmp_path}/a.txt"
    assert completed_by_tab(f"{tmp_path}/c", (".sbx",)) == (f"{tmp_path}/c/", True)
