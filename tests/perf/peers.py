"""The programs that ours is compared with, each installed in a separate virtual environment.

They are stored in ~/.cache/sandbox-tui-bench, or in $SANDBOX_TUI_BENCH if set.
"""

from __future__ import annotations

import functools
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path


class PeerMissing(Exception):
    """A peer cannot be installed here; the message gives the reason."""


@dataclass(frozen=True, slots=True)
class Peer:
    """A program to compare with.

    Attributes:
        name: its distribution.
        packages: packages to install.
    """

    name: str
    packages: tuple[str, ...]

    @property
    def folder(self) -> Path:
        """Its virtual environment."""
        given = os.environ.get("SANDBOX_TUI_BENCH")
        root = Path(given) if given else Path.home() / ".cache" / "sandbox-tui-bench"
        return root / self.name

    def program(self, name: str) -> str:
        """Return the path of one of its programs; install the peer if necessary.

        Raises:
            PeerMissing: it cannot be installed.
        """
        path = self.folder / "bin" / name
        if not path.exists():
            self.install()
        if not path.exists():
            raise PeerMissing(f"{self.name} has no program named {name}.")
        return str(path)

    @property
    def version(self) -> str:
        """Return its version."""
        ask = f"import importlib.metadata as m; print(m.version({self.name!r}))"
        done = subprocess.run(
            [self.program("python"), "-c", ask], capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    def install(self) -> None:
        """Install it, even if it is already installed.

        Raises:
            PeerMissing: it cannot be installed.
        """
        print(f"· installing {' '.join(self.packages)}", file=sys.stderr)
        steps = (
            [sys.executable, "-m", "venv", str(self.folder)],
            [str(self.folder / "bin/python"), "-m", "pip", "install", "-q", *self.packages],
        )
        for step in steps:
            done = subprocess.run(step, capture_output=True, text=True)
            if done.returncode:
                words = (done.stderr.strip() or "no reason was given").splitlines()[-1]
                raise PeerMissing(f"{self.name} could not be installed here: {words}")


ROOT = Path(__file__).parents[2]
OURS = Peer("sandbox-tui", ("--force-reinstall", "--no-deps", str(ROOT)))


@functools.cache
def our_program() -> str:
    """Return our program as users have it: this tree, installed with its dependencies and nothing
    else.

    Raises:
        PeerMissing: it cannot be installed.
    """
    if not (OURS.folder / "bin" / "sandbox-tui").exists():
        Peer(OURS.name, (str(ROOT),)).program("sandbox-tui")
    OURS.install()
    return OURS.program("sandbox-tui")


REFERENCE = Peer("llm-in-sandbox", ("llm-in-sandbox", "mcp"))
"""The paper's own program; it imports `mcp` without declaring the dependency."""

POSTING = Peer("posting", ("posting", "tree-sitter<0.26"))
"""With the newest tree-sitter it crashes with a segmentation fault at start."""

HARLEQUIN = Peer("harlequin", ("harlequin",))
TEXTUAL_TERMINAL = Peer("textual-terminal", ("textual-terminal",))

QUIET = {"LITELLM_LOCAL_MODEL_COST_MAP": "True"}
"""Environment for the reference: its library would otherwise fetch a price list at every start."""
