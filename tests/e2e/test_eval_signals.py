"""A signal to a program with an evaluation on screen removes only its own containers."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from typing import Any

import pytest

from sandbox_tui.core.sandboxes.docker.container_owner import LABEL
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.store.tables import eval_ledger as ledger
from tests import scripted_server as s
from tests.arithmetic_model import reply
from tests.integration.conftest import TEST_IMAGE, require
from tests.journeys.person import Person
from tests.journeys.test_evaluate_from_the_command_line import write_suite
from tests.waiting import HANG_SECONDS

Serve = Callable[..., s.ScriptedServer]


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_signal_requeues_samples_and_removes_only_their_containers(
    own_home: Any, scripted_server: Serve, number: int, code: int
) -> None:
    require("docker")
    import docker

    go = threading.Event()
    asked = threading.Semaphore(0)  # each sample asks once its container runs

    def held(request: dict[str, Any]) -> s.Scripted:
        if request.get("tools"):
            asked.release()
            go.wait(120)
        return reply(request)

    own_home.mkdir()
    engine = docker.from_env()
    stranger = engine.containers.run(TEST_IMAGE, "sleep 300", detach=True)
    try:
        server = scripted_server(held)  # type: ignore[arg-type]
        with Person(own_home, 80, 24) as person:
            write_suite(person)
            person.enters(
                f"sandbox-tui eval run products.yaml --model m --base-url {server.url} "
                f"--sandbox docker --image {TEST_IMAGE} --concurrency 2 --mode sandbox"
            )
            person.sees("2 running", "waits for the model")
            assert all(asked.acquire(timeout=HANG_SECONDS) for _ in range(2))
            program = person.program()
            of_program = {"label": f"{LABEL}.pid={program}"}
            assert len(engine.containers.list(filters=of_program)) == 2
            os.kill(program, number)
            assert person.is_back() == code
            assert not engine.containers.list(all=True, filters=of_program)
            stranger.reload()
            assert stranger.status == "running"
        with Store(own_home / "sessions.db") as store:
            found = ledger.summary(store)
            assert (found.status, found.over) == ("interrupted", 0)
            assert {one.status for one in ledger.results(store, found.info.id)} == {"pending"}
    finally:
        go.set()
        stranger.remove(force=True)
        engine.close()
