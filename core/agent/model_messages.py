"""Every text the model reads, except the prompts and the output of its tools.

These texts affect how a model behaves, and so what a benchmark measures. `MESSAGES_VERSION` is
recorded with each run; raise it whenever a text changes.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, cast

from sandbox_tui.core.events.types import HumanFile
from sandbox_tui.core.models.tool_formats.read_result import TextCall

MESSAGES_VERSION = 8

# --- the turn

SUBMIT = "submit"
_BASH = "execute_bash"
DEFAULT_TOOL_NAMES = [_BASH, "str_replace_editor", SUBMIT]


def no_call(tools: Iterable[str]) -> str:
    """Return the reminder after a reply that calls no tool."""
    return (
        "Your last message called no tool, so nothing happened. "
        f"Call a tool in every message: {_next_actions(tools)}."
    )


def cut_off(tools: Iterable[str]) -> str:
    """Return the reminder after a reply that reached the token limit before it called a tool."""
    return (
        "Your last message was cut off by the token limit of one reply before it called a tool, so "
        f"nothing happened. Write less, and call a tool in every message: {_next_actions(tools)}."
    )


def _next_actions(tools: Iterable[str]) -> str:
    names = sorted(tools) or DEFAULT_TOOL_NAMES
    working = " or ".join(name for name in names if name != SUBMIT)
    submitting = f"{SUBMIT} when the answer is written" if SUBMIT in names else ""
    return ", ".join(
        way for way in (working and f"{working} to continue working", submitting) if way
    )


UNRECORDED_NO_CALL = (
    "Your last message called no tool, so nothing happened. Call a tool in every message: "
    "execute_bash or str_replace_editor to go on, submit when the answer is written."
)
UNRECORDED_CUT = (
    "Your last message was cut off by the token limit of one reply. Go on in smaller parts."
)
"""Texts of versions that did not record their reminders. Never change them: the conversations of
those runs are rebuilt with them.
"""


def repeated_call(tool: str, times: int) -> str:
    """Return the message to a model that repeats a call."""
    return (
        f"You have called {tool} {times} times in a row with the same arguments and got the same "
        "result each time. Repeating it will not change anything: try a different approach, or "
        "submit if the work is done."
    )


def json_instructions(tools: Sequence[Mapping[str, Any]]) -> str:
    """Return the instructions for tool calls if every reply is one JSON object by schema."""

    def written(name: str, arguments: dict[str, Any]) -> str:
        # small models omit the thought if it is only dots
        thought = "I compute it and write the result down." if name == _BASH else "..."
        return _by_schema(thought, name, arguments)

    return (
        f"{_tool_list(tools)}\n\n"
        "HOW TO CALL A TOOL\n"
        "Every message of yours is one JSON object and nothing else: a short thought about what to "
        "do next, the name of one tool, and its arguments. The next message holds the tool's "
        f"result.\n\n{_example(tools, written)}"
    )


def json_reminder(tools: Sequence[Mapping[str, Any]]) -> str:
    """Return the reminder after the task if every reply is one JSON object by schema.

    Small models follow what they read last. Without this reminder they call the tool with the
    longest description, or a random one.
    """
    shown = next((tool for tool in tools if tool["function"]["name"] == _BASH), tools[0])
    arguments = {name: "..." for name in _required(shown) if name in _properties(shown)}
    call = _by_schema("...", str(shown["function"]["name"]), arguments)
    return f"Answer with one JSON object: {call}"


def _by_schema(thought: str, name: str, arguments: dict[str, Any]) -> str:
    """Return a call in the form of a reply by schema."""
    call = {"thought": thought, "name": name, "arguments": arguments}
    return json.dumps(call, ensure_ascii=False)


def text_instructions(
    tools: Sequence[Mapping[str, Any]], write_calls: Callable[[Sequence[TextCall]], str]
) -> str:
    """Return the instructions for tool calls written as text, in the format of `write_calls`."""

    def written(name: str, arguments: dict[str, Any]) -> str:
        return write_calls([TextCall(tool=name, arguments=arguments)])

    return (
        f"{_tool_list(tools)}\n\n"
        "HOW TO CALL A TOOL\n"
        "Say in a sentence what you do next, then write exactly one call in this form and nothing "
        f"after it. The next message holds the tool's result.\n\n{_example(tools, written)}"
    )


def simplest_first(tools: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Sort the tools by number of arguments, submit last: small models prefer the first one."""
    return sorted(
        tools,
        key=lambda tool: (tool["function"]["name"] == SUBMIT, len(_properties(tool))),
    )


def _tool_list(tools: Sequence[Mapping[str, Any]]) -> str:
    """Return the tools as function signatures; optional arguments have a question mark."""
    lines = ["TOOLS"]
    for tool in simplest_first(tools):
        function = tool["function"]
        arguments = [
            f"{name}{'' if name in _required(tool) else '?'}: {_type(schema)}"
            for name, schema in _properties(tool).items()
        ]
        lines.append(f"- {function['name']}({', '.join(arguments)})")
        lines.append(f"  {function.get('description') or ''}".rstrip())
        lines += [
            f"  {name}: {schema['description']}"
            for name, schema in _properties(tool).items()
            if schema.get("description")
        ]
    return "\n".join(lines)


def _required(tool: Mapping[str, Any]) -> Sequence[str]:
    parameters: Mapping[str, Any] = tool["function"].get("parameters") or {}
    return parameters.get("required") or ()


def _properties(tool: Mapping[str, Any]) -> Mapping[str, Mapping[str, Any]]:
    parameters: Mapping[str, Any] = tool["function"].get("parameters") or {}
    properties: Mapping[str, Any] = parameters.get("properties") or {}
    return {
        name: cast(Mapping[str, Any], schema)
        for name, schema in properties.items()
        if isinstance(schema, Mapping)
    }


def _type(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return " | ".join(json.dumps(value) for value in schema["enum"])
    if schema.get("type") == "array":
        return f"[{_type(schema.get('items') or {})}, ...]"
    return str(schema.get("type") or "any")


def _example(
    tools: Sequence[Mapping[str, Any]], written: Callable[[str, dict[str, Any]], str]
) -> str:
    """Return one example call of an available tool, and a sentence about submit.

    Small models copy the example: a second one along with the first, and nested quotes incorrectly.
    So it is a single command, with one kind of quotes, that does what most tasks need.
    """
    names = [str(tool["function"]["name"]) for tool in tools]
    call = (
        written(_BASH, {"command": "python3 -c 'print(17 * 23)' > output/answer.txt"})
        if _BASH in names
        else written(names[0], {})
    )
    example = f"Example:\n{call}"
    if SUBMIT in names and len(names) > 1:
        example += f"\n\nWhen the answer is written, call {SUBMIT} in the same way."
    return example


def with_steps_remaining(content: str, steps: int) -> str:
    """Return the last message of a request plus the remaining steps (as in the reference agent)."""
    return f"{content}\nSteps Remaining: {steps}"


# --- calls that do not run, or not as written

DENIED = "Not run: a rule of the person who started this run does not allow it."
SKIPPED = "A person skipped this call; it was not run."
REJECTED = "A person rejected this call; it was not run."
EDITED = "[A person edited this call before it ran. It ran with:"
AFTER_SUBMIT = "Not run: the work was handed in before this call."
CUT_CALL = "Error: this call was cut off by the token limit of one reply and was not run."


def unknown_tool(name: str, tools: Iterable[str]) -> str:
    """Return the answer to a call of a tool that does not exist in this run."""
    known = ", ".join(tools)
    return f"Error: there is no tool named {name[:80]!r}. The tools are: {known}."


def denied(reason: str) -> str:
    """Return the answer to a call that a policy denies."""
    return f"{DENIED} {reason}".rstrip()


def rejected(feedback: str) -> str:
    """Return the answer to a call that the user rejects."""
    return f"{REJECTED} They say: {feedback}" if feedback else REJECTED


def edited(arguments: str, observation: str) -> str:
    """Return the observation of a call that ran with arguments edited by the user."""
    return f"{EDITED} {arguments}]\n{observation}"


# --- a run that ended or was resumed in the middle of a call

ENDED = "The run was ended while this call was running."
BROKEN = "The run ended while this call was running:"
LOST = (
    "Interrupted: the program that runs this sandbox stopped while this call was running, and has "
    "been restarted. The call's output is lost. It may have done all, part or none of its work: "
    "check before you continue. Its changes to files so far are kept; the shell's directory and "
    "variables are those from before this call, unless it had finished."
)
LOST_PROCESSES = (
    "The program that runs this sandbox stopped and has been restarted. All processes in the "
    "sandbox ended with it, including services, and what they had not finished was not done. These "
    "commands had left something running in the background:"
)
_LOST_PROCESSES_BEFORE_6 = (
    "The program that runs this sandbox was ended and has been started again. All processes in the "
    "sandbox ended with it, services among them, and what they had not done yet was not done. "
    "These commands had left something running in the background:"
)


def lost_processes(commands: Iterable[str]) -> str:
    """Return the message that lists background commands that ended with the previous program."""
    return "\n".join([LOST_PROCESSES, *(f"- {command}" for command in commands)])


def reports_lost_processes(text: str) -> bool:
    """Return whether a message reports lost processes, in the wording of this or an earlier
    version."""
    return LOST_PROCESSES in text or _LOST_PROCESSES_BEFORE_6 in text


# --- the user's messages, commands and files

LOST_COMMAND = "The program was ended while this command was running; its output is lost."
ENDED_COMMAND = "The run was ended while this command was running."
FAILED_COMMAND = "The command could not be run: {}"
NOT_RUN_IN_FORK = "It was running when this run was forked, and is not run here."


def human_message(text: str) -> str:
    """Return a message from the user."""
    return f"A person who watches this run writes to you:\n{text}"


def human_command(command: str, observation: str) -> str:
    """Return a command that the user ran, and its output."""
    words = "A person who watches this run ran a command in your sandbox, in your shell:"
    return f"{words}\n$ {command}\n{observation}"


def human_file(event: HumanFile) -> str:
    """Return a transfer or edit of a file by the user."""
    match event.action:
        case "pull":
            return f"A person copied {event.path} out of your sandbox."
        case "push":
            return f"A person put {event.path} into your sandbox."
        case "edit":
            return f"A person edited {event.path} in your sandbox:\n{event.diff}"
