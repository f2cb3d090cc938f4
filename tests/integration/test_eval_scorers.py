"""Scorers that need a sandbox or an engine: `command` in fresh sandboxes, `swe_bench` in images."""

from __future__ import annotations

import contextlib
import io
import shutil
import subprocess
import tarfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from sandbox_tui.core.evals.scorers.base import Attempt, Score, ScorerFailed
from sandbox_tui.core.evals.scorers.table import scorer_named
from sandbox_tui.core.evals.task import Task
from sandbox_tui.core.sandboxes.base import Sandbox
from sandbox_tui.core.sandboxes.docker.sandbox import DockerSandbox
from tests.integration.conftest import TEST_IMAGE, make, require, spec
from tests.waiting import HANG_SECONDS

Fresh = Callable[[], AbstractAsyncContextManager[Sandbox]]


@pytest.fixture(params=["docker", "bubblewrap"])
def fresh(request: pytest.FixtureRequest) -> Fresh:
    require(request.param)

    @contextlib.asynccontextmanager
    async def opened() -> AsyncIterator[Sandbox]:
        sandbox = make(request.param)
        await sandbox.start()
        try:
            yield sandbox
        finally:
            await sandbox.close()

    return opened


async def commanded(fresh: Fresh | None, command: str, answer: str | None, **more: Any) -> Score:
    task = Task(id="t", problem="p", target="42\n", files={"data.txt": b"4\n2\n"})
    attempt = Attempt(task=task, mode="vanilla", answer=answer, fresh_sandbox=fresh)
    return await scorer_named("command", {"command": command, **more}).score(attempt)


async def test_a_command_scores_in_a_fresh_sandbox(fresh: Fresh) -> None:
    compare = "[ $(cat answer.txt) = $(cat target.txt) ]"
    assert (await commanded(fresh, compare, "42")).value == 1
    wrong = await commanded(fresh, f"{compare} || {{ echo not equal >&2; exit 3; }}", "43")
    assert (wrong.value, wrong.explanation) == (0, "Exit code 3: not equal.")
    files = "echo log; sort input/data.txt | head -1 | awk '{print $1 / 8}'"
    assert (await commanded(fresh, files, "x")).value == 0.25
    hostile = "$(touch /tmp/ran) `touch /tmp/ran`; exit 0\n\0\x1b"
    assert (
        await commanded(fresh, "grep -q exit answer.txt && ! test -e /tmp/ran", hostile)
    ).value == 1


async def test_a_command_that_cannot_score_gives_no_score(fresh: Fresh) -> None:
    with pytest.raises(ScorerFailed, match="did not run"):
        await commanded(fresh, "no-such-program answer.txt", "42")
    with pytest.raises(ScorerFailed, match="printed 7, which is not from 0 to 1"):
        await commanded(fresh, "echo 7", "42")
    with pytest.raises(ScorerFailed, match="'false' failed"):
        await commanded(fresh, "true", "42", setup=["false"])
    with pytest.raises(ScorerFailed, match="needs a sandbox"):
        await commanded(None, "true", "42")


async def test_an_answer_that_hangs_is_wrong(fresh: Fresh) -> None:
    score = await commanded(fresh, "bash answer.txt", "while :; do :; done", timeout=2.0)
    assert (score.value, score.explanation) == (0, "The command took over 2 s.")
    assert (await commanded(fresh, "true", None)).value == 0


REPOSITORY = """\
FROM {base}
COPY bin/ /usr/bin/
COPY lib/ /usr/lib/x86_64-linux-gnu/
WORKDIR /testbed
RUN git init -q . && git config user.email a@example.org && git config user.name a \\
 && printf 'def add(a, b):\\n    return a - b\\n' > sums.py \\
 && git add -A && git commit -qm one
"""

TESTS = """\
#!/bin/bash
set -uxo pipefail
exec 2>&1 # the engine keeps no order between two streams
cd /testbed
: '>>>>> Start Test Output'
python3 -c "import sums; sums.zero = 0; assert sums.add(0, 0) == 0" && echo PASSED t::zero || echo FAILED t::zero
python3 -c "import sums; assert sums.add(1, 2) == 3" && echo PASSED t::sum || { echo FAILED t::sum; false; }
: '>>>>> End Test Output'
"""

RIGHT = """\
diff --git a/sums.py b/sums.py
--- a/sums.py
+++ b/sums.py
@@ -1,2 +1,2 @@
 def add(a, b):
-    return a - b
+    return a + b
"""


@pytest.fixture(scope="module")
def repository_image() -> Iterator[str]:
    """An image with a repository and this machine's git."""
    require("docker")
    if find_spec("swebench") is None:
        pytest.skip("needs the extra `swebench`")
    git = shutil.which("git")
    if git is None:
        pytest.skip("needs git")
    import docker

    linked = subprocess.run(["ldd", git], capture_output=True, text=True, check=True).stdout
    libraries = [
        line.split()[2] for line in linked.splitlines() if "pcre" in line or "libz" in line
    ]
    context = io.BytesIO()
    with tarfile.open(fileobj=context, mode="w") as tar:
        text = REPOSITORY.format(base=TEST_IMAGE).encode()
        entry = tarfile.TarInfo("Dockerfile")
        entry.size = len(text)
        tar.addfile(entry, io.BytesIO(text))
        tar.add(Path(git).resolve(), "bin/git")
        for library in libraries:
            tar.add(Path(library).resolve(), f"lib/{Path(library).name}")
    context.seek(0)
    client = docker.from_env()
    name = "sandbox-tui-test-repository:latest"
    client.images.build(fileobj=context, custom_context=True, tag=name, rm=True)
    yield name
    client.images.remove(name, force=True)
    client.close()


def report_task(image: str, **more: Any) -> Task:
    metadata = {
        "repo": "pytest-dev/pytest",
        "version": "1",
        "FAIL_TO_PASS": '["t::sum"]',
        "PASS_TO_PASS": '["t::zero"]',
        "log_parser": "parse_log_pytest",
        "eval_type": "pass_and_fail",
        "eval_script": TESTS,
        **more,
    }
    return Task(id="a__b-1", problem="add subtracts", target=RIGHT, image=image, metadata=metadata)


async def patched(task: Task, answer: str, sandbox: Sandbox | None) -> Score:
    attempt = Attempt(
        task=task, mode="sandbox" if sandbox else "vanilla", answer=answer, sandbox=sandbox
    )
    return await scorer_named("swe_bench", {"timeout": 60}).score(attempt)


@pytest.mark.docker
async def test_the_harness_of_swe_bench_runs_the_tests(repository_image: str) -> None:
    task = report_task(repository_image)
    right = await patched(task, f"This fixes it:\n\n```diff\n{RIGHT}```\n", None)
    assert (right.value, right.explanation) == (1, "All required tests pass.")
    wrong = await patched(task, RIGHT.replace("a + b", "a * b"), None)
    assert (wrong.value, wrong.explanation) == (0, "1 required tests fail.")
    other = await patched(task, RIGHT.replace("a - b", "a / b"), None)
    assert (other.value, other.explanation) == (
        0,
        "The patch does not apply, or no test ran after it.",
    )
    assert (await patched(task, "I cannot.", None)).explanation == "Nothing was changed."


@pytest.mark.docker
async def test_the_patch_is_what_git_finds_changed(repository_image: str) -> None:
    sandbox = DockerSandbox(spec_of(repository_image))
    await sandbox.start()
    try:
        before = await patched(report_task(repository_image), "done", sandbox)
        assert before.explanation == "Nothing was changed."
        await sandbox.exec(
            "sed -i 's/a - b/a + b/' sums.py; echo new > added.py", timeout=HANG_SECONDS
        )
        assert (await patched(report_task(repository_image), "done", sandbox)).value == 1
    finally:
        await sandbox.close()


def spec_of(image: str) -> Any:
    from dataclasses import replace

    return replace(spec(), image=image, input_dir="/tmp/input", output_dir="/tmp/output")


@pytest.mark.docker
async def test_a_failed_harness_gives_no_score(repository_image: str) -> None:
    with pytest.raises(ScorerFailed, match="The SWE-bench harness failed"):
        await patched(report_task("127.0.0.1:9/no/such:image"), RIGHT, None)
    with pytest.raises(ScorerFailed, match="no column eval_script"):
        await patched(report_task(repository_image, eval_script=""), RIGHT, None)
