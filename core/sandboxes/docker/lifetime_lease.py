"""The lease, which tells a container that its program has ended.

The program writes to a file in the container every few seconds. The container's first process reads
the file and exits if its content has not changed for as long as it says itself, usually the grace
period; Docker then removes the container (auto_remove). That process is a bash that loops on
`read -t`: it survives `kill -9 -1` inside (process 1 of a namespace gets no fatal signal from
within it) and needs nothing but bash.
"""

from __future__ import annotations

import secrets

from sandbox_tui.core.sandboxes.scripts.loader import Control

LEASE_FILE = "/run/sandbox-tui.lease"

START_ALLOWANCE_SECONDS = 10
"""Seconds added to the grace period until the first renewal: on a busy engine, opening the
connections that renew the lease can take longer than a short grace period."""

_KEEPER = """
mkdir -p /run; : >{file}; exec 3<>/dev/stdin
trap : TERM INT HUP
last= age=-{start} most={grace}
while [ "$age" -lt "$most" ]; do
  read -r -t 1 _ <&3
  now=; [ -r {file} ] && read -r now <{file}
  if [ "$now" = "$last" ]; then age=$((age + 1)); else age=0 last=$now most=${{now#*:}}; fi
  case $most in *[!0-9]*|''|??????*) most={grace};; esac
done
"""


def keeper_command(grace: float) -> list[str]:
    """Return the container's first process: waits, reaps children, and exits when the lease
    expires."""
    values = {"file": LEASE_FILE, "grace": _whole(grace), "start": START_ALLOWANCE_SECONDS}
    return ["bash", "-c", _KEEPER.format(**values)]


async def renew_lease(control: Control, seconds: float) -> None:
    """Renew the lease for so many seconds, by writing a word that was never written before.

    Raises:
        SandboxError: the container has ended or does not answer.
    """
    word = b"%b:%d" % (secrets.token_hex(8).encode(), _whole(seconds))
    await control(b"echo %b >%b" % (word, LEASE_FILE.encode()), builtin=True)


def _whole(seconds: float) -> int:
    return max(2, round(seconds))
