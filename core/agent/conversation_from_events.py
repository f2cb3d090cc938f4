"""Rebuilds the exact conversation with the model from the events of a run."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sandbox_tui.core.agent.model_messages import (
    UNRECORDED_CUT,
    UNRECORDED_NO_CALL,
    with_steps_remaining,
)
from sandbox_tui.core.events import types as e

Message = dict[str, Any]


def conversation(events: Iterable[e.AnyEvent]) -> list[Message]:
    """Return the messages up to the last event, in the OpenAI chat format.

    These are the messages the model was sent, followed by those its next request would add.
    `ModelAsked.digest` identifies each request.
    """
    messages: list[Message] = []
    calls: dict[int, e.ToolCall] = {}
    max_steps = 0
    turn_policy = e.TurnPolicy()
    asked = 0
    unanswered: tuple[int, Message] | None = None
    for event in events:
        match event:
            case e.RunStarted():
                turn_policy = event.settings.turn_policy if event.settings else turn_policy
                shows_steps = event.system_prompt and turn_policy.steps_remaining
                max_steps = event.limits.max_steps if shows_steps else 0
                messages += _opening(event)
            case e.ModelAsked(step=step, steps_left=left) if max_steps and step != asked:
                left = max_steps - step + 1 if left is None else left
                asked = step
                unanswered = len(messages) - 1, messages[-1]
                last = messages[-1]
                if isinstance(last.get("content"), str):
                    words = with_steps_remaining(last["content"], left)
                    messages[-1] = {**last, "content": words}
            case e.Delivered(text=text):
                messages.append({"role": "user", "content": text})
            case e.ModelReplied():
                unanswered = None
                messages.append(event.message)
                answers = turn_policy.no_call == "final_answer"
                if (event.unreadable or not answers) and not event.message.get("tool_calls"):
                    was_cut = event.finish_reason == "length"
                    unrecorded = UNRECORDED_CUT if was_cut else UNRECORDED_NO_CALL
                    messages.append({"role": "user", "content": event.reminder or unrecorded})
            case e.CallProposed(call=call):
                calls[call.number] = call
            case e.CallFinished(call=number, observation=text):
                answer = {"role": "tool", "tool_call_id": calls[number].id, "content": text}
                messages.append(answer)
            case e.RunResumed() if unanswered is not None:
                # the unanswered request is sent again, with its own number of steps left
                place, message = unanswered
                messages[place], unanswered, asked = message, None, asked - 1
            case _:
                pass
    return messages


def _opening(started: e.RunStarted) -> list[Message]:
    opening = [{"role": "user", "content": started.instance_prompt or started.task}]
    if started.system_prompt:
        opening.insert(0, {"role": "system", "content": started.system_prompt})
    return opening
