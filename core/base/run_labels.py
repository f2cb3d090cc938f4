"""Labels of runs that the program itself gives a meaning."""

from __future__ import annotations

SAMPLES = "samples"
"""Of a run that is one of several samples of a task, asked for in one go: the same for all."""
