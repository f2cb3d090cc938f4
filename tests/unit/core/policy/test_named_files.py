"""The files that a command names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox_tui.core.policy.named_files import NamedFile, missing_files, named_files

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


@pytest.mark.parametrize(
    ("command", "missing"),
    [
        ("python3 calc.py", ["calc.py"]),
        ("python3 calc.py > out.txt", ["calc.py"]),
        ("> made.txt; cat made.txt", []),
        ("python3 /testbed/in/calc.py --fast x.txt", ["in/calc.py"]),
        ("cat no.txt a.txt | head -n 3", ["no.txt"]),
        ("cat no.txt; cat other.txt", ["no.txt"]),
        ("python3 run.py out.json", []),
        ("python3 -m mod.py", []),
        ("python3 -c 'a.b'", []),
        ("touch new.py && python3 new.py", []),
        ("echo x > made.txt", []),
        ("cat notes", []),
        ("cat notes > made.txt", []),
        ("cat > made.txt", []),
        ("cat no.txt > no.txt", []),
        ("cat *.txt $FILE.txt ~/x.txt", []),
        ("cat /etc/no.conf", []),
        ("cd in && python3 calc.py", []),
        ("cat http://x/y.txt", []),
        ("cat /testbed/unknown/no.txt", []),
        ("cat 'unclosed.txt", []),
    ],
)
def test_a_file_that_is_read_and_does_not_exist_is_missing(
    command: str, missing: list[str]
) -> None:
    found = missing_files(command, KNOWN)
    assert [path.removeprefix("/testbed/") for path in found] == missing


def test_a_file_elsewhere_with_that_name_may_be_the_one_that_is_meant() -> None:
    """The shell may be in another folder than the one it began in."""
    assert missing_files("python3 calc.py", ["/testbed/in/calc.py"]) == []


@given(st.text())
def test_any_command_has_an_answer(command: str) -> None:
    assert isinstance(named_files(command, KNOWN), list)
    assert isinstance(missing_files(command, KNOWN), list)
