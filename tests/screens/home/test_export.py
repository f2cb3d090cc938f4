"""Exporting a session from the home screen."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import OptionList, Static

from sandbox_tui.sessions import RunSummary, Store
from sandbox_tui.sessions.interchange.export_files import Export, make_export
from sandbox_tui.sessions.interchange.exports import Part
from sandbox_tui.tui.film.film_process import FILM
from sandbox_tui.tui.keys.available_actions import available_actions
from sandbox_tui.tui.screens.dialogs import export_session
from sandbox_tui.tui.screens.dialogs.confirm import ConfirmDialog
from sandbox_tui.tui.screens.dialogs.export_session import ExportDialog
from sandbox_tui.tui.screens.home.home import HomeScreen
from sandbox_tui.tui.screens.home.rows.export_marked import ExportMarkedDialog
from sandbox_tui.tui.screens.palette.palette_screen import PaletteScreen
from sandbox_tui.tui.textual_support.private_api import shown_toasts
from sandbox_tui.tui.widgets.choice import Choice
from sandbox_tui.tui.widgets.key_bar import KeyBar
from sandbox_tui.tui.widgets.path_input import PathInput
from sandbox_tui.tui.widgets.sessions.session_list import SessionList
from tests.screens.cockpit.test_replay_screen import until
from tests.screens.home.test_find_sessions import at_home
from tests.unit.sample_run import keep, sample
from tests.waiting import HANG_SECONDS

SECRET = "sk-proj-0123456789abcdefghijABCDEFGHIJ"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Open a database with one session that has a secret in its task."""
    with contextlib.closing(Store(tmp_path / "s.db")) as made:
        keep(made, *sample(f"zebra {SECRET}"), run_id="whole")
        yield made


async def opened(home: HomeScreen, pilot: Pilot[int], name: str, path: Path) -> ExportDialog:
    await pilot.press("E")
    await until(pilot, lambda: isinstance(home.app.screen, ExportDialog))
    dialog = home.app.screen
    assert isinstance(dialog, ExportDialog)
    dialog.query_one(OptionList).highlighted = list(export_session.FORMATS).index(name)
    dialog.query_one(PathInput).value = str(path)
    return dialog


@pytest.mark.parametrize("name", export_session.FORMATS)
async def test_every_format_is_written(store: Store, tmp_path: Path, name: str) -> None:
    async with at_home(store) as (home, pilot):
        await opened(home, pilot, name, tmp_path / "out")
        await pilot.press("ctrl+s")
        await until(pilot, lambda: home.app.screen is home)
        written = list(tmp_path.glob("out.*"))  # with the ending of the format
        assert written
        assert all(file.stat().st_size > 100 for file in written)
        await until(pilot, lambda: any("Wrote" in one.message for one in shown_toasts(home.app)))


async def test_help_lists_enter_and_the_keys_of_the_secrets(store: Store, tmp_path: Path) -> None:
    async with at_home(store) as (home, pilot):
        dialog = await opened(home, pilot, "markdown", tmp_path / "out")
        await until(pilot, lambda: dialog.choice_words == "name the file")
        listed = {one.words: one for one in available_actions(dialog)}
        assert listed["Name the file"].keys == ("enter",)
        assert {"Next value (secrets)", "Previous value (secrets)"} <= set(listed)
        secrets = dialog.query_one(Choice)
        await listed["Next value (secrets)"].run(dialog.app)
        assert secrets.value == "kept"
        secrets.focus()
        await until(pilot, lambda: secrets.has_focus)
        words = [one.words for one in available_actions(dialog)]
        assert "Next value" in words
        assert "Next value (secrets)" not in words


async def test_the_name_and_what_enter_does_are_shown(store: Store, tmp_path: Path) -> None:
    async with at_home(store) as (home, pilot):
        dialog = await opened(home, pilot, "markdown", tmp_path / "out")
        path = dialog.query_one(PathInput)
        await until(pilot, lambda: path.placeholder == "whole.md")
        bar = dialog.query_one(KeyBar)
        await until(pilot, lambda: "enter name the file" in bar.render_line(0).text)
        await pilot.press("enter")
        await until(pilot, lambda: path.has_focus)
        await until(pilot, lambda: "enter export" in bar.render_line(0).text)
        await pilot.press("enter")
        await until(pilot, (tmp_path / "out.md").exists)


async def test_the_form_says_what_it_writes(store: Store, tmp_path: Path) -> None:
    async with at_home(store) as (home, pilot):
        dialog = await opened(home, pilot, "markdown", Path("out"))
        path = dialog.query_one(PathInput)
        await until(pilot, lambda: str(path.border_subtitle) == "writes out.md")
        dialog.query_one(OptionList).highlighted = list(export_session.FORMATS).index("html")
        await until(pilot, lambda: str(path.border_subtitle) == "writes out.html")
        path.value = "out.v2"
        await until(pilot, lambda: str(path.border_subtitle) == "writes out.v2")
        path.value = str(tmp_path)
        await until(pilot, lambda: str(path.border_subtitle).endswith("/whole.html"))
        path.value = ""
        await until(pilot, lambda: str(path.border_subtitle).startswith("if empty: in "))


async def test_a_name_that_ends_with_a_slash_is_a_folder(store: Store, tmp_path: Path) -> None:
    async with at_home(store) as (home, pilot):
        dialog = await opened(home, pilot, "markdown", tmp_path)
        path = dialog.query_one(PathInput)
        path.value = f"{tmp_path}/new/ones.html/"
        words = "new folder: writes "
        await until(pilot, lambda: str(path.border_subtitle).startswith(words))
        assert str(path.border_subtitle).endswith("ones.html/whole.md")
        await pilot.press("ctrl+s")
        await until(pilot, lambda: home.app.screen is home)
    assert [file.name for file in (tmp_path / "new" / "ones.html").iterdir()] == ["whole.md"]


async def test_the_ending_and_the_format_follow_each_other(store: Store) -> None:
    async with at_home(store) as (home, pilot):
        dialog = await opened(home, pilot, "html", Path("out.html"))
        formats, path = dialog.query_one(OptionList), dialog.query_one(PathInput)
        names = list(export_session.FORMATS)
        await pilot.press("down")
        await until(pilot, lambda: path.value == "out.md")
        await pilot.press("down", "up", "up")
        await until(pilot, lambda: path.value == "out.html")
        await until(pilot, lambda: names[formats.highlighted or 0] == "html")
        await pilot.press("enter", "end", *(["backspace"] * 4), *"jsonl")
        await until(pilot, lambda: names[formats.highlighted or 0] == "chat-jsonl")
        assert path.value == "out.jsonl"
        said = dialog.query_one("#disagreement", Static)
        assert not said.display
        await pilot.press("backspace")
        words = "out.json is written as chat-jsonl, but its ending is that of trajectory or atif."
        await until(pilot, lambda: said.display and str(said.content) == words)
        await pilot.press("l")
        await until(pilot, lambda: not said.display)


async def test_a_running_session_is_exported_as_recorded_so_far(
    store: Store, tmp_path: Path
) -> None:
    for run_id in ("one", "two"):
        keep(store, *sample(run_id), run_id=run_id)
    running = replace(store.run("one"), outcome="running")
    async with at_home(store) as (home, pilot):
        for dialog, title, words in (
            (ExportDialog(running, store), "export, as recorded so far", "), as recorded so far."),
            (
                ExportMarkedDialog([running, store.run("two")], store),
                "export, one as recorded so far",
                "/two, one as recorded so far.",
            ),
        ):
            told: list[str | None] = []
            home.app.push_screen(dialog, told.append)
            await until(pilot, lambda one=dialog: home.app.screen is one and one.is_mounted)
            assert dialog.query_one(".dialog").border_title == title
            dialog.query_one(PathInput).value = f"{tmp_path}/two"
            await pilot.press("ctrl+s")
            await until(pilot, lambda: home.app.screen is home)
            assert words in str(told[0])


async def test_marked_sessions_make_no_folder_named_like_a_file(
    store: Store, tmp_path: Path
) -> None:
    runs = [store.run("whole")] * 2
    async with at_home(store) as (home, pilot):
        dialog = ExportMarkedDialog(runs, store)
        home.app.push_screen(dialog)
        await until(pilot, lambda: home.app.screen is dialog and dialog.is_mounted)
        dialog.query_one(PathInput).value = f"{tmp_path}/one.html"
        await pilot.press("ctrl+s")
        problem = dialog.query_one("#problem", Static)
        await until(pilot, lambda: "is the name of a file, and 2 sessions" in str(problem.content))
        await pilot.press("escape")
        await until(pilot, lambda: home.app.screen is home)
    assert not (tmp_path / "one.html").exists()


async def test_a_named_pipe_is_refused_because_its_reader_may_never_come(
    store: Store, tmp_path: Path
) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    async with at_home(store) as (home, pilot):
        dialog = await opened(home, pilot, "markdown", tmp_path / "pipe.md")
        await pilot.press("ctrl+s")
        problem = dialog.query_one("#problem", Static)
        await until(pilot, lambda: "is no file" in str(problem.content))
        assert home.app.screen is dialog


async def test_a_name_that_exists_is_not_proposed(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "whole.md").write_text("mine")
    async with at_home(store) as (home, pilot):
        dialog = await opened(home, pilot, "markdown", Path())
        path = dialog.query_one(PathInput)
        path.value = ""
        await until(pilot, lambda: path.placeholder == "whole-2.md")
        await pilot.press("ctrl+s")
        await until(pilot, (tmp_path / "whole-2.md").exists)
        await until(pilot, lambda: home.app.screen is home)
    assert (tmp_path / "whole.md").read_text() == "mine"


async def test_a_long_name_shows_its_end(store: Store, tmp_path: Path) -> None:
    async with at_home(store) as (home, pilot):
        dialog = await opened(home, pilot, "html", tmp_path / ("long" * 40) / "run.html")
        path = dialog.query_one(PathInput)
        await until(pilot, lambda: path.scroll_x == path.max_scroll_x > 0)


def drawing(store: Store) -> list[int]:
    """Return the process ids of programs that draw a film from this database."""
    found: list[int] = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            command = (folder / "cmdline").read_text(errors="replace")
            if "film_worker" in command and str(store.path) in command:
                found.append(int(folder.name))
    return found


async def test_escape_stops_drawing_a_film(store: Store, tmp_path: Path) -> None:
    async with at_home(store) as (home, pilot):
        dialog = await opened(home, pilot, FILM, tmp_path / "out.svg")
        progress = dialog.query_one("#progress", Static)
        await pilot.press("ctrl+s")
        await until(pilot, lambda: drawing(store))
        await until(pilot, lambda: progress.display and "Drawing" in str(progress.content))
        await pilot.press("escape")
        await until(pilot, lambda: home.app.screen is home)
        await until(pilot, lambda: not drawing(store))
        assert not (tmp_path / "out.svg").exists()
        words = "Nothing was written: you left while the film was being drawn."
        await until(pilot, lambda: [one.message for one in shown_toasts(home.app)] == [words])


async def test_a_film_of_a_session_that_is_gone_is_refused_in_the_form(
    store: Store, tmp_path: Path
) -> None:
    async with at_home(store) as (home, pilot):
        dialog = await opened(home, pilot, FILM, tmp_path / "out.svg")
        store.delete("whole")
        await refused_in_the_form(home, pilot, dialog)
        assert "no session" in str(dialog.query_one("#problem", Static).content)
        assert not dialog.query_one("#progress").display


async def test_a_program_that_ends_early_is_reported_in_the_form(
    store: Store, tmp_path: Path
) -> None:
    async with at_home(store) as (home, pilot):
        dialog = await opened(home, pilot, FILM, tmp_path / "out.svg")
        await pilot.press("ctrl+s")
        await until(pilot, lambda: drawing(store))
        os.kill(drawing(store)[0], signal.SIGKILL)
        await until(pilot, lambda: dialog.has_class("-wrong"))
        assert "ended early" in str(dialog.query_one("#problem", Static).content)


@pytest.mark.parametrize("kept", [False, True])
async def test_secrets_are_blanked_unless_they_shall_stay(
    store: Store, tmp_path: Path, kept: bool
) -> None:
    async with at_home(store) as (home, pilot):
        dialog = await opened(home, pilot, "markdown", tmp_path / "out.md")
        if kept:
            dialog.query_one(Choice).action_turn(1)
        await pilot.press("f2")
        await until(pilot, lambda: home.app.screen is home)
        assert (SECRET in (tmp_path / "out.md").read_text()) == kept


async def test_a_name_without_an_ending_gets_that_of_the_format(
    store: Store, tmp_path: Path
) -> None:
    async with at_home(store) as (home, pilot):
        await opened(home, pilot, "markdown", tmp_path / "second note")
        await pilot.press("f2")
        await until(pilot, lambda: home.app.screen is home)
        assert [path.name for path in tmp_path.glob("second*")] == ["second note.md"]


async def test_a_file_that_is_there_is_overwritten_only_after_a_yes(
    store: Store, tmp_path: Path
) -> None:
    there = tmp_path / "out.md"
    there.write_text("mine")
    async with at_home(store) as (home, pilot):
        dialog = await opened(home, pilot, "markdown", there)
        for key, stays in (("n", True), ("y", False)):
            await pilot.press("ctrl+s")
            await until(pilot, lambda: isinstance(home.app.screen, ConfirmDialog))
            await pilot.press(key)
            back = dialog if stays else home
            await until(pilot, lambda back=back: home.app.screen is back)
            assert (there.read_text() == "mine") == stays


async def test_an_unwritable_path_is_reported_in_the_form(store: Store, tmp_path: Path) -> None:
    async with at_home(store) as (home, pilot):
        dialog = await opened(home, pilot, "markdown", tmp_path / "missing" / "out.md")
        await pilot.press("ctrl+s")
        await until(pilot, lambda: dialog.has_class("-wrong"))
        assert "cannot be written" in str(dialog.query_one("#problem", Static).content)
        await pilot.press("escape")
        await until(pilot, lambda: home.app.screen is home)


async def refused_in_the_form(home: HomeScreen, pilot: Pilot[int], dialog: ExportDialog) -> None:
    await pilot.press("ctrl+s")
    await until(pilot, lambda: dialog.has_class("-wrong") or home.app._exception)
    assert home.app.screen is dialog


@pytest.mark.parametrize("typed", [f"/tmp/{'x' * 300}", "~nobody-of-that-name/x"])
async def test_an_invalid_path_is_reported_in_the_form(store: Store, typed: str) -> None:
    async with at_home(store) as (home, pilot):
        dialog = await opened(home, pilot, "markdown", Path(typed))
        await refused_in_the_form(home, pilot, dialog)


async def test_a_working_directory_that_was_deleted_ends_nothing(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with at_home(store) as (home, pilot):
        gone = tmp_path / "gone"
        gone.mkdir()
        monkeypatch.chdir(gone)
        gone.rmdir()
        dialog = await opened(home, pilot, "markdown", tmp_path / "out.md")
        dialog.query_one(PathInput).value = ""
        await refused_in_the_form(home, pilot, dialog)


async def test_the_palette_over_an_export_stays_open_when_it_is_written(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go = threading.Event()

    def held(*args: Any, **named: Any) -> Export:
        go.wait(HANG_SECONDS)
        return make_export(*args, **named)

    monkeypatch.setattr(export_session, "make_export", held)
    async with at_home(store) as (home, pilot):
        await opened(home, pilot, "markdown", tmp_path / "out.md")
        await pilot.press("ctrl+s", "ctrl+p")
        await until(pilot, lambda: isinstance(home.app.screen, PaletteScreen))
        go.set()
        await until(pilot, (tmp_path / "out.md").exists)
        await pilot.pause()
        assert isinstance(home.app.screen, PaletteScreen)
        await pilot.press("escape")
        await until(pilot, lambda: home.app.screen is home)
        assert any("Wrote" in one.message for one in shown_toasts(home.app))


async def test_all_marked_sessions_are_exported_to_a_folder(store: Store, tmp_path: Path) -> None:
    keep(store, *sample("other"), run_id="other")
    folder = tmp_path / "new" / "exports"

    def told(home: HomeScreen) -> str:
        return " ".join(one.message for one in shown_toasts(home.app))

    async with at_home(store) as (home, pilot):
        sessions = home.query_one(SessionList)
        await pilot.press("home", "space", "down", "space")
        await until(pilot, lambda: len(sessions.marked) == 2)
        dialog = await opened(home, pilot, "markdown", folder)
        assert str(dialog.query_one(OptionList).styles.text_wrap) == "nowrap", "styled alike"
        await until(pilot, lambda: dialog.choice_words == "name the folder")
        await pilot.press("ctrl+s")
        await until(pilot, lambda: home.app.screen is home)
        assert {file.name for file in folder.iterdir()} == {"whole.md", "other.md"}
        await until(pilot, lambda: "Wrote 2 sessions (2 files) to" in told(home))
        assert "Secrets redacted in " in told(home)
        assert len(sessions.marked) == 2
        (folder / "other.md").write_text("mine")
        await opened(home, pilot, "markdown", folder)
        await pilot.press("ctrl+s")
        await until(pilot, lambda: isinstance(home.app.screen, ConfirmDialog))
        await pilot.press("n")
        await until(pilot, lambda: isinstance(home.app.screen, ExportDialog))
        assert (folder / "other.md").read_text() == "mine"
        dialog = home.app.screen
        dialog.query_one(PathInput).value = str(folder / "other.md")
        await pilot.press("ctrl+s")
        problem = dialog.query_one("#problem", Static)
        await until(pilot, lambda: "is a file: name a folder." in str(problem.content))


async def test_films_of_marked_sessions_say_which_is_drawn_and_which_are_not_written(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep(store, *sample("other"), run_id="other")
    folder = tmp_path / "out"
    never = asyncio.Event()
    asked: list[str] = []

    async def first_film_only(
        request: object, run: RunSummary, drawn: Callable[[int, int], None]
    ) -> Export:
        asked.append(run.id)
        drawn(18, 27)
        if len(asked) > 1:
            await never.wait()
        return Export(run=run, format=FILM, parts=(Part(".film.svg", b"<svg/>"),), redacted=0)

    monkeypatch.setattr(export_session, "film_export", first_film_only)
    async with at_home(store) as (home, pilot):
        sessions = home.query_one(SessionList)
        await pilot.press("home", "space", "down", "space")
        await until(pilot, lambda: len(sessions.marked) == 2)
        dialog = await opened(home, pilot, FILM, folder)
        progress = dialog.query_one("#progress", Static)
        await pilot.press("ctrl+s")
        await until(pilot, lambda: "Drawing film 2 of 2 (" in str(progress.content))
        assert str(progress.content).endswith("): frame 18 of 27")
        await pilot.press("escape")
        await until(pilot, lambda: home.app.screen is home)
        assert [file.name for file in folder.iterdir()] == [f"{asked[0]}.film.svg"]
        words = f"Wrote 1 session (1 file) to {folder}. No secrets found. 1 session not written: "
        await until(
            pilot,
            lambda: [one.message for one in shown_toasts(home.app)] == [f"{words}you left before."],
        )
