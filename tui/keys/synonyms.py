"""Other words for actions, by which the palette and the help find them too."""

from __future__ import annotations

SYNONYMS: dict[str, str] = {
    "allowed": "rules permissions policy grant revoke",
    "answer": "respond reply result fake pretend",
    "approve": "accept allow yes",
    "approve_always": "accept allow yes rule trust permission",
    "cockpit.files": "tree folder browse directory preview copy upload download edit editor file",
    "cockpit.whole": "pager expand content unfold read",
    "cockpit.zoom": "fullscreen full-screen maximize enlarge layout split",
    "cockpit.terminal": "console scrollback output type input",
    "compare": "diff difference",
    "copy_id": "clipboard yank",
    "delete": "remove rm erase",
    "delete end": "stop run kill cancel abort",
    "demo": "example try",
    "edit": "change modify rewrite editor",
    "end": "stop kill cancel abort run",
    "evals": "benchmarks suite scores dataset samples",
    "evals.new": "start run evals benchmark suite",
    "event": "skip seek",
    "event_back": "rewind skip seek",
    "export": "share save report html markdown trajectory film svg bundle jsonl atif asciicast"
    " asciinema cast recording video gif",
    "failure": "errors skip jump",
    "failure_before": "errors skip jump",
    "faster": "speed rate fast quick",
    "file.edit": "change modify rewrite editor",
    "files.filter": "find search",
    "find": "search filter grep",
    "folder": "directory files output",
    "fork": "branch rerun retry continue step undo checkpoint restore back",
    "freeze": "suspend halt stop thaw unfreeze",
    "go_to_step": "goto jump seek skip",
    "help": "shortcuts bindings keybindings",
    "home.find": "search filter grep history",
    "home.open": "replay rewind play watch view history",
    "inject": "command exec shell run bash",
    "interrupt": "stop ctrl-c kill abort cancel",
    "interrupt_reply": "stop cancel abort regenerate retry again redo",
    "jump": "goto focus",
    "leave": "exit close quit back home list",
    "live.fork": "branch rerun retry continue step undo rewind checkpoint restore back",
    "live.leave": "exit close quit back detach background disconnect home list",
    "live.replay": "play watch rewind back history",
    "mark": "select choose",
    "message": "tell say prompt steer nudge hint instruct chat talk",
    "mode": "auto ask step approve approval policy manual",
    "model": "server llm",
    "new": "start task",
    "new_run.leave": "cancel close exit back",
    "note": "comment annotate bookmark",
    "open": "replay play watch view",
    "open watch": "attach reattach follow live stop end kill pause running",
    "open_folder": "directory files output path",
    "outside": "external editor viewer browser desktop",
    "pause": "wait resume unpause continue",
    "pause pause": "stop halt",
    "pull": "download save get export output",
    "push": "upload add import put",
    "queue": "pending queued messages withdraw cancel undo",
    "quit": "exit close leave",
    "reject": "deny no refuse decline",
    "reload": "refresh",
    "rename": "title name",
    "replay": "play watch",
    "replay.end": "goto jump seek last bottom",
    "replay.fork": "branch rerun retry continue step undo checkpoint restore",
    "replay.start": "rewind goto jump seek first beginning top",
    "report": "share export page results",
    "resume": "continue restart restore",
    "run_again": "rerun repeat retry restart redo new",
    "score_again": "rescore grade judge",
    "screenshot": "picture svg save",
    "second": "skip seek",
    "second_back": "rewind skip seek",
    "settings": "config configuration preferences options",
    "shell": "terminal bash console type keyboard take over",
    "skip": "ignore pass",
    "slower": "speed rate slow",
    "steer": "take over takeover drive",
    "step": "skip seek",
    "step_back": "rewind skip seek",
    "tags": "label",
    "terminals.copy": "clipboard yank selection",
    "terminals.search": "find grep scrollback",
    "terminals.type": "input keyboard take control attach answer prompt",
    "trainings": "rl learning rollouts rewards grpo",
    "waiting": "read pending approval",
    "wall.open": "replay rewind play watch view history fork undo",
    "wall": "grid tiles dashboard",
    "wall.leave": "exit close quit back detach background disconnect home list",
}
"""Words by what an action does, the second part of its name, or by its whole name; also by what it
does and the first word of what it is called now: to delete a run that goes on is to end it."""


def synonyms(name: str, words: str = "") -> str:
    """Return the other words for an action, in lower case, separated by blanks, its name first.

    Args:
        name: of the action.
        words: what it is called now.
    """
    purpose = name.partition(".")[2]
    found = [purpose.replace("_", " "), SYNONYMS.get(name, SYNONYMS.get(purpose, ""))]
    found.append(SYNONYMS.get(f"{purpose} {words.partition(' ')[0].lower()}", ""))
    return " ".join(filter(None, found))
