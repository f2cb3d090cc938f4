"""Which function a control or a sequence stands for (ECMA-48, DEC STD 070, xterm ctlseqs)."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from .cells import Row
from .editing import Numbers
from .modes import Modes

MOST = 9999
"""Larger numbers in sequences mean no more than this."""

MOST_NUMBERS = 32

Function = Callable[[Modes, Numbers], None]

_FUNCTIONS: dict[str, Function] = {
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
    "?J": Modes.erase_display_part,
    "K": Modes.erase_line_part,
    "?K": Modes.erase_line_part,
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
    "$p": Modes.report_mode,
    "?$p": Modes.report_private_mode,
    "r": Modes.change_margins,
    "s": Modes.save_cursor,
    "u": Modes.restore_cursor,
}
"""By private marker, intermediates and final character; what is not here does nothing."""

_SHAPE = re.compile(r"(?:\x1b\[|\x9b)([<=>?]*)([0-9;:]*)([ -/]*)([@-~])\Z")


def _nothing(_screen: Modes, _numbers: Numbers) -> None:
    """A sequence that we do not know."""


@lru_cache(16_384)
def function_of(sequence: str) -> tuple[Function, Numbers]:
    """What a control sequence asks for, and with which numbers."""
    shape = _SHAPE.match(sequence)
    if shape is None:
        return _nothing, (0,)
    private, parameters, intermediates, final = shape.groups()
    function = _FUNCTIONS.get(private + intermediates + final)
    if function is None:
        return _nothing, (0,)
    return function, tuple(map(_number, parameters.split(";")[:MOST_NUMBERS]))


def _number(field: str) -> int:
    """A parameter's value; of sub-parameters the first counts."""
    digits = field.partition(":")[0]
    return min(int(digits[:8]), MOST) if digits else 0


class Commands(Modes):
    """Takes controls and sequences as the parser finds them."""

    def control_sequence(self, sequence: str) -> None:
        """CSI."""
        if len(sequence) < 64:
            function, numbers = function_of(sequence)
        elif sequence[-1] == "m" and "?" not in sequence and ">" not in sequence:
            self.select_long_graphic_rendition(sequence[2:-1])
            return
        else:
            function, numbers = function_of.__wrapped__(sequence)
        function(self, numbers)

    def control(self, char: str) -> None:
        """A C0 or C1 control."""
        match char:
            case "\r":
                self.x = 0
            case "\n" | "\x0b" | "\x0c":
                if self.returns:
                    self.x = 0
                self.line_feed()
            case "\b":
                self.x = max(0, min(self.x, self.columns - 1) - 1)
            case "\t":
                self.tab()
            case "\x0e" | "\x0f":
                self.shifted = char == "\x0e"
                self.refresh_plain()
            case "\x84":
                self.line_feed()
            case "\x85":
                self.newline()
            case "\x88":
                self.tab_stops.add(self.x)
            case "\x8d":
                self.reverse_line_feed()
            case "\x9a":
                self.report_attributes((0,))
            case _:
                pass

    def escape(self, sequence: str) -> None:
        """ESC, intermediates, a final character."""
        match sequence[1:]:
            case "7":
                self.save_cursor()
            case "8":
                self.restore_cursor()
            case "D":
                self.line_feed()
            case "E":
                self.newline()
            case "H":
                self.tab_stops.add(self.x)
            case "M":
                self.reverse_line_feed()
            case "Z":
                self.report_attributes((0,))
            case "c":
                self.reset()
            case "=":
                self.modes.add(66)
            case ">":
                self.modes.discard(66)
            case "#8":
                self.rows = [Row("E" * self.columns) for _ in range(self.lines)]
                self.touch(0, self.lines)
            case charset if charset[0] in "()":
                self._designate(charset[0] == ")", charset.endswith("0"))
            case _:
                pass

    def _designate(self, second: bool, draws_lines: bool) -> None:
        """SCS: G0 or G1 becomes the line drawing charset or letters."""
        g0, g1 = self.charsets
        self.charsets = (g0, draws_lines) if second else (draws_lines, g1)
        self.refresh_plain()

    def operating_system_command(self, text: str) -> None:
        """OSC: only titles mean something to us; the number is taken whole."""
        number, _, rest = text.partition(";")
        if number in ("0", "2"):
            self.title = rest[:1024]
