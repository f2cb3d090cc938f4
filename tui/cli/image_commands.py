"""`sandbox-tui image`: the container image in which models work."""

from __future__ import annotations

import click

from sandbox_tui.tui.cli.command_group import Subcommands


@click.group(cls=Subcommands)
def image() -> None:
    """Build the container image in which models work."""


@image.command("build", short_help="Build the image.")
@click.option("--from-packages", is_flag=True, help="Build from this machine's Debian packages.")
@click.option(
    "--small", is_flag=True, help="With --from-packages: leave out the science libraries."
)
@click.option("--tag", metavar="NAME", help="Name for the image.")
def image_build(from_packages: bool, small: bool, tag: str | None) -> None:
    """Build the image, from a registry or from the packages of this machine."""
    from sandbox_tui.tui.cli.build_image import build

    build(tag, from_packages=from_packages, small=small)
