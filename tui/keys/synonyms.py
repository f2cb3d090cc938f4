"""Other words for actions, by which the palette and the help find them too."""

from __future__ import annotations

SYNONYMS: dict[str, str] = {
    "approve": "accept allow yes",
    "compare": "diff difference",
    "copy_id": "clipboard yank",
    "delete": "remove rm erase",
    "demo": "example try",
    "end": "stop kill cancel abort",
    "evals": "benchmark suite scores",
    "event": "skip seek",
    "event_back": "skip seek",
    "export": "share save report html markdown trajectory film svg bundle jsonl",
    "failure": "error skip jump",
    "failure_before": "error skip jump",
    "faster": "speed rate",
    "find": "search filter grep",
    "folder": "directory files output",
    "fork": "branch rerun retry continue step",
    "go_to_step": "goto jump seek skip",
    "help": "shortcuts bindings",
    "inject": "command exec shell",
    "interrupt": "stop ctrl-c kill abort cancel",
    "jump": "goto focus",
    "leave": "exit close quit back",
    "mark": "select choose",
    "message": "tell say prompt steer",
    "model": "server llm",
    "new": "start task",
    "note": "comment annotate",
    "open": "replay play watch view",
    "open_folder": "directory files output",
    "pause": "stop wait resume",
    "quit": "exit close leave kill",
    "reject": "deny no refuse",
    "reload": "refresh",
    "rename": "title name",
    "replay": "play watch",
    "report": "share export page results compare",
    "replay.end": "goto jump seek last",
    "replay.start": "goto jump seek first beginning",
    "resume": "continue restart",
    "screenshot": "picture svg image save",
    "second": "skip seek",
    "second_back": "skip seek",
    "settings": "config configuration preferences options",
    "slower": "speed rate",
    "step": "skip seek",
    "step_back": "skip seek",
    "tags": "label",
    "trainings": "rl learning rollouts",
    "wall": "grid tiles dashboard",
}
"""Words by what an action does, the second part of its name, or by its whole name."""


def synonyms(name: str) -> str:
    """Return the other words for an action, in lower case, separated by blanks, its name first."""
    purpose = name.partition(".")[2]
    return f"{purpose.replace('_', ' ')} {SYNONYMS.get(name, SYNONYMS.get(purpose, ''))}".rstrip()
