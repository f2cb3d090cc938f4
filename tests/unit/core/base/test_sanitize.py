import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from sandbox_tui.core.base.sanitize import sanitize, sanitize_line

ANY = st.text(st.characters(exclude_categories=()))
BIDI = set("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


@given(ANY)
def test_nothing_that_commands_a_terminal_survives(text: str) -> None:
    result = sanitize(text)
    for char in result:
        assert char in "\n\t" or unicodedata.category(char) not in ("Cc", "Cs")
        assert char not in BIDI
    result.encode("utf-8")
    assert sanitize(result) == result


@given(ANY)
def test_a_line_stays_a_line(text: str) -> None:
    assert not set(sanitize_line(text)) & set("\n\t\r\x0b\x0c\x85\u2028\u2029")


def test_harmless_text_is_unchanged() -> None:
    text = "naïve 漢字 ✓ → “quoted”\n\tindented 👩‍💻"
    assert sanitize(text) == text


def test_harmful_characters_are_made_visible() -> None:
    assert sanitize("a\x1b[31m\x07\x7f\u202eb\ud800") == "a␛[31m␇␡<U+202E>b<U+D800>"
