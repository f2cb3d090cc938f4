"""Actions with a key in dialogs and forms."""

from __future__ import annotations

from sandbox_tui.tui.keys.actions.key_action import KeyAction

DIALOG_ACTIONS = (
    KeyAction(
        "allow_always.allow",
        ("enter", "ctrl+s", "f2"),
        "allow",
        about="Allow all calls like this",
    ),
    KeyAction("allow_always.broader", ("down",), "broader", about="Propose a broader pattern"),
    KeyAction(
        "allow_always.group", ("ctrl+g",), "all runs", about="Allow it in all runs of this task"
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
    KeyAction("ask_line.leave", ("escape",), "cancel"),
    KeyAction("choice.next", ("right", "space", "enter"), "Next value"),
    KeyAction("choice.previous", ("left",), "Previous value"),
    KeyAction("choose_model.leave", ("escape", "q"), "cancel"),
    KeyAction("choose_model.look", ("r", "f5"), "refresh", about="Search for models again"),
    KeyAction("choose_version.leave", ("escape", "q"), "cancel"),
    KeyAction("confirm.no", ("n", "escape", "enter"), "no"),
    KeyAction("confirm.yes", ("y",), "yes"),
    KeyAction("copy_files.go_on", ("ctrl+s", "f2"), "continue"),
    KeyAction("copy_files.leave", ("escape",), "cancel"),
    KeyAction("decide_all.approve", ("y", "a"), "approve", about="Approve the ticked calls"),
    KeyAction("decide_all.choose", ("space", "enter"), "tick", about="Tick the call, or untick it"),
    KeyAction("decide_all.leave", ("escape", "n", "q"), "cancel", about="Decide nothing"),
    KeyAction("decide_all.reject", ("r",), "reject", about="Reject the ticked calls"),
    KeyAction("delete_eval.alone", ("y", "a"), "delete", about="Delete, keep the sessions"),
    KeyAction("delete_eval.keep", ("n", "escape", "enter", "q"), "keep"),
    KeyAction(
        "delete_eval.with_sessions",
        ("s",),
        "delete with sessions",
        about="Delete with the sessions",
    ),
    KeyAction("edit_call.editor", ("f4",), "$EDITOR", about="Edit in $EDITOR"),
    KeyAction("edit_call.json", ("f3",), "fields / JSON", about="Edit as fields or as JSON"),
    KeyAction("edit_call.leave", ("escape",), "cancel", about="Cancel the edit"),
    KeyAction("edit_call.original", ("f5",), "original", about="Back to the model's call"),
    KeyAction("edit_call.other_field", ("shift+tab",), "other field", about="Go to another field"),
    KeyAction("edit_call.run", ("ctrl+s", "f2"), "done", about="Finish the edit"),
    KeyAction("edit_file.editor", ("f4",), "$EDITOR", about="Edit in $EDITOR"),
    KeyAction("edit_file.leave", ("escape",), "leave", about="Close the file"),
    KeyAction("edit_file.save", ("ctrl+s", "f2"), "save"),
    KeyAction("edit_file.told", ("ctrl+t",), "visible / private", about="Tell the model?"),
    KeyAction("end_runs.group", ("g",), "all runs", about="End all runs shown"),
    KeyAction("export.leave", ("escape",), "cancel"),
    KeyAction("export.write", ("ctrl+s", "f2"), "export", about="Write the export"),
    KeyAction("failure.fork", ("F",), "fork", about="Fork the session in a new sandbox"),
    KeyAction("failure.leave", ("escape", "enter", "q", "space"), "close"),
    KeyAction("failure.resume", ("r",), "resume", about="Resume the session"),
    KeyAction("fork.call", ("f4",), "change the call"),
    KeyAction(
        "fork.clear", ("f8",), "clear", about="Put back the initial texts, or what was cleared"
    ),
    KeyAction("fork.leave", ("escape",), "cancel"),
    KeyAction("fork.models", ("f3",), "models", about="Choose a model"),
    KeyAction("fork.start", ("ctrl+s", "f2"), "fork", about="Start the fork"),
    KeyAction("help.leave", ("escape", "question_mark", "f1"), "close"),
    KeyAction("image_offer.leave", ("escape", "n"), "cancel"),
    KeyAction("jump.close", ("escape",), "cancel", about="Stay here"),
    KeyAction("leave_run.detach", ("d",), "detach", about="Continue in a separate program"),
    KeyAction("leave_run.end", ("x",), "end", about="End the run"),
    KeyAction("leave_run.interrupt", ("i",), "interrupt", about="Interrupt the call, to move now"),
    KeyAction(
        "leave_run.interrupt_reply",
        ("R",),
        "restart reply",
        about="Give up the reply, to move now; it is asked for again",
    ),
    KeyAction("leave_run.keep", ("b",), "background", about="Continue in the background"),
    KeyAction(
        "leave_run.keep_here", ("escape",), "keep here", about="Keep here what has not moved"
    ),
    KeyAction("leave_run.stay", ("escape", "n", "q", "enter"), "stay", about="Stay in the run"),
    KeyAction("message_runs.group", ("ctrl+g",), "all runs", about="Send it to all runs shown"),
    KeyAction("mode_menu.allowed", ("l",), "allowed", about="What you allowed in this run"),
    KeyAction("mode_menu.ask", ("p",), "ask (policy)"),
    KeyAction("mode_menu.auto", ("a",), "auto"),
    KeyAction("mode_menu.group", ("g",), "all runs", about="Set it in all runs shown"),
    KeyAction("mode_menu.leave", ("escape", "q"), "cancel"),
    KeyAction("mode_menu.step", ("s",), "step"),
    KeyAction(
        "new_eval.clear", ("f8",), "clear", about="Put back the initial texts, or what was cleared"
    ),
    KeyAction("new_eval.leave", ("escape",), "cancel"),
    KeyAction("new_eval.models", ("f3",), "models", about="Choose a model"),
    KeyAction("new_eval.start", ("ctrl+s", "f2"), "start", about="Start the evaluation"),
    KeyAction(
        "new_run.keep", ("f4",), "save as defaults", about="Use these settings for all new runs"
    ),
    KeyAction(
        "new_run.clear", ("f8",), "clear", about="Put back the initial texts, or what was cleared"
    ),
    KeyAction("new_run.leave", ("escape",), "cancel"),
    KeyAction("new_run.models", ("f3",), "models", about="Choose a model"),
    KeyAction("new_run.more", ("f5",), "more settings", about="More settings"),
    KeyAction("new_run.newline", ("ctrl+j", "shift+enter"), "new line"),
    KeyAction("new_run.start", ("ctrl+s", "f2"), "start", about="Start the run"),
    KeyAction("palette.leave", ("escape",), "close"),
    KeyAction("path.complete", ("tab",), "complete", about="Complete the path, or next field"),
    KeyAction("settings.down", ("down",), "Next"),
    KeyAction("settings.find", ("slash", "ctrl+f"), "find", about="Find a setting"),
    KeyAction("settings.leave", ("escape",), "cancel"),
    KeyAction("settings.next_section", ("pagedown",), "section", about="Next group of settings"),
    KeyAction("settings.previous_section", ("pageup",), "Previous group of settings"),
    KeyAction("settings.reset", ("ctrl+r",), "default", about="Back to the default value"),
    KeyAction("settings.save", ("ctrl+s", "f2"), "save", about="Save the settings"),
    KeyAction("settings.up", ("up",), "Previous"),
)
