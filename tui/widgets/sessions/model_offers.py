"""Models to choose from: those of local servers, and hosted ones if a key is set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.style import Style
from rich.text import Text
from textual.events import Click
from textual.geometry import Size
from textual.message import Message
from typing_extensions import override

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.config.settings import ModelSettings, api_key
from sandbox_tui.tui.format.fit_line import fit_line
from sandbox_tui.tui.format.titles import model_title
from sandbox_tui.tui.theming.palette import Palette, palette_of
from sandbox_tui.tui.widgets.block_list import BlockList

if TYPE_CHECKING:
    from sandbox_tui.core.models.discovery import LocalServer


@dataclass(frozen=True, slots=True)
class Offer:
    """A model to choose, or a remark about a server without one.

    Attributes:
        model: the model's name; empty for a remark.
        base_url: URL of its server.
        words: description for the user.
    """

    model: str
    base_url: str
    words: str


def offers_of(servers: Sequence[LocalServer], settings: ModelSettings | None) -> list[Offer]:
    """Return an offer for each model, for each server without one, and for an API key that is set
    according to the settings, if any."""
    offers: list[Offer] = []
    for server in servers:
        address = server.base_url.removeprefix("http://").removesuffix("/v1")
        where = f"{server.kind} at {address}"
        offers += [Offer(model, server.base_url, where) for model in server.models]
        if server.wants_key:
            offers.append(Offer("", server.base_url, f"{where} needs an API key"))
        elif not server.models:
            offers.append(Offer("", server.base_url, f"{where} has no model loaded"))
    if settings is not None and api_key(settings):
        words = f"{settings.api_key_env} is set: a new run can use any OpenAI model"
        offers.append(Offer("", "", words))
    return offers


class ModelOffers(BlockList):
    """Shows offers, one per line; `Selected` announces the chosen one.

    Args:
        advice: what to do if no server is found, as lines.
    """

    class Looked(Message):
        """The search for offers has finished."""

        def __init__(self, offers: ModelOffers) -> None:
            super().__init__()
            self.offers = offers

        @property
        @override
        def control(self) -> ModelOffers:
            return self.offers

    DEFAULT_CSS = """
    ModelOffers {
        border: round $border-blurred; border-title-color: $role-dim;
        border-subtitle-color: $role-dim;
        &:focus { border: round $accent; border-title-color: $accent; }
    }
    """

    def __init__(self, advice: Sequence[str] = (), *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._advice = advice
        self._offers: Sequence[Offer] | None = None
        self._ports: Sequence[int] = ()
        self.following = False

    def show(self, offers: Sequence[Offer], ports: Sequence[int]) -> None:
        """Show the offers found on these ports."""
        self._offers, self._ports = offers, ports
        self.following = False
        self.reset()
        self.refresh(layout=True)
        self.cursor = next((i for i, offer in enumerate(offers) if offer.model), -1)
        self.post_message(self.Looked(self))

    @property
    def current(self) -> Offer | None:
        """The offer under the cursor, or None."""
        offers = self._offers or ()
        return offers[self.cursor] if 0 <= self.cursor < len(offers) else None

    @property
    def is_looking(self) -> bool:
        """Whether no search for offers has ended yet."""
        return self._offers is None

    @property
    def has_model(self) -> bool:
        """Whether there is a model to choose."""
        return self.model_count > 0

    @property
    def model_count(self) -> int:
        """Number of models to choose from."""
        return sum(bool(offer.model) for offer in self._offers or ())

    @override
    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return self.block_count()

    def on_click(self, event: Click) -> None:
        """Choose an offer with a single click."""
        index = self.block_clicked(event)
        if index >= 0:
            event.prevent_default()
            self.cursor = index
            self.action_choose()

    @override
    def block_count(self) -> int:
        return len(self._offers) if self._offers else len(self._remarks)

    @override
    def block_height(self, index: int, width: int) -> int:
        return 1

    @override
    def draw_block(self, index: int, width: int) -> list[Text]:
        palette = palette_of(self)
        if self._offers:
            line = self._line(self._offers[index], width, palette)
        else:
            line = Text(f"  {self._remarks[index]}", style=palette.dim, no_wrap=True)
        fit_line(line, width)
        return [line]

    @property
    def _remarks(self) -> Sequence[str]:
        """The lines shown while there are no offers."""
        if self._offers is None:
            return ["looking for servers on this machine …"]
        ports = ", ".join(str(port) for port in self._ports)
        queried = [f"(ports {ports})"] if ports else []
        return ["no model server answers on this machine", *queried, *self._advice]

    def _line(self, offer: Offer, width: int, palette: Palette) -> Text:
        if not offer.model:
            line = Text("  · ", style=palette.faint, no_wrap=True)
            return line.append(sanitize_line(offer.words), style=palette.dim)
        line = Text("  ● ", style=palette.good, no_wrap=True)
        line.append(model_title(offer.model), style=palette.text + Style(bold=True))
        line.pad_right(max(2, min(44, width // 2) - line.cell_len))
        return line.append(sanitize_line(offer.words), style=palette.dim)
