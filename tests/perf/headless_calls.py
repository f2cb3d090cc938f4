"""Twenty calls of `true` with a model that replies instantly: the whole program and the reference.

    python -m tests.perf.headless_calls CALLS

serves such a model to any number of runs and prints its address.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.perf.figures import Figure, Section, median, megabytes, milliseconds
from tests.perf.memory import LAUNCHER
from tests.perf.peers import QUIET, REFERENCE, PeerMissing, our_program
from tests.scripted_server import Chunk, Scripted, ScriptedServer, call, whole

IMAGE = "sandbox-tui-test:latest"
CALLS = 20
WALL_TARGET, MEMORY_TARGET = 5.0, 2.0


def measure(rounds: int = 3) -> Section:
    """Measure wall time and memory of whole processes."""
    section = Section(
        title="A run of twenty calls",
        words=(
            f"`run --headless` in Docker with the image {IMAGE}, compared with `llm-in-sandbox run` "
            f"on the same image and model server. The model calls `true` {CALLS} times, then "
            "submits. Wall time and maximum resident set size of each process, including creation "
            f"and removal of the container. Median of {rounds} alternating rounds."
        ),
    )
    try:
        reference = REFERENCE.program("llm-in-sandbox")
        with model_server(CALLS) as url, TemporaryDirectory() as home:
            _compare(section, reference, url, Path(home), rounds)
    except (PeerMissing, subprocess.CalledProcessError) as error:
        section.missing.append(str(error))
    return section


def _compare(section: Section, reference: str, url: str, home: Path, rounds: int) -> None:
    ours = [our_program(), "run", "work", "--headless", "--sandbox", "docker", "--image", IMAGE]
    ours += ["--model", "scripted", "--base-url", url, "--output", str(home / "ours")]
    theirs = [reference, "run", "--query", "work", "--llm_name", "openai/scripted"]
    theirs += ["--llm_base_url", url, "--api_key", "none", "--docker_image", IMAGE]
    theirs += ["--output_dir", str(home / "theirs")]
    pairs = [
        (
            whole_process(ours, {"SANDBOX_TUI_HOME": str(home)}, _is_submitted),
            whole_process(theirs, QUIET, _completed),
        )
        for _ in range(rounds + 1)
    ][1:]
    name = f"vs. llm-in-sandbox {REFERENCE.version}"
    (wall, other_wall), (memory, other_memory) = (
        (median([ours[n] for ours, _ in pairs]), median([theirs[n] for _, theirs in pairs]))
        for n in (0, 1)
    )
    section.figures += [
        Figure.less(f"wall time, {name}", wall, other_wall, WALL_TARGET, milliseconds),
        Figure.less(f"memory, {name}", memory, other_memory, MEMORY_TARGET, megabytes),
    ]


def whole_process(
    command: list[str], environment: Mapping[str, str], is_expected: Callable[[str], bool]
) -> tuple[float, float]:
    """Run a process; return its seconds and its maximum memory in bytes.

    Raises:
        subprocess.CalledProcessError: it failed or its output is not as expected.
    """
    began = time.perf_counter()
    done = subprocess.run(
        [*LAUNCHER, *command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={**os.environ, **environment},
        check=True,
    )
    took = time.perf_counter() - began
    output, _, report = done.stdout.decode(errors="replace").rstrip().rpartition("\n")
    code, most = map(int, report.split())
    if code or not is_expected(output):
        raise subprocess.CalledProcessError(code, command, output[-2000:])
    return took, float(most)


def _is_submitted(output: str) -> bool:
    return "submitted" in output and output.count("true") >= CALLS


def _completed(output: str) -> bool:
    return f"completed in {CALLS + 1} steps" in output


def answer(request: Chunk, calls: int) -> Scripted:
    """Reply according to the number of tool results in the request."""
    done = sum(message["role"] == "tool" for message in request["messages"])
    name, arguments = ("execute_bash", {"command": "true"}) if done < calls else ("submit", {})
    if request.get("stream"):
        return call(name, **arguments)
    function = {"name": name, "arguments": '{"command": "true"}' if arguments else "{}"}
    wanted = {"id": f"call_{done}", "type": "function", "function": function}
    message: Chunk = {"role": "assistant", "content": "", "tool_calls": [wanted]}
    tokens = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
    return whole(
        message, "tool_calls", usage=tokens, id="1", object="chat.completion", created=1, model="m"
    )


@contextlib.contextmanager
def model_server(calls: int) -> Iterator[str]:
    """Serve the model from a separate process and yield its address."""
    command = [sys.executable, "-m", "tests.perf.headless_calls", str(calls)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()


def main(calls: int) -> None:
    """Serve until terminated."""
    with ScriptedServer([lambda request: answer(request, calls)]) as server:
        print(server.url, flush=True)
        while True:
            time.sleep(3600)


if __name__ == "__main__":
    main(int(sys.argv[1]))
