"""Whether a program is still running, even if its machine has been renamed."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator

import pytest

from sandbox_tui.core.base import process_identity as processes
from sandbox_tui.core.base.process_identity import ProcessIdentity

ANOTHER_BOOT = "00000000-0000-4000-8000-000000000000.1"


@pytest.fixture(autouse=True)
def forget_the_name() -> Iterator[None]:
    processes._this_host.cache_clear()
    yield
    processes._this_host.cache_clear()


def gone() -> ProcessIdentity:
    with subprocess.Popen(["sleep", "1000"]) as process:
        started = processes._start(process.pid)
        process.kill()
    return ProcessIdentity(process.pid, started, ProcessIdentity.this_process().host)


def test_a_machine_that_is_renamed_knows_its_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    me, other = ProcessIdentity.this_process(), gone()
    processes._this_host.cache_clear()
    monkeypatch.setattr(processes, "machine_name", lambda: "renamed-by-dhcp")
    assert (me.here, me.alive) == (True, True)
    assert (other.here, other.alive) == (True, False)
    assert ProcessIdentity.this_process().host_name == "renamed-by-dhcp"


def test_no_program_survives_a_reboot() -> None:
    me = ProcessIdentity.this_process()
    before = me._replace(host=f"{processes.machine_name()}_{ANOTHER_BOOT}")
    assert not before.alive
    assert not before.here


def test_programs_of_another_machine_are_unknown() -> None:
    me = ProcessIdentity.this_process()
    for host in ("another", f"another_{ANOTHER_BOOT}"):
        assert me._replace(host=host).alive
        assert not me._replace(host=host).here
        assert me._replace(host=host).host_name == "another"


def test_what_an_older_version_wrote_is_understood() -> None:
    me, other = ProcessIdentity.this_process(), gone()
    assert me._replace(host=processes.machine_name()).alive
    assert not other._replace(host=processes.machine_name()).alive
