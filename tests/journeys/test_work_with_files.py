"""Guide: Work with files."""

from __future__ import annotations

from collections.abc import Callable

from tests import scripted_server as s
from tests.journeys.person import Person

Serve = Callable[..., s.ScriptedServer]


def bash(command: str) -> s.Scripted:
    return s.call("execute_bash", command=command)


def test_files_are_looked_at_changed_and_copied(person: Person, scripted_server: Serve) -> None:
    server = scripted_server(
        bash("mkdir sub; printf 'one\\ntwo\\n' >notes.txt; echo '<b>x</b>' >sub/page.html"),
        bash("echo three >>notes.txt; printf '# Head\\n\\n- item\\n' >words.md"),
        bash("echo waiting"),
        s.call("submit"),
    )
    opener = person.folder / "bin" / "xdg-open"
    opener.parent.mkdir()
    opener.write_text('#!/bin/sh\necho "$1" >>../opened\n')
    opener.chmod(0o755)
    editor = person.folder / "own-editor"
    editor.write_text('#!/bin/sh\nprintf "type ready"; read words; echo "$words" >>"$1"\n')
    editor.chmod(0o755)
    (person.folder / "table.csv").write_text("a,b\n1,2\n")
    with person:
        person.runs(f"export PATH={opener.parent}:$PATH DISPLAY=:9 EDITOR={editor}")
        person.runs("sandbox-tui config set keys.file_view.source f6")
        person.enters(f"sandbox-tui run x --step --base-url {server.url} --model m")
        person.sees("◆ call 1")
        person.presses("a")
        person.sees("◆ call 2")
        person.presses("a")
        person.sees("◆ call 3", "notes.txt", "words.md")
        person.presses("3")
        person.sees("d diff")
        person.presses_and_looks("c", "c")
        person.presses("/")
        person.sees("enter keep")
        person.types("notes")
        person.presses_and_looks("Escape")
        person.no_longer_sees("enter keep")
        person.presses("/")
        person.sees("enter keep")
        person.types("notes")
        person.presses_and_looks("Down")
        person.sees("“notes” 1", "three")
        person.presses_and_looks("Escape")
        person.no_longer_sees("“notes” 1")
        person.finds_file("notes")
        person.sees("“notes” 1", "three")
        person.presses("d")
        person.sees("+ three")
        person.presses_and_looks("d", "d")
        person.presses("D")
        person.sees("compare notes.txt with")
        person.presses("Escape")
        person.no_longer_sees("compare notes.txt with")
        person.presses("D")
        person.sees("compare notes.txt with")
        person.presses("Down", "Enter")
        person.no_longer_sees("compare notes.txt with")
        person.presses("o")
        person.sees("esc close")
        person.presses("/")
        person.types("t")
        person.presses_and_looks("Enter", "n", "n", "N")
        person.presses("Escape")
        person.no_longer_sees("esc close")
        person.sees("d diff")
        person.presses("E")
        person.sees("edit /testbed/notes.txt", "visible to model")
        person.presses("Escape")
        person.no_longer_sees("edit /testbed/notes.txt")
        person.presses("E")
        person.sees("edit /testbed/notes.txt")
        person.types("by hand ")
        person.presses("F4")
        person.sees("type ready")
        person.types("in my editor")
        person.presses("Enter")
        person.sees("edit /testbed/notes.txt", "in my editor", "$EDITOR")
        person.presses_and_looks("C-t")
        person.presses("C-s")
        person.sees("by you")
        person.presses("p")
        person.sees("copy out notes.txt")
        person.presses("Escape")
        person.no_longer_sees("copy out notes.txt")
        person.presses("p")
        person.sees("copy out notes.txt")
        assert "output/" not in person.screen(), "copies are not among the results"
        person.fills(str(person.folder / "out"))
        person.presses("C-s")
        person.sees("Copied out to")
        assert "by hand" in (person.folder / "out" / "notes.txt").read_text()
        person.presses("P")
        person.sees("copy in a file or folder")
        person.types(str(person.folder / "table.csv"))
        person.presses("Tab")
        person.fills("/testbed/sub")
        person.presses("Tab", "Space")
        person.presses("C-s")
        person.sees("Copied in to /testbed/sub/table.csv")
        person.finds_file("words")
        person.sees("“words” 1", "Head")
        person.presses_and_looks("v", "v")
        person.presses("o")
        person.sees("esc close", "f6 source")
        person.presses("F6")
        person.sees("# Head")
        person.presses("F6")
        person.no_longer_sees("# Head")
        person.presses("Escape")
        person.finds_file("page")
        person.sees("“page” 1")
        person.presses("O")
        person.sees("Opened a copy")
        person.presses("1", "a")
        person.sees("◆ call 4")
        person.presses("a")
        person.sees("submitted")
        person.presses("q")
        assert person.is_back() == 0
