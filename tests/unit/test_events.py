import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox_tui.core import events
from sandbox_tui.core.errors import EventDecodeError
from sandbox_tui.core.paths import path_to_text, text_to_path


@given(st.binary())
def test_a_path_survives_being_text(path: bytes) -> None:
    text = path_to_text(path)
    text.encode("utf-8")
    assert text_to_path(text) == path


@given(st.binary(), st.floats(min_value=0, allow_nan=False, allow_infinity=False))
def test_an_event_survives_json(data: bytes, t: float) -> None:
    event = events.TerminalOutput(seq=3, t=t, terminal="model", data=data)
    assert events.from_json(events.to_json(event)) == event


@pytest.mark.parametrize("line", [b"", b"{}", b'{"kind":"Nope"}', b"[" * 100_000, b"\xff", b"null"])
def test_what_is_no_event_is_refused_with_a_sentence(line: bytes) -> None:
    with pytest.raises(EventDecodeError, match="not an event"):
        events.from_json(line)
