"""Opens a private copy of a sandbox file with a desktop program.

Only for file types that are meant to be viewed, and only on a desktop: a text browser would draw
over the screen. The program gets no terminal and is not waited for.
"""

from __future__ import annotations

import atexit
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from pathlib import Path

from sandbox_tui.core.base.errors import FileRefused

PAGES = (".html", ".htm", ".xhtml", ".svg")

VIEWABLE_SUFFIXES = (
    *PAGES,
    *(".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".tif", ".tiff", ".pdf"),
    *(".mp3", ".wav", ".flac", ".ogg", ".opus", ".m4a", ".mp4", ".webm", ".mkv", ".mov", ".avi"),
)
"""File types that are opened outside: none that a desktop would execute."""


def may_be_opened(name: str) -> bool:
    """Return whether a file with this name has a type that is opened outside."""
    return name.lower().endswith(VIEWABLE_SUFFIXES)


_folders: list[Path] = []


def private_folder() -> Path:
    """Return a folder of this program that only the user can access; it is removed at exit.

    It is recreated if it is missing, since programs that clean up /tmp may remove it.
    """
    if not (_folders and _folders[-1].is_dir()):
        _folders.append(Path(tempfile.mkdtemp(prefix="sandbox-tui-open-")))
        atexit.register(shutil.rmtree, _folders[-1], ignore_errors=True)
    return _folders[-1]


def fresh_folder() -> Path:
    """Create an empty folder in the private one."""
    return Path(tempfile.mkdtemp(dir=private_folder()))


def open_outside(path: Path) -> None:
    """Open a file with the desktop's program for it.

    Raises:
        FileRefused: its type is not opened, or there is no desktop.
    """
    if not may_be_opened(path.name):
        raise FileRefused(
            "Only web pages, images, audio, video and PDF files open in other programs."
        )
    command = opener(os.environ, page=path.name.lower().endswith(PAGES))
    if command is None:
        raise FileRefused(f"There is no desktop to open it on; the copy is {path}.")
    _start([*command, str(path)])


def open_folder(path: Path) -> None:
    """Show a local folder in the desktop's file manager.

    Raises:
        FileRefused: the folder does not exist, or there is no desktop.
    """
    if not path.is_dir():
        raise FileRefused(f"{path} no longer exists.")
    command = opener(os.environ, page=False)
    if command is None:
        raise FileRefused(f"There is no desktop to open it on; the folder is {path}.")
    _start([*command, str(path)])


def _start(command: list[str]) -> None:
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError as error:
        raise FileRefused(f"{command[0]} could not be started: {error.strerror}.") from error
    threading.Thread(target=process.wait, daemon=True).start()


def opener(environment: Mapping[str, str], *, page: bool) -> list[str] | None:
    """Return the command that opens a file on this desktop; None if there is no desktop."""
    browser = environment.get("BROWSER", "")
    if page and browser:
        return shlex.split(browser.split(os.pathsep)[0].replace("%s", "").strip())
    if sys.platform == "darwin":
        return ["open"]
    if environment.get("WSL_DISTRO_NAME") and shutil.which("wslview"):
        return ["wslview"]
    desktop = environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY")
    return ["xdg-open"] if desktop and shutil.which("xdg-open") else None
