"""Pictures: decoded with care, since they come from the sandbox."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from .. import figures
from ..keymap import hint
from ..palette import Palette
from .preview_document import Document, Kind, Source, Unshown
from .preview_facts import kind_of

if TYPE_CHECKING:
    from PIL.Image import Image as Picture

FORMATS = ("PNG", "JPEG", "GIF", "WEBP", "BMP", "PPM", "TIFF")
"""Formats whose decoders run nothing else (PostScript's would)."""

MOST_PIXELS = 50_000_000
"""Larger pictures are not decoded."""

LONGEST_SIDE = 1_600
"""Pixels; more than any terminal shows."""

SUFFIXES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".ppm", ".pgm", ".tif", ".tiff")


class PictureDocument(Document):
    """A picture; its lines are its facts."""

    def __init__(self, source: Source) -> None:
        self._data = source.data
        try:
            image = _opened(source.data)
        except Unshown:
            if source.cut:
                raise Unshown(
                    f"Too large to be shown here; {hint('file.outside')} opens it outside."
                ) from None
            raise
        self._cut = source.cut
        width, height = image.size
        self.facts = f"{(image.format or '').lower()} · {width} × {height}"
        self._words = f"{image.format} picture, {width} × {height} pixels, "
        self._words += figures.size(source.size)

    def lines(self, width: int, palette: Palette) -> Sequence[Text]:
        """See `Document`."""
        return [Text(self._words, style=palette.dim, no_wrap=True)]

    def picture(self) -> Picture:
        """See `Document`. At most `LONGEST_SIDE` pixels a side, without transparency."""
        if self._cut:
            raise Unshown(f"Too large to be shown here; {hint('file.outside')} opens it outside.")
        image = _opened(self._data)
        if image.size[0] * image.size[1] > MOST_PIXELS:
            raise Unshown("This picture has too many pixels to be shown here.")
        try:
            image.draft("RGB", (LONGEST_SIDE, LONGEST_SIDE))
            image.thumbnail((LONGEST_SIDE, LONGEST_SIDE))
            return _on_white(image)
        except Exception as error:
            raise Unshown(f"This picture is broken: {_why(error)}") from error


def _opened(data: bytes) -> Picture:
    from PIL import Image  # slow to import, and seldom needed

    Image.MAX_IMAGE_PIXELS = None  # the size is checked here, before anything is decoded
    try:
        return Image.open(io.BytesIO(data), formats=FORMATS)
    except Exception as error:
        raise Unshown("This is named as a picture, and none can be read from it.") from error


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
