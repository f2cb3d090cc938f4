from __future__ import annotations

import pytest

from sandbox_tui.tui.format.titles import MAX_TITLE_CHARACTERS, cut_title, first_line, model_title


def test_a_title_is_the_first_line_without_what_is_odd() -> None:
    assert first_line("\n  count\tthe \x1b[31mboats  \nand more") == "count the ␛[31mboats  "


def test_a_title_of_a_line_without_an_end_is_as_long_as_can_be_seen() -> None:
    assert first_line("é" * 1_000_000) == "é" * MAX_TITLE_CHARACTERS


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("/root/models/qwen2.5-0.5b.gguf", "qwen2.5-0.5b.gguf"),
        ("/srv/checkpoint-40/", "checkpoint-40"),
        ("Qwen/Qwen2.5-Coder-7B", "Qwen/Qwen2.5-Coder-7B"),
        ("/", "/"),
        ("", ""),
    ],
)
def test_a_model_named_by_its_path_is_shown_by_the_name_of_its_file(name: str, shown: str) -> None:
    assert model_title(name) == shown


def test_a_cut_title_says_so() -> None:
    assert [cut_title("four", n) for n in (3, 4, 5)] == ["fo…", "four", "four"]
