"""The screen, the replay and every export tell the same story of a run that the user steered."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import gzip
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.run_state import fold
from sandbox_tui.core.run.run import Run
from sandbox_tui.sessions import Store, replay
from sandbox_tui.sessions.interchange.exports import EXPORTERS, Recording
from sandbox_tui.sessions.interchange.imports import import_file
from sandbox_tui.sessions.store.tables.annotations import add_note
from tests import scripted_server as s
from tests.integration.conftest import require
from tests.integration.test_runs import request, watch

Start = Callable[..., s.ScriptedServer]

SAID = ("kept message", "last wording", "told-output")
"""What the model received from the user."""

NEVER = ("withdrawn message", "first wording", "touch withdrawn-command", "told wordng")
"""What it never received, since the user withdrew or reworded it."""

QUIET = ("quiet-output", "quietly edited line")
"""What was done without telling the model."""


async def _steer(run: Run, event: e.AnyEvent, folder: Path) -> None:
    """Do everything a user can do, once."""
    match event:
        case e.CallHeld(call=1):
            run.approve(1)
        case e.CallHeld(call=2):
            run.message("kept message")
            reworded = run.message("first wording")
            run.withdraw(run.message("withdrawn message"))
            run.reword(reworded, "last wording")
            command = run.inject("echo told-wordng")
            run.reword(command, "echo told-output")
            run.withdraw(run.inject("touch withdrawn-command"))
            run.inject("echo quiet-output", tell=False)
        case e.HumanCommandFinished(observation=shown) if "quiet-output" in shown:  # the last one
            await run.files.save("/testbed/told.txt", b"told line\n", opened=None)
            await run.files.save(
                "/testbed/quiet.txt", b"quietly edited line\n", opened=None, tell=False
            )
            await run.files.push(folder / "pushed.txt", "/testbed")
            await run.files.pull("/testbed/told.txt", folder / "pulled")
            run.edit(2, json.dumps({"command": "echo as-you-edited"}))
        case e.CallHeld(call=3):
            run.reject(3, "not this one")
        case e.CallHeld(call=4):
            run.skip(4)
        case e.CallHeld(call=5):
            run.answer(5, "answered by hand")
        case e.CallHeld(call=6):
            run.set_mode("auto")
            run.approve(6)
        case _:
            pass


async def steered(server: s.ScriptedServer, folder: Path) -> tuple[list[e.AnyEvent], Store, str]:
    """A steered run, to its end."""
    (folder / "pushed.txt").write_text("pushed\n")
    tasks: set[asyncio.Task[None]] = set()

    def act(run: Run, event: e.AnyEvent) -> None:
        tasks.add(asyncio.ensure_future(_steer(run, event, folder)))

    seen, store, run_id = await watch(request(server, mode="step"), folder, act)
    await asyncio.gather(*tasks)
    add_note(store, run_id, 2, "a note of mine")
    return seen, store, run_id


@pytest.fixture
async def told(scripted_server: Start, tmp_path: Path) -> Any:
    require("bubblewrap")
    replies = [s.call("execute_bash", command=f"echo as-proposed-{n}") for n in range(1, 7)]
    server = scripted_server(*replies, s.call("submit"), s.call("submit"))
    seen, store, run_id = await steered(server, tmp_path)
    yield seen, store, run_id, server
    store.close()


def export(store: Store, run_id: str, name: str) -> dict[str, bytes]:
    return {part.suffix: part.data for part in EXPORTERS[name].write(Recording(store, run_id))}


def readable(name: str, data: bytes) -> str:
    """All the text of an export."""
    if name == "html":
        page = data.decode()
        packed = re.search(r'id="data"[^>]*>([^<]*)<', page)
        assert packed is not None
        return gzip.decompress(base64.b64decode(packed[1])).decode()
    return data.decode("utf-8", "replace")


def film_of(store: Store, run_id: str) -> list[dict[str, Any]]:
    (data,) = export(store, run_id, "html").values()
    return json.loads(readable("html", data))["items"]


def _html(store: Store, run_id: str) -> None:
    items = film_of(store, run_id)
    said = {item["text"]: item for item in items if item["kind"] == "said"}
    assert set(said) == {"kept message", "last wording", "withdrawn message"}
    assert said["kept message"]["fate"] == said["last wording"]["fate"] == "delivered"
    assert said["withdrawn message"]["fate"] == "withdrawn: the model never saw it"
    assert said["withdrawn message"]["withdrawn"] > said["withdrawn message"]["seq"]
    ran = {item["args"]: item["fate"] for item in items if item["kind"] == "ran"}
    assert ran == {
        "echo told-output": "visible to the model",
        "touch withdrawn-command": "withdrawn: never ran",
        "echo quiet-output": "private",
    }
    files = [
        (item["action"], item["path"], item["fate"]) for item in items if item["kind"] == "file"
    ]
    assert files == [
        ("edit", "/testbed/told.txt", "visible to the model"),
        ("edit", "/testbed/quiet.txt", "private"),
        ("push", "/testbed/pushed.txt", "visible to the model"),
        ("pull", "/testbed/told.txt", "private"),
    ]
    calls = {item["number"]: item for item in items if item["kind"] == "call"}
    assert [calls[n].get("decision") for n in range(1, 7)] == [
        "approved by you",
        "edited by you",
        "rejected by you",
        "skipped by you",
        "answered by you",
        "approved by you",
    ]
    assert (calls[2]["args"], calls[2]["proposed"]) == ("echo as-you-edited", "echo as-proposed-2")
    assert [calls[n]["ok"] for n in range(1, 7)] == [True, True, None, None, None, True]
    assert calls[3]["feedback"] == "not this one"
    assert calls[5]["out"] == "answered by hand"
    assert calls[1]["out"] == "as-proposed-1"  # without the observation's frame
    notes = [(item["sign"], item["text"]) for item in items if item["kind"] == "note"]
    assert ("✎", "a note of mine") in notes
    assert ("·", "mode: auto, set by you") in notes


def _markdown(store: Store, run_id: str) -> None:
    (data,) = export(store, run_id, "markdown").values()
    text = data.decode()
    for line in (
        "> **you said** · delivered\n>\n> kept message\n",
        "> **you said** · delivered\n>\n> last wording\n",
        "> **you wrote** · withdrawn: the model never saw it\n>\n> withdrawn message\n",
        "> **you ran** · visible to the model\n\n```bash\necho told-output\n```",
        "> **you ran** · private\n\n```bash\necho quiet-output\n```",
        "> **you wanted to run** · withdrawn: never ran\n\n```bash\ntouch withdrawn-command\n```",
        "> **you edited** /testbed/told.txt · visible to the model",
        "> **you edited** /testbed/quiet.txt · private",
        "> **you copied in** /testbed/pushed.txt from ",
        "> **you copied out** /testbed/told.txt to ",
        "> **edited by you**",
        "> **rejected by you**\n>\n> not this one\n",
        "> **skipped by you**",
        "> **answered by you**",
        "answered by hand",
        "the model wrote:\n\n```bash\necho as-proposed-2\n```\n\nand you changed it to:\n\n```bash\necho as-you-edited\n```",
        "> **note**\n>\n> a note of mine\n",
        "> · mode: auto, set by you",
    ):
        assert line in text, line
    assert text.count("first wording") == text.count("told-wordng") == 0
    assert text.split("## What happened")[1].count("echo as-proposed-1") == 1
    assert "Finished" not in text, "submit has nothing to say"
    assert "[STDOUT]" not in text


def _conversation(texts: list[str]) -> None:
    """Check that the text has all that the model received, and nothing that it did not."""
    joined = "\n".join(texts)
    assert all(words in joined for words in SAID)
    assert not any(words in joined for words in (*NEVER, *QUIET))
    assert "A person edited /testbed/told.txt" in joined
    assert "/testbed/pushed.txt" in joined


def _people(found: list[dict[str, Any]]) -> None:
    """Check the user's actions, in formats that list them separately."""
    fates = {(one["what"], one.get("text") or one.get("path")): one.get("fate") for one in found}
    assert fates[("message", "kept message")] == "delivered"
    assert fates[("message", "last wording")] == "delivered"
    assert fates[("message", "withdrawn message")] == "withdrawn: the model never saw it"
    assert ("message", "first wording") not in fates
    assert fates[("command", "echo told-output")] == "visible to the model"
    assert fates[("command", "echo quiet-output")] == "private"
    assert fates[("command", "touch withdrawn-command")] == "withdrawn: never ran"
    assert fates[("file edit", "/testbed/quiet.txt")] == "private"
    assert {("file push", "/testbed/pushed.txt"), ("file pull", "/testbed/told.txt")} <= set(fates)
    assert ("note", "a note of mine") in fates
    assert ("rejected by you", "not this one") in fates
    actions = [one["what"] for one in found]
    assert {"edited by you", "skipped by you", "mode: auto, set by you"} <= set(actions)


def _trajectory(store: Store, run_id: str) -> None:
    (data,) = export(store, run_id, "trajectory").values()
    made = json.loads(data)
    _people(made["metadata"]["people"])
    decisions = [step["metadata"].get("decision") for step in made["steps"]]
    assert decisions[:5] == [
        "approved by you", "edited by you", "rejected by you", "skipped by you", "answered by you"
    ]  # fmt: skip
    assert made["steps"][1]["action"]["parameters"] == {"command": "echo as-you-edited"}


def _atif(store: Store, run_id: str) -> None:
    (data,) = export(store, run_id, "atif").values()
    made = json.loads(data)
    _conversation([step["message"] for step in made["steps"] if step["source"] == "user"])
    _people(made["extra"]["people"])


def _chat(store: Store, run_id: str) -> None:
    (data,) = export(store, run_id, "chat-jsonl").values()
    messages = json.loads(data)["messages"]
    _conversation([message["content"] for message in messages if message["role"] == "user"])
    assert [m["weight"] for m in messages if m["role"] == "assistant"][:6] == [1, 0, 0, 0, 0, 1]


def _asciicast(store: Store, run_id: str) -> None:
    lines = [
        json.loads(line) for line in export(store, run_id, "asciicast")[".model.cast"].splitlines()
    ]
    marks = [line[2] for line in lines[1:] if line[1] == "m"]
    assert marks[:6] == [
        "1 bash echo as-proposed-1 (approved by you)",
        "2 bash echo as-you-edited (edited by you)",
        "3 bash echo as-proposed-3 (rejected by you)",
        "4 bash echo as-proposed-4 (skipped by you)",
        "5 bash echo as-proposed-5 (answered by you)",
        "6 bash echo as-proposed-6 (approved by you)",
    ]
    shown = "".join(line[2] for line in lines[1:] if line[1] == "o")
    assert "told-output" in shown
    assert "quiet-output" in shown  # it ran, though the model was not told
    assert not any(words in shown for words in ("withdrawn", "wordng", "as-proposed-3"))


def _svg(store: Store, run_id: str) -> None:
    (data,) = export(store, run_id, "svg").values()
    assert not any(words in data.decode() for words in NEVER)


def _bundle(store: Store, run_id: str, folder: Path) -> None:
    (data,) = export(store, run_id, "bundle").values()
    path = folder / "told.sbx"
    path.write_bytes(data)
    with contextlib.closing(Store(folder / "other.db")) as other:
        (copied,) = import_file(other, path)
        there, here = list(replay(other, copied)), list(replay(store, run_id))
        assert there[1:] == here[1:]
        for name in sorted(set(EXPORTERS) - {"bundle", "trajectory"}):  # those two name the session
            texts = [
                [readable(name, part) for part in export(where, one, name).values()]
                for where, one in ((store, run_id), (other, copied))
            ]
            ours, theirs = (
                [text.replace(run_id, "ID").replace(copied, "ID") for text in one] for one in texts
            )
            assert ours == theirs, name


TELLS: dict[str, Callable[[Store, str], None]] = {
    "html": _html,
    "markdown": _markdown,
    "trajectory": _trajectory,
    "atif": _atif,
    "chat-jsonl": _chat,
    "asciicast": _asciicast,
    "svg": _svg,
}


async def test_every_export_tells_what_happened_and_nothing_else(told: Any, tmp_path: Path) -> None:
    seen, store, run_id, server = told
    assert list(replay(store, run_id)) == seen
    assert set(TELLS) | {"bundle"} == set(EXPORTERS)
    sent = json.dumps([request["messages"] for request in server.requests])
    assert all(words in sent for words in SAID)
    assert not any(words in sent for words in (*NEVER, *QUIET))
    kinds = {event.kind for event in seen}
    assert {"Withdrawn", "Reworded", "HumanFile", "HumanCommand", "ModeChanged"} <= kinds
    assert {item.file.action for item in fold(seen).humans.values() if item.file} == {
        "edit",
        "push",
        "pull",
    }
    for tells in TELLS.values():
        tells(store, run_id)
    _bundle(store, run_id, tmp_path)
