"""Guide: Evaluate from the command line."""

from __future__ import annotations

import json
from collections.abc import Callable

from tests import scripted_server as s
from tests.arithmetic_model import reply
from tests.integration.conftest import TEST_IMAGE
from tests.journeys.person import Person

Serve = Callable[..., s.ScriptedServer]

SUITE = """
dataset: {path: tasks.jsonl}
scorers: number
"""


def write_suite(person: Person) -> None:
    rows = [
        {"id": f"{domain}{n}", "problem": f"What is {20 + n} * {n}?", "target": (20 + n) * n}
        | {"domain": domain}
        for domain in ("tables", "sums")
        for n in (2, 3, 4)
    ]
    (person.folder / "tasks.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    (person.folder / "products.yaml").write_text(SUITE)


def test_a_suite_is_run_reported_and_compared(person: Person, scripted_server: Serve) -> None:
    server = scripted_server(reply)
    with person:
        write_suite(person)
        assert "pocket" in person.runs("sandbox-tui eval suites")
        assert "math_verify" in person.runs("sandbox-tui eval scorers")
        for names, one in (("suites", "pocket"), ("scorers", "math_verify")):
            person.runs(f"sandbox-tui eval {names} --json >names")
            listed = map(json.loads, (person.folder / "names").read_text().splitlines())
            assert one in {named["name"] for named in listed}
        run = f"sandbox-tui eval run products.yaml --model m --base-url {server.url}"
        limits = "--max-steps 9 --max-tokens 99 --token-limit 9999 --time-limit 60"
        model = "--seed 7 --temperature 0.5 --tool-calls native --extra-body '{}' --network none"
        screen = person.runs(
            f"{run} --headless --sandbox bubblewrap --mode all --domain tables --limit 2 "
            f"--samples 2 --concurrency 2 {limits} {model}"
        )
        assert "12 of 12" in screen
        person.runs(
            f"{run} --json --image {TEST_IMAGE} --sandbox docker --mode vanilla --mode sandbox "
            "--domain tables --budget-cost 9 --budget-time 900 >samples"
        )
        samples = [
            json.loads(line) for line in (person.folder / "samples").read_text().splitlines()
        ]
        assert sum(one["score"] for one in samples if one["mode"] == "sandbox") == 3
        assert "finished" in person.runs("sandbox-tui eval ls --limit 2")
        person.runs("sandbox-tui eval ls --json >list")
        newest, first = map(json.loads, (person.folder / "list").read_text().splitlines())
        assert (newest["samples"], first["samples"]) == (6, 12)
        assert "100.0" in person.runs("sandbox-tui eval report | head -8")
        assert "Resampling: " in person.runs("sandbox-tui eval report --explain | grep Resampling")
        person.runs("sandbox-tui eval report --json >report.json")
        assert json.loads((person.folder / "report.json").read_text())
        person.runs("sandbox-tui eval report last --format html --output r.html --sessions")
        report = "sandbox-tui eval report last --output r.html --sessions"
        assert "r.html already exists" in person.runs(report, code=2)
        person.runs(f"{report} --force")
        page = (person.folder / "r.html").read_text()
        assert all(f'href="sessions/{one["run_id"]}.html"' in page for one in samples)
        assert all((person.folder / f"sessions/{one['run_id']}.html").exists() for one in samples)
        for form in ("markdown", "csv", "cells", "json", "text"):
            person.runs(f"sandbox-tui eval report {first['id']} --format {form} >{form}")
            assert "tables" in (person.folder / form).read_text()
        compare = f"sandbox-tui eval compare {first['id']} {newest['id']}"
        for form in ("text", "markdown", "html"):
            person.runs(f"{compare} --format {form} --output compared.{form}")
            assert "tables" in (person.folder / f"compared.{form}").read_text()
        assert "already exists" in person.runs(f"{compare} --output compared.html", code=2)
        person.runs(f"{compare} --output compared.html --force")
        assert "<html" in (person.folder / "compared.html").read_text()
        rescore = f"sandbox-tui eval rescore {newest['id']}"
        assert "verdict" in person.runs(rescore)
        person.runs(f"{rescore} --scorer number --json >again")
        person.enters(f"sandbox-tui eval rm {first['id']}")
        person.sees("12 of 12 samples done", "Its sessions stay.", "[y/N]")
        person.presses("y", "Enter")
        assert person.is_back() == 0
        removed = person.runs("sandbox-tui eval rm last --sessions --yes")
        assert f"deleted {newest['id']} and 6 sessions" in removed
        assert "There are no evaluations yet" in person.runs("sandbox-tui eval ls")


def test_a_stopped_evaluation_is_resumed(person: Person, scripted_server: Serve) -> None:
    server = scripted_server(reply)
    with person:
        write_suite(person)
        run = "sandbox-tui eval run tasks.jsonl --scorer number --model m"
        screen = person.runs(
            f"{run} --base-url {server.url} "
            "--headless --sandbox bubblewrap --mode vanilla --concurrency 1 "
            "--budget-tokens 250 | tail -3",
        )
        assert "budget of 250 tokens" in screen
        assert "interrupted" in person.runs("sandbox-tui eval ls")
        resume = "sandbox-tui eval resume"
        person.runs(f"{resume} --headless --concurrency 2 --budget-tokens 1 >lines", code=7)
        assert "1 token " in (person.folder / "lines").read_text()
        budgets = "--budget-tokens none --budget-cost 0 --budget-time 15m"
        person.runs(f"{resume} last --json {budgets} >/dev/null")
        assert "finished" in person.runs("sandbox-tui eval ls")


def test_samples_run_on_a_cluster(person: Person, scripted_server: Serve) -> None:
    server = scripted_server(reply)
    with person:
        write_suite(person)
        run = f"sandbox-tui eval run products.yaml --model m --base-url {server.url}"
        person.runs(
            f"{run} --headless --mode vanilla --ray local --concurrency 1 --budget-tokens 1 >lines",
            code=7,
        )
        assert "1 of 6" in (person.folder / "lines").read_text()
        resume = "sandbox-tui eval resume --headless --ray local --concurrency 1"
        person.runs(f"{resume} >lines", code=7)
        assert "budget of 1 token " in (person.folder / "lines").read_text()


def test_errors_are_reported_in_a_sentence(person: Person) -> None:
    with person:
        write_suite(person)
        run = "sandbox-tui eval run"
        assert "no suite 'nothing'" in person.runs(f"{run} nothing --model m", code=2)
        assert "No model is set" in person.runs(f"{run} products.yaml --headless", code=2)
        assert "no domain" in person.runs(f"{run} products.yaml --model m --domain x", code=2)
        nowhere = (
            f"{run} products.yaml --model m --base-url http://127.0.0.1:9/v1 --ray 127.0.0.1:1"
        )
        assert "No Ray cluster answers" in person.runs(nowhere, code=2)
        assert "not the address" in person.runs("sandbox-tui eval resume --ray nowhere", code=2)
        assert "no evaluation" in person.runs("sandbox-tui eval report", code=2)
