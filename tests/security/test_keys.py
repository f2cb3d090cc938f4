"""Keys are sent to the model's server and appear nowhere else: a run with canaries is searched."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pexpect
import pytest

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.config.settings import load
from tests import scripted_server as s
from tests.integration.conftest import TEST_IMAGE, require
from tests.security.escapes import BELL, SETS_UP, TITLE, parse_output
from tests.security.terminals import PROGRAM
from tests.waiting import HANG_SECONDS

Start = Callable[..., s.ScriptedServer]

KEY = "zq7Canary+Key/K3v9xW.2mT"
"""A key that does not look like one, in a variable whose name does not suggest one."""

OTHER = "sk-canary-0Ther7Key1234567890abcd"
PASSWORD = "c4naryPassw0rd"
FIELD = "c4naryF1eldOfTheBody"
CANARIES = [KEY, OTHER, PASSWORD, FIELD]

ENVIRONMENT = {
    "MY_ENTRY": KEY,
    "SANDBOX_TUI_MODEL_API_KEY_ENV": "MY_ENTRY",
    "OPENAI_API_KEY": OTHER,
    "AWS_SECRET_ACCESS_KEY": OTHER,
    "SANDBOX_TUI_MODEL_EXTRA_BODY": json.dumps({"api_key": FIELD, "top_k": 3}),
}

LOOK = (
    "env; tr '\\0' '\\n' </proc/1/environ; cat /proc/*/environ /proc/*/cmdline 2>/dev/null | tr '\\0' '\\n';"
    " cat /proc/*/mountinfo 2>/dev/null; grep -rlE 'anary' /testbed /root /tmp /run /etc /var/tmp 2>/dev/null;"
    " echo looked"
)


def found_in(data: bytes) -> list[str]:
    """The canaries in some bytes, also in JSON, URL, base64 or hex encoding."""
    import base64
    import urllib.parse

    found: list[str] = []
    for canary in CANARIES:
        plain = canary.encode()
        forms = {plain, plain.hex().encode(), urllib.parse.quote(canary, safe="").encode()}
        forms |= {base64.b64encode(plain)[:-4], base64.b64encode(b"x" + plain)[4:-4]}
        found += [canary for form in forms if form in data]
    return found


def files_below(*folders: Path) -> Iterator[Path]:
    for folder in folders:
        yield from (path for path in folder.rglob("*") if path.is_file())


def program(*arguments: str, **more: str) -> subprocess.CompletedProcess[bytes]:
    """Run the program with all the canaries in its environment."""
    return subprocess.run(
        [PROGRAM, *arguments],
        capture_output=True,
        timeout=HANG_SECONDS,
        env={**os.environ, **ENVIRONMENT, **more},
    )


def address(server: s.ScriptedServer) -> str:
    return server.url.replace("http://", f"http://somebody:{PASSWORD}@")


def echoes(key: str) -> list[s.Scripted]:
    """Replies of a careless server: the key, in every kind of error."""
    inner = json.dumps({"error": {"message": f"bad key {key}", "code": 500}}).encode()
    return [
        s.failure(503, f"Bearer {key} is asked too often", retry_after="0"),
        s.stream(s.chunk({"content": "x"}), b"data: " + inner + b"\n\n"),
        s.stream(s.chunk({"content": "x"}), f"data: {{oops {key}\n\n".encode()),
    ]


@pytest.mark.parametrize("kind", ["docker", "bubblewrap"])
def test_a_run_leaves_no_key_anywhere(
    kind: str, own_home: Path, tmp_path: Path, scripted_server: Start
) -> None:
    require(kind)
    turns = [s.call("execute_bash", command=LOOK), s.call("submit")]
    server = scripted_server(*echoes(KEY), *turns)
    output = tmp_path / "results"
    run = ("run", "look", "--model", "m", "--base-url", address(server), "--sandbox", kind)
    done = program(*run, "--image", TEST_IMAGE, "--output", str(output), "--json")
    assert done.returncode == 0, done.stderr
    credentials = base64.b64encode(f"somebody:{PASSWORD}".encode()).decode()
    assert set(server.authorizations) == {f"Basic {credentials}"}  # they go to the server alone
    assert server.requests[-1]["api_key"] == FIELD
    sent = json.dumps(server.requests[-1]["messages"])
    assert "looked" in sent  # what the model itself sees of the sandbox
    assert found_in(sent.encode()) == []
    assert found_in(done.stdout + done.stderr) == []
    assert b"bad key" in done.stdout
    output.mkdir(exist_ok=True)  # a run without result files makes none
    for format_ in ("html", "trajectory"):
        made = program(
            "sessions", "export", "last", "-f", format_, "-o", str(output), "--no-redact"
        )
        assert made.returncode == 0, made.stderr
        assert found_in(made.stdout + made.stderr) == []
    looked_at = list(files_below(own_home, output))
    assert len(looked_at) >= 3
    for path in looked_at:
        assert found_in(path.read_bytes()) == [], path
    for command in (("sessions", "show", "last"), ("doctor",)):
        completed = program(*command)
        assert found_in(completed.stdout + completed.stderr) == [], command


@pytest.mark.parametrize(
    "reply",
    [
        s.failure(401, f"Incorrect API key provided: {KEY}. Or {OTHER}."),
        s.failure(403, f"{KEY}"),
        s.failure(404, f"The model m is not there for {KEY}"),
        s.Scripted([f"<html>{KEY}</html>".encode()], status=502, content_type="text/html"),
        s.Scripted([json.dumps({"detail": [{"input": KEY}]}).encode()], status=422),
    ],
    ids=["401", "403", "404", "a page", "422"],
)
def test_a_refusal_that_echoes_the_key(
    reply: s.Scripted, own_home: Path, scripted_server: Start
) -> None:
    require("bubblewrap")
    server = scripted_server(reply)
    server.models = [f"model-of-{KEY}", OTHER]
    run = ("run", "x", "--model", "m", "--base-url", address(server), "--sandbox", "bubblewrap")
    done = program(*run, "--headless", "--time-limit", "5")
    assert done.returncode in (5, 7)
    assert found_in(done.stdout + done.stderr) == []
    for path in files_below(own_home):
        assert found_in(path.read_bytes()) == [], path


def test_a_detached_run_gets_no_key(own_home: Path, scripted_server: Start) -> None:
    require("bubblewrap")
    server = scripted_server(
        s.call("execute_bash", command="echo begun; sleep 60"), s.call("submit")
    )
    run = ("run", "x", "--model", "m", "--base-url", server.url, "--sandbox", "bubblewrap")
    started = program(*run, "--detach")
    assert started.returncode == 0, started.stderr
    try:
        workers = [
            path.parent
            for path in Path("/proc").glob("[0-9]*/environ")
            if str(own_home).encode() in (read(path) or b"")
        ]
        assert workers
        for (
            process
        ) in workers:  # the program itself, and what it has started outside of the sandbox
            assert found_in(read(process / "cmdline")) == []
        assert any(KEY.encode() in read(process / "environ") for process in workers)
        for path in files_below(own_home):
            assert found_in(path.read_bytes()) == [], path
    finally:
        stopped = program("stop")
    assert found_in(started.stdout + started.stderr + stopped.stdout + stopped.stderr) == []


def read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


CRASH = """
import sys
from sandbox_tui.tui.cli import main
from sandbox_tui.tui.cli.sessions import format_sessions
from sandbox_tui.tui.screens.home.home import HomeScreen
secret = __import__("os").environ["MY_ENTRY"]
def broken(*arguments, **more):
    held = secret
    raise RuntimeError(f"could not use {held} \\x1b]0;owned\\x07 \\x9b31m \\u202e [/]")
HomeScreen.on_mount = broken
format_sessions.list_sessions = broken
main.main()
"""


@pytest.mark.parametrize("command", [[], ["sessions", "ls"]], ids=["screen", "command"])
def test_a_crash_report_shows_no_values(command: list[str], own_home: Path) -> None:
    child = pexpect.spawn(
        sys.executable,
        ["-c", CRASH, *command],
        env={
            **os.environ,
            **ENVIRONMENT,
            "TERM": "xterm-256color",
            "SANDBOX_TUI_UI_IMAGES": "blocks",
        },
        dimensions=(45, 160),
        timeout=HANG_SECONDS,
    )
    child.expect(pexpect.EOF)
    assert found_in(child.before) == []
    child.close()
    output = parse_output(child.before, SETS_UP, TITLE, BELL)
    assert "RuntimeError: could not use" in output.text
    assert "bug in sandbox-tui" in output.text
    assert "␛]0;owned␇" in output.text
    assert child.exitstatus == 1


def test_a_key_given_as_a_variable_name_is_not_repeated(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SANDBOX_TUI_MODEL_API_KEY_ENV", OTHER)
    with pytest.raises(ConfigError, match="not the key itself") as caught:
        load()
    assert found_in(str(caught.value).encode()) == []
