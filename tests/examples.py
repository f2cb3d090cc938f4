"""How many examples a property is tried with: a number per test, times `TEST_EXAMPLES`."""

from __future__ import annotations

import os
from typing import Any

from hypothesis import settings

TIMES = int(os.environ.get("TEST_EXAMPLES", "1"))


def examples(count: int, **more: Any) -> settings:
    """Settings for a property that is tried `count` times, as long as each may take."""
    return settings(max_examples=count * TIMES, deadline=None, **more)
