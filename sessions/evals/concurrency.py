"""How many samples run at once, unless a person says."""

from __future__ import annotations

import os

MAX_CONCURRENCY = 16
"""More is for the person to ask for, who knows what the model's server can take."""

SAMPLE_BYTES = 256 << 20
"""Memory that a sample takes: the paper has 50 MB idle and 200 MB at the peak for a sandbox."""


def default_concurrency(memory_limit: int | None) -> int:
    """Samples at once in this program.

    Args:
        memory_limit: bytes that a sandbox may take; None: the default.
    """
    free = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return samples_within(free, memory_limit)


def samples_within(free: int, memory_limit: int | None) -> int:
    """Samples at once: as many as fit into memory, 1 to `MAX_CONCURRENCY`.

    Args:
        free: bytes.
        memory_limit: bytes that a sandbox may take; None: the default.
    """
    need = min(SAMPLE_BYTES, memory_limit or SAMPLE_BYTES)
    return max(1, min(MAX_CONCURRENCY, free // need))
