"""Imports SWE-agent's `.traj`: a list of actions with observations, and the chat in `history`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sandbox_tui.core.events import types as e
from sandbox_tui.sessions.interchange.imports.base import (
    Imported,
    Importer,
    Opened,
    number_of,
    object_of,
    objects_of,
    parse,
    text_of,
)
from sandbox_tui.sessions.interchange.imports.rebuild_events import Rebuilder, arguments_of

FORMAT = "swe-agent"

_REASONS: dict[str, e.FinishReason] = {
    "submitted": "submitted",
    "exit_cost": "cost_limit",
    "exit_context": "token_limit",
    "exit_total_execution_time": "time_limit",
    "exit_command_timeout": "time_limit",
    "exit_environment_error": "sandbox_error",
    "exit_api": "model_error",
    "exit_format": "model_error",
}


def recognises(opened: Opened) -> bool:
    """Return whether a file has this format."""
    document = opened.document
    if document is None or document.lines is not None:
        return False
    fields = object_of(document.value)
    steps = fields.get("trajectory")
    if not isinstance(steps, list) or not ("history" in fields or "info" in fields):
        return False
    return all("action" in step and "observation" in step for step in objects_of(steps))


def read(opened: Opened) -> Sequence[Imported]:
    """Return the sessions in a file.

    Raises:
        ImportRefused: the file cannot be used; the message says why.
    """
    source = opened.source
    fields = object_of(opened.document.value if opened.document else None)
    config = _config(fields)
    history = objects_of(fields.get("history"))
    agent = object_of(config.get("agent"))
    rebuilder = Rebuilder(
        task=_task(config, history),
        source="SWE-agent",
        started_at=source.modified,
        model=text_of(object_of(agent.get("model")).get("name")),
        system_prompt=_first(history, "system"),
        instance_prompt=_first(history, "user"),
        info={"environment": text_of(fields.get("environment"))},
    )
    for step in objects_of(fields.get("trajectory")):
        _add(rebuilder, step)
    _finish(rebuilder, object_of(fields.get("info")))
    return [rebuilder.imported(FORMAT, source.name, source.data)]


def _config(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the replay config: an object, or an object encoded as JSON text."""
    config = fields.get("replay_config")
    if isinstance(config, str):
        try:
            config = parse(config)
        except ValueError:
            config = None
    return object_of(config)


def _task(config: dict[str, Any], history: list[dict[str, Any]]) -> str:
    problem = object_of(config.get("problem_statement"))
    for name in ("text", "problem_statement", "github_url", "path", "id"):
        if isinstance(problem.get(name), str) and problem[name].strip():
            return text_of(problem[name])
    return _first(history, "user") or "A run of SWE-agent"


def _first(history: list[dict[str, Any]], role: str) -> str:
    """Return the first message of a role, ignoring demonstrations."""
    for message in history:
        if message.get("role") == role and not message.get("is_demo"):
            return text_of(message.get("content"))
    return ""


def _add(rebuilder: Rebuilder, step: dict[str, Any]) -> None:
    action = text_of(step.get("action")).strip()
    thought = text_of(step.get("thought")) or text_of(step.get("response"))
    name = "submit" if action.split("\n", 1)[0].strip() == "submit" else "execute_bash"
    arguments = "{}" if name == "submit" else arguments_of({"command": action})
    calls = [(f"call_{rebuilder.step + 1}", name, arguments)] if action else []
    for call in rebuilder.reply(thought, calls=calls):
        observation = text_of(step.get("observation"))
        rebuilder.call(
            call,
            observation,
            output=observation,
            duration=number_of(step.get("execution_time")),
            command=action,
        )


def _finish(rebuilder: Rebuilder, info: dict[str, Any]) -> None:
    status = text_of(info.get("exit_status"))
    reason = _REASONS.get(status.split(" ", 1)[0], "internal_error") if status else "imported"
    answer = info.get("submission")
    failed = reason not in ("submitted", "imported")
    rebuilder.finish(
        reason,
        f"SWE-agent exited with status {status}." if failed else None,
        answer=text_of(answer) if isinstance(answer, str) else None,
    )


IMPORTER = Importer(
    name="SWE-agent's .traj",
    short=FORMAT,
    lacks="tokens and the files that commands wrote",
    recognises=recognises,
    read=read,
)
