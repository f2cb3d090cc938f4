"""The conversation with the model, rebuilt from the events of a run as `core.agent` held it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from . import events as e
from .agent import CUT, NO_CALL

Message = dict[str, Any]


def conversation(events: Iterable[e.AnyEvent]) -> list[Message]:
    """The messages, in the OpenAI chat format, up to the last event.

    They are those the model was sent, and end with what it would be sent next; `ModelAsked.digest`
    tells of each request.
    """
    messages: list[Message] = []
    calls: dict[int, e.ToolCall] = {}
    max_steps = 0
    asked = 0
    unanswered: tuple[int, Message] | None = None
    for event in events:
        match event:
            case e.RunStarted():
                max_steps = event.limits.max_steps if event.system_prompt else 0
                messages += _opening(event)
            case e.ModelAsked(step=step) if max_steps and step != asked:
                asked = step
                unanswered = len(messages) - 1, messages[-1]
                last = messages[-1]
                if isinstance(last.get("content"), str):
                    words = f"{last['content']}\nSteps Remaining: {max_steps - step + 1}"
                    messages[-1] = {**last, "content": words}
            case e.Delivered(text=text):
                messages.append({"role": "user", "content": text})
            case e.ModelReplied():
                unanswered = None
                messages.append(event.message)
                if not event.message.get("tool_calls"):
                    cut = event.finish_reason == "length"
                    messages.append({"role": "user", "content": CUT if cut else NO_CALL})
            case e.CallProposed(call=call):
                calls[call.number] = call
            case e.CallFinished(call=number, observation=text):
                answer = {"role": "tool", "tool_call_id": calls[number].id, "content": text}
                messages.append(answer)
            case e.RunResumed() if unanswered is not None:
                # the request that was never answered is made anew, its remark on what remains too
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
