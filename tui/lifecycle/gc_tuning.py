"""Python's collector of cyclic garbage, set so that nobody sees it work.

It stops everything while it looks at all objects there are. With the program's own modules and a
long scrollback that takes a tenth of a second, and a key pressed meanwhile waits. What is there
when the screen begins stays for good and need not be looked at; the rest is looked at whole rarely.
"""

from __future__ import annotations

import gc

THRESHOLDS = (5_000, 20, 400)
"""New objects until the young are looked at; and how often that is until the older are, and all."""


def tune_gc() -> None:
    """To be called once, when what the program consists of has been imported."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*THRESHOLDS)
