"""Exported sessions in the programs that open them: a browser, and asciinema's own player in it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox_tui.core.events import types as e
from sandbox_tui.core.terminal.emulator.screen import Screen
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.interchange.exports import EXPORTERS, Recording
from sandbox_tui.sessions.interchange.imports import import_file
from tests.e2e.browser import PROGRAM, Page, browser
from tests.unit.sample_run import keep, sample
from tests.unit.sessions.interchange.test_exports import HOSTILE

TRAJECTORY = Path("/work/shared/data/trajectories/trajectory_poster.json")
PLAYER = "asciinema-player@3.17.0"
CACHE = Path(__file__).parents[2] / ".cache" / "asciinema-player"

pytestmark = pytest.mark.skipif(PROGRAM is None, reason="there is no Chromium on this machine")

READY = "document.documentElement.dataset.ready"
SEQ = "+document.documentElement.dataset.seq"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store(tmp_path / "s.db")
    yield opened
    opened.close()


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Page]:
    with browser(tmp_path / "profile") as opened:
        opened.size(1400, 900)
        yield opened


@pytest.fixture
def poster(store: Store) -> str:
    if not TRAJECTORY.exists():
        pytest.skip(f"the published trajectories are not on this machine ({TRAJECTORY})")
    (run_id,) = import_file(store, TRAJECTORY)
    return run_id


@pytest.fixture(scope="session")
def player() -> Path:
    """Install the player from npm and unpack it; cached for later sessions."""
    bundle = CACHE / "package" / "dist" / "bundle"
    if not bundle.exists():
        if shutil.which("npm") is None:
            pytest.skip("there is no npm to get asciinema-player with")
        CACHE.mkdir(parents=True, exist_ok=True)
        done = subprocess.run(
            ["npm", "pack", PLAYER, "--silent"], cwd=CACHE, capture_output=True, timeout=120
        )
        if done.returncode:
            pytest.skip("asciinema-player cannot be had from npm here")
        with tarfile.open(next(CACHE.glob("*.tgz"))) as archive:
            archive.extractall(CACHE)
    return bundle


def export(store: Store, run_id: str, format_: str, path: Path) -> Path:
    (part, *_) = EXPORTERS[format_].write(Recording(store, run_id))
    path.write_bytes(part.data)
    return path


def mirror_at(store: Store, run_id: str, seq: int) -> Screen:
    screen = Screen(100, 30)
    for event in store.events(run_id, until=seq):
        if isinstance(event, e.TerminalOutput):
            screen.feed(event.data)
    return screen


def shown_at(store: Store, run_id: str, seq: int) -> list[str]:
    """Return the lines of the mirror after an event, without trailing blank lines."""
    screen = mirror_at(store, run_id, seq)
    lines = [screen.text(row) for row in range(screen.history_size + screen.lines)]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def screen_of(page: Page) -> list[str]:
    lines = page.run("[...document.querySelectorAll('#screen > div')].map((d) => d.textContent)")
    return [line.rstrip() for line in lines]


def files_of(page: Page) -> list[str]:
    return page.run("[...document.querySelectorAll('#tree .path')].map((d) => d.textContent)")


def go_to(page: Page, seq: int) -> None:
    """Move the slider in small steps, as a user would, until the page has reached an event."""
    page.run(
        f"(() => {{ const s = document.getElementById('scrub'); const to = {seq};"
        " for (let v = 0; v <= +s.max; v += Math.max(1, s.max / 2000)) {"
        " s.value = v; s.dispatchEvent(new Event('input'));"
        f" if ({SEQ} >= to) break; }} }})()"
    )


def test_the_page_plays_with_all_panes_in_step(
    page: Page, store: Store, poster: str, tmp_path: Path
) -> None:
    path = export(store, poster, "html", tmp_path / "x.html")
    last = store.run(poster).last_seq
    page.open(path.as_uri(), READY)
    assert page.run("document.title").startswith("Please design a promotional poster")
    assert page.run(SEQ) == last, "what became of it is seen first"
    page.run("location.hash = '#event=40'")
    assert page.until(f"{SEQ} === 40")

    for seq in (last // 3, last, last // 2, 40):  # forwards and backwards
        go_to(page, seq)
        at = page.run(SEQ)
        assert screen_of(page) == shown_at(store, poster, at)[-400:]
        files = [
            change.path.removeprefix("/testbed/")
            for event in store.events(poster, until=at)
            if isinstance(event, e.FilesChanged)
            for change in event.changes
        ]
        assert sorted(files_of(page)) == sorted(set(files))
        calls = [x for x in store.events(poster, until=at) if isinstance(x, e.CallProposed)]
        assert page.run("+document.getElementById('count').textContent") == len(calls)

    go_to(page, 0)
    page.run("(() => { const s = document.getElementById('speed'); s.value = '64';"
             " s.dispatchEvent(new Event('change')); })()")  # fmt: skip
    page.run("document.getElementById('play').click()")
    page.until(f"{SEQ} === {last}")
    assert page.run("document.getElementById('play').getAttribute('aria-label')") == "Play"
    assert screen_of(page) == shown_at(store, poster, last)[-400:]

    page.key("Home")
    steps = 0
    while page.run(SEQ) < last and steps < 100:
        page.key("ArrowRight")
        steps += 1
    assert steps == 36  # 35 calls and the end
    page.key("ArrowLeft")
    assert page.run(SEQ) < last
    assert (page.problems, page.requests) == ([], [path.as_uri()])


def test_calls_and_files_open(page: Page, store: Store, poster: str, tmp_path: Path) -> None:
    page.open(export(store, poster, "html", tmp_path / "x.html").as_uri(), READY)
    page.key("End")
    page.run("document.querySelectorAll('#list details:not(.thought)')[0].open = true")
    first = next(x for x in store.events(poster) if isinstance(x, e.CallFinished))
    block = "document.querySelector('#list details:not(.thought)').querySelector('pre:last-child')"
    assert page.until(f"{block} && {block}.textContent") == first.observation
    name = "[...document.querySelectorAll('#tree .open')].find((d) => d.textContent.includes('convert'))"
    page.run(f"{name}.click()")
    shown = page.run("document.getElementById('preview').textContent")
    assert shown.startswith("#!/usr/bin/env python3")
    page.size(500, 800)
    visible = "[...document.querySelectorAll('main section')].filter((s) => s.offsetWidth).length"
    assert page.run(visible) == 1
    page.run("document.querySelector('#tabs [data-pane=files]').click()")
    assert page.run("document.getElementById('files').offsetWidth") > 400
    assert page.problems == []


def test_nothing_in_a_session_can_act(page: Page, store: Store, tmp_path: Path) -> None:
    keep(store, *sample(HOSTILE))
    store.rename("r", HOSTILE)
    path = export(store, "r", "html", tmp_path / "x.html")
    page.send(
        "Page.addScriptToEvaluateOnNewDocument",
        source="window.acted = []; window.alert = (what) => window.acted.push(what);",
    )
    page.open(path.as_uri(), READY)
    page.key("End")
    page.run("for (const d of document.querySelectorAll('details')) d.open = true")
    page.run("for (const d of document.querySelectorAll('#tree .open')) d.click()")
    page.run("for (const d of document.querySelectorAll('#terminals button')) d.click()")
    assert page.run("window.acted") == []
    assert page.run("document.scripts.length") == 2
    assert page.run("document.querySelectorAll('img, a, iframe, object, form').length") == 0
    assert "</script>" in page.run("document.body.textContent")  # shown as plain text
    assert (page.problems, page.requests) == ([], [path.as_uri()])


def test_the_content_security_policy_blocks_injected_code(
    page: Page, store: Store, tmp_path: Path
) -> None:
    keep(store, *sample("words"))
    path = export(store, "r", "html", tmp_path / "x.html")
    text = path.read_text()
    injected = "<script>window.acted = 1</script><img src='http://127.0.0.1:9/x' onerror='window.acted = 2'>"
    path.write_text(text.replace("<body>", f"<body>{injected}"))
    page.open(path.as_uri(), READY)
    assert page.run("typeof window.acted") == "undefined"
    assert len(page.problems) >= 2  # the browser reports what it refused
    assert all("Content Security Policy" in problem for problem in page.problems)


def test_a_page_of_a_session_with_one_event(page: Page, store: Store, tmp_path: Path) -> None:
    events, contents = sample("words")
    keep(store, events[:1], contents)
    page.open(export(store, "r", "html", tmp_path / "x.html").as_uri(), READY)
    for key in (" ", "ArrowRight", "ArrowLeft", "End", "f"):
        page.key(key)
    assert page.problems == []


def test_asciinema_plays_our_asciicast(
    page: Page, store: Store, poster: str, player: Path, tmp_path: Path
) -> None:
    cast = export(store, poster, "asciicast", tmp_path / "x.cast").read_text()
    path = tmp_path / "player.html"
    path.write_text(
        "<!doctype html><meta charset=utf-8><div id=here></div><style>"
        + (player / "asciinema-player.css").read_text()
        + "</style><script>"
        + (player / "asciinema-player.min.js").read_text()
        + f"</script><script>const cast = {json.dumps(cast).replace('</', '<' + chr(92) + '/')};\n"
        "const p = AsciinemaPlayer.create({ data: cast }, document.getElementById('here'),"
        " { preload: true, terminalLineHeight: 1.3 });"
        " p.addEventListener('ready', () => { window.ready = true; });"
        " p.addEventListener('ended', () => { window.ended = true; });</script>"
    )
    page.open(path.as_uri(), "window.ready")
    duration = page.run("p.getDuration()")
    last = list(store.events(poster))[-1].t
    assert 0 < duration <= last
    text = "document.querySelector('.ap-term, .ap-terminal').textContent"
    page.run("p.play().then(() => p.seek('60%'))")
    page.until(f"{text}.includes('model ❯')")
    page.run("p.seek('99.9%').then(() => p.play())")
    page.until("window.ended")
    screen = mirror_at(store, poster, 10**9)
    wanted = [screen.text(screen.history_size + row) for row in range(screen.lines)]
    lines = "[...document.querySelectorAll('.ap-line')].map((line) => line.textContent)"
    assert [line.rstrip() for line in page.run(lines)] == wanted
    assert page.problems == []
    if os.environ.get("SANDBOX_TUI_PICTURES"):
        Path(os.environ["SANDBOX_TUI_PICTURES"], "asciinema.png").write_bytes(page.screenshot())
