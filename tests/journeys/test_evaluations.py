"""Guide: Evaluations."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable
from typing import Any

from tests import scripted_server as s
from tests.arithmetic_model import reply
from tests.journeys.person import Person
from tests.journeys.test_evaluate_from_the_command_line import write_suite

Serve = Callable[..., s.ScriptedServer]


class HeldModel:
    """Replies like `arithmetic_model`; requests with tools wait until `go` is set."""

    def __init__(self) -> None:
        self.go = threading.Event()

    def __call__(self, request: dict[str, Any]) -> s.Scripted:
        if request.get("tools"):
            assert self.go.wait(300)
        return reply(request)


def test_an_evaluation_is_watched_while_it_is_made(person: Person, scripted_server: Serve) -> None:
    model = HeldModel()
    server = scripted_server(model)  # type: ignore[arg-type]
    with person:
        write_suite(person)
        run = f"sandbox-tui eval run products.yaml --model m --base-url {server.url}"
        person.enters(f"{run} --concurrency 2")
        person.sees("products", "2 of 12", "2 running", "● running", "domains", "samples 4")
        person.presses("?")
        person.sees("Start no more samples", "charts", "Next pane")
        person.presses("Escape")
        person.presses("p")
        person.sees("‖ paused", "You paused it.", "p resume")
        person.presses("w")
        person.sees("2 runs", "2 running")
        person.presses("Escape")
        person.sees("‖ paused")
        person.presses("c")  # hide the charts, which a screen of this height shows by default
        person.no_longer_sees("over time")
        person.presses("c")
        person.sees("mean score %", "tokens a sample")
        person.presses("Enter")  # the first running sample
        person.sees("mode auto", "What is")
        person.presses("q")
        person.sees("‖ paused", "domains")
        person.presses("x")
        person.sees("Stop the evaluation?", "Stopping ends its running")
        person.presses("n")
        person.presses("p")
        person.sees("● running")
        model.go.set()
        person.sees("12 of 12", "✓ finished", "o report")
        person.presses("o")
        person.sees("Wrote ")
        [report] = person.folder.glob("2*.html")
        assert "how the figures are computed" in report.read_text()
        person.presses("f")
        person.sees("wrong only")
        person.presses("Enter")  # the replay of a wrong one
        person.sees("replay", "What is")
        person.presses_and_looks("J")
        person.presses_and_looks("K")
        person.presses("q")
        person.sees("wrong only")
        person.presses("Escape")
        person.sees("samples 12")
        person.presses("n", "Home", "N")
        person.sees("No wrong or failed sample above this one.")
        person.presses("Tab", "Down", "Enter")  # the domain below the row of all domains
        person.sees("sums", "samples 6")
        person.presses("BTab", "Escape")
        person.sees("samples 12")
        person.presses("q")
        assert person.is_back() == 0
        assert "12 of 12 samples done" in person.screen()


def test_an_evaluation_is_stopped_watched_and_resumed(
    person: Person, scripted_server: Serve
) -> None:
    model = HeldModel()
    server = scripted_server(model)  # type: ignore[arg-type]
    with person:
        write_suite(person)
        run = f"sandbox-tui eval run products.yaml --model m --base-url {server.url}"
        person.enters(f"{run} --concurrency 2")
        person.sees("2 running")
        person.presses("q")
        person.sees("the evaluation is still running")
        person.presses("b")
        person.sees("n new run")
        person.presses("e")
        person.sees("evaluations 1", "products", "running")
        person.presses("?")
        person.sees("Open")
        person.presses("Escape")
        person.presses("Enter")
        person.sees("2 running", "p pause")
        person.presses("x")
        person.sees("Stop the evaluation?")
        person.presses("y")
        person.sees("◌ interrupted", "You stopped it.", "r runs what is left")
        person.presses("q")
        person.sees("evaluations 1", "interrupted", "r resume", "x delete")
        person.presses("r")
        person.sees("● running", "2 running")
        person.presses("x")
        person.sees("Stop the evaluation?")
        person.presses("y")
        person.sees("◌ interrupted", "r resume")
        person.presses("r")
        person.sees("● running", "2 running")
        person.presses("q")  # no question: it goes on in the background
        person.sees("evaluations 1", "running")
        person.presses("Enter")
        person.sees("2 running")
        person.presses("x")
        person.sees("Stop the evaluation?")
        person.presses("y")
        person.sees("◌ interrupted")
        person.presses("C-r")
        person.sees("new evaluation", "products.yaml")
        person.presses("Escape")
        person.sees("evaluations 1", "interrupted")
        person.presses("C-r")
        person.sees("new evaluation", "products.yaml")
        person.presses("Escape")
        person.sees("evaluations 1", "interrupted")
        person.presses("x")
        person.sees("delete an evaluation", "y delete", "s delete with sessions")
        person.presses("Escape")
        person.sees("evaluations 1", "interrupted")
        person.presses("q")
        person.sees("n new run")
        person.presses("q")
        assert person.is_back() == 7
        assert "eval resume" in person.screen()

        person.enters("sandbox-tui eval watch last")
        person.sees("◌ interrupted", "You stopped it.")
        person.presses("q")
        assert person.is_back() == 0
        model.go.set()
        newest = "$(sandbox-tui eval ls | sed -n 2p | cut -d' ' -f1)"
        person.enters(f"sandbox-tui eval resume {newest}")
        person.sees("12 of 12", "✓ finished")
        person.presses("q")
        assert person.is_back() == 0
        assert "12 of 12" in person.runs(f"sandbox-tui eval watch {newest} --headless")
        person.runs("sandbox-tui eval watch --json >samples")
        assert len((person.folder / "samples").read_text().splitlines()) == 12
        person.runs(f"sandbox-tui eval rm {newest} --yes")
        for keys in (("a",), ("s",)):
            person.runs(f"{run} --mode vanilla --headless --wait-for-server 9s >lines")
            person.enters("sandbox-tui")
            person.sees("n new run")
            person.presses("e")
            person.sees("evaluations 1", "6 of 6 samples")
            person.presses("x")
            person.sees("delete an evaluation")
            person.presses(*keys)
            person.sees("No evaluations yet")
            person.presses("q")
            person.sees("n new run")
            person.presses("q")
            assert person.is_back() == 0
        person.runs(f"{run} --mode vanilla --headless >lines")
        person.enters("sandbox-tui")  # the newest row is the evaluation
        person.sees("n new run", "products", "x delete")
        person.presses("x")
        person.sees("delete an evaluation")
        person.presses("s")
        person.sees("Deleted with 6 sessions")
        person.presses("q")
        assert person.is_back() == 0
        assert "products" not in person.runs("sandbox-tui eval ls")


def test_failed_samples_are_rerun_and_two_evaluations_compared(
    person: Person, scripted_server: Serve
) -> None:
    down = True
    server = scripted_server(lambda it: s.failure(401, "no key") if down else reply(it))
    with person:
        write_suite(person)
        run = f"sandbox-tui eval run products.yaml --model m --base-url {server.url}"
        vanilla = f"{run} --mode vanilla --concurrency 20 --headless"
        person.runs(f"{vanilla} >lines", code=5)
        lines = (person.folder / "lines").read_text()
        assert "starts over, attempt 3 of 3: " in lines
        assert "6 samples without a score" in lines
        person.enters("sandbox-tui eval watch last")
        person.sees("✗ finished, 6 without a score", "r reruns the 6 samples", "r rerun failed")
        person.presses("q")
        assert person.is_back() == 0
        person.runs("sandbox-tui eval resume --headless", code=5)
        person.runs("sandbox-tui eval resume --failed --headless >lines", code=5)  # still down
        person.enters("sandbox-tui")
        person.sees("✗ evaluation", "6 of 6 samples", "6 without a score")
        down = False
        person.presses("e")
        person.sees("evaluations 1", "r rerun failed")
        person.presses("r")
        person.sees("6 of 6", "✓ finished", "s score again")
        person.presses("s")
        person.sees("Scorer of all tasks", "the scorers that the tasks have", "enter score again")
        person.presses(*"swe")
        person.sees("swe_bench", "works in a sandbox, which is gone")
        person.presses("BSpace", "BSpace", "BSpace")
        person.sees("the scorers that the tasks have")
        person.presses("Enter")
        person.sees("0 of 6 verdicts changed.")
        person.presses("q")
        person.sees("evaluations 1", "✓ products", "vanilla 66.7 %")
        person.presses("E")
        person.sees("Wrote ", ".html")
        person.presses("q")
        person.sees("n new run")
        person.presses("q")
        assert person.is_back() == 0
        person.runs(f"{vanilla} --limit 2 >lines")
        listed = person.runs("sandbox-tui eval ls")
        second, first = re.findall(r"^\d{8}-\d{6}-\w{5}", listed, re.MULTILINE)
        assert "--limit 2" in listed  # what tells the two apart
        names = person.runs("sandbox-tui eval report products", code=2)
        assert "Several evaluations have the name 'products'" in names
        assert "there is" in person.runs("sandbox-tui eval report nowhere", code=2)
        person.runs(f"sandbox-tui eval compare {first} {second} -o compared.txt")
        compared = (person.folder / "compared.txt").read_text()
        assert "differ" not in compared.replace("difference", "")
        assert "Pairs: " not in compared
        assert "Pairs: " in person.runs(f"sandbox-tui eval compare {first} {second} --explain")
        person.enters("sandbox-tui")
        person.sees("n new run")
        person.presses("e")
        person.sees("evaluations 2", "c compare")
        person.presses("c")
        person.sees("Marked: c on another evaluation", "◉ products", "--limit 2")
        person.presses("Down", "c")
        person.sees("products · m", "unpaired", "Every task has the same score")
        person.presses("Escape")
        person.sees("evaluations 2")
        person.presses("q")
        person.sees("n new run")
        person.presses("q")
        assert person.is_back() == 0


def test_the_samples_of_another_program_are_watched_side_by_side(
    person: Person, scripted_server: Serve
) -> None:
    model = HeldModel()
    server = scripted_server(model)  # type: ignore[arg-type]
    with person:
        write_suite(person)
        run = f"sandbox-tui eval run products.yaml --model m --base-url {server.url}"
        held = f"{run} --mode sandbox --concurrency 2 --headless"
        person.runs(f"{held} >lines 2>&1 & sleep 0")
        person.runs("until sandbox-tui eval ls | grep -q running; do :; done")
        person.enters("sandbox-tui eval watch last")
        person.sees("0 of 6", "2 running", "w wall")
        person.presses("w")
        person.sees("2 runs", "2 running", "What is")
        person.presses("Enter")  # the first one alone
        person.sees("mode auto", "What is")
        person.presses("q")
        person.sees("2 runs")
        person.presses("Escape")
        person.sees("0 of 6", "2 running")
        model.go.set()
        person.sees("6 of 6", "✓ finished")
        person.presses("q")
        assert person.is_back() == 0


def test_an_evaluation_is_started_in_the_form(person: Person, scripted_server: Serve) -> None:
    model = HeldModel()
    server = scripted_server(model)  # type: ignore[arg-type]
    server.models = ["m", "another"]
    config = f"[model]\nlocal_ports = [{server.port}]\n"
    (person.folder / "home" / "config.toml").write_text(config)
    with person:
        write_suite(person)
        person.enters("sandbox-tui")
        person.sees("n new run")
        person.presses("e")
        person.sees("No evaluations yet", "n starts one")
        person.presses("n")
        person.sees("new evaluation", "suite or data file")
        person.presses("Escape")
        person.no_longer_sees("suite or data file")
        person.presses("n")
        person.sees("suite or data file")
        person.fills("nowhere")
        person.presses_and_looks("F8")
        person.no_longer_sees("nowhere")
        person.presses_and_looks("F8")
        person.sees("nowhere")
        person.presses("C-s")
        person.sees("3 fields need attention", "Enter a model's name.")
        person.presses("F3")
        person.sees("choose a model", "● m")
        person.presses("Enter")
        person.no_longer_sees("choose a model")
        person.no_longer_sees("need attention")  # the server came with the model
        person.presses("C-s")
        person.sees("There is no suite 'nowhere'")
        person.fills("tasks.jsonl")
        person.presses("C-s")
        person.sees("Choose a scorer")
        person.presses("Enter", "Down", "Down", "Enter")  # number
        person.no_longer_sees("Choose a scorer")
        person.presses("Tab", "End")
        person.types("m")
        person.presses("Tab", "End")
        person.types("/")
        for text in ("2", "2", "2", "9", "0.5", "1h"):
            person.presses("Tab")
            person.fills(text)
        person.presses("Tab", "Tab", "Enter", "Down", "Enter")  # past the domains; sandbox
        person.presses("Tab", "Enter", "Down", "Down", "Enter")  # bubblewrap
        person.presses("C-s")
        person.sees("model: mm. Start all the same?")
        person.presses("y")
        person.sees("0 of 8", "2 running", "● running in its own program")
        person.presses("x")
        person.sees("Stop the evaluation?")
        person.presses("y")
        person.sees("◌ interrupted", "You stopped it.", "r resume")
        person.presses("r")
        person.sees("0 of 8", "2 running", "● running in its own program")
        person.presses("q")  # no question: it goes on by itself
        person.sees("evaluations 1", "running")
        person.presses("q")
        person.sees("n new run")
        person.presses("q")
        assert person.is_back() == 0
        listed = person.runs("sandbox-tui eval ls")
        assert "running" in listed
        person.runs("sandbox-tui eval ls --json >list")
        info = json.loads((person.folder / "list").read_text())
        assert (info["params"]["max_steps"], info["params"]["temperature"]) == (9, 0.5)
        assert info["command"].endswith("--max-steps 9 --temperature 0.5 --budget-time 3600")
        [session] = set(re.findall(r"\d{8}-\d{6}-\w{5}", listed))
        person.enters("sandbox-tui eval watch last")
        person.sees("2 running", "x stop")
        person.presses("q")
        assert person.is_back() == 0
        assert "is running the" in person.runs("sandbox-tui eval resume --headless", code=8)
        assert "0 of 8 samples done" in person.runs(f"sandbox-tui eval stop {session}")
        assert "No evaluation runs" in person.runs("sandbox-tui eval stop", code=2)
        model.go.set()
        person.runs("sandbox-tui eval resume --headless >lines")
        assert "8 of 8" in (person.folder / "lines").read_text()
    assert {request["model"] for request in server.requests} == {"mm"}


def test_quitting_asks_and_gives_samples_back(person: Person, scripted_server: Serve) -> None:
    server = scripted_server(HeldModel())  # type: ignore[arg-type]
    person.size(80, 24)
    with person:
        write_suite(person)
        run = f"sandbox-tui eval run products.yaml --model m --base-url {server.url}"
        person.enters(f"{run} --concurrency 2")
        person.sees("2 of 12", "2 running", "domains", "samples 4")
        person.presses("C-q")
        person.sees("An evaluation is still running")
        person.presses("y")
        assert person.is_back() == 7
        assert "2 of 12" in person.screen()
        assert "interrupted" in person.runs("sandbox-tui eval ls")
