"""What a fork changed, in a few words for its row, and line by line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.base.tool_names import SUBMIT
from sandbox_tui.core.events import types as e
from sandbox_tui.core.tools.call_difference import difference_words, differing_lines
from sandbox_tui.core.tools.call_summaries import short_name, summarize_call
from sandbox_tui.sessions.relations.fork_origin import ForkOrigin
from sandbox_tui.sessions.relations.fork_tree import Lineage
from sandbox_tui.tui.format import numbers
from sandbox_tui.tui.format.titles import cut_title, model_title
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.theming.palette import Palette

if TYPE_CHECKING:  # it imports runs, which the home screen does not need
    from sandbox_tui.sessions.recording.fork_worker import ForkPlan

MAX_CHARACTERS = 200
"""Maximum characters of a line that is shown."""

MAX_REPLACED = 16
"""Maximum characters of the text that a fork replaced: its row must show the new one."""

MAX_SUMMARY = 60
"""Maximum characters of a call that is named in a sentence."""

MAX_LINES = 6
"""Maximum number of lines of a change that are listed."""


def fork_words(lineage: Lineage, *, short: bool = False) -> str:
    """Return where a fork starts and what was changed there; empty for another session.

    Args:
        lineage: of the session.
        short: whether to leave out the number of the changed call.
    """
    origin = lineage.origin
    if origin is None:
        return ""
    start = f"forked {origin.place}"
    if lineage.is_orphan:
        start = "fork of a deleted session"
    changes = " · ".join(_changes(origin, short=short))
    return f"{start}{': ' if short else ' · '}{changes}" if changes else start


def _changes(origin: ForkOrigin, *, short: bool) -> list[str]:
    found: list[str] = []
    if origin.call is not None:
        words = difference_words(origin.proposed, origin.arguments, MAX_REPLACED)
        words = sanitize_line(words[:MAX_CHARACTERS])
        found.append(words if short else f"call {origin.call} changed: {words}")
    if origin.message:
        flat = " ".join(origin.message[: 4 * MAX_CHARACTERS].split())
        found.append(f"“{cut_title(sanitize_line(flat), MAX_CHARACTERS)}”")
    if origin.model:
        found.append(f"model {model_title(origin.model)}")
    return found


def change_lines(old: str, new: str, palette: Palette, most: int = MAX_LINES) -> Sequence[Text]:
    """Return the lines that differ between two versions of a call's arguments (JSON text), at most
    this many, the last of which may count those that are left out."""
    found = differing_lines(old, new)
    shown = found if len(found) <= most else found[: most - 1]
    styles = {"-": palette.bad, "+": palette.good}
    lines = [
        Text(
            sanitize_line(f"{one.sign} {one.text[:MAX_CHARACTERS]}"),
            style=styles[one.sign],
            no_wrap=True,
            overflow="ellipsis",
        )
        for one in shown
    ]
    if len(found) > len(shown):
        rest = numbers.counted(len(found) - len(shown), "more line")
        lines.append(Text(f"… {rest}", style=palette.dim, no_wrap=True))
    return lines


def place_words(plan: ForkPlan, *, is_changed: bool) -> str:
    """Return where a fork starts.

    Args:
        plan: the fork point.
        is_changed: whether the call there is changed.
    """
    fork_point = plan.fork_point
    call = fork_point.next_call
    place = f"{'After' if call is None else 'In'} step {fork_point.step} of "
    place += sanitize_line(plan.parent.id)
    if call is None:
        return place
    if is_changed:
        return f"{place}, with call {call.number} changed:"
    return f"{place}, before call {call.number}: {words_of_call(call)}"


def step_note(plan: ForkPlan) -> str:
    """Return why a fork starts before the end; empty if nothing explains the step."""
    submits = plan.submitting_step
    is_before = 0 < submits == plan.fork_point.step + 1
    return f"step {submits} submits" if is_before else ""


def words_of_call(call: e.ToolCall) -> str:
    """Return tool and arguments of a call in one line."""
    summary = sanitize_line(summarize_call(call.name, call.arguments))
    return f"{short_name(sanitize_line(call.name))} {cut_title(summary, MAX_SUMMARY)}".rstrip()


def words_for_earlier_call(call: e.ToolCall, last: e.ToolCall) -> str:
    """Return that the form for a fork changes an executed call, and why not the last one."""
    words = f"{hint('fork.call')} changes call {call.number} ({words_of_call(call)})"
    words += f" and forks before it, in step {call.step}"
    if last.name == SUBMIT:
        return f"{words}; submit (call {last.number}) has nothing to change."
    return f"{words}."
