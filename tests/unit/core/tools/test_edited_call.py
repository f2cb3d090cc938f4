"""A call changed by the user is checked before a run is started for it."""

from __future__ import annotations

import json

import pytest

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.base.tool_names import BASH, EDITOR
from sandbox_tui.core.tools.edited_call import check_changed_call

VIEW = {"command": "view", "path": "/testbed/a.py"}


@pytest.mark.parametrize(
    ("tool", "arguments", "problem"),
    [
        (BASH, '{"comand":"x"}', 'execute_bash needs "command"; it has no argument "comand".'),
        (BASH, "", 'execute_bash needs "command".'),
        (BASH, '{"command": null}', 'execute_bash needs "command".'),
        (BASH, '{"command": ["ls"]}', 'command must be text, not ["ls"].'),
        (BASH, '{"command": true}', "command must be text, not true."),
        (BASH, '{"command": 5}', "command must be text, not 5."),
        (BASH, "{comand: x}", 'character 2, “comand: x}”). Write {"command": "…"}.'),
        (BASH, '["ls"]', 'it is not one JSON object. Write {"command": "…"}.'),
        (BASH, "[" * 5_000, "cannot be used: "),
        (EDITOR, "{}", 'str_replace_editor needs "command" and "path".'),
        (
            EDITOR,
            json.dumps({**VIEW, "command": "remove"}),
            'command must be "view", "create", "str_replace" or "insert".',
        ),
        (EDITOR, json.dumps({**VIEW, "path": 1.5}), "path must be text, not 1.5."),
        (EDITOR, json.dumps({**VIEW, "old_str": {}}), "old_str must be text, not {}."),
        (
            EDITOR,
            json.dumps({**VIEW, "insert_line": []}),
            "insert_line must be a whole number, not [].",
        ),
        (
            EDITOR,
            json.dumps({**VIEW, "insert_line": "x"}),
            'insert_line must be a whole number, not "x".',
        ),
        (
            EDITOR,
            json.dumps({**VIEW, "insert_line": 2.5}),
            "insert_line must be a whole number, not 2.5.",
        ),
        (EDITOR, json.dumps({**VIEW, "view_range": 5}), "view_range must be a list, not 5."),
        (
            EDITOR,
            json.dumps({**VIEW, "view_range": [1, "b"]}),
            'view_range must be a list of whole numbers, not [1, "b"].',
        ),
    ],
)
def test_what_is_wrong_is_said_to_a_person(tool: str, arguments: str, problem: str) -> None:
    with pytest.raises(ConfigError) as caught:
        check_changed_call(tool, arguments)
    assert str(caught.value).startswith("The changed call cannot be used: ")
    assert problem in str(caught.value)
    assert "Send the call again" not in str(caught.value)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        (BASH, '{"command": "ls", "timeout": 5}'),
        (BASH, '"{\\"command\\": \\"ls\\"}"'),
        (EDITOR, json.dumps({**VIEW, "view_range": "[1, 5]", "file_text": None})),
        (EDITOR, json.dumps({**VIEW, "command": "insert", "insert_line": "5", "new_str": "x"})),
        ("submit", "{}"),
        ("unknown", '{"anything": 1}'),
    ],
)
def test_what_the_tool_accepts_is_accepted(tool: str, arguments: str) -> None:
    check_changed_call(tool, arguments)
