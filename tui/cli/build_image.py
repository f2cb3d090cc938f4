"""`sandbox-tui image build`: builds the container image and shows progress."""

from __future__ import annotations

import asyncio

import click

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.sandboxes.docker.engine import DEFAULT_IMAGE
from sandbox_tui.core.sandboxes.image.build import build_from_dockerfile, build_from_packages


def build(tag: str | None, *, from_packages: bool, small: bool) -> None:
    """Build the image.

    Raises:
        SandboxUnavailable: no engine responds, a tool is missing, or the build failed.
    """
    name = tag or DEFAULT_IMAGE

    def show(line: str) -> None:
        click.echo(f"  {sanitize_line(line)}")

    click.echo(f"building {name}")
    if from_packages:
        asyncio.run(build_from_packages(name, show, small=small))
    else:
        asyncio.run(build_from_dockerfile(name, show))
    click.echo(f"{name} is ready; `sandbox-tui run` uses it from now on")
