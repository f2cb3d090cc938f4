"""How the things that happen in a run are drawn in the list of calls.

Every function returns lines of text for one item at one width. Heights of closed items are known
without drawing them: a reply is a rule and at most one line, everything else two lines.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, cast

from rich.style import Style
from rich.text import Text

from ...core.events import Usage
from ...core.headline import headline, nickname
from ...core.state import CallItem, HumanItem, NoteItem, ReplyItem
from ...core.text import clean_line
from .. import figures
from ..keymap import hint
from ..palette import Palette
from .code import highlighted, indented, lexer_for, wrapped
from .file_cards import file_lines
from .preview_diff import DiffDocument

GUTTER = 6
"""Columns left of what an item says: the call's number and a space."""

SHOWN_LINES = 15
"""Lines of code or output shown in place; the rest is a key away."""


def reply_lines(
    item: ReplyItem, width: int, now: float, opened: bool, palette: Palette
) -> list[Text]:
    """A step's rule with its figures, then what the model thinks or says."""
    lines = [_rule(item, width, now, palette)]
    prose = item.text.strip() or item.reasoning.strip()
    if opened:
        for label, words in (("think", item.reasoning), ("says", item.text)):
            if words.strip():
                lines += _said(label, words.strip(), width, palette)
    elif prose:
        line = Text(" " * GUTTER, no_wrap=True, overflow="ellipsis")
        line.append(clean_line(_tail_line(prose, item)), style=palette.model + Style(italic=True))
        line.truncate(width, overflow="ellipsis")
        lines.append(line)
    if item.replied is None:
        lines += _why_not(item, width, palette) if _has_failed(item) else []
        lines += _writing(item, width, palette)
    return lines


def reply_height(item: ReplyItem, opened: bool) -> int | None:
    """Lines of a closed, finished reply; None when it must be drawn to know."""
    if opened or item.replied is None:
        return None
    return 2 if item.text.strip() or item.reasoning.strip() else 1


def call_lines(
    item: CallItem, width: int, now: float, opened: bool, palette: Palette
) -> list[Text]:
    """A call: what it does, how it went; opened: its arguments and its answer."""
    lines = [_call_title(item, width, opened, palette), _call_status(item, width, now, palette)]
    if opened:
        lines += _arguments(item, width, palette)
        if item.finished is not None:
            lines += _observation(item.finished.observation, width, palette)
        lines.append(Text())
    return lines


def human_lines(item: HumanItem, width: int, opened: bool, palette: Palette) -> list[Text]:
    """A person's message, command or work on a file."""
    if item.file is not None:
        return file_lines(item, item.file, GUTTER, width, opened, palette)
    title = Text(f"{'':>{GUTTER - 1}} ", no_wrap=True)
    title.append("you  " if item.command is not None else "say  ", style=palette.human + _BOLD)
    title.append(clean_line(item.text), style=palette.text)
    title.truncate(width, overflow="ellipsis")
    lines = [title, _human_status(item, width, palette)]
    if opened:
        if item.command is None:
            lines += indented(wrapped(item.text, width - GUTTER, palette.text), GUTTER)
        elif item.finished is not None:
            lines += _observation(item.finished.observation, width, palette)
        lines.append(Text())
    return lines


def written_lines(notes: Sequence[str], width: int, opened: bool, palette: Palette) -> list[Text]:
    """A person's notes on a step: a line each, whole when opened."""
    lines: list[Text] = []
    for note in notes:
        if opened:
            words = indented(wrapped(note, width - GUTTER, palette.human), GUTTER)
        else:
            words = [Text(" " * GUTTER, no_wrap=True).append(clean_line(note), palette.human)]
        first = Text(f"{'✎':>{GUTTER - 1}} ", style=palette.human, no_wrap=True)
        first.append_text(words[0][GUTTER:])
        first.truncate(width, overflow="ellipsis")
        lines += [first, *words[1:]]
    return lines


def note_lines(item: NoteItem, width: int, palette: Palette) -> list[Text]:
    """A sentence for the reader, wrapped."""
    style = {"info": palette.dim, "warning": palette.warn, "error": palette.bad}[item.level]
    sign = {"info": "·", "warning": "!", "error": "✗"}[item.level]
    lines = indented(wrapped(item.text, width - GUTTER, style), GUTTER)
    first = Text(f"{sign:>{GUTTER - 1}} ", style=style, no_wrap=True)
    first.append_text(lines[0][GUTTER:])
    return [first, *lines[1:]]


_BOLD = Style(bold=True)


# --- replies


def _rule(item: ReplyItem, width: int, now: float, palette: Palette) -> Text:
    left = f" step {item.step} "
    right = _fitting(_reply_figures(item, now), width - len(left) - 6)
    style = palette.accent if item.replied is None else palette.dim
    fill = max(2, width - len(left) - len(right) - 4)
    line = Text(no_wrap=True)
    line.append("──", style=palette.faint)
    line.append(left, style=palette.dim)
    line.append("─" * fill, style=palette.faint)
    line.append(f" {right}", style=style)
    line.truncate(width)
    return line


def _fitting(parts: list[str], room: int) -> str:
    """As many of the parts as there is room for, the first ones first."""
    words = parts[0]
    for part in parts[1:]:
        if len(words) + len(part) + 3 > room:
            break
        words += f" · {part}"
    return words


def _reply_figures(item: ReplyItem, now: float) -> list[str]:
    if item.replied is None:
        if _has_failed(item):
            return [_waiting_again(item, now)]
        doing = "thinking" if not item.writing else "writing"
        return [f"● {doing} {figures.seconds(max(0.0, now - item.asked_at))}"]
    usage: Usage = item.replied.usage
    parts = [figures.seconds(item.replied.latency)]
    if usage.input_tokens or usage.output_tokens:
        tokens = f"{figures.count(usage.input_tokens)}→{figures.count(usage.output_tokens)} tok"
        parts.append(tokens)
    if item.replied.cost is not None:
        parts.append(figures.cost(item.replied.cost))
    return parts


def _has_failed(item: ReplyItem) -> bool:
    """Whether the last attempt has, and the next one has not begun."""
    return bool(item.failures) and item.failures[-1].t >= item.asked_at


def _why_not(item: ReplyItem, width: int, palette: Palette) -> list[Text]:
    words = clean_line(item.failures[-1].error)
    return indented(wrapped(words, min(width, 106) - GUTTER, palette.warn), GUTTER)


def _waiting_again(item: ReplyItem, now: float) -> str:
    failure = item.failures[-1]
    if failure.retry_in is None:
        return "✗ the model failed"
    left = max(0.0, failure.t + failure.retry_in - now)
    return f"! try {failure.attempt + 1} in {figures.seconds(left)}"


def _tail_line(prose: str, item: ReplyItem) -> str:
    """What one line shows of the prose: its end while it grows, its beginning afterwards."""
    lines = [line for line in prose.split("\n") if line.strip()]
    if not lines:
        return ""
    return lines[-1][-200:] if item.replied is None else " ".join(lines)[:400]


def _said(label: str, words: str, width: int, palette: Palette) -> list[Text]:
    style = palette.model + Style(italic=label == "think")
    return indented(wrapped(words, min(width, 106) - GUTTER, style), GUTTER)


def _writing(item: ReplyItem, width: int, palette: Palette) -> list[Text]:
    """The calls the model is writing at this moment, as far as they have come."""
    lines: list[Text] = []
    for name, arguments in item.writing.values():
        title = Text(" " * GUTTER, no_wrap=True)
        title.append(f"{nickname(clean_line(name))} ", style=palette.tool)
        tail = arguments[-2000:].replace("\\n", "\n").split("\n")[-4:]
        lines.append(title)
        shown = [Text(clean_line(line), style=palette.dim, no_wrap=True) for line in tail]
        shown[-1].append("▌", style=palette.accent)
        for line in shown:
            line.truncate(width - GUTTER, overflow="ellipsis")
        lines += indented(shown, GUTTER)
    return lines


# --- calls


def _call_title(item: CallItem, width: int, opened: bool, palette: Palette) -> Text:
    waiting = item.status == "waiting"
    mark = "▾" if opened else ("◆" if waiting else " ")
    line = Text(no_wrap=True)
    line.append(f"{mark} ", style=palette.accent if waiting or opened else palette.dim)
    line.append(f"{item.call.number:>3} ", style=palette.accent if waiting else palette.dim)
    line.append(f"{nickname(clean_line(item.call.name)):<6}", style=palette.tool)
    line.append(clean_line(headline(item.call.name, item.arguments)), style=palette.text)
    line.truncate(width, overflow="ellipsis")
    return line


def _call_status(item: CallItem, width: int, now: float, palette: Palette) -> Text:
    line = Text(" " * (GUTTER + 2), no_wrap=True)
    finished = item.finished
    if item.status == "waiting":
        line.append("waits for you", style=palette.accent + _BOLD)
        for what in ("approve", "edit", "reject"):
            line.append(f"  {hint(f'live.{what}')} ", style=palette.accent)
            line.append(what, style=palette.dim)
    elif finished is None:
        since = item.started_at if item.started_at is not None else now
        line.append(f"● {figures.seconds(max(0.0, now - since))}", style=palette.good)
    else:
        _finished_status(line, item, palette)
    line.truncate(width, overflow="ellipsis")
    return line


def _finished_status(line: Text, item: CallItem, palette: Palette) -> None:
    finished = item.finished
    if finished is None:
        return
    verdict = item.decided.verdict if item.decided else None
    if verdict in ("reject", "skip", "answer"):
        words = {"reject": "rejected", "skip": "skipped", "answer": "answered"}[verdict]
        who = "the policy" if item.decided and item.decided.by == "policy" else "you"
        line.append(f"◆ {words} by {who}", style=palette.human)
        if item.decided and item.decided.feedback:
            line.append(f"  “{clean_line(item.decided.feedback)}”", style=palette.dim)
        return
    if finished.ok:
        line.append(f"✓ {figures.seconds(finished.duration)}", style=palette.good)
    else:
        line.append(f"✗ {_what_failed(item)}", style=palette.bad)
    if verdict == "edit":
        line.append("  edited by you ", style=palette.human)
    words = _amount(item) if finished.ok else clean_line(_last_words(finished.observation))
    line.append(f" · {words}", style=palette.dim)


def _what_failed(item: CallItem) -> str:
    finished = item.finished
    if finished is None:
        return ""
    if finished.timed_out:
        return f"timed out after {figures.seconds(finished.duration)}"
    if finished.interrupted:
        return "interrupted"
    return "failed" if finished.exit_code is None else f"exit {finished.exit_code}"


def _amount(item: CallItem) -> str:
    finished = item.finished
    if finished is None:
        return ""
    total = finished.stdout_bytes + finished.stderr_bytes
    lines = len(_body(finished.observation).splitlines())
    if finished.truncated:
        return f"{figures.size(total)}, cut to {lines} lines"
    return f"{lines} line{'' if lines == 1 else 's'}"


def _body(observation: str) -> str:
    """An observation without the lines that only frame it."""
    frame = ("Exit code: ", "Execution output of ", "[STDOUT]", "[STDERR]", "[A person edited")
    lines = observation.split("\n")
    while lines and (not lines[0].strip() or lines[0].startswith(frame)):
        lines.pop(0)
    return "\n".join(lines).rstrip()


def _last_words(observation: str) -> str:
    lines = [line for line in _body(observation).split("\n") if line.strip()]
    return lines[-1].strip() if lines else ""


def _arguments(item: CallItem, width: int, palette: Palette) -> list[Text]:
    """The arguments in the form a person would write them."""
    fields = _fields(item.arguments)
    if fields is None:
        return _inset(wrapped(item.arguments, width - GUTTER - 1, palette.text), width, palette)
    if item.call.name == "execute_bash":
        return _inset(highlighted(str(fields.get("command", "")), "bash", palette), width, palette)
    if item.call.name == "str_replace_editor":
        return _inset(_edit(fields, width - GUTTER - 1, palette), width, palette)
    if not fields:
        return []
    text = json.dumps(fields, indent=2, ensure_ascii=False)
    return _inset(highlighted(text, "json", palette), width, palette)


def _edit(fields: dict[str, Any], width: int, palette: Palette) -> list[Text]:
    path = str(fields.get("path", ""))
    command = fields.get("command")
    if command == "str_replace":
        old, new = str(fields.get("old_str", "")), str(fields.get("new_str", ""))
        return list(DiffDocument(old, new, path).lines(width, palette))
    text = str(fields.get("file_text" if command == "create" else "new_str") or "")
    if not text:
        return [Text(clean_line(f"{command} {path}"), style=palette.dim)]
    return highlighted(text.rstrip("\n"), lexer_for(path), palette)


def _fields(arguments: str) -> dict[str, Any] | None:
    try:
        value: object = json.loads(arguments or "{}")
    except (ValueError, RecursionError):
        return None
    return cast(dict[str, Any], value) if isinstance(value, dict) else None


def _inset(lines: list[Text], width: int, palette: Palette) -> list[Text]:
    """A block on its own background, cut after `SHOWN_LINES`."""
    shown = lines[:SHOWN_LINES]
    inner = max(1, width - GUTTER)
    result: list[Text] = []
    for line in shown:
        line.truncate(inner - 1, overflow="ellipsis")
        line.pad_right(max(0, inner - line.cell_len))
        moved = Text(" " * GUTTER, no_wrap=True)
        line.stylize_before(palette.code)
        moved.append_text(line)
        result.append(moved)
    return [*result, *_more(len(lines) - len(shown), palette)]


def _observation(text: str, width: int, palette: Palette) -> list[Text]:
    body = _body(text)
    if not body:
        return []
    every = [Text(line, style=palette.dim) for line in _clean_lines(body)]
    shown = every[:SHOWN_LINES]
    for line in shown:
        line.truncate(max(1, width - GUTTER), overflow="ellipsis")
    return [*indented(shown, GUTTER), *_more(len(every) - len(shown), palette)]


def _clean_lines(text: str) -> list[str]:
    return [clean_line(line.expandtabs(8)) for line in text.split("\n")]


def _more(count: int, palette: Palette) -> list[Text]:
    if count <= 0:
        return []
    line = Text(" " * GUTTER, no_wrap=True)
    plural = "" if count == 1 else "s"
    line.append(f"… {count} more line{plural}", style=palette.dim + Style(underline=True))
    line.append(f"  {hint('cockpit.whole')} opens all", style=palette.faint)
    return [line]


def _human_status(item: HumanItem, width: int, palette: Palette) -> Text:
    line = Text(" " * (GUTTER + 2), no_wrap=True)
    if item.command is None:
        words = "taken back" if item.withdrawn else "read" if item.delivered else "waiting"
        style = palette.dim if item.delivered or item.withdrawn else palette.human
        line.append(
            {"read": "✓ the model has it", "waiting": "◇ goes with the next request"}.get(
                words, words
            ),
            style=style,
        )
    elif item.withdrawn and not item.started:
        line.append("taken back", style=palette.dim)
    elif item.finished is None:
        running = ("● running", palette.good)
        words, style = running if item.started else ("◇ after the running call", palette.human)
        line.append(words, style=style)
    else:
        good = item.finished.exit_code == 0
        code = item.finished.exit_code
        sign = "✓" if good else f"✗ exit {code}" if code is not None else "✗ failed"
        line.append(f"{sign} ", style=palette.good if good else palette.bad)
        line.append(figures.seconds(item.finished.duration), style=palette.dim)
        line.append(f" · {clean_line(_last_words(item.finished.observation))}", style=palette.dim)
    if item.command is not None:
        told = "told to model" if item.told_to_model else "not told"
        line.append(f"  {told}", style=palette.human if item.told_to_model else palette.dim)
    line.truncate(width, overflow="ellipsis")
    return line
