"""Finds async generators of this project that nobody closed."""

from __future__ import annotations

import sys
from collections.abc import AsyncGenerator, Iterator
from contextlib import contextmanager
from typing import Any

from sandbox_tui.core.models.http import response_guard


@contextmanager
def abandoned_generators() -> Iterator[list[str]]:
    """List the names of generators that are left to the event loop, which closes them in tasks of
    its own, some time later.

    Only generators that start in this block are seen. Those of libraries are not listed, nor those
    that the HTTP client reads: some versions of it leave some open if a response is not read to its
    end.
    """
    hooks = sys.get_asyncgen_hooks()
    names: list[str] = []

    def record(generator: AsyncGenerator[Any, None]) -> None:
        module = str(generator.ag_frame.f_globals["__name__"])
        if module.startswith("sandbox_tui.") and module != response_guard.__name__:
            names.append(generator.__qualname__)
        if hooks.finalizer is not None:
            hooks.finalizer(generator)

    sys.set_asyncgen_hooks(firstiter=hooks.firstiter, finalizer=record)
    try:
        yield names
    finally:
        sys.set_asyncgen_hooks(*hooks)
