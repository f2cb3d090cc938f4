"""The versions of a file during a run whose contents were kept."""

from __future__ import annotations

from dataclasses import dataclass

from sandbox_tui.core.events.run_state import FileState


@dataclass(frozen=True, slots=True)
class Version:
    """A version of a file, or the absence of the file.

    Attributes:
        step: the step that made it; 0 is before the first step.
        blob: digest of the content; None if the file did not exist.
        name: text for the user.
    """

    step: int
    blob: str | None
    name: str


def versions(file: FileState) -> list[Version]:
    """Return the versions, oldest first and without repetitions; the current one is last."""
    found: list[Version] = []
    if _began_in_the_run(file):
        found.append(Version(0, None, "before it existed"))
    for step, blob in file.history:
        if blob is not None and (not found or found[-1].blob != blob):
            found.append(Version(step, blob, f"step {step}" if step else "beginning"))
    if file.last.change == "deleted":
        found.append(Version(file.step, None, "gone"))
    return found


def present(file: FileState) -> str | None:
    """Return the digest of the current content; None if it was deleted or not kept."""
    if file.last.change == "deleted":
        return None
    return file.last.blob


def earlier(file: FileState) -> list[Version]:
    """Return the versions that the current one can be compared with, oldest first."""
    return versions(file)[:-1]


def _began_in_the_run(file: FileState) -> bool:
    """Return whether the run created the file.

    A file deleted and created again counts as modified; its history shows that it was new.
    """
    return file.run_mark == "created" or (bool(file.history) and file.history[0][0] > 0)
