"""Tunes Python's cyclic garbage collector so that its pauses go unnoticed.

A full collection stops the program while it inspects all objects. With the program's own modules
and a long scrollback that takes a tenth of a second, which delays a key pressed meanwhile. Objects
that exist when the screen begins are permanent and need no inspection; full collections of the rest
are made rare.
"""

from __future__ import annotations

import gc

THRESHOLDS = (5_000, 20, 400)
"""Allocations per collection of the youngest generation, and collections of each generation per
collection of the next."""


def tune_gc() -> None:
    """Freeze existing objects and set the thresholds; call once, after the program's imports."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*THRESHOLDS)
