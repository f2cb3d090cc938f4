"""Calls a function in a process of its own, which may hang, crash or eat memory without harm.

    value = await call_in_worker(compare, answer, target, timeout=30)

Used for code that computes on what a model wrote (a power tower makes any algebra system hang),
and for a person's own code. The function is found again by its module and name, so it must be at
the top of its module; arguments and result travel as JSON.
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
    function: Callable[..., Any],
    *arguments: Any,
    timeout: float,
    max_bytes: int = MAX_BYTES,
    share: str = "",
) -> Any:
    """The result of a function. Cancelling ends the worker.

    Args:
        function: at the top of its module.
        arguments: as JSON has them.
        timeout: seconds, the start of the process among them.
        max_bytes: address space of the process.
        share: calls of the same word may use one process after the other, which spares them its
            imports; empty: this one has it alone.

    Raises:
        WorkerFailed: there is no result.
    """
    call = WorkerCall(function, arguments, timeout=timeout, max_bytes=max_bytes, share=share)
    try:
        return await asyncio.get_running_loop().run_in_executor(_THREADS, call.run)
    except asyncio.CancelledError:
        call.kill()
        raise


class WorkerCall:
    """One call. Arguments as those of `call_in_worker`."""

    def __init__(
        self,
        function: Callable[..., Any],
        arguments: tuple[Any, ...],
        *,
        timeout: float,
        max_bytes: int = MAX_BYTES,
        share: str = "",
    ) -> None:
        self._what = function.__name__.strip("_").replace("_", " ")
        self._timeout = timeout
        self._max_bytes = max_bytes
        self._share = share
        self._request = {
            "module": function.__module__,
            "function": function.__name__,
            "arguments": arguments,
            "seconds": timeout,
        }
        self._lock = threading.Lock()  # over what follows: `kill` comes from another thread
        self._process: WorkerProcess | None = None
        self._killed = False

    def run(self) -> Any:
        """The result; blocks until it is there.

        Raises:
            WorkerFailed: there is none.
        """
        idle = idle_workers.take(self._share, self._max_bytes) if self._share else None
        if idle is not None:
            try:
                return self._asked(idle)
            except WorkerEnded:
                pass  # it was idle for too long
        try:
            return self._asked(WorkerProcess(self._max_bytes))
        except WorkerEnded as error:
            raise WorkerFailed(f"{self._what} failed: {error}") from error

    def kill(self) -> None:
        """End the worker and what it started."""
        with self._lock:
            self._killed = True
            if self._process is not None:
                self._process.kill()

    def _asked(self, process: WorkerProcess) -> Any:
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
                why = f"{self._what} took longer than {self._timeout:g} s"
                raise WorkerFailed(why) from error
            raise
        finally:
            watchdog.cancel()
            self._let_go(process, reply)
        if "value" not in reply:
            raise WorkerFailed(f"{self._what} failed: {reply['error']}", missing=reply["missing"])
        return reply["value"]

    def _let_go(self, process: WorkerProcess, reply: dict[str, Any]) -> None:
        with self._lock:
            self._process = None
            keep = bool(self._share) and "value" in reply and not self._killed
        if not (keep and idle_workers.keep(process, self._share)):
            process.end()
