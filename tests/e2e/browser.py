"""A headless Chromium, driven over the pipe of its DevTools protocol, without a driver or a port.

The protocol is documented at chromedevtools.github.io/devtools-protocol; messages end with NUL.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import select
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.waiting import HANG_SECONDS

PROGRAM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)


KEY_CODES = {"Escape": 27, "Enter": 13, "ArrowUp": 38, "ArrowDown": 40}
"""Codes of keys that pages identify by number."""


class BrowserFailed(AssertionError):
    """The page raised an error, or the browser did not respond."""


class Page:
    """A page in a browser.

    Attributes:
        problems: errors and warnings of its console, exceptions, and failed requests.
        requests: addresses that it requested.
    """

    def __init__(self, process: subprocess.Popen[bytes], to: int, back: int) -> None:
        self._process = process
        self._to, self._back = to, back
        self._rest = b""
        self._number = 0
        self._session: str | None = None
        self.problems: list[str] = []
        self.requests: list[str] = []
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        attached = self.send("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")

    def send(self, method: str, /, **params: Any) -> dict[str, Any]:
        """Send a command to the browser and wait for its response."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._to, data) :]
        deadline = time.monotonic() + HANG_SECONDS
        while True:
            answer = self._next(deadline, method)
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise BrowserFailed(f"{method}: {answer['error']['message']}")
                return answer.get("result", {})

    def _next(self, deadline: float, waiting_for: str) -> dict[str, Any]:
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._back], [], [], max(0, deadline - time.monotonic()))
            data = os.read(self._back, 1 << 20) if ready else b""
            if not data:
                raise BrowserFailed(f"the browser does not answer to {waiting_for}")
            self._rest += data
        line, _, self._rest = self._rest.partition(b"\0")
        message = json.loads(line)
        self._note(message.get("method", ""), message.get("params", {}))
        return message

    def _note(self, event: str, params: dict[str, Any]) -> None:
        if event == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.problems.append(str(details.get("exception", {}).get("description", details)))
        elif event == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning"):
            self.problems.append(str(params["args"]))
        elif event == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.problems.append(params["entry"]["text"])
        elif event == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])

    def open(self, address: str, ready: str) -> None:
        """Navigate to an address and wait until `ready` is true in the page."""
        self.send("Page.navigate", url=address)
        self.until(ready)

    def run(self, expression: str) -> Any:
        """Evaluate an expression in the page and return its value."""
        answer = self.send(
            "Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True
        )
        if "exceptionDetails" in answer:
            raise BrowserFailed(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def until(self, expression: str, seconds: float = HANG_SECONDS) -> Any:
        """Wait, in the page, until an expression is true, and return its value."""
        waiting = (
            "new Promise((done) => { const end = performance.now() + %d; const look = () => {"
            " let v = null; try { v = (%s); } catch {} if (v || performance.now() > end) done(v);"
            " else setTimeout(look, 20); }; look(); })"
        )
        try:
            value = self.run(waiting % (seconds * 1000, expression))
        except BrowserFailed as error:
            if "navigated" not in str(error):
                raise
            # the page navigated meanwhile: wait on the new one
            value = self.run(waiting % (seconds * 1000, expression))
        if not value:
            raise BrowserFailed(f"never true: {expression}; {self.problems}")
        return value

    def key(self, key: str) -> None:
        """Press and release a key."""
        text = {"text": key} if len(key) == 1 else {}
        code = {"windowsVirtualKeyCode": KEY_CODES[key]} if key in KEY_CODES else {}
        self.send("Input.dispatchKeyEvent", type="keyDown", key=key, **text, **code)
        self.send("Input.dispatchKeyEvent", type="keyUp", key=key, **code)

    def click(self, x: int, y: int) -> None:
        """Click at a position in the window, in pixels."""
        place: dict[str, Any] = {"x": x, "y": y, "button": "left", "clickCount": 1}
        for kind in ("mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", type=kind, **place)

    def size(self, width: int, height: int) -> None:
        """Resize the page's window."""
        self.send(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=1, mobile=False,
        )  # fmt: skip

    def screenshot(self) -> bytes:
        """Take a screenshot as PNG."""
        return base64.b64decode(self.send("Page.captureScreenshot")["data"])


@contextlib.contextmanager
def browser(profile: Path) -> Iterator[Page]:
    """Start a separate browser without network access except to 127.0.0.1, and open a page."""
    assert PROGRAM is not None
    into, to = os.pipe()
    back, out = os.pipe()
    script = f'exec "$0" "$@" 3<&{into} 4>&{out}'
    command = [
        "/bin/bash", "-c", script, PROGRAM, "--headless", "--no-sandbox", "--disable-gpu",
        "--remote-debugging-pipe", f"--user-data-dir={profile}", "--no-first-run",
        "--disable-dev-shm-usage", "--disable-background-networking",
        "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "about:blank",
    ]  # fmt: skip
    process = subprocess.Popen(
        command,
        pass_fds=(into, out),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    os.close(into)
    os.close(out)
    try:
        yield Page(process, to, back)
    finally:
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(HANG_SECONDS)
        if process.poll() is None:
            process.kill()
            process.wait()
        os.close(to)
        os.close(back)
