"""Completion of `--at`: the steps and calls of the session on the command line."""

from __future__ import annotations

import json

import msgspec
from click.shell_completion import CompletionItem, ShellComplete

from sandbox_tui.core.events import types as e
from sandbox_tui.sessions import Store
from sandbox_tui.tui.cli.main import main
from tests.unit.event_streams import started

RUN = "20261120-101112-abcde"
FORMS = ["end", "call:", "seq:", "step:"]


def offered(*words: str, typed: str = "") -> list[CompletionItem]:
    shell = ShellComplete(main, {}, "sandbox-tui", "_SANDBOX_TUI_COMPLETE")
    return shell.get_completions(list(words), typed)


def values(*words: str, typed: str = "") -> list[str]:
    return [item.value for item in offered(*words, typed=typed)]


def record(store: Store, steps: int) -> None:
    """Store a session with one call in each step."""
    events: list[e.AnyEvent] = [started(RUN, task="count")]
    for step in range(1, steps + 1):
        arguments = json.dumps({"command": f"echo {step}"})
        call = e.ToolCall(
            number=step, step=step, id=f"c{step}", name="execute_bash", arguments=arguments
        )
        kinds: list[e.AnyEvent] = [
            e.ModelReplied(
                step=step,
                message={"role": "assistant", "content": ""},
                text="",
                reasoning="",
                usage=e.Usage(),
                finish_reason=None,
                latency=0.0,
            ),
            e.CallProposed(call=call),
            e.CallFinished(call=step, observation="", ok=True, duration=0.0),
        ]
        for kind in kinds:
            seq = len(events) + 1
            events.append(msgspec.structs.replace(kind, seq=seq, t=float(seq)))
    store.append(RUN, events)


def test_the_newest_steps_of_the_session_are_offered(store: Store) -> None:
    record(store, 25)
    steps = [f"step:{number}" for number in range(25, 5, -1)]
    assert values("fork", "last", "--at") == ["end", *steps, "call:", "seq:"]
    assert values("fork", "abcde", "--at", typed="step:1") == [
        f"step:{n}" for n in range(19, 9, -1)
    ]
    assert values("fork", "last", "--at", typed="2") == ["25", "24", "23", "22", "21", "20"]
    assert values("sessions", "export", "last", "-f", "svg", "--at", typed="step:7") == ["step:7"]
    [item] = offered("fork", "last", "--at", typed="step:12")
    assert item.help == "bash echo 12"


def test_its_calls_are_offered_after_their_word(store: Store) -> None:
    record(store, 3)
    assert values("fork", "last", "--at", typed="call:") == ["call:3", "call:2", "call:1"]
    assert values("fork", "last", "--at", typed="c") == ["call:"]


def test_without_a_session_the_forms_are_offered(store: Store) -> None:
    assert values("fork", "--at") == values("fork", "nobody", "--at") == FORMS
    store.append(RUN, [started(RUN)])
    assert values("fork", "last", "--at") == FORMS
