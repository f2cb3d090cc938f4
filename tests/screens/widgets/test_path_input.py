"""Completion of a path by tab, as in a shell."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.app import App, ComposeResult
from textual.pilot import Pilot
from textual.widgets import Input

from sandbox_tui.tui.widgets.path_input import PathInput, completed_by_tab
from tests.screens.cockpit.test_replay_screen import until


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Make a folder with names that begin alike."""
    for name in ("run-one.sbx", "run-two.sbx", "note.cast", ".hidden"):
        (tmp_path / name).touch()
    (tmp_path / "sub").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    ("typed", "wanted"),
    [
        ("r", "run-"),
        ("run-", "run-one.sbx"),
        ("run-t", "run-two.sbx"),
        ("s", "sub/"),
        ("", "note.cast"),
        ("x", "x"),
    ],
)
def test_a_path_is_completed_as_far_as_it_is_certain_then_with_the_first_name(
    folder: Path, typed: str, wanted: str
) -> None:
    whole = wanted != "run-"
    assert completed_by_tab(f"{folder}/{typed}") == (f"{folder}/{wanted}", whole)


class _Fields(App[None]):
    def __init__(self, path: str) -> None:
        super().__init__()
        self._path = path

    def compose(self) -> ComposeResult:
        yield PathInput(self._path, id="path")
        yield Input(id="other")


@asynccontextmanager
async def fields(path: str) -> AsyncIterator[tuple[PathInput, Input, Pilot[None]]]:
    app = _Fields(path)
    async with app.run_test() as pilot:
        yield app.query_one(PathInput), app.query_one("#other", Input), pilot


async def test_tab_completes_what_was_typed_then_goes_on(folder: Path) -> None:
    async with fields(f"{folder}/") as (path, other, pilot):
        await pilot.press("n", "tab")
        await until(pilot, lambda: path.value == f"{folder}/note.cast")
        assert path.has_focus
        assert path.cursor_position == len(path.value)
        await pilot.press("tab")
        await until(pilot, lambda: other.has_focus)


async def test_tab_takes_the_suggestion_where_several_names_match(folder: Path) -> None:
    async with fields(f"{folder}/") as (path, other, pilot):
        await pilot.press("r", "tab")
        await until(pilot, lambda: path.value == f"{folder}/run-")
        await pilot.press("tab")
        await until(pilot, lambda: path.value == f"{folder}/run-one.sbx")
        assert path.has_focus
        await pilot.press("tab")
        await until(pilot, lambda: other.has_focus)
        assert path.value == f"{folder}/run-one.sbx"


async def test_tab_goes_on_in_the_only_field(folder: Path) -> None:
    (folder / "sub" / "one").touch()
    async with fields(f"{folder}/") as (path, other, pilot):
        await other.remove()
        await pilot.press("s", "tab")
        await until(pilot, lambda: path.value == f"{folder}/sub/")
        await pilot.press("tab")
        await until(pilot, lambda: path.value == f"{folder}/sub/one")


async def test_tab_goes_through_the_matches_in_the_only_field(folder: Path) -> None:
    async with fields(f"{folder}/") as (path, other, pilot):
        await other.remove()
        await pilot.press("r", "tab", "tab")
        for name in ("run-one.sbx", "run-two.sbx", "run-one.sbx"):
            await until(pilot, lambda name=name: path.value == f"{folder}/{name}")
            await pilot.press("tab")


async def test_tab_leaves_a_default_as_it_is(folder: Path) -> None:
    async with fields(f"{folder}/no") as (path, other, pilot):
        await pilot.press("tab")
        await until(pilot, lambda: other.has_focus)
        assert path.value == f"{folder}/no"


async def test_the_border_counts_the_matches_and_down_and_up_go_through_them(folder: Path) -> None:
    async with fields(f"{folder}/") as (path, other, pilot):
        await pilot.press("r", "tab")
        await until(pilot, lambda: path.border_subtitle == "2 files match · ↓ next")
        await pilot.press("down")
        await until(pilot, lambda: path.border_subtitle == "1 of 2 · ↓ next")
        assert path.value == f"{folder}/run-one.sbx"
        await pilot.press("down")
        await until(pilot, lambda: path.value == f"{folder}/run-two.sbx")
        await pilot.press("down")
        await until(pilot, lambda: path.value == f"{folder}/run-one.sbx")
        await pilot.press("up")
        await until(pilot, lambda: path.value == f"{folder}/run-two.sbx")
        await pilot.press("tab")
        await until(pilot, lambda: other.has_focus and not path.border_subtitle)
        assert path.value == f"{folder}/run-two.sbx"


async def test_no_ghost_is_shown_where_tab_leaves_the_field(folder: Path) -> None:
    (folder / "sub" / "output").mkdir()
    async with fields(f"{folder}/") as (path, _, pilot):
        await until(pilot, lambda: path.has_focus)
        await pilot.press("s")
        await until(pilot, lambda: path._suggestion == f"{folder}/sub/")
        await pilot.press("tab")
        await until(pilot, lambda: path.value == f"{folder}/sub/")
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        assert path._suggestion == ""
        await pilot.press("o")
        await until(pilot, lambda: path._suggestion == f"{folder}/sub/output/")
