"""Results leave a sandbox as plain files in the chosen folder, or not at all."""

from __future__ import annotations

import asyncio
import contextlib
import io
import os
import resource
import signal
import stat
import tarfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sandbox_tui.core.base.errors import FileRefused
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.run.results import limit_sentences
from sandbox_tui.core.sandboxes.base import FileEntry, Listing, Sandbox
from sandbox_tui.core.sandboxes.protocol import file_copying
from sandbox_tui.core.sandboxes.protocol.file_copying import choose, room_for
from sandbox_tui.core.sandboxes.protocol.tar_archives import unpack, write_out
from tests.integration.conftest import sandbox
from tests.security.hostile import Streams
from tests.waiting import HANG_SECONDS

__all__ = ["sandbox"]


def tar_of(*members: tuple[dict[str, Any], bytes]) -> bytes:
    """A tar with these headers."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=tarfile.GNU_FORMAT) as tar:
        for fields, data in members:
            member = tarfile.TarInfo()
            for name, value in {"size": len(data), **fields}.items():
                setattr(member, name, value)
            tar.addfile(member, io.BytesIO(data))
    return stream.getvalue()


def below(folder: Path) -> Iterator[Path]:
    for path, folders, files in os.walk(folder):
        yield from (Path(path) / name for name in (*folders, *files))


def unpacked(data: bytes, folder: Path, wanted: int = 1) -> list[str]:
    """Unpack, and check everything in the folder afterwards."""
    (folder / "near").mkdir(parents=True, exist_ok=True)
    (folder / "near" / "mine").write_text("mine")
    left = unpack(io.BytesIO(data), folder / "out", wanted)
    folder_if_needed = ["out"] if (folder / "out").exists() else []
    assert sorted(path.name for path in folder.iterdir()) == ["near", *folder_if_needed]
    assert [path.name for path in (folder / "near").iterdir()] == ["mine"]
    assert (folder / "near" / "mine").read_text() == "mine"
    for path in below(folder / "out"):
        status = path.lstat()
        assert stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)
        assert not status.st_mode & 0o7022
        assert status.st_nlink == 1 or stat.S_ISDIR(status.st_mode)
        assert sanitize_line(path.name) == path.name
    return left


NAMES = ["/etc/x", "../near/mine", "a/../../near/mine", "..", "/", "a/b", "a", "a/", "./a", "near", "-rf",
         "~", "x\x1b]0;t\x07", "\u202etxt.exe", "a\\b", "n" * 300, "d/" * 60 + "x", "con", "é", " ", "a\nb"]  # fmt: skip
TYPES = [tarfile.REGTYPE, tarfile.DIRTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE]
TYPES += [tarfile.BLKTYPE, tarfile.FIFOTYPE, tarfile.CONTTYPE, tarfile.GNUTYPE_SPARSE, b"V", b"x"]
MEMBER = st.tuples(
    st.fixed_dictionaries(
        {
            "name": st.sampled_from(NAMES),
            "type": st.sampled_from(TYPES),
            "linkname": st.sampled_from(["", *NAMES]),
            "mode": st.integers(0, 0o7777),
            "uid": st.integers(0, 70_000),
        }
    ),
    st.binary(max_size=40),
)


@given(st.lists(MEMBER, max_size=8))
@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_no_archive_writes_anywhere_else(
    tmp_path_factory: pytest.TempPathFactory, members: list[tuple[dict[str, Any], bytes]]
) -> None:
    unpacked(tar_of(*members), tmp_path_factory.mktemp("any"))


@given(st.binary(max_size=3000), st.integers(0, 3000))
@settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_no_bytes_write_anywhere_else(
    tmp_path_factory: pytest.TempPathFactory, noise: bytes, at: int
) -> None:
    good = tar_of(({"name": "a/b"}, b"data"), ({"name": "c"}, b"more"))
    unpacked(good[:at] + noise + good[at:], tmp_path_factory.mktemp("noise"))


def test_a_python_without_rules_for_extraction_copies_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`tarfile` has them since 3.11.4; Debian 12 has 3.11.2."""
    for name in ("data_filter", "FilterError"):
        monkeypatch.delattr(tarfile, name, raising=False)
    assert unpacked(tar_of(({"name": "a/b"}, b"data")), tmp_path) == []
    assert [file.read_bytes() for file in tmp_path.rglob("b")] == [b"data"]


def header(name: str, kind: bytes, size: int, data: bytes = b"") -> bytes:
    member = tarfile.TarInfo(name)
    member.type, member.size = kind, size
    return member.tobuf(tarfile.GNU_FORMAT) + data + bytes(-len(data) % 512)


def pax(text: str) -> bytes:
    words = f" {text}\n"
    size = len(words) + 2
    return header("p", tarfile.XHDTYPE, size, f"{size:02}{words}".encode())


BAD: dict[str, bytes] = {
    "a name of a gigabyte": header("n", tarfile.GNUTYPE_LONGNAME, 1 << 30),
    "a header of a gigabyte": header("n", tarfile.XHDTYPE, 1 << 30),
    "a size below nothing": pax("size=-1024") + header("a", tarfile.REGTYPE, 0),
    "a size beyond everything": pax("size=" + "9" * 30) + header("a", tarfile.REGTYPE, 0),
    "no number": pax("size=x") + header("a", tarfile.REGTYPE, 0),
    "no archive": b"\xff" * 2048,
    "a sparse map without an end": pax("GNU.sparse.major=1")
    + header("a", tarfile.REGTYPE, 1 << 20),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_archive_is_refused_at_once_with_a_sentence(name: str, tmp_path: Path) -> None:
    began = time.process_time()
    left = unpacked(tar_of(({"name": "first"}, b"1"))[:1024] + BAD[name], tmp_path, 3)
    assert "of 3 were not copied" in left[-1]
    assert (tmp_path / "out" / "first").read_bytes() == b"1"
    assert time.process_time() - began < 5


@pytest.mark.parametrize("kept", [100, 512, 100_000, 512 + (1 << 20) + 100])
def test_an_incomplete_file_is_left_behind_and_reported(kept: int, tmp_path: Path) -> None:
    data = tar_of(({"name": "big"}, b"x" * (1 << 20)), ({"name": "later"}, b"y"))[:kept]
    left = unpacked(data, tmp_path, 2)
    whole = kept > 1 << 20
    assert [path.name for path in below(tmp_path / "out")] == (["big"] if whole else [])
    assert len(left) == 1
    assert f"{1 if whole else 2} of 2 were not copied" in left[0]


def test_a_disk_that_fills_up_keeps_complete_files(tmp_path: Path) -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, resource.RLIM_INFINITY))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # so that writing more fails, as on a full disk
    try:
        data = tar_of(
            ({"name": "a"}, b"1"), ({"name": "big"}, b"x" * (2 << 20)), ({"name": "c"}, b"")
        )
        left = unpacked(data, tmp_path, 3)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    assert [path.name for path in below(tmp_path / "out")] == ["a"]
    assert left == [
        "2 of 3 were not copied: this machine's disk could not be written (File too large)."
    ]


def test_thousands_of_things_left_behind_are_told_in_a_few_sentences() -> None:
    left = [f"{n} was not copied" for n in range(5000)] + ["7 of 9 were not copied"]
    sentences = limit_sentences(left)
    assert len(sentences) == 21
    assert sentences[-1] == "7 of 9 were not copied"
    assert sentences[-2] == "4981 more were not copied for similar reasons."


def test_twenty_thousand_files_of_one_name(tmp_path: Path) -> None:
    data = tar_of(*[({"name": "same"}, b"") for _ in range(file_copying.MAX_FILES + 5)])
    began = time.process_time()
    (left,) = unpacked(data, tmp_path)
    assert "more than 20000 files" in left
    assert time.process_time() - began < 20
    assert len(list((tmp_path / "out").iterdir())) == file_copying.MAX_FILES


def test_a_file_where_a_folder_is_wanted_spoils_nothing_else(tmp_path: Path) -> None:
    data = tar_of(({"name": "a"}, b"1"), ({"name": "a/b"}, b"2"), ({"name": "c"}, b"3"))
    assert len(unpacked(data, tmp_path)) == 1
    assert (tmp_path / "out" / "c").read_bytes() == b"3"


def test_no_disk_is_filled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entries = {
        b"/o/%d" % n: FileEntry(path=b"/o/%d" % n, kind="file", size=size, mode=0o644, mtime=0.0)
        for n, size in enumerate((10, 3 << 30, 5 << 30))
    }
    assert choose(Listing(entries=entries), b"/o", 100)[0] == [b"0"]
    chosen, left = choose(Listing(entries=entries), b"/o")
    assert chosen == [b"0", b"1"]
    assert "its 5120 MiB do not fit (at most 4 GiB are copied)" in left[0]
    left = choose(Listing(entries=entries), b"/o", 5)[1]
    assert left[0].endswith("its 10 bytes do not fit (this machine's disk has room for 5 bytes).")
    usage = type("usage", (), {"total": 10 << 30, "free": 600 << 20})
    monkeypatch.setattr(file_copying.shutil, "disk_usage", lambda path: usage)
    assert 0 < room_for(tmp_path / "a" / "b") <= 88 << 20
    usage.free = 1 << 20
    assert room_for(tmp_path) == 0


@pytest.mark.parametrize("name", [*NAMES, "a/" + "\x00", "x/../../y"])
def test_a_kept_content_is_written_below_its_folder(name: str, tmp_path: Path) -> None:
    target = tmp_path / "target"
    written = write_out(b"data", name.strip("/") or "x", target)
    assert written.resolve().is_relative_to(target.resolve())
    assert written.read_bytes() == b"data"


# --- real sandboxes


async def run(where: Sandbox, command: str) -> None:
    result = await where.exec(command, timeout=HANG_SECONDS)
    assert result.exit_code == 0, result.stderr


async def test_names_of_any_bytes(sandbox: Sandbox, tmp_path: Path) -> None:
    made = Streams()
    names = [made.name().replace("\n", "\x0b").encode() for _ in range(40)]
    names += [b"\xff\xfe", b"-rf", b"--help", b"a'b\"c$(id)`id`", b" ", b"\xed\xa0\x80", b"x" * 255]
    for name in names:
        await sandbox.write_file(f"/testbed/output/{file_copying.path_to_text(name)}", b"data")
    target = tmp_path / "out"
    left = await sandbox.copy_out("/testbed/output", target)
    assert left == []
    written = [path for path in below(target) if path.is_file()]
    assert len(written) == len(set(names))
    assert all(sanitize_line(path.name) == path.name for path in written)
    assert all(path.read_bytes() == b"data" for path in written)


async def test_an_empty_folder_is_whole(sandbox: Sandbox, tmp_path: Path) -> None:
    assert await sandbox.copy_out("/testbed/output", tmp_path / "out") == []


async def test_deep_and_wide_trees(
    sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_copying, "MAX_FILES", 2000)
    await run(
        sandbox,
        "cd output; d=.; for i in {1..60}; do d=$d/deep; done; mkdir -p $d; echo x >$d/x;"
        " for i in {1..4}; do mkdir many$i; (cd many$i; touch {1..600}); done; echo 42 >answer.txt",
    )
    left = await sandbox.copy_out("/testbed/output", tmp_path / "out")
    assert (tmp_path / "out" / "answer.txt").read_text() == "42\n"
    count = sum(1 for _ in below(tmp_path / "out"))
    assert count <= file_copying.MAX_FILES + 60
    assert any("more than 2000" in sentence for sentence in left)


async def test_files_that_are_replaced_during_the_copy(sandbox: Sandbox, tmp_path: Path) -> None:
    """The sandbox's tar is not trusted: it may send anything, for any length of time."""
    if sandbox.kind != "docker":
        pytest.skip("its tar is this machine's, and read-only")
    evil = "ln -sf /etc/shadow leak; exec /usr/bin/tar.real -cf - /etc/shadow leak /dev/null"
    await run(
        sandbox,
        "echo 42 >output/answer.txt; cp $(readlink -f $(command -v tar)) /usr/bin/tar.real;"
        f" rm -f $(command -v tar); printf '#!/bin/bash\\n{evil}\\n' >/usr/bin/tar; chmod +x /usr/bin/tar",
    )
    left = await sandbox.copy_out("/testbed/output", tmp_path / "out")
    assert left
    assert all(
        not path.is_symlink() and path.is_file()
        for path in below(tmp_path / "out")
        if not path.is_dir()
    )
    await run(sandbox, "printf '#!/bin/bash\\nexec cat /dev/zero\\n' >/usr/bin/tar")
    async with asyncio.timeout(HANG_SECONDS):
        with pytest.raises(FileRefused, match="grew while it was being copied"):
            await sandbox.copy_out("/testbed/output", tmp_path / "endless")
    assert not (tmp_path / "endless").exists()
    assert (await sandbox.exec("echo alive", timeout=HANG_SECONDS)).stdout == b"alive\n"


KILLER = """
(
  while :; do
    for stat in /proc/[0-9]*/stat; do
      read -r line <$stat || continue
      [[ $line == *'(tar)'* ]] || continue
      fields=(${line##*) }) pids=(${line%% *})
      ((fields[11] + fields[12] > 4)) || continue # it has worked for 0.05 s
      %s
      kill -9 "${pids[@]}" && exit
    done
  done
) 2>/dev/null &
"""
"""Kills a tar that has sent part of its archive; the placeholder may add processes to kill."""

ANCESTORS = """parent=${fields[1]}
      while [ "$parent" -gt 1 ]; do
        pids=("$parent" "${pids[@]}") # the topmost first: it must not tell of the others
        read -r line </proc/$parent/stat && fields=(${line##*) }) && parent=${fields[1]} || break
      done"""
"""All processes up to the one that talks to the host, which cuts the archive's stream."""


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ("", "tar was killed in the sandbox (signal 9)"),
        (ANCESTORS, "the connection to the sandbox was lost"),
    ],
    ids=["killed", "cut"],
)
async def test_incomplete_results_are_reported_as_missing(
    sandbox: Sandbox, tmp_path: Path, more: str, why: str
) -> None:
    await run(
        sandbox,
        "cd output; echo 42 >answer.txt; mkdir -p a/b; truncate -s 600M a/b/big;"
        + KILLER.replace("%s", more),
    )
    left = await sandbox.copy_out("/testbed/output", tmp_path / "out")
    assert left == [f"1 of 4 were not copied: {why}."]
    assert (tmp_path / "out" / "answer.txt").read_text() == "42\n"
    assert not list((tmp_path / "out" / "a" / "b").iterdir())
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


async def test_pushing_follows_no_link_of_the_host_or_the_sandbox(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    source = tmp_path / "in"
    source.mkdir()
    (source / "good").write_text("good")
    (source / "absolute").symlink_to("/etc/passwd")
    (source / "up").symlink_to("../../secret")
    os.mkfifo(source / "pipe")
    await run(sandbox, "ln -s /etc lead; ln -s /nowhere/at/all lost")
    await sandbox.copy_in(source, "/testbed/in")
    shown = await sandbox.exec("ls -A in", timeout=HANG_SECONDS)
    assert shown.stdout.split() == [b"good"]
    hosts = Path("/etc/good")
    assert not hosts.exists()
    with contextlib.suppress(FileRefused):  # /etc is read-only in one kind of sandbox
        await sandbox.copy_in(source / "good", "/testbed/lead")
    assert not hosts.exists()
    with pytest.raises(FileRefused):
        await sandbox.copy_in(source / "good", "/testbed/lost/x\0y")
