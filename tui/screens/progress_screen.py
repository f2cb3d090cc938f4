"""Base class of screens that show something in progress, with charts."""

from __future__ import annotations

import asyncio
from typing import ClassVar, Generic, TypeVar

from textual import work
from textual.events import Resize
from textual.screen import Screen

from sandbox_tui.core.base.errors import StoreError
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.tui.widgets.charts.chart_row import ChartRow

Data = TypeVar("Data")

READ_SECONDS = 1.0
"""Seconds between readings."""


class ProgressScreen(Screen[None], Generic[Data]):
    """Shows data computed from the latest reading, and reads again every second.

    A subclass computes and shows the data, and contains a `ChartRow`.
    """

    MIN_LINES_FOR_CHARTS: ClassVar[int]
    """Screens with at least this many lines show the charts by default."""

    def __init__(self) -> None:
        super().__init__()
        self._data: Data | None = None
        self._charts: bool | None = None
        self._is_reading = False

    def compute(self) -> Data | None:
        """Compute the current data; None if nothing has changed. Called in a thread."""
        raise NotImplementedError

    def show_data(self, data: Data) -> None:
        """Show the data in all parts of the screen."""
        raise NotImplementedError

    def on_mount(self) -> None:
        """Start the updates."""
        self.read()
        self.set_interval(READ_SECONDS, self.read)

    @property
    def is_settled(self) -> bool:
        """Whether the first reading is displayed."""
        return self._data is not None

    @work(group="read")
    async def read(self) -> None:
        """Read again, and show what has changed."""
        if self._is_reading:
            return
        self._is_reading = True
        try:
            data = await asyncio.to_thread(self.compute)
        except StoreError as error:
            self.notify(sanitize_line(str(error)), severity="error", markup=False)
        else:
            if data is not None:
                self._data = data
                self._show_all()
        finally:
            self._is_reading = False

    def _show_all(self) -> None:
        if self._data is not None:
            self.show_data(self._data)

    @property
    def _columns(self) -> int:
        return max(1, self.size.width - 2)

    @property
    def _has_room_for_charts(self) -> bool:
        return self.size.height >= self.MIN_LINES_FOR_CHARTS

    @property
    def _shows_charts(self) -> bool:
        return self._has_room_for_charts if self._charts is None else self._charts

    def on_resize(self, event: Resize) -> None:
        """Rearrange the parts for the new size."""
        self.call_after_refresh(self._show_all)

    def action_charts(self) -> None:
        """Show the charts page by page, then hide them."""
        charts = self.query_one(ChartRow)
        self._charts = charts.next_page() if self._shows_charts else True
        self._show_all()
