"""Edits change what was asked for, and not one byte more."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox_tui.core.tools.editing import EditError, insert, replace

TEXT = st.text(st.characters(codec="utf-8"), max_size=30)


@given(st.binary(max_size=200), st.binary(max_size=200), TEXT.filter(bool), TEXT)
def test_replace_touches_nothing_else(head: bytes, tail: bytes, old: str, new: str) -> None:
    data = head + old.encode() + tail
    if data.count(old.encode()) != 1:
        return
    edit = replace(data, old, new, "f")
    assert edit.data == head + new.encode() + tail


@pytest.mark.parametrize(
    ("data", "old", "new", "wanted"),
    [
        (b"all:\n\tgcc a.c\n", "gcc a.c", "gcc b.c", b"all:\n\tgcc b.c\n"),
        (b"one\r\ntwo\r\nthree\r\n", "one\ntwo", "1\n2", b"1\r\n2\r\nthree\r\n"),
        (b"no newline", "no", "still no", b"still no newline"),
        (b"caf\xe9 one\n", "one", "two", b"caf\xe9 two\n"),
        (b"\xef\xbb\xbfbom\n", "bom", "kept", b"\xef\xbb\xbfkept\n"),
        (b"a\0b\n", "b", "c", b"a\0c\n"),
    ],
)
def test_replace_keeps_what_editors_often_spoil(
    data: bytes, old: str, new: str, wanted: bytes
) -> None:
    assert replace(data, old, new, "f").data == wanted


def test_replace_says_where_it_could_not_decide() -> None:
    with pytest.raises(EditError, match=r"\(2\) .* lines 1, 3"):
        replace(b"x\ny\nx\n", "x", "z", "f")
    with pytest.raises(EditError, match="No occurrences"):
        replace(b"x\n", "q", "z", "f")
    with pytest.raises(EditError, match="empty"):
        replace(b"x\n", "", "z", "f")


@given(st.lists(st.binary(max_size=10).filter(lambda b: b"\n" not in b and b"\r" not in b)), TEXT)
def test_insert_keeps_every_line_that_was_there(lines: list[bytes], text: str) -> None:
    text = text.replace("\r", "").replace("\n", "") or "new"
    data = b"".join(line + b"\n" for line in lines)
    for at in range(len(lines) + 1):
        wanted = [*lines[:at], text.encode(), *lines[at:]]
        assert insert(data, at, text).data == b"".join(line + b"\n" for line in wanted)


def test_insert_at_the_end_without_a_newline() -> None:
    assert insert(b"a\nb", 2, "c").data == b"a\nb\nc"
    assert insert(b"a\nb", 1, "c").data == b"a\nc\nb"
    assert insert(b"a\r\nb\r\n", 1, "c").data == b"a\r\nc\r\nb\r\n"
    assert insert(b"", 0, "c").data == b"c\n"


def test_insert_outside_of_the_file() -> None:
    with pytest.raises(EditError, match="from 0 to 2"):
        insert(b"a\nb\n", 3, "c")
