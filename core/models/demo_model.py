"""The demo: a fixed script, labelled as one, that drives a real sandbox.

It uses no server and needs no key. The script solves a small long-document task by really
searching, editing, running and drawing. It notices and answers the user's interventions, and always
reaches `submit`.

The script's position is read from the conversation, from the ids of its own calls. So a reply that
was interrupted is written again, and a conversation can be resumed at any reply.
"""

from __future__ import annotations

import asyncio
import json
import random
import re
from collections.abc import AsyncGenerator, Iterator, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any, Literal

from typing_extensions import override

from sandbox_tui.core.events.types import Usage
from sandbox_tui.core.models.base import Delta, Message, Model, RawToolCall, Reply, Request

DEMO_TASK = (
    "The input folder holds the annual reports of four harbours, ten years each. Which harbour had "
    "the largest fall in grain tonnage from one year to the next, in which year, and by how many "
    "tonnes? Draw the four series as output/grain.png and write the answer as "
    "'HARBOUR YEAR TONNES' to output/answer.txt."
)

_HARBOURS = ("Aldwick", "Bergsund", "Corvane", "Dunmere")
_CARGOES = ("timber", "coal", "grain", "salt", "machinery", "fish", "cotton", "ore")
_SENTENCES = (
    "The quay was dredged in spring and the light at the mole was renewed.",
    "Two cranes stood idle for most of the summer while parts were awaited.",
    "Pilotage was paid by the draught of the vessel, as in former years.",
    "The harbour board met four times and approved the new tariff of dues.",
    "Storms closed the entrance on several days without damage to shipping.",
    "A second warehouse was roofed and let to the merchants before winter.",
    "The ferry carried more passengers than the year before on all its lines.",
    "Repairs of the breakwater were put off until stone could be had.",
)


_IDENTITY = re.compile(r"demo_(\d+)")


@dataclass(frozen=True, slots=True)
class ScriptedReply:
    """One reply of the script."""

    reasoning: str
    text: str
    tool: str
    arguments: dict[str, Any]


def demo_documents() -> dict[str, bytes]:
    """Return the input files by name: four long plain-text documents, identical every time."""
    return {f"{name.lower()}.txt": _document(name) for name in _HARBOURS}


def _document(harbour: str) -> bytes:
    chance = random.Random(f"harbour {harbour}")
    lines = [f"ANNUAL REPORTS OF THE HARBOUR OF {harbour.upper()}", ""]
    grain = chance.randrange(30_000, 60_000)
    for year in range(1911, 1921):
        lines += [f"REPORT FOR THE YEAR {year}", ""]
        grain = max(9_000, grain + chance.randrange(-11_000, 12_000))
        facts = [
            f"{cargo.capitalize()} landed: {_number(grain if cargo == 'grain' else amount)} tonnes."
            for cargo in _CARGOES
            for amount in [chance.randrange(2_000, 90_000)]
        ]
        for number in range(40):
            words = chance.choice(_SENTENCES)
            lines.append(facts[number // 5] if number % 5 == 2 else words)
        lines.append("")
    return "\n".join(lines).encode()


def _number(value: int) -> str:
    return f"{value:,}".replace(",", " ")


def _asset(name: str) -> str:
    return (resources.files(__package__ or __name__) / "demo_files" / name).read_text("utf-8")


def script() -> list[ScriptedReply]:
    """Return the script, reply by reply."""
    bash, edit = "execute_bash", "str_replace_editor"
    return [
        ScriptedReply(
            "Four long reports. I should see how large they are before I read any of them.",
            "I'll look at the input first.",
            bash,
            {"command": "ls -l input && wc -l input/*.txt && head -6 input/aldwick.txt"},
        ),
        ScriptedReply(
            "Too long to read in full. The grain figures have a fixed form, so grep can find them.",
            "",
            bash,
            {"command": "grep -n 'Grain landed' input/*.txt | head -12"},
        ),
        ScriptedReply(
            "The year is in a heading above each figure, so a program has to pair them up. "
            "Is there a parser for these reports?",
            "",
            bash,
            {"command": "python3 -c 'import report_parser'"},
        ),
        ScriptedReply(
            "There is none, and the standard library is enough.",
            "No parser here, so I'll write one with the standard library.",
            edit,
            {"command": "create", "path": "/testbed/solve.py", "file_text": _asset("solve.txt")},
        ),
        ScriptedReply("", "Run it.", bash, {"command": "python3 solve.py"}),
        ScriptedReply(
            "The figures have a space between the thousands, which int() rejects. One line to fix.",
            "",
            edit,
            {
                "command": "str_replace",
                "path": "/testbed/solve.py",
                "old_str": "[year] = int(found[1])",
                "new_str": '[year] = int(found[1].replace(" ", ""))',
            },
        ),
        ScriptedReply("", "", bash, {"command": "python3 solve.py"}),
        ScriptedReply(
            "The figures look right. Now the chart: a small PNG writer will do.",
            "Now the chart.",
            edit,
            {"command": "create", "path": "/testbed/draw.py", "file_text": _asset("draw.txt")},
        ),
        ScriptedReply("", "", bash, {"command": "python3 draw.py && ls -l output"}),
        ScriptedReply(
            "Before I submit, I'll check the largest fall a second way, from the raw text.",
            "Let me check the result against the raw text.",
            bash,
            {
                "command": "cat output/answer.txt\n"
                "read -r harbour year fall <output/answer.txt\n"
                'grep -A 20 "YEAR $((year - 1))" "input/${harbour,,}.txt" | grep Grain\n'
                'grep -A 20 "YEAR $year" "input/${harbour,,}.txt" | grep Grain'
            },
        ),
        ScriptedReply("Both agree.", "The answer is confirmed. Submitting.", "submit", {}),
    ]


class DemoModel(Model):
    """A model that follows a script; used by `sandbox-tui demo`.

    Args:
        speed: 1 writes at reading speed; 0 leaves out all pauses.
    """

    name = "demo script"

    def __init__(self, speed: float = 1.0) -> None:
        self.params: dict[str, Any] = {"speed": speed}
        self._speed = speed
        self._script = script()

    @override
    async def ask(self, request: Request) -> AsyncGenerator[Delta | Reply, None]:
        scripted, text, identity = self._next(request.messages)
        arguments = json.dumps(scripted.arguments, ensure_ascii=False)
        for delta in _deltas(scripted, text, arguments):
            if delta.text and self._speed > 0:
                await asyncio.sleep(0.03 / self._speed)  # as if it were being typed
            yield delta
        yield _reply(scripted, text, arguments, identity, request)

    @override
    async def close(self) -> None:
        pass

    def _next(self, messages: Sequence[Message]) -> tuple[ScriptedReply, str, str]:
        """Return the next reply, the response to the user's intervention, and the id of the
        call."""
        written, latest = _position(messages), _latest_messages(messages)
        refused = "A person rejected this call" in latest or "A person skipped this call" in latest
        if refused and 0 <= written < len(self._script) and f"demo_{written}_again" not in latest:
            words = _feedback(latest)
            acknowledged = f'You rejected that: "{words}".' if words else "You rejected that."
            text = f"{acknowledged} This demo follows a script, so I ask once more, then move on."
            return self._script[written], text, f"demo_{written}_again"
        at = min(written + 1, len(self._script) - 1)
        text = self._script[at].text
        if "watches this run ran a command" in latest:
            text = f"I see the command you ran. {text}"
        elif "watches this run writes" in latest:
            text = f"I read your message. A script cannot act on it, but a model would. {text}"
        elif "A person edited this call" in latest:
            text = f"I see that you edited my call. {text}"
        elif refused:
            text = f"Rejected twice, so I move on without it. {text}"
        return self._script[at], text.strip(), f"demo_{at}"


def _position(messages: Sequence[Message]) -> int:
    """Index of the reply of the script written last; -1 before the first."""
    found = (
        int(match[1])
        for message in reversed(messages)
        for call in message.get("tool_calls") or ()
        if (match := _IDENTITY.match(str(call["id"])))
    )
    return next(found, -1)


def _latest_messages(messages: Sequence[Message]) -> str:
    """Return the messages since the script's last reply, with the id of the call they answer."""
    latest: list[str] = []
    for message in reversed(messages):
        if message.get("role") == "assistant":
            return "\n".join(reversed(latest))
        latest.append(f"{message.get('content') or ''}\n{message.get('tool_call_id') or ''}")
    return ""


def _feedback(latest: str) -> str:
    """Return the user's feedback on a rejected call."""
    found = re.search(r"They say: (.*)", latest)
    return found[1][:200] if found else ""


def _deltas(scripted: ScriptedReply, text: str, arguments: str) -> Iterator[Delta]:
    yield from _pieces("reasoning", scripted.reasoning)
    yield from _pieces("text", text)
    yield Delta("call", "", 0, scripted.tool)
    yield from _pieces("call", arguments)


def _pieces(channel: Literal["text", "reasoning", "call"], text: str) -> Iterator[Delta]:
    size = 24 if channel == "call" else 9
    for at in range(0, len(text), size):
        yield Delta(channel, text[at : at + size])


def _reply(
    scripted: ScriptedReply, text: str, arguments: str, identity: str, request: Request
) -> Reply:
    call = RawToolCall(id=identity, name=scripted.tool, arguments=arguments)
    message: Message = {
        "role": "assistant",
        "content": text,
        "tool_calls": [
            {
                "id": identity,
                "type": "function",
                "function": {"name": scripted.tool, "arguments": arguments},
            }
        ],
    }
    written = len(scripted.reasoning) + len(text) + len(arguments)
    read = sum(len(str(message.get("content") or "")) for message in request.messages)
    usage = Usage(input_tokens=read // 4, output_tokens=written // 4)
    return Reply(
        message=message,
        text=text,
        reasoning=scripted.reasoning,
        calls=(call,),
        usage=usage,
        finish_reason="tool_calls",
    )
