from __future__ import annotations

import pytest

from sandbox_tui.tui.format.answers import answer_line, short_answer


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        ("42\n", "42"),
        ("one\ntwo", "one …"),
        ('{"name": "alpha", "total": 42}', "name: alpha · total: 42"),
        ('{\n  "items": [1, 2],\n  "right": true\n}', "items: [1, 2] · right: true"),
        ('{"name": "two\\nlines", "b": 1}', "name: two lines · b: 1"),
        ("{}", "{}"),
        ("{not json", "{not json"),
        ("[1, 2]", "[1, 2]"),
    ],
)
def test_a_line_shows_the_fields_of_an_answer_in_json(answer: str, line: str) -> None:
    assert answer_line(answer) == line


def test_a_deep_answer_is_shown_as_it_is() -> None:
    deep = '{"a":' * 600 + "1" + "}" * 600
    assert short_answer(deep).startswith('a: {"a"') or short_answer(deep).startswith('{"a"')
