"""The worker process: this module, run as a program, executes one call after the other."""

from __future__ import annotations

import atexit
import contextlib
import importlib
import json
import os
import resource
import select
import signal
import subprocess
import sys
import tempfile
import threading
from typing import IO, Any

MAX_IDLE_SECONDS = 60.0
"""An idle worker exits after this time."""

MAX_CALLS = 500
"""Maximum number of calls per worker, because libraries cache their results."""


class WorkerEnded(Exception):
    """The process ended without a reply; the message is the last line of its output."""


class WorkerProcess:
    """A process that waits for calls.

    Args:
        max_bytes: address space limit.
    """

    def __init__(self, max_bytes: int) -> None:
        self.max_bytes = max_bytes
        self.calls = 0
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 -- closed by `end`
        self._process = subprocess.Popen(
            [sys.executable, "-m", __name__, str(max_bytes)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            start_new_session=True,
        )

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """Send a call and return the reply: its `value`, or its `error` and the `missing` package.

        Raises:
            WorkerEnded: the process ended without a reply.
        """
        self.calls += 1
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write(json.dumps(request).encode() + b"\n")
            self._process.stdin.flush()
            return json.loads(self._process.stdout.readline())
        except (OSError, ValueError) as error:
            status = self._process.wait()
            self._errors.seek(0)
            lines = self._errors.read().decode(errors="replace").strip().splitlines()
            last = lines[-1][:300].rstrip(".") if lines else f"it ended with status {status}"
            raise WorkerEnded(last) from error

    def kill(self) -> None:
        """Kill the process and all processes it started."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def end(self) -> None:
        """Kill the process and release its resources."""
        self.kill()
        for pipe in (self._process.stdin, self._process.stdout, self._errors):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        self._process.wait()


class IdleWorkers:
    """Idle worker processes, by the name that their calls share."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: dict[str, list[WorkerProcess]] = {}

    def take(self, share: str, max_bytes: int) -> WorkerProcess | None:
        """Take an idle process; None if there is none."""
        with self._lock:
            for process in self._idle.get(share, []):
                if process.max_bytes == max_bytes:
                    self._idle[share].remove(process)
                    return process
        return None

    def keep(self, process: WorkerProcess, share: str) -> bool:
        """Keep a process for the next call; False if it served enough calls or enough are idle."""
        with self._lock:
            kept = self._idle.setdefault(share, [])
            if process.calls >= MAX_CALLS or len(kept) >= (os.cpu_count() or 1):
                return False
            kept.append(process)
            return True

    def end(self) -> None:
        """End all idle processes."""
        with self._lock:
            every = [process for kept in self._idle.values() for process in kept]
            self._idle.clear()
        for process in every:
            process.end()


idle_workers = IdleWorkers()
atexit.register(idle_workers.end)


def main() -> None:
    """Run the worker: calls from stdin, replies to stdout; what a call prints goes to stderr."""
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    _, hard_limit = resource.getrlimit(resource.RLIMIT_AS)
    requested = int(sys.argv[1])
    bound = requested if hard_limit == resource.RLIM_INFINITY else min(requested, hard_limit)
    resource.setrlimit(resource.RLIMIT_AS, (bound, hard_limit))
    while line := _next_request(sys.stdin.buffer):
        request = json.loads(line)
        # CPU time limit, in case the parent was killed and cannot end this process
        signal.setitimer(signal.ITIMER_PROF, request["seconds"] * (os.cpu_count() or 1) + 1)
        reply = _reply(request)
        signal.setitimer(signal.ITIMER_PROF, 0)
        replies.write(reply + "\n")
        replies.flush()
    os._exit(0)  # threads and exit handlers of libraries may hang


def _next_request(stdin: IO[bytes]) -> bytes:
    """Return the next request line; empty at end of input or after `MAX_IDLE_SECONDS`."""
    ready, _, _ = select.select([stdin], [], [], MAX_IDLE_SECONDS)
    return stdin.readline() if ready else b""


def _reply(request: dict[str, Any]) -> str:
    try:
        function = getattr(importlib.import_module(request["module"]), request["function"])
        return json.dumps({"value": function(*request["arguments"])}, default=float)
    except BaseException as error:  # noqa: BLE001 -- user code may exit; the caller gets the error
        kind, words = type(error).__name__, str(error).strip().split("\n")[0][:300].rstrip(".")
        missing = isinstance(error, ModuleNotFoundError) and (error.name or "").partition(".")[0]
        return json.dumps({"error": f"{kind}: {words}", "missing": missing or ""})


if __name__ == "__main__":
    main()
