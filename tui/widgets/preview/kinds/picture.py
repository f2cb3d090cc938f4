"""Preview of pictures. They come from the sandbox, so they are decoded with care."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.text import Text
from typing_extensions import override

from sandbox_tui.tui.format import numbers
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.theming.palette import Palette
from sandbox_tui.tui.widgets.preview.document import Document, Kind, PreviewError, Source
from sandbox_tui.tui.widgets.preview.kinds.binary import kind_of

if TYPE_CHECKING:
    from PIL.Image import Image as Picture

FORMATS = ("PNG", "JPEG", "GIF", "WEBP", "BMP", "PPM", "TIFF")
"""Formats whose decoders start no other program (PostScript's would)."""

MAX_PIXELS = 50_000_000
"""Larger pictures are not decoded."""

MAX_SIDE_PIXELS = 1_600
"""More pixels than any terminal shows."""

SUFFIXES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".ppm", ".pgm", ".tif", ".tiff")


class PictureDocument(Document):
    """A picture; its lines give format and size."""

    def __init__(self, source: Source) -> None:
        self._data = source.data
        try:
            image = _opened(source.data)
        except PreviewError:
            if source.cut:
                raise PreviewError(
                    f"Too large to show here; {hint('file.outside')} opens it in another program."
                ) from None
            raise
        self._cut = source.cut
        width, height = image.size
        self.facts = f"{(image.format or '').lower()} · {width} × {height}"
        self._words = f"{image.format} picture, {width} × {height} pixels, "
        self._words += numbers.size(source.size)

    @override
    def lines(self, width: int, palette: Palette) -> Sequence[Text]:
        return [Text(self._words, style=palette.dim, no_wrap=True)]

    @override
    def picture(self) -> Picture:
        """Return the picture with at most `MAX_SIDE_PIXELS` per side, without transparency."""
        if self._cut:
            raise PreviewError(
                f"Too large to show here; {hint('file.outside')} opens it in another program."
            )
        image = _opened(self._data)
        if image.size[0] * image.size[1] > MAX_PIXELS:
            raise PreviewError("This picture has too many pixels to show here.")
        try:
            image.draft("RGB", (MAX_SIDE_PIXELS, MAX_SIDE_PIXELS))
            image.thumbnail((MAX_SIDE_PIXELS, MAX_SIDE_PIXELS))
            return _on_white(image)
        except Exception as error:
            raise PreviewError(f"This picture is broken: {_why(error)}") from error


def _opened(data: bytes) -> Picture:
    from PIL import Image  # slow to import and seldom needed

    Image.MAX_IMAGE_PIXELS = None  # `picture` checks the size before it decodes
    try:
        return Image.open(io.BytesIO(data), formats=FORMATS)
    except Exception as error:
        raise PreviewError("The name says picture, but it cannot be read as one.") from error


def _on_white(image: Picture) -> Picture:
    from PIL import Image

    if "A" not in image.getbands() and "transparency" not in image.info:
        return image.convert("RGB")
    seen = image.convert("RGBA")
    ground = Image.new("RGBA", seen.size, "white")
    ground.alpha_composite(seen)
    return ground.convert("RGB")


def _why(error: Exception) -> str:
    return (str(error) or type(error).__name__).split("\n", 1)[0][:100]


def _is_picture(source: Source) -> bool:
    return source.suffix in SUFFIXES or kind_of(source.data).endswith("picture")


KIND = Kind("picture", _is_picture, PictureDocument)
