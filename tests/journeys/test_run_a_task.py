"""Guide: Run a task."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests import scripted_server as s
from tests.integration.conftest import TEST_IMAGE, require
from tests.journeys.person import Person

Serve = Callable[..., s.ScriptedServer]


def work(command: str = "mkdir -p output; cat input/* | tee output/answer.txt") -> list[s.Scripted]:
    return [s.call("execute_bash", command=command), s.call("submit")]


def test_a_task_on_the_command_line(person: Person, scripted_server: Serve) -> None:
    server = scripted_server(*work(), *work(), *work())
    reports = person.folder / "reports"
    reports.mkdir()
    (reports / "harbours.txt").write_text("Corvane lost the most\n")
    with person:
        person.enters(
            'sandbox-tui run "Which harbour lost the most grain?" --input ./reports '
            f"--base-url {server.url} --model qwen3-coder"
        )
        person.sees("submitted", "Corvane lost the most", "answer.txt")
        person.presses("q")
        assert person.is_back() == 0
        (result,) = (person.folder / "output").glob("*/answer.txt")
        assert result.read_text() == "Corvane lost the most\n"
        person.enters(
            "echo 'and the least?' | sandbox-tui run - --headless --input reports/harbours.txt "
            f"--base-url {server.url} --model m --output results --temperature 0.3 "
            "--tool-calls native "
            "--extra-body '{\"top_k\": 20}' --tty --seed 5 --label suite=nightly --label 'note=a b' "
            "--tool str_replace_editor --tool execute_bash --tool submit"
        )
        assert person.is_back() == 0
        person.sees("submitted")
        assert list((person.folder / "results").rglob("answer.txt"))
        assert "suite=nightly, note=a b" in person.runs("sandbox-tui sessions show last")
    last = server.requests[-1]
    assert "and the least?" in str(last["messages"])
    assert (last["temperature"], last["top_k"], last["seed"]) == (0.3, 20, 6)


def test_the_same_in_docker(person: Person, scripted_server: Serve) -> None:
    require("docker")
    server = scripted_server(*work("id -u; cat /etc/os-release | head -1"))
    with person:
        person.runs(
            f"sandbox-tui run x --headless --base-url {server.url} --model m --sandbox docker "
            f"--image {TEST_IMAGE} --network none --snapshots every"
        )
        assert "sandbox-tui" in person.runs("sandbox-tui snapshots ls --json")
        person.runs(
            f"sandbox-tui fork last --headless --at step:1 --image {TEST_IMAGE} --sandbox docker"
        )
        person.runs("sandbox-tui snapshots prune --all --yes")


@pytest.mark.parametrize(
    ("limit", "said"),
    [
        ("--max-steps 2", "max_steps"),
        ("--token-limit 50 --max-tokens 40", "token_limit"),
        ("--time-limit 1.5 --command-timeout 60", "time_limit"),
    ],
)
def test_a_limit_ends_a_run(limit: str, said: str, person: Person, scripted_server: Serve) -> None:
    server = scripted_server(*[s.call("execute_bash", command="sleep 0.5")] * 50)
    with person:
        person.enters(f"sandbox-tui run x --base-url {server.url} --model m {limit} --prompts math")
        person.sees(said.replace("_", " "))
        person.presses("q")
        assert person.is_back() == 7
        assert said.replace("_", " ") in person.runs("sandbox-tui sessions show last").replace(
            "_", " "
        )


def test_a_run_is_described_in_the_form(person: Person, scripted_server: Serve) -> None:
    server = scripted_server(*work(), *work(), *work(), *work())
    server.models = ["first-model", "qwen3-coder"]
    config = f'[sandbox]\nkind = "bubblewrap"\n[model]\nlocal_ports = [{server.port}]\n'
    (person.folder / "home" / "config.toml").write_text(config)
    (person.folder / "notes.txt").write_text("the notes\n")
    with person:
        person.enters("sandbox-tui")
        person.sees("qwen3-coder", "first-model")
        # search for a model, then keep the current one
        person.presses("m")
        person.sees("choose a model", "● first-model")
        server.models.append("a-third-model")
        person.presses("r")
        person.sees("● a-third-model")
        person.presses("Escape")
        person.presses("n")
        person.sees("new run", "max steps", "f3 chooses")
        person.types("Read the notes")
        person.presses("F3")
        person.sees("refresh", "first-model")
        person.presses_and_looks("Down", "Enter")  # the form is in view behind the dialog, too
        person.sees("new run", "Read the notes")
        person.presses("Tab")
        person.fills("qwen3")
        person.presses("Tab")
        person.fills(f"{server.url}/")
        person.presses("Tab")
        person.types("notes.txt")
        person.presses("Tab")
        person.fills("12")
        person.presses("Tab")
        person.fills("1")
        person.presses("BSpace")
        person.types("2")
        person.presses("Tab", "Enter")
        person.sees("docker")
        person.presses("Up", "Up", "Enter")
        person.presses("Tab", "Enter", "Down", "Down", "Enter")
        person.sees("│ step", "Read the notes")
        person.presses("Tab", "Enter", "Down", "Enter")
        person.sees("native", "Read the notes")
        person.presses("C-s")
        person.sees("lists no such", "Start anyway?")
        person.presses("y")
        person.sees("2 runs", "wait for you")
        person.presses("q")
        person.sees("2 samples", "2 wait for you")
        person.presses("C-q")
        person.sees("End both and quit")
        person.presses("n")
        person.no_longer_sees("End both and quit")
        person.presses("q")
        person.sees("End both and quit")
        person.presses("y")
        assert person.is_back() == 0
    assert {request["model"] for request in server.requests} == {"qwen3"}


def test_the_form_is_left_and_a_found_model_is_kept(person: Person, scripted_server: Serve) -> None:
    server = scripted_server(*work())
    server.models = ["only-model"]
    config = f'[sandbox]\nkind = "bubblewrap"\n[model]\nlocal_ports = [{server.port}]\n'
    (person.folder / "home" / "config.toml").write_text(config)
    with person:
        person.enters("sandbox-tui")
        person.sees("only-model")
        person.presses("m")
        person.wait_for_times("● only-model", 2)
        person.presses("Enter")
        person.sees("Model set to only-model")
        person.presses("n")
        person.sees("new run", "only-model")
        person.types("another day")
        person.presses("Escape")
        person.sees("Draft saved")
        person.presses("q")
        assert person.is_back() == 0
        person.enters("sandbox-tui")  # the next start of the program has the draft
        person.sees("n new run")
        person.presses("n")
        person.sees("another day", "restored", "f8 clears it")
        person.presses("F8")
        person.no_longer_sees("another day")
        person.presses("Escape")
        person.no_longer_sees("max steps")
        person.presses("q")
        assert person.is_back() == 0
        assert "only-model" in person.runs("sandbox-tui config")


def test_settings_of_one_run_and_of_all_from_now_on(person: Person, scripted_server: Serve) -> None:
    server = scripted_server(*work("echo done >output/answer.txt"))
    config = person.folder / "home" / "config.toml"
    config.write_text(
        f'[sandbox]\nkind = "bubblewrap"\n[model]\nname = "m"\nbase_url = "{server.url}"\n'
    )
    person.size(100, 30)
    with person:
        person.enters("sandbox-tui")
        person.sees("n new run")
        person.presses("n")
        person.sees("new run", "f5 more settings")
        person.types("Read the notes")
        person.presses("C-j")
        person.types("in the input folder")
        person.presses("F5")
        person.sees("max US dollars")
        person.fills("elsewhere")  # the first of the further fields has the focus
        person.presses("Tab")
        person.fills("short")
        person.presses("Tab")
        person.fills("7")  # the seed
        for _ in range(3):  # network, terminal, policy
            person.presses("Tab", "Enter", "Down", "Enter")
        for text in ("0.5", "9000", "600", "3"):
            person.presses("Tab")
            person.fills(text)
        person.presses("F4")
        person.sees("New runs start with these")
        person.presses("C-s")
        person.sees("submitted")
        person.presses("q")
        person.sees("sessions 1")
        person.presses("q")
        assert person.is_back() == 0
    assert "temperature = 0.5" in config.read_text()
    assert server.requests[0]["temperature"] == 0.5
    assert server.requests[0]["seed"] == 7
    assert "elsewhere" in config.read_text()
    assert not (person.folder / "elsewhere").exists()  # the policy denied the call: no files
