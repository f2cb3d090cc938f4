"""Mistakes in JSON that a person typed are told in plain words, with their place."""

from __future__ import annotations

import json

import pytest

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.config.settings import load
from sandbox_tui.core.config.typed_json import mistake_in_json
from sandbox_tui.core.tools.edited_call import check_json
from sandbox_tui.tui.cli.options import overrides_of


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"top_k": 20', "a comma or a closing bracket is expected at the end"),
        ("{'top_k': 20}", "a name in double quotes is expected at character 2, “'top_k': 20}”"),
        ("{top_k: 20}", "a name in double quotes is expected at character 2, “top_k: 20}”"),
        ('{"top_k": twenty}', "a value is expected at character 11, “twenty}”"),
        ('{"top_k" 20}', "a colon is expected at character 10, “20}”"),
        ('{"a": 1} x', "the value has ended, but more follows at character 10, “x”"),
        ('{"a": "b}', 'this text has no closing quote at character 7, “"b}”'),
        ('{\n"a": x}', "a value is expected at line 2, character 6, “x}”"),
        ('{"a": "\\d"}', 'a backslash must be written twice at character 8, “\\d"}”'),
        ('{"a": ', "a value is expected at the end"),
    ],
)
def test_what_is_wrong_and_where(text: str, words: str) -> None:
    with pytest.raises(json.JSONDecodeError) as wrong:
        json.loads(text)
    assert mistake_in_json(wrong.value) == words


def test_only_the_beginning_of_what_is_wrong_is_quoted() -> None:
    with pytest.raises(json.JSONDecodeError) as wrong:
        json.loads("{" + "x" * 100)
    assert len(mistake_in_json(wrong.value)) < 90


@pytest.mark.parametrize("text", ["{top_k: 20}", "abc", "[1]"])
def test_the_option_shows_an_example(text: str) -> None:
    with pytest.raises(ConfigError) as wrong:
        overrides_of({"extra_body": text})
    said = str(wrong.value)
    assert said.startswith("--extra-body ")
    assert "'{\"top_k\": 20}'" in said
    assert "Expecting" not in said


def test_a_changed_call_says_what_is_wrong() -> None:
    with pytest.raises(ConfigError) as wrong:
        check_json("{command: ls}")
    assert "a name in double quotes is expected at character 2, “command: ls}”" in str(wrong.value)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_numbers_that_json_lacks_are_refused(value: float) -> None:
    with pytest.raises(ConfigError, match="model.extra_body"):
        load({"model.extra_body": {"a": [value]}})


def test_a_setting_says_where_its_json_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SANDBOX_TUI_MODEL_EXTRA_BODY", "{'a': 1}")
    with pytest.raises(ConfigError, match="As JSON: a name in double quotes is expected at char"):
        load()


def test_the_option_refuses_numbers_that_json_lacks() -> None:
    with pytest.raises(ConfigError, match="--extra-body is not valid JSON, which has no NaN."):
        overrides_of({"extra_body": '{"a": NaN}'})
