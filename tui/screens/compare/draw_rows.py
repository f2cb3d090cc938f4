"""Draws the rows of a comparison: the sides next to each other if there is room."""

from __future__ import annotations

from rich.style import Style
from rich.text import Text

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.events.outcome_sign import outcome_sign
from sandbox_tui.core.tools.call_summaries import short_name
from sandbox_tui.sessions.relations.aligned_calls import Call, Pair
from sandbox_tui.sessions.relations.compare import FilePair
from sandbox_tui.sessions.relations.human_acts import Act, ActPair
from sandbox_tui.tui.format import numbers
from sandbox_tui.tui.format.compared.comparison import (
    Divergence,
    call_mark,
    difference_word,
    differing_lines,
    end_and_size,
    end_of,
    file_sizes,
    sign,
    size_difference,
)
from sandbox_tui.tui.format.compared.facts import Fact, fact_sign, only_side
from sandbox_tui.tui.format.compared.human_words import act_words, decision_words
from sandbox_tui.tui.format.fit_line import fit_line
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.screens.compare.differing_parts import (
    Words,
    around_difference,
    differing_words,
)
from sandbox_tui.tui.screens.compare.row_kinds import Heading, Hidden, Row
from sandbox_tui.tui.theming.palette import Palette
from sandbox_tui.tui.widgets.preview.code import wrapped

SIDE_BY_SIDE_FROM = 90
"""Minimum width for showing the two sides next to each other; below that they are stacked."""

_MIDDLE = 11
"""Columns between the sides, which say what differs."""

_NAME = 12
"""Columns for the name of a fact."""

_VERDICT = 11
"""Columns for the verdict on a file."""

_CHANGED = Style(bold=True, underline=True)
"""Added to the parts of a call that the other one does not have; visible without colours."""


def is_wide(width: int) -> bool:
    """Return whether both sides fit next to each other."""
    return width >= SIDE_BY_SIDE_FROM


def draw_row(row: Row, width: int, palette: Palette) -> list[Text]:
    """Return the lines of a row, each at most `width` columns."""
    match row:
        case Fact():
            lines = [_fact(row, width, palette)]
        case Heading(text=text):
            lines = [Text(" ").append_text(row) for row in wrapped(text, width - 2, palette.accent)]
        case Divergence():
            lines = _divergence(row, width, palette)
        case Pair() if is_wide(width):
            lines = [_side_by_side(row, width, palette)]
        case Pair():
            lines = _stacked(row, width, palette)
        case ActPair():
            lines = [_acts(row, width, palette)]
        case Hidden():
            lines = [_hidden(row, palette)]
        case FilePair():
            lines = [_file(row, width, palette)]
    for line in lines:
        fit_line(line, width)
    return lines


def takes_two_lines(pair: Pair) -> bool:
    """Return whether a pair has a line for each side when the sides are stacked."""
    return pair.left is not None and pair.right is not None and sign(pair) == "≠"


# --- facts


def _fact(fact: Fact, width: int, palette: Palette) -> Text:
    line = Text(f" {fact.name:<{_NAME}}", style=palette.dim, no_wrap=True)
    is_equal = fact.left == fact.right and not fact.difference
    styles = [_fact_style(fact.name, words, palette) for words in (fact.left, fact.right)]
    if is_equal:
        styles = [palette.dim, palette.dim]
    if is_wide(width):
        line.append_text(_cell(fact.left, _half(width) - _NAME, styles[0]))
        line.append_text(_between(fact, is_equal=is_equal, palette=palette))
        return line.append(fact.right, style=styles[1])
    if is_equal:
        return line.append(fact.left, style=palette.dim)
    if words := only_side(fact):
        return line.append(words, style=palette.text)
    line.append_text(_cell(fact.left, max(8, (width - _NAME - 4) // 2), styles[0]))
    between = f" {fact_sign(fact) or '│'} " if fact.name else " │ "
    line.append(between, style=palette.bad if fact_sign(fact) == "≠" else palette.faint)
    line.append(fact.right, style=styles[1])
    if fact.difference:
        line.append(f"  {fact.difference}", style=palette.warn)
    return line


def _between(fact: Fact, *, is_equal: bool, palette: Palette) -> Text:
    if not fact.name:
        return Text(" " * _MIDDLE)
    if is_equal:
        return _cell(f" {fact_sign(fact)}", _MIDDLE, palette.faint)
    if fact.difference:
        return _cell(f" {fact.difference}", _MIDDLE, palette.warn)
    return _cell(f" {fact_sign(fact)}", _MIDDLE, palette.bad)


def _fact_style(name: str, words: str, palette: Palette) -> Style:
    if not name:
        return palette.accent
    if name == "outcome":
        return _outcome_style(words, palette)
    return palette.dim if name == "session" else palette.text


def _outcome_style(words: str, palette: Palette) -> Style:
    if words.startswith("◆"):
        return palette.human
    if words.startswith(("running", "●")):
        return palette.good
    if words.startswith(("paused", "‖", "◌")):
        return palette.warn
    return palette.of_role(outcome_sign(words.replace(" ", "_")).role)


# --- where they diverge


def _divergence(found: Divergence, width: int, palette: Palette) -> list[Text]:
    """Return the point of divergence, both outcomes, and the first differing line."""
    strong = palette.accent + Style(bold=True)
    sentence = wrapped(found.sentence, max(1, width - 3), strong)
    lines = [Text(" ▼ " if n == 0 else "   ", style=strong) + row for n, row in enumerate(sentence)]
    if found.pair is None:
        return [_on_background(line, width, palette) for line in lines]
    calls = (found.pair.left, found.pair.right)
    both = [(end_and_size(calls[0]), end_and_size(calls[1]))]
    if found.line is not None:
        both.append(differing_lines(found.line))
    styles = [_end_style(call, palette) for call in calls]
    if is_wide(width):
        lines += [
            _two_cells(pair, width, styles if n == 0 else [palette.text] * 2, palette)
            for n, pair in enumerate(both)
        ]
    else:
        for side, name in enumerate(("left", "right")):
            line = Text(f"   {name:<6}", style=palette.dim, no_wrap=True)
            lines.append(line.append(both[0][side], style=styles[side]))
            lines += [
                Text(f"         {pair[side]}", style=palette.text, no_wrap=True)
                for pair in both[1:]
            ]
    return [_on_background(line, width, palette) for line in lines]


def _two_cells(pair: tuple[str, str], width: int, styles: list[Style], palette: Palette) -> Text:
    half = _half(width)
    line = Text(" ", no_wrap=True).append_text(_cell(f"  {pair[0]}", half, styles[0]))
    line.append_text(_cell(" │", _MIDDLE, palette.faint))
    return line.append_text(_cell(f"  {pair[1]}", half, styles[1]))


def _on_background(line: Text, width: int, palette: Palette) -> Text:
    fit_line(line, width)
    line.pad_right(max(0, width - line.cell_len))
    line.stylize_before(palette.code)
    return line


# --- calls


def _side_by_side(pair: Pair, width: int, palette: Palette) -> Text:
    half = _half(width)
    words = differing_words(pair)
    line = Text(" ", no_wrap=True)
    line.append_text(_call_cell(pair, pair.left, words[0], half, palette, palette.bad))
    line.append_text(_sign(pair, palette, _MIDDLE))
    return line.append_text(
        _call_cell(pair, pair.right, words[1], half, palette, palette.good),
    )


def _stacked(pair: Pair, width: int, palette: Palette) -> list[Text]:
    """Draw identical calls on one line, others one above the other."""
    words = differing_words(pair)
    between = _sign(pair, palette, 3)
    what = Text(f" {difference_word(pair)}", style=_sign_style(sign(pair), palette))
    if not takes_two_lines(pair):
        call, said = (pair.left, words[0]) if pair.left is not None else (pair.right, words[1])
        if what.plain.strip():
            between.append(f"{difference_word(pair):<8}", style=_sign_style(sign(pair), palette))
        room = width - between.cell_len
        return [between.append_text(_call_cell(pair, call, said, room, palette, palette.text))]
    sides = (
        (pair.left, words[0], "-", palette.bad),
        (pair.right, words[1], "+", palette.good),
    )
    lines: list[Text] = []
    for number, (call, said, mark, changed) in enumerate(sides):
        line = Text(f" {mark} ", style=_sign_style("≠", palette), no_wrap=True)
        room = width - line.cell_len - (what.cell_len if number == 0 else 0)
        line.append_text(_call_cell(pair, call, said, room, palette, changed))
        lines.append(line.append_text(what) if number == 0 else line)
    return lines


def _call_cell(
    pair: Pair,
    call: Call | None,
    words: Words | None,
    room: int,
    palette: Palette,
    changed: Style,
) -> Text:
    """Return a call with the part that differs, what the user did with it, and its outcome if the
    other one's differs."""
    if call is None or words is None:
        return Text(" " * room)
    is_plain = pair.is_equal and pair.same
    mark = palette.bad if call.failed else palette.dim
    cell = Text(f"{call.number:>2} ", style=palette.dim, no_wrap=True)
    cell.append(f"{call_mark(call)} ", style=mark if is_plain else _end_style(call, palette))
    tool = short_name(sanitize_line(call.tool))
    cell.append(f"{tool} ", style=palette.dim if is_plain else palette.tool)
    tail = _tail(pair, call, palette)
    left = max(1, room - cell.cell_len - tail.cell_len)
    words = around_difference(words, left)
    body = Text(words.text, style=palette.dim if is_plain else palette.text, no_wrap=True)
    for start, end in words.spans:
        body.stylize(changed + _CHANGED, start, end)
    fit_line(body, left)
    cell.append_text(body)
    cell.append_text(tail)
    fit_line(cell, room)
    cell.pad_right(max(0, room - cell.cell_len))
    return cell


def _tail(pair: Pair, call: Call, palette: Palette) -> Text:
    tail = Text(no_wrap=True)
    decided = decision_words(call)
    both = pair.left is not None and pair.right is not None
    if call.is_open:
        style = palette.human if call.waits_for_approval else palette.good
        tail.append(f"  {end_of(call)}", style=style)
    elif (
        both
        and not pair.is_pending
        and not pair.same_outcome
        and not (decided and call.was_prevented)
    ):
        tail.append(f"  {end_of(call)}", style=_end_style(call, palette))
    if decided:
        tail.append(f"  {decided}", style=palette.human)
    return tail


def _sign(pair: Pair, palette: Palette, room: int) -> Text:
    between = sign(pair)
    style = _sign_style(between, palette)
    return _cell(f" {between} {difference_word(pair) if room > 3 else ''}", room, style)


def _sign_style(between: str, palette: Palette) -> Style:
    return {"=": palette.faint, "…": palette.dim, "≈": palette.warn, "≠": palette.bad}.get(
        between, palette.accent
    )


def _end_style(call: Call | None, palette: Palette) -> Style:
    if call is not None and call.is_open:
        return palette.human if call.waits_for_approval else palette.good
    if call is None or call.ok is None or call.was_prevented:
        return palette.warn
    return palette.good if call.ok else palette.bad


# --- acts of the user, and equal rows


def _acts(pair: ActPair, width: int, palette: Palette) -> Text:
    between = "=" if pair.same else "◂" if pair.right is None else "▸"
    style = palette.dim if pair.is_note else _sign_style(between, palette)
    if not is_wide(width):
        act = pair.left or pair.right
        line = _cell(f" {between} ", 3, style)
        return line if act is None else line.append_text(_act(act, pair, palette))
    half = _half(width)
    line = Text(" ", no_wrap=True)
    line.append_text(_act_cell(pair.left, pair, half, palette))
    said = "" if pair.is_note and not pair.same else f" {between} {'' if pair.same else 'only'}"
    line.append_text(_cell(said, _MIDDLE, style))
    return line.append_text(_act_cell(pair.right, pair, half, palette))


def _act_cell(act: Act | None, pair: ActPair, room: int, palette: Palette) -> Text:
    cell = Text(no_wrap=True) if act is None else _act(act, pair, palette)
    fit_line(cell, room)
    cell.pad_right(max(0, room - cell.cell_len))
    return cell


def _act(act: Act, pair: ActPair, palette: Palette) -> Text:
    name, words = act_words(act)
    cell = Text("     ", no_wrap=True)
    cell.append(f"{name}  ", style=palette.human + Style(bold=True))
    return cell.append(words, style=palette.dim if pair.same else palette.text)


def _hidden(row: Hidden, palette: Palette) -> Text:
    words = numbers.counted(row.calls, "identical call") if row.calls else "the same on both sides"
    line = Text(f" ⋯  {words}", style=palette.dim, no_wrap=True)
    return line.append(f"  {hint('compare.hide')} shows", style=palette.faint)


# --- files


def _file(file: FilePair, width: int, palette: Palette) -> Text:
    mark = {"left only": "◂ ", "right only": "▸ "}.get(file.verdict, "≠ ")
    style = _file_style(file, palette)
    line = Text(f" {mark}{file.verdict:<{_VERDICT}}", style=style, no_wrap=True)
    sizes, by = file_sizes(file), size_difference(file)
    room = max(8, width - line.cell_len - len(sizes) - len(by) - 5)
    line.append_text(_cell(_end_of_path(sanitize_line(file.path), room), room, palette.text))
    line.append(f"  {sizes}", style=palette.dim)
    return line.append(f"  {by}", style=palette.warn)


def _file_style(file: FilePair, palette: Palette) -> Style:
    styles = {"left only": palette.bad, "right only": palette.good}
    return styles.get(file.verdict, palette.warn)


def _end_of_path(path: str, room: int) -> str:
    """Return the end of a path, which distinguishes it from others."""
    return path if len(path) <= room else f"…{path[len(path) - room + 1 :]}"


# --- parts


def _cell(words: str, room: int, style: Style) -> Text:
    cell = Text(words, style=style, no_wrap=True)
    fit_line(cell, room)
    cell.pad_right(max(0, room - cell.cell_len))
    return cell


def _half(width: int) -> int:
    return max(8, (width - 1 - _MIDDLE) // 2)
