"""The top line of the home screen: what the program does, and the model of new runs."""

from __future__ import annotations

from rich.text import Text
from textual.widget import Widget
from typing_extensions import override

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.config.settings import Settings
from sandbox_tui.sessions.relations.last_model import LastModel, with_last_model
from sandbox_tui.tui.format.fit_line import fit_line
from sandbox_tui.tui.format.titles import model_title
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.live_settings import LiveSettings
from sandbox_tui.tui.theming.palette import Palette, palette_of

ABOUT = ("watch, steer and replay a model at work in a sandbox", "a model at work in a sandbox")
"""What this program is, longest first."""

GAP = 3

LOOKING = "looking for servers…"
"""What is said instead of the number of models until the search has ended."""

FROM_LAST_RUN = "from your last run"
"""Where a model comes from that no setting names."""


class HomeBanner(Widget):
    """Shows the model, server and sandbox that a new run would use.

    Args:
        settings: the current settings.
    """

    DEFAULT_CSS = """
    HomeBanner { height: 2; padding: 1 2 0 2; }
    """

    def __init__(self, settings: LiveSettings) -> None:
        super().__init__(id="banner")
        self._settings = settings
        self._found: int | None = None
        self._is_looking = False
        self._last_model: LastModel | None = None

    def say_found(self, models: int | None) -> None:
        """Say, while no model is chosen, how many there are to choose from; None to leave that to
        the list of them."""
        self._found, self._is_looking = models, False
        self.refresh()

    def say_looking(self) -> None:
        """Say, while no model is chosen, that servers are being looked for."""
        self._is_looking = True
        self.refresh()

    def say_last_model(self, last: LastModel | None) -> None:
        """Show, while no model is chosen, the one of the last run: the next one starts with it."""
        self._last_model = last
        self.refresh()

    async def on_click(self) -> None:
        """Choose a model."""
        await self.run_action("screen.model")

    @override
    def render(self) -> Text:
        palette, width = palette_of(self), max(1, self.content_size.width)
        line = Text("sandbox-tui", style=palette.accent, no_wrap=True)
        settings = with_last_model(self._settings.now, self._last_model)
        if not settings.model.name:
            model = _no_model(LOOKING if self._is_looking else _found_words(self._found), palette)
        else:
            sources = ("",) if settings is self._settings.now else (FROM_LAST_RUN, "last run")
            models = [_model(settings, palette, source) for source in sources]
            room = width - line.cell_len - GAP
            model = next((one for one in models if one.cell_len <= room), models[-1])
        room = width - line.cell_len - 2 * GAP - model.cell_len
        about = next((words for words in ABOUT if len(words) <= room), "")
        if about:
            line.append(" " * GAP + about, style=palette.dim)
        if model:
            line.pad_right(max(GAP, width - line.cell_len - model.cell_len))
            line.append_text(model)
        fit_line(line, width)
        return line


def _model(settings: Settings, palette: Palette, source: str) -> Text:
    """Return the model, its server, and the sandbox or where the model comes from."""
    model = settings.model
    line = Text(no_wrap=True)
    address = model.base_url.partition("://")[2].removesuffix("/v1")
    line.append(f"{hint('home.model')} ", style=palette.accent)
    line.append(model_title(model.name), style=palette.strong)
    where = f" at {address}" if address else ""
    more = source or settings.sandbox.kind
    return line.append(sanitize_line(f"{where} · {more}"), style=palette.dim)


def _found_words(found: int | None) -> str:
    """Return how many models there are to choose from; empty if the list of them is shown."""
    if found is None:
        return ""
    return f"{found} found" if found else "none found"


def _no_model(found: str, palette: Palette) -> Text:
    """Return how to choose a model, and what was found; empty if that is."""
    line = Text(no_wrap=True)
    if not found:
        return line
    line.append(f"{hint('home.model')} ", style=palette.accent)
    line.append("choose a model", style=palette.warn)
    return line.append(f" · {found}", style=palette.dim)
