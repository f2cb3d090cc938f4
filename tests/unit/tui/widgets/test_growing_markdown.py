"""Growing Markdown, split into stable blocks, is laid out like the whole text."""

from __future__ import annotations

from rich.style import Style

from sandbox_tui.tui.theming.palette import Palette
from sandbox_tui.tui.widgets.preview.growing_markdown import (
    MAX_CODE_LINES,
    MAX_PART_CHARS,
    _drawn,
    markdown_lines,
    parts_of,
)

TEXT = """I look **first**, with `ls`.

## Plan

1. one

   still one

2. two

```python
x = 1

y = 2
```
after it

| a | b |
|---|--:|
| 1 | 2 |

> quoted

<think>a tag</think> and <b>another</b>
"""


PALETTE = Palette(
    *(Style(color=f"color({number})") for number in range(1, 14)),
    highlight="native",
    code_background="#000000",
)


def plain(text: str) -> list[str]:
    return [line.plain.rstrip() for line in markdown_lines(text, 40, PALETTE)]


def test_every_part_but_the_last_stays_as_it_is_while_the_text_grows() -> None:
    before = list(parts_of(""))
    lines = TEXT.splitlines(keepends=True)
    for end in range(len(lines) + 1):
        now = list(parts_of("".join(lines[:end])))
        assert now[: len(before) - 1] == before[:-1], lines[:end]
        before = now


def test_all_of_the_text_is_rendered() -> None:
    lines = plain(TEXT)
    shown = "\n".join(lines)
    assert lines[0] == "I look first, with ls."
    for words in ("Plan", "still one", "2 two", "x = 1", "y = 2", "after it", "▌ quoted"):
        assert words in shown
    assert "<think>a tag</think>" in shown
    for sign in ("**", "```", "##"):
        assert sign not in shown
    assert "\n\n\n" not in shown


def test_a_block_of_code_without_an_end_is_code() -> None:
    assert plain("```sh\nls **") == [" ls **"]
    assert next(parts_of("```")).language == ""


def test_long_code_is_cut_into_parts_and_shown_without_a_gap() -> None:
    code = [f"line {number}" for number in range(2 * MAX_CODE_LINES + 3)]
    text = "\n".join(["```text", *code, "```"])
    assert [part.follows for part in parts_of(text)] == [False, True, True]
    assert [line.strip() for line in plain(text)] == code


def test_a_paragraph_that_is_too_long_to_be_laid_out_is_text() -> None:
    assert "**x**" in " ".join(plain("**x** " * MAX_PART_CHARS))


ROWS = [f"| row {number} | {number} | **bold** |" for number in range(300)]
ITEMS = [f"{number + 1}. item {number} with `code`" for number in range(300)]


def test_a_long_list_is_laid_out_without_a_gap() -> None:
    lines = plain("\n".join(ITEMS))
    assert [line.split() for line in lines] == [
        f"{number + 1} item {number} with code".split() for number in range(300)
    ]


def test_a_long_table_is_laid_out_with_its_head_on_every_piece() -> None:
    text = "\n".join(["The masses:", "| name | n | note |", "|---|--:|---|", *ROWS, "", "the end"])
    lines = plain(text)
    assert not [line for line in lines if "|" in line or "**" in line]
    assert [line.split()[1] for line in lines if "row" in line] == [str(n) for n in range(300)]
    pieces = len(list(parts_of(text))) - 1
    assert pieces > 1
    assert sum(line.split() == ["name", "n", "note"] for line in lines) == pieces


def test_pieces_stay_as_they_are_while_a_long_text_grows() -> None:
    for text in ("\n".join(ITEMS), "\n".join(["| name | n | note |", "|---|--:|---|", *ROWS])):
        before = list(parts_of(""))
        for end in range(0, len(text), 97):
            now = list(parts_of(text[:end]))
            assert now[: len(before) - 1] == before[:-1]
            assert all(len(part.text) <= MAX_PART_CHARS for part in now)
            before = now


def test_a_fragment_draws_only_the_last_part_of_a_reply_of_3000_lines() -> None:
    text = "\n\n".join(f"paragraph **{number}**" for number in range(1_500))
    markdown_lines(text, 40, PALETTE)
    before = _drawn.cache_info().misses
    markdown_lines(f"{text} and more", 40, PALETTE)
    assert _drawn.cache_info().misses == before + 1
