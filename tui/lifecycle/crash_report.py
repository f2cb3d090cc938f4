"""The report of a crash: where it happened, and Python's error.

A traceback holds what an exception's message holds: text from outside, perhaps a key. So it is
cleaned, and secrets are redacted; values of variables are never shown.
"""

from __future__ import annotations

import sys
import traceback
from types import TracebackType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # most commands need no loop
    import asyncio

ASK = (
    "This is a bug in sandbox-tui; everything recorded so far is kept. Please report the lines "
    "above."
)


def report(error: BaseException) -> str:
    """The traceback, safe to print and to share."""
    from sandbox_tui.core.base.sanitize import sanitize
    from sandbox_tui.sessions.interchange.known_secrets import known_secrets
    from sandbox_tui.sessions.interchange.redaction import Redactor

    told = sanitize("".join(traceback.format_exception(error)))
    return f"{Redactor(known_secrets()).text(told)}{ASK}"


def install() -> None:
    """Report every uncaught exception like this."""
    sys.excepthook = _uncaught


def on_loop(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Report exceptions of tasks that are never awaited; see `loop.set_exception_handler`."""
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
