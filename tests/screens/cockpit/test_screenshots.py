"""Screenshots of the whole cockpit at a position in the session."""

from __future__ import annotations

import contextlib
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest

from sandbox_tui.core.config.settings import load
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.interchange.exports import Recording, bundle
from sandbox_tui.sessions.store.tables.annotations import add_note, add_tag
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.cli.sessions.cockpit_svg import cockpit_screenshot
from sandbox_tui.tui.film.frame_times import moments
from sandbox_tui.tui.screens.cockpit.replay.replay_screen import ReplayScreen
from sandbox_tui.tui.textual_support.private_api import shown_toasts
from tests.screens.cockpit.test_replay_screen import until
from tests.unit.sample_run import keep, sample

PROGRAM = Path(sys.executable).with_name("sandbox-tui")
SECRET = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD"


@pytest.fixture
def store(own_home: Path) -> Iterator[Store]:
    own_home.mkdir()
    with contextlib.closing(Store(own_home / "sessions.db")) as made:
        keep(made, *sample("zebra", SECRET))
        add_note(made, "r", 1, "look here")
        yield made


def words_of(svg: bytes) -> str:
    """Return the text in a screenshot, which must be well-formed XML."""
    text = "\n".join(part for part in ElementTree.fromstring(svg).itertext() if part.strip())
    return text.replace("\xa0", " ")


def test_the_command_draws_all_panes_with_secrets_blanked(store: Store, tmp_path: Path) -> None:
    def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
        command = [PROGRAM, "sessions", "export", "r", *arguments]
        return subprocess.run(command, capture_output=True, text=True)

    target = tmp_path / "one.svg"
    done = run("-f", "svg", "--at", "1", "-o", target)
    assert done.returncode == 0, done.stderr
    assert "of this file; --no-redact keeps" in done.stderr
    screenshot = target.read_bytes()
    words = words_of(screenshot)
    for expected in ("calls 1", "files /testbed", "zebra", "✎", "look here", "step 1 of"):
        assert expected in words, expected
    assert SECRET.encode() not in screenshot
    for outside in (b"url(", b"@import", b"href=", b"src="):
        assert outside not in screenshot.replace(b"url(#", b"")
    later = tmp_path / "end.svg"
    assert run("-f", "svg", "--at", "end", "--size", "100x30", "-o", later).returncode == 0
    assert "calls 2" in words_of(later.read_bytes())
    assert store.count() == 1
    for arguments, problem in (
        (("-f", "svg", "--at", "77"), "This session has no step 77: it has steps 1 to "),
        (("-f", "html", "--at", "1"), "--at is for screenshots"),
        (("-f", "svg", "--at", "1", "--size", "big"), "is not a size"),
        (("-f", "svg", "--at", "1", "--size", "9999x10"), "40x10 to 400x200"),
    ):
        failed = run(*arguments, "-o", tmp_path / "none.svg")
        assert failed.returncode != 0
        assert problem in failed.stderr
    assert not (tmp_path / "none.svg").exists()


def test_the_command_makes_a_film_that_plays_from_the_beginning_to_the_end(
    store: Store, tmp_path: Path
) -> None:
    target = tmp_path / "one.film.svg"
    command = [PROGRAM, "sessions", "export", "r", "-f", "film", "--size", "90x24", "-o", target]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    film = target.read_bytes()
    words = words_of(film)
    for expected in ("calls 0", "calls 1", "calls 2", "zebra"):
        assert expected in words, expected
    for key_or_state in ("paused", "‖", "palette", "help", "q leave"):  # no key can be pressed
        assert key_or_state not in words, key_or_state
    assert words.index("▶") < words.index("■")
    assert SECRET.encode() not in film
    assert b"url(" not in film.replace(b"url(#", b"")
    frames = len(moments(Recording(store, "r").events))
    assert film.count(b"{ transform: translateX(") == frames
    assert "rame" not in done.stderr, "a pipe gets no progress"
    refused = [*command[:-1], tmp_path / "none.svg", "--size", "big"]
    assert "is not a size" in subprocess.run(refused, capture_output=True, text=True).stderr
    assert not (tmp_path / "none.svg").exists()


def test_a_session_larger_than_any_bundle_is_drawn(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bundle, "MAX_UNPACKED_BYTES", 20)
    store.rename("r", "a title")
    add_tag(store, "r", "tagged")
    words = words_of(cockpit_screenshot(Recording(store, "r"), "1", load({})))
    for expected in ("calls 1", "files /testbed", "zebra", "look here", "step 1 of"):
        assert expected in words, expected


async def saved_by_key(store: Store, folder: Path) -> tuple[bytes, str]:
    """Return the screenshot that a key saves at the end of the session `r`, with files zoomed, and
    the notice about it."""
    app = SandboxTui(load(), store, store.run("r"))
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await until(pilot, lambda: isinstance(app.screen, ReplayScreen))
        screen = app.screen
        assert isinstance(screen, ReplayScreen)
        await pilot.press("dollar_sign")
        last = store.run("r").last_seq
        await until(pilot, lambda: screen.shows(last))
        await pilot.press("3", "z", "C")
        file = folder / f"r-{last}.svg"
        await until(pilot, file.exists)
        await until(pilot, lambda: not any(w.group == "screenshot" for w in app.workers))
        return file.read_bytes(), shown_toasts(app)[-1].message


async def test_a_key_saves_what_is_on_the_screen(
    tmp_path: Path, own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    own_home.mkdir()
    with contextlib.closing(Store(own_home / "sessions.db")) as store:
        keep(store, *sample("zebra"))
        screenshot, said = await saved_by_key(store, tmp_path)
    assert said.startswith("Saved: ")
    assert "files /testbed" in words_of(screenshot)
    assert "calls 2" not in words_of(screenshot)  # zoomed
    assert b"@font-face" not in screenshot


async def test_a_key_saves_a_session_with_secrets_without_them(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    screenshot, said = await saved_by_key(store, tmp_path)
    found = re.match(r"Saved, secrets redacted in (\d+) places? of this file: ", said)
    assert found is not None, said
    assert int(found[1]) == len(re.findall(r"\*{8,}", words_of(screenshot)))
    assert "calls 2" in words_of(screenshot)
    assert "***" in words_of(screenshot)
    assert SECRET[:12].encode() not in screenshot
