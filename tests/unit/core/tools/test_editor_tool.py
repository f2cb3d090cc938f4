"""`str_replace_editor` as the model sees it."""

from __future__ import annotations

import re
from typing import Any

import pytest

from sandbox_tui.core.tools.base import Observation, ToolContext
from sandbox_tui.core.tools.editor import StrReplaceEditor, _view_file
from tests.cost import Work
from tests.fakes import FakeSandbox

HEADER = "Execution output of [str_replace_editor]:\n"


async def edit(
    sandbox: FakeSandbox, command: str, path: str = "/testbed/f", **more: Any
) -> Observation:
    context = ToolContext(sandbox=sandbox, max_chars=more.pop("max_chars", 20_000))
    answer = await StrReplaceEditor()({"command": command, "path": path, **more}, context)
    assert answer.text.startswith(HEADER)
    return answer


def shown(answer: Observation) -> str:
    return answer.text.removeprefix(HEADER)


async def test_create_writes_exactly_what_was_asked() -> None:
    sandbox = FakeSandbox()
    text = "a\tb\r\n'quoted' $HOME\nno newline"
    answer = await edit(sandbox, "create", "/testbed/my dir/it's.txt", file_text=text)
    assert sandbox.files == {b"/testbed/my dir/it's.txt": text.encode()}
    assert shown(answer) == "File created at /testbed/my dir/it's.txt: 3 lines, 30 bytes."


async def test_create_does_not_replace_a_file() -> None:
    sandbox = FakeSandbox({"/testbed/f": b"precious"})
    answer = await edit(sandbox, "create", file_text="gone")
    assert not answer.ok
    assert "exists already" in answer.text
    assert "str_replace" in answer.text
    assert sandbox.files[b"/testbed/f"] == b"precious"


@pytest.mark.parametrize("wanted", [None, [1, -1], [8_000_000, 8_300_000], [8_388_600, -1]])
def test_view_of_millions_of_lines_takes_out_only_what_is_shown(
    wanted: list[int] | None,
) -> None:
    context = ToolContext(sandbox=FakeSandbox(), max_chars=20_000)
    with Work() as work:
        answer = _view_file(b"\n" * (8 << 20), "/testbed/f", wanted, context)
    assert work.lines < 5_000
    first, last = (1, -1) if wanted is None else wanted
    last = (8 << 20) if last == -1 else last
    rows = shown(answer).split("\n")[1:]
    assert rows[0] == f"{first:6}\t"
    assert rows[-1] == f"{last:6}\t"
    assert len(rows) == min(161, last - first + 1)


@pytest.mark.parametrize("path", ["/testbed", "/testbed/new/", "~/f", "/testbed/a\0b"])
async def test_create_needs_the_path_of_a_file(path: str) -> None:
    sandbox = FakeSandbox()
    assert not (await edit(sandbox, "create", path, file_text="x")).ok
    assert sandbox.files == {}


@pytest.mark.parametrize(
    ("before", "old", "new", "after"),
    [
        (b"all:\n\tgcc a.c\n", "a.c", "b.c", b"all:\n\tgcc b.c\n"),
        (b"a\r\nb\r\n", "a\nb", "c\nd", b"c\r\nd\r\n"),
        (b"caf\xe9 x", "x", "y", b"caf\xe9 y"),
        (b"\xef\xbb\xbfx\n", "x", "y", b"\xef\xbb\xbfy\n"),
        (b"keep DROP keep", " DROP", None, b"keep keep"),
    ],
)
async def test_str_replace_changes_nothing_else(
    before: bytes, old: str, new: str | None, after: bytes
) -> None:
    sandbox = FakeSandbox({"/testbed/f": before})
    answer = await edit(sandbox, "str_replace", old_str=old, new_str=new)
    assert answer.ok
    assert sandbox.files[b"/testbed/f"] == after


async def test_str_replace_shows_what_stands_around_it() -> None:
    sandbox = FakeSandbox({"/testbed/f": "".join(f"line {n}\n" for n in range(1, 101)).encode()})
    answer = await edit(sandbox, "str_replace", old_str="line 50\n", new_str="a\nb\n")
    lines = shown(answer).splitlines()
    assert "has been edited" in lines[0]
    assert lines[1] == "    46\tline 46"
    assert lines[5:7] == ["    50\ta", "    51\tb"]
    assert lines[-1] == "    56\tline 55"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"old_str": "absent"}, "No occurrences"),
        ({"old_str": "x"}, r"Multiple occurrences \(3\) .* in lines 1, 2, 4"),
        ({"old_str": "x", "path": "/testbed/none"}, "does not exist"),
        ({"new_str": "x"}, "old_str is required for str_replace. Given: command, path, new_str"),
        ({"old_str": ["x"]}, "old_str must be a string"),
        ({"old_str": "x", "path": "/testbed"}, "not a regular file"),
    ],
)
async def test_str_replace_that_cannot_be_made(arguments: dict[str, Any], words: str) -> None:
    sandbox = FakeSandbox({"/testbed/f": b"x\nx\ny\nx\n"})
    answer = await edit(sandbox, "str_replace", **arguments)
    assert not answer.ok
    assert re.search(words, answer.text)
    assert sandbox.files[b"/testbed/f"] == b"x\nx\ny\nx\n"


async def test_insert_takes_a_line_number_written_as_text() -> None:
    sandbox = FakeSandbox({"/testbed/f": b"a\r\nb\r\n"})
    answer = await edit(sandbox, "insert", insert_line="1", new_str="x\ny")
    assert answer.ok
    assert sandbox.files[b"/testbed/f"] == b"a\r\nx\r\ny\r\nb\r\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"insert_line": 0, "new_str": "x", "path": "/testbed/none"}, "does not exist"),
        ({"insert_line": 7, "new_str": "x"}, "from 0 to 2"),
        ({"insert_line": -1, "new_str": "x"}, "from 0 to 2"),
        ({"insert_line": "one", "new_str": "x"}, "insert_line must be a whole number"),
        ({"new_str": "x"}, "insert_line and new_str are required"),
    ],
)
async def test_insert_that_cannot_be_made(arguments: dict[str, Any], words: str) -> None:
    sandbox = FakeSandbox({"/testbed/f": b"a\nb\n"})
    answer = await edit(sandbox, "insert", **arguments)
    assert not answer.ok
    assert words in answer.text
    assert sandbox.files == {b"/testbed/f": b"a\nb\n"}


async def test_view_numbers_lines_and_keeps_their_tabs() -> None:
    sandbox = FakeSandbox({"/testbed/a b.txt": b"one\n\ttwo\r\nthree"})
    answer = await edit(sandbox, "view", "/testbed/a b.txt")
    assert shown(answer).split("\n", 1)[1] == "     1\tone\n     2\t\ttwo\n     3\tthree"


@pytest.mark.parametrize(
    ("wanted", "lines", "note"),
    [
        ([2, 3], "23", False),
        ("[2, 3]", "23", False),
        (["2", "-1"], "2345", False),
        ([4, 99], "45", True),
        ([5, 5], "5", False),
    ],
)
async def test_view_of_a_range(wanted: object, lines: str, note: bool) -> None:
    sandbox = FakeSandbox({"/testbed/f": b"1\n2\n3\n4\n5\n"})
    answer = await edit(sandbox, "view", view_range=wanted)
    numbers = [line[:6].strip() for line in shown(answer).splitlines() if "\t" in line]
    assert "".join(numbers) == lines
    assert ("[The file ends at line 5.]" in answer.text) == note


@pytest.mark.parametrize("wanted", [[0, 2], [6, 7], [3, 2], [1], "x", [1, 2, 3]])
async def test_view_of_a_range_that_is_none(wanted: object) -> None:
    answer = await edit(FakeSandbox({"/testbed/f": b"1\n2\n3\n"}), "view", view_range=wanted)
    assert not answer.ok
    assert "view_range" in answer.text


@pytest.mark.parametrize("path", ["a.txt", "a.json", "a.html", "answer", "Makefile"])
async def test_view_opens_every_kind_of_text(path: str) -> None:
    sandbox = FakeSandbox({f"/testbed/{path}": b"caf\xe9\n"})
    answer = await edit(sandbox, "view", f"/testbed/{path}")
    assert "     1\tcaf\ufffd" in answer.text


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0", "a PNG picture, 10 bytes"),
        (b"%PDF-1.7\n\xe2\xe3", "a PDF document"),
        (b"\xff\xfea\0", "UTF-16"),
        (b"a\0b", "an unknown kind, 3 bytes"),
    ],
)
async def test_view_says_what_a_binary_file_is(data: bytes, words: str) -> None:
    answer = await edit(FakeSandbox({"/testbed/f": data}), "view")
    assert not answer.ok
    assert words in answer.text


async def test_view_of_nothing() -> None:
    assert "(empty file: /testbed/f)" in (await edit(FakeSandbox({"/testbed/f": b""}), "view")).text
    missing = await edit(FakeSandbox(), "view", "/testbed/none")
    assert not missing.ok
    assert "Path not found: /testbed/none" in missing.text


async def test_view_of_a_long_file_is_bounded() -> None:
    sandbox = FakeSandbox({"/testbed/f": b"x" * 10_000_000})
    answer = await edit(sandbox, "view")
    assert answer.truncated
    assert len(answer.text) < 21_000


@pytest.mark.parametrize("path", ["/testbed", "/testbed/", "."])
async def test_view_lists_all_files_two_levels_deep(path: str) -> None:
    sandbox = FakeSandbox(
        {
            "/testbed/data.csv": b"1234",
            "/testbed/input/report.txt": b"",
            "/testbed/deep/er/too deep.txt": b"",
            "/testbed/.hidden/x": b"",
            "/testbed/n\\xff.txt": b"x",
            "/elsewhere/x": b"",
        }
    )
    answer = await edit(sandbox, "view", path)
    assert shown(answer).splitlines()[1:] == [
        "/testbed/data.csv  (4 bytes)",
        "/testbed/deep/",
        "/testbed/deep/er/",
        "/testbed/input/",
        "/testbed/input/report.txt  (0 bytes)",
        "/testbed/n\\xff.txt  (1 bytes)",
        "/testbed/output/",
    ]
    named = await edit(sandbox, "view", "/testbed/n\\xff.txt")
    assert named.ok


async def test_view_of_a_crowded_directory_says_what_is_missing() -> None:
    sandbox = FakeSandbox({f"/testbed/d/{n:05}": b"" for n in range(400)})
    answer = await edit(sandbox, "view", "/testbed/d")
    assert answer.truncated
    assert "100 more left out" in answer.text
    sandbox = FakeSandbox({f"/testbed/d/{n:05}": b"" for n in range(20_001)})
    assert "too many files" in (await edit(sandbox, "view", "/testbed/d")).text
    assert not (await edit(sandbox, "view", "/testbed/d", view_range=[1, 2])).ok


async def test_a_call_without_sense_is_answered() -> None:
    context = ToolContext(sandbox=FakeSandbox())
    tool = StrReplaceEditor()
    for arguments in ({}, {"command": "view"}, {"path": "/f"}, {"command": "undo", "path": "/f"}):
        answer = await tool(arguments, context)
        assert not answer.ok
        assert "Error: " in answer.text


async def test_an_error_is_bounded_too() -> None:
    answer = await edit(FakeSandbox(), "view", "/" + "x" * 1_000_000)
    assert not answer.ok
    assert len(answer.text) < 21_000
