"""An evaluation compared with the reference's own benchmark runner, on the same task folder.

python -m tests.perf.evaluation_beside_reference [SAMPLES] [ROUNDS]
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sandbox_tui.sessions import Store
from sandbox_tui.sessions.store.tables import eval_ledger as ledger
from tests.perf.figures import Figure, Section, median, milliseconds, seconds_of
from tests.perf.headless_calls import IMAGE
from tests.perf.peers import QUIET, REFERENCE, PeerMissing, our_program
from tests.perf.report import print_section
from tests.scripted_server import Chunk, Scripted, ScriptedServer, call, whole

OUR_IMAGE = "sandbox-tui-bench:latest"
"""A separate image id, because an interrupted reference removes all containers of its image."""

SAMPLES, AT_ONCE = 200, 32
CALLS = 27
"""With the submission 28 steps, the median of the trajectories published with the reference."""

TARGET = 3.0
MAX_SECONDS = 3600
QUESTION = re.compile(r"What is (\d+) \* (\d+)\?")

CONFIG: dict[str, Any] = {
    "dataset": "json",
    "split": "train",
    "system_prompt": "You have a computer. Work in {working_dir}; files are in {input_dir}.",
    "instance_prompt": "{problem_statement}\nWrite the answer to {output_dir}/answer.txt.",
    # hard-coded in the reference, whatever is configured here
    "working_dir": "/testbed",
    "input_dir": "/testbed/documents",
    "output_dir": "/testbed",
}

REWARD = """
def compute_score(agent_answer, ground_truth, **kwargs):
    return float(agent_answer.strip() == ground_truth.strip())
"""


def measure(samples: int = SAMPLES, rounds: int = 1) -> Section:
    """Measure both runners."""
    section = Section(
        title=f"An evaluation of {samples} samples",
        words=(
            f"`eval run FOLDER --concurrency {AT_ONCE} --headless` and `llm-in-sandbox benchmark "
            f"--task FOLDER --num_workers {AT_ONCE}` on the same folder with {samples} tasks, the same "
            f"model server and image ({IMAGE}). For each sample the model makes {CALLS} calls of "
            "`echo $((A * B)) | tee -a work.txt`, the last of which writes the answer too, and "
            "submits: 28 steps are the median of the trajectories that the reference publishes. The "
            "replies are instant, and connections stay open. Both programs have to make as many requests, and ours to score "
            "every sample 1. Wall time of the whole process. "
            f"Alternating rounds: {rounds}."
        ),
    )
    try:
        reference = REFERENCE.program("llm-in-sandbox")
        with TemporaryDirectory() as folder, own_image(), ScriptedServer([answer]) as server:
            _compare(section, Path(folder), server, reference, samples, rounds)
    except (PeerMissing, subprocess.SubprocessError) as error:
        section.missing.append(f"{error} {getattr(error, 'output', '') or ''}"[-2000:])
    return section


def _compare(
    section: Section,
    folder: Path,
    server: ScriptedServer,
    reference: str,
    samples: int,
    rounds: int,
) -> None:
    task = write_task(folder / "products", samples)
    ours = [our_program(), "eval", "run", task, "--mode", "sandbox", "--headless"]
    ours += ["--concurrency", AT_ONCE, "--sandbox", "docker", "--image", OUR_IMAGE]
    ours += ["--model", "scripted", "--base-url", server.url, "--tool-calls", "native"]
    theirs = [reference, "benchmark", "--task", task, "--num_workers", AT_ONCE]
    theirs += ["--docker_image", OUR_IMAGE, "--llm_name", "openai/scripted"]
    theirs += ["--llm_base_url", server.url, "--api_key", "none", "--output_dir", folder / "theirs"]
    took: list[tuple[float, float]] = []
    for number in range(rounds):
        home = {"SANDBOX_TUI_HOME": str(folder / f"home-{number}")}
        took.append((_run(ours, home, server), _run(theirs, QUIET, server)))
        wanted = samples * (CALLS + 1)
        section.figures.append(_same_work(number + 1, server, wanted, folder, home))
        server.requests.clear()
    section.figures.append(
        Figure.less(
            f"wall time, vs. llm-in-sandbox {REFERENCE.version}",
            median([pair[0] for pair in took]),
            median([pair[1] for pair in took]),
            TARGET,
            milliseconds,
        )
    )


def _run(command: list[Any], environment: dict[str, str], server: ScriptedServer) -> float:
    """Run a process, return its seconds, and mark where its requests start."""
    server.requests.append({"ended": True})
    return seconds_of(
        lambda: subprocess.run(
            list(map(str, command)),
            env={**os.environ, **environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=True,
            timeout=MAX_SECONDS,
        )
    )


def _same_work(
    number: int, server: ScriptedServer, wanted: int, folder: Path, home: dict[str, str]
) -> Figure:
    """Check that both made all requests and that our answers are all right."""
    starts = [at for at, request in enumerate(server.requests) if "ended" in request]
    ours, theirs = starts[1] - starts[0] - 1, len(server.requests) - starts[1] - 1
    rights = our_mean_score(home), their_mean_score(folder)
    return Figure(
        name=f"round {number}: requests, mean score",
        ours=f"{ours}, {rights[0]:g}",
        theirs=f"{theirs}, {rights[1]:g}",
        met=(ours, theirs, rights[0]) == (wanted, wanted, 1),
    )


def our_mean_score(home: dict[str, str]) -> float:
    """Return the mean score of the newest evaluation in a home."""
    with Store(Path(home["SANDBOX_TUI_HOME"]) / "sessions.db") as store:
        samples = ledger.results(store, ledger.summary(store).info.id)
    return sum(one.score or 0 for one in samples) / len(samples)


def their_mean_score(folder: Path) -> float:
    """Return the mean score of the reference's newest results."""
    newest = max((folder / "theirs").rglob("results.json"), key=lambda file: file.stat().st_mtime)
    return float(json.loads(newest.read_text())["mean_score"])


def write_task(folder: Path, samples: int) -> Path:
    """Write a task in the reference's format."""
    folder.mkdir()
    rows = [
        {
            "id": f"product{n:03}",
            "problem_statement": f"What is {1000 + n} * {70 + n}?",
            "ground_truth": str((1000 + n) * (70 + n)),
        }
        for n in range(samples)
    ]
    (folder / "data.json").write_text(json.dumps(rows))
    config = CONFIG | {"data_files": str(folder / "data.json")}
    (folder / "config.yaml").write_text(json.dumps(config))  # JSON is valid YAML
    (folder / "reward.py").write_text(REWARD)
    return folder


def answer(request: Chunk) -> Scripted:
    """Reply according to the number of tool results in the request."""
    task = next(m["content"] for m in request["messages"] if m["role"] == "user")
    question = QUESTION.search(task)
    assert question is not None, task
    product = f"echo $(({question[1]} * {question[2]})) | tee -a work.txt"
    done = sum(message["role"] == "tool" for message in request["messages"])
    arguments: dict[str, str] = {}
    if done < CALLS:
        last = "; tail -n 1 work.txt >/testbed/answer.txt" if done == CALLS - 1 else ""
        arguments = {"command": product + last}
    name = "execute_bash" if arguments else "submit"
    if request.get("stream"):
        return at_once(call(name, **arguments))
    function = {"name": name, "arguments": json.dumps(arguments)}
    wanted = {"id": f"call_{done}", "type": "function", "function": function}
    message: Chunk = {"role": "assistant", "content": "", "tool_calls": [wanted]}
    tokens = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
    return at_once(
        whole(
            message,
            "tool_calls",
            usage=tokens,
            id="1",
            object="chat.completion",
            created=1,
            model="m",
        )
    )


def at_once(reply: Scripted) -> Scripted:
    """Return the reply in one piece, on a connection that stays open, as model servers keep it."""
    pieces = [piece for piece in reply.pieces if isinstance(piece, bytes)]
    return replace(reply, pieces=[b"".join(pieces)], keep=True)


@contextlib.contextmanager
def own_image() -> Iterator[None]:
    """Commit the image under a separate id; remove it and its containers at the end."""

    def docker(*arguments: str) -> str:
        done = subprocess.run(["docker", *arguments], capture_output=True, text=True, check=True)
        return done.stdout.strip()

    container = docker("create", IMAGE)
    try:
        docker("commit", "--change", "LABEL sandbox-tui-bench=1", container, OUR_IMAGE)
    finally:
        docker("rm", container)
    try:
        yield
    finally:
        left = docker("ps", "-aq", "--filter", f"ancestor={OUR_IMAGE}").split()
        if left:  # containers the reference left after a failure
            docker("rm", "-f", *left)
        docker("rmi", OUR_IMAGE)


def main() -> None:
    """Run the benchmark; exit code 1 if a target is missed."""
    numbers = list(map(int, sys.argv[1:]))
    sys.exit(0 if print_section(measure(*numbers)) else 1)


if __name__ == "__main__":
    main()
