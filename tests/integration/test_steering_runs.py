"""Steering whole runs: policy, queue and freezing, on real parts and without a screen."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import msgspec
import pytest

from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.run_state import fold
from sandbox_tui.core.policy.rules import Policy, Rule
from sandbox_tui.core.run.run import Run
from sandbox_tui.core.run.run_request import RunRequest
from sandbox_tui.core.sandboxes.docker.engine import connect
from sandbox_tui.sessions import replay
from tests import scripted_server as s
from tests.integration.conftest import require
from tests.integration.test_runs import KINDS, Start, only, program, request, watch
from tests.waiting import HANG_SECONDS


def by_policy(server: s.ScriptedServer, *rules: Rule, mode: e.Mode = "ask") -> RunRequest:
    wanted = request(server)
    settings = msgspec.structs.replace(wanted.settings, policy=Policy(rules=rules))
    return RunRequest(task="x", settings=settings, mode=mode)


async def test_denied_in_every_mode_and_the_model_gets_the_reason(
    scripted_server: Start, tmp_path: Path
) -> None:
    rule = Rule(action="deny", tool="execute_bash", command="touch *", reason="Use the editor.")
    server = scripted_server(s.call("execute_bash", command="ls; touch made"), s.call("submit"))
    seen, store, run_id = await watch(by_policy(server, rule, mode="auto"), tmp_path)
    decided = only(e.CallDecided, seen)[0]
    assert (decided.verdict, decided.by) == ("reject", "policy")
    assert decided.rule == "rule 1: deny execute_bash touch *"
    assert server.requests[1]["messages"][-1]["content"].startswith(
        "Not run: a rule of the person who started this run does not allow it. Use the editor."
    )
    assert "/testbed/made" not in fold(seen).files
    assert list(replay(store, run_id)) == seen
    store.close()


async def test_the_queue_is_delivered_after_all_results_and_as_it_was_changed(
    scripted_server: Start, tmp_path: Path
) -> None:
    """Two calls in one turn: messages sent during the first wait for the second as well."""
    bash = ("execute_bash", '{"command": "echo begun; sleep 100"}')
    server = scripted_server(
        s.calls(bash, ("execute_bash", '{"command": "echo second"}')),
        s.call("submit"),
        s.call("submit"),
    )

    async def act(run: Run, event: e.AnyEvent) -> None:
        if isinstance(event, e.TerminalOutput) and b"begun\r\n" in event.data:
            first, second = run.message("frist"), run.message("not this")
            command, never = run.inject("echo by a persn"), run.inject("touch never")
            assert [item.id for item in run.state.queue] == [first, second, command, never]
            assert run.reword(first, "first")
            assert run.reword(command, "echo by a person")
            assert run.withdraw(second)
            assert run.withdraw(never)
            assert not run.withdraw(never)
            assert not run.reword(never, "x")
            assert not run.reword(99, "x")
            await run.interrupt()
        if isinstance(event, e.Delivered):
            assert not run.reword(event.ids[0], "too late")
            assert not run.withdraw(event.ids[0])

    tasks: set[asyncio.Task[None]] = set()

    def later(run: Run, event: e.AnyEvent) -> None:
        tasks.add(asyncio.ensure_future(act(run, event)))

    seen, store, run_id = await watch(request(server), tmp_path, later)
    await asyncio.gather(*tasks)
    delivered = only(e.Delivered, seen)
    assert len(delivered) == 1
    finished = [event for event in seen if isinstance(event, e.CallFinished) and event.call == 2]
    assert delivered[0].seq > finished[0].seq
    assert "writes to you:\nfirst" in delivered[0].text
    assert "$ echo by a person\n" in delivered[0].text
    assert "not this" not in delivered[0].text
    roles = [message["role"] for message in server.requests[1]["messages"]]
    assert roles[-4:] == ["assistant", "tool", "tool", "user"]
    state = fold(replay(store, run_id))
    assert [human.text for human in state.humans.values()] == [
        "first",
        "not this",
        "echo by a person",
        "touch never",
    ]
    assert "/testbed/never" not in state.files
    assert state.queue == []
    store.close()


@KINDS
async def test_a_frozen_run_that_is_cancelled_keeps_its_results(
    kind: str, scripted_server: Start, tmp_path: Path
) -> None:
    require(kind)
    server = scripted_server(
        s.call("execute_bash", command="echo 1 >output/part.txt; echo on; sleep 100")
    )
    tasks: set[asyncio.Task[None]] = set()

    async def freeze_and_end(run: Run) -> None:
        await asyncio.gather(run.freeze(), run.freeze())
        assert run.frozen
        run.cancel("enough")
        assert not run.steerable

    def act(run: Run, event: e.AnyEvent) -> None:
        if isinstance(event, e.TerminalOutput) and b"on\r\n" in event.data:
            tasks.add(asyncio.ensure_future(freeze_and_end(run)))

    seen, store, _ = await watch(request(server, kind), tmp_path, act)
    assert tasks
    await asyncio.gather(*tasks)
    end = seen[-1]
    assert isinstance(end, e.RunFinished)
    assert end.reason == "cancelled"
    assert (Path(end.output or "") / "part.txt").read_text() == "1\n"
    assert [x.kind for x in seen if x.kind.startswith("Sandbox")] == [
        "SandboxFrozen",
        "SandboxThawed",
    ]
    store.close()


async def test_no_time_passes_for_a_frozen_run(scripted_server: Start, tmp_path: Path) -> None:
    server = scripted_server(s.call("execute_bash", command="echo on; sleep 1"), s.call("submit"))
    tasks: set[asyncio.Task[None]] = set()

    async def freeze_for_longer_than_the_run_may_take(run: Run) -> None:
        await run.freeze()
        await asyncio.sleep(4.5)
        run.resume()

    def act(run: Run, event: e.AnyEvent) -> None:
        if isinstance(event, e.TerminalOutput) and b"on\r\n" in event.data:
            tasks.add(asyncio.ensure_future(freeze_for_longer_than_the_run_may_take(run)))

    wanted = request(server, **{"limits.time_limit": 4.0, "limits.command_timeout": 3.0})
    seen, store, _ = await watch(wanted, tmp_path, act)
    assert seen[-1].reason == "submitted"  # type: ignore[union-attr]
    store.close()


# --- the command


POLICY = """
[[policy.rules]]
action = "deny"
tool = "execute_bash"
command = "tee *"

[[policy.rules]]
action = "allow"
tool = "execute_bash"
"""


def test_a_policy_is_checked_against_a_session_and_then_holds(
    scripted_server: Start, own_home: Path
) -> None:
    own_home.mkdir()
    server = scripted_server(*s.demo_replies())
    run = ("run", "x", "--base-url", server.url, "--model", "m", "--sandbox", "bubblewrap")
    assert program(*run, home=own_home).returncode == 0
    assert "There are no rules" in program("policy", "show", home=own_home).stdout
    (own_home / "config.toml").write_text(POLICY)
    assert "1  deny execute_bash tee *" in program("policy", "show", home=own_home).stdout
    checked = program("policy", "check", home=own_home).stdout
    assert "3 calls: 1 allow, 1 ask, 1 deny" in checked
    assert "rule 1: deny execute_bash tee *" in checked
    known = json.loads(program("policy", "check", "last", "--json", home=own_home).stdout)
    assert known["counts"] == {"allow": 1, "ask": 1, "deny": 1}
    assert [one["rule"] for one in known["calls"]] == [1, None, None]
    assert json.loads(program("policy", "show", "--json", home=own_home).stdout)["default"] == "ask"

    again = scripted_server(*s.demo_replies())
    run = ("run", "x", "--base-url", again.url, "--model", "m", "--sandbox", "bubblewrap")
    done = program(*run, "--mode", "ask", "--headless", home=own_home)
    assert done.returncode == 0
    assert "call 1 not run (rule 1: deny execute_bash tee *): bash " in done.stdout
    refused = [line for line in done.stdout.splitlines() if "call 2 " in line]
    assert len(refused) == 1, "a call is told of once"
    assert "call 2 not run (it needs approval, and no screen is attached): " in refused[0]
    assert "failed" not in done.stdout
    assert "nobody watches this run" in json.dumps(again.requests[-1]["messages"])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--step", "--headless"], "--mode step needs the screen"),
        (["--mode", "step", "--json"], "--mode step needs the screen"),
        (["--step", "--mode", "ask"], "do not go together"),
    ],
)
def test_impossible_modes_are_refused(own_home: Path, options: list[str], words: str) -> None:
    done = program("demo", *options, home=own_home)
    assert done.returncode == 2
    assert words in done.stderr


async def test_a_frozen_run_whose_container_is_gone_ends_in_order(
    scripted_server: Start, tmp_path: Path
) -> None:
    require("docker")
    server = scripted_server(s.call("execute_bash", command="echo on; sleep 100"))
    tasks: set[asyncio.Task[None]] = set()

    async def freeze_lose_and_end(run: Run) -> None:
        await run.freeze()
        name = run.state.started.sandbox_info["container"]  # type: ignore[union-attr]
        await asyncio.to_thread(remove_container, name)
        run.cancel("enough")

    def act(run: Run, event: e.AnyEvent) -> None:
        if isinstance(event, e.TerminalOutput) and b"on\r\n" in event.data:
            tasks.add(asyncio.ensure_future(freeze_lose_and_end(run)))

    async with asyncio.timeout(HANG_SECONDS):
        seen, store, run_id = await watch(request(server, "docker"), tmp_path, act)
    await asyncio.gather(*tasks)
    end = seen[-1]
    assert isinstance(end, e.RunFinished)
    assert end.reason == "cancelled"
    assert store.run(run_id).outcome == "cancelled"
    assert [x.kind for x in seen if x.kind.startswith("Sandbox")][-1] == "SandboxThawed"
    store.close()


def remove_container(name: str) -> None:
    client = connect()
    try:
        client.containers.get(name).remove(force=True)
    finally:
        client.close()
