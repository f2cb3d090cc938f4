"""The tools by name, for the packages below `core/tools`: rules name tools, and so do the settings
that hold rules. A test keeps the built-in names the same here and in the registry."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from importlib.metadata import entry_points

BASH, EDITOR, SUBMIT = "execute_bash", "str_replace_editor", "submit"

SHORT_NAMES: Mapping[str, str] = {BASH: "bash", EDITOR: "edit", SUBMIT: "submit"}
"""The short names under which the built-in tools are shown."""

BUILT_IN = tuple(SHORT_NAMES)

ENTRY_POINTS = "sandbox_tui.tools"
"""Entry point group of installed tools: a tool's name leads to a `Tool`, or to a class of one."""


@functools.cache
def installed_tool_names() -> tuple[str, ...]:
    """Names of the tools that other packages install; nothing of theirs is imported for it."""
    return tuple(sorted({point.name for point in entry_points(group=ENTRY_POINTS)}))
