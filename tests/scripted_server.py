"""An OpenAI-compatible server on loopback that plays a list of replies and can misbehave.

    with ScriptedServer([say("hello"), call("execute_bash", command="ls")]) as server:
        ... server.url, server.requests ...

`python -m tests.scripted_server` serves a short script and prints its address. Given the name of a
misbehaviour (`... "stalls after headers"`), it starts with that one; given `?`, it lists them.
"""

from __future__ import annotations

import contextlib
import json
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Chunk = dict[str, Any]


@dataclass
class Scripted:
    """One response: a status, headers, and pieces of a body that are sent one after the other. A
    number among the pieces is a pause in seconds.

    Attributes:
        keep: whether the connection stays open for the next request.
        raw: whether the pieces are the whole response, including the status line and headers.
    """

    pieces: Iterable[bytes | float] = ()
    status: int = 200
    content_type: str = "text/event-stream"
    headers: dict[str, str] = field(default_factory=dict)
    keep: bool = False
    raw: bool = False


def chunk(delta: Chunk, finish: str | None = None) -> bytes:
    """Encode one chunk of a stream as a server-sent event."""
    body = {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "scripted",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
    }
    return b"data: " + json.dumps(body).encode() + b"\n\n"


def usage(prompt: int = 100, completion: int = 20) -> bytes:
    """Encode the last chunk of a stream for which usage was requested."""
    body = {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "scripted",
        "choices": [],
        "usage": {
            "prompt_tokens": prompt,
            "completion_tokens": completion,
            "total_tokens": prompt + completion,
        },
    }
    return b"data: " + json.dumps(body).encode() + b"\n\n"


DONE = b"data: [DONE]\n\n"


def say(text: str, *, reasoning: str = "", key: str = "reasoning_content") -> Scripted:
    """A reply that contains only text."""
    pieces = [chunk({key: reasoning[i : i + 5]}) for i in range(0, len(reasoning), 5)]
    pieces += [chunk({"content": text[i : i + 7]}) for i in range(0, len(text), 7)]
    return Scripted([*pieces, chunk({}, "stop"), usage(), DONE])


def fragments(index: int, name: str, arguments: str, identity: str) -> list[bytes]:
    """Encode a tool call in the fragments that a server streams."""
    first = {
        "index": index,
        "id": identity,
        "type": "function",
        "function": {"name": name, "arguments": ""},
    }
    pieces = [chunk({"tool_calls": [first]})]
    for at in range(0, len(arguments), 11):
        part = {"index": index, "function": {"arguments": arguments[at : at + 11]}}
        pieces.append(chunk({"tool_calls": [part]}))
    return pieces


def calls(*wanted: tuple[str, str], text: str = "", reasoning: str = "") -> Scripted:
    """A reply with tool calls, each a pair of name and arguments as JSON text."""
    pieces = [chunk({"reasoning_content": reasoning})] if reasoning else []
    pieces += [chunk({"content": text})] if text else []
    for index, (name, arguments) in enumerate(wanted):
        pieces += fragments(index, name, arguments, f"call_{index}")
    return Scripted([*pieces, chunk({}, "tool_calls"), usage(), DONE])


def call(name: str, **arguments: Any) -> Scripted:
    """A reply with one tool call."""
    return calls((name, json.dumps(arguments)))


def whole(message: Chunk, finish: str | None = "stop", **more: Any) -> Scripted:
    """A reply that is not streamed."""
    body = {"choices": [{"index": 0, "message": message, "finish_reason": finish}], **more}
    return Scripted([json.dumps(body).encode()], content_type="application/json")


def stream(*pieces: bytes | float, **more: Any) -> Scripted:
    """A stream of exactly these pieces."""
    return Scripted(list(pieces), **more)


def failure(status: int, message: str = "no", **headers: str) -> Scripted:
    """An error response."""
    body = json.dumps({"error": {"message": message, "type": "x", "code": None}}).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Scripted([body], status=status, content_type="application/json", headers=named)


def loading(message: str = "Loading model", status: int = 503, **headers: str) -> Scripted:
    """What llama.cpp's server answers while it loads its model."""
    error = {"message": message, "type": "unavailable_error", "code": status}
    body = json.dumps({"error": error}).encode()
    return Scripted([body], status=status, content_type="application/json", headers=headers)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 1024  # many runs may send requests at once


class ScriptedServer:
    """Plays its replies in order and repeats the last one.

    Attributes:
        requests: bodies of the requests so far, parsed; `bodies` holds their bytes.
        headers: headers of each request, by lower-case name.
        authorizations: the Authorization header of each request.
        list_authorizations: that of each request for the models.
        connections: number of connections opened.
        port: the port it listens on; 0 chooses a free one.
        models: what `GET /models` lists; if None, that address returns 404.
        model_fields: fields of each listed model besides its id.
    """

    def __init__(
        self, replies: list[Scripted | Callable[[Chunk], Scripted]], port: int = 0
    ) -> None:
        self.replies = replies
        self.requests: list[Chunk] = []
        self.bodies: list[bytes] = []
        self.headers: list[dict[str, str]] = []
        self.authorizations: list[str] = []
        self.list_authorizations: list[str] = []
        self.connections = 0
        self.models: list[str] | None = None
        self.model_fields: Chunk = {}
        self.stop = threading.Event()
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def setup(self) -> None:
                owner.connections += 1
                super().setup()

            def do_POST(self) -> None:
                length = int(self.headers.get("content-length", "0"))
                owner.headers.append({k.lower(): v for k, v in self.headers.items()})
                owner.authorizations.append(self.headers.get("authorization", ""))
                owner.bodies.append(self.rfile.read(length))
                request = json.loads(owner.bodies[-1])
                number = len(owner.requests)
                owner.requests.append(request)
                reply = owner.replies[min(number, len(owner.replies) - 1)]
                owner.play(self, reply(request) if callable(reply) else reply)

            def do_GET(self) -> None:
                owner.list_authorizations.append(self.headers.get("authorization", ""))
                if owner.models is None:
                    owner.play(self, failure(404))
                    return
                rows = [{"id": name, **owner.model_fields} for name in owner.models]
                body = {"object": "list", "data": rows}
                pieces = [json.dumps(body).encode()]
                owner.play(self, Scripted(pieces, content_type="application/json"))

            def log_message(self, format: str, *arguments: object) -> None:
                pass

        self._server = _Server(("127.0.0.1", port), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))

    @property
    def port(self) -> int:
        """The port it listens on."""
        return int(self._server.server_address[1])

    @property
    def url(self) -> str:
        """The base URL for clients."""
        return f"http://127.0.0.1:{self.port}/v1"

    def play(self, handler: BaseHTTPRequestHandler, reply: Scripted) -> None:
        """Send one response."""
        handler.close_connection = True
        with contextlib.suppress(OSError):
            if not reply.raw:
                self._begin(handler, reply)
            for piece in reply.pieces:
                if isinstance(piece, bytes):
                    frame = b"%x\r\n%b\r\n" % (len(piece), piece)
                    handler.wfile.write(frame if reply.keep else piece)
                    handler.wfile.flush()
                else:
                    self.stop.wait(piece)
                if self.stop.is_set():
                    return
            if reply.keep:
                handler.wfile.write(b"0\r\n\r\n")
                handler.close_connection = False

    @staticmethod
    def _begin(handler: BaseHTTPRequestHandler, reply: Scripted) -> None:
        handler.send_response(reply.status)
        handler.send_header("content-type", reply.content_type)
        if reply.keep:
            handler.send_header("transfer-encoding", "chunked")
        else:
            handler.send_header("connection", "close")
        for name, value in reply.headers.items():
            handler.send_header(name, value)
        handler.end_headers()

    def __enter__(self) -> ScriptedServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


BASH = ("execute_bash", json.dumps({"command": "echo hello"}))

MISBEHAVIOURS: dict[str, Callable[[], Scripted]] = {
    "asks too much of us": lambda: failure(429, "slow down", retry_after="2"),
    "asks for an hour": lambda: failure(429, "slow down", retry_after="3600"),
    "is overloaded": lambda: failure(503, "busy"),
    "is loading its model": loading,
    "refuses the key": lambda: failure(401, "no such key"),
    "sends a web page": lambda: stream(b"<html><body>log in</body></html>"),
    "does not stream": lambda: whole({"role": "assistant", "content": "I cannot stream."}),
    "refuses to stream": lambda: failure(400, "stream is not supported"),
    "sends null choices": lambda: stream(b'data: {"choices": null}\n\n', DONE),
    "stalls after headers": lambda: stream(3600.0),
    "drips": lambda: stream(*(p for _ in range(9999) for p in (chunk({"content": "."}), 0.2))),
    "ends in mid-call": lambda: stream(*fragments(0, *BASH, "a")[:2]),
    "hangs up in mid-call": lambda: stream(
        *fragments(0, *BASH, "a")[:2], headers={"content-length": "99999"}
    ),
    "sends bad JSON": lambda: stream(chunk({"content": "x"}), b"data: {oops\n\n", DONE),
    "never says done": lambda: stream(chunk({"content": "x"}), chunk({}, "stop")),
    "breaks off with an error": lambda: stream(
        chunk({"content": "x"}), b'data: {"error": {"message": "boom", "code": 500}}\n\n'
    ),
    "makes ten calls at once": lambda: calls(*[BASH] * 10),
    "calls an unknown tool": lambda: call("no_such_tool", x=1),
    "runs into the token limit": lambda: stream(
        *fragments(0, "execute_bash", '{"command": "ls', "a"), chunk({}, "length"), DONE
    ),
    "floods": lambda: stream(
        *(chunk({"content": "flood " * 1000}) for _ in range(500)), chunk({}, "stop"), DONE
    ),
    "has no room": lambda: failure(400, "This model's maximum context length is 8192 tokens."),
    "filters": lambda: stream(chunk({}, "content_filter"), DONE),
}
"""The misbehaviours of servers, by name."""


def demo_replies() -> Iterator[Scripted]:
    """Yield the replies of a short run that succeeds."""
    yield calls(
        ("execute_bash", json.dumps({"command": "ls -la; echo 6*7 | tee sum.txt"})),
        text="I look around.",
        reasoning="A sandbox. First I see what is there.",
    )
    yield call(
        "str_replace_editor",
        command="create",
        path="/testbed/output/answer.txt",
        file_text="42\n",
    )
    yield call("submit")


def main(names: list[str]) -> None:
    """Serve these misbehaviours and then the demo script, until interrupted."""
    if unknown := [name for name in names if name not in MISBEHAVIOURS]:
        print("\n".join(sorted(MISBEHAVIOURS)))
        sys.exit(0 if unknown == ["?"] else 2)
    first = [MISBEHAVIOURS[name]() for name in names]
    with ScriptedServer([*first, *demo_replies()]) as running:
        print(running.url, flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            while True:
                time.sleep(3600)


if __name__ == "__main__":
    main(sys.argv[1:])
