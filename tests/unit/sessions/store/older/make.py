"""Writes a session database with the code of an older commit, for tests of its migration.

    python tests/unit/sessions/store/older/make.py 048f495 tests/unit/sessions/store/older/048f495.db.gz
    python tests/unit/sessions/store/older/make.py 048f495 /tmp/large.db --steps 20000

Sessions: `r` (the sample run: tagged, noted, indexed, with keyframes and a source document), `fork`
(forked from `r`), and `long` (`--steps` steps). The file is gzipped if its name ends in `.gz`.
"""

from __future__ import annotations

import argparse
import gzip
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[5]
PACKAGES = ("core", "sessions", "themes", "tui")

OLD_CODE = """
import sys
from pathlib import Path
import msgspec
try:
    from sandbox_tui.core.events import types as e
    from sandbox_tui.sessions.playback.keyframes import catch_up
    from sandbox_tui.sessions.search.search import search
    from sandbox_tui.sessions.store.annotations import add_note, add_tag
    from sandbox_tui.sessions.store.source_documents import Original, keep_original
except ImportError:
    from sandbox_tui.core import events as e
    from sandbox_tui.sessions.keyframes import catch_up
    from sandbox_tui.sessions.search import search
    from sandbox_tui.sessions.labels import add_note, add_tag
    from sandbox_tui.sessions.originals import Original, keep_original
from sandbox_tui.sessions import Store
from tests.perf.made_sessions import fill
from tests.unit.sample_run import keep, sample

store = Store(Path(sys.argv[1]))
events, contents = sample("plain")
keep(store, events, contents)
parted = 14
forked = e.Forked(
    seq=parted + 1, t=events[parted - 1].t, parent="r", parent_seq=parted, step=1, snapshot=None,
    repeats=0, model="m",
)
first = msgspec.structs.replace(events[0], run_id="fork", parent="r", parent_seq=parted)
rest = [msgspec.structs.replace(one, seq=one.seq + 1) for one in events[parted:]]
keep(store, [first, *events[1:parted], forked, *rest], contents, "fork")
fill(store, "long", int(sys.argv[2]))
for run in ("r", "fork", "long"):
    catch_up(store, run)
add_tag(store, "r", "kept")
add_note(store, "r", 1, "a note")
document = Original(format="f", name="n.json", fingerprint="d", data=b"x" * 500)
keep_original(store, "r", document)
search(store, "plain")
store.close()
"""


@contextmanager
def tree_of(commit: str) -> Iterator[tuple[Path, dict[str, str]]]:
    """Yield a folder with the files of a commit, and the environment in which Python imports them.

    Raises:
        CalledProcessError: there is no such commit.
    """
    with TemporaryDirectory() as folder:
        tree, package = Path(folder) / "tree", Path(folder) / "path" / "sandbox_tui"
        tree.mkdir()
        package.mkdir(parents=True)
        archive = subprocess.run(
            ["git", "archive", commit], cwd=ROOT, capture_output=True, check=True
        ).stdout
        subprocess.run(["tar", "-x"], cwd=tree, input=archive, check=True)
        for name in PACKAGES:
            (package / name).symlink_to(tree / name)
        yield tree, {**os.environ, "PYTHONPATH": f"{package.parent}{os.pathsep}{tree}"}


def write(commit: str, path: Path, steps: int) -> None:
    """Check out the commit, run its code, and write the database to `path`."""
    with tree_of(commit) as (tree, environment), TemporaryDirectory() as folder:
        database = path.absolute() if path.suffix != ".gz" else Path(folder) / "s.db"
        subprocess.run(
            [sys.executable, "-c", OLD_CODE, str(database), str(steps)],
            cwd=tree,
            env=environment,
            check=True,
        )
        if path.suffix == ".gz":
            path.write_bytes(gzip.compress(database.read_bytes(), mtime=0))


def main() -> None:
    """Write the database that the command line describes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("commit")
    parser.add_argument("path", type=Path)
    parser.add_argument("--steps", type=int, default=8)
    options = parser.parse_args()
    write(options.commit, options.path, options.steps)


if __name__ == "__main__":
    main()
