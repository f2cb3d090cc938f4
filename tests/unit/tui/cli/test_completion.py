"""Completion in a shell: the script, ids, names and files."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner

from sandbox_tui.core.events import types as e
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.remote.sockets import listen, remove_left_socket
from sandbox_tui.sessions.search.query_completion import known_values
from sandbox_tui.sessions.store import run_summary
from sandbox_tui.sessions.store.tables.annotations import add_tag
from sandbox_tui.tui.cli.main import main
from tests.scripted_server import ScriptedServer, say
from tests.unit.event_streams import started

RUNS = ("20261120-101112-abcde", "20261121-101112-fghij")


def completed(*words: str, typed: str = "") -> list[str]:
    shell = ShellComplete(main, {}, "sandbox-tui", "_SANDBOX_TUI_COMPLETE")
    return [item.value for item in shell.get_completions(list(words), typed)]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_calls_the_program(shell: str) -> None:
    done = CliRunner().invoke(main, ["completion", shell])
    assert done.exit_code == 0
    assert f"_SANDBOX_TUI_COMPLETE={shell}_complete" in done.stdout


def test_the_ids_of_sessions_are_completed(store: Store) -> None:
    for number, run in enumerate(RUNS):
        store.append(run, [started(run, started_at=float(number))])
    for command in (["replay"], ["fork"], ["sessions", "export"], ["policy", "check"]):
        assert completed(*command, typed="20261121") == [RUNS[1]]
    assert completed("compare", RUNS[0]) == ["last", RUNS[1]], "one that is named is not offered"
    assert completed("sessions", "export", RUNS[0], typed="2026") == [RUNS[1]]
    assert completed("replay", typed="hij") == [RUNS[1]], "any part names one"
    assert completed("replay", typed="101112") == [*reversed(RUNS)], "so do several"


def test_only_runs_that_fit_the_command_are_offered(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_summary, "has_lost_sandbox", lambda run: False)
    detached, cut_off = RUNS
    submitted = "20261119-101112-klmno"
    for run in (detached, cut_off, submitted):
        store.append(run, [started(run, started_at=float(run[6:8]))])
    store.give_up(cut_off)
    end = e.RunFinished(seq=2, t=1.0, reason="submitted", error=None, totals=e.Totals())
    store.append(submitted, [end])
    assert completed("stop") == completed("attach") == []
    with contextlib.closing(listen(detached)):
        assert completed("stop") == completed("attach") == ["last", detached]
        assert completed("stop", "last") == [detached]
    remove_left_socket(detached)
    assert completed("resume") == [cut_off]


def asked(shell: str, line: str, *, breaks: str = " :=") -> list[str]:
    """Return what the program tells a shell that completes this line."""
    words = line.split(" ")
    asking = {"COMP_LINE": line, "COMP_POINT": str(len(line)), "COMP_WORDBREAKS": breaks}
    if shell != "bash":
        place = words[-1] if shell == "fish" else str(len(words) - 1)
        asking = {"COMP_WORDS": line, "COMP_CWORD": place}
    env = os.environ | asking | {"_SANDBOX_TUI_COMPLETE": f"{shell}_complete"}
    program = Path(sys.executable).with_name("sandbox-tui")
    done = subprocess.run([program], env=env, capture_output=True, text=True, check=False)
    assert not done.stderr
    return done.stdout.splitlines()


def test_a_part_of_several_ids_is_not_replaced_by_less(store: Store) -> None:
    """A shell replaces what is typed by what all words have in common, such as 2026112."""
    for number, run in enumerate(RUNS):
        store.append(run, [started(run, started_at=float(number))])
    line = "sandbox-tui replay 101112"
    assert asked("bash", line) == [*(f"plain,{run}" for run in reversed(RUNS)), "plain, "]
    assert "unambiguous]" in CliRunner().invoke(main, ["completion", "zsh"]).stdout
    store.append(f"{RUNS[1]}k", [started(f"{RUNS[1]}k", started_at=2.0)])
    line = "sandbox-tui replay 1121-101112"
    assert asked("bash", line) == [f"plain,{RUNS[1]}k", f"plain,{RUNS[1]}"]


def test_servers_are_completed_without_secrets(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    params = {"base_url": "http://127.0.0.1:9103/v1"}
    run = msgspec.structs.replace(started(RUNS[0], started_at=0.0), model_params=params)
    store.append(RUNS[0], [run])
    monkeypatch.setenv("SANDBOX_TUI_MODEL_BASE_URL", "http://me:secret@gpu:8000/v1")
    servers = ["http://127.0.0.1:9103/v1", "http://gpu:8000/v1"]
    assert completed("run", "x", "--base-url") == servers
    assert completed("eval", "run", "pocket", "--base-url", typed="http://g") == servers[1:]
    line = "sandbox-tui run x --base-url http://127"
    assert asked("bash", line) == ["plain,//127.0.0.1:9103/v1"]
    assert asked("zsh", line)[1] == r"http\://127.0.0.1\:9103/v1"


def test_domains_of_the_suite_are_completed() -> None:
    assert completed("eval", "run", "pocket", "--domain", typed="m") == ["math"]
    assert "math" not in completed("eval", "run", "pocket", "--domain", "math", "--domain")
    assert completed("eval", "run", "instruct_pretrain", "--domain") == ["instruct_pretrain"]
    assert completed("eval", "run", "nosuch", "--domain") == []


def test_the_value_of_an_option_after_an_equals_sign_is_completed() -> None:
    line = "sandbox-tui sessions export last --format=h"
    assert asked("bash", line) == ["plain,html"], "bash completes what follows its word break"
    assert asked("bash", line, breaks=" ") == ["plain,--format=html"]
    assert asked("zsh", line)[:2] == ["plain", "--format=html"]
    assert asked("fish", line)[0].startswith("plain,--format=html")
    assert asked("bash", 'sandbox-tui run "two words" --mode=st') == ["plain,step"]


def test_descriptions_are_whole(store: Store) -> None:
    """A comma ends nothing in fish, zsh keeps a backslash, and titles are those of the lists."""
    task = "In $\\triangle ABC$, find the angle"
    store.append(RUNS[0], [started(RUNS[0], task=task)])
    (said,) = asked("fish", "sandbox-tui replay 2026")
    assert said == f"plain,{RUNS[0]}\tIn $\\triangle ABC$, find the angle"
    assert "string split --max 1" in CliRunner().invoke(main, ["completion", "fish"]).stdout
    assert "complete --keep-order" in CliRunner().invoke(main, ["completion", "fish"]).stdout
    assert r"In $\\triangle ABC$" in asked("zsh", "sandbox-tui replay 2026")[-1]
    assert "Show the rules, in the order in which they apply." in asked(
        "zsh", "sandbox-tui policy "
    )


def test_a_filter_is_completed_after_its_colon(store: Store) -> None:
    store.append(RUNS[0], [started(RUNS[0], started_at=0.0)])
    line = "sandbox-tui sessions search outcome:sub"
    assert asked("bash", line) == ["plain,submitted"]
    assert asked("bash", line, breaks=" ") == ["plain,outcome:submitted"]


def test_models_filters_and_moments_are_completed(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SANDBOX_TUI_MODEL_NAME", "qwen-mine")
    store.append(RUNS[0], [started(RUNS[0], started_at=0.0)])
    (model,) = known_values(store)["model"]
    assert completed("run", "x", "--model") == ["qwen-mine", model]
    assert "outcome:submitted" in completed("sessions", "search", typed="outcome:")
    assert completed("sessions", "export", "last", "-f", "svg", "--at", typed="c") == ["call:"]


def test_the_models_that_a_server_of_this_machine_lists_are_completed(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.append(RUNS[0], [started(RUNS[0], started_at=0.0)])
    (of_session,) = known_values(store)["model"]
    with ScriptedServer([say("hello")]) as server:
        server.models = ["qwen3-coder", "gpt-oss-20b"]
        run = ("run", "x", "--base-url", server.url, "--model")
        assert completed(*run) == ["qwen3-coder", "gpt-oss-20b"]
        assert completed(*run, typed="gpt") == ["gpt-oss-20b"]
        monkeypatch.setenv("SANDBOX_TUI_MODEL_BASE_URL", server.url)
        assert completed("eval", "run", "pocket", "--model") == ["qwen3-coder", "gpt-oss-20b"]
        assert server.list_authorizations == [""] * 3, "a half typed server gets no key"
    assert completed(*run) == [of_session], "it is gone"


def test_without_sessions_there_is_nothing_to_complete() -> None:
    assert completed("replay", typed="2026") == []
    assert completed(typed="comp") == ["compare", "completion"]


EVALUATIONS = ("20261122-101112-aaaaa", "20261123-101112-bbbbb")
OF_EVALUATIONS = (
    ["eval", "report"],
    ["eval", "watch"],
    ["eval", "rm"],
    ["eval", "rescore"],
    ["eval", "compare"],
    ["eval", "compare", EVALUATIONS[0]],
)
OF_TRAININGS = (
    ["rl", "watch"],
    ["rl", "rm"],
    ["rl", "export-sft"],
    ["rl", "train", "--resume"],
)


@pytest.fixture
def evaluated(store: Store) -> Store:
    with store.transaction() as connection:
        for number, name in enumerate(EVALUATIONS):
            connection.execute(
                "INSERT INTO evals (id, suite, digest, model, info, plan, began_at, owner_pid,"
                " owner_started, owner_host) VALUES (?, 'pocket', '', 'm', '{}', x'', ?, 0, 0, '')",
                [name, float(number)],
            )
            connection.execute(
                "INSERT INTO trainings (id, name, engine, model, recipe, began_at, status, error,"
                " beat_at, owner_pid, owner_started, owner_host)"
                " VALUES (?, 'mine', 'trl', 'm', '{}', ?, 'running', '', 0, 0, 0, '')",
                [name, float(number)],
            )
    return store


@pytest.mark.parametrize("words", OF_EVALUATIONS, ids=" ".join)
def test_the_ids_of_evaluations_are_completed(evaluated: Store, words: list[str]) -> None:
    assert completed(*words) == ["last", *reversed(EVALUATIONS)]
    assert completed(*words, typed="20261122") == [EVALUATIONS[0]]


@pytest.mark.parametrize("words", OF_TRAININGS, ids=" ".join)
def test_the_ids_of_trainings_are_completed(evaluated: Store, words: list[str]) -> None:
    assert completed(*words) == ["last", *reversed(EVALUATIONS)]


def test_tags_are_completed(store: Store) -> None:
    store.append(RUNS[0], [started(RUNS[0])])
    add_tag(store, RUNS[0], "todo")
    assert completed("sessions", "tag", RUNS[0], typed="to") == ["todo"]


NAMES = {
    ("eval run", "po"): ["pocket"],
    ("sessions export last -f", "m"): ["markdown"],
    ("sessions export last --format", "fi"): ["film"],
    ("eval run pocket --scorer", "ex"): ["exact"],
    ("eval rescore last --scorer", "cho"): ["choice"],
    ("rl data convert x.jsonl --scorer", "num"): ["number"],
    ("rl serve x.jsonl --scorer", "num"): ["number"],
    ("--theme", "day"): ["daylight"],
    ("run hello --tool", "sub"): ["submit"],
    ("run hello --prompts", "gen"): ["general"],
    ("config set", "ui.th"): ["ui.theme"],
    ("config get", "model.na"): ["model.name"],
    ("config set", "keys.live.app"): ["keys.live.approve", "keys.live.approve_always"],
    ("config set ui.theme", "day"): ["daylight"],
    ("config set sandbox.kind", ""): ["auto", "docker", "bubblewrap"],
    ("config set agent.tty", ""): ["true", "false"],
    ("config set model.temperature", ""): ["none"],
    ("config set agent.prompts", "gen"): ["general"],
    ("keys", "liv"): ["live"],
    ("keys", "live.approve_a"): ["live.approve_always"],
    ("policy", "ch"): ["check"],
    ("", "hel"): ["help"],
    ("sessions", "hel"): ["help"],
    ("help", "hel"): [],
    ("help", "sn"): ["snapshots"],
    ("help sessions", "exp"): ["export"],
    ("help run", ""): [],
    ("help nothing", ""): [],
    ("serve", "sn"): ["snapshots"],
    ("serve replay", "la"): ["last"],
    ("serve --port 8766 sessions", "exp"): ["export"],
}


@pytest.mark.parametrize(("words", "typed"), NAMES, ids=str)
def test_names_are_completed(words: str, typed: str) -> None:
    assert completed(*words.split(), typed=typed) == NAMES[words, typed]


def test_screens_and_actions_are_completed_with_their_titles() -> None:
    shell = ShellComplete(main, {}, "sandbox-tui", "_SANDBOX_TUI_COMPLETE")
    for typed in ("", "live."):
        assert all(item.help for item in shell.get_completions(["keys"], typed))
    [found] = shell.get_completions(["keys"], "new_r")
    assert (found.value, found.help) == ("new_run", "Form of a new run")


FILES = (
    "eval run",
    "rl train",
    "rl data convert",
    "rl data split",
    "rl serve",
    "sessions import",
    "sessions export last -o",
    "run hello --input",
    "run hello --prompts",
    "policy check --config",
    "config set agent.prompts",
)


@pytest.mark.parametrize("words", FILES)
def test_the_shell_completes_files(words: str) -> None:
    assert kinds(*words.split(), typed="qq") == ["file"]


@pytest.mark.parametrize("words", ["run hello --output", "config set agent.output"])
def test_the_shell_completes_folders(words: str) -> None:
    assert kinds(*words.split(), typed="qq") == ["dir"]


def kinds(*words: str, typed: str) -> list[str]:
    shell = ShellComplete(main, {}, "sandbox-tui", "_SANDBOX_TUI_COMPLETE")
    return [item.type for item in shell.get_completions(list(words), typed)]


def test_suites_and_files_that_begin_alike_are_both_offered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("poems.yaml", "points.txt"):
        (tmp_path / name).touch()
    assert completed("eval", "run", typed="po") == ["pocket", "poems.yaml"]


def test_what_the_file_sets_is_completed_to_be_unset(own_home: Path) -> None:
    own_home.mkdir(parents=True, exist_ok=True)
    file = own_home / "config.toml"
    file.write_text('[ui]\ntitle = false\n[keys]\n"live.approve" = "y"\nlive.pause = "f9"\n')
    assert completed("config", "unset") == ["ui.title", "keys.live.approve", "keys.live.pause"]
    assert completed("config", "get", typed="keys") == ["keys.live.approve", "keys.live.pause"]
    file.write_text("[ui")
    assert completed("config", "unset") == []


BASH = """
eval "$({program} completion bash)"
cd {folder}
COMP_LINE="{line}" COMP_POINT={point}
compopt() {{ echo "compopt $*"; }}
_sandbox_tui_completion sandbox-tui
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


@pytest.mark.parametrize(
    ("words", "printed"),
    [
        ("eval run po", ["pocket"]),
        ("eval run mi", ["compopt -o default"]),
        ("sessions export last -f mark", ["markdown"]),
        ("sessions export last --format=mark", ["markdown"]),
        ("sessions export last --at ca", ["compopt -o nospace", "call:"]),
        ("sessions export last --at call:", []),
    ],
)
def test_in_bash(tmp_path: Path, words: str, printed: list[str]) -> None:
    program = Path(sys.executable).with_name("sandbox-tui")
    line = f"sandbox-tui {words}"
    script = BASH.format(program=program, folder=tmp_path, line=line, point=len(line))
    path = f"{program.parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", script], capture_output=True, text=True, env={**os.environ, "PATH": path}
    )
    assert done.stdout.split() == " ".join(printed).split()
