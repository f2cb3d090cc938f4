"""Many runs at once in one program, each in a separate sandbox.

python -m tests.perf.many_sandboxes [SANDBOXES] [docker|bubblewrap]
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.perf.figures import Figure, Section, megabytes, milliseconds
from tests.perf.headless_calls import IMAGE, model_server, whole_process
from tests.perf.peers import our_program
from tests.perf.report import print_section

CALLS = 5
MOST_EACH = 4e6
"""Maximum bytes of the program itself per run."""


def measure(sandboxes: int = 64, docker: int = 16) -> Section:
    """Measure both kinds of sandbox."""
    section = Section(
        title="Many sandboxes at once",
        words=(
            "`run --headless --samples N`: N concurrent runs in one process, each with "
            f"{CALLS} calls of `true` in its own sandbox and a model that replies instantly. All "
            "have to submit. Memory per run is the program's maximum resident set size beyond that "
            "of a single run, divided by the number of additional runs."
        ),
    )
    with model_server(CALLS) as url:
        for kind, count in (("bubblewrap", sandboxes), ("docker", docker)):
            try:
                section.figures += _measured(kind, count, url)
            except subprocess.CalledProcessError as error:
                error_text = str(error.output).strip().splitlines()[-1:]
                section.missing.append(f"{count} in {kind}: {' '.join(error_text) or error}")
    return section


def _measured(kind: str, count: int, url: str) -> list[Figure]:
    alone, alone_memory = _run(kind, 1, url)
    took, memory = _run(kind, count, url)
    each = (memory - alone_memory) / (count - 1)
    return [
        Figure(
            name=f"{count} in {kind}, all submitted",
            ours=f"{milliseconds(took)} (a single run: {milliseconds(alone)})",
        ),
        Figure.bound(f"{count} in {kind}: memory per run", each, MOST_EACH, megabytes),
    ]


def _run(kind: str, count: int, url: str) -> tuple[float, float]:
    with TemporaryDirectory() as home:
        command = [our_program(), "run", "work", "--headless", "--json", "--samples", str(count)]
        command += ["--sandbox", kind, "--image", IMAGE, "--model", "scripted", "--base-url", url]
        command += ["--snapshots", "off", "--output", str(Path(home) / "output")]
        return whole_process(command, {"SANDBOX_TUI_HOME": home}, _submitted(count))


def _submitted(count: int) -> Callable[[str], bool]:
    return lambda output: output.count('"reason":"submitted"') == count


def main() -> None:
    """Run the benchmark; exit code 1 if a target is missed."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 64
    sys.exit(0 if print_section(measure(count, min(count, 16))) else 1)


if __name__ == "__main__":
    main()
