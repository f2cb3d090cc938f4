"""Crash reports: sanitized tracebacks with redacted secrets.

A traceback contains exception messages, which may hold untrusted text or a key. Values of variables
are never shown.
"""

from __future__ import annotations

import sys
import traceback
from types import TracebackType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # most commands need no event loop
    import asyncio

ASK = (
    "This is a bug in sandbox-tui; everything recorded so far is kept. Please report the lines "
    "above."
)


def report(error: BaseException) -> str:
    """Return the traceback, safe to print and to share."""
    from sandbox_tui.core.base.sanitize import sanitize
    from sandbox_tui.sessions.interchange.known_secrets import known_secrets
    from sandbox_tui.sessions.interchange.redaction import Redactor

    text = sanitize("".join(traceback.format_exception(error)))
    return f"{Redactor(known_secrets()).text(text)}{ASK}"


def install() -> None:
    """Report every uncaught exception in this form."""
    sys.excepthook = _uncaught


def on_loop(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Report exceptions of tasks that nothing awaits; see `loop.set_exception_handler`."""
    error = context.get("exception")
    if isinstance(error, BaseException):
        _say(error)


def _uncaught(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    if issubclass(kind, KeyboardInterrupt):
        sys.__excepthook__(kind, error, trace)
    else:
        _say(error)


def _say(error: BaseException) -> None:
    print(report(error), file=sys.stderr)  # noqa: T201 - nothing else may work any more
