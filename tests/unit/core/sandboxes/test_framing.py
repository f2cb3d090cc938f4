"""The channel's framing separates output from marks in the same way however the bytes are split."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.storable_numbers import unreadable
from sandbox_tui.core.sandboxes.docker.exec_transport import FrameParser
from sandbox_tui.core.sandboxes.protocol.file_listing import parse_listing
from sandbox_tui.core.sandboxes.protocol.framing import Mark, MarkScanner

NONCE = b"0123456789abcdef"
MARK = b"\0\x1e" + NONCE + b" E 0 0 1\0"
NOISE = st.lists(
    st.one_of(
        st.binary(max_size=8),
        st.sampled_from([b"\0", b"\x1e", b"\0\x1e", b"\0\x1e0123", b"\0\x1eother E 0\0", b"\n"]),
    ),
    max_size=8,
).map(b"".join)


def cut(data: bytes, cuts: list[int]) -> list[bytes]:
    places = [0, *sorted(min(place, len(data)) for place in cuts), len(data)]
    return [data[a:b] for a, b in itertools.pairwise(places)]


def scanned(pieces: list[bytes]) -> tuple[bytes, list[Mark], bytes]:
    scanner = MarkScanner(NONCE)
    output, marks, after = b"", [], b""
    for piece in pieces:
        for part in scanner.feed(piece):
            if isinstance(part, Mark):
                marks.append(part)
            elif marks:
                after += part
            else:
                output += part
    return output, marks, after + scanner._held


@given(NOISE, NOISE, st.lists(st.integers(0, 120), max_size=6))
def test_a_mark_is_found_in_any_noise(before: bytes, after: bytes, cuts: list[int]) -> None:
    output, marks, rest = scanned(cut(before + MARK + after, cuts))
    assert output == before
    assert marks == [Mark((b"E", b"0", b"0", b"1"))]
    assert rest == after


@given(NOISE, st.lists(st.integers(0, 60), max_size=6))
def test_noise_alone_is_output(noise: bytes, cuts: list[int]) -> None:
    output, marks, rest = scanned(cut(noise, cuts))
    assert (output + rest, marks) == (noise, [])


def test_a_mark_that_never_ends_is_output() -> None:
    long = b"\0\x1e" + NONCE + b" " + b"x" * 500
    output, marks, rest = scanned(cut(long, [3, 30, 90, 200]))
    assert (output + rest, marks) == (long, [])


@given(
    st.lists(st.tuples(st.sampled_from([1, 2]), st.binary(max_size=30)), max_size=8),
    st.lists(st.integers(0, 300), max_size=8),
)
def test_docker_frames(pieces: list[tuple[int, bytes]], cuts: list[int]) -> None:
    data = b"".join(
        bytes([stream, 0, 0, 0]) + len(body).to_bytes(4, "big") + body for stream, body in pieces
    )
    parser = FrameParser()
    got = [frame for piece in cut(data, cuts) for frame in parser.feed(piece)]
    sent = [
        ("stderr" if stream == 2 else "stdout", byte) for stream, body in pieces for byte in body
    ]
    assert [(stream, byte) for stream, body in got for byte in body] == sent


def test_docker_frames_of_one_stream_come_as_one() -> None:
    frames = b"".join(bytes([1, 0, 0, 0, 0, 0, 0, 2]) + b"ab" for _ in range(5))
    assert FrameParser().feed(frames) == [("stdout", b"ab" * 5)]


@given(st.lists(st.binary(min_size=1, max_size=20).filter(lambda b: b"\0" not in b), unique=True))
def test_listings_hold_any_name(names: list[bytes]) -> None:
    data = b"".join(b"f\x0012\x00644\x001.5\0" + name + b"\0" for name in names)
    entries = parse_listing(data)
    assert list(entries) == names
    assert all(entry.size == 12 and entry.mode == 0o644 for entry in entries.values())


@given(
    st.lists(
        st.sampled_from([b"nan", b"1e999", b"-5", b"", b"x", b"9" * 30, b"\xff", b"7"]), min_size=3
    )
)
def test_a_listing_of_any_numbers_can_be_recorded(numbers: list[bytes]) -> None:
    size, mode, mtime = numbers[:3]
    (entry,) = parse_listing(b"f\0" + b"\0".join((size, mode, mtime)) + b"\0/a\0").values()
    change = e.FileChange(
        path="/a",
        change="created",
        kind=entry.kind,
        size=entry.size,
        mode=entry.mode,
        mtime=entry.mtime,
    )
    event = e.FilesListed(files=(change,))
    assert unreadable(event) == ""
    assert e.from_json(e.to_json(event)) == event
    sane = size == mode == mtime == b"7"
    assert (entry.kind, entry.size) == (("file", 7) if sane else (entry.kind, entry.size))


@pytest.mark.parametrize("mtime", [b"nan", b"1e999", b"inf", b"-inf", b"x", b""])
def test_an_invalid_number_makes_a_file_of_unknown_kind(mtime: bytes) -> None:
    (entry,) = parse_listing(b"f\x0012\x00644\0" + mtime + b"\0/a\0").values()
    assert (entry.kind, entry.size, entry.mtime) == ("other", 0, 0.0)


def test_a_time_beyond_all_dates_is_the_last_there_is() -> None:
    (entry,) = parse_listing(b"f\x0012\x00644\x009223372036854775807.5\0/a\0").values()
    assert (entry.kind, entry.size, entry.mtime) == ("file", 12, 253402300799.0)


def test_paths_outside_the_folder_are_not_listed() -> None:
    data = b"".join(
        b"f\x001\x00644\x001.5\0" + path + b"\0" for path in (b"/o/a", b"/b", b"c", b"")
    )
    assert list(parse_listing(data, b"/o/")) == [b"/o/a"]
