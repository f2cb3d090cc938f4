"""A type of options: a folder for results, which need not exist yet."""

from __future__ import annotations

from pathlib import Path

import click

from sandbox_tui.core.base.typed_path import mistake_of_folder


class OutputFolder(click.Path):  # pyright: ignore[reportMissingTypeArgument]
    """A folder that exists, or can be created, and in which files can be written."""

    def __init__(self) -> None:
        super().__init__(path_type=Path, file_okay=False)

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> Path:
        """Return the path.

        Raises:
            click.BadParameter: nothing can be written there.
        """
        path = Path(str(value))
        if mistake := mistake_of_folder(path):
            self.fail(mistake, param, ctx)
        return path


OUTPUT_FOLDER = OutputFolder()
