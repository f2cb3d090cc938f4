"""Every action with a key: its name, default keys and description. No other file names a key.

An action's name is the `id` of its Textual `Binding`: the place, a dot, and what it does, such as
`live.approve`. Names must not change, since users' keymaps refer to them. The table is plain data,
so that `sandbox-tui keys` and every widget can read it without importing a screen.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class KeyAction:
    """An action bound to a key.

    Attributes:
        name: place and purpose: `live.approve`.
        keys: the default keys, in Textual's names.
        words: shown to the user.
        shown: text to show instead of the keys; empty to show each key by its own name.
        about: a longer description, for lists with room for it.
    """

    name: str
    keys: tuple[str, ...]
    words: str
    shown: str = ""
    about: str = ""

    @property
    def title(self) -> str:
        """Its description in a list of actions."""
        words = self.about or self.words
        return words[:1].upper() + words[1:]

    @property
    def place(self) -> str:
        """The place in which it works."""
        return self.name.partition(".")[0]


ACTIONS: dict[str, KeyAction] = {
    action.name: action
    for action in [
        KeyAction(
            "allow_always.allow",
            ("enter", "ctrl+s", "f2"),
            "allow",
            about="Allow all calls like this",
        ),
        KeyAction("allow_always.broader", ("down",), "broader", about="Propose a broader pattern"),
        KeyAction(
            "allow_always.group", ("ctrl+g",), "group", about="Allow it in all runs of the group"
        ),
        KeyAction("allow_always.leave", ("escape",), "cancel", about="Cancel, allow nothing"),
        KeyAction("allow_always.narrower", ("up",), "narrower", about="Propose a narrower pattern"),
        KeyAction("allowed.leave", ("escape", "q"), "close", about="Close the list"),
        KeyAction(
            "allowed.remove",
            ("d", "delete", "backspace"),
            "no longer allow",
            shown="d",
            about="No longer allow calls like this",
        ),
        KeyAction(
            "app.help", ("question_mark", "f1"), "help", shown="?", about="Keys of this screen"
        ),
        KeyAction("app.jump", ("ctrl+o",), "Jump to a place by its letter"),
        KeyAction(
            "app.palette",
            ("ctrl+p",),
            "palette",
            about="Find anything by name",
        ),
        KeyAction("app.quit", ("ctrl+q",), "quit", about="Quit the program"),
        KeyAction("ask_line.leave", ("escape",), "cancel"),
        KeyAction("calls.filter", ("f",), "filter", about="Show only some kinds of calls"),
        KeyAction("calls.find", ("slash",), "find", about="Find in the calls"),
        KeyAction("calls.next", ("n",), "next match", about="Next match"),
        KeyAction("calls.previous", ("N",), "Previous match"),
        KeyAction("choice.next", ("right", "space", "enter"), "Next value"),
        KeyAction("choice.previous", ("left",), "Previous value"),
        KeyAction("choose_model.leave", ("escape", "q"), "cancel"),
        KeyAction("choose_model.look", ("r", "f5"), "refresh", about="Search for models again"),
        KeyAction("choose_version.leave", ("escape", "q"), "cancel"),
        KeyAction("cockpit.calls", ("1",), "Calls"),
        KeyAction("cockpit.files", ("3",), "Files"),
        KeyAction("cockpit.next_pane", ("tab",), "Next pane"),
        KeyAction("cockpit.next_terminal", ("backslash",), "Next terminal"),
        KeyAction("cockpit.note", ("w",), "Write a note on this step"),
        KeyAction("cockpit.previous_pane", ("shift+tab",), "Previous pane"),
        KeyAction("cockpit.terminal", ("2",), "Terminal"),
        KeyAction("cockpit.whole", ("o",), "open all", about="Open the full text"),
        KeyAction("cockpit.zoom", ("z",), "zoom", about="Zoom the pane, or back"),
        KeyAction("compare.find", ("slash",), "find", about="Find in the calls and files"),
        KeyAction("compare.hide", ("h",), "hide equal", about="Hide what is equal, or show it"),
        KeyAction("compare.leave", ("q", "escape"), "back"),
        KeyAction("compare.next", ("n",), "next", about="Next difference"),
        KeyAction("compare.open", ("enter",), "open", about="Open what is under the cursor"),
        KeyAction("compare.parting", ("p",), "parting", about="Go to where the sessions part"),
        KeyAction("compare.previous", ("N",), "Previous difference"),
        KeyAction(
            "compare.replay_left", ("l",), "play left", about="Replay the left side from here"
        ),
        KeyAction(
            "compare.replay_right", ("r",), "play right", about="Replay the right side from here"
        ),
        KeyAction("compare.swap", ("s",), "swap", about="Swap the sides"),
        KeyAction("compare.whole", ("o",), "whole", about="Open both sides whole"),
        KeyAction("confirm.no", ("n", "escape", "enter"), "no"),
        KeyAction("confirm.yes", ("y",), "yes"),
        KeyAction("copy_files.go_on", ("ctrl+s", "f2"), "continue"),
        KeyAction("copy_files.leave", ("escape",), "cancel"),
        KeyAction("delete_eval.alone", ("y", "a"), "delete", about="Delete, keep the sessions"),
        KeyAction("delete_eval.keep", ("n", "escape", "enter", "q"), "keep"),
        KeyAction(
            "delete_eval.with_sessions",
            ("s",),
            "delete with sessions",
            about="Delete with the sessions",
        ),
        KeyAction("difference.next", ("right", "l"), "next difference"),
        KeyAction("difference.previous", ("left", "h"), "Previous difference"),
        KeyAction("difference.whole", ("o",), "whole", about="Show all lines, or the differences"),
        KeyAction("edit_call.editor", ("f4",), "$EDITOR", about="Edit in $EDITOR"),
        KeyAction("edit_call.json", ("f3",), "fields / JSON", about="Edit as fields or as JSON"),
        KeyAction("edit_call.leave", ("escape",), "cancel", about="Cancel the edit"),
        KeyAction("edit_call.original", ("f5",), "original", about="Back to the model's call"),
        KeyAction(
            "edit_call.other_field", ("shift+tab",), "other field", about="Go to another field"
        ),
        KeyAction("edit_call.run", ("ctrl+s", "f2"), "done", about="Finish the edit"),
        KeyAction("edit_file.leave", ("escape",), "leave", about="Close the file"),
        KeyAction("edit_file.save", ("ctrl+s", "f2"), "save"),
        KeyAction("edit_file.told", ("ctrl+t",), "visible / private", about="Tell the model?"),
        KeyAction("eval.back", ("escape",), "All samples, or back"),
        KeyAction("eval.charts", ("c",), "charts", about="Show or hide the charts"),
        KeyAction("eval.filter", ("f",), "filter", about="Show only some samples"),
        KeyAction("eval.leave", ("q",), "back"),
        KeyAction("eval.next_pane", ("tab",), "Next pane"),
        KeyAction("eval.pause", ("p", "space"), "pause", shown="p", about="Start no more samples"),
        KeyAction("eval.previous_pane", ("shift+tab",), "Previous pane"),
        KeyAction("eval.report", ("o",), "report", about="Write and open the HTML report"),
        KeyAction("eval.resume", ("r",), "resume", about="Run what is left or failed"),
        KeyAction("eval.stop", ("x",), "stop", about="Stop the evaluation"),
        KeyAction("eval.wall", ("w",), "wall", about="Running samples side by side"),
        KeyAction("evals.compare", ("c",), "compare", about="Compare two evaluations"),
        KeyAction("evals.delete", ("x", "delete"), "delete", about="Delete the evaluation"),
        KeyAction("evals.leave", ("q", "escape"), "back"),
        KeyAction("evals.new", ("n",), "new evaluation", about="Start a new evaluation"),
        KeyAction("evals.resume", ("r",), "resume", about="Run what is left or failed"),
        KeyAction("export.leave", ("escape",), "cancel"),
        KeyAction("export.write", ("ctrl+s", "f2"), "export", about="Write the export"),
        KeyAction("failure.leave", ("escape", "enter", "q", "space"), "close"),
        KeyAction("failure.resume", ("r",), "resume", about="Resume the session"),
        KeyAction("file.diff", ("d",), "diff", about="Content, last change, all changes"),
        KeyAction("file.edit", ("E",), "edit file", about="Edit the file"),
        KeyAction("file.outside", ("O",), "Open outside", about="Open in another program"),
        KeyAction("file.pull", ("p",), "copy out", about="Copy out of the sandbox"),
        KeyAction("file.push", ("P",), "copy in", about="Copy into the sandbox"),
        KeyAction("file.source", ("v",), "source", about="Show the source"),
        KeyAction("file.version", ("D",), "Compare with a chosen step"),
        KeyAction("file.whole", ("o",), "full file", about="Open the full file"),
        KeyAction("file_view.leave", ("escape", "q"), "close", about="Close the file"),
        KeyAction("file_view.next", ("n",), "next", about="Next match"),
        KeyAction("file_view.previous", ("N",), "previous", about="Previous match"),
        KeyAction("file_view.search", ("slash",), "search", about="Search the file"),
        KeyAction("file_view.source", ("v",), "source", about="Show the source"),
        KeyAction("files.changed_only", ("c",), "Changed files only"),
        KeyAction("files.filter", ("slash",), "Filter by name"),
        KeyAction("files.unfilter", ("escape",), "All files"),
        KeyAction("filter_files.keep", ("down", "up"), "to the tree", about="Go to the tree"),
        KeyAction("filter_files.leave", ("escape",), "all files"),
        KeyAction("find.leave", ("escape",), "close", about="End the search"),
        KeyAction("find.next", ("down", "ctrl+n"), "next", about="Next match"),
        KeyAction("find.previous", ("up", "ctrl+p"), "previous", about="Previous match"),
        KeyAction("fork.call", ("f4",), "change the call"),
        KeyAction("fork.leave", ("escape",), "cancel"),
        KeyAction("fork.models", ("f3",), "models", about="Choose a model"),
        KeyAction("fork.start", ("ctrl+s", "f2"), "fork", about="Start the fork"),
        KeyAction("go_to_step.leave", ("escape",), "cancel", about="Stay here"),
        KeyAction("help.leave", ("escape", "question_mark", "f1"), "close"),
        KeyAction("hits.leave", ("escape",), "close", about="End the search"),
        KeyAction("home.back", ("escape",), "Unmark all, or end the search"),
        KeyAction("home.compare", ("c",), "compare", about="Compare two sessions"),
        KeyAction("home.copy_id", ("y",), "Copy id", about="Copy the session's id"),
        KeyAction(
            "home.delete", ("x", "delete"), "delete", about="Delete the session, or all marked"
        ),
        KeyAction("home.demo", ("d",), "demo", about="Watch the demo"),
        KeyAction("home.details", ("o",), "All details", about="All details of the row"),
        KeyAction("home.evals", ("e",), "evaluations", about="All evaluations"),
        KeyAction("home.export", ("E",), "export", about="Export the session"),
        KeyAction("home.find", ("slash", "f"), "find", shown="/", about="Find in all sessions"),
        KeyAction("home.folder", ("B",), "Open the results folder"),
        KeyAction("home.fork", ("F",), "fork", about="Fork the session"),
        KeyAction("home.import", ("I",), "Import sessions from a file"),
        KeyAction("home.mark", ("space",), "Mark", about="Mark, to compare, tag or delete"),
        KeyAction("home.model", ("m",), "model", about="Choose a model"),
        KeyAction("home.new", ("n",), "new run", about="New run"),
        KeyAction("home.note", ("N",), "note", about="Write a note on the session"),
        KeyAction("home.open", ("enter", "V"), "open", about="Open the session"),
        KeyAction("home.quit", ("q",), "quit", about="Quit the program"),
        KeyAction("home.reload", ("f5",), "Reload", about="Reload the sessions"),
        KeyAction("home.rename", ("R", "f2"), "rename", about="Rename the session"),
        KeyAction("home.resume", ("r",), "resume", about="Resume the session"),
        KeyAction("home.settings", ("comma",), "settings", about="Settings"),
        KeyAction("home.tags", ("t",), "tags", about="Tag the session, or all marked"),
        KeyAction("home.trainings", ("T",), "trainings", about="All training runs"),
        KeyAction("home.wall", ("w",), "wall", about="Runs side by side"),
        KeyAction("image_offer.leave", ("escape", "n"), "cancel"),
        KeyAction("inject.earlier", ("up",), "Previous line"),
        KeyAction("inject.editor", ("f4",), "$EDITOR", about="Write in $EDITOR"),
        KeyAction("inject.later", ("down",), "Next line"),
        KeyAction("inject.leave", ("escape",), "close", about="Close the line"),
        KeyAction("inject.newline", ("ctrl+j", "shift+enter"), "new line"),
        KeyAction("inject.told", ("ctrl+t",), "visible / private", about="Tell the model?"),
        KeyAction("jump.close", ("escape",), "cancel", about="Stay here"),
        KeyAction("leave_run.detach", ("d",), "detach", about="Continue in a separate program"),
        KeyAction("leave_run.end", ("x",), "end", about="End the run"),
        KeyAction(
            "leave_run.interrupt", ("i",), "interrupt", about="Interrupt the call, to move now"
        ),
        KeyAction("leave_run.keep", ("b",), "background", about="Continue in the background"),
        KeyAction("leave_run.stay", ("escape", "n", "q", "enter"), "stay", about="Stay in the run"),
        KeyAction("list.down", ("down", "j"), "Down"),
        KeyAction("list.first", ("home", "g"), "First"),
        KeyAction("list.last", ("end", "G"), "Last"),
        KeyAction("list.open", ("enter",), "Open"),
        KeyAction("list.page_down", ("pagedown",), "Page down", about="Page down"),
        KeyAction("list.page_up", ("pageup",), "Page up"),
        KeyAction("list.up", ("up", "k"), "Up"),
        KeyAction(
            "live.allowed", ("L",), "allowed", about="What you allowed in this run, to take it back"
        ),
        KeyAction("live.answer", ("A",), "Answer the call yourself"),
        KeyAction("live.approve", ("a",), "approve", about="Approve the call"),
        KeyAction(
            "live.approve_always", ("Y",), "Approve always", about="Approve this and all like it"
        ),
        KeyAction("live.edit", ("e",), "edit", about="Edit the call"),
        KeyAction("live.end", ("x",), "End the run"),
        KeyAction("live.export", ("E",), "export", about="Export the session"),
        KeyAction("live.fork", ("F",), "fork", about="Fork the session"),
        KeyAction("live.freeze", ("Z",), "Freeze or resume the sandbox"),
        KeyAction("live.inject", ("i",), "inject", about="Run a command in the sandbox"),
        KeyAction("live.interrupt", ("escape",), "Interrupt the command"),
        KeyAction("live.interrupt_reply", ("R",), "Interrupt the reply"),
        KeyAction("live.leave", ("q",), "leave", about="Leave the run"),
        KeyAction("live.message", ("m",), "message", about="Write to the model"),
        KeyAction("live.mode", ("M", "f4"), "mode", about="Choose the mode: auto, ask, step"),
        KeyAction("live.open_folder", ("B",), "Open the results folder"),
        KeyAction("live.pause", ("space",), "pause", about="Pause"),
        KeyAction("live.put_away", ("escape",), "Dismiss the notices"),
        KeyAction("live.queue", ("u",), "queue", about="Show what is queued for the model"),
        KeyAction("live.reject", ("r",), "reject", about="Reject the call"),
        KeyAction("live.replay", ("V",), "replay", about="Replay the session"),
        KeyAction("live.resume", ("r",), "resume", about="Ask the model again"),
        KeyAction("live.shell", ("t",), "shell", about="Shell in the sandbox"),
        KeyAction("live.skip", ("S",), "Skip the call", about="Skip the call"),
        KeyAction("live.steer", ("T",), "steer", about="Take control of the run"),
        KeyAction("live.step", ("s",), "step", about="Run to the next call"),
        KeyAction(
            "live.waiting",
            ("W",),
            "full call",
            about="Read the waiting call in full",
        ),
        KeyAction("mode_menu.allowed", ("l",), "allowed", about="What you allowed in this run"),
        KeyAction("mode_menu.ask", ("p",), "ask (policy)"),
        KeyAction("mode_menu.auto", ("a",), "auto"),
        KeyAction("mode_menu.group", ("g",), "group", about="Set it in all runs of the group"),
        KeyAction("mode_menu.leave", ("escape", "q"), "cancel"),
        KeyAction("mode_menu.step", ("s",), "step"),
        KeyAction("new_eval.leave", ("escape",), "cancel"),
        KeyAction("new_eval.models", ("f3",), "models", about="Choose a model"),
        KeyAction("new_eval.start", ("ctrl+s", "f2"), "start", about="Start the evaluation"),
        KeyAction(
            "new_run.keep", ("f4",), "save as defaults", about="Use these settings for all new runs"
        ),
        KeyAction("new_run.leave", ("escape",), "cancel"),
        KeyAction("new_run.models", ("f3",), "models", about="Choose a model"),
        KeyAction("new_run.more", ("f5",), "more settings", about="More settings"),
        KeyAction("new_run.start", ("ctrl+s", "f2"), "start", about="Start the run"),
        KeyAction("pager.leave", ("escape", "q"), "close", about="Close the text"),
        KeyAction("pager.next", ("n",), "next", about="Next match"),
        KeyAction("pager.previous", ("N",), "previous", about="Previous match"),
        KeyAction("pager.search", ("slash",), "search", about="Search the text"),
        KeyAction("palette.leave", ("escape",), "close"),
        KeyAction(
            "queue.edit", ("enter", "e"), "edit", shown="enter", about="Edit the queued line"
        ),
        KeyAction("queue.leave", ("escape",), "back", about="Back to the calls"),
        KeyAction(
            "queue.remove",
            ("d", "x", "delete", "backspace"),
            "withdraw",
            shown="d",
            about="Withdraw the queued line",
        ),
        KeyAction("replay.back", ("escape",), "End the search or the filter, or back"),
        KeyAction("replay.end", ("dollar_sign",), "End", about="To the end"),
        KeyAction("replay.event", ("full_stop",), "Next event"),
        KeyAction("replay.event_back", ("comma",), "Previous event"),
        KeyAction("replay.export", ("E",), "export", about="Export the session"),
        KeyAction("replay.failure", ("n",), "failure", about="Next failure"),
        KeyAction("replay.failure_before", ("N",), "Previous failure"),
        KeyAction(
            "replay.faster", ("plus", "equals_sign"), "faster", shown="+", about="Play faster"
        ),
        KeyAction("replay.fork", ("F",), "fork", about="Fork here"),
        KeyAction("replay.go_to_step", ("colon",), "to step", about="Go to a step"),
        KeyAction("replay.leave", ("q",), "back", about="Leave the replay"),
        KeyAction("replay.play", ("space",), "play", about="Play"),
        KeyAction("replay.screenshot", ("C",), "Save a screenshot"),
        KeyAction("replay.second", ("shift+right", "L"), "One second forward"),
        KeyAction("replay.second_back", ("shift+left", "H"), "One second back"),
        KeyAction("replay.slower", ("minus",), "slower", about="Play slower"),
        KeyAction("replay.start", ("0",), "Start", about="To the start"),
        KeyAction("replay.step", ("right", "l"), "step", shown="→", about="Next call"),
        KeyAction("replay.step_back", ("left", "h"), "step back", shown="←", about="Previous call"),
        KeyAction("rollouts.left", ("left", "h"), "Previous rollout"),
        KeyAction("rollouts.right", ("right", "l"), "Next rollout"),
        KeyAction("search.complete", ("tab",), "complete", about="Complete, or go to the matches"),
        KeyAction("search.leave", ("escape",), "close", about="End the search"),
        KeyAction("search.next", ("down", "ctrl+n"), "next", about="Next match"),
        KeyAction("search.previous", ("up",), "previous", about="Previous match"),
        KeyAction("settings.down", ("down",), "Next"),
        KeyAction("settings.find", ("slash", "ctrl+f"), "find", about="Find a setting"),
        KeyAction("settings.leave", ("escape",), "cancel"),
        KeyAction(
            "settings.next_section", ("pagedown",), "section", about="Next group of settings"
        ),
        KeyAction("settings.previous_section", ("pageup",), "Previous group of settings"),
        KeyAction("settings.reset", ("ctrl+r",), "default", about="Back to the default value"),
        KeyAction("settings.save", ("ctrl+s", "f2"), "save", about="Save the settings"),
        KeyAction("settings.up", ("up",), "Previous"),
        KeyAction("terminal_search.leave", ("escape",), "close", about="End the search"),
        KeyAction("terminal_search.next", ("down",), "next", about="Next match"),
        KeyAction(
            "terminal_search.previous",
            ("up", "shift+enter"),
            "previous",
            about="Previous match",
        ),
        KeyAction("terminals.close_shell", ("delete",), "Close this shell"),
        KeyAction("terminals.copy", ("y",), "Copy the selection"),
        KeyAction("terminals.end_search", ("escape",), "End the search"),
        KeyAction("terminals.left", ("less_than_sign",), "Scroll left"),
        KeyAction("terminals.new_shell", ("plus",), "New shell"),
        KeyAction("terminals.next", ("n",), "next match", about="Next match"),
        KeyAction("terminals.next_tab", ("right_square_bracket",), "Next tab"),
        KeyAction("terminals.previous", ("N",), "Previous match"),
        KeyAction("terminals.previous_tab", ("left_square_bracket",), "Previous tab"),
        KeyAction("terminals.right", ("greater_than_sign",), "Scroll right"),
        KeyAction("terminals.search", ("slash",), "Search the terminal"),
        KeyAction(
            "terminals.type", ("enter",), "Type into this terminal", about="Type into the terminal"
        ),
        KeyAction("training.back", ("escape",), "All groups, or back"),
        KeyAction("training.charts", ("c",), "charts", about="Show or hide the charts"),
        KeyAction(
            "training.compare",
            ("b",),
            "best and worst",
            about="Compare the best and the worst rollout",
        ),
        KeyAction("training.export", ("e",), "export", about="Export rollouts"),
        KeyAction("training.filter", ("f",), "filter", about="Show only some groups"),
        KeyAction("training.leave", ("q",), "back"),
        KeyAction("training.next_pane", ("tab",), "Next pane"),
        KeyAction("training.previous_pane", ("shift+tab",), "Previous pane"),
        KeyAction("trainings.delete", ("x", "delete"), "delete", about="Delete the training run"),
        KeyAction("trainings.leave", ("q", "escape"), "back"),
        KeyAction("wall.approve", ("a",), "approve", about="Approve the waiting call"),
        KeyAction(
            "wall.approve_always", ("Y",), "always", about="Approve this call and all like it"
        ),
        KeyAction("wall.compare", ("c",), "compare", about="Mark the run, or compare it"),
        KeyAction("wall.down", ("down", "j"), "Down"),
        KeyAction("wall.end", ("x",), "end", about="End the run"),
        KeyAction("wall.filter", ("f",), "filter", about="Show only some runs"),
        KeyAction("wall.find", ("slash",), "find", about="Find in the runs"),
        KeyAction("wall.leave", ("q", "escape"), "back", about="Leave the wall"),
        KeyAction("wall.left", ("left", "h"), "Left"),
        KeyAction("wall.mode", ("M",), "mode", about="Choose the mode: auto, ask, step"),
        KeyAction("wall.open", ("enter",), "open", about="Open the run"),
        KeyAction("wall.order", ("o",), "sort", about="Sort the runs"),
        KeyAction("wall.pause", ("space",), "pause", about="Pause the run, or resume it"),
        KeyAction("wall.reject", ("r",), "reject", about="Reject the waiting call"),
        KeyAction("wall.right", ("right", "l"), "Right"),
        KeyAction("wall.up", ("up", "k"), "Up"),
        KeyAction(
            "wall.waiting", ("n",), "next waiting", about="Go to the next run that waits for you"
        ),
    ]
}
"""Actions by name, in alphabetical order."""
