"""The channel's framing: output and marks come apart the same way, however they were cut."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from sandbox_tui.core.sandboxes.docker_transport import FrameParser
from sandbox_tui.core.sandboxes.files import parse_listing
from sandbox_tui.core.sandboxes.marks import Mark, MarkScanner

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
    return output, marks, after + scanner.rest()


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
