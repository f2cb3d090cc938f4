"""Forks of real runs: files as of the fork point, no later ones, and identical requests."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sandbox_tui.core.base.errors import ConfigError, ForkRefused
from sandbox_tui.core.config.settings import load, snapshot_dir
from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.run_state import fold
from sandbox_tui.core.lineage.open_fork import ForkRequest
from sandbox_tui.core.run.run import Run
from sandbox_tui.core.sandboxes.snapshot_store import SnapshotStores
from sandbox_tui.sessions import Store, replay
from sandbox_tui.sessions.recording.fork_worker import ForkPlan, ForkWorker
from sandbox_tui.tui.screens.home.demo_request import demo_request
from tests import scripted_server as s
from tests.integration.test_runs import KINDS, only, program, request, require, settings, watch

Start = Callable[..., s.ScriptedServer]


async def forked(
    store: Store, parent: str, at: int | str, overrides: dict[str, Any] | None = None, **more: Any
) -> tuple[list[e.AnyEvent], str]:
    """Fork and run to the end; returns all events of the fork, and its id."""
    changes = overrides or {}
    edited = more.get("edited")
    plan = ForkPlan(store, store.run(parent), at, before_call=edited is not None)
    run = replace(plan.request(load(changes), changes), mode="auto")
    worker = ForkWorker(plan, ForkRequest(run=run, **more), store)
    worker.start()
    seen = [event async for event in worker.watch()]
    await worker.ended.wait()
    if worker.failure is not None:
        raise worker.failure
    assert list(replay(store, worker.run_id)) == seen
    return seen, worker.run_id


def names(seen: list[e.AnyEvent]) -> set[str]:
    files = fold(seen).files.values()
    return {file.last.path for file in files if file.last.change != "deleted"}


def at_the_fork(seen: list[e.AnyEvent]) -> list[e.AnyEvent]:
    """The events up to the first request of the fork itself."""
    parted = only(e.Forked, seen)[-1].seq
    own = next(x.seq for x in seen if isinstance(x, e.ModelAsked) and x.seq > parted)
    return [event for event in seen if event.seq < own]


@KINDS
@pytest.mark.parametrize("when", ["every", "off"])
async def test_the_demo_is_forked_from_its_middle(
    kind: str, when: str, tmp_path: Path, cleared: list[str]
) -> None:
    """After step 6 of the demo, solve.py is fixed; draw.py and the answer's picture come later."""
    require(kind)
    wanted = demo_request(
        settings(kind, **{"sandbox.snapshots": when}), speed=0, output=tmp_path / "out"
    )
    seen, store, parent = await watch(wanted, tmp_path)
    cleared.append(parent)
    assert "/testbed/draw.py" in names(seen)
    again, child = await forked(store, parent, "step:6", {"sandbox.snapshots": "off"})
    beginning = at_the_fork(again)
    there = names(beginning)
    assert {"/testbed/solve.py", "/testbed/input/aldwick.txt"} <= there
    assert not {"/testbed/draw.py", "/testbed/output/grain.png"} & there
    assert not [x for x in only(e.FilesChanged, beginning) if x.by == "program"]
    fork_point = only(e.Forked, again)[0]
    assert (fork_point.parent, fork_point.step) == (parent, 6)
    if when == "every":
        assert fork_point.snapshot is not None
        assert fork_point.repeats == 0
        assert not only(e.Repeated, again)
    else:
        assert fork_point.snapshot is None
        assert fork_point.repeats == 6
        assert [x.parted for x in only(e.Repeated, again)][2:] == [""] * 4
    assert not [x for x in only(e.Warned, beginning) if "word for word" in x.text]
    assert (again[-1].reason, again[-1].answer) == ("submitted", "Corvane 1914 8409\n")  # type: ignore[union-attr]
    assert again[: fork_point.parent_seq][1:] == seen[: fork_point.parent_seq][1:]
    digests = [x.digest for x in only(e.ModelAsked, again)]
    assert digests[:7] == [x.digest for x in only(e.ModelAsked, seen)][:7]
    assert store.run(child).parent == parent
    assert store.run(child).parent_seq == fork_point.parent_seq
    store.close()


@KINDS
async def test_another_model_continues_with_the_same_shell_and_conversation(
    kind: str, scripted_server: Start, tmp_path: Path, cleared: list[str]
) -> None:
    require(kind)
    first = scripted_server(
        s.calls(("execute_bash", '{"command": "mkdir sub; cd sub; export WHO=parent; echo 1 >a"}')),
        s.call("execute_bash", command="echo 2 >b; echo changed >a"),
        s.call("execute_bash", command="rm a; cd /"),
        s.call("submit"),
    )
    wanted = request(first, kind, **{"sandbox.snapshots": "every"})
    seen, store, parent = await watch(wanted, tmp_path)
    cleared.append(parent)
    second = scripted_server(
        s.call("execute_bash", command="pwd; echo $WHO; cat a; ls /testbed/sub"), s.call("submit")
    )
    changes = {"model.name": "other", "model.base_url": second.url, "sandbox.snapshots": "off"}
    again, _ = await forked(store, parent, "step:1", changes, message="look around")
    text = next(x.observation for x in only(e.CallFinished, again) if x.call == 2)
    assert "/testbed/sub\nparent\n1\na" in text
    assert "\nb" not in text
    sent = second.requests[0]
    assert sent["model"] == "other"
    mine, theirs = sent["messages"], first.requests[1]["messages"]
    assert mine[:3] == theirs[:3]
    assert mine[3]["content"] == theirs[3]["content"].rpartition("\nSteps")[0]
    assert "look around" in mine[4]["content"]
    assert mine[4]["content"].endswith(theirs[3]["content"].rpartition("\n")[2])
    assert again[0].model == "other"  # type: ignore[union-attr]
    assert len(seen) > 0
    store.close()


async def test_a_call_of_the_middle_is_changed(
    scripted_server: Start, tmp_path: Path, cleared: list[str]
) -> None:
    """Of three calls in one turn, the second is changed; the third runs as written."""
    require("bubblewrap")
    calls = [("execute_bash", json.dumps({"command": f"echo {n} >>log"})) for n in (1, 2, 3)]
    server = scripted_server(
        s.calls(*calls), s.call("execute_bash", command="cat log"), s.call("submit")
    )
    seen, store, parent = await watch(request(server), tmp_path)
    other = scripted_server(s.call("execute_bash", command="cat log"), s.call("submit"))
    edited = json.dumps({"command": "echo two >>log"})
    again, _ = await forked(store, parent, "call:2", {"model.base_url": other.url}, edited=edited)
    own = {x.call: x for x in only(e.CallFinished, again)}
    assert "1\ntwo\n3" in own[4].observation
    assert "A person edited this call" in own[2].observation
    decided = next(x for x in only(e.CallDecided, again) if x.call == 2)
    assert (decided.verdict, decided.by) == ("edit", "human")
    assert [x.what for x in only(e.Repeated, again)] == [1]
    with pytest.raises(ForkRefused, match="There is no call after"):
        await forked(store, parent, "end", {"model.base_url": other.url}, edited=edited)
    assert len(seen) > 0
    store.close()


async def test_different_results_are_reported_and_restored(
    scripted_server: Start, tmp_path: Path
) -> None:
    require("bubblewrap")
    server = scripted_server(
        s.call("execute_bash", command="date +%s%N >stamp; echo same >same"),
        s.call("execute_bash", command="[ $(cat stamp) = x ] || exit 3"),
        s.call("execute_bash", command="sleep 30 & echo left >late; echo x >stamp"),
        s.call("submit"),
    )
    seen, store, parent = await watch(request(server), tmp_path)
    stamp = next(
        change.blob
        for event in only(e.FilesChanged, seen)
        for change in event.changes
        if change.path == "/testbed/stamp"
    )
    other = scripted_server(s.call("execute_bash", command="cat stamp"), s.call("submit"))
    again, _ = await forked(store, parent, "step:2", {"model.base_url": other.url})
    assert [x.parted for x in only(e.Repeated, again)] == ["", ""]
    assert any("restored as recorded: /testbed/stamp" in x.text for x in only(e.Warned, again))
    text = next(x.observation for x in only(e.CallFinished, again) if x.call == 3)
    assert (store.get_blob(stamp or "") or b"").decode().strip() in text
    assert "/testbed/late" not in names(at_the_fork(again))
    store.close()


async def test_sessions_diverge_at_a_call_with_another_result(
    scripted_server: Start, tmp_path: Path
) -> None:
    require("bubblewrap")
    marker = tmp_path / "elsewhere"
    server = scripted_server(
        s.call(
            "execute_bash",
            command=f"exit $(( $(date +%s) - {0} > $(cat /proc/uptime | cut -d. -f1) ? $RANDOM % 120 + 3 : 1))",
        ),
        s.call("execute_bash", command="echo $RANDOM$RANDOM$RANDOM"),
        s.call("submit"),
    )
    del marker
    seen, store, parent = await watch(request(server), tmp_path)
    again, _ = await forked(store, parent, "step:2", {"model.base_url": server.url})
    parted = [x.parted for x in only(e.Repeated, again)]
    begins = "Call 2 (echo $RANDOM$RANDOM$RANDOM) gave a different result when it was run again: "
    assert re.fullmatch(re.escape(begins) + r"“\d+” instead of “\d+”\.", parted[1])
    first, second = (only(e.CallFinished, x)[0].exit_code for x in (seen, again))
    assert first == second  # the recorded exit code is kept
    assert parted[0] == "" or f"recorded {first}" in parted[0]
    store.close()


async def test_the_users_changes_are_forked_too(
    scripted_server: Start, tmp_path: Path, cleared: list[str]
) -> None:
    require("bubblewrap")
    server = scripted_server(
        s.call("execute_bash", command="echo model >f"),
        s.call("execute_bash", command="cat f by_hand"),
        s.call("submit"),
    )
    done = asyncio.Event()

    async def act(run: Run) -> None:
        run.inject("export FROM_PERSON=yes; echo injected >injected")
        await run.files.save("/testbed/by_hand", b"typed\n", opened=None)
        done.set()

    tasks: list[Any] = []

    def see(run: Run, event: e.AnyEvent) -> None:
        if isinstance(event, e.CallHeld) and event.call == 2:
            tasks.append(asyncio.ensure_future(act(run)))
        if isinstance(event, e.CallHeld) and event.call == 1:
            run.approve(1)
        if isinstance(event, e.HumanCommandFinished):
            tasks.append(asyncio.ensure_future(go_on(run)))
        if isinstance(event, e.CallHeld) and event.call == 3:
            run.approve(3)

    async def go_on(run: Run) -> None:
        await done.wait()
        run.approve(2)

    wanted = request(server, mode="step")
    _, store, parent = await watch(wanted, tmp_path, see)
    other = scripted_server(
        s.call("execute_bash", command="cat f by_hand injected; echo $FROM_PERSON"),
        s.call("submit"),
    )
    again, _ = await forked(store, parent, "call:2", {"model.base_url": other.url})
    text = only(e.CallFinished, again)[-2].observation
    assert "model\ntyped\ninjected\nyes" in text
    assert {x.by for x in only(e.Repeated, again)} == {"model", "human"}
    store.close()


async def test_a_fork_of_a_fork_and_the_death_of_its_parent(
    scripted_server: Start, tmp_path: Path, cleared: list[str]
) -> None:
    """A fork owns what it inherited; with its parent's snapshots deleted, calls are repeated."""
    require("bubblewrap")
    calls = [s.call("execute_bash", command=f"echo {n} >file{n}") for n in range(1, 5)]
    server = scripted_server(*calls, s.call("submit"))
    _, store, parent = await watch(request(server, **{"sandbox.snapshots": "every"}), tmp_path)
    other = scripted_server(s.call("execute_bash", command="echo fork >fork"), s.call("submit"))
    changes = {"model.base_url": other.url, "sandbox.snapshots": "off"}
    first, child = await forked(store, parent, "3", changes)
    assert only(e.Forked, first)[0].repeats == 0
    store.delete(parent)
    from sandbox_tui.sessions.recording.session_snapshots import remove_orphaned_snapshots

    assert remove_orphaned_snapshots(store) == []
    assert SnapshotStores(snapshot_dir()).list(parent)[0] == []
    assert store.orphaned_snapshots() == {}
    third = scripted_server(s.call("execute_bash", command="ls"), s.call("submit"))
    second, _ = await forked(store, child, "end", {**changes, "model.base_url": third.url})
    assert "file1\nfile2\nfile3\nfork\n" in only(e.CallFinished, second)[-2].observation
    assert [x.parent for x in only(e.Forked, second)] == [parent, child]
    assert only(e.Forked, second)[1].repeats == 4
    store.close()


async def test_invalid_fork_points_are_refused(scripted_server: Start, tmp_path: Path) -> None:
    require("bubblewrap")
    server = scripted_server(s.call("execute_bash", command="true"), s.call("submit"))
    wanted = request(server, **{"limits.max_steps": 2})
    _, store, parent = await watch(wanted, tmp_path)
    for at in ("step:9", "call:9", "seq:99999", "yesterday", "seq:x"):
        with pytest.raises(ForkRefused):
            ForkPlan(store, store.run(parent), at)
    with pytest.raises(ConfigError, match="--max-steps"):
        await forked(store, parent, "end")
    assert len(store.runs()) == 1  # a fork that could not start leaves nothing behind
    store.close()


@KINDS
async def test_every_event_can_be_forked_from(
    kind: str, scripted_server: Start, tmp_path: Path
) -> None:
    """Forks planned at each event have no unfinished calls and exact requests."""
    require(kind)
    server = scripted_server(
        s.calls(("execute_bash", '{"command": "echo 1"}'), ("execute_bash", "{broken")),
        s.say("only words"),
        s.call("submit"),
    )
    seen, store, parent = await watch(request(server, kind), tmp_path)
    for event in seen:
        fork_point = ForkPlan(store, store.run(parent), event.seq).fork_point
        assert fork_point.exact
        assert fork_point.seq <= max(event.seq, 4)
        state = fold(fork_point.history)
        assert all(item.finished for item in state.calls.values())
    store.close()


def test_the_command(tmp_path: Path, own_home: Path) -> None:
    require("bubblewrap")
    home = own_home
    flags = ("--headless", "--sandbox", "bubblewrap", "--output", str(tmp_path / "o"))
    done = program("demo", "--speed", "0", "--snapshots", "every", *flags, home=home)
    assert done.returncode == 0, done.stderr
    listed = program("snapshots", "ls", home=home)
    assert "11 snapshots" in listed.stdout
    shown = program("sessions", "show", "last", home=home)
    assert "snapshots 11, " in shown.stdout
    unsaid = program("fork", "last", "--headless", "--yes", home=home)
    assert unsaid.returncode == 0, unsaid.stderr
    submitted = re.search(
        r"It forks before step (\d+), in which the session submitted", unsaid.stderr
    )
    assert submitted is not None, unsaid.stderr
    assert f"after step {int(submitted[1]) - 1}; new from here" in unsaid.stdout
    assert program("sessions", "rm", "last", "--yes", home=home).returncode == 0
    again = program(
        "fork",
        "last",
        "--at",
        "step:4",
        "--snapshots",
        "off",
        "--headless",
        "--message",
        "be quick",
        "--output",
        str(tmp_path / "p"),
        home=home,
    )
    assert again.returncode == 0, again.stderr
    lines = again.stdout.splitlines()
    (boundary,) = [
        n for n, line in enumerate(lines) if line.endswith("after step 4; new from here")
    ]
    assert not any(" step " in line for line in lines[:boundary]), "the parent's steps"
    assert "call 5 " in next(line for line in lines if "  call " in line)
    assert "I read your message" in again.stdout
    assert (tmp_path / "p" / "answer.txt").read_text() == "Corvane 1914 8409\n"
    pruned = program("snapshots", "prune", "--all", "--yes", home=home)
    assert "11 snapshots removed" in pruned.stdout
    refused = program("fork", "last", "--at", "step:6", "--headless", "--no-repeat", home=home)
    assert refused.returncode == 2
    assert "There is no snapshot" in refused.stderr
    gone = program("sessions", "rm", "last", "--yes", home=home)
    assert gone.returncode == 0, gone.stderr


async def test_a_call_that_could_not_be_read_is_changed_and_no_other(
    scripted_server: Start, tmp_path: Path
) -> None:
    require("bubblewrap")
    server = scripted_server(
        s.calls(("execute_bash", '{"command": "echo oops')),
        s.call("execute_bash", command="echo other"),
        s.call("submit"),
    )
    _, store, parent = await watch(request(server), tmp_path)
    other = scripted_server(s.call("execute_bash", command="echo other"), s.call("submit"))
    fixed = json.dumps({"command": "echo fixed"})
    again, _ = await forked(store, parent, "call:1", {"model.base_url": other.url}, edited=fixed)
    answers = {x.call: x.observation for x in only(e.CallFinished, again)}
    assert "fixed" in answers[1]
    assert "other" in answers[2]
    assert "edited" not in answers[2]
    verdicts = [(x.call, x.verdict) for x in only(e.CallDecided, again)]
    assert verdicts[0] == (1, "edit")
    assert [verdict for _, verdict in verdicts].count("edit") == 1
    store.close()


async def test_another_limit_of_steps_leaves_what_was_said_of_the_old_one(
    scripted_server: Start, tmp_path: Path
) -> None:
    require("bubblewrap")
    bash = s.call("execute_bash", command="true")
    server = scripted_server(bash, bash, s.call("submit"))
    seen, store, parent = await watch(request(server, **{"limits.max_steps": 10}), tmp_path)
    assert len(only(e.ModelAsked, seen)) == 3
    other = scripted_server(bash, s.call("submit"))
    changes = {"model.base_url": other.url, "limits.max_steps": 120}
    again, child = await forked(store, parent, "step:2", changes)
    before, now = server.requests[1]["messages"], other.requests[0]["messages"]
    assert now[: len(before)] == before, "what the parent was sent, word for word"
    assert now[-1]["content"].endswith("Steps Remaining: 118")
    assert not [x for x in only(e.Warned, again) if "word for word" in x.text]
    grandchild, _ = await forked(store, child, "step:3", changes)
    assert not [x for x in only(e.Warned, grandchild) if "word for word" in x.text]
    store.close()
