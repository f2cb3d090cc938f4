"""ATIF, the Agent Trajectory Interchange Format of Harbor, in version 1.4.

Times are UTC in ISO 8601. What the format has no field for stands in its `extra` objects.
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterable
from importlib import metadata
from typing import Any

from ...core.state import CallItem, HumanItem, ReplyItem
from .base import Exporter, Part, Recording
from .trajectory import parameters

VERSION = "ATIF-v1.4"


def write(recording: Recording) -> Iterable[Part]:
    """See `Exporter`."""
    text = json.dumps(document(recording), ensure_ascii=False, indent=2)
    return [Part(".atif.json", text.encode("utf-8", "replace"))]


def document(recording: Recording) -> dict[str, Any]:
    """The session as a trajectory object."""
    started, state = recording.started, recording.state
    steps = _opening(recording)
    for item in state.items:
        if isinstance(item, ReplyItem) and item.replied is not None:
            steps.append(_reply(recording, item))
        elif isinstance(item, CallItem):
            _call(steps[-1], item)
        elif isinstance(item, HumanItem) and item.command is None and not item.withdrawn:
            steps.append({**_step(recording, item.at, "user"), "message": item.text})
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
        },
        "extra": {**outcome, "answer": recording.summary.answer},
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
    at = datetime.datetime.fromtimestamp(recording.summary.started_at + t, tz=datetime.UTC)
    time = at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return {"step_id": 0, "timestamp": time, "source": source}


def _reply(recording: Recording, item: ReplyItem) -> dict[str, Any]:
    replied = item.replied
    assert replied is not None
    step = _step(recording, item.asked_at, "agent") | {"message": item.text}
    if item.reasoning:
        step["reasoning_content"] = item.reasoning
    usage = replied.usage
    step["metrics"] = {
        "prompt_tokens": usage.input_tokens,
        "completion_tokens": usage.output_tokens,
        "cached_tokens": usage.cached_tokens,
        **({} if replied.cost is None else {"cost_usd": replied.cost}),
        "extra": {"latency_seconds": replied.latency, "finish_reason": replied.finish_reason},
    }
    return step


def _call(step: dict[str, Any], item: CallItem) -> None:
    """Put a call, and its answer, into the step of its reply."""
    calls: list[dict[str, Any]] = step.setdefault("tool_calls", [])
    id_ = item.call.id or f"call_{item.call.number}"
    if any(call["tool_call_id"] == id_ for call in calls):
        id_ = f"{id_}#{item.call.number}"  # some servers give all calls of a turn one id
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
    }


EXPORTER = Exporter("atif", f"{VERSION.removeprefix('ATIF-')} of Harbor's trajectory format", write)
