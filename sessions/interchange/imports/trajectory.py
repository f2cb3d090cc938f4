r"""Imports `trajectory.json` of llm-in-sandbox, of one run or of a whole benchmark.

Observations come in two forms: the published demos have bare editor messages; version 0.2 precedes
them with `Execution output of \[str_replace_editor]:`. The backslash is part of the format.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, cast

from sandbox_tui.core.base.errors import ImportRefused
from sandbox_tui.core.events import types as e
from sandbox_tui.sessions.interchange.imports.base import (
    Imported,
    Importer,
    Opened,
    number_of,
    object_of,
    objects_of,
    text_of,
)
from sandbox_tui.sessions.interchange.imports.rebuild_events import Rebuilder, arguments_of

FORMAT = "trajectory"
MAX_RUNS = 5000
_HEADER = re.compile(r"(?:Exit code: (?P<code>[^\n]*)\n)?Execution output of \\?\[[^\]\n]*\]:\n?")
_STDOUT = re.compile(r"\\?\[STDOUT\]\n?")
_STDERR = re.compile(r"^\\?\[STDERR\]\n?", re.MULTILINE)
_CODE = re.compile(r"(-?\d{1,5})\s*\Z")
_REFUSED = re.compile(
    r"Error|ERROR|No occurrences of|No replacement was|Multiple occurrences|Unknown action"
    r"|Unknown command"
)
_LATE = "The command took too long to execute"


def recognises(opened: Opened) -> bool:
    """Return whether a file has this format."""
    document = opened.document
    return document is not None and document.lines is None and bool(_runs(document.value))


def _runs(value: Any) -> list[tuple[str, dict[str, Any]]]:
    """Return the names and runs in a document: one run without a name, or those of a benchmark."""
    fields = object_of(value)
    if isinstance(fields.get("problem_statement"), str) and isinstance(fields.get("steps"), list):
        return [("", fields)]
    runs = [(name, object_of(run)) for name, run in fields.items()]
    good = all(isinstance(run.get("trajectory"), list) for _, run in runs)
    return runs if good else []


def read(opened: Opened) -> Sequence[Imported]:
    """Return the sessions in a file.

    Raises:
        ImportRefused: the file cannot be used; the message says why.
    """
    document = opened.document
    runs = _runs(document.value) if document else []
    if len(runs) > MAX_RUNS:
        raise ImportRefused(f"{opened.source.name} has more than {MAX_RUNS} runs in it.")
    return [_imported(opened, name, run) for name, run in runs]


def _imported(opened: Opened, name: str, run: dict[str, Any]) -> Imported:
    source = opened.source
    steps = cast(list[Any], run["trajectory"] if name else run["steps"])
    metadata = object_of(run.get("metadata"))
    rebuilder = Rebuilder(
        task=text_of(run.get("problem_statement")),
        source="trajectory.json",
        started_at=number_of(metadata.get("started_at"), source.modified, most=4e9),
        model=text_of(metadata.get("model")),
        info={"problem": name} if name else None,
    )
    for number, step in enumerate(steps, 1):
        if not isinstance(step, dict):
            raise ImportRefused(f"{source.name} is damaged: its step {number} is not an object.")
        _add(rebuilder, cast(dict[str, Any], step))
    _finish(rebuilder, run, metadata)
    data = source.data
    if name:
        kept = {"problem_statement": run.get("problem_statement"), "steps": steps} | {
            key: field
            for key, field in run.items()
            if key not in ("problem_statement", "trajectory")
        }
        data = json.dumps(kept, indent=2).encode()
    return rebuilder.imported(FORMAT, source.name, data)


def _add(rebuilder: Rebuilder, step: dict[str, Any]) -> None:
    action = object_of(step.get("action"))
    name = text_of(action.get("function"))
    arguments = arguments_of(action.get("parameters") or {})
    metadata = object_of(step.get("metadata"))
    calls = [(f"call_{rebuilder.step + 1}", name, arguments)] if name else []
    written = rebuilder.reply(
        text_of(step.get("thought")),
        reasoning=text_of(step.get("reasoning_content")),
        calls=calls,
        latency=number_of(metadata.get("exec_time")),
    )
    observation = text_of(step.get("observation"))
    for call in written:
        code, output = exit_code_and_output(observation)
        failed = code not in (None, 0) or _REFUSED.match(output) is not None
        recorded_ok = metadata.get("ok")
        parameters = object_of(action.get("parameters"))
        command = parameters.get("command") if name == "execute_bash" else None
        rebuilder.call(
            call,
            observation,
            output=output,
            ok=recorded_ok if isinstance(recorded_ok, bool) else not failed,
            exit_code=code,
            duration=number_of(metadata.get("duration")),
            timed_out=output.startswith(_LATE),
            command=text_of(command) if isinstance(command, str) else None,
        )


def exit_code_and_output(observation: str) -> tuple[int | None, str]:
    """Return the exit code and output of an observation."""
    header = _HEADER.match(observation)
    if header is None:
        return None, observation
    output = _STDOUT.sub("", observation[header.end() :], count=1)
    output = _STDERR.sub("", output)
    found = _CODE.search(header["code"] or "")
    return (int(found[1]) if found else None), output


def _finish(rebuilder: Rebuilder, run: dict[str, Any], metadata: dict[str, Any]) -> None:
    answer = run.get("agent_answer") or metadata.get("answer")
    outcome = metadata.get("outcome")
    steps = objects_of(run.get("steps") or run.get("trajectory"))
    last = object_of(steps[-1].get("action")).get("function") if steps else None
    reason: e.FinishReason = "submitted" if last == "submit" else "imported"
    error = None
    if isinstance(outcome, str) and outcome in e.EXIT_CODES:
        reason = outcome
        words = metadata.get("error")
        error = text_of(words) if isinstance(words, str) else None
    rebuilder.finish(reason, error, answer=text_of(answer) if isinstance(answer, str) else None)


IMPORTER = Importer(
    name="trajectory.json of llm-in-sandbox",
    short=FORMAT,
    lacks="tokens and the files that commands wrote",
    recognises=recognises,
    read=read,
)
