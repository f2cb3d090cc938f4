"""Number of examples per property: a number per test, multiplied by `TEST_EXAMPLES`."""

from __future__ import annotations

import os
from typing import Any

from hypothesis import settings

TIMES = int(os.environ.get("TEST_EXAMPLES", "1"))


def examples(count: int, **more: Any) -> settings:
    """Settings for a property tried with `count` examples, without a deadline per example."""
    return settings(max_examples=count * TIMES, deadline=None, **more)
