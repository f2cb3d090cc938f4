"""Other words for actions, by which the palette finds them too."""

from __future__ import annotations

SYNONYMS: dict[str, str] = {
    "approve": "accept allow yes",
    "compare": "diff difference",
    "copy_id": "clipboard yank",
    "delete": "remove rm erase",
    "demo": "example try",
    "end": "stop kill cancel abort",
    "evals": "benchmark suite scores",
    "export": "share save html markdown trajectory film svg bundle jsonl",
    "find": "search filter grep",
    "folder": "directory files output",
    "fork": "branch rerun retry continue step",
    "help": "shortcuts bindings",
    "inject": "command exec shell",
    "interrupt": "stop ctrl-c",
    "jump": "focus",
    "leave": "exit close quit back",
    "mark": "select choose",
    "message": "tell say prompt steer",
    "model": "server llm",
    "new": "start task",
    "note": "comment annotate",
    "open": "replay play watch view",
    "open_folder": "directory files output",
    "pause": "stop wait resume",
    "quit": "exit close leave",
    "reject": "deny no refuse",
    "reload": "refresh",
    "rename": "title name",
    "replay": "play watch",
    "resume": "continue restart",
    "screenshot": "picture svg image",
    "settings": "config configuration preferences options",
    "tags": "label",
    "trainings": "rl learning rollouts",
    "wall": "grid tiles dashboard",
}
"""Words by what an action does, the second part of its name."""


def synonyms(name: str) -> str:
    """Return the other words for an action, in lower case, separated by blanks, its name first."""
    purpose = name.partition(".")[2]
    return f"{purpose.replace('_', ' ')} {SYNONYMS.get(purpose, '')}".rstrip()
