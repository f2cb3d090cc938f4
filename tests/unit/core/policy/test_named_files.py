"""The files that a command names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox_tui.core.policy.named_files import NamedFile, named_files

KNOWN = {f"/testbed/{name}" for name in ("a.txt", "b.txt", "in/c.csv", "in", "run.py")} | {"/tmp/x"}


@pytest.mark.parametrize(
    ("command", "named"),
    [
        ("python3 run.py --input=in/c.csv", ["run.py", "in/c.csv"]),
        ("cat ./a.txt | grep x && rm -rf in/", ["a.txt", "in"]),
        ("rm *.txt", ["a.txt", "b.txt"]),
        ("dd if=/tmp/x of=a.txt", ["/tmp/x", "a.txt"]),
        ("echo $HOME nothing.txt", []),
        ("cat 'a.txt' \"b.txt", ["a.txt", "b.txt"]),  # unparsable: its words are looked up instead
        ("cat > run.py <<'PY'\nopen('a.txt')\nPY", ["run.py"]),
    ],
)
def test_known_paths_are_found(command: str, named: list[str]) -> None:
    found = [file.path.removeprefix("/testbed/") for file in named_files(command, KNOWN)]
    assert sorted(found) == sorted(named)


def test_the_target_of_a_redirection_is_named_before_it_exists() -> None:
    found = named_files("sort a.txt > sorted.txt 2> /dev/null", KNOWN)
    assert NamedFile("/testbed/sorted.txt", written=True) in found
    assert NamedFile("/testbed/a.txt", written=False) in found
    assert len(found) == 2


@pytest.mark.parametrize(
    ("command", "written"),
    [
        ("python3 run.py | tee out/r.txt", {"out/r.txt"}),
        ("ls | tee -a log.txt a.txt", {"log.txt", "a.txt"}),
        ("ls | tee $OUT", set[str]()),
        ("cp a.txt new.txt", {"new.txt"}),
        ("mv -f a.txt b.txt", {"b.txt"}),
        ("cp -r in copy", set[str]()),
        ("cp a.txt folder/", set[str]()),
        ("dd if=a.txt of=new.img bs=1", {"new.img"}),
        ("sed -i s/a/b/ a.txt b.txt", {"a.txt", "b.txt"}),
        ("sed s/a/b/ a.txt", set[str]()),
    ],
)
def test_common_commands_that_write_a_file_are_known(command: str, written: set[str]) -> None:
    found = [
        file.path.removeprefix("/testbed/") for file in named_files(command, KNOWN) if file.written
    ]
    assert set(found) == written


@given(st.text())
def test_any_command_has_an_answer(command: str) -> None:
    assert isinstance(named_files(command, KNOWN), list)
