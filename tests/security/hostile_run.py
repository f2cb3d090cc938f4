"""A run in which everything that can be hostile is: words, names, arguments, files, terminals."""

from __future__ import annotations

import json
from collections.abc import Iterator

import msgspec

from sandbox_tui.core.base.blob_store import digest
from sandbox_tui.core.events import types as e
from sandbox_tui.sessions import Store
from tests.security.hostile import Streams
from tests.unit.event_streams import started

SUFFIXES = ("py", "md", "csv", "tsv", "json", "jsonl", "html", "txt", "png", "sh", "rs", "bin")
"""File types of each kind of preview, and some without a preview."""

PREVIEWED = ("py", "md", "csv", "json", "jsonl", "html", "txt", "png", "bin")
"""One file type for each kind of preview."""

TOOLS = ("execute_bash", "str_replace_editor", "submit", "")


def hostile_run(run_id: str, made: Streams, steps: int, store: Store) -> list[e.AnyEvent]:
    """All events of a hostile run; the contents of its files are stored."""
    events = [
        msgspec.structs.replace(event, seq=seq, t=seq * 0.1)
        for seq, event in enumerate(_events(run_id, made, steps, store), 1)
    ]
    store.append(run_id, events)
    return events


def task(run_id: str, made: Streams) -> e.RunStarted:
    """The event that starts it."""
    return msgspec.structs.replace(
        started(run_id, task=made.one()),
        model=made.one(),
        sandbox=made.one(),
        sandbox_info={made.one(): made.one(), "image": made.one()},
        prompt_pack=made.one(),
        system_prompt=made.one(),
        instance_prompt=made.one(),
        model_params={"base_url": made.one()},
    )


def _events(run_id: str, made: Streams, steps: int, store: Store) -> Iterator[e.AnyEvent]:
    yield task(run_id, made)
    yield e.TerminalOpened(terminal="model", cols=100, rows=40)
    shell = made.one()
    yield e.TerminalOpened(terminal=shell, cols=100, rows=40)
    yield e.FilesListed(files=tuple(_file(run_id, made, store, suffix) for suffix in SUFFIXES))
    for step in range(1, steps + 1):
        yield from _step(run_id, step, made, store, shell)
    yield e.Forked(
        parent=made.one(), parent_seq=3, step=1, snapshot=made.one(), repeats=2, model=made.one(),
        sandbox_info={made.one(): made.one()},
    )  # fmt: skip
    yield e.Repeated(what=1, by="model", number=1, of=2, parted=made.one())
    yield e.RunResumed(
        resumed_at=9.0, away=3.0, sandbox_info={}, lost=(made.one(),), changed=(made.one(),)
    )
    totals = e.Totals(steps=steps, calls=steps)
    yield e.RunFinished(
        reason="model_error", error=made.one(), totals=totals, answer=made.one(), output=made.one()
    )


def _step(run_id: str, step: int, made: Streams, store: Store, shell: str) -> Iterator[e.AnyEvent]:
    yield e.ModelAsked(step=step, digest="", messages=2)
    yield e.ModelFailed(step=step, error=made.one(), attempt=1, retry_in=1.0)
    text, reasoning = made.text(2), made.text(2)
    yield e.ModelDelta(step=step, channel="text", text=text)
    yield e.ModelReplied(
        step=step, message={"role": "assistant", "content": text}, text=text, reasoning=reasoning,
        usage=e.Usage(input_tokens=9), finish_reason=made.one(), latency=0.1,
    )  # fmt: skip
    call = hostile_call(step, made)
    yield e.CallProposed(call=call)
    yield e.CallHeld(call=step, rule=made.one(), reason=made.one())
    verdict: e.Verdict = "reject" if step % 3 == 0 else "approve"
    yield e.CallDecided(
        call=step, verdict=verdict, by="human", rule=made.one(), feedback=made.one()
    )
    yield e.CallStarted(call=step)
    yield e.TerminalOutput(terminal="model", data=output(made, 12))
    yield e.TerminalOutput(terminal=shell, data=output(made, 12))
    yield e.InputAwaited(program=made.one(), answerable=True)
    yield e.CallFinished(call=step, observation=made.text(4), ok=step % 2 == 0, exit_code=step % 2)
    change = _file(run_id, made, store, SUFFIXES[step % len(SUFFIXES)])
    yield e.FilesChanged(step=step, changes=(change,), call=step)
    yield e.HumanMessage(id=3 * step, text=made.one())
    yield e.HumanCommand(id=3 * step + 1, command=made.one(), told_to_model=True)
    yield e.HumanCommandFinished(
        id=3 * step + 1, observation=made.text(2), exit_code=1, duration=0.1
    )
    yield e.HumanFile(
        id=3 * step + 2, action="edit", path=f"/testbed/{made.name()}", told_to_model=True,
        host=made.one(), diff=f"--- a\n+++ b\n@@ -1 +1 @@\n-{made.line()}\n+{made.line()}",
        left_behind=(made.one(),),
    )  # fmt: skip
    yield e.RuleGranted(tool=made.one(), pattern=made.one())
    yield e.RuleRevoked(tool=made.one(), pattern=made.one())
    yield e.Warned(text=made.one())


def hostile_call(number: int, made: Streams, *, surrogates: bool = False) -> e.ToolCall:
    """A call of a known tool, or of one whose name is as hostile as its arguments."""

    def some() -> str:
        return made.one(surrogates=surrogates)

    fields = {"command": some(), "path": f"/testbed/{some()}", "file_text": some(), some(): some()}
    arguments = json.dumps(fields, ensure_ascii=surrogates) if number % 5 else some()
    name = TOOLS[number % len(TOOLS)] or some()
    return e.ToolCall(number=number, step=number, id=some(), name=name, arguments=arguments)


def output(made: Streams, count: int) -> bytes:
    """The output of a program."""
    return "\r\n".join(made.many(count)).encode() + b"\r\n"


def content(made: Streams, suffix: str, lines: int = 20) -> bytes:
    """A file whose content matches its suffix, as far as possible."""
    rows = [made.line() for _ in range(lines)]
    if suffix != "bin":  # with a NUL it would not count as text
        rows = [row.replace("\0", "\x01") for row in rows]
    if suffix == "json":
        return json.dumps({row: [row, {row: 1}] for row in rows}, ensure_ascii=False).encode()
    if suffix == "jsonl":
        return "\n".join(json.dumps({"a": row}, ensure_ascii=False) for row in rows).encode()
    if suffix in ("csv", "tsv"):
        separator = "," if suffix == "csv" else "\t"
        return "\n".join(f'{row}{separator}"{row}"' for row in rows).encode()
    if suffix == "md":
        return "\n\n".join(
            f"# {row}\n\n- [{row}]({row})\n\n> {row}\n\n    {row}" for row in rows
        ).encode()
    if suffix == "html":
        return f"<h1>{'</h1><p>'.join(rows)}</p>".encode()
    return "\n".join(rows).encode()


def _file(run_id: str, made: Streams, store: Store, suffix: str) -> e.FileChange:
    data = content(made, suffix)
    return e.FileChange(
        path=f"/testbed/{made.name()}.{suffix}",
        change="created",
        kind="file",
        size=len(data),
        blob=store.put_blob(run_id, data) and digest(data),
    )
