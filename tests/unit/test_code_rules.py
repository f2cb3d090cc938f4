"""Checks of the rules for this code base."""

from __future__ import annotations

import ast
import functools
import os
import re
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import grimp

ROOT = Path(__file__).parents[2]
CODE = ("core", "sessions", "themes", "tui")
MAX_FILE_LINES = 400

MAX_FOLDER_FILES = 15
"""Maximum number of files in a folder without `__init__.py`; a larger one covers two topics."""


@functools.cache
def nodes_of(file: Path) -> tuple[ast.AST, ...]:
    """Parse a file once for all rules and return all nodes of its tree."""
    return tuple(ast.walk(ast.parse(file.read_text())))


def python_files(folder: str) -> list[Path]:
    return sorted((ROOT / folder).rglob("*.py"))


def test_imports_follow_the_layers() -> None:
    """The contracts are in pyproject.toml."""
    done = subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-logo", "--no-cache"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout


def test_the_import_graph_is_complete() -> None:
    """A graph without some modules or imports would satisfy every contract."""
    graph = grimp.build_graph(*(f"sandbox_tui.{name}" for name in CODE), cache_dir=None)
    files = {file for name in CODE for file in python_files(name)}
    assert len(graph.modules) == len(files)
    assert graph.direct_import_exists(
        importer="sandbox_tui.tui.app", imported="sandbox_tui.core.config.settings"
    )
    drawn = graph.find_modules_that_directly_import("sandbox_tui.core.events.types")
    assert {name.split(".")[1] for name in drawn} == {"core", "sessions", "tui"}


def test_every_folder_with_code_is_packaged() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    mapped = project["tool"]["setuptools"]["package-dir"]
    folders = {str(file.parent.relative_to(ROOT)) for name in CODE for file in python_files(name)}
    assert folders == set(mapped.values())
    assert set(project["tool"]["setuptools"]["packages"]) == set(mapped)
    assert all((ROOT / folder / "__init__.py").exists() for folder in folders)


def test_folders_are_small() -> None:
    counts = Counter(
        file.parent.relative_to(ROOT)
        for name in CODE
        for file in (ROOT / name).rglob("*")
        if file.is_file() and file.name != "__init__.py" and file.parent.name != "__pycache__"
    )
    assert len(counts) > 40
    assert {str(folder): n for folder, n in counts.items() if n > MAX_FOLDER_FILES} == {}


def test_files_are_short() -> None:
    long = {
        str(file.relative_to(ROOT)): count
        for name in CODE
        for file in python_files(name)
        if (count := len(file.read_text().splitlines())) > MAX_FILE_LINES
    }
    assert not long


def test_no_handler_is_called_twice() -> None:
    """Textual itself calls `on_mount` and similar handlers of every base class of a widget."""
    again = {
        f"{file.name}: {node.func.attr}"
        for file in python_files("tui")
        for node in nodes_of(file)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Call)
        and ast.unparse(node.func.value) == "super()"
        and re.match(r"_?on_(?!event$)", node.func.attr)
    }
    assert not again


def types_asked_for(call: ast.Call) -> Iterator[ast.expr]:
    """Yield the arguments that are types in a call that checks types at run time."""
    name = getattr(call.func, "attr", getattr(call.func, "id", ""))
    if name in ("isinstance", "issubclass"):
        types = call.args[1:2]
    elif name.startswith("query"):
        types = [*call.args, *(word.value for word in call.keywords)]
    else:
        return
    for each in types:
        yield from each.elts if isinstance(each, ast.Tuple) else (each,)


def test_no_parameterized_generic_is_checked_at_run_time() -> None:
    """`query_one("#kind", Select[str])` passes the type checker and raises at run time."""
    wrong = [
        f"{file.relative_to(ROOT)}:{call.lineno}: {ast.unparse(each)}"
        for folder in (*CODE, "tests")
        for file in python_files(folder)
        for call in nodes_of(file)
        if isinstance(call, ast.Call)
        for each in types_asked_for(call)
        if isinstance(each, ast.Subscript)
        and re.match(r"(\w+\.)*([A-Z]|(list|dict|set|tuple|type)\[)", ast.unparse(each))
    ]
    assert not wrong


def test_no_registry_is_named() -> None:
    hosts = ["py" + "pi.org", "python" + "hosted", "registry.npm" + "js", "docker" + ".io/"]
    hosts.append("deb.deb" + "ian.org")
    skip = {".git", ".venv", ".cache", "build", "dist", "uv.lock", "__pycache__"}
    for folder, folders, files in os.walk(ROOT):
        folders[:] = [name for name in folders if name not in skip]
        for file in (Path(folder, name) for name in files if name not in skip):
            if file.is_file() and file.stat().st_size <= 500_000:
                text = file.read_text(errors="replace")
                assert not [host for host in hosts if host in text], file


def test_the_program_starts_without_its_heavy_parts() -> None:
    script = (
        "import sys; import sandbox_tui.tui.cli.main\n"
        "print([m for m in ('textual', 'openai', 'docker', 'pydantic') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


_STATEMENT = re.compile(
    r"\b(SELECT\s+[\w*(]|INSERT\s+(OR\s+\w+\s+)?INTO|UPDATE\s+\w+\s+SET|DELETE\s+FROM|PRAGMA\s+\w)"
)
_SPEAKS_SQL = ("sessions/store/", "sessions/search/")
_OWN_FILES = ("sessions/interchange/exports/bundle.py", "sessions/interchange/imports/bundle.py")
"""A bundle is a separate SQLite file."""


def test_only_the_store_and_the_search_contain_sql() -> None:
    wrong = [
        f"{file.relative_to(ROOT)}:{node.lineno}"
        for name in CODE
        for file in python_files(name)
        if not str(file.relative_to(ROOT)).startswith((*_SPEAKS_SQL, *_OWN_FILES))
        for node in nodes_of(file)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and _STATEMENT.search(node.value)
    ]
    assert not wrong
