"""Messages to a model whose calls were not run: what was wrong, and what to do."""

from __future__ import annotations

from collections.abc import Iterable

STRAY_TAG = (
    "a closing tag has no opening tag, or a value contains one of the format's own tags, so it is "
    "unclear where the value ends"
)
_NOTHING_RUN = "Nothing was run."


def cut_by_limit(title: str, whole: int) -> str:
    """Say that the reply reached its token limit.

    Args:
        title: the format of its calls.
        whole: number of complete calls.
    """
    return (
        "Your last message was cut off by the token limit of one reply while it contained "
        f"{'a call' if whole == 0 else 'calls'} ({title}). {_nothing_ran(whole)} {_SHORTER}"
    )


def ended_inside(title: str, whole: int) -> str:
    """Say that the reply ended inside a call. Arguments as in `cut_by_limit`."""
    return (
        f"Your last message was cut off inside a call ({title}). {_nothing_ran(whole)} {_SHORTER}"
    )


_SHORTER = "Send it again with one call per message; write a long file in several parts."


def _nothing_ran(whole: int) -> str:
    """Say that nothing ran, not even complete calls: what was cut off may have changed them."""
    if whole == 0:
        return _NOTHING_RUN
    calls = "the call that was" if whole == 1 else f"the {whole} calls that were"
    return f"Nothing was run, not even {calls} complete."


def only_quoted(where: str) -> str:
    """Say that the calls are only quoted."""
    return (
        f"Your last message contained a call {where}; a call written there is treated as a "
        f"quotation. {_NOTHING_RUN} If you meant it, write the call on its own, with no text "
        "around it."
    )


def two_formats(titles: Iterable[str]) -> str:
    """Say that the calls are written in different formats."""
    return (
        f"Your last message contained calls in different formats ({'; '.join(titles)}), so it is "
        f"not clear which ones you mean. {_NOTHING_RUN} Send them again, all in the first of these "
        "formats."
    )


def unreadable(title: str, fault: str) -> str:
    """Say that a call has no valid reading, or more than one."""
    return (
        f"Your last message contained a call ({title}) that could not be parsed: {fault}. "
        f"{_NOTHING_RUN} Correct this and send the call again."
    )


def unknown_tool(title: str, name: str, tools: Iterable[str]) -> str:
    """Say that a call names a tool that does not exist in this run."""
    return (
        f"Your last message contained a call ({title}) of a tool named {name[:80]!r}, which does "
        f"not exist. {_NOTHING_RUN} The tools are: {', '.join(tools)}."
    )


def invalid_arguments(title: str, tool: str, fault: str) -> str:
    """Say that a tool cannot accept its arguments."""
    return (
        f"Your last message contained a call ({title}) with arguments that {tool} cannot take: "
        f"{fault}. {_NOTHING_RUN} Correct this and send the call again."
    )


def too_many(title: str, limit: int) -> str:
    """Say that there are more calls than one reply may contain."""
    return (
        f"Your last message contained more than {limit} calls ({title}). {_NOTHING_RUN} "
        "Send fewer calls in one message."
    )
