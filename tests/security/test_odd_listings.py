"""A sandbox may report anything about its files: the run is recorded and its results copied."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from sandbox_tui.core.events import types as e
from sandbox_tui.sessions import replay
from sandbox_tui.sessions.interchange.exports import EXPORTERS, Recording
from sandbox_tui.sessions.store.maintenance import check
from tests import scripted_server as s
from tests.integration.conftest import require
from tests.integration.test_runs import KINDS, only, request, watch

Start = Callable[..., s.ScriptedServer]

MAKE = (
    "mkdir -p %(folder)s && printf '%%s\\n' '#!/bin/bash' %(line)r >%(folder)s/%(name)s"
    " && chmod +x %(folder)s/%(name)s && echo 42 >/testbed/output/answer.txt"
)


@KINDS
@pytest.mark.parametrize("name", ["find", "head", "tar", "cat", "dd"])
async def test_a_program_that_shadows_a_system_program_is_not_run(
    kind: str, name: str, scripted_server: Start, tmp_path: Path
) -> None:
    require(kind)
    line = "touch /testbed/was-run; exec /bin/false"
    make = MAKE % {"folder": "/root/.local/bin", "name": name, "line": line}
    server = scripted_server(
        s.call("execute_bash", command=make),
        s.call("execute_bash", command="type -p " + name),  # the model's own commands do find it
        s.call("submit"),
    )
    wanted = replace(request(server, kind), output=tmp_path / "out")
    seen, store, run_id = await watch(wanted, tmp_path)
    finished = seen[-1]
    assert isinstance(finished, e.RunFinished)
    assert (finished.reason, finished.answer) == ("submitted", "42\n")
    assert "/root/.local/bin/" + name in only(e.CallFinished, seen)[1].observation
    assert (tmp_path / "out" / "answer.txt").read_text() == "42\n"
    assert only(e.Warned, seen) == []
    paths = {change.path for event in only(e.FilesChanged, seen) for change in event.changes}
    assert "/testbed/output/answer.txt" in paths
    assert "/testbed/was-run" not in paths
    assert list(replay(store, run_id)) == seen
    store.close()


ODD = {
    "no number of seconds": r"printf 'f\\0001\\000644\\000nan\\000/testbed/odd\\000'",
    "infinite": r"printf 'f\\0001\\000644\\0001e999\\000/testbed/odd\\000'",
    "letters": r"printf 'f\\000size\\000mode\\0001.5\\000/testbed/odd\\000'",
    "a size of 64 bits": r"printf 'f\\0009223372036854775808\\000644\\0001.5\\000/testbed/odd\\000'",
    "elsewhere": r"printf 'f\\0001\\000644\\0001.5\\000/etc/odd\\000'",
    "half": r"printf 'f\\0001\\000'",
}


@pytest.mark.parametrize("name", ODD)
async def test_a_find_with_forged_output(name: str, scripted_server: Start, tmp_path: Path) -> None:
    """The system's own, replaced: any output can be recorded, replayed and exported."""
    require("docker")
    make = f"f=$(readlink -f $(command -v find)); printf '#!/bin/bash\\n%s\\n' \"{ODD[name]}\" >$f"
    server = scripted_server(s.call("execute_bash", command=make), s.call("submit"))
    seen, store, run_id = await watch(request(server, "docker"), tmp_path)
    assert seen[-1].reason == "submitted"  # type: ignore[union-attr]
    assert list(replay(store, run_id)) == seen
    assert check(store).problems == []
    for exporter in EXPORTERS.values():
        assert list(exporter.write(Recording(store, run_id)))
    store.close()


async def test_results_that_cannot_be_listed_are_reported_as_missing(
    scripted_server: Start, tmp_path: Path
) -> None:
    require("docker")
    command = "echo 42 >/testbed/output/answer.txt; rm -f $(readlink -f $(command -v find))"
    server = scripted_server(
        s.call("execute_bash", command=command),
        s.call("execute_bash", command="echo it goes on"),
        s.call("submit"),
    )
    wanted = replace(request(server, "docker"), output=tmp_path / "out")
    seen, store, _ = await watch(wanted, tmp_path)
    finished = seen[-1]
    assert isinstance(finished, e.RunFinished)
    assert (finished.reason, finished.answer, finished.output) == ("submitted", "42\n", None)
    texts = [event.text for event in only(e.Warned, seen)]
    assert len(texts) == 2
    assert texts[0].startswith("File changes cannot be watched:")
    assert texts[1].startswith("The results could not be copied out:")
    assert not any(
        c.change == "deleted" for event in only(e.FilesChanged, seen) for c in event.changes
    )
    store.close()
