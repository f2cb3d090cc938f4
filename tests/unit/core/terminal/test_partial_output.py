"""What calls printed before their program was killed."""

from __future__ import annotations

from sandbox_tui.core.events import types as e
from sandbox_tui.core.terminal.mirror import MirrorWriter
from sandbox_tui.core.terminal.partial_output import MAX_LINES, partial_outputs


def printed(data: bytes, terminal: str = "model") -> e.TerminalOutput:
    return e.TerminalOutput(terminal=terminal, data=data)


def test_only_the_output_of_calls_without_observation_is_returned_without_its_prompt() -> None:
    prompt = MirrorWriter().prompt("model", "make\nmake install")
    events: list[e.AnyEvent] = [
        e.CallStarted(call=1),
        printed(b"before\r\n"),
        e.CallFinished(call=1, observation="", ok=True, duration=0.0),
        printed(b"between\r\n"),
        e.CallStarted(call=2),
        printed(prompt + b"\x1b[32mone\x1b[0m\r\ntw"),
        printed(b"elsewhere\r\n", "shell"),
        printed(b"o\r\n10%\r20%"),
        e.HumanCommandStarted(id=1),
        printed(b"yours\r\n"),
        e.CallStarted(call=3),
    ]
    assert partial_outputs(events) == {2: "one\ntwo\n20%", 3: ""}


def test_a_flood_is_cut_to_its_end() -> None:
    events = [e.CallStarted(call=1), *(printed(b"%d\r\n" % n) for n in range(MAX_LINES + 5))]
    lines = partial_outputs(events)[1].splitlines()
    assert (lines[0], lines[-1], len(lines)) == ("5", str(MAX_LINES + 4), MAX_LINES)
