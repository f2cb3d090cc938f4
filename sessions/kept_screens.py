"""Terminals of a session: their screens at a moment, and their scrollback without storing it twice.

A keyframe has a terminal's screen alone. The lines that scrolled away between two keyframes are
what feeding the first of them the output in between brings forth: they are made when somebody
looks at them, a stretch at a time, which is never more work than a jump.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import NamedTuple, overload

from ..core import events as e
from ..core.terminal.history import SCROLLBACK, Continued, Kept
from ..core.terminal.screen import Screen
from .packed_items import Damaged
from .store import Store

STRETCHES = 16
"""Stretches of scrollback that are kept in memory for each terminal."""

MIRROR_SIZE = (80, 24)
"""Columns and lines of the mirror until the recording says more."""


class Place(NamedTuple):
    """A row of the table `screens`.

    Attributes:
        terminal: its name.
        born: number of the event that opened it, 0 for the mirror at the beginning.
        seq: of the keyframe.
    """

    terminal: str
    born: int
    seq: int


class Screens:
    """The terminals of one moment: a fold of events, as `RunState` is.

    Attributes:
        by_name: what they show; those that were closed too.
        born: number of the event that opened each.
        touched: those that an event has changed since this was made or `settled`.
    """

    def __init__(self) -> None:
        self.by_name: dict[str, Screen] = {"model": Screen(*MIRROR_SIZE)}
        self.born: dict[str, int] = {"model": 0}
        self.touched: set[str] = {"model"}

    def apply(self, event: e.AnyEvent) -> None:
        """Take one event in."""
        match event:
            case e.TerminalOpened(terminal=name, cols=cols, rows=rows):
                if name not in self.by_name:
                    self.by_name[name], self.born[name] = Screen(cols, rows), event.seq
            case e.TerminalOutput(terminal=name) | e.TerminalResized(terminal=name):
                if name not in self.by_name:
                    return
            case _:
                return
        _take(self.by_name[name], event)
        self.touched.add(name)


_ForTerminal = e.TerminalOpened | e.TerminalOutput | e.TerminalResized


def _take(screen: Screen, event: _ForTerminal) -> None:
    """What an event does to a terminal; one that is opened again goes on in its new size."""
    if isinstance(event, e.TerminalOutput):
        screen.feed(event.data)
        screen.replies()  # of a program that is long gone
    else:
        screen.resize(event.cols, event.rows)


def restored(store: Store, run_id: str, place: Place) -> Screen:
    """A terminal as it was at a keyframe, with all its scrollback.

    Raises:
        Damaged: it is not there, or not what was written.
    """
    rows = store.rows(
        "SELECT history, data FROM screens"
        " WHERE run_id = ? AND terminal = ? AND born = ? AND seq = ?",
        [run_id, *place],
    )
    if len(rows) != 1:
        raise Damaged("A terminal is not there.")
    screen = _from(rows[0]["data"])
    history = int(rows[0]["history"])
    if not 0 <= history <= min(SCROLLBACK, screen.scrolled):
        raise Damaged("A terminal cannot have so much scrollback.")
    go_on(screen, store, run_id, place, history)
    return screen


def go_on(screen: Screen, store: Store, run_id: str, place: Place, history: int) -> None:
    """Leave the scrollback there is to the database."""
    lines = PastLines(store, run_id, place, first=screen.scrolled - history, count=history)
    screen.history = Continued(lines)


def _from(keyframe: object) -> Screen:
    if not isinstance(keyframe, bytes):
        raise Damaged("This is no terminal.")
    screen = Screen(*MIRROR_SIZE)
    try:
        screen.restore(keyframe)
    except ValueError as error:
        raise Damaged(str(error)) from error
    return screen


class _Stretch(NamedTuple):
    """Lines that scrolled away between two keyframes; `first` is the number of the first."""

    first: int
    lines: Sequence[Kept]


class PastLines(Sequence[Kept]):
    """Scrollback up to a keyframe; see the module's text.

    Args:
        store: where the session is.
        run_id: its id.
        place: the terminal at the keyframe.
        first: number of the first line, counted from the first that the terminal ever had.
        count: how many there are.
    """

    def __init__(self, store: Store, run_id: str, place: Place, *, first: int, count: int) -> None:
        self._store = store
        self._run_id = run_id
        self._place = place
        self._first = first
        self._count = count
        self._stretches: OrderedDict[int, _Stretch] = OrderedDict()

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> Kept: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Kept]: ...
    def __getitem__(self, index: int | slice) -> Kept | Sequence[Kept]:
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(self._count))]
        if not 0 <= index < self._count:
            raise IndexError(index)
        number = self._first + index
        stretch = self._known(number) or self._made(number)
        return stretch.lines[number - stretch.first]

    def _known(self, number: int) -> _Stretch | None:
        for seq in reversed(self._stretches):
            stretch = self._stretches[seq]
            if 0 <= number - stretch.first < len(stretch.lines):
                return stretch
        return None

    def _made(self, number: int) -> _Stretch:
        """The stretch in which a line scrolled away."""
        terminal, born, seq = self._place
        before = self._store.rows(
            "SELECT seq, data FROM screens WHERE run_id = ? AND terminal = ? AND born = ?"
            " AND scrolled <= ? AND seq < ? ORDER BY scrolled DESC, seq DESC LIMIT 1",
            [self._run_id, terminal, born, number, seq],
        )
        after = int(before[0]["seq"]) if before else 0
        end = self._store.rows(
            "SELECT min(seq) AS seq FROM screens WHERE run_id = ? AND terminal = ? AND born = ?"
            " AND seq > ?",
            [self._run_id, terminal, born, after],
        )[0]["seq"]
        try:
            screen = _from(before[0]["data"]) if before else self._newborn()
            stretch = self._fed(screen, self._last_head(end, after) if before else born, end)
        except Damaged:
            stretch = None
        if stretch is None or not 0 <= number - stretch.first < len(stretch.lines):
            stretch = self._fed(self._newborn(), born, seq)  # from its first line on
        if not 0 <= number - stretch.first < len(stretch.lines):
            stretch = _Stretch(number, [""])
        self._stretches[seq if not before else after] = stretch
        while len(self._stretches) > STRETCHES:
            self._stretches.popitem(last=False)
        return stretch

    def _last_head(self, seq: int, after: int) -> int:
        """The keyframe before another: nothing came out of the terminal between it and `after`."""
        rows = self._store.rows(
            "SELECT max(seq) AS seq FROM keyframes WHERE run_id = ? AND kind = 'head' AND seq < ?",
            [self._run_id, seq],
        )
        return max(after, rows[0]["seq"] or 0)

    def _newborn(self) -> Screen:
        born = self._place.born
        opened = next(self._store.events(self._run_id, after=born - 1, until=born), None)
        if isinstance(opened, e.TerminalOpened):
            return Screen(opened.cols, opened.rows)
        return Screen(*MIRROR_SIZE)

    def _fed(self, screen: Screen, after: int, until: int) -> _Stretch:
        for event in self._store.events(self._run_id, after=after, until=until):
            if isinstance(event, _ForTerminal) and event.terminal == self._place.terminal:
                _take(screen, event)
        return _Stretch(screen.scrolled - len(screen.history), list(screen.history))
