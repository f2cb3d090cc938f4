"""Exports `trajectory.json` in llm-in-sandbox's format: one step per call.

A session that was imported from such a file is exported as that file, byte for byte. For other
sessions, data without a field in the format goes into the `metadata` objects, which readers of the
format ignore; a turn without a call becomes a step with an empty function.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, cast

from sandbox_tui.core.events.run_state import CallItem, ReplyItem
from sandbox_tui.sessions.interchange.exports.base import Exporter, Part, Recording
from sandbox_tui.sessions.interchange.exports.run_story import decision, story, user_actions

SUFFIX = ".trajectory.json"


def write(recording: Recording) -> Iterable[Part]:
    """Write the run as a mini-swe-agent trajectory."""
    original = recording.original("trajectory")
    if original is not None:
        return [Part(SUFFIX, original)]
    text = json.dumps(document(recording), ensure_ascii=False, indent=2)
    return [Part(SUFFIX, text.encode("utf-8", "replace"))]


def document(recording: Recording) -> dict[str, Any]:
    """Return the session as the object that the file contains."""
    steps = _steps(recording)
    summary = recording.summary
    return {
        "problem_statement": recording.started.task,
        "steps": steps,
        "metadata": {
            "total_steps": len(steps),
            "model": recording.started.model,
            "outcome": summary.outcome,
            "answer": summary.answer,
            **({"said_in_submit": summary.said} if summary.said else {}),
            "error": recording.state.finished.error if recording.state.finished else None,
            "started_at": summary.started_at,
            "input_tokens": summary.input_tokens,
            "output_tokens": summary.output_tokens,
            **({"tokens_estimated": True} if summary.tokens_estimated else {}),
            "cost": summary.cost,
            "people": user_actions(story(recording)),
        },
    }


def _steps(recording: Recording) -> list[dict[str, Any]]:
    steps: list[dict[str, Any]] = []
    turn: ReplyItem | None = None  # a reply whose text is not yet in any step
    for item in recording.state.items:
        if isinstance(item, ReplyItem) and item.replied is not None:
            if turn is not None:
                steps.append(_step(turn, None))
            turn = item
        elif isinstance(item, CallItem):
            steps.append(_step(turn, item))
            turn = None
    if turn is not None:
        steps.append(_step(turn, None))
    return steps


def _step(turn: ReplyItem | None, call: CallItem | None) -> dict[str, Any]:
    replied = turn.replied if turn else None
    number = call.call.step if call else turn.step if turn else 0
    metadata: dict[str, Any] = {"step": number, "exec_time": replied.latency if replied else 0.0}
    action: dict[str, Any] = {"function": "", "parameters": {}}
    observation = ""
    if call is not None:
        action = {"function": call.call.name, "parameters": parameters(call.arguments)}
        if call.finished is not None:
            observation = call.finished.observation
            metadata |= {
                "ok": call.finished.ok,
                "exit_code": call.finished.exit_code,
                "duration": call.finished.duration,
            }
        if words := decision(call):
            metadata["decision"] = words
    return {
        "thought": turn.text if turn else "",
        "reasoning_content": turn.reasoning if turn else "",
        "action": action,
        "observation": observation,
        "metadata": metadata,
    }


def parameters(arguments: str) -> dict[str, Any]:
    """Return a call's arguments as an object; malformed ones as text under `arguments`."""
    try:
        parsed: Any = json.loads(arguments or "{}")
    except (ValueError, RecursionError):
        parsed = None
    return cast(dict[str, Any], parsed) if isinstance(parsed, dict) else {"arguments": arguments}


EXPORTER = Exporter("trajectory", "trajectory.json of llm-in-sandbox", SUFFIX, write)
