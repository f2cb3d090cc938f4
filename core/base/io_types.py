"""Types of terminal and command input and output."""

from __future__ import annotations

from typing import Literal

Stream = Literal["stdout", "stderr"]
"""One of a command's two output streams."""

Size = tuple[int, int]
"""Columns and rows of a terminal."""
