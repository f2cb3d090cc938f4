import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox_tui.core.base.errors import EventDecodeError
from sandbox_tui.core.base.path_codec import path_to_text, text_to_path
from sandbox_tui.core.events import types as events


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
def test_invalid_events_are_refused_with_a_sentence(line: bytes) -> None:
    with pytest.raises(EventDecodeError, match="not an event"):
        events.from_json(line)


def test_numbers_that_were_written_as_null_are_read() -> None:
    """Earlier versions recorded infinite numbers from the sandbox, stored as null in JSON."""
    changed = events.from_json(
        b'{"kind":"FilesChanged","t":null,"step":1,"changes":[{"path":"/a","change":"created",'
        b'"kind":"file","mtime":null},{"path":"/b","change":"created","kind":"file","mtime":2.5}]}'
    )
    assert isinstance(changed, events.FilesChanged)
    assert (changed.t, [change.mtime for change in changed.changes]) == (0.0, [0.0, 2.5])
    replied = events.from_json(
        b'{"kind":"ModelReplied","step":1,"message":{"latency":null},"text":"","reasoning":"",'
        b'"usage":{},"finish_reason":null,"latency":null}'
    )
    assert isinstance(replied, events.ModelReplied)
    assert (replied.latency, replied.message) == (0.0, {"latency": None})
    finished = events.from_json(
        b'{"kind":"RunFinished","reason":"submitted","error":null,"totals":{"seconds":null}}'
    )
    assert isinstance(finished, events.RunFinished)
    assert finished.totals.seconds == 0.0
    with pytest.raises(EventDecodeError, match="not an event"):
        events.from_json(b'{"kind":"FilesChanged","step":null,"changes":[]}')
