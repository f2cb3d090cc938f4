"""The default number of samples that run at once."""

from __future__ import annotations

import os

MAX_CONCURRENCY = 16
"""Higher values are left to the user, who knows what the model's server can handle."""

SAMPLE_BYTES = 256 << 20
"""Memory per sample; the paper reports 50 MB idle and 200 MB at peak for a sandbox."""


def default_concurrency(memory_limit: int | None) -> int:
    """Return the default number of samples at once in this program.

    Args:
        memory_limit: maximum bytes per sandbox; None: the default.
    """
    free = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return samples_within(free, memory_limit)


def samples_within(free: int, memory_limit: int | None) -> int:
    """Return the number of samples at once that fit into memory, from 1 to `MAX_CONCURRENCY`.

    Args:
        free: free memory in bytes.
        memory_limit: maximum bytes per sandbox; None: the default.
    """
    need = min(SAMPLE_BYTES, memory_limit or SAMPLE_BYTES)
    return max(1, min(MAX_CONCURRENCY, free // need))
