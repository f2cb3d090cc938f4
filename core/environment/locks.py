"""The two locks of a sandbox, and the order in which they are taken."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class SandboxLocks:
    """Whoever needs both takes `shell` before `files`.

    Attributes:
        shell: held by whatever runs in the model's shell: a call, a person's command, a snapshot.
        files: held during a series of file operations that must not be frozen halfway, and while
            the sandbox is frozen.
    """

    shell: asyncio.Lock = field(default_factory=asyncio.Lock)
    files: asyncio.Lock = field(default_factory=asyncio.Lock)
