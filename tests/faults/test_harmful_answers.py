"""Model server answers that are made to consume memory and time.

Each is sent to the real client in a separate process: what it reports, and its peak memory.
"""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
import textwrap
import zlib
from collections.abc import Callable, Iterator

import pytest

from tests import scripted_server as s
from tests.waiting import HANG_SECONDS

Start = Callable[..., s.ScriptedServer]

# --- compressed or endless bodies

CHILD = textwrap.dedent(
    """
    import asyncio, json, re, sys, time
    from pathlib import Path
    from sandbox_tui.core.config.settings import ModelSettings
    from sandbox_tui.core.base.errors import ModelError
    from sandbox_tui.core.models.base import Request
    from sandbox_tui.core.models.openai_compatible import OpenAIModel

    async def main():
        model = OpenAIModel(ModelSettings(name="m", base_url=sys.argv[1]), None)
        question = Request(messages=[{"role": "user", "content": "hi"}], tools=[])
        try:
            said = [type(part).__name__ async for part in model.ask(question)][-1]
        except ModelError as error:
            said = str(error)
        await model.close()
        peak = re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]
        print(json.dumps({"said": said, "peak": int(peak) / 1024, "cpu": time.process_time()}))

    asyncio.run(main())
    """
)


def in_a_child(server: s.ScriptedServer) -> tuple[str, float]:
    """The outcome of one request, and the peak memory of its process in MiB."""
    command = [sys.executable, "-c", CHILD, server.url]
    done = subprocess.run(command, capture_output=True, text=True, timeout=HANG_SECONDS, check=True)
    seen = json.loads(done.stdout)
    return seen["said"], seen["peak"]


def packed(piece: bytes, times: int) -> Iterator[bytes]:
    """A gzip body that unpacks to this piece, repeated this many times."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    for _ in range(times):
        yield packer.compress(piece)
    yield packer.flush()


GZIP = {"content-encoding": "gzip"}
MEGABYTE = 1 << 20
USUAL = 160
"""MiB that a normal request takes, plus some margin."""


@pytest.fixture(scope="module")
def bomb() -> list[bytes]:
    """A quarter of a gigabyte, compressed."""
    return [b"".join(packed(bytes(MEGABYTE), 256))]


def test_a_compressed_reply_is_not_decompressed(scripted_server: Start, bomb: list[bytes]) -> None:
    outcome, peak = in_a_child(scripted_server(s.Scripted(bomb, headers=GZIP)))
    assert "compressed" in outcome
    assert peak < USUAL


def test_a_compressed_error_page_is_not_decompressed(
    scripted_server: Start, bomb: list[bytes]
) -> None:
    outcome, peak = in_a_child(scripted_server(s.Scripted(bomb, status=400, headers=GZIP)))
    assert outcome == "The server returned an error (400)."
    assert peak < USUAL


def test_only_the_start_of_an_endless_error_page_is_read(scripted_server: Start) -> None:
    page = s.Scripted(itertools.chain([b"gone wrong "], itertools.repeat(b"x" * 65536)), status=400)
    outcome, peak = in_a_child(scripted_server(page))
    assert "It says: gone wrong xxx" in outcome
    assert peak < USUAL


def test_a_redirect_with_an_endless_body_is_dropped(scripted_server: Start) -> None:
    page = s.Scripted(
        itertools.repeat(b"x" * 65536), status=307, headers={"location": "/v1/elsewhere"}
    )
    outcome, peak = in_a_child(scripted_server(page))
    assert "reply was too long" in outcome
    assert peak < USUAL + 256


def event(data: bytes) -> bytes:
    return b"data: " + data + b"\n\n"


SMALL_OBJECTS = {
    "lists": b"[],",
    "objects": b"{},",
    "named objects": b'{"a":0},',
    "numbers": b"1.5,",
    "strings": b'"ab",',
    "deep": b"[" * 900 + b"]" * 900 + b",",
}


@pytest.mark.parametrize("what", SMALL_OBJECTS)
def test_an_event_of_many_small_objects_is_not_parsed(scripted_server: Start, what: str) -> None:
    piece = SMALL_OBJECTS[what]
    many = piece * (60_000_000 // len(piece))
    server = scripted_server(s.stream(event(b'{"choices": [' + many + b"0]}"), s.DONE))
    outcome, peak = in_a_child(server)
    assert "reply was too long" in outcome
    assert peak < 450  # the event in the received chunks, and joined


def test_a_call_of_many_small_objects_is_not_parsed(scripted_server: Start) -> None:
    many = '{"command": [' + "{}," * 2_600_000 + "{}]}"
    server = scripted_server(
        s.whole({"tool_calls": [{"function": {"name": "a", "arguments": many}}]})
    )
    outcome, peak = in_a_child(server)
    assert outcome == "Reply"
    assert peak < 300  # only the text: reported, kept and sent back


def test_a_text_of_many_escapes_is_accepted(scripted_server: Start) -> None:
    outcome, peak = in_a_child(scripted_server(s.whole({"content": ',"' * 2_000_000})))
    assert outcome == "Reply"
    assert peak < 300


# --- floods of small pieces


def alternating_calls() -> Iterator[bytes]:
    parts = [
        s.chunk({"tool_calls": [{"index": n, "id": f"c{n}", "function": {"arguments": " "}}]})
        for n in range(2)
    ]
    yield from itertools.repeat(b"".join(parts))


def named_again() -> Iterator[bytes]:
    """The tool's name in each fragment of its arguments, as some servers send it."""
    function = {"name": "execute_bash", "arguments": '{"x": "}'}
    yield s.chunk({"tool_calls": [{"index": 0, "id": "a", "function": function}]})
    function = {"name": "execute_bash", "arguments": "}" * 40}
    again = s.chunk({"tool_calls": [{"index": 0, "function": function}]})
    yield from itertools.repeat(again * 100)


FLOODS = {
    "thinking and speaking": lambda: itertools.repeat(
        s.chunk({"content": "a"}) + s.chunk({"reasoning_content": "b"})
    ),
    "one call and another": alternating_calls,
    "the name each time": named_again,
    "events that hold nothing": lambda: itertools.repeat(b"data: {}\n\n" * 5000),
    "lines without an event": lambda: itertools.repeat(b": still here\n" * 5000),
    "one event of empty lines": lambda: itertools.repeat(b"data:\n" * 5000),
}


@pytest.mark.parametrize("what", FLOODS)
def test_a_flood_of_fragments_is_cut_off(scripted_server: Start, what: str) -> None:
    outcome, peak = in_a_child(scripted_server(s.Scripted(FLOODS[what]())))
    assert "reply was too long" in outcome
    assert peak < 450
