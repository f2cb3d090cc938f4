"""What a run's program and the screens that watch it say to each other: one JSON object a line.

A screen sends requests, and each gets a response with its id:

    {"id": 3, "method": "approve", "args": {"call": 7}}
    {"is": "response", "id": 3, "value": true}
    {"is": "response", "id": 3, "error": "FileRefused", "message": "..."}

The program sends its status when a screen connects and whenever it changes:

    {"is": "status", "protocol": 2, "seq": 512, "steers": true, "watchers": 2, ...}

A status says how far the record has come; the events themselves are read from the database, so a
slow or vanished screen holds nothing up. Statuses are coalesced: the next one is sent when the one
before has been taken. Both programs are on one host, of one user and of one version: a program that
speaks another protocol is refused with a message.
"""

from __future__ import annotations

from typing import Any

import msgspec

PROTOCOL = 2
"""Raised with every change that another version would misread."""

MAX_READ_BYTES = 8 << 20
"""Bytes of a file that one request reads: they travel in one line, as base64."""

MAX_LINE_BYTES = MAX_READ_BYTES * 4 // 3 + (64 << 10)
"""A line, with room for what surrounds the content of a file."""


class Request(msgspec.Struct, frozen=True):
    """An operation that a screen asks for.

    Attributes:
        id: 1, 2, 3 ... of this connection.
        method: a name of `commands.COMMANDS`, or `TAKE_OVER`.
        args: its arguments, a JSON object.
    """

    id: int
    method: str
    args: msgspec.Raw = msgspec.Raw(b"{}")


TAKE_OVER = "take_over"
"""The method by which a screen begins to steer."""


class Response(msgspec.Struct, frozen=True, tag="response", tag_field="is"):
    """The outcome of a request.

    Attributes:
        id: of the `Request`.
        value: what the operation returned, as JSON; bytes as base64.
        error: class of the error it raised; empty where it did not.
        message: of the error, for the person at the screen.
        current: content of the file, where the error is that it has changed.
    """

    id: int
    value: msgspec.Raw = msgspec.Raw(b"null")
    error: str = ""
    message: str = ""
    current: bytes | None = None


class Status(msgspec.Struct, frozen=True, tag="status", tag_field="is"):
    """The state of the run.

    Attributes:
        seq: number of the last event that is stored.
        steers: whether the screen this is sent to is the one that steers.
        watchers: how many screens there are.
        ready: whether the run can be steered.
        ended: it is over, and everything is cleaned up.
        exit_code: once it has ended.
        failure: why it could not begin or be recorded; empty otherwise.
        storage_error: what keeps it from being recorded at the moment; empty otherwise.
        protocol: `PROTOCOL` of the program.
    """

    seq: int
    steers: bool
    watchers: int
    ready: bool = False
    ended: bool = False
    exit_code: int = 0
    failure: str = ""
    storage_error: str = ""
    protocol: int = PROTOCOL


_encoder = msgspec.json.Encoder()
_requests = msgspec.json.Decoder(Request)
_messages: msgspec.json.Decoder[Response | Status] = msgspec.json.Decoder(Response | Status)


def encode(message: Request | Response | Status) -> bytes:
    """A message as a line."""
    return _encoder.encode(message) + b"\n"


def encode_value(value: Any) -> msgspec.Raw:
    """What an operation returned, for a `Response`."""
    return msgspec.Raw(_encoder.encode(value))


def decode_request(line: bytes) -> Request:
    """A line from a screen.

    Raises:
        msgspec.MsgspecError: it is not a request.
    """
    return _requests.decode(line)


def decode_message(line: bytes) -> Response | Status:
    """A line from a run's program.

    Raises:
        msgspec.MsgspecError: it is neither, or of another protocol.
    """
    message = _messages.decode(line)
    if isinstance(message, Status) and message.protocol != PROTOCOL:
        raise msgspec.ValidationError(f"protocol {message.protocol}, not {PROTOCOL}")
    return message
