"""The raw bytes of the real program on a real terminal, with a hostile model in a real sandbox."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from pathlib import Path

import msgspec
import pexpect
import pytest

from sandbox_tui.core.events import types as e
from sandbox_tui.sessions import Store
from tests import scripted_server as s
from tests.integration.conftest import require
from tests.security.escapes import (
    CLIPBOARD,
    NOTICE,
    PROBES,
    SETS_UP,
    TITLE,
    UnexpectedSequence,
    parse_output,
)
from tests.security.hostile import MARKUP, TERMINAL, UNSEEN, Streams, marks
from tests.security.hostile_run import hostile_run
from tests.security.terminals import start, written_by

Start = Callable[..., s.ScriptedServer]
EVERYTHING = (NOTICE, TITLE, CLIPBOARD, SETS_UP, PROBES)


def hostile_model(made: Streams) -> list[s.Scripted]:
    """Turns that print, create and say hostile text, then submit it."""
    printed = base64.b64encode("\r\n".join(made.many(120)).encode()).decode()
    names = [made.name().replace("\n", "\x0b") for _ in range(12)]
    touched = base64.b64encode(b"".join(n.encode() + b"\0" for n in names)).decode()
    odd = made.one()
    return [
        s.calls(
            ("execute_bash", json.dumps({"command": f"echo {printed} | base64 -d; echo {odd!r}"})),
            text=made.line(4),
            reasoning=made.line(4),
        ),
        s.calls(
            (
                "execute_bash",
                json.dumps({"command": f"echo {touched} | base64 -d | xargs -0 touch"}),
            ),
            (made.one(), json.dumps({made.one(): made.one()})),
            text=made.text(3),
        ),
        s.call("execute_bash", command=f"echo {printed} | base64 -d | tee output/answer.txt >&2"),
        s.call("submit"),
    ]


def test_the_list_lets_nothing_else_pass() -> None:
    """The check detects each hostile piece on its own."""
    passed: list[str] = []
    for piece in (*TERMINAL, *UNSEEN):
        try:
            parse_output(f"a{piece}b".encode())
            passed.append(piece)
        except UnexpectedSequence:
            pass
    assert passed == []
    for piece in MARKUP:
        assert parse_output(piece.encode()).text == piece
    with pytest.raises(UnicodeDecodeError):
        parse_output(b"\x9b31m")


def test_a_hostile_run_on_the_screen(own_home: Path, scripted_server: Start) -> None:
    require("bubblewrap")
    made = Streams()
    server = scripted_server(*hostile_model(made))
    task = made.line(2)
    run = ("run", task, "--model", f"m{made.one()}", "--base-url", server.url)
    child = start(*run, "--sandbox", "bubblewrap", home=own_home, SANDBOX_TUI_UI_NOTIFY="desktop")
    child.expect(b"submitted")
    for key in "1\rk\r2zz3jjjoq1oq":
        child.send(key)
        child.expect([rb"\x1b\[\d+;\d+H", pexpect.TIMEOUT], timeout=1)
    child.send("q")
    child.expect(pexpect.EOF)
    output = parse_output(child.logfile_read.getvalue(), *EVERYTHING)
    assert "bell" not in output.kinds
    assert any("sandbox-tui" in title for title in output.titles)
    assert len(marks(output.text + "".join(output.titles))) > 20
    assert output.notices
    assert marks(output.notices[-1]) <= marks(task)


def test_a_hostile_run_as_lines_of_text(own_home: Path, scripted_server: Start) -> None:
    require("bubblewrap")
    made = Streams()
    server = scripted_server(*hostile_model(made))
    run = ("run", made.line(), "--model", "m", "--base-url", server.url, "--sandbox", "bubblewrap")
    output = parse_output(written_by(*run, "--headless", home=own_home))
    assert "submitted" in output.text
    assert len(marks(output.text)) > 100
    assert set(output.kinds) == {"place"}  # line breaks, and no colours


@pytest.fixture
def kept(own_home: Path) -> Path:
    """A database with hostile sessions, such as an import could have created.

    The last one has a single terminal, as stdout takes one recording.
    """
    own_home.mkdir()
    store = Store(own_home / "sessions.db")
    made = Streams()
    for run_id in ("20260101-100000-aaaaa", "20260101-100000-bbbbb"):
        events = hostile_run(run_id, made, 8, store)
    store.append("20260101-100000-ccccc", _of_the_model(events, "20260101-100000-ccccc"))
    store.rename("20260101-100000-aaaaa", made.one())
    store.close()
    return own_home


def _of_the_model(events: list[e.AnyEvent], run_id: str) -> list[e.AnyEvent]:
    """The run under another id and without the terminals that are not the model's."""
    kept = [event for event in events if getattr(event, "terminal", "model") == "model"]
    kept[0] = msgspec.structs.replace(kept[0], run_id=run_id)
    return [msgspec.structs.replace(event, seq=seq) for seq, event in enumerate(kept, 1)]


COMMANDS = {
    "ls": ("sessions", "ls"),
    "ls as JSON": ("sessions", "ls", "--json"),
    "show": ("sessions", "show", "aaaaa"),
    "search": ("sessions", "search", "owned"),
    "search as JSON": ("sessions", "search", "owned", "--json"),
    "replay": ("replay", "aaaaa", "--headless"),
    "replay as JSON": ("replay", "aaaaa", "--json"),
    "compare": ("compare", "aaaaa", "bbbbb", "--diffs"),
    "compare as JSON": ("compare", "aaaaa", "bbbbb", "--json"),
    "policy": ("policy", "check", "aaaaa"),
    "trajectory": ("sessions", "export", "aaaaa", "-f", "trajectory", "-o", "-"),
    "markdown": ("sessions", "export", "aaaaa", "-f", "markdown", "-o", "-"),
    "asciicast": ("sessions", "export", "ccccc", "-f", "asciicast", "-o", "-"),
    "svg": ("sessions", "export", "aaaaa", "-f", "svg", "-o", "-"),
    "html": ("sessions", "export", "aaaaa", "-f", "html", "-o", "-"),
    "atif": ("sessions", "export", "aaaaa", "-f", "atif", "-o", "-"),
    "bundle": ("sessions", "export", "aaaaa", "-f", "bundle", "-o", "-"),
    "rm": ("sessions", "rm", "20260101-100000-aaaaa"),
    "rm for sure": ("sessions", "rm", "20260101-100000-aaaaa", "20260101-100000-bbbbb", "--yes"),
}
SILENT = {"bundle", "rm for sure", "policy as JSON"}


def test_no_command_says_anything_but_text(kept: Path) -> None:
    for name, command in COMMANDS.items():
        raw = written_by(*command, home=kept, types="n\n" if name == "rm" else "")
        output = parse_output(raw.replace(b"\x7f", b"") if "JSON" in name else raw)
        assert (name in SILENT) != bool(marks(output.text)) or name == "html", name
        assert "Traceback" not in output.text, name


def test_recordings_hold_escaped_sequences(kept: Path, tmp_path: Path) -> None:
    """A terminal's own sequences are data of a recording: escaped in JSON, no ESC in the file."""
    folder = tmp_path / "recordings"
    folder.mkdir()
    export = ("sessions", "export", "aaaaa", "-f", "asciicast", "-o", str(folder))
    text = parse_output(written_by(*export, home=kept)).text
    assert "Traceback" not in text
    recordings = [path.read_bytes() for path in sorted(folder.glob("*.cast"))]
    assert len(recordings) > 1, text
    assert not any(b"\x1b" in recording for recording in recordings)
    assert marks(b"".join(recordings).decode())
