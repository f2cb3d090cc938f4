"""Every command that writes a file which the user names: overwriting, stdout, links and formats."""

from __future__ import annotations

import os
import subprocess
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from sandbox_tui.sessions import Store
from sandbox_tui.tui.cli.main import main
from sandbox_tui.tui.film.export_formats import formats_by_ending, renamed
from tests.e2e.tmux import PROGRAM
from tests.snapshots.sample_eval import EVAL_ID, enter_eval
from tests.unit.sample_run import keep, sample

EXPORT = ("sessions", "export", "r", "-f", "markdown")
REPORT = ("eval", "report", EVAL_ID, "-f", "markdown")
GENERATE = ("rl", "data", "generate", "--count", "2")
COMMANDS = pytest.mark.parametrize(
    "command", [EXPORT, REPORT, GENERATE], ids=lambda words: words[1]
)


@pytest.fixture(autouse=True)
def kept(store: Store) -> None:
    """Keep a session and an evaluation."""
    keep(store, *sample())
    enter_eval(store, time.time())


def run(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


@COMMANDS
def test_a_file_is_overwritten_on_request_only(command: Sequence[str], tmp_path: Path) -> None:
    file = tmp_path / "out.md"
    file.write_text("mine")
    refused = run(*command, "-o", file)
    assert (refused.exit_code, refused.stderr) == (
        2,
        f"sandbox-tui: {file} already exists; --force overwrites it.\n",
    )
    assert file.read_text() == "mine"
    assert run(*command, "-o", file, "--force").exit_code == 0
    assert file.read_text() != "mine"


@COMMANDS
def test_a_link_is_written_through(command: Sequence[str], tmp_path: Path) -> None:
    link, real = tmp_path / "link.md", tmp_path / "real.md"
    link.symlink_to("real.md")
    real.write_text("mine")
    assert run(*command, "-o", link).exit_code == 2
    assert run(*command, "-o", link, "--force").exit_code == 0
    assert link.is_symlink()
    assert real.read_text() != "mine"


@COMMANDS
def test_a_named_pipe_needs_no_force_and_stays(command: Sequence[str], tmp_path: Path) -> None:
    pipe, read = tmp_path / "pipe", list[bytes]()
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()), daemon=True)
    reader.start()
    done = run(*command, "-o", pipe)
    assert done.exit_code == 0, done.output
    reader.join()
    assert read[0]
    assert pipe.is_fifo()


@COMMANDS
@pytest.mark.parametrize("name", ["-", "/dev/stdout"])
def test_stdout(command: Sequence[str], name: str, tmp_path: Path) -> None:
    with (tmp_path / "out").open("w") as out:
        done = subprocess.run(
            [PROGRAM, *command, "-o", name],
            cwd=tmp_path,
            stdout=out,
            stderr=subprocess.PIPE,
            text=True,
            check=True,
        )
    written = (tmp_path / "out").read_text()
    assert written
    assert name not in written.splitlines(), "the path is no part of the output"
    assert "Traceback" not in done.stderr
    assert [file.name for file in tmp_path.iterdir() if file.is_file()] == ["out"]


def test_the_ending_of_a_report_names_its_format(tmp_path: Path) -> None:
    def written(name: str, *more: str) -> str:
        assert run("eval", "report", EVAL_ID, "-o", tmp_path / name, *more).exit_code == 0
        return (tmp_path / name).read_text()

    assert written("r.html").startswith("<!doctype html>")
    assert written("r.md").startswith("#")
    assert written("r.json").startswith("{")
    assert written("r.csv").count(",") > 10
    text = written("r.txt")
    assert text.splitlines()[1:] == written("r.log").splitlines()[1:]
    assert written("other.html", "-f", "markdown").startswith("#")


@pytest.mark.parametrize(
    ("name", "forms"),
    [
        *(
            ("a.html", "html"),
            ("a.b.md", "markdown"),
            ("a.JSONL", "chat-jsonl"),
            ("x.sbx", "bundle"),
        ),
        *(("a.cast", "asciicast"), ("a.film.svg", "film"), ("trajectory.json", "trajectory")),
        *(("a.atif.json", "atif"), ("a.json", "trajectory atif"), ("a.svg", "svg film")),
        *(("a.doc", ""), ("a", "")),
    ],
)
def test_the_ending_of_an_export_names_its_format(name: str, forms: str) -> None:
    assert formats_by_ending(Path(name)) == forms.split()


@pytest.mark.parametrize("command", [("report", EVAL_ID), ("compare", EVAL_ID, "x")])
def test_an_ending_of_no_format_of_a_report_asks_for_one(
    command: Sequence[str], tmp_path: Path
) -> None:
    refused = run("eval", *command, "-o", tmp_path / "r.pdf")
    assert refused.exit_code == 2
    assert refused.stderr.startswith("sandbox-tui: Choose a format: -f text, -f markdown")
    assert not list(tmp_path.glob("r.*"))


@pytest.mark.parametrize("command", [("report", EVAL_ID), ("compare", EVAL_ID, "x")])
def test_a_misspelled_format_of_a_report_says_which_is_meant(command: Sequence[str]) -> None:
    refused = run("eval", *command, "-f", "htm")
    assert refused.exit_code == 2
    assert "There is no format 'htm'. Did you mean 'html'?" in refused.stderr


def test_a_folder_that_does_not_exist_is_named(tmp_path: Path) -> None:
    missing = tmp_path / "ex"
    refused = run("sessions", "export", "r", "-o", missing / "x.html")
    assert refused.exit_code == 2
    assert f"x.html cannot be written: the folder {missing} does not exist." in refused.stderr


def test_a_path_that_ends_with_a_slash_is_a_folder(tmp_path: Path) -> None:
    for folder in ("new", "new.html"):
        assert run(*EXPORT, "-o", f"{tmp_path / folder}/").exit_code == 0
        assert [file.name for file in (tmp_path / folder).iterdir()] == ["r.md"]


def test_an_ending_of_several_formats_asks_for_one(tmp_path: Path) -> None:
    refused = run("sessions", "export", "r", "-o", tmp_path / "a.json")
    assert refused.exit_code == 2
    assert refused.stderr == "sandbox-tui: Choose a format: -f trajectory or -f atif.\n"
    refused = run("sessions", "export", "r", "-o", tmp_path / "a.pdf")
    assert "Choose a format: -f trajectory, -f html" in refused.stderr
    assert run("sessions", "export", "r", "-o", tmp_path / "a.html").exit_code == 0
    assert (tmp_path / "a.html").read_text().startswith("<!doctype html>")


def test_an_ending_of_one_format_is_its_short_name(tmp_path: Path) -> None:
    for short, name in (("md", "r.md"), ("MD", "r.md"), ("jsonl", "r.jsonl"), ("sbx", "r.sbx")):
        folder = tmp_path / short
        assert run("sessions", "export", "r", "-f", short, "-o", f"{folder}/").exit_code == 0
        assert [file.name for file in folder.iterdir()] == [name]
    refused = run("sessions", "export", "r", "-f", "json", "-o", tmp_path / "a")
    assert "There is no format 'json'. Did you mean trajectory or" in refused.stderr


def test_an_ending_that_is_not_the_formats_is_said(tmp_path: Path) -> None:
    done = run("sessions", "export", "r", "-f", "html", "-o", tmp_path / "a.md")
    assert done.exit_code == 0
    assert (tmp_path / "a.md").read_text().startswith("<!doctype html>")
    words = "a.md is written as html, but its ending is that of markdown."
    assert done.stderr.splitlines()[0] == f"sandbox-tui: {words}"
    for name in ("b.md", "b.v2", "b"):
        assert "ending" not in run(*EXPORT, "-o", tmp_path / name).stderr


def test_several_sessions_do_not_make_a_folder_named_like_a_file(
    store: Store, tmp_path: Path
) -> None:
    keep(store, *sample("x"), run_id="x")
    export = ("sessions", "export", "r", "x", "-f", "html", "-o")
    refused = run(*export, tmp_path / "one.html")
    assert refused.exit_code == 2
    assert "one.html is the name of a file, and 2 sessions need a folder: end its" in refused.stderr
    assert not (tmp_path / "one.html").exists()
    assert run(*export, f"{tmp_path / 'one.html'}/").exit_code == 0
    assert len(list((tmp_path / "one.html").iterdir())) == 2


@pytest.mark.parametrize(
    ("typed", "before", "after", "name"),
    [
        ("a/b.html", "html", "markdown", "a/b.md"),
        ("b.film.svg", "film", "html", "b.html"),
        ("b.json", "trajectory", "markdown", "b.md"),
        ("b.json", "trajectory", "atif", "b.json"),
        ("b.v2", "html", "markdown", "b.v2"),
        ("b", "html", "markdown", "b"),
        ("a/.html", "html", "markdown", "a/.html"),
    ],
)
def test_a_change_of_format_changes_its_ending(
    typed: str, before: str, after: str, name: str
) -> None:
    assert renamed(typed, before, after) == name


def test_a_folder_is_imported_file_by_file(tmp_path: Path) -> None:
    folder = tmp_path / "ex"
    assert run("sessions", "export", "r", "-f", "sbx", "-o", f"{folder}/").exit_code == 0
    (folder / "sub.json").mkdir()
    here = run("sessions", "import", folder)
    assert (here.exit_code, here.stdout) == (0, "")
    assert "This session is already here: r." in here.stderr
    refused = run("sessions", "import", folder / "sub.json")
    assert refused.exit_code == 2
    assert "is a folder without .sbx, .json, .traj or .cast files." in refused.stderr
