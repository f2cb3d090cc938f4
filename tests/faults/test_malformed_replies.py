"""Hundreds of malformed replies against the real loop: model client, agent, sandbox, database.

SANDBOX_TUI_MALFORMED sets the number of replies per seed; SANDBOX_TUI_MALFORMED_SEED the
first seed.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sandbox_tui.core.agent.loop import Agent
from sandbox_tui.core.config.settings import load
from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.run_state import fold
from sandbox_tui.core.models.openai_compatible import OpenAIModel
from sandbox_tui.core.run.run_request import RunRequest
from sandbox_tui.sessions import RunWorker, Store
from tests import scripted_server as s
from tests.integration.conftest import require
from tests.waiting import HANG_SECONDS

REPLIES = int(os.environ.get("SANDBOX_TUI_MALFORMED", "100"))
SEED = int(os.environ.get("SANDBOX_TUI_MALFORMED_SEED", "1"))
ENDINGS = {"submitted", "model_error", "model_unavailable", "token_limit", "max_steps"}
"""Allowed outcomes of a run whose server sends malformed replies."""

VALUES: tuple[Any, ...] = (
    *(
        None,
        True,
        0,
        -1,
        10**30,
        1e308,
        "",
        "x",
        "\ud800",
        "\x00\x1b[2J",
        [],
        [[]],
        {},
        {"a": None},
    ),
    *([None], "9" * 400, "a" * 5000, {"message": "boom"}, [{"index": -5}], "length"),
)
"""Values that replace expected ones."""

GOOD = s.calls(
    ("execute_bash", json.dumps({"command": "echo hello"})), text="Well.", reasoning="So."
)


def pieces(reply: s.Scripted) -> list[bytes]:
    """The chunks of a good reply, as bytes."""
    return [piece for piece in reply.pieces if isinstance(piece, bytes)]


def malformed_reply(chance: random.Random) -> s.Scripted:
    """A reply with something wrong in it."""
    return chance.choice(WAYS)(chance)


def with_other_values(chance: random.Random) -> s.Scripted:
    """Some fields, at any depth, hold other values."""
    chunks = pieces(GOOD)
    for _ in range(chance.randint(1, 3)):
        at = chance.randrange(len(chunks))
        if chunks[at].startswith(b"data: {"):
            body = json.loads(chunks[at][6:])
            _spoil(body, chance)
            chunks[at] = b"data: " + json.dumps(body).encode() + b"\n\n"
    return s.stream(*chunks)


def _spoil(body: Any, chance: random.Random) -> None:
    """Change one value, drop it, or rename its key."""
    while True:
        keys: list[Any] = list(body) if isinstance(body, dict) else list(range(len(body)))
        if not keys:
            return
        key = chance.choice(keys)
        inner = body[key]
        if isinstance(inner, dict | list) and inner and chance.random() < 0.7:
            body = inner
            continue
        if chance.random() < 0.2:
            del body[key]
        else:
            body[key] = chance.choice(VALUES)
        return


def cut(chance: random.Random) -> s.Scripted:
    """It is cut off somewhere; the server may have promised more."""
    whole = b"".join(pieces(GOOD))
    promised = {"content-length": str(len(whole))} if chance.random() < 0.5 else {}
    return s.stream(whole[: chance.randrange(len(whole))], headers=promised)


def with_noise(chance: random.Random) -> s.Scripted:
    """Some of its bytes are replaced."""
    whole = bytearray(b"".join(pieces(GOOD)))
    for _ in range(chance.choice((1, 5, 50))):
        whole[chance.randrange(len(whole))] = chance.randrange(256)
    return s.stream(bytes(whole))


def out_of_order(chance: random.Random) -> s.Scripted:
    """Its chunks come shuffled, repeated or not at all."""
    return s.stream(*chance.choices(pieces(GOOD), k=chance.randrange(12)))


def with_wild_arguments(chance: random.Random) -> s.Scripted:
    """A call whose name or arguments are invalid."""
    name = chance.choice(
        ("execute_bash", "str_replace_editor", "submit", "", "no_such", "\x1b]0;x")
    )
    written = json.dumps({"command": chance.choice(VALUES), "path": chance.choice(VALUES)})
    wild = chance.choice((written, written[:-3], "[]", "null", '"', "{" * 2000, json.dumps("x")))
    return s.calls((name, wild), (name, written))


def of_another_kind(chance: random.Random) -> s.Scripted:
    """Not a stream, or not even an answer."""
    body = json.dumps(chance.choice(VALUES)).encode()
    kind = chance.choice(
        ("application/json", "text/html", "text/event-stream", "", "x/y; charset=0")
    )
    return s.Scripted([body], status=chance.choice((200, 200, 500, 503)), content_type=kind)


def whole(chance: random.Random) -> s.Scripted:
    """Not streamed, with one field spoilt."""
    call = {"id": "a", "type": "function", "function": {"name": "submit", "arguments": "{}"}}
    body: dict[str, Any] = {
        "choices": [{"index": 0, "message": {"role": "assistant", "tool_calls": [call]}}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1},
    }
    _spoil(body, chance)
    return s.Scripted([json.dumps(body).encode()], content_type="application/json")


def random_bytes(chance: random.Random) -> s.Scripted:
    """Arbitrary bytes."""
    return s.stream(chance.randbytes(chance.randrange(2000)))


WAYS: tuple[Callable[[random.Random], s.Scripted], ...] = (
    *(with_other_values, with_other_values, with_other_values, cut, with_noise, out_of_order),
    *(with_wild_arguments, with_wild_arguments, of_another_kind, whole, random_bytes),
)


class SharedModel(OpenAIModel):
    """One client for all runs, since loading the certificates again takes longer than a run."""

    async def close(self) -> None: ...

    async def close_for_good(self) -> None:
        await super().close()


class Spoiler:
    """Every other answer is malformed; `sent` counts those."""

    def __init__(self, seed: int) -> None:
        self.sent = 0
        self._seed = seed
        self._asked = 0

    def __call__(self, request: s.Chunk) -> s.Scripted:
        self._asked += 1
        if self._asked % 2:
            return GOOD
        self.sent += 1
        return malformed_reply(random.Random(f"{self._seed} {self.sent}"))


@pytest.mark.parametrize("seed", range(SEED, SEED + 4))
async def test_malformed_replies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    require("bubblewrap")
    monkeypatch.setitem(Agent.__init__.__kwdefaults__, "retry_base", 0.0)  # type: ignore[arg-type]
    monkeypatch.chdir(tmp_path)
    spoiler, endings = Spoiler(seed), Counter[str]()
    store = Store(tmp_path / "s.db")
    with s.ScriptedServer([spoiler]) as server:
        settings = load(
            {
                "model.name": "m",
                "model.base_url": server.url,
                "model.stall_timeout": 20.0,
                "sandbox.kind": "bubblewrap",
                "limits.max_steps": 20,
                "limits.command_timeout": 5.0,
            }
        )
        model = SharedModel(settings.model, None)
        while spoiler.sent < REPLIES:
            before = spoiler.sent
            worker = RunWorker(RunRequest(task="x", settings=settings, model=model), store)
            worker.start()
            async with asyncio.timeout(HANG_SECONDS):
                seen = [event async for event in worker.watch()]
            assert worker.failure is None, (before, worker.failure)
            endings[ended_in_order(seen, before)] += 1
            assert list(store.events(worker.run_id)) == seen
        await model.close_for_good()
    store.close()
    print(f"\n{spoiler.sent} malformed replies, seed {seed}: {dict(endings)}")
    assert endings["max_steps"] or endings["submitted"]  # not all of them end a run


def ended_in_order(seen: list[e.AnyEvent], number: int) -> str:
    """The run's outcome; checks that it is an allowed one and that every call has a result."""
    end = seen[-1]
    assert isinstance(end, e.RunFinished), number
    assert end.reason in ENDINGS, (number, end.reason, end.error)
    proposed = [event.call.number for event in seen if isinstance(event, e.CallProposed)]
    finished = [event.call for event in seen if isinstance(event, e.CallFinished)]
    assert proposed == finished == list(range(1, len(proposed) + 1)), number
    assert fold(seen).open_calls == {}
    return end.reason
