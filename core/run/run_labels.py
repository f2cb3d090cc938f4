"""Labels of runs that have a meaning to the program itself."""

from __future__ import annotations

SAMPLES = "samples"
"""Label of runs that are samples of the same task, started together; they share its value."""

SAMPLE = "sample"
"""Label of a sample: its number among the samples of its task, counted from 1."""

OF_COLLECTIONS = frozenset(("eval", "training"))
"""Labels of a run that is part of an evaluation or of a training, where it counts."""
