"""Documents in the prompt: whole if they fit, otherwise cut and marked as cut."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sandbox_tui.core.evals.documents import inline_documents

WORDS = b"the keeper lit the lamp\n" * 100  # 2,400 bytes, about 600 tokens
DIGITS = b"976799218725\n" * 100  # 1,300 bytes, about 1,225 tokens


def test_without_a_window_all_of_every_document_is_in_it() -> None:
    inlined = inline_documents({"a.txt": WORDS, "b.txt": DIGITS}, None)
    assert inlined.cut == ()
    assert WORDS.decode() in inlined.text
    assert DIGITS.decode() in inlined.text


def test_a_digit_is_taken_for_a_token() -> None:
    """A table of numbers cut at four bytes per token was rejected by a server as too long."""
    assert inline_documents({"a.txt": WORDS}, 700).cut == ()
    assert inline_documents({"a.txt": DIGITS}, 700).cut == ("a.txt",)
    assert inline_documents({"a.txt": DIGITS}, 1300).cut == ()


def test_a_short_document_stays_whole_beside_a_long_one() -> None:
    inlined = inline_documents({"long.txt": WORDS * 10, "short.txt": WORDS}, 1500)
    assert inlined.cut == ("long.txt",)
    assert f"\n{WORDS.decode()}\nEND DOCUMENT 2" in inlined.text


@given(
    st.text(alphabet=st.sampled_from("0123456789 abcé\n"), max_size=400).map(str.encode),
    st.integers(0, 500),
)
def test_kept_and_missing_parts_make_up_the_document(data: bytes, window: int) -> None:
    inlined = inline_documents({"a.txt": data}, window)
    body = inlined.text.removeprefix("BEGIN DOCUMENT 1: a.txt\n").removesuffix("\nEND DOCUMENT 1")
    if not inlined.cut:
        assert body.encode() == data
        return
    kept, _, note = body.rpartition("\n[… cut here: ")
    missing = int(note.split()[0])
    assert data.startswith(kept.encode())
    assert 0 <= len(data) - missing - len(kept.encode()) <= 1  # a split character is dropped too
    digits = sum(letter.isdigit() for letter in kept)
    assert digits + (len(kept.encode()) - digits) / 4 <= window
