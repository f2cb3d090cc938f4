"""Imports ATIF, the Agent Trajectory Interchange Format of Harbor, versions 1.0 to 1.6.

Steps of the agent become steps here; messages of the user between them become messages. What our
own export puts into `extra`, such as exit codes and the outcome, is read, too.
"""

from __future__ import annotations

import contextlib
import datetime
from collections.abc import Sequence
from typing import Any

from sandbox_tui.core.base.json_arguments import (
    ArgumentsError,
    parse_arguments,
    text_argument,
)
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
from sandbox_tui.sessions.interchange.imports.trajectory import exit_code_and_output

FORMAT = "atif"


def recognises(opened: Opened) -> bool:
    """Return whether a file has this format."""
    document = opened.document
    if document is None or document.lines is not None:
        return False
    fields = object_of(document.value)
    version = fields.get("schema_version")
    is_atif = isinstance(version, str) and version.startswith("ATIF-v1")
    return is_atif and isinstance(fields.get("steps"), list)


def read(opened: Opened) -> Sequence[Imported]:
    """Return the session in a file.

    Raises:
        ImportRefused: the file cannot be used; the message says why.
    """
    source = opened.source
    fields = object_of(opened.document.value if opened.document else None)
    agent, steps = object_of(fields.get("agent")), objects_of(fields.get("steps"))
    first = next((at for at, step in enumerate(steps) if _is_agent(step)), len(steps))
    opening = {step.get("source"): text_of(step.get("message")) for step in reversed(steps[:first])}
    began = next((at for at in map(_time, steps) if at), source.modified)
    name = text_of(agent.get("name")) or "an agent"
    extra = object_of(fields.get("extra"))
    rebuilder = Rebuilder(
        task=text_of(extra.get("task")) or opening.get("user") or f"A run of {name}",
        source="ATIF",
        started_at=began,
        model=text_of(agent.get("model_name")),
        system_prompt=opening.get("system", ""),
        instance_prompt=opening.get("user", ""),
        info={"agent": f"{name} {text_of(agent.get('version'))}".strip()},
    )
    for step in steps[first:]:
        _add(rebuilder, step, began)
    _finish(rebuilder, extra)
    return [rebuilder.imported(FORMAT, source.name, source.data)]


def _is_agent(step: dict[str, Any]) -> bool:
    return step.get("source") == "agent"


def _time(step: dict[str, Any]) -> float:
    """Return the time of a step in seconds since the epoch; 0 without a valid one."""
    written = step.get("timestamp")
    if not isinstance(written, str):
        return 0.0
    try:
        read = datetime.datetime.fromisoformat(written)
        return number_of(read.replace(tzinfo=read.tzinfo or datetime.UTC).timestamp(), most=4e9)
    except (ValueError, OverflowError):
        return 0.0


def _add(rebuilder: Rebuilder, step: dict[str, Any], began: float) -> None:
    if at := _time(step):
        rebuilder.wait(max(0.0, at - began - rebuilder.t))
    if _is_agent(step):
        _turn(rebuilder, step)
    elif words := text_of(step.get("message")):
        rebuilder.message(words)


def _turn(rebuilder: Rebuilder, step: dict[str, Any]) -> None:
    metrics = object_of(step.get("metrics"))
    extra = object_of(metrics.get("extra"))
    cost, reason = metrics.get("cost_usd"), extra.get("finish_reason")
    written = objects_of(step.get("tool_calls"))
    calls = rebuilder.reply(
        text_of(step.get("message")),
        reasoning=text_of(step.get("reasoning_content")),
        calls=[
            (
                text_of(call.get("tool_call_id")),
                text_of(call.get("function_name")),
                arguments_of(call.get("arguments") or {}),
            )
            for call in written
        ],
        latency=number_of(extra.get("latency_seconds")),
        usage=_usage(metrics, extra),
        cost=number_of(cost) if isinstance(cost, int | float) else None,
        finish_reason=text_of(reason) or None,
    )
    answers = objects_of(object_of(step.get("observation")).get("results"))
    details = object_of(object_of(step.get("extra")).get("calls"))
    for call in calls:
        answer = _take_answer(answers, call.id)
        _call(rebuilder, call, answer, object_of(details.get(call.id)))
    for answer in answers:  # what the agent was told apart from its calls
        if words := text_of(answer.get("content")):
            rebuilder.message(words)


def _call(
    rebuilder: Rebuilder,
    call: e.ToolCall,
    answer: dict[str, Any] | None,
    details: dict[str, Any],
) -> None:
    """Add a call; without an answer, it never ran."""
    if answer is None:
        rebuilder.post(e.CallProposed(call=call))
        return
    observation = text_of(answer.get("content"))
    code, output = exit_code_and_output(observation)
    recorded, ok = details.get("exit_code"), details.get("ok")
    if isinstance(recorded, int) and not isinstance(recorded, bool) and abs(recorded) <= 99_999:
        code = recorded
    rebuilder.call(
        call,
        observation,
        output=output,
        ok=ok if isinstance(ok, bool) else code in (None, 0),
        exit_code=code,
        duration=number_of(details.get("duration_seconds")),
        command=_command(call),
    )


def _command(call: e.ToolCall) -> str | None:
    """Return the command of a shell call, to be shown in the terminal."""
    if call.name not in ("execute_bash", "bash"):
        return None
    with contextlib.suppress(ArgumentsError):
        return text_argument(parse_arguments(call.arguments), "command")
    return None


def _take_answer(answers: list[dict[str, Any]], id_: str) -> dict[str, Any] | None:
    """Remove and return the result of a call: the one that names it, or the first that names no
    call."""
    mine = [at for at, answer in enumerate(answers) if id_ and answer.get("source_call_id") == id_]
    unnamed = [at for at, answer in enumerate(answers) if not answer.get("source_call_id")]
    at = next(iter(mine + unnamed), None)
    return None if at is None else answers.pop(at)


def _usage(metrics: dict[str, Any], extra: dict[str, Any]) -> e.Usage:
    return e.Usage(
        input_tokens=int(number_of(metrics.get("prompt_tokens"))),
        output_tokens=int(number_of(metrics.get("completion_tokens"))),
        cached_tokens=int(number_of(metrics.get("cached_tokens"))),
        estimated=extra.get("tokens_estimated") is True,
    )


def _finish(rebuilder: Rebuilder, extra: dict[str, Any]) -> None:
    outcome, error, answer = (extra.get(name) for name in ("outcome", "error", "answer"))
    reason: e.FinishReason = "imported"
    if isinstance(outcome, str) and outcome in e.EXIT_CODES:
        reason = outcome
    failed = reason not in ("submitted", "imported")
    rebuilder.finish(
        reason, text_of(error) or None if failed else None, answer=text_of(answer) or None
    )


IMPORTER = Importer(
    name="ATIF of Harbor",
    short=FORMAT,
    lacks="the files that commands wrote",
    recognises=recognises,
    read=read,
)
