"""The files in a folder that can be imported, by their names."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sandbox_tui.core.base.errors import ImportRefused
from sandbox_tui.core.base.typed_path import is_file, is_folder

ENDINGS = (".sbx", ".json", ".traj", ".cast")
"""Of files that are suggested and found in folders; files with other names can be imported, too."""


def files_to_import(path: Path) -> Sequence[Path]:
    """Return the files in a folder that can be imported, sorted; a path that is no folder as it is.

    Raises:
        ImportRefused: the folder has none, or cannot be read.
    """
    if not is_folder(path):
        return [path]
    try:
        found = sorted(one for one in path.iterdir() if one.name.endswith(ENDINGS) and is_file(one))
    except OSError as error:
        raise ImportRefused(f"{path} cannot be read: {error.strerror}.") from error
    if not found:
        *others, last = ENDINGS
        raise ImportRefused(f"{path} is a folder without {', '.join(others)} or {last} files.")
    return found
