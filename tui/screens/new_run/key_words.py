"""What the keys of the form for new runs do now, in the key bar and in the help."""

from __future__ import annotations

from sandbox_tui.tui.keys.default_keys import ACTIONS


def bar_words(action: str, start: str, *, more: bool, narrow: bool) -> str | None:
    """Return the words of the key bar; None for the usual ones.

    Args:
        action: its name on the form.
        start: what the start key does; empty while that is not known.
        more: whether the less frequently changed settings are shown.
        narrow: whether the terminal is too narrow for the usual words.
    """
    if action == "more":
        if narrow:
            return "less" if more else "more"
        return "fewer settings" if more else "more settings"
    if action == "keep":
        return "save" if narrow else None
    return start or None if action == "start" else None


def help_words(action: str, start: str, *, more: bool) -> str | None:
    """Return the words of the help where the key bar has only short ones; None elsewhere."""
    if action == "more":
        return "show fewer settings" if more else "show more settings"
    is_usual = action == "keep" or (action == "start" and start in ("", "start"))
    return ACTIONS[f"new_run.{action}"].title if is_usual else None
