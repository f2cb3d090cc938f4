"""The lines between a run's program and the screens that watch it: one JSON object each.

From a screen: {"id": 3, "do": "approve", "with": {"call": 7}}; every one gets an answer of its id.
From the run's program, two kinds:

    {"id": 3, "value": ...}  or  {"id": 3, "error": "FileRefused", "words": "..."}
    {"seq": 512, "steers": true, "watchers": 2, "ended": false, ...}

The latter says how far the record has come; the events themselves are read from the database, so
that a screen which is slow, or gone, holds nothing up. It is sent again when something changed and
the line before has been taken.
"""

from __future__ import annotations

from typing import Any

import msgspec

LONGEST_LINE = 8 << 20
"""Bytes of a line: a file that is edited by hand travels in one (at most 1 MiB, as base64)."""


class Ask(msgspec.Struct, frozen=True):
    """What a screen wants done.

    Attributes:
        id: 1, 2, 3 ... of this connection.
        do: what, by the names of `core.controls`.
        args: with what.
    """

    id: int
    do: str
    args: dict[str, Any] = msgspec.field(name="with", default={})


class Answer(msgspec.Struct, frozen=True, tag="answer", tag_field="is"):
    """What came of it.

    Attributes:
        id: of the `Ask`.
        value: what it returned; bytes as base64.
        error: name of the error it raised, empty where it did not.
        words: for the person at the screen.
        now: content of the file, where that is what the error is about.
    """

    id: int
    value: Any = None
    error: str = ""
    words: str = ""
    now: bytes | None = None


class News(msgspec.Struct, frozen=True, tag="news", tag_field="is"):
    """How the run stands.

    Attributes:
        seq: number of the last event that is stored.
        steers: whether the screen this is sent to is the one that steers.
        watchers: how many screens there are.
        ready: whether the run can be steered.
        ended: it is over, and everything put away.
        exit_code: once it has ended.
        failure: why it could not begin or be recorded; empty otherwise.
        trouble: what keeps it from being recorded at the moment; empty otherwise.
    """

    seq: int
    steers: bool
    watchers: int
    ready: bool = False
    ended: bool = False
    exit_code: int = 0
    failure: str = ""
    trouble: str = ""


_encoder = msgspec.json.Encoder()
_asks = msgspec.json.Decoder(Ask)
_told: msgspec.json.Decoder[Answer | News] = msgspec.json.Decoder(Answer | News)


def line(message: Ask | Answer | News) -> bytes:
    """A message as a line."""
    return _encoder.encode(message) + b"\n"


def read_ask(data: bytes) -> Ask:
    """A line from a screen.

    Raises:
        msgspec.MsgspecError: it is none.
    """
    return _asks.decode(data)


def read_told(data: bytes) -> Answer | News:
    """A line from a run's program.

    Raises:
        msgspec.MsgspecError: it is none.
    """
    return _told.decode(data)
