"""When the shell is free: clocks of calls that wait for it, and when a command of the user's starts."""

from __future__ import annotations

from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.run_state import RunState
from sandbox_tui.tui.widgets.calls.rows.free_shell import shell_free_at, starts_when
from sandbox_tui.tui.widgets.calls.rows.item_rows import item_lines
from tests.unit.event_streams import started
from tests.unit.tui.widgets.test_preview_kinds import PALETTE


def call(number: int, name: str) -> e.CallProposed:
    arguments = '{"command": "make"}'
    return e.CallProposed(
        call=e.ToolCall(number=number, step=1, id="c", name=name, arguments=arguments)
    )


def drawn(state: RunState, number: int, now: float) -> str:
    item = state.calls[number]
    free = shell_free_at(item, state)
    lines = item_lines(item, 80, now, False, (), PALETTE, shell_free_at=free)
    return "\n".join(line.plain for line in lines)


def test_the_clock_of_a_call_starts_when_the_users_command_has_left_the_shell() -> None:
    state = RunState()
    for event in (
        started(),
        e.HumanCommand(t=1.0, id=1, command="sleep 9", told_to_model=False),
        e.HumanCommandStarted(t=1.0, id=1),
        call(1, "execute_bash"),
        call(2, "str_replace_editor"),
        e.CallStarted(t=2.0, call=1),
        e.CallStarted(t=2.0, call=2),
    ):
        state.apply(event)
    assert "waits for your command" in drawn(state, 1, 5.0)
    assert "● 3.0s" in drawn(state, 2, 5.0), "the editor needs no shell"
    state.apply(e.HumanCommandFinished(t=10.0, id=1, observation="", exit_code=0, duration=9.0))
    assert "● 2.5s" in drawn(state, 1, 12.5)


def test_an_earlier_command_of_the_users_delays_no_clock() -> None:
    state = RunState()
    for event in (
        started(),
        e.HumanCommand(t=1.0, id=1, command="ls", told_to_model=True),
        e.HumanCommandStarted(t=1.0, id=1),
        e.HumanCommandFinished(t=2.0, id=1, observation="", exit_code=0, duration=1.0),
        call(1, "execute_bash"),
        e.CallStarted(t=3.0, call=1),
    ):
        state.apply(event)
    assert "● 2.0s" in drawn(state, 1, 5.0)


def test_a_command_starts_when_the_frozen_sandbox_runs_again_unless_a_call_runs() -> None:
    state = RunState()
    for event in (started(), call(1, "execute_bash"), e.CallStarted(t=1.0, call=1)):
        state.apply(event)
    state.apply(e.HumanCommand(t=2.0, id=1, command="echo x", told_to_model=True))
    assert starts_when(state) == "after the running call"
    state.apply(e.SandboxFrozen(t=3.0, by="human"))
    assert state.busy
    assert starts_when(state) == "after the running call"
    state.apply(e.CallFinished(t=4.0, call=1, observation="", ok=True, duration=3.0))
    assert starts_when(state) == "when space resumes the sandbox"
    assert not state.busy, "esc has nothing to interrupt"
    starts = starts_when(state)
    lines = item_lines(state.humans[1], 80, 5.0, False, (), PALETTE, starts=starts)
    assert "◇ when space resumes the sandbox  visible to model" in lines[1].plain
    state.apply(e.HumanCommandStarted(t=5.0, id=1))
    assert state.busy
