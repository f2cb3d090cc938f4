"""A call on one line: what the user approves is what runs."""

from __future__ import annotations

import json

import pytest

from sandbox_tui.core.base.json_arguments import parse_arguments
from sandbox_tui.core.tools.call_summaries import full_command, short_name, summarize_call

DELETE = json.dumps({"command": "rm -rf build\nls"})


@pytest.mark.parametrize("arguments", [DELETE, json.dumps(DELETE), DELETE.replace("\\n", "\n")])
def test_arguments_in_every_form_that_runs(arguments: str) -> None:
    assert parse_arguments(arguments) == {"command": "rm -rf build\nls"}
    assert summarize_call("execute_bash", arguments) == "rm -rf build …"
    assert full_command("execute_bash", arguments) == "rm -rf build ↵ ls"


def test_arguments_that_are_not_objects_are_shown_unchanged() -> None:
    assert summarize_call("execute_bash", '{"command": ') == '{"command":'
    assert full_command("execute_bash", "[1]\n[2]") == "[1] …"


def test_other_tools() -> None:
    created = json.dumps({"command": "create", "path": "/testbed/a.py", "file_text": "a\nb\n"})
    assert summarize_call("str_replace_editor", created) == "create a.py +2"
    assert summarize_call("look_around", '{"where": "é"}') == '{"where": "é"}'
    assert summarize_call("submit", "") == ""
    assert [short_name(name) for name in ("execute_bash", "look_around")] == ["bash", "look_around"]
