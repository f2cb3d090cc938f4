"""What is reported as copied out of a sandbox."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandbox_tui.core.run.results import Results
from tests.fakes import FakeSandbox


class Leaving(FakeSandbox):
    """A sandbox that copies out files with these names."""

    def __init__(self, *names: str) -> None:
        super().__init__()
        self._names = names

    async def copy_out(self, path: str, target: Path) -> list[str]:
        target.mkdir(parents=True)
        for name in self._names:
            (target / name).write_text(name)
        return []


@pytest.mark.parametrize("names", [(), ("answer.txt",)])
async def test_a_folder_is_named_only_where_something_is_in_it(
    tmp_path: Path, names: tuple[str, ...]
) -> None:
    target = tmp_path / "out"
    results = Results(Leaving(*names), "/testbed/output")
    said = await results.copy_out(target, pytest.fail)
    assert said == (str(target) if names else None)


async def test_the_folder_is_named_for_every_place_it_is_read_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    results = Results(Leaving("answer.txt"), "/testbed/output")
    assert await results.copy_out(Path("out"), pytest.fail) == str(tmp_path / "out")


async def test_that_nothing_was_copied_is_said_with_the_first_reason(tmp_path: Path) -> None:
    said: list[str] = []

    class Refusing(FakeSandbox):
        async def copy_out(self, path: str, target: Path) -> list[str]:
            return ["a was not copied: it is too large.", "b was not copied: it is too large."]

    assert (
        await Results(Refusing(), "/testbed/output").copy_out(tmp_path / "x", said.append) is None
    )
    assert said == [
        "The results could not be copied out: a was not copied: it is too large.",
        "b was not copied: it is too large.",
    ]
