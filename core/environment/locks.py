"""The two locks of a sandbox, and the order in which they are acquired."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class SandboxLocks:
    """The locks of a sandbox. To hold both, acquire `shell` before `files`.

    Attributes:
        shell: held by anything that runs in the model's shell: a call, a user command, a snapshot.
        files: held during a series of file operations that must not be frozen halfway, and while
            the sandbox is frozen.
    """

    shell: asyncio.Lock = field(default_factory=asyncio.Lock)
    files: asyncio.Lock = field(default_factory=asyncio.Lock)
