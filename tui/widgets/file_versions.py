"""The contents a file had in the course of a run, as far as they were kept."""

from __future__ import annotations

from dataclasses import dataclass

from ...core.state import FileState


@dataclass(frozen=True, slots=True)
class Version:
    """A content that was kept, or the time before there was one.

    Attributes:
        step: at which it came to be; 0 is before the first.
        blob: its digest; None when the file was not there.
        name: for the reader.
    """

    step: int
    blob: str | None
    name: str


def versions(file: FileState) -> list[Version]:
    """What can be compared, oldest first; each content once in a row, the present one last."""
    found: list[Version] = []
    if _began_in_the_run(file):
        found.append(Version(0, None, "not there"))
    for step, blob in file.history:
        if blob is not None and (not found or found[-1].blob != blob):
            found.append(Version(step, blob, f"step {step}" if step else "beginning"))
    if file.last.change == "deleted":
        found.append(Version(file.step, None, "gone"))
    return found


def present(file: FileState) -> str | None:
    """Digest of the content as it is in this state; None when it is gone or was not kept."""
    if file.last.change == "deleted":
        return None
    return file.last.blob


def earlier(file: FileState) -> list[Version]:
    """What the present can be compared with, oldest first."""
    return versions(file)[:-1]


def _began_in_the_run(file: FileState) -> bool:
    """One that was deleted and made anew counts as modified: its history says where it began."""
    return file.run_mark == "created" or (bool(file.history) and file.history[0][0] > 0)
