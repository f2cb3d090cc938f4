"""Shell state in a snapshot: kept in it, and brought back from it.

A container's /run is in memory and is no part of its image, so that a copy is put into the file
system while the image is made. An embedded sandbox's /run is a folder like the others.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from ..errors import SandboxError
from .base import ExecResult
from .lease import LEASE_FILE
from .scripts import STATE_DIR

_COPY = "/var/lib/sandbox-tui-run"

_PUT_ASIDE = f"rm -rf {_COPY} && mkdir -p {_COPY} && cp -a /run/. {_COPY}/"
_CLEAR_AWAY = f"rm -rf {_COPY}"
_BRING_BACK = f"""
[ -d {_COPY} ] || exit 0
rm -f {_COPY}/{LEASE_FILE.rpartition("/")[2]}
cp -a {_COPY}/. /run/ && rm -rf {_COPY}
"""

# What names processes and terminals of the sandbox that was; and calls are counted anew, so that
# the mark of the last one that was saved must not be that of one to come (see carry.sh).
_BEGIN_ANEW = f"""
cd {STATE_DIR} 2>/dev/null || exit 0
rm -f -- *.pid *.tty in.* command
if [ -r saved ]; then
  read -r last slot <saved
  printf '0 %s\\n' "$slot" >saved
fi
"""

Control = Callable[..., Awaitable[ExecResult]]


async def put_aside(control: Control) -> None:
    """Copy /run into the file system.

    Raises:
        SandboxError: there is no room for it.
    """
    await _run(control, _PUT_ASIDE)


async def clear_away(control: Control) -> None:
    """Remove that copy again."""
    await _run(control, _CLEAR_AWAY)


async def bring_back(control: Control) -> None:
    """In a sandbox that began from a snapshot: the shell goes on where it was.

    Raises:
        SandboxError: it cannot.
    """
    await _run(control, _BRING_BACK)
    await _run(control, _BEGIN_ANEW)


async def _run(control: Control, script: str) -> None:
    done = await control(script.encode())
    if done.exit_code != 0:
        words = done.stderr.decode("utf-8", "replace").strip().split("\n")[0]
        raise SandboxError(f"The state of the shell could not be kept or brought back: {words}")
