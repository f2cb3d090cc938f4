"""Importing the client takes a second: it must not block the event loop, and so the screen."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable

import pytest

from tests import scripted_server as s

Start = Callable[..., s.ScriptedServer]

WATCHED = """
import asyncio, json, sys, threading

found = {}  # in which thread each was first looked for

class Finder:
    def find_spec(self, name, path=None, target=None):
        found.setdefault(name, threading.current_thread() is main)

main = threading.current_thread()
sys.meta_path.insert(0, Finder())
from sandbox_tui.core.config.settings import ModelSettings
from sandbox_tui.core.events.types import Usage
from sandbox_tui.core.models import pricing
from sandbox_tui.core.models.base import Request
from sandbox_tui.core.models.context_length import find_context_length
from sandbox_tui.core.models.openai_compatible import OpenAIModel

settings = ModelSettings(name="m", base_url=sys.argv[2])

async def search():
    await find_context_length(settings, None)

async def ask():
    model = OpenAIModel(settings, "key")
    question = {"role": "user", "content": "?"}
    async for _ in model.ask(Request(messages=[question], tools=[], max_tokens=5)):
        pass
    await model.close()
    pricing.cost("gpt-4o", "", Usage(input_tokens=1, output_tokens=1))

async def prepare():
    model = OpenAIModel(settings, "key")
    await model.prepare()
    assert "openai" in sys.modules
    await model.close()

asyncio.run({"search": search, "ask": ask, "prepare": prepare}[sys.argv[1]]())
print(json.dumps(found))
"""


@pytest.mark.parametrize(
    ("what", "packages"),
    [
        ("search", ("openai", "pydantic")),
        ("ask", ("openai", "pydantic", "genai_prices.data")),
        ("prepare", ("openai", "pydantic", "genai_prices.data")),
    ],
)
def test_the_client_is_not_imported_by_the_event_loop(
    scripted_server: Start, what: str, packages: tuple[str, ...]
) -> None:
    server = scripted_server(s.say("x"))
    command = [sys.executable, "-c", WATCHED, what, server.url]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    in_the_loop = json.loads(done.stdout)
    assert bool(server.requests) == (what == "ask")
    assert {name: in_the_loop[name] for name in packages} == dict.fromkeys(packages, False)
