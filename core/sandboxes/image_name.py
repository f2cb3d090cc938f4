"""Names of images, and how to get one that the engine lacks."""

from __future__ import annotations

import re
import shlex

DEFAULT_IMAGE = "sandbox-tui:latest"

LACKS_IMAGE = "the Docker engine has no image"
"""How the reason for another sandbox begins if only an image is missing."""

_PART = r"[a-z0-9]+(?:(?:\.|_{1,2}|-+)[a-z0-9]+)*"
_NAME = re.compile(
    rf"(?:[A-Za-z0-9.-]+(?::\d+)?/)?{_PART}(?:/{_PART})*(?::\w[\w.-]{{0,127}})?", re.ASCII
)


def can_be_tagged(name: str) -> bool:
    """Return whether an image can get this name, which may have a registry and a tag."""
    return _NAME.fullmatch(name) is not None


def with_tag(image: str) -> str:
    """Return the image's name with its tag, which is `latest` if the name has none."""
    return image if ":" in image.rpartition("/")[2] else f"{image}:latest"


def command_for_image(image: str) -> str:
    """Return the command that makes a missing image available."""
    if with_tag(image) == DEFAULT_IMAGE:
        return "sandbox-tui image build"
    return f"docker pull {shlex.quote(image)}"


def image_is_missing(image: str) -> str:
    """Say that the engine lacks an image, and how to get it."""
    command = command_for_image(image)
    way = f"Get it with `{command}`."
    if with_tag(image) == DEFAULT_IMAGE:
        way = f"Build it with `{command}` (or `--from-packages` without a registry)."
    return f"The Docker engine has no image named {image!r}. {way}"
