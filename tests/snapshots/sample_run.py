"""A hand-made run with something of every kind, identical every time to the last digit."""

from __future__ import annotations

import json
from collections.abc import Iterator

import msgspec

from sandbox_tui.core.base.blob_store import digest
from sandbox_tui.core.events import types as e

TASK = "Find the heaviest compound in input/compounds.csv and write its name to output/answer.txt"
SOLVE = """import csv

rows = list(csv.DictReader(open("input/compounds.csv")))
heaviest = max(rows, key=lambda row: float(row["mass"]))
print(heaviest["name"])
open("output/answer.txt", "w").write(heaviest["name"])
"""
BROKEN = SOLVE.replace('float(row["mass"])', 'row["weight"]')
FILES = {
    "/testbed/input/compounds.csv": b"name,mass\naspirin,180.16\ncaffeine,194.19\nmenthol,156.27\n",
    "/testbed/solve.py": SOLVE.encode(),
    "/testbed/output/answer.txt": b"caffeine",
}


def change(path: str, what: str = "created", data: bytes | None = None) -> e.FileChange:
    content = FILES[path] if data is None else data
    return e.FileChange(
        path=path,
        change=what,  # type: ignore[arg-type]
        kind="file",
        size=len(content),
        mtime=1_700_000_000.0,
        blob=digest(content),
    )


def folder(path: str) -> e.FileChange:
    return e.FileChange(path=path, change="created", kind="dir", mtime=1_700_000_000.0)


def sample_run(run_id: str = "20260101-120000-sampl") -> list[e.AnyEvent]:
    """Return all its events, numbered and timed."""
    return [
        msgspec.structs.replace(event, seq=seq, t=round(seq * 0.4, 1))
        for seq, event in enumerate(_events(run_id), 1)
    ]


def _events(run_id: str) -> Iterator[e.AnyEvent]:
    yield e.RunStarted(
        schema=e.SCHEMA_VERSION,
        run_id=run_id,
        started_at=1_767_268_800.0,
        task=TASK,
        model="qwen3-coder",
        model_params={"temperature": 0.7},
        sandbox="docker",
        sandbox_info={"image": "sandbox-tui:latest"},
        prompt_pack="general",
        system_prompt="You have a computer.",
        instance_prompt=TASK,
        working_dir="/testbed",
        input_dir="/testbed/input",
        output_dir="/testbed/output",
        limits=e.Limits(max_steps=20),
    )
    yield e.TerminalOpened(terminal="model", cols=80, rows=24)
    yield e.FilesListed(
        files=(
            folder("/testbed/input"),
            change("/testbed/input/compounds.csv"),
            folder("/testbed/output"),
        )
    )
    yield from _step(1, "The header first.", "", "execute_bash", {"command": "head -3 input/*.csv"})
    yield from _shown("head -3 input/*.csv", "name,mass\naspirin,180.16\ncaffeine,194.19\n")
    yield from _done(1, "name,mass\naspirin,180.16\ncaffeine,194.19")
    create = {"command": "create", "path": "/testbed/solve.py", "file_text": BROKEN}
    yield from _step(2, "", "A small program will do.", "str_replace_editor", create)
    yield from _shown("edit create solve.py +6", "")
    yield from _done(2, "File created at /testbed/solve.py: 6 lines.")
    first = change("/testbed/solve.py", data=BROKEN.encode())
    yield e.FilesChanged(step=2, changes=(first,), call=2)
    yield e.ModeChanged(mode="step")
    yield e.HumanMessage(id=1, text="the column is called mass")
    yield from _step(3, "", "Run it.", "execute_bash", {"command": "python3 solve.py"}, "human")
    yield from _shown("python3 solve.py", "KeyError: 'weight'\n", "\x1b[31m✗ exit 1\x1b[m\n")
    yield from _done(3, "Traceback (most recent call last):\nKeyError: 'weight'", ok=False)
    edit = {
        "command": "str_replace",
        "path": "/testbed/solve.py",
        "old_str": 'row["weight"]',
        "new_str": 'float(row["mass"])',
    }
    yield e.Delivered(step=4, ids=(1,), text="the column is called mass")
    yield from _step(4, "mass, not weight.", "I was told.", "str_replace_editor", edit, "human")
    yield from _shown("edit str_replace solve.py +1 -1", "")
    yield from _done(4, "The file /testbed/solve.py has been edited.")
    yield e.FilesChanged(step=4, changes=(change("/testbed/solve.py", "modified"),), call=4)
    yield e.HumanCommand(id=2, command="wc -l input/compounds.csv", told_to_model=True)
    yield from _shown("wc -l input/compounds.csv", "4 input/compounds.csv\n", who="you")
    yield e.HumanCommandFinished(
        id=2, observation="4 input/compounds.csv", exit_code=0, duration=0.01
    )
    yield e.Warned(text="The disk of the sandbox is nearly full: 1.2 MB are left.")
    yield from _step(5, "", "Again.", "execute_bash", {"command": "python3 solve.py"}, None)


def _step(
    number: int,
    reasoning: str,
    text: str,
    tool: str,
    arguments: dict[str, str],
    by: e.Actor | None = "policy",
) -> Iterator[e.AnyEvent]:
    """Yield a reply with one call that `by` has decided, or that is still undecided (None)."""
    yield e.ModelAsked(step=number, digest=f"{number:016}", messages=number * 2)
    yield e.ModelReplied(
        step=number,
        message={"role": "assistant", "content": text},
        text=text,
        reasoning=reasoning,
        usage=e.Usage(input_tokens=900 + 150 * number, output_tokens=40 + number),
        finish_reason="tool_calls",
        latency=0.8 + number / 10,
        cost=0.0011 * number,
    )
    yield e.CallProposed(
        call=e.ToolCall(
            number=number,
            step=number,
            id=f"call_{number}",
            name=tool,
            arguments=json.dumps(arguments),
        )
    )
    if by in (None, "human"):
        yield e.CallHeld(call=number)
    if by is not None:
        yield e.CallDecided(call=number, verdict="approve", by=by)
        yield e.CallStarted(call=number)


def _shown(
    command: str, output: str, end: str = "", who: str = "model"
) -> Iterator[e.TerminalOutput]:
    prompt = f"\x1b[1;35m{who}\x1b[m ❯ {command}\n{output}{end}"
    yield e.TerminalOutput(terminal="model", data=prompt.replace("\n", "\r\n").encode())


def _done(number: int, observation: str, *, ok: bool = True) -> Iterator[e.CallFinished]:
    yield e.CallFinished(
        call=number,
        observation=observation,
        ok=ok,
        exit_code=0 if ok else 1,
        stdout_bytes=len(observation),
        duration=0.03 * number,
    )
