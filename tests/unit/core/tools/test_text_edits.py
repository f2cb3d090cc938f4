"""Edits change the requested text and not one byte more."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sandbox_tui.core.tools.text_edits import EditError, insert, line_ending, replace

TEXT = st.text(st.characters(codec="utf-8"), max_size=30)


@given(st.binary(max_size=200), st.binary(max_size=200), TEXT.filter(bool), TEXT)
def test_replace_touches_nothing_else(head: bytes, tail: bytes, old: str, new: str) -> None:
    data = head + old.encode() + tail
    assume(data.count(old.encode()) == 1 and old != new and line_ending(data) == b"\n")
    edit = replace(data, old, new, "f")
    assert edit.data == head + new.encode() + tail


LINE = st.binary(max_size=10).filter(lambda b: b"\n" not in b and b"\r" not in b)


@given(st.lists(LINE, min_size=2), st.data())
def test_a_file_with_crlf_keeps_it(lines: list[bytes], data: st.DataObject) -> None:
    number = data.draw(st.integers(0, len(lines) - 1))
    lines[number] = b"needle"
    assume(lines.count(b"needle") == 1 and not any(b"needle" in x for x in lines if x != b"needle"))
    before = b"".join(line + b"\r\n" for line in lines)
    new = data.draw(TEXT.filter(lambda text: "\r" not in text and text != "needle"))
    wanted = before.replace(b"needle", new.encode().replace(b"\n", b"\r\n"))
    assert replace(before, "needle", new, "f").data == wanted


@pytest.mark.parametrize(
    ("data", "old", "new", "wanted"),
    [
        (b"all:\n\tgcc a.c\n", "gcc a.c", "gcc b.c", b"all:\n\tgcc b.c\n"),
        (b"one\r\ntwo\r\nthree\r\n", "one\ntwo", "1\n2", b"1\r\n2\r\nthree\r\n"),
        (b"no newline", "no", "still no", b"still no newline"),
        (b"caf\xe9 one\n", "one", "two", b"caf\xe9 two\n"),
        (b"\xef\xbb\xbfbom\n", "bom", "kept", b"\xef\xbb\xbfkept\n"),
        (b"a\0b\n", "b", "c", b"a\0c\n"),
        (b"one\r\ntwo\r\n", "one", "1\n2", b"1\r\n2\r\ntwo\r\n"),
        (b"one\r\ntwo\r\n", "\ntwo", "", b"one\r\n"),
        (b"one\r\ntwo\r\nmixed\n", "one\ntwo", "1\n2", b"1\r\n2\r\nmixed\n"),
        (b"one\ntwo\r\nmixed\n", "one", "1", b"1\ntwo\r\nmixed\n"),
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
    with pytest.raises(EditError, match="the same"):
        replace(b"x\n", "x", "x", "f")


def test_replace_says_why_nothing_was_found() -> None:
    with pytest.raises(EditError, match="From line 2 on, .* white space"):
        replace(b"x\nif a:\n\tb()\n", "if a:\n    b()", "", "f")
    with pytest.raises(EditError, match="not UTF-8"):
        replace(b"caf\xe9\n", "caf\ufffd", "z", "f")
    with pytest.raises(EditError, match="copy the text exactly"):
        replace(b"x\n" * 10, "q\n" * 3, "z", "f")


def test_a_large_file_is_edited_in_no_time() -> None:
    data = b"caf\xe9 line\r\n" * 1_000_000
    edit = insert(data, 500_000, "new")
    assert len(edit.data) == len(data) + 5
    assert replace(edit.data, "new", "newer\nstill", "f").data.count(b"\r\n") == 1_000_002
    with pytest.raises(EditError, match="No occurrences"):
        replace(data, "absent", "z", "f")


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
    assert insert(b"", 0, "a\nb\n") == (b"a\nb\n", 1, 2)
    assert insert(b"x\n", 1, "") == (b"x\n\n", 2, 2)


def test_insert_outside_of_the_file() -> None:
    with pytest.raises(EditError, match="from 0 to 2"):
        insert(b"a\nb\n", 3, "c")
