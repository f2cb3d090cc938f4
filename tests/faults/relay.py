"""A connection to a Docker engine that can be cut: a Unix socket that forwards to another."""

from __future__ import annotations

import contextlib
import selectors
import socket
import threading
from pathlib import Path
from types import TracebackType


class Relay:
    """Listens at `path` and forwards to `target`.

    Args:
        path: of the socket to create.
        target: of the engine's socket.
    """

    def __init__(self, path: Path, target: Path) -> None:
        self.host = f"unix://{path}"
        self._path = path
        self._target = target
        self._server: socket.socket | None = None
        self._open: list[socket.socket] = []

    def __enter__(self) -> Relay:
        self.restore()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: object, trace: TracebackType | None
    ) -> None:
        self.cut()

    def restore(self) -> None:
        """Start forwarding."""
        self._path.unlink(missing_ok=True)
        self._server = socket.socket(socket.AF_UNIX)
        self._server.bind(str(self._path))
        self._server.listen(64)
        threading.Thread(target=self._welcome, args=(self._server,), daemon=True).start()

    def cut(self) -> None:
        """Break every connection and accept no new ones."""
        server, self._server = self._server, None
        for end in [server, *self._open] if server is not None else []:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()
        self._open.clear()
        self._path.unlink(missing_ok=True)

    def _welcome(self, server: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while True:
                near, _ = server.accept()
                far = socket.socket(socket.AF_UNIX)
                self._open += [near, far]
                far.connect(str(self._target))
                threading.Thread(target=_pass_on, args=(near, far), daemon=True).start()


def _pass_on(near: socket.socket, far: socket.socket) -> None:
    """Forward both ways until both ends are closed."""
    other = {near: far, far: near}
    with near, far, contextlib.suppress(OSError, ValueError, KeyError):
        with selectors.DefaultSelector() as ready:
            for end in other:
                ready.register(end, selectors.EVENT_READ)
            while ready.get_map():
                for key, _ in ready.select():
                    end = key.fileobj
                    assert isinstance(end, socket.socket)
                    if data := end.recv(1 << 16):
                        other[end].sendall(data)
                    else:
                        ready.unregister(end)
                        other[end].shutdown(socket.SHUT_WR)
