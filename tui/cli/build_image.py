"""`sandbox-tui image build`: builds the container image and shows progress."""

from __future__ import annotations

import asyncio
import shlex

import click

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.config.settings import load
from sandbox_tui.core.sandboxes.image.build import build_from_dockerfile, build_from_packages
from sandbox_tui.core.sandboxes.image_name import DEFAULT_IMAGE, can_be_tagged, with_tag


def build(tag: str | None, *, from_packages: bool, small: bool) -> None:
    """Build the image.

    Raises:
        ConfigError: no image can have this name, a small image is not built from packages, or the
            settings are not valid.
        SandboxUnavailable: no engine responds, a tool is missing, or the build failed.
    """
    if small and not from_packages:
        raise ConfigError("--small needs --from-packages: the Dockerfile has one size.")
    name = DEFAULT_IMAGE if tag is None else tag
    if not can_be_tagged(name):
        raise ConfigError(f"--tag must be the name of an image, such as mine:1, not {tag!r}.")
    chosen = load().sandbox.image or DEFAULT_IMAGE

    def show(line: str) -> None:
        click.echo(f"  {sanitize_line(line)}")

    click.echo(f"building {name}")
    if from_packages:
        asyncio.run(build_from_packages(name, show, small=small))
    else:
        asyncio.run(build_from_dockerfile(name, show))
    if with_tag(name) == with_tag(chosen):
        click.echo(f"{name} is ready; `sandbox-tui run` uses it from now on")
    else:
        click.echo(f"{name} is ready; `sandbox-tui run --image {shlex.quote(name)}` uses it")
