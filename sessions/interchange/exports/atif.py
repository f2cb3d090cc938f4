"""Exports ATIF 1.4, the Agent Trajectory Interchange Format of Harbor.

Times are UTC in ISO 8601. Data without a field in the format goes into its `extra` objects.
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterable
from importlib import metadata
from typing import Any

from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.run_state import CallItem
from sandbox_tui.sessions.interchange.exports.base import Exporter, Part, Recording
from sandbox_tui.sessions.interchange.exports.run_story import story, user_actions
from sandbox_tui.sessions.interchange.exports.trajectory import parameters

VERSION = "ATIF-v1.4"
SUFFIX = ".atif.json"


LAST_SECOND = datetime.datetime.max.replace(tzinfo=datetime.UTC).timestamp() - 1
"""The last second that `datetime` can represent: the end of the year 9999."""


def write(recording: Recording) -> Iterable[Part]:
    """Write the run in the Agent Trajectory Interchange Format; an imported document as it was."""
    if (original := recording.original("atif")) is not None:
        return [Part(SUFFIX, original)]
    text = json.dumps(document(recording), ensure_ascii=False, indent=2)
    return [Part(SUFFIX, text.encode("utf-8", "replace"))]


def document(recording: Recording) -> dict[str, Any]:
    """Return the session as a trajectory object."""
    started, state = recording.started, recording.state
    steps = _opening(recording)
    for event in recording.events:
        match event:
            case e.ModelReplied():
                steps.append(_reply(recording, event))
            case e.CallProposed(call=call):
                turn = next(step for step in reversed(steps) if step["source"] == "agent")
                _call(turn, state.calls[call.number])
            case e.Delivered(text=text):  # what the user said and did, as the model read it
                steps.append({**_step(recording, event.t, "user"), "message": text})
            case _:
                pass
    for number, step in enumerate(steps, 1):
        step["step_id"] = number
    usage = state.totals.usage
    outcome = {"outcome": recording.summary.outcome, "error": recording.summary.error}
    return {
        "schema_version": VERSION,
        "session_id": recording.summary.id,
        "agent": {
            "name": "sandbox-tui",
            "version": metadata.version("sandbox-tui"),
            "model_name": started.model,
            "extra": {"sandbox": started.sandbox, "prompt_pack": started.prompt_pack},
        },
        "steps": steps,
        "final_metrics": {
            "total_prompt_tokens": usage.input_tokens,
            "total_completion_tokens": usage.output_tokens,
            "total_cached_tokens": usage.cached_tokens,
            **({} if state.totals.cost is None else {"total_cost_usd": state.totals.cost}),
            "total_steps": len(steps),
            **({"extra": _estimated(usage)} if usage.estimated else {}),
        },
        "extra": {
            "task": started.task,
            **outcome,
            "answer": recording.summary.answer,
            **({"said_in_submit": recording.summary.said} if recording.summary.said else {}),
            "people": user_actions(story(recording)),
        },
    }


def _opening(recording: Recording) -> list[dict[str, Any]]:
    started = recording.started
    opening: list[dict[str, Any]] = []
    if started.system_prompt:
        opening.append({**_step(recording, 0.0, "system"), "message": started.system_prompt})
    message = started.instance_prompt or started.task
    opening.append({**_step(recording, 0.0, "user"), "message": message})
    return opening


def _step(recording: Recording, t: float, source: str) -> dict[str, Any]:
    seconds = recording.summary.started_at + max(t, 0.0)  # imported latencies may have any value
    at = datetime.datetime.fromtimestamp(min(seconds, LAST_SECOND), tz=datetime.UTC)
    time = at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return {"step_id": 0, "timestamp": time, "source": source}


def _reply(recording: Recording, replied: e.ModelReplied) -> dict[str, Any]:
    step = _step(recording, replied.t - replied.latency, "agent") | {"message": replied.text}
    if replied.reasoning:
        step["reasoning_content"] = replied.reasoning
    usage = replied.usage
    step["metrics"] = {
        "prompt_tokens": usage.input_tokens,
        "completion_tokens": usage.output_tokens,
        "cached_tokens": usage.cached_tokens,
        **({} if replied.cost is None else {"cost_usd": replied.cost}),
        "extra": {
            "latency_seconds": replied.latency,
            "finish_reason": replied.finish_reason,
            **_estimated(usage),
        },
    }
    return step


def _estimated(usage: e.Usage) -> dict[str, bool]:
    """Marks tokens that were estimated; empty if the server counted them."""
    return {"tokens_estimated": True} if usage.estimated else {}


def _call(step: dict[str, Any], item: CallItem) -> None:
    """Add a call and its observation to the step of its reply."""
    calls: list[dict[str, Any]] = step.setdefault("tool_calls", [])
    id_ = item.call.id or f"call_{item.call.number}"
    if any(call["tool_call_id"] == id_ for call in calls):
        id_ = f"{id_}#{item.call.number}"  # some servers give all calls of a turn the same id
    calls.append(
        {
            "tool_call_id": id_,
            "function_name": item.call.name,
            "arguments": parameters(item.arguments),
        }
    )
    if item.finished is None:
        return
    results: list[dict[str, Any]] = step.setdefault("observation", {"results": []})["results"]
    results.append({"source_call_id": id_, "content": item.finished.observation})
    extra: dict[str, Any] = step.setdefault("extra", {"calls": {}})["calls"]
    extra[id_] = {
        "exit_code": item.finished.exit_code,
        "duration_seconds": item.finished.duration,
        "ok": item.finished.ok,
        "decided_by": item.decided.by if item.decided else None,
        "verdict": item.decided.verdict if item.decided else None,
    }


EXPORTER = Exporter(
    "atif", f"{VERSION.removeprefix('ATIF-')} of Harbor's trajectory format", SUFFIX, write
)
