"""The cockpit in a real browser: keys, mouse, and the refusal of requests without the token."""

from __future__ import annotations

import base64
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox_tui.core.terminal.emulator.screen import Screen
from sandbox_tui.sessions import Store
from tests.e2e.browser import PROGRAM as CHROMIUM
from tests.e2e.browser import Page, browser
from tests.e2e.tmux import PROGRAM
from tests.integration.conftest import require
from tests.terminal_oracles import display_of
from tests.waiting import HANG_SECONDS

pytest.importorskip("textual_serve", reason="textual-serve is not installed: sandbox-tui[serve]")

# Collects in the page what the server sends to the terminal, so that tests can read it.
RECORD = """
window.received = [];
const Real = WebSocket;
window.WebSocket = class extends Real {
  constructor(...all) {
    super(...all);
    this.addEventListener("message", (m) => {
      if (m.data instanceof ArrayBuffer) window.received.push(new Uint8Array(m.data));
    });
  }
};
window.joined = () => {
  let text = "";
  for (const part of window.received) for (const byte of part) text += String.fromCharCode(byte);
  return btoa(text);
};
"""


class Served:
    """A separate server on a free port."""

    def __init__(self, home: Path, *command: str, **environment: str) -> None:
        with socket.create_server(("127.0.0.1", 0)) as probe:
            self.port = probe.getsockname()[1]
        arguments = [str(PROGRAM), "serve", "--port", str(self.port), *command]
        names = {"SANDBOX_TUI_HOME": str(home), "SANDBOX_TUI_MODEL_LOCAL_PORTS": "[1]"}
        self.process = subprocess.Popen(
            arguments,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            cwd=home.parent,
            env={**os.environ, **names, "PYTHONUNBUFFERED": "1", **environment},
        )
        assert self.process.stdout is not None
        first = self.process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:\d+/\?token=\S+", first)
        if not found:
            self.end()
        assert found, first
        self.address = found[0]
        self._wait_until_it_answers()

    def _wait_until_it_answers(self) -> None:
        until = time.monotonic() + HANG_SECONDS
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
            except OSError:
                assert time.monotonic() < until, "it does not listen"
                time.sleep(0.02)
            else:
                return

    def end(self) -> int:
        self.process.send_signal(signal.SIGINT)
        assert self.process.stdout is not None
        try:
            return self.process.wait(HANG_SECONDS)
        finally:
            self.process.kill()
            self.process.wait()
            self.process.stdout.close()


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Page]:
    if CHROMIUM is None:
        pytest.skip("there is no Chromium on this machine")
    with browser(tmp_path / "profile") as opened:
        opened.size(1200, 700)
        opened.send("Emulation.setFocusEmulationEnabled", enabled=True)
        opened.send("Page.addScriptToEvaluateOnNewDocument", source=RECORD)
        yield opened


@pytest.fixture
def home(own_home: Path) -> Path:
    own_home.mkdir()
    return own_home


def screen_of(page: Page) -> str:
    """Render with our own emulator what the terminal in the page shows."""
    data = base64.b64decode(page.run("window.joined()"))
    columns = 250
    emulator = Screen(columns, 100)
    emulator.feed(data)
    return "\n".join(line.rstrip() for line in display_of(emulator))


def wait_for(page: Page, text: str, seconds: float = HANG_SECONDS) -> str:
    until = time.monotonic() + seconds
    while text not in (screen := screen_of(page)):
        assert time.monotonic() < until, f"never seen: {text}\n{screen}"
        time.sleep(0.05)
    return screen


def wait_gone(page: Page, text: str, seconds: float = HANG_SECONDS) -> None:
    until = time.monotonic() + seconds
    while text in (screen := screen_of(page)):
        assert time.monotonic() < until, f"still there: {text}\n{screen}"
        time.sleep(0.05)


def click_on(page: Page, text: str) -> None:
    """Click on text where the page shows it."""
    lines = screen_of(page).rstrip().split("\n")
    row = next(number for number, line in enumerate(lines) if text in line)
    rect = "document.querySelector('.xterm-screen').getBoundingClientRect()"
    width, height = (page.run(f"{rect}.{side}") for side in ("width", "height"))
    columns = max(map(len, lines)) + 1
    column = lines[row].index(text) + len(text) / 2
    page.click(int(width * column / columns), int(height * (row + 0.5) / len(lines)))


def test_the_home_screen_in_a_browser_and_its_keys(home: Path, page: Page) -> None:
    served = Served(home)
    try:
        page.open(served.address, "document.body.classList.contains('-first-byte')")
        wait_for(page, "Nothing here yet")
        assert page.run("document.title") == "sandbox-tui"
        page.key("?")
        wait_for(page, "esc close")
        page.key("Escape")
        wait_gone(page, "esc close")
        page.key("n")
        wait_for(page, "ctrl+s start")
        for char in "hello":
            page.key(char)
        wait_for(page, "hello")
        page.key("Escape")
        wait_gone(page, "ctrl+s start")
        click_on(page, "settings")  # in the key bar
        wait_for(page, "terminal title")
        sent = base64.b64decode(page.run("window.joined()"))
        assert b"\x1b]2;" not in sent
        assert b"\x1b]9;" not in sent
        assert b"[22;2t" not in sent
        assert not [url for url in page.requests if f"127.0.0.1:{served.port}" not in url]
        (home.parent / "page.png").write_bytes(page.screenshot())
    finally:
        assert served.end() == 0


def test_closing_the_browser_tab_ends_its_run(home: Path, page: Page) -> None:
    require("bubblewrap")
    served = Served(home, "demo", "--speed", "0.2", "--sandbox", "bubblewrap")
    try:
        page.open(served.address, "document.body.classList.contains('-first-byte')")
        wait_for(page, "mode auto")
        page.send("Page.navigate", url="about:blank")
        until = time.monotonic() + HANG_SECONDS
        while True:
            store = Store.open_readonly_if_needed(home / "sessions.db")
            try:
                runs = store.runs()
            finally:
                store.close()
            if runs and runs[0].outcome != "running":
                break
            assert time.monotonic() < until
            time.sleep(0.1)
        (run,) = runs
        assert (run.outcome, run.error) == ("cancelled", "The program was ended.")
    finally:
        assert served.end() == 0


def ask(url: str, **headers: str) -> tuple[int, str]:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    try:
        with urllib.request.urlopen(
            urllib.request.Request(url, headers=named), timeout=HANG_SECONDS
        ) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def test_requests_without_the_token_are_refused(home: Path) -> None:
    served = Served(home)
    try:
        base = served.address.partition("?")[0]
        token = served.address.partition("token=")[2]
        mine = {"Cookie": f"sandbox-tui-{served.port}={token}"}
        upgrade = {
            "Connection": "Upgrade",
            "Upgrade": "websocket",
            "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
        }
        assert ask(served.address)[0] == 200
        assert "googleapis" not in ask(served.address)[1]
        assert ask(base)[0] == 403
        assert ask(f"{base}?token=wrong")[0] == 403
        assert ask(served.address, Host="evil.example")[0] == 403
        assert ask(base, **mine)[0] == 200
        here = base.rstrip("/")
        assert ask(f"{base}ws", **upgrade, Origin=here)[0] == 403
        assert ask(f"{base}ws", **upgrade, **mine)[0] == 403
        assert ask(f"{base}ws", **upgrade, **mine, Origin="http://evil.example")[0] == 403
        assert ask(f"{base}ws", **upgrade, **mine, Origin=here, Host="evil.example")[0] == 403
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.2", served.port), 1)
    finally:
        assert served.end() == 0


def test_a_port_in_use_is_reported(home: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = subprocess.run(
            [str(PROGRAM), "serve", "--port", port],
            capture_output=True,
            text=True,
            timeout=HANG_SECONDS,
        )
    assert done.returncode == 2
    assert f"Cannot listen on 127.0.0.1:{port}" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_without_textual_serve_one_sentence_says_what_to_install(home: Path) -> None:
    hide = (
        "import sys; sys.modules['textual_serve'] = None; "
        "from sandbox_tui.tui.cli.main import main; main(['serve'])"
    )
    done = subprocess.run(
        [sys.executable, "-c", hide], capture_output=True, text=True, timeout=HANG_SECONDS
    )
    assert done.returncode == 2
    assert "pip install 'sandbox-tui[serve]'" in done.stderr
    assert len(done.stderr.splitlines()) == 1
