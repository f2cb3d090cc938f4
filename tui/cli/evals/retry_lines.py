"""Says, without a screen, that samples wait for the model's server to work again."""

from __future__ import annotations

from collections.abc import Callable

from sandbox_tui.core.evals.sample import SampleResult
from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.notes import LOADING
from sandbox_tui.tui.cli.evals.sample_lines import name_of
from sandbox_tui.tui.format.status import retry_words, short_error


class RetryLines:
    """Writes one line per sample and reason; the tries after it would say the same. That the server
    is loading its model is said once, because all samples wait for it.

    Args:
        write: writes a line.
    """

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write
        self._said: set[tuple[str, str]] = set()
        self._said_loading = False

    def on_event(self, sample: SampleResult, event: e.AnyEvent) -> None:
        """Write a line if a request failed for a new reason and will be tried again, or if the
        server is loading its model."""
        if isinstance(event, e.Warned) and event.text == LOADING and not self._said_loading:
            self._said_loading = True
            self._write(LOADING)
        if not isinstance(event, e.ModelFailed) or not event.retry_in:
            return
        why = short_error(event.error, event.status)
        if (sample.run_id, why) not in self._said:
            self._said.add((sample.run_id, why))
            self._write(f"{name_of(sample)}: {retry_words(event, event.t)}: {why}")
