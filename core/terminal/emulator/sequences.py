"""Maps controls and sequences to functions (ECMA-48, DEC STD 070, xterm ctlseqs)."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from sandbox_tui.core.terminal.emulator.modes import Modes
from sandbox_tui.core.terminal.emulator.parser import Meaning
from sandbox_tui.core.terminal.emulator.rows import Row
from sandbox_tui.core.terminal.emulator.sgr import Change, change_of, usual_change

MAX_NUMBER = 9999
"""Larger numbers in sequences are clamped to this."""

MAX_NUMBERS = 32

_Function = Callable[[Modes, Any], None]

_FUNCTIONS: dict[str, _Function] = {
    "@": Modes.open_characters,
    "A": Modes.move_up,
    "B": Modes.move_down,
    "C": Modes.move_right,
    "D": Modes.move_left,
    "E": Modes.next_line,
    "F": Modes.previous_line,
    "G": Modes.move_to_column,
    "H": Modes.move_to,
    "I": Modes.tab_forward,
    "J": Modes.erase_display_part,
    "?J": Modes.erase_unprotected_in_display,
    "K": Modes.erase_line_part,
    "?K": Modes.erase_unprotected_in_line,
    "L": Modes.open_lines,
    "M": Modes.remove_lines,
    "P": Modes.remove_characters,
    "S": Modes.scroll_up,
    "T": Modes.scroll_down,
    "X": Modes.blank_characters,
    "Z": Modes.tab_back,
    "`": Modes.move_to_column,
    "a": Modes.move_right,
    "b": Modes.repeat,
    "c": Modes.report_attributes,
    ">c": Modes.report_secondary_attributes,
    "d": Modes.move_to_row,
    "e": Modes.move_down,
    "f": Modes.move_to,
    "g": Modes.clear_tabs,
    "h": Modes.set_modes,
    "?h": Modes.set_private_modes,
    "l": Modes.reset_modes,
    "?l": Modes.reset_private_modes,
    "n": Modes.report_status,
    "?n": Modes.report_private_status,
    "!p": Modes.soft_reset,
    '"q': Modes.protect,
    "$p": Modes.report_mode,
    "?$p": Modes.report_private_mode,
    "r": Modes.change_margins,
    "s": Modes.save_cursor,
    "u": Modes.restore_cursor,
}
"""Functions by private marker, intermediates and final character; other sequences do nothing."""

_SHAPE = re.compile(r"(?:\x1b\[|\x9b)([<=>?]*)([0-9;:]*)([ -/]*)([@-~])\Z")
_STYLES = re.compile(r"(?>(?:\x1b\[[0-9;:]*m|\x1b\(B)+)\Z")
_PARAMETERS = re.compile(r"\[([0-9;:]*)m")
_ESCAPE = re.compile(r"\x1b([ -/]*)([0-OQ-WYZ\\`-~])\Z")
_COMMAND = re.compile(r"(?:\x1b\]|\x9d)([^\x07\x18\x1a\x1b\x9c]*+)(?:[\x07\x9c]|\x1b\\)\Z")

MAX_MEANINGS = 16_384
MAX_CACHED_CHARS = 64
"""Maximum length of a sequence whose meaning is cached."""


def _ignore(_screen: Modes, _argument: object) -> None:
    """Ignore an unknown or incomplete sequence."""


NOTHING: Meaning = (_ignore, None, 0)


class Meanings(dict[str, Meaning]):
    """The meanings of sequences, determined on first use."""

    def __missing__(self, sequence: str) -> Meaning:
        meaning = _meaning(sequence)
        if len(sequence) <= MAX_CACHED_CHARS:
            if len(self) >= MAX_MEANINGS:
                self.clear()
            self[sequence] = meaning
        return meaning


def _meaning(sequence: str) -> Meaning:
    """Return the function of a control or sequence, and its argument."""
    if sequence[-1] == "m" and sequence[:2] == "\x1b[":
        try:
            return None, *usual_change(sequence[2:-1].split(";"))
        except (KeyError, IndexError):
            pass  # several SGR, an unusual one, or another sequence
    if sequence in _CONTROLS:
        return _CONTROLS[sequence], None, 0
    if _STYLES.match(sequence):
        return _change(sequence)
    shape = _SHAPE.match(sequence)
    if shape is not None:
        return _control_sequence(*shape.groups())
    command = _COMMAND.match(sequence)
    if command is not None:
        return Commands.operating_system_command, command[1], 0
    escape = _ESCAPE.match(sequence)
    if escape is not None:
        intermediates, final = escape.groups()
        if intermediates in ("(", ")"):
            return Commands.designate, (intermediates == ")", final == "0"), 0
        return _ESCAPES.get(intermediates + final, _ignore), None, 0
    return NOTHING


def _change(sequence: str) -> Meaning:
    """Parse one or more SGR, possibly with a switch of G0 to letters in between."""
    left, added = -1, 0
    for parameters in _PARAMETERS.findall(sequence):
        stays, comes = change_of(parameters)
        left, added = left & stays, added & stays | comes
    if "(B" in sequence:
        return Commands.select_letters, (left, added), 0
    return None, left, added


def _control_sequence(private: str, parameters: str, intermediates: str, final: str) -> Meaning:
    function = _FUNCTIONS.get(private + intermediates + final)
    if function is None:
        return NOTHING
    numbers = tuple(map(_number, parameters.split(";")[:MAX_NUMBERS]))
    if function is Modes.move_to:
        row, column = (*numbers, 1)[:2]
        return function, (max(0, row - 1), max(0, column - 1)), 0
    return function, numbers, 0


def _number(field: str) -> int:
    """Return a parameter's value; only the first of its sub-parameters counts."""
    digits = field.partition(":")[0]
    return min(int(digits[:8]), MAX_NUMBER) if digits else 0


class Commands(Modes):
    """Controls and escape sequences without numbers."""

    meanings = Meanings()

    def carriage_return(self, _: None = None) -> None:
        """CR."""
        self.x = 0

    def down(self, _: None = None) -> None:
        """LF, VT, FF; with LNM also to the first column."""
        if self.returns:
            self.x = 0
        self.line_feed()

    def backspace(self, _: None = None) -> None:
        """BS."""
        self.x = max(0, min(self.x, self.columns - 1) - 1)

    def shift_out(self, _: None = None) -> None:
        """SO: G1."""
        self._shift(True)

    def shift_in(self, _: None = None) -> None:
        """SI: G0."""
        self._shift(False)

    def _shift(self, shifted: bool) -> None:
        self.shifted = shifted
        self.refresh_plain()

    def set_tab(self, _: None = None) -> None:
        """HTS."""
        self.tab_stops.add(self.x)

    def identify(self, _: None = None) -> None:
        """DECID."""
        self.report_attributes((0,))

    def application_keypad(self, _: None = None) -> None:
        """DECKPAM."""
        self.modes.add(66)

    def numeric_keypad(self, _: None = None) -> None:
        """DECKPNM."""
        self.modes.discard(66)

    def full_reset(self, _: None = None) -> None:
        """RIS."""
        self.reset()

    def align(self, _: None = None) -> None:
        """DECALN: fill the screen with E."""
        self.rows = [Row("E" * self.columns) for _ in range(self.lines)]
        self.touch(0, self.lines)

    def select_letters(self, change: Change) -> None:
        """SCS of letters for G0, with SGR: a common way to return to the default style."""
        left, added = change
        self.style = self.style & left | added
        if self.charsets[0]:
            self.designate((False, False))

    def designate(self, what: tuple[bool, bool]) -> None:
        """SCS: set G0 or G1 to letters or graphics; `what` is (is G1, draws lines)."""
        second, draws_lines = what
        if self.charsets[second] == draws_lines:
            return
        g0, g1 = self.charsets
        self.charsets = (g0, draws_lines) if second else (draws_lines, g1)
        self.refresh_plain()

    def operating_system_command(self, text: str) -> None:
        """OSC: only titles are supported."""
        number, _, rest = text.partition(";")
        if number in ("0", "2"):
            self.title = rest[:1024]


_Bare = Callable[[Any, None], None]

_CONTROLS: dict[str, _Bare] = {
    "\r\n": Commands.newline,
    "\r": Commands.carriage_return,
    "\n": Commands.down,
    "\x0b": Commands.down,
    "\x0c": Commands.down,
    "\b": Commands.backspace,
    "\t": Commands.tab,
    "\x0e": Commands.shift_out,
    "\x0f": Commands.shift_in,
    "\x84": Commands.line_feed,
    "\x85": Commands.newline,
    "\x88": Commands.set_tab,
    "\x8d": Commands.reverse_line_feed,
    "\x9a": Commands.identify,
}

_ESCAPES: dict[str, _Bare] = {
    "7": Commands.save_cursor,
    "8": Commands.restore_cursor,
    "D": Commands.line_feed,
    "E": Commands.newline,
    "H": Commands.set_tab,
    "M": Commands.reverse_line_feed,
    "Z": Commands.identify,
    "c": Commands.full_reset,
    "=": Commands.application_keypad,
    ">": Commands.numeric_keypad,
    "#8": Commands.align,
}
