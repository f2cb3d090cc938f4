"""Modes, margins, the two screens, and reports (DEC STD 070, xterm ctlseqs)."""

from __future__ import annotations

from sandbox_tui.core.terminal.emulator.cursor_and_editing import Editing, Numbers
from sandbox_tui.core.terminal.emulator.grid import Saved
from sandbox_tui.core.terminal.emulator.rows import Row
from sandbox_tui.core.terminal.emulator.sgr import PLAIN

MAX_REPLIES = 64
ALTERNATE = frozenset((47, 1047, 1049))
KNOWN_MODES = frozenset(
    (
        1,
        3,
        5,
        6,
        7,
        9,
        12,
        25,
        47,
        66,
        1000,
        1002,
        1003,
        1004,
        1006,
        1007,
        1047,
        1048,
        1049,
        2004,
        2026,
    )
)
"""DEC private modes that are stored; others are reported as not recognised and ignored."""


class Modes(Editing):
    """Modes that a program sets and queries."""

    answers: list[str]

    def set_modes(self, numbers: Numbers) -> None:
        """SM."""
        self._set_ansi(numbers, True)

    def reset_modes(self, numbers: Numbers) -> None:
        """RM."""
        self._set_ansi(numbers, False)

    def _set_ansi(self, numbers: Numbers, on: bool) -> None:
        if 4 in numbers:
            self.inserts = on
            self.refresh_plain()
        if 20 in numbers:
            self.returns = on

    def set_private_modes(self, numbers: Numbers) -> None:
        """DECSET."""
        for mode in numbers:
            self._set_mode(mode, True)

    def reset_private_modes(self, numbers: Numbers) -> None:
        """DECRST."""
        for mode in numbers:
            self._set_mode(mode, False)

    def _set_mode(self, mode: int, on: bool) -> None:
        changes = on != (mode in self.modes)
        if mode in ALTERNATE:
            self._switch_screen(mode, on)
        elif mode == 1048:
            self.save_cursor() if on else self.restore_cursor()
        elif mode in KNOWN_MODES:
            if on:
                self.modes.add(mode)
            else:
                self.modes.discard(mode)
        if mode == 7:
            self.wraps = on
        elif mode == 6:
            self.origin = on
            self.go(0, 0)
        elif mode == 3 and changes:
            self._change_columns()

    def _change_columns(self) -> None:
        """DECCOLM: clear the screen and the margins (VT510 manual); the number of columns stays.

        The terminal's size is that of its pane, as in Alacritty and kitty. xterm ignores the mode
        until DECSET 40 allows it. A reset without a preceding set, which is part of terminal
        initialisation (terminfo's `is2` of xterm), is no change and clears nothing.
        """
        self.top, self.bottom = 0, self.lines - 1
        for y in range(self.lines):
            self.erase(y, 0, self.columns)
        self.go(0, 0)

    def _switch_screen(self, mode: int, to_alternate: bool) -> None:
        if to_alternate == (self.hidden is not None):
            if to_alternate and mode == 1049:  # cleared each time (xterm ctlseqs, DECSET 1049)
                self.save_cursor()
                self.rows = [Row() for _ in range(self.lines)]
                self.touch(0, self.lines)
            return
        if to_alternate and mode == 1049:
            self.save_cursor()
        if self.hidden is None:
            self.hidden = self.rows
            self.rows = [Row() for _ in range(self.lines)]
        else:
            self.rows, self.hidden = self.hidden, None
        self.saved, self.saved_hidden = self.saved_hidden, self.saved
        if not to_alternate and mode == 1049:
            self.restore_cursor()
        self.modes -= ALTERNATE
        if to_alternate:
            self.modes.add(mode)
        self.touch(0, self.lines)

    # --- cursor and margins

    def save_cursor(self, _: Numbers | None = None) -> None:
        """DECSC, SCOSC."""
        self.saved = Saved(
            self.x, self.y, self.style, self.origin, self.wraps, self.charsets, self.shifted
        )

    def restore_cursor(self, _: Numbers | None = None) -> None:
        """DECRC, SCORC; home if nothing was saved."""
        if self.saved is None:
            self.x = self.y = 0
            return
        saved = self.saved
        self.x, self.y = min(saved.x, self.columns), min(saved.y, self.lines - 1)
        self.style, self.origin, self.wraps = saved.style, saved.origin, saved.wraps
        self.charsets, self.shifted = saved.charsets, saved.shifted
        self.refresh_plain()

    def change_margins(self, numbers: Numbers) -> None:
        """DECSTBM."""
        top = (numbers[0] or 1) - 1
        requested = numbers[1] if len(numbers) > 1 else 0
        bottom = min(requested or self.lines, self.lines) - 1
        if top < bottom:
            self.top, self.bottom = top, bottom
            self.go(0, 0)

    def soft_reset(self, _numbers: Numbers) -> None:
        """DECSTR."""
        self.wraps, self.inserts, self.origin, self.returns = True, False, False, False
        self.top, self.bottom = 0, self.lines - 1
        self.style = PLAIN
        self.charsets, self.shifted = (False, False), False
        self.saved = None
        self.modes |= {7, 25}
        self.modes -= {1, 6, 66}
        self.refresh_plain()

    # --- replies

    def answer(self, text: str) -> None:
        """Queue a reply to the program; drops replies during a flood of queries."""
        if len(self.answers) < MAX_REPLIES:
            self.answers.append(text)

    def _place(self) -> str:
        y = self.y - self.top if self.origin else self.y
        return f"{y + 1};{min(self.x, self.columns - 1) + 1}"

    def report_status(self, numbers: Numbers) -> None:
        """DSR: 5 queries the terminal's status, 6 the cursor position."""
        if numbers[0] == 5:
            self.answer("\x1b[0n")
        elif numbers[0] == 6:
            self.answer(f"\x1b[{self._place()}R")

    def report_private_status(self, numbers: Numbers) -> None:
        """DECXCPR."""
        if numbers[0] == 6:
            self.answer(f"\x1b[?{self._place()}R")

    def report_attributes(self, numbers: Numbers) -> None:
        """DA1: a VT220 with colours."""
        if numbers[0] == 0:
            self.answer("\x1b[?62;22c")

    def report_secondary_attributes(self, numbers: Numbers) -> None:
        """DA2."""
        if numbers[0] == 0:
            self.answer("\x1b[>1;10;0c")

    def report_mode(self, numbers: Numbers) -> None:
        """DECRQM for ANSI modes."""
        states = {4: self.inserts, 20: self.returns}
        mode = numbers[0]
        state = (1 if states[mode] else 2) if mode in states else 0
        self.answer(f"\x1b[{mode};{state}$y")

    def report_private_mode(self, numbers: Numbers) -> None:
        """DECRQM."""
        mode = numbers[0]
        state = (1 if mode in self.modes else 2) if mode in KNOWN_MODES else 0
        self.answer(f"\x1b[?{mode};{state}$y")
