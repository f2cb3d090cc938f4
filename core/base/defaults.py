"""Defaults that several packages share; each is declared only here.

`Limits` and `RunSettings`, which a run's first event records, have their own defaults: these also
stand for values that earlier versions did not record, and must not change.
"""

from __future__ import annotations

OBSERVATION_LINES = 160
OBSERVATION_CHARS = 20_000
"""Maximum size of what the model sees of one call."""

COMMAND_TIMEOUT_SECONDS = 120.0

WORKING_DIR = "/testbed"
INPUT_DIR = f"{WORKING_DIR}/input"
OUTPUT_DIR = f"{WORKING_DIR}/output"

MAX_PROCESSES = 512
"""Maximum number of processes in a sandbox."""

GRACE_SECONDS = 120.0
"""How long a sandbox outlives a killed program."""

RESUMABLE_SECONDS = 1800.0
"""How long the sandbox of a run that ended as disconnected, or without its model, outlives its
program at least: its user comes back later than a program that takes a run over."""

MIRROR_SIZE = (100, 30)
"""Columns and rows of the terminal that shows the model's commands."""

TERMINAL_SIZE = (80, 24)
"""Columns and rows of a terminal whose size is unknown (VT100)."""
