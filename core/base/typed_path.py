"""Paths on this machine as a user types them, valid or not.

`Path` raises an error for the home of an unknown user, for a name that is too long, for a folder
that may not be read, and for a working directory that was deleted. None of these is an error of the
program.
"""

from __future__ import annotations

import itertools
import tempfile
from pathlib import Path


def typed_path(text: str | Path) -> Path:
    """Return the path, with the user's home in place of `~`; the `~` of an unknown user stays."""
    try:
        return Path(text).expanduser()
    except RuntimeError:
        return Path(text)


def is_there(path: Path) -> bool:
    """Return whether the path exists and can be reached."""
    try:
        return path.exists()
    except OSError:
        return False


def is_file(path: Path) -> bool:
    """Return whether the path is a file that can be reached."""
    try:
        return path.is_file()
    except OSError:
        return False


def is_folder(path: Path) -> bool:
    """Return whether the path is a folder that can be reached."""
    try:
        return path.is_dir()
    except OSError:
        return False


def mistake_of_folder(path: Path) -> str:
    """Return why files cannot be written to a folder, which need not exist yet, as a sentence;
    empty if they can."""
    try:
        whole = path.absolute()
    except OSError:  # the working directory was deleted
        return "The working directory no longer exists."
    existing = next(one for one in (whole, *whole.parents) if is_there(one) or one == one.parent)
    if not is_folder(existing):
        return f"Directory '{existing}' is a file."
    try:
        # Permissions do not say it: root has all of them, and /proc accepts no files.
        Path(tempfile.mkdtemp(prefix=".", dir=existing)).rmdir()
    except OSError:
        pass
    else:
        return ""
    if existing == whole:
        return f"Directory '{existing}' is not writable."
    return f"Directory '{whole}' cannot be created: '{existing}' is not writable."


def free_path(path: Path, suffix: str = "") -> Path:
    """Return the path, or the first of NAME-2, NAME-3 and so on, that does not exist yet.

    Args:
        path: a file.
        suffix: its suffix, if it has more than one dot.
    """
    ending = suffix or path.suffix
    name = path.name.removesuffix(ending)
    numbered = (path.with_name(f"{name}-{number}{ending}") for number in itertools.count(2))
    return next(one for one in itertools.chain([path], numbered) if not is_there(one))


def working_directory() -> Path:
    """Return the working directory; `.` if it was deleted."""
    try:
        return Path.cwd()
    except OSError:
        return Path()
