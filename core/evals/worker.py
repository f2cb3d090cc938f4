"""Calls a function in a separate process, where it may hang, crash or exhaust memory safely.

    value = await call_in_worker(compare, answer, target, timeout=30)

Used for computations on model output (a power tower makes any algebra system hang) and for user
code. The process imports the function by module and name, so it must be at module level; arguments
and result travel as JSON.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from sandbox_tui.core.base.errors import SandboxTuiError
from sandbox_tui.core.evals.worker_process import WorkerEnded, WorkerProcess, idle_workers

MAX_BYTES = 4 << 30
"""Default address space limit of a worker."""

_THREADS = ThreadPoolExecutor(max_workers=os.cpu_count() or 1, thread_name_prefix="worker")
"""Each thread waits for one worker. One thread per processor, because workers are CPU-bound."""


class WorkerFailed(SandboxTuiError):
    """The function raised, exited, hung or ran out of memory; the message gives the known details.

    Attributes:
        missing: name of a package that is not installed; empty if that is not the cause.
    """

    def __init__(self, message: str, *, missing: str = "") -> None:
        super().__init__(message)
        self.missing = missing


async def call_in_worker(
    function: Callable[..., Any],
    *arguments: Any,
    timeout: float,
    max_bytes: int = MAX_BYTES,
    share: str = "",
) -> Any:
    """Call a function in a worker and return its result. Cancelling ends the worker.

    Args:
        function: must be at module level.
        arguments: JSON-compatible.
        timeout: seconds, including process start-up.
        max_bytes: address space limit of the process.
        share: calls that share this name may reuse a process, so that imports are paid for once;
            empty: a dedicated process.

    Raises:
        WorkerFailed: the call produced no result.
    """
    call = WorkerCall(function, arguments, timeout=timeout, max_bytes=max_bytes, share=share)
    try:
        return await asyncio.get_running_loop().run_in_executor(_THREADS, call.run)
    except asyncio.CancelledError:
        call.kill()
        raise


class WorkerCall:
    """One call in a worker. Takes the arguments of `call_in_worker`."""

    def __init__(
        self,
        function: Callable[..., Any],
        arguments: tuple[Any, ...],
        *,
        timeout: float,
        max_bytes: int = MAX_BYTES,
        share: str = "",
    ) -> None:
        self._title = function.__name__.strip("_").replace("_", " ")
        self._timeout = timeout
        self._max_bytes = max_bytes
        self._share = share
        self._request = {
            "module": function.__module__,
            "function": function.__name__,
            "arguments": arguments,
            "seconds": timeout,
        }
        self._lock = threading.Lock()  # guards the fields below: `kill` runs in another thread
        self._process: WorkerProcess | None = None
        self._killed = False

    def run(self) -> Any:
        """Block until the result is available and return it.

        Raises:
            WorkerFailed: the call produced no result.
        """
        idle = idle_workers.take(self._share, self._max_bytes) if self._share else None
        if idle is not None:
            try:
                return self._reply_of(idle)
            except WorkerEnded:
                pass  # the idle process has exited meanwhile
        try:
            return self._reply_of(WorkerProcess(self._max_bytes))
        except WorkerEnded as error:
            raise WorkerFailed(f"{self._title} failed: {error}") from error

    def kill(self) -> None:
        """Kill the worker and all processes it started."""
        with self._lock:
            self._killed = True
            if self._process is not None:
                self._process.kill()

    def _reply_of(self, process: WorkerProcess) -> Any:
        with self._lock:
            self._process = process
            if self._killed:
                process.kill()
        watchdog = threading.Timer(self._timeout, self.kill)
        watchdog.start()
        reply: dict[str, Any] = {}
        try:
            reply = process.ask(self._request)
        except WorkerEnded as error:
            if self._killed:
                why = f"{self._title} took longer than {self._timeout:g} s"
                raise WorkerFailed(why) from error
            raise
        finally:
            watchdog.cancel()
            self._release(process, reply)
        if "value" not in reply:
            raise WorkerFailed(f"{self._title} failed: {reply['error']}", missing=reply["missing"])
        return reply["value"]

    def _release(self, process: WorkerProcess, reply: dict[str, Any]) -> None:
        with self._lock:
            self._process = None
            keep = bool(self._share) and "value" in reply and not self._killed
        if not (keep and idle_workers.keep(process, self._share)):
            process.end()
