"""Tool calls in a Docker container compared with the reference's, in alternating rounds (A B A B).

    python -m tests.perf.channel_ratio [--image NAME] [--rounds N]

    call    `true`, with the shell state carried over   at least 10 times as fast as the reference
    output  10 MB of output from a command, kept        at least 3 times
    edit    one word of a 2 KB file                     at least 8 times
    close   the container removed                       at least 20 times

The reference's calls are timed inside its own process, by its own code. Both containers run at the
same time, without a network, so that other load on the machine affects both.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from sandbox_tui.core.sandboxes.base import SandboxSpec
from sandbox_tui.core.sandboxes.docker.sandbox import DockerSandbox
from sandbox_tui.core.tools.base import ToolContext
from sandbox_tui.core.tools.bash import ExecuteBash
from sandbox_tui.core.tools.editor import StrReplaceEditor
from sandbox_tui.sessions import new_id
from tests.perf.figures import Figure, Section, median, milliseconds
from tests.perf.peers import QUIET, REFERENCE, PeerMissing
from tests.perf.report import print_section

FLOOD = "yes 0123456789abcdef | head -c 10000000"
TEXT = "".join(f"word {number}\n" for number in range(220))
PATH = "/testbed/small.txt"
TARGETS = {"call": 10.0, "output": 3.0, "edit": 8.0, "close": 20.0}
NAMES = {
    "call": "a call of `true` with shell state",
    "output": "10 MB of output",
    "edit": "replacing a word in a 2 KB file",
    "close": "removing the container",
}

Act = Callable[[str], Awaitable[float]]


def measure(rounds: int = 40, image: str = "sandbox-tui-test:latest") -> Section:
    """Measure all four operations."""
    section = Section(
        title="Tool calls",
        words=(
            "The tools as the agent calls them, compared with the reference's own code, in Docker "
            f"containers of the same image without a network. Median of {rounds} alternating "
            "rounds."
        ),
    )
    try:
        taken = asyncio.run(_in_turns(image, rounds))
    except PeerMissing as error:
        section.missing.append(str(error))
        return section
    for word, (ours, theirs) in taken.items():
        name = f"{NAMES[word]}, vs. llm-in-sandbox {REFERENCE.version}"
        figure = Figure.less(name, median(ours), median(theirs), TARGETS[word], milliseconds)
        section.figures.append(figure)
    return section


async def _in_turns(image: str, rounds: int) -> dict[str, tuple[list[float], list[float]]]:
    sandbox = DockerSandbox(SandboxSpec(session_id=new_id(), image=image, network="none"))
    reference = await _Reference.begin(image)
    await sandbox.start()
    await sandbox.exec("cd /testbed; export A=1; f() { :; }; v=2", timeout=60)
    await _create(sandbox)
    ours = _ours(sandbox)
    taken: dict[str, tuple[list[float], list[float]]] = {}
    try:
        for word, count in (("call", rounds), ("output", max(5, rounds // 2)), ("edit", rounds)):
            pairs = [(await ours(word), await reference.act(word)) for _ in range(count + 1)][1:]
            taken[word] = [a for a, _ in pairs], [b for _, b in pairs]
    finally:
        began = time.perf_counter()
        await sandbox.close()
        taken["close"] = [time.perf_counter() - began], [await reference.act("close")]
        reference.process.terminate()
        await reference.process.wait()
    return taken


def _ours(sandbox: DockerSandbox) -> Act:
    bash, editor, context = ExecuteBash(), StrReplaceEditor(), ToolContext(sandbox=sandbox)
    words = ["word 0\n", "word zero\n"]

    async def act(word: str) -> float:
        began = time.perf_counter()
        match word:
            case "call":
                assert (await bash({"command": "true"}, context)).ok
            case "output":
                assert (await sandbox.exec(FLOOD, timeout=60)).stdout_bytes == 10_000_000
            case _:
                wanted = {"command": "str_replace", "path": PATH}
                wanted |= {"old_str": words[0], "new_str": words[1]}
                assert (await editor(wanted, context)).ok
                words.reverse()
        return time.perf_counter() - began

    return act


async def _create(sandbox: DockerSandbox) -> None:
    wanted = {"command": "create", "path": PATH, "file_text": TEXT}
    assert (await StrReplaceEditor()(wanted, ToolContext(sandbox=sandbox))).ok


class _Reference:
    """The reference's process (`reference_tools.py`)."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process

    @classmethod
    async def begin(cls, image: str) -> _Reference:
        script = Path(__file__).with_name("reference_tools.py")
        process = await asyncio.create_subprocess_exec(
            *(REFERENCE.program("python"), str(script), image, FLOOD, TEXT),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=QUIET | {"PATH": "/usr/bin:/bin"},
        )
        reference = cls(process)
        if await reference._line() != "ready":
            raise PeerMissing("llm-in-sandbox could not start its container.")
        return reference

    async def act(self, word: str) -> float:
        """Perform an operation and return the seconds it took."""
        assert self.process.stdin is not None
        self.process.stdin.write(word.encode() + b"\n")
        return float(json.loads(await self._line() or "null") or "nan")

    async def _line(self) -> str:
        assert self.process.stdout is not None
        return (await self.process.stdout.readline()).decode().strip()


def main() -> None:
    """Run the benchmark; exit code 1 if a target is missed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--image", default="sandbox-tui-test:latest")
    parser.add_argument("--rounds", type=int, default=40)
    options = parser.parse_args()
    sys.exit(0 if print_section(measure(options.rounds, options.image)) else 1)


if __name__ == "__main__":
    main()
