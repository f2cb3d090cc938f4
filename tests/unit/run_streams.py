"""Hypothesis strategies for plausible runs: events refer only to what came before."""

from __future__ import annotations

from typing import Any

import msgspec
from hypothesis import strategies as st

from sandbox_tui.core.events import types as e
from tests.unit.event_streams import EVENT, started

_text = st.text(st.characters(codec="utf-8"), max_size=30)
_small = st.integers(0, 50)
_path = st.sampled_from([f"/testbed/{name}" for name in ("a", "b", "c/d", "e", "f")])
_terminal = st.sampled_from(["model", "shell", "shell-2"])
_output = st.one_of(
    st.binary(max_size=60),
    st.lists(
        st.sampled_from(
            PIECES := [
                b"line of output\r\n",
                b"\x1b[31mred\x1b[0m\r\n",
                b"\x1b[3J",
                b"\x1b[?1049h",
                b"\x1b[?1049l",
                b"\x1b[2J\x1b[H",
                b"\x1bc",
                b"\xe4\xbd\xa0\xe5\xa5\xbd",
                b"\x1b[5;10r",
                b"\n" * 30,
                b"\x1b]0;t",
                b"\x07",
                b"x" * 200,
                b"seq\r\n" * 40,
            ]
        ),
        max_size=6,
    ).map(b"".join),
)
_file = st.builds(
    e.FileChange,
    path=_path,
    change=st.sampled_from(["created", "modified", "deleted"]),
    kind=st.sampled_from(["file", "dir", "link"]),
    size=_small,
    mode=_small,
    mtime=st.floats(0, 10),
    blob=st.none() | st.sampled_from(["d1", "d2"]),
)
_usage = st.builds(e.Usage, input_tokens=_small, output_tokens=_small)
_step = st.integers(1, 4)

FREE = st.one_of(
    EVENT,
    st.builds(e.TerminalOutput, terminal=_terminal, data=_output),
    st.builds(e.TerminalOutput, terminal=_terminal, data=_output),
    st.builds(
        e.TerminalOpened, terminal=_terminal, cols=st.integers(1, 60), rows=st.integers(1, 20)
    ),
    st.builds(
        e.TerminalResized, terminal=_terminal, cols=st.integers(1, 60), rows=st.integers(1, 20)
    ),
    st.builds(e.TerminalClosed, terminal=_terminal),
    st.builds(e.FilesListed, files=st.lists(_file, max_size=5).map(tuple)),
    st.builds(e.FilesChanged, step=_step, changes=st.lists(_file, max_size=4).map(tuple)),
    st.builds(e.ModelAsked, step=_step, digest=_text, messages=_small),
    st.builds(e.ModelFailed, step=_step, error=_text, attempt=_small),
    st.builds(e.ReplyInterrupted, step=_step),
    st.builds(
        e.ModelReplied,
        step=_step,
        message=st.just({"role": "assistant"}),
        text=_text,
        reasoning=_text,
        usage=_usage,
        finish_reason=st.none(),
        latency=st.just(0.5),
        cost=st.none() | st.just(0.25),
    ),
    st.builds(e.SnapshotTaken, step=_step, image=_text),
    st.builds(e.RuleGranted, tool=_text, pattern=st.sampled_from("ab")),
    st.builds(e.RuleRevoked, tool=_text, pattern=st.sampled_from("ab")),
    st.builds(e.InputAwaited, program=_text),
    st.just(e.SandboxFrozen()),
    st.just(e.SandboxThawed()),
)
"""Events that require no earlier events."""

_CALL, _PERSON = "call", "person"
_BOUND: st.SearchStrategy[tuple[str, Any]] = st.one_of(
    st.tuples(
        st.just("propose"),
        st.builds(
            e.ToolCall, number=st.integers(1, 12), step=_step, id=_text, name=_text, arguments=_text
        ),
    ),
    st.tuples(
        st.just(_CALL),
        st.builds(
            e.CallDecided,
            call=st.just(0),
            verdict=st.sampled_from(["approve", "edit", "reject"]),
            by=st.sampled_from(["human", "policy"]),
            arguments=st.none() | _text,
        ),
    ),
    st.tuples(st.just(_CALL), st.builds(e.CallStarted, call=st.just(0))),
    st.tuples(
        st.just(_CALL),
        st.builds(e.CallFinished, call=st.just(0), observation=_text, ok=st.booleans()),
    ),
    st.tuples(st.just("say"), st.builds(e.HumanMessage, id=st.integers(1, 5), text=_text)),
    st.tuples(
        st.just("say"),
        st.builds(e.HumanCommand, id=st.integers(1, 5), command=_text, told_to_model=st.booleans()),
    ),
    st.tuples(
        st.just(_PERSON),
        st.builds(
            e.HumanCommandFinished,
            id=st.just(0),
            observation=_text,
            exit_code=st.just(0),
            duration=st.just(0.1),
        ),
    ),
    st.tuples(st.just(_PERSON), st.builds(e.Withdrawn, id=st.just(0))),
    st.tuples(st.just(_PERSON), st.builds(e.Reworded, id=st.just(0), text=_text)),
    st.tuples(st.just(_PERSON), st.builds(e.HumanCommandStarted, id=st.just(0))),
    st.tuples(st.just(_CALL), st.builds(e.CallHeld, call=st.just(0), reason=_text)),
    st.tuples(
        st.just("say"),
        st.builds(
            e.HumanFile,
            id=st.integers(1, 5),
            action=st.sampled_from(["pull", "push", "edit"]),
            path=_path,
            told_to_model=st.booleans(),
            diff=_text,
        ),
    ),
    st.tuples(st.just("deliver"), st.builds(e.Delivered, step=_step, ids=st.just(()), text=_text)),
)


@st.composite
def runs(draw: st.DrawFn, most: int = 60) -> list[e.AnyEvent]:
    """Generate complete runs with every kind of event, in any order that can be folded."""
    events: list[e.AnyEvent] = [started()]
    calls: list[int] = []
    people: list[int] = []
    for what in draw(
        st.lists(st.one_of(FREE.map(lambda event: ("", event)), _BOUND), max_size=most)
    ):
        event = _fitted(draw, *what, calls=calls, people=people)
        if event is not None:
            seq = len(events) + 1
            events.append(msgspec.structs.replace(event, seq=seq, t=seq * 0.25))
    return events


def _fitted(
    draw: st.DrawFn, what: str, event: Any, *, calls: list[int], people: list[int]
) -> e.AnyEvent | None:
    match what:
        case "propose":
            calls.append(event.number)
            return e.CallProposed(call=event)
        case "call":
            return (
                msgspec.structs.replace(event, call=draw(st.sampled_from(calls))) if calls else None
            )
        case "say":
            people.append(event.id)
            return event
        case "person":
            return (
                msgspec.structs.replace(event, id=draw(st.sampled_from(people))) if people else None
            )
        case "deliver":
            ids = draw(st.lists(st.sampled_from(people), max_size=3)) if people else []
            return msgspec.structs.replace(event, ids=tuple(ids))
        case _:
            return event
