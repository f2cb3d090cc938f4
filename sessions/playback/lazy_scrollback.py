"""The terminals of a session: their screens at a position, and scrollback recreated on demand.

A keyframe stores only a terminal's screen. The lines that scrolled away between two keyframes are
recreated on access, a segment at a time, by feeding the output in between to the first screen. That
never costs more than a jump.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import NamedTuple, overload

from sandbox_tui.core.base.defaults import TERMINAL_SIZE
from sandbox_tui.core.events import types as e
from sandbox_tui.core.terminal.emulator.screen import Screen
from sandbox_tui.core.terminal.emulator.scrollback import SCROLLBACK, ContinuedHistory, RawLine
from sandbox_tui.sessions.playback.state_codec import CorruptKeyframe
from sandbox_tui.sessions.store.store import Store

MAX_CACHED_SEGMENTS = 16
"""Number of scrollback segments cached per terminal."""


class ScreenKey(NamedTuple):
    """Key of the table `keyframe_screens`.

    Attributes:
        terminal: its name.
        opened_seq: number of the event that opened it; 0 for the mirror from the start.
        seq: of the keyframe.
    """

    terminal: str
    opened_seq: int
    seq: int


class TerminalScreens:
    """The terminals at one position: a fold of events, like `RunState`.

    Attributes:
        by_name: their screens, including those of closed terminals.
        opened_seq: number of the event that opened each.
        touched: terminals that an event has changed since this was created or the last keyframe was
            written.
    """

    def __init__(self) -> None:
        self.by_name: dict[str, Screen] = {"model": Screen(*TERMINAL_SIZE)}
        self.opened_seq: dict[str, int] = {"model": 0}
        self.touched: set[str] = {"model"}

    def apply(self, event: e.AnyEvent) -> None:
        """Apply one event."""
        match event:
            case e.TerminalOpened(terminal=name, cols=cols, rows=rows):
                if name not in self.by_name:
                    self.by_name[name], self.opened_seq[name] = Screen(cols, rows), event.seq
            case e.TerminalOutput(terminal=name) | e.TerminalResized(terminal=name):
                if name not in self.by_name:
                    return
            case _:
                return
        _feed(self.by_name[name], event)
        self.touched.add(name)


_ForTerminal = e.TerminalOpened | e.TerminalOutput | e.TerminalResized


def _feed(screen: Screen, event: _ForTerminal) -> None:
    """Apply an event to a terminal; one that is opened again continues in its new size."""
    if isinstance(event, e.TerminalOutput):
        screen.feed(event.data)
        screen.replies()  # discard them: the program they were for has ended
    else:
        screen.resize(event.cols, event.rows)


def restored_screen(store: Store, run_id: str, key: ScreenKey) -> Screen:
    """Return a terminal at a keyframe, with all its scrollback.

    Raises:
        CorruptKeyframe: it is missing or damaged.
    """
    row = store.keyframes(run_id).screen(*key)
    if row is None:
        raise CorruptKeyframe("A terminal is missing.")
    history, data = row
    screen = _decode_screen(data)
    if not 0 <= history <= min(SCROLLBACK, screen.scrolled):
        raise CorruptKeyframe("The length of a scrollback is not valid.")
    detach_scrollback(screen, store, run_id, key, history)
    return screen


def detach_scrollback(
    screen: Screen, store: Store, run_id: str, key: ScreenKey, history: int
) -> None:
    """Replace the scrollback in memory by one that is read from the database."""
    lines = LazyScrollback(store, run_id, key, first=screen.scrolled - history, count=history)
    screen.history = ContinuedHistory(lines)


def _decode_screen(keyframe: object) -> Screen:
    if not isinstance(keyframe, bytes):
        raise CorruptKeyframe("This is not a terminal.")
    screen = Screen(*TERMINAL_SIZE)
    try:
        screen.restore(keyframe)
    except ValueError as error:
        raise CorruptKeyframe(str(error)) from error
    return screen


class _Segment(NamedTuple):
    """Lines that scrolled away between two keyframes; `first` is the number of the first line."""

    first: int
    lines: Sequence[RawLine]


class LazyScrollback(Sequence[RawLine]):
    """Scrollback up to a keyframe; see the module docstring.

    Args:
        store: the database.
        run_id: the session.
        key: the terminal at the keyframe.
        first: number of the first line, counted from the terminal's first line ever.
        count: number of lines.
    """

    def __init__(
        self, store: Store, run_id: str, key: ScreenKey, *, first: int, count: int
    ) -> None:
        self._store = store
        self._run_id = run_id
        self._tables = store.keyframes(run_id)
        self._place = key
        self._first = first
        self._count = count
        self._segments: OrderedDict[int, _Segment] = OrderedDict()

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> RawLine: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[RawLine]: ...
    def __getitem__(self, index: int | slice) -> RawLine | Sequence[RawLine]:
        if isinstance(index, slice):
            return [self[key] for key in range(*index.indices(self._count))]
        if not 0 <= index < self._count:
            raise IndexError(index)
        number = self._first + index
        segment = self._cached(number) or self._load(number)
        return segment.lines[number - segment.first]

    def _cached(self, number: int) -> _Segment | None:
        for seq in reversed(self._segments):
            segment = self._segments[seq]
            if 0 <= number - segment.first < len(segment.lines):
                return segment
        return None

    def _load(self, number: int) -> _Segment:
        """Return the segment in which a line scrolled away."""
        terminal, opened_seq, seq = self._place
        before = self._tables.screen_above(terminal, opened_seq, number, seq)
        after = before[0] if before else 0
        end = self._tables.next_screen(terminal, opened_seq, after)
        try:
            if end is None:
                raise CorruptKeyframe("A terminal has no keyframe after another.")
            screen = _decode_screen(before[1]) if before else self._empty_screen()
            segment = self._replay(
                screen, self._last_head(end, after) if before else opened_seq, end
            )
        except CorruptKeyframe:
            segment = None
        if segment is None or not 0 <= number - segment.first < len(segment.lines):
            segment = self._replay(self._empty_screen(), opened_seq, seq)  # from the very start
        if not 0 <= number - segment.first < len(segment.lines):
            segment = _Segment(number, [""])
        self._segments[seq if not before else after] = segment
        while len(self._segments) > MAX_CACHED_SEGMENTS:
            self._segments.popitem(last=False)
        return segment

    def _last_head(self, seq: int, after: int) -> int:
        """Return the last keyframe before `seq`; no output came between `after` and that one."""
        return max(after, self._tables.last(before=seq))

    def _empty_screen(self) -> Screen:
        opened_seq = self._place.opened_seq
        opened = next(
            self._store.events(self._run_id, after=opened_seq - 1, until=opened_seq), None
        )
        if isinstance(opened, e.TerminalOpened):
            return Screen(opened.cols, opened.rows)
        return Screen(*TERMINAL_SIZE)

    def _replay(self, screen: Screen, after: int, until: int) -> _Segment:
        for event in self._store.events(self._run_id, after=after, until=until):
            if isinstance(event, _ForTerminal) and event.terminal == self._place.terminal:
                _feed(screen, event)
        return _Segment(screen.scrolled - len(screen.history), list(screen.history))
