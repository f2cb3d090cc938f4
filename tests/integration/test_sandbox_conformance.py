"""What every sandbox guarantees, tested on real ones: one suite for all kinds."""

from __future__ import annotations

import asyncio
import os
import re
from pathlib import Path

import pytest

from sandbox_tui.core.base.errors import FileRefused, SandboxLost
from sandbox_tui.core.base.path_codec import path_to_text
from sandbox_tui.core.sandboxes.base import ExecResult, Sandbox
from tests.integration.conftest import make, require
from tests.waiting import HANG_SECONDS


async def sh(sandbox: Sandbox, command: str, timeout: float = HANG_SECONDS) -> ExecResult:
    return await sandbox.exec(command, timeout=timeout)


async def out(sandbox: Sandbox, command: str) -> str:
    return (await sh(sandbox, command)).stdout.decode()


# --- commands


async def test_output_streams_apart_and_live(sandbox: Sandbox) -> None:
    received: list[tuple[str, bytes]] = []

    async def listen(stream: str, data: bytes) -> None:
        received.append((stream, data))

    result = await sandbox.exec(
        "echo one; echo two >&2; exit 3", timeout=HANG_SECONDS, on_output=listen
    )
    assert (result.exit_code, result.stdout, result.stderr) == (3, b"one\n", b"two\n")
    assert sorted(received) == [("stderr", b"two\n"), ("stdout", b"one\n")]


async def test_the_shell_remembers(sandbox: Sandbox) -> None:
    await sh(
        sandbox,
        "mkdir -p '/tmp/a b'; cd '/tmp/a b'; export E='x y'; v=1; declare -A m=([k]='v w');"
        " f() { echo \"f $1\"; }; alias al='echo aliased'; list=(1 '2 3')",
    )
    got = await out(sandbox, 'pwd; echo "$E|$v|${m[k]}|${list[1]}"; f q; al; env | grep ^E=')
    assert got == "/tmp/a b\nx y|1|v w|2 3\nf q\naliased\nE=x y\n"


async def test_an_activated_environment_stays_activated(sandbox: Sandbox) -> None:
    made = await sh(
        sandbox,
        "mkdir -p ve/bin; cat >ve/bin/activate <<'X'\n"
        "deactivate() { PATH=$_OLD; export PATH; unset _OLD VIRTUAL_ENV; unset -f deactivate; }\n"
        "VIRTUAL_ENV=$PWD/ve; export VIRTUAL_ENV; _OLD=$PATH; PATH=$VIRTUAL_ENV/bin:$PATH\n"
        'export PATH; PS1="(ve) ${PS1:-}"; export PS1\nX\n'
        "printf '#!/bin/sh\\necho mine\\n' >ve/bin/tool; chmod +x ve/bin/tool; . ve/bin/activate",
    )
    assert made.exit_code == 0
    assert await out(sandbox, "cd /; tool; echo $VIRTUAL_ENV") == "mine\n/testbed/ve\n"
    await sh(sandbox, "deactivate")
    assert (await sh(sandbox, "tool")).exit_code == 127


async def test_small_things_are_remembered_too(sandbox: Sandbox) -> None:
    await sh(sandbox, "unset PAGER; umask 027; shopt -s globstar; export -f f 2>/dev/null; IFS=,")
    got = await out(sandbox, 'umask; shopt -q globstar && echo on; echo "${PAGER-gone}$IFS"')
    assert got == "0027\non\ngone,\n"


@pytest.mark.parametrize("signal", ["TERM", "INT", "HUP"])
async def test_a_signal_to_what_began_a_command_changes_nothing(
    sandbox: Sandbox, signal: str
) -> None:
    await sh(sandbox, "export KEPT=yes")
    result = await sh(sandbox, f"kill -{signal} $PPID; echo on; exit 7")
    assert (result.stdout, result.exit_code, result.background) == (b"on\n", 7, False)
    assert await out(sandbox, "echo $KEPT") == "yes\n"


async def test_shell_is_known_to_programs(sandbox: Sandbox) -> None:
    shell = (await out(sandbox, "printenv SHELL")).strip()
    assert shell.endswith("sh")


async def test_a_large_state_stops_no_program(sandbox: Sandbox) -> None:
    await sh(sandbox, "export BIG=$(head -c 300000 /dev/zero | tr '\\0' x); many=({1..20000})")
    assert await out(sandbox, "/bin/echo ${#BIG} ${#many[@]}") == "300000 20000\n"


@pytest.mark.parametrize(
    "command",
    [
        "exit 7",
        "exec true",
        "exec bash -c 'exit 3'",
        'echo "never closed',
        "if true; then",
        "kill -9 $$",
        "kill -TERM $$",
        "set -e; false; echo no",
        "exec >/dev/null; exec 2>&1",
        "trap 'echo bye' EXIT",
        "readonly R=1; declare -r S=2; set -u; shopt -s failglob",
        "printf() { :; }; declare() { :; }; cd() { echo no; }",
        "IFS=,; set -f; set -o posix",
        "unset PATH",
        "kill -9 -1",
        "ulimit -n 20",
        "exec 0<&- 1<&- 2<&-",
        "rm -rf /tmp/* /tmp/.[!.]*",
        "yes | head -c 30000000 >/dev/null; (kill -STOP $$; kill -CONT $$) & wait",
        "printf 'x\\0y\\036z'",
    ],
)
async def test_nothing_a_command_does_breaks_the_next(sandbox: Sandbox, command: str) -> None:
    await sh(sandbox, "export KEPT=yes; cd /tmp")
    await sh(sandbox, command)
    result = await sh(sandbox, "/bin/echo fine; builtin echo $KEPT")
    assert result.stdout == b"fine\nyes\n"
    assert result.exit_code == 0


async def test_a_command_without_an_end_is_ended(sandbox: Sandbox) -> None:
    result = await sh(sandbox, "trap '' INT TERM; echo part; while :; do :; done", timeout=1)
    assert result.timed_out
    assert result.stdout == b"part\n"
    assert await out(sandbox, "echo next") == "next\n"


async def test_processes_outside_the_process_group_are_ended_too(sandbox: Sandbox) -> None:
    result = await sh(sandbox, "setsid sleep 4321 & sleep 4321", timeout=1)
    assert result.timed_out
    left = "cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' ' | grep -c '4321 *$' || :"
    assert (await out(sandbox, left)).strip() == "0"


async def test_a_programs_own_exit_124_is_no_timeout(sandbox: Sandbox) -> None:
    result = await sh(sandbox, "echo x; exit 124")
    assert (result.exit_code, result.timed_out, result.stdout) == (124, False, b"x\n")


async def test_interrupting_the_command_alone(sandbox: Sandbox) -> None:
    output_seen = asyncio.Event()

    async def listen(_: str, __: bytes) -> None:
        output_seen.set()

    running = asyncio.create_task(
        sandbox.exec("echo begun; sleep 100", timeout=HANG_SECONDS, on_output=listen)
    )
    await asyncio.wait_for(output_seen.wait(), HANG_SECONDS)
    assert await sandbox.interrupt()
    result = await asyncio.wait_for(running, HANG_SECONDS)
    assert (result.interrupted, result.timed_out, result.stdout) == (True, False, b"begun\n")
    assert not await sandbox.interrupt()


async def test_cancelling_ends_the_command(sandbox: Sandbox) -> None:
    output_seen = asyncio.Event()

    async def listen(_: str, __: bytes) -> None:
        output_seen.set()

    running = asyncio.create_task(
        sandbox.exec("echo begun; sleep 6789", timeout=HANG_SECONDS, on_output=listen)
    )
    await asyncio.wait_for(output_seen.wait(), HANG_SECONDS)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    left = "cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' ' | grep -c '6789 *$' || :"
    assert (await out(sandbox, left)).strip() == "0"


async def test_a_fork_bomb_is_survived(sandbox: Sandbox) -> None:
    if sandbox.kind == "bubblewrap" and sandbox.info["processes"] == "unlimited":
        pytest.skip("processes cannot be limited here")
    await sh(sandbox, ":(){ :|:& };:", timeout=1)
    assert await out(sandbox, "echo alive") == "alive\n"


async def test_a_started_command_is_never_repeated(sandbox: Sandbox) -> None:
    """Whatever its exit code, and also with processes left running in the background."""
    await sh(sandbox, "touch log; sleep 4244 & echo started")
    first = await sh(sandbox, "echo x >>log; exit 254")
    second = await sh(sandbox, "echo y >>log; (exit 254)")
    assert (first.exit_code, second.exit_code) == (254, 254)
    assert await out(sandbox, "cat log") == "x\ny\n"


async def test_a_command_that_kills_its_shell_ends_no_service(sandbox: Sandbox) -> None:
    """Its own processes are killed; those of earlier commands are not."""
    await sh(sandbox, "sleep 4245 >/dev/null 2>&1 &")
    ended = await sh(sandbox, "sleep 4246 & kill -9 $PPID; sleep 4246", timeout=1)
    assert (ended.exit_code, ended.cleared) == (None, 0)
    left = "cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' ' | grep -o '424[56]'"
    assert await out(sandbox, left) == "4245\n"


async def test_unread_output_does_not_keep_a_command_from_ending(sandbox: Sandbox) -> None:
    await sh(sandbox, "sleep 4247 >/dev/null 2>&1 &")
    output_seen, never = asyncio.Event(), asyncio.Event()

    async def stall(_: str, __: bytes) -> None:
        output_seen.set()
        await never.wait()

    running = asyncio.create_task(sandbox.exec("yes", timeout=HANG_SECONDS, on_output=stall))
    await asyncio.wait_for(output_seen.wait(), HANG_SECONDS)
    assert await sandbox.interrupt()
    result = await asyncio.wait_for(running, HANG_SECONDS)
    assert result.interrupted
    assert result.exit_code is not None
    left = "cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' ' | grep -o '424[7]'"
    assert await out(sandbox, left) == "4247\n"


async def test_a_slow_reader_does_not_use_up_the_time_limit(sandbox: Sandbox) -> None:
    slow = [2.0]  # seconds that the first piece takes, longer than the limit

    async def read(_: str, __: bytes) -> None:
        await asyncio.sleep(slow.pop() if slow else 0)

    result = await sandbox.exec("seq 1000000; echo end", timeout=1.5, on_output=read)
    assert (result.timed_out, result.exit_code) == (False, 0)
    assert result.stdout.endswith(b"1000000\nend\n")


async def test_a_command_of_300_kilobytes(sandbox: Sandbox) -> None:
    assert await out(sandbox, f"x='{'a' * 300_000}'; echo ${{#x}}") == "300000\n"


async def test_ten_megabytes_and_more(sandbox: Sandbox) -> None:
    result = await sh(sandbox, "head -c 10000000 /dev/zero")
    assert (len(result.stdout), result.stdout_bytes) == (10_000_000, 10_000_000)
    flood = await sh(sandbox, "yes", timeout=1)
    assert flood.timed_out
    assert flood.stdout_bytes > len(flood.stdout) == 16 << 20
    assert await out(sandbox, "echo next") == "next\n"


async def test_binary_output_arrives_as_it_is(sandbox: Sandbox) -> None:
    result = await sh(sandbox, r"printf '\0\036x E 0 0 1\0\377\0\036'")
    assert result.stdout == b"\0\x1ex E 0 0 1\0\xff\0\x1e"


async def test_stdin_is_empty(sandbox: Sandbox) -> None:
    assert await out(sandbox, "cat; read x || echo nothing") == "nothing\n"


async def test_a_server_in_the_background_continues(sandbox: Sandbox) -> None:
    serve = (
        "import socket\ns = socket.socket(socket.AF_UNIX); s.bind('/tmp/s'); s.listen()\n"
        "while True:\n c, _ = s.accept(); print('served', flush=True); c.sendall(b'hi'); c.close()"
    )
    ask = "import socket; s = socket.socket(socket.AF_UNIX); s.connect('/tmp/s'); print(s.recv(9))"
    started = await sh(
        sandbox, f'python3 -c "{serve}" & while [ ! -S /tmp/s ]; do :; done; echo up'
    )
    assert started.background
    assert started.stdout == b"up\n"
    for _ in range(3):
        result = await sh(sandbox, f'python3 -c "{ask}"')
        assert result.stdout == b"b'hi'\n"


async def test_late_output_is_dropped(sandbox: Sandbox) -> None:
    first = await sh(sandbox, "mkfifo /tmp/go; (read x </tmp/go; echo LATE; echo done >/tmp/go2) &")
    assert first.background
    result = await sh(
        sandbox, "mkfifo /tmp/go2; echo now >/tmp/go; read y </tmp/go2; echo $y; echo mine"
    )
    assert result.stdout == b"done\nmine\n"


async def test_a_daemon_with_an_environment_of_its_own_lands_nowhere(sandbox: Sandbox) -> None:
    daemon = "mkfifo /tmp/a /tmp/b; env -i setsid bash -c 'read x </tmp/a; echo LATE; echo >/tmp/b'"
    first = await sh(sandbox, f"{daemon} & sleep 0.2")
    assert first.background
    result = await sh(sandbox, "echo >/tmp/a; read y </tmp/b; echo mine")
    assert result.stdout == b"mine\n"


async def test_deleted_shell_state_is_recreated(sandbox: Sandbox) -> None:
    await sh(sandbox, "rm -rf /run/sandbox-tui/*")
    await sh(sandbox, "export A=1; cd /tmp")
    assert await out(sandbox, "echo $A; pwd") == "1\n/tmp\n"
    assert await out(sandbox, f"x='{'b' * 5000}'; echo ${{#x}}") == "5000\n"


async def test_callers_take_turns(sandbox: Sandbox) -> None:
    results = await asyncio.gather(*(sh(sandbox, f"n=$((n + 1)); echo {i} $n") for i in range(6)))
    assert [r.stdout.decode() for r in results] == [f"{i} {i + 1}\n" for i in range(6)]


async def test_nothing_of_the_host_is_in_the_environment(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    environment = await out(sandbox, "env")
    assert "OPENAI" not in environment
    assert "PYTHONUNBUFFERED=1" in environment


# --- files

NAMES = ["plain.txt", "sp ace 'q' \"d\".txt", "new\nline", "-dash", "$(touch x);`id`", "ünï"]


@pytest.mark.parametrize("name", NAMES)
async def test_any_name_and_any_bytes(sandbox: Sandbox, name: str) -> None:
    path = f"/testbed/{name}"
    data = bytes(range(256)) * 3 + b"\r\n\0"
    await sandbox.write_file(path, data)
    assert await sandbox.read_file(path) == data
    entry = await sandbox.stat(path)
    assert entry is not None
    assert (entry.kind, entry.size) == ("file", len(data))
    assert path.encode() in (await sandbox.list_files("/testbed")).entries


async def test_names_that_are_not_utf_8(sandbox: Sandbox) -> None:
    await sh(sandbox, "printf x >$'/testbed/caf\\xe9'")
    path = path_to_text(b"/testbed/caf\xe9")
    assert await sandbox.read_file(path) == b"x"
    await sandbox.write_file(path, b"y")
    assert await out(sandbox, "cat $'/testbed/caf\\xe9'") == "y"


async def test_large_files(sandbox: Sandbox) -> None:
    data = os.urandom(10_000_000)
    await sandbox.write_file("/testbed/big", data)
    assert await sandbox.read_file("/testbed/big") == data
    assert await sandbox.read_file("/testbed/big", max_bytes=5) == data[:5]


async def test_writing_keeps_mode_and_links(sandbox: Sandbox) -> None:
    await sh(sandbox, "echo a >run.sh; chmod 755 run.sh; ln -s run.sh link")
    await sandbox.write_file("/testbed/link", b"b\n")
    assert await out(sandbox, "stat -c %a run.sh; cat run.sh; test -L link && echo link") == (
        "755\nb\nlink\n"
    )
    await sandbox.write_file("/testbed/a/b/c/new", b"made")
    assert await out(sandbox, "cat a/b/c/new") == "made"


async def test_writing_keeps_other_names_and_leaves_nothing_beside(sandbox: Sandbox) -> None:
    await sh(sandbox, "echo a >one; ln one two; ln -s $'od\\nd\\n' link")
    await sandbox.write_file("/testbed/one", b"b\n")
    await sandbox.write_file("/testbed/link", b"c")
    assert await out(sandbox, "cat two; cat $'od\\nd\\n'; ls -Ab | wc -l") == "b\nc6\n"


async def test_a_full_disk_leaves_the_old_content(sandbox: Sandbox) -> None:
    if sandbox.kind != "docker":
        pytest.skip("an embedded sandbox writes to the host's disk")
    await sh(sandbox, "echo old >/run/file; head -c 120M /dev/zero >/run/full; df /run >&2")
    with pytest.raises(FileRefused, match="no space"):
        await sandbox.write_file("/run/file", b"x" * 20_000_000)
    assert await sandbox.read_file("/run/file") == b"old\n"
    await sh(sandbox, "rm /run/full")
    assert (await sh(sandbox, "echo fine")).exit_code == 0


async def test_relative_paths_start_where_the_shell_is(sandbox: Sandbox) -> None:
    await sh(sandbox, "mkdir -p '/tmp/over here'; cd '/tmp/over here'; echo x >f")
    assert await sandbox.read_file("f") == b"x\n"


async def test_paths_that_are_not_files_are_refused_without_hanging(sandbox: Sandbox) -> None:
    await sh(sandbox, "mkfifo /testbed/pipe")
    for path in ("/testbed/none", "/testbed", "/testbed/pipe", "/dev/zero"):
        with pytest.raises(FileRefused, match=re.escape(path)):
            await sandbox.read_file(path)
    with pytest.raises(FileRefused):
        await sandbox.write_file("/testbed/pipe", b"x")
    await sandbox.write_file("/testbed/there", b"x")
    with pytest.raises(FileRefused, match="exists"):
        await sandbox.write_file("/testbed/there", b"y", exclusive=True)


async def test_files_while_a_command_runs(sandbox: Sandbox) -> None:
    running = asyncio.create_task(sandbox.exec("read x </testbed/go", timeout=HANG_SECONDS))
    await sandbox.write_file("/testbed/while", b"x")
    assert await sandbox.read_file("/testbed/while") == b"x"
    running.cancel()
    await asyncio.wait([running])


async def test_changed_files_are_found(sandbox: Sandbox) -> None:
    await sh(sandbox, "mkdir d; echo 1 >d/one; echo 2 >two; ln -s two link")
    before = await sandbox.list_files("/testbed")
    assert before.entries[b"/testbed/link"].kind == "link"
    await sh(sandbox, "echo 11 >d/one; rm two; echo 3 >three")
    after = await sandbox.changed_files("/testbed", before)
    assert set(before.entries) - set(after.entries) == {b"/testbed/two"}
    assert set(after.entries) - set(before.entries) == {b"/testbed/three"}
    assert after.entries[b"/testbed/d/one"].size == 3
    few = await sandbox.list_files("/testbed", limit=2)
    assert (len(few.entries), few.complete) == (2, False)


async def test_many_files_are_brought_up_to_date(sandbox: Sandbox) -> None:
    await sh(sandbox, "mkdir many; cd many; for i in {1..11000}; do echo x >f$i; done")
    before = await sandbox.list_files("/testbed")
    assert len(before.entries) > 11_000
    await sh(sandbox, "echo longer >f77; rm f78; echo new >brand-new")
    after = await sandbox.changed_files("/testbed", before)
    assert after.entries[b"/testbed/many/f77"].size == 7
    assert b"/testbed/many/f78" not in after.entries
    assert b"/testbed/many/brand-new" in after.entries
    assert len(after.entries) == len(before.entries)
    await sh(sandbox, "touch -d 2050-01-01 f1; cd ..; mv many other")
    moved = await sandbox.changed_files("/testbed", after)
    assert b"/testbed/other/f77" in moved.entries
    assert b"/testbed/many/f77" not in moved.entries
    await sh(sandbox, "echo once more >other/f3")
    last = await sandbox.changed_files("/testbed", moved)
    assert last.entries[b"/testbed/other/f3"].size == 10
    few = await sandbox.list_files("/testbed", limit=50)
    assert {b"/testbed/other", b"/testbed/input", b"/testbed/output"} <= set(few.entries)


# --- in and out


async def test_input_is_copied_in(sandbox: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "in" / "sub").mkdir(parents=True)
    (tmp_path / "in" / "a b.txt").write_text("A")
    (tmp_path / "in" / "sub" / "c").write_text("C")
    (tmp_path / "in" / "evil").symlink_to("/etc/passwd")
    await sandbox.copy_in(tmp_path / "in", "/testbed/input")
    await sandbox.copy_in(tmp_path / "in" / "a b.txt", "/testbed/input/one")
    listing = "cd /testbed/input; find . -type f | sort; cat 'a b.txt' sub/c 'one/a b.txt'"
    assert await out(sandbox, listing) == "./a b.txt\n./one/a b.txt\n./sub/c\nACA"


async def test_an_empty_folder_is_copied_out_without_a_word(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    await sh(sandbox, "mkdir -p output")
    assert await sandbox.copy_out("/testbed/output", tmp_path / "new" / "out") == []
    assert not (tmp_path / "new").exists()


async def test_output_is_copied_out_and_nothing_else(sandbox: Sandbox, tmp_path: Path) -> None:
    await sh(
        sandbox,
        "cd output; echo 42 >answer.txt; mkdir d; echo x >d/y; ln -s /etc/shadow leak;"
        " ln -s / root; mkfifo pipe; truncate -s 5G giant; mkdir -p empty/folder; printf x >$'bad\\033]0;name'; chmod 4755 answer.txt;"
        " printf x >$'caf\\xe9'; ln d/y hard",
    )
    target = tmp_path / "results"
    target.mkdir()
    (target / "answer.txt").write_text("mine, do not touch")
    left = await sandbox.copy_out("/testbed/output", target)
    assert (target / "answer.txt").read_text() == "mine, do not touch"
    assert (target / "answer-2.txt").read_text() == "42\n"
    assert not (target / "answer-2.txt").stat().st_mode & 0o7000
    assert (target / "d" / "y").read_text() == "x\n"
    names = {path.name for path in target.iterdir()}
    assert not names & {"leak", "root", "pipe", "giant"}
    assert (target / "empty" / "folder").is_dir()
    assert (target / "hard").read_text() == "x\n"
    assert any("giant" in sentence and "5120 MiB" in sentence for sentence in left)
    assert not any("\x1b" in name for name in names)
    assert len([sentence for sentence in left if "not copied" in sentence]) >= 3
    assert [path for path in tmp_path.iterdir() if path.name != "home"] == [target]


# --- the user's shell


async def read_until(shell: object, wanted: bytes, got: bytes = b"") -> bytes:
    """What a shell prints until `wanted` appears, appended to `got`, which was read earlier."""

    async def read() -> None:
        nonlocal got
        async for data in shell.output():  # type: ignore[attr-defined]
            got += data
            if wanted in got:
                return

    try:
        await asyncio.wait_for(read(), HANG_SECONDS)
    except TimeoutError:
        raise AssertionError(f"never came: {wanted!r} in {got!r}") from None
    return got


async def test_a_shell_starts_in_the_models_directory(sandbox: Sandbox) -> None:
    await sh(sandbox, "cd /tmp; export WHO=model; greet() { echo hello from $WHO; }")
    shell = await sandbox.open_shell(90, 20)
    try:
        await shell.write(b"pwd; stty size; greet; test -t 0 && echo tty$((40+2))\n")
        got = await read_until(shell, b"tty42\r\n")
        for line in (b"/tmp\r\n", b"20 90\r\n", b"hello from model\r\n"):
            assert line in got
        await shell.resize(61, 17)
        await shell.write(b"until [ \"$(stty size)\" = '17 61' ]; do :; done; echo resi''zed\n")
        await read_until(shell, b"resized\r\n")
        result = await sh(sandbox, "echo the model goes on")
        assert result.exit_code == 0
    finally:
        await shell.close()


async def test_closing_a_shell_ends_what_runs_in_it(sandbox: Sandbox) -> None:
    shell = await sandbox.open_shell(80, 24)
    await shell.write(b"trap '' HUP; echo rea''dy; sleep 7654\n")
    await read_until(shell, b"ready\r\n")
    await shell.close()
    await shell.close()
    left = "cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' ' | grep -c 'sleep 7654 *$' || :"
    assert (await out(sandbox, left)).strip() == "0"


# --- frozen


async def test_freeze_and_thaw(sandbox: Sandbox) -> None:
    await sh(sandbox, "while :; do date +%s%N >/tmp/clock; done &")
    await sandbox.freeze()
    await sandbox.freeze()
    with pytest.raises(FileRefused, match="frozen"):
        await sandbox.read_file("/tmp/clock")
    await sandbox.thaw()
    await sandbox.thaw()
    assert (await sh(sandbox, "echo on")).stdout == b"on\n"
    await sandbox.read_file("/tmp/clock")


def output_of_running(
    sandbox: Sandbox, command: str, timeout: float
) -> tuple[asyncio.Event, asyncio.Task[ExecResult]]:
    """A running command, and an event set at its first output."""
    output_seen = asyncio.Event()

    async def listen(_: str, __: bytes) -> None:
        output_seen.set()

    running = asyncio.create_task(sandbox.exec(command, timeout=timeout, on_output=listen))
    return output_seen, running


async def test_a_frozen_command_makes_no_progress_and_no_time_passes(sandbox: Sandbox) -> None:
    """Frozen for longer than its timeout, it still has its remaining time and finishes normally."""
    output_seen, running = output_of_running(
        sandbox, "echo begun; for i in {1..10}; do sleep 0.1; echo $i; done; exit 3", timeout=5
    )
    await asyncio.wait_for(output_seen.wait(), HANG_SECONDS)
    await sandbox.freeze()
    done, _ = await asyncio.wait([running], timeout=5.5)
    assert not done
    await sandbox.thaw()
    result = await asyncio.wait_for(running, HANG_SECONDS)
    assert (result.exit_code, result.timed_out) == (3, False)
    assert result.stdout.split()[1:] == [b"%d" % n for n in range(1, 11)]
    assert not result.background
    assert result.duration < 5


async def test_freezing_again_and_again_disturbs_no_command(sandbox: Sandbox) -> None:
    output_seen, running = output_of_running(
        sandbox, "echo begun; for i in {1..200}; do /bin/true; done; (exit 7)", timeout=HANG_SECONDS
    )
    await asyncio.wait_for(output_seen.wait(), HANG_SECONDS)
    for _ in range(8):
        await sandbox.freeze()
        await sandbox.thaw()
    result = await asyncio.wait_for(running, HANG_SECONDS)
    assert (result.exit_code, result.background, result.state_lost) == (7, False, False)


async def test_a_process_that_notices_the_freeze_after_the_thaw_is_not_left_stopped(
    sandbox: Sandbox,
) -> None:
    """As on a slow machine: here the process waits for its child to start, and cannot be stopped."""
    spawn = (
        "import os; gate = (os.POSIX_SPAWN_OPEN, 9, '/tmp/gate', os.O_RDONLY, 0); "
        "os.posix_spawn('/bin/true', ['true'], {}, file_actions=[gate]); open('/tmp/started', 'w')"
    )
    state = "read -r stat </proc/$process/stat; stat=${stat##*) }; state=${stat%% *}"
    await sh(
        sandbox,
        f'mkfifo /tmp/gate; python3 -c "{spawn}" & process=$!; until [[ $state == D ]]; do {state}; done',
    )
    await sandbox.freeze()
    await sandbox.thaw()
    result = await sh(
        sandbox,
        f": >/tmp/gate; until [[ -e /tmp/started || $state == T ]]; do {state}; done 2>/dev/null; "
        "echo ${state/T/stopped}; ls /tmp/started; kill -KILL $process 2>/dev/null; :",
    )
    assert b"stopped" not in result.stdout
    assert b"/tmp/started" in result.stdout


async def test_a_frozen_shell_continues_where_it_was(sandbox: Sandbox) -> None:
    shell = await sandbox.open_shell(80, 24)
    await shell.write(b"echo rea''dy; sleep 1; echo wo''ken $?\n")
    got = await read_until(shell, b"ready\r\n")
    for _ in range(3):
        await sandbox.freeze()
        await sandbox.thaw()
    if b"woken 0\r\n" not in got:  # on a slow machine some or all of it may have arrived already
        got = await read_until(shell, b"woken 0\r\n", got)
    assert b"woken 0\r\n" in got
    assert b"Stopped" not in got
    await shell.close()


async def test_a_command_can_be_ended_while_frozen(sandbox: Sandbox) -> None:
    output_seen, running = output_of_running(
        sandbox, "echo begun; sleep 5432", timeout=HANG_SECONDS
    )
    await asyncio.wait_for(output_seen.wait(), HANG_SECONDS)
    await sandbox.freeze()
    assert await sandbox.interrupt()
    result = await asyncio.wait_for(running, HANG_SECONDS)
    assert result.interrupted
    output_seen, running = output_of_running(
        sandbox, "echo begun; sleep 5432", timeout=HANG_SECONDS
    )
    await asyncio.wait_for(output_seen.wait(), HANG_SECONDS)
    await sandbox.freeze()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(running, HANG_SECONDS)
    left = "cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' ' | grep -c 'sleep 5432 *$' || :"
    assert (await out(sandbox, left)).strip() == "0"


async def test_a_command_given_while_frozen_waits(sandbox: Sandbox) -> None:
    await sh(sandbox, "true")
    await sandbox.freeze()
    running = asyncio.create_task(sandbox.exec("echo late", timeout=2))
    done, _ = await asyncio.wait([running], timeout=2.5)
    assert not done
    await sandbox.thaw()
    assert (await asyncio.wait_for(running, HANG_SECONDS)).stdout == b"late\n"


async def test_closing_while_frozen_leaves_nothing(sandbox: Sandbox) -> None:
    output_seen, running = output_of_running(sandbox, "echo begun; sleep 1000", timeout=1000)
    await asyncio.wait_for(output_seen.wait(), HANG_SECONDS)
    await sandbox.freeze()
    await asyncio.wait_for(sandbox.close(), HANG_SECONDS)
    await asyncio.wait([running])
    with pytest.raises(SandboxLost):
        await sh(sandbox, "true")


async def test_a_frozen_sandbox_outlives_its_grace() -> None:
    """The lease does not expire while nothing can renew it."""
    require("docker")
    short = make("docker", grace=2.0)
    await short.start()
    try:
        await short.freeze()
        await asyncio.sleep(4)  # longer than the lease: the point of the test
        await short.thaw()
        assert await out(short, "echo here") == "here\n"
    finally:
        await short.close()


async def test_a_shell_that_ends_says_so(sandbox: Sandbox) -> None:
    shell = await sandbox.open_shell(80, 24)
    await shell.write(b"exit 3\n")

    async def read_all() -> None:
        async for _ in shell.output():
            pass

    await asyncio.wait_for(read_all(), HANG_SECONDS)
    assert await shell.close() == 3


# --- the end


async def test_after_the_end_everything_says_so(sandbox: Sandbox) -> None:
    await sandbox.close()
    await sandbox.close()
    with pytest.raises(SandboxLost):
        await sh(sandbox, "true")
    with pytest.raises(SandboxLost):
        await sandbox.read_file("/testbed/x")


# --- outside the model's shell


SHAPED = """
true() { echo function; }; export -f true
printenv() { echo function; }; export -f printenv
exec() { echo function; }; cd() { echo function; }; export -f exec cd
mkdir -p /tmp/first && printf '#!/bin/sh\necho mine\n' >/tmp/first/printenv
chmod +x /tmp/first/printenv
export PATH=/tmp/first:$PATH LD_PRELOAD=/tmp/first/no.so BASH_ENV=/tmp/first/env GRADE=mine
umask 077; shopt -s failglob; IFS=,; \\cd /tmp/first 2>/dev/null || builtin cd /tmp/first
"""


async def test_run_sees_nothing_of_the_models_shell(sandbox: Sandbox) -> None:
    fresh = await sandbox.run(["printenv"], timeout=HANG_SECONDS)
    await sh(sandbox, SHAPED)
    shaped = await out(sandbox, 'printenv; echo "$GRADE"')
    assert shaped == "function\nmine\n"
    again = await sandbox.run(["printenv"], timeout=HANG_SECONDS)
    assert again.exit_code == 0

    def variables(result: ExecResult) -> set[bytes]:
        numbered = (b"SANDBOX_CALL=", b"SHLVL=", b"_=")
        return {line for line in result.stdout.splitlines() if not line.startswith(numbered)}

    assert variables(again) == variables(fresh)
    assert b"LD_PRELOAD" not in again.stdout
    where = await sandbox.run(
        ["bash", "-c", "pwd; umask; type -t true; alias"], timeout=HANG_SECONDS
    )
    assert where.stdout == b"/testbed\n0022\nbuiltin\n"
    assert "mine" in await out(sandbox, 'echo "$GRADE"')  # the shell keeps its own environment


async def test_run_passes_its_arguments_unchanged(sandbox: Sandbox) -> None:
    words = ["a b", "$HOME", "'", '"', "*", "-n", "new\nline", ""]
    result = await sandbox.run(["printf", "<%s>", *words], timeout=HANG_SECONDS)
    assert result.stdout.decode() == "".join(f"<{word}>" for word in words)
    there = await sandbox.run(["pwd"], cwd="/tmp", timeout=HANG_SECONDS)
    assert there.stdout == b"/tmp\n"
    assert (await sandbox.run(["true"], cwd="/not/there", timeout=HANG_SECONDS)).exit_code == 126
    assert (await sandbox.run(["not-there"], timeout=HANG_SECONDS)).exit_code == 127
    code = await sandbox.run(["sh", "-c", "echo out; echo err >&2; exit 3"], timeout=HANG_SECONDS)
    assert (code.exit_code, code.stdout, code.stderr) == (3, b"out\n", b"err\n")
    assert (code.background, code.state_lost, code.timed_out) == (False, False, False)


async def test_run_can_act_as_another_user(sandbox: Sandbox) -> None:
    mine = (await sandbox.run(["id", "-un"], timeout=HANG_SECONDS)).stdout.decode().strip()
    same = await sandbox.run(["id", "-un"], user=mine, timeout=HANG_SECONDS)
    assert same.stdout.decode().strip() == mine
    other = await sandbox.run(["id", "-un"], user="nobody", timeout=HANG_SECONDS)
    if sandbox.kind == "docker":
        assert other.stdout == b"nobody\n"
    else:  # there is only one user
        assert other.exit_code == 126
    assert (await sandbox.run(["true"], user="no-such-user", timeout=HANG_SECONDS)).exit_code == 126


async def test_run_works_beside_a_command_and_is_ended_alone(sandbox: Sandbox) -> None:
    running = asyncio.create_task(sh(sandbox, "while [ ! -e go ]; do sleep 0.1; done; echo done"))
    beside = await sandbox.run(["sh", "-c", "echo beside; sleep 4323"], timeout=1)
    assert (beside.timed_out, beside.stdout) == (True, b"beside\n")
    left = await sandbox.run(
        ["sh", "-c", "setsid sleep 4323 >/dev/null 2>&1 & exit 0"], timeout=HANG_SECONDS
    )
    assert left.exit_code == 0
    await sandbox.write_file("go", b"")
    assert (await running).stdout == b"done\n"
    alive = "grep -qsxz '432[3]' /proc/[0-9]*/cmdline"  # not the word of grep itself
    gone = await sh(sandbox, f"while {alive}; do sleep 0.1; done")  # a kill takes a moment
    assert (gone.timed_out, gone.exit_code) == (False, 0)
    assert "run-" not in await out(sandbox, "ls /run/sandbox-tui")


async def test_variables_of_the_spec_reach_every_program() -> None:
    for kind in ("docker", "bubblewrap"):
        require(kind)
        sandbox = make(kind, environment={"GRADED": "yes", "PAGER": "less"})
        await sandbox.start()
        try:
            assert await out(sandbox, 'echo "$GRADED $PAGER"') == "yes less\n"
            result = await sandbox.run(["printenv", "GRADED"], timeout=HANG_SECONDS)
            assert result.stdout == b"yes\n"
        finally:
            await sandbox.close()
