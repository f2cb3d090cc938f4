"""Messages between a run's program and the screens that watch it: one JSON object per line.

A screen sends requests, and each gets a response with its id:

    {"id": 3, "method": "approve", "args": {"call": 7}}
    {"is": "response", "id": 3, "value": true}
    {"is": "response", "id": 3, "error": "FileRefused", "message": "..."}

The program sends its status when a screen connects and whenever it changes:

    {"is": "status", "protocol": 2, "seq": 512, "steers": true, "watchers": 2, ...}

A status tells how far the run is recorded. The events themselves are read from the database, so
that a slow or closed screen does not block the run. Statuses are coalesced: the next one is sent
after the previous one has been read. Both programs belong to one user on one host and must have the
same version: a program with another protocol is refused with a message.
"""

from __future__ import annotations

from typing import Any

import msgspec

PROTOCOL = 2
"""Increased with every change that another version would misread."""

MAX_READ_BYTES = 8 << 20
"""Maximum bytes of a file per request: they are sent in one line, as base64."""

MAX_LINE_BYTES = MAX_READ_BYTES * 4 // 3 + (64 << 10)
"""Maximum length of a line, with room for the JSON around the content of a file."""


class Request(msgspec.Struct, frozen=True):
    """An operation requested by a screen.

    Attributes:
        id: 1, 2, 3 ... within the connection.
        method: a name in `commands.COMMANDS`, or `TAKE_OVER`.
        args: its arguments, a JSON object.
    """

    id: int
    method: str
    args: msgspec.Raw = msgspec.Raw(b"{}")


TAKE_OVER = "take_over"
"""Method with which a screen starts to steer."""


class Response(msgspec.Struct, frozen=True, tag="response", tag_field="is"):
    """The outcome of a request.

    Attributes:
        id: of the `Request`.
        value: the operation's result as JSON; bytes as base64.
        error: class of the error it raised; empty if it succeeded.
        message: the error message, for the user at the screen.
        current: the file's content, if the error is that it has changed.
    """

    id: int
    value: msgspec.Raw = msgspec.Raw(b"null")
    error: str = ""
    message: str = ""
    current: bytes | None = None


class Status(msgspec.Struct, frozen=True, tag="status", tag_field="is"):
    """The state of the run.

    Attributes:
        seq: number of the last stored event.
        steers: whether the receiving screen is the one that steers.
        watchers: number of screens.
        ready: whether the run can be steered.
        ended: whether the run has ended and everything is cleaned up.
        exit_code: valid after the run has ended.
        failure: why it could not begin or be recorded; otherwise empty.
        storage_error: why it is blocked because it cannot be recorded; otherwise empty.
        began: when the run started, on the monotonic clock of this host, which all its programs
            share; None until it is known.
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
    began: float | None = None
    protocol: int = PROTOCOL


_encoder = msgspec.json.Encoder()
_requests = msgspec.json.Decoder(Request)
_messages: msgspec.json.Decoder[Response | Status] = msgspec.json.Decoder(Response | Status)


def encode(message: Request | Response | Status) -> bytes:
    """Return a message as one line."""
    return _encoder.encode(message) + b"\n"


def encode_value(value: Any) -> msgspec.Raw:
    """Return the result of an operation for a `Response`."""
    return msgspec.Raw(_encoder.encode(value))


def decode_request(line: bytes) -> Request:
    """Decode a line from a screen.

    Raises:
        msgspec.MsgspecError: it is not a request.
    """
    return _requests.decode(line)


def decode_message(line: bytes) -> Response | Status:
    """Decode a line from a run's program.

    Raises:
        msgspec.MsgspecError: it is neither a response nor a status, or has another protocol.
    """
    message = _messages.decode(line)
    if isinstance(message, Status) and message.protocol != PROTOCOL:
        raise msgspec.ValidationError(f"protocol {message.protocol}, not {PROTOCOL}")
    return message
