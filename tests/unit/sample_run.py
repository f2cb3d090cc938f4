"""A recorded run in which everything happens once, for exports, with texts as hostile as needed."""

from __future__ import annotations

import json

import msgspec

from sandbox_tui.core.base.blob_store import digest
from sandbox_tui.core.events import types as e
from sandbox_tui.sessions import Store
from tests.unit.event_streams import started

SECRET = "sk-proj-abcdEFGH1234567890abcdefghij"


def sample(text: str = "plain", secret: str = "") -> tuple[list[e.AnyEvent], list[bytes]]:
    """Return events and file contents, with `text` and `secret` wherever text can occur."""
    said = f"{text} {secret}".strip()
    content = f"print({said!r})\n".encode()
    arguments = json.dumps({"command": f"echo {said}"})
    call = e.ToolCall(number=1, step=1, id="c1", name="execute_bash", arguments=arguments)
    edit = json.dumps({"command": "create", "path": "/testbed/a.py", "file_text": said})
    second = e.ToolCall(number=2, step=2, id="c2", name="str_replace_editor", arguments=edit)
    message = {
        "role": "assistant",
        "content": said,
        "tool_calls": [
            {
                "id": "c1",
                "type": "function",
                "function": {"name": call.name, "arguments": arguments},
            }
        ],
    }
    shell = f"out {said}\r\n".encode("utf-8", "replace")
    found: list[e.AnyEvent] = [
        msgspec.structs.replace(started(task=said or "task"), instance_prompt=f"do: {said}"),
        e.TerminalOpened(terminal="model", cols=60, rows=10),
        e.FilesListed(files=(_file("/testbed/old.txt", "created", b"old"),)),
        e.ModelAsked(step=1, digest="", messages=2),
        e.ModelDelta(step=1, channel="text", text=said[: len(said) // 2]),
        e.ModelDelta(step=1, channel="text", text=said[len(said) // 2 :]),
        _replied(1, message, said),
        e.CallProposed(call=call),
        e.CallDecided(call=1, verdict="edit", by="human", arguments=arguments, feedback=said),
        e.CallStarted(call=1),
        e.TerminalOutput(terminal="model", data=shell[: len(shell) // 2]),
        e.TerminalOutput(terminal="model", data=shell[len(shell) // 2 :]),
        e.CallFinished(call=1, observation=said, ok=False, exit_code=3, duration=0.5),
        e.FilesChanged(step=1, changes=(_file(f"/testbed/{text}.py", "created", content),), call=1),
        e.HumanMessage(id=1, text=said),
        e.HumanCommand(id=2, command=said, told_to_model=True),
        e.HumanCommandFinished(id=2, observation=said, exit_code=0, duration=0.1),
        e.TerminalOpened(terminal="shell", cols=40, rows=5),
        e.TerminalInput(terminal="shell", data=said.encode("utf-8", "replace")),
        e.TerminalOutput(terminal="shell", data=b"\x1b[1;31m$\x1b[0m " + shell),
        e.TerminalResized(terminal="shell", cols=50, rows=6),
        e.TerminalClosed(terminal="shell", exit_code=0),
        e.ModelAsked(step=2, digest="", messages=4),
        e.Delivered(step=2, ids=(1,), text=said),
        _replied(2, {"role": "assistant", "content": said, "tool_calls": [_call(second)]}, said),
        e.CallProposed(call=second),
        e.CallDecided(call=2, verdict="approve", by="policy"),
        e.CallStarted(call=2),
        e.CallFinished(call=2, observation=said, ok=True, duration=0.01),
        e.Warned(text=said),
        e.RunFinished(
            reason="submitted", error=None, totals=e.Totals(steps=2, calls=2), answer=said
        ),
    ]
    numbered = [
        msgspec.structs.replace(event, seq=seq, t=seq * 0.2) for seq, event in enumerate(found, 1)
    ]
    return numbered, [content, b"old"]


def keep(store: Store, events: list[e.AnyEvent], contents: list[bytes], run_id: str = "r") -> str:
    """Store a run."""
    store.append(run_id, events)
    for content in contents:
        store.put_blob(run_id, content)
    return run_id


def _replied(step: int, message: dict[str, object], text: str) -> e.ModelReplied:
    return e.ModelReplied(
        step=step,
        message=message,
        text=text,
        reasoning=text,
        usage=e.Usage(input_tokens=10, output_tokens=5),
        finish_reason="tool_calls",
        latency=0.4,
        cost=0.01,
    )


def _call(call: e.ToolCall) -> dict[str, object]:
    function = {"name": call.name, "arguments": call.arguments}
    return {"id": call.id, "type": "function", "function": function}


def _file(path: str, change: str, content: bytes) -> e.FileChange:
    return e.FileChange(
        path=path,
        change=change,  # type: ignore[arg-type]
        kind="file",
        size=len(content),
        blob=digest(content),
    )
