"""All formats that a session can be exported to, the film among them, and the names of their
files."""

from __future__ import annotations

from pathlib import Path

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.base.typed_path import is_folder, is_there
from sandbox_tui.sessions.interchange.exports import EXPORTERS
from sandbox_tui.tui.film.film_process import FILM, FILM_ABOUT, FILM_SUFFIX

FORMATS = {name: exporter.about for name, exporter in EXPORTERS.items()} | {FILM: FILM_ABOUT}
"""What each format is, by its name."""

SUFFIXES = {name: exporter.suffix for name, exporter in EXPORTERS.items()} | {FILM: FILM_SUFFIX}
"""End of the name of the first file of each format."""


def formats_by_ending(output: Path | None) -> list[str]:
    """Return the formats whose files end as this one."""
    if output is None or not output.suffix or is_folder(output):
        return []
    name, ending = f".{output.name.lower()}", output.suffix.lower()
    in_full = [
        one for one, suffix in SUFFIXES.items() if name.endswith(suffix) and suffix != ending
    ]
    return in_full or [one for one, suffix in SUFFIXES.items() if suffix.endswith(ending)]


def format_named(name: str) -> str:
    """Return the format with this name, or whose files alone have this ending; else the name."""
    dashed = name.replace("_", "-")  # accept the module's name, too
    fitting = formats_by_ending(Path(f"x.{dashed.lower().removeprefix('.')}"))
    return fitting[0] if dashed not in SUFFIXES and len(fitting) == 1 else dashed


def disagreement(output: Path | None, chosen: str) -> str:
    """Return that a file's name ends as those of other formats do, as a sentence; empty if it does
    not."""
    fitting = formats_by_ending(output)
    if output is None or not fitting or chosen in fitting:
        return ""
    return (
        f"{output.name} is written as {chosen}, but its ending is that of {' or '.join(fitting)}."
    )


def renamed(typed: str, before: str, after: str) -> str:
    """Return the name of a file after a change of format: the ending of the former one, if it has
    that, becomes that of the new one."""
    if after in formats_by_ending(Path(typed)):
        return typed
    suffix = SUFFIXES[before]
    for ending in (suffix, f".{suffix.rpartition('.')[2]}"):
        stem = typed[: -len(ending)]
        if typed.lower().endswith(ending) and Path(stem).name and not stem.endswith("/"):
            return f"{stem}{SUFFIXES[after]}"
    return typed


def refuse_name_of_file(folder: Path | None, sessions: int) -> None:
    """Refuse a name that is meant for one file where several sessions need a folder.

    Raises:
        ConfigError: no folder has this name, which ends as the files of a format do.
    """
    if folder is not None and formats_by_ending(folder) and not is_there(folder):
        raise ConfigError(
            f"{folder} is the name of a file, and {sessions} sessions need a folder: end its name "
            "with / to make it."
        )
