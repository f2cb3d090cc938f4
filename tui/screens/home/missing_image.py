"""The dialog that offers to pull or build a missing image, with the progress."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, ClassVar, Literal

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Button, RichLog, Static

from sandbox_tui.core.base.errors import SandboxTuiError
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.sandboxes.image.build import build_from_dockerfile, build_from_packages
from sandbox_tui.core.sandboxes.image.pull import pull
from sandbox_tui.core.sandboxes.image_name import DEFAULT_IMAGE
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.screens.dialogs.dialog import Dialog

Progress = Callable[[str], None]

ImageAnswer = Literal["image", "bubblewrap"]
"""How the run can start now: the image is available, or the user chose the other sandbox."""
Way = Callable[[str, Progress], Coroutine[Any, Any, None]]


async def _small(image: str, progress: Progress) -> None:
    await build_from_packages(image, progress, small=True)


WAYS: dict[str, tuple[str, Way]] = {
    "pull": ("Pull it", pull),
    "build": ("Build it", build_from_dockerfile),
    "packages": ("From packages", build_from_packages),
    "small": ("Small, from packages", _small),
}
"""The ways to get an image: the label of the button, and the function to call."""


def ways_to_install(image: str) -> list[str]:
    """Return the ways that apply to an image on this machine."""
    if image != DEFAULT_IMAGE:
        return ["pull"]
    return ["build", *(("packages", "small") if shutil.which("mmdebstrap") else ())]


def _question(image: str, ways: Sequence[str]) -> str:
    verb = "Pull" if "pull" in ways else "Build"
    packages = " From packages: without a registry." if "packages" in ways else ""
    return (
        f"The Docker engine has no image {image}. {verb} it?{packages} The run starts when it is "
        "ready."
    )


class MissingImageDialog(Dialog[ImageAnswer]):
    """Asks how to get an image and gets it; dismisses with how the run can start now, or None.

    Args:
        image: the image that the engine does not have.
        has_bubblewrap: whether the run can use bubblewrap instead.
    """

    AUTO_FOCUS = "Button"

    choice_words = "choose"

    CSS = """
    MissingImageDialog .dialog { width: 84; max-height: 90%; }
    MissingImageDialog Static { height: auto; }
    MissingImageDialog RichLog { height: 12; margin-top: 1; background: $panel; display: none; }
    MissingImageDialog.-working RichLog { display: block; }
    MissingImageDialog Horizontal { height: auto; margin-top: 1; }
    MissingImageDialog #bubblewrap { margin-top: 1; }
    MissingImageDialog Button { margin-right: 2; }
    MissingImageDialog.-working Button { display: none; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("image_offer.leave", "leave"),
    ]

    def __init__(self, image: str, *, has_bubblewrap: bool = False) -> None:
        super().__init__()
        self._image = image
        self._has_bubblewrap = has_bubblewrap

    def compose(self) -> ComposeResult:
        """Yield the question, the ways, and a log for their output."""
        with Vertical(classes="dialog") as box:
            box.border_title = "the image is missing"
            box.border_subtitle = f"enter choose · {hint('image_offer.leave')} cancel"
            ways = ways_to_install(self._image)
            yield Static(_question(sanitize_line(self._image), ways), markup=False)
            yield RichLog(markup=False, wrap=True, max_lines=2000)
            with Horizontal():
                for way in ways:
                    yield Button(WAYS[way][0], id=way, compact=True)
            if self._has_bubblewrap:
                yield Button("Use bubblewrap instead", id="bubblewrap", compact=True)

    @on(Button.Pressed, "#bubblewrap")
    def _chose_bubblewrap(self, event: Button.Pressed) -> None:
        event.stop()
        self.dismiss("bubblewrap")

    @on(Button.Pressed, "Horizontal Button")
    def _chosen(self, event: Button.Pressed) -> None:
        self.add_class("-working")
        self.choice_words = ""
        box = self.query_one(Vertical)
        box.border_title = Content(f"getting {sanitize_line(self._image)}")
        box.border_subtitle = f"{hint('image_offer.leave')} cancel"
        self._get(WAYS[event.button.id or "pull"][1])

    @work(exclusive=True)
    async def _get(self, way: Way) -> None:
        log = self.query_one(RichLog)
        try:
            await way(self._image, self._say)
        except SandboxTuiError as error:
            log.write(sanitize_line(str(error)))
            box = self.query_one(Vertical)
            box.border_title = "✗ the image could not be built"
            box.border_subtitle = f"{hint('image_offer.leave')} back"
            return
        self.dismiss_when_on_top("image")

    def _say(self, line: str) -> None:
        self.query_one(RichLog).write(sanitize_line(line))

    def action_leave(self) -> None:
        """Cancel; work in progress is stopped."""
        self.dismiss(None)
