"""Completes the images of the Docker engine. One that does not answer at once completes nothing:
nobody waits for a completion."""

from __future__ import annotations

import contextlib
import threading

import click
from click.shell_completion import CompletionItem

from sandbox_tui.tui.cli.completion.items import beginning_with

MAX_WAIT_SECONDS = 1
"""Seconds that a completion waits for the engine."""


def complete_image(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Return the images of the engine that begin with the typed text, with their sizes."""
    from sandbox_tui.tui.format.numbers import size

    del ctx, param
    found: dict[str, str] = {}

    def ask() -> None:
        from sandbox_tui.core.base.errors import SandboxUnavailable
        from sandbox_tui.core.sandboxes.docker.engine import image_sizes

        with contextlib.suppress(SandboxUnavailable):
            sizes = image_sizes(timeout=MAX_WAIT_SECONDS)
            found.update({name: size(sizes[name]) for name in sizes})

    asking = threading.Thread(target=ask, daemon=True)
    asking.start()
    asking.join(MAX_WAIT_SECONDS)
    return beginning_with(incomplete, dict(found))
