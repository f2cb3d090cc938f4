"""Names of the tools, for the packages below `core/tools`.

Rules name tools, and so do the settings that contain rules. A test keeps the built-in names
identical here and in the registry.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from importlib.metadata import entry_points

BASH, EDITOR, SUBMIT = "execute_bash", "str_replace_editor", "submit"

SHORT_NAMES: Mapping[str, str] = {BASH: "bash", EDITOR: "edit", SUBMIT: "submit"}
"""Display names of the built-in tools."""

BUILT_IN = tuple(SHORT_NAMES)

ENTRY_POINTS = "sandbox_tui.tools"
"""Entry point group of installed tools: a tool's name maps to a `Tool`, or to a class of one."""


@functools.cache
def installed_tool_names() -> tuple[str, ...]:
    """Return the names of the tools installed by other packages, found without importing them."""
    return tuple(sorted({point.name for point in entry_points(group=ENTRY_POINTS)}))
