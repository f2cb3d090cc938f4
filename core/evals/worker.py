"""Calls a function in a process of its own, which may hang, crash or eat memory without harm.

    value = await call_in_worker(compare, answer, target, timeout=30)

Used for code that computes on what a model wrote (a power tower makes any algebra system hang),
and for a person's own code. The function is found again by its module and name, so it must be at
the top of its module; arguments and result travel as JSON.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from sandbox_tui.core.base.errors import SandboxTuiError

MAX_BYTES = 4 << 30
"""Address space of a worker, unless its caller says otherwise."""

_THREADS = ThreadPoolExecutor(max_workers=os.cpu_count() or 1, thread_name_prefix="worker")
"""Each waits for one worker; as many as there are processors, since workers compute."""


class WorkerFailed(SandboxTuiError):
    """The function raised, exited, hung, or ran out of memory; the sentence says what is known.

    Attributes:
        missing: name of a package that is not installed; empty: that is not why.
    """

    def __init__(self, message: str, *, missing: str = "") -> None:
        super().__init__(message)
        self.missing = missing


async def call_in_worker(
    function: Callable[..., Any], *arguments: Any, timeout: float, max_bytes: int = MAX_BYTES
) -> Any:
    """The result of a function. Cancelling ends the worker.

    Args:
        function: at the top of its module.
        arguments: as JSON has them.
        timeout: seconds, the start of the process among them.
        max_bytes: address space of the process.

    Raises:
        WorkerFailed: there is no result.
    """
    call = WorkerCall(function, arguments, timeout=timeout, max_bytes=max_bytes)
    try:
        return await asyncio.get_running_loop().run_in_executor(_THREADS, call.run)
    except asyncio.CancelledError:
        call.kill()
        raise


class WorkerCall:
    """One call in a process of its own."""

    def __init__(
        self,
        function: Callable[..., Any],
        arguments: tuple[Any, ...],
        *,
        timeout: float,
        max_bytes: int = MAX_BYTES,
    ) -> None:
        self._what = function.__name__.strip("_").replace("_", " ")
        self._timeout = timeout
        self._given = {
            "module": function.__module__,
            "function": function.__name__,
            "arguments": arguments,
            "max_bytes": max_bytes,
        }
        self._process: subprocess.Popen[bytes] | None = None
        self._killed = False

    def run(self) -> Any:
        """The result; blocks until it is there.

        Raises:
            WorkerFailed: there is none.
        """
        given = json.dumps(self._given).encode()
        with subprocess.Popen(
            [sys.executable, "-m", __name__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        ) as process:
            self._process = process
            if self._killed:
                self.kill()
            try:
                output, errors = process.communicate(given, timeout=self._timeout)
            except subprocess.TimeoutExpired as error:
                raise WorkerFailed(f"{self._what} took longer than {self._timeout:g} s") from error
            finally:
                self.kill()
        try:
            return json.loads(output)["value"]
        except (ValueError, KeyError, TypeError) as error:
            raise self._failure(errors, process.returncode) from error

    def kill(self) -> None:
        """End the worker and what it started."""
        self._killed = True
        if self._process is not None:
            try:
                os.killpg(self._process.pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                self._process.poll()

    def _failure(self, errors: bytes, status: int) -> WorkerFailed:
        lines = errors.decode(errors="replace").strip().splitlines()
        last = lines[-1][:300].rstrip(".") if lines else f"it ended with status {status}"
        kind, _, missing = last.partition("No module named ")
        return WorkerFailed(
            f"{self._what} failed: {last}",
            missing=missing.strip("'").partition(".")[0] if "ModuleNotFoundError" in kind else "",
        )


def main() -> None:
    """The worker: a call from stdin, its result to stdout; what the call prints goes to stderr."""
    results = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    given = json.load(sys.stdin)
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    wanted = given["max_bytes"]
    resource.setrlimit(
        resource.RLIMIT_AS, (wanted if most == resource.RLIM_INFINITY else min(wanted, most), most)
    )
    function = getattr(importlib.import_module(given["module"]), given["function"])
    json.dump({"value": function(*given["arguments"])}, results, default=float)
    results.flush()
    os._exit(0)  # threads and exit handlers of libraries may hang


if __name__ == "__main__":
    main()
