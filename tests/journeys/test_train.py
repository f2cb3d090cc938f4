"""Guide: Train."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest

from sandbox_tui.sessions import Store
from sandbox_tui.sessions.store.tables import trainings
from tests import scripted_server as s
from tests.arithmetic_model import reply
from tests.journeys.person import Person
from tests.unit.sessions.rl.recorded import roll, start_training, train

DATA = "sandbox-tui rl data"
Serve = Callable[..., s.ScriptedServer]
RECIPE = """
engine: collect
model: scripted
server: {{base_url: "{url}"}}
data: {{train: train.jsonl, held_out: held-out.jsonl}}
episodes: {{sandbox: bubblewrap, limits: {{max_steps: 5}}}}
training: {{steps: {steps}, prompts: 2, group: 2}}
"""


def test_tasks_are_generated_split_and_checked(person: Person) -> None:
    with person:
        made = person.runs(
            f"{DATA} generate --count 60 --seed 3 --domain lookup --level 1 --level 3 "
            "--output tasks.jsonl"
        )
        assert "60 tasks on 120 documents (lookup 60)" in made
        person.runs(
            f"{DATA} split tasks.jsonl --share 0.2 --seed 1 --train train.jsonl "
            "--held-out held-out.jsonl"
        )
        made = f"{DATA} generate --count 1 --output train.jsonl"
        assert "train.jsonl already exists" in person.runs(made, code=2)
        person.runs(f"{DATA} generate --count 1 --output other.jsonl")
        person.runs(f"{DATA} generate --count 2 --output other.jsonl --force")
        again = f"{DATA} split tasks.jsonl --share 0.2 --seed 1 --train train.jsonl --held-out"
        assert "already exists" in person.runs(f"{again} held-out.jsonl", code=2)
        person.runs(f"{again} held-out.jsonl --force")
        ids = [
            json.loads(line)["id"]
            for name in ("train", "held-out")
            for line in (person.folder / f"{name}.jsonl").read_text().splitlines()
        ]
        assert len(ids) == len(set(ids)) == 60
        check = f"{DATA} check train.jsonl held-out.jsonl --ngram 8 --overlap 0.3"
        assert "Nothing leaks from 12 held-out tasks." in person.runs(check)
        person.runs("cat held-out.jsonl >>train.jsonl")
        assert "12 of 12 held-out tasks leak." in person.runs(check, code=1)
        person.runs(f"{check} --json >leaks", code=1)
        leaks = (person.folder / "leaks").read_text().splitlines()
        kinds = {json.loads(leak)["kind"] for leak in leaks}
        assert kinds == {"document", "question_and_answer", "n_grams"}
        assert "no domain 'x'" in person.runs(
            f"{DATA} generate --domain x --output x.jsonl", code=2
        )


def test_questions_and_documents_are_converted(person: Person) -> None:
    with person:
        texts = person.folder / "texts"
        texts.mkdir()
        rows = ["riddle,keeper,file"]
        for n in range(12):
            (texts / f"{n}.txt").write_text(f"Part {n}.\n\nIts keeper is Keeper{n}.\n")
            rows.append(f"Who keeps part {n}?,Keeper{n},{n}.txt")
        (person.folder / "rows.csv").write_text("\n".join(rows) + "\n")
        columns = "--column problem=riddle --column target=keeper --column document=file"
        convert = (
            f"{DATA} convert rows.csv {columns} --documents texts --domain keepers --scorer exact "
            "--distractors 2 --parts 2 --seed 5 --output tasks.jsonl"
        )
        person.runs(convert)
        assert "already exists" in person.runs(convert, code=2)
        person.runs(f"{convert} --force")
        first = json.loads((person.folder / "tasks.jsonl").read_text().splitlines()[0])
        assert (first["problem"], first["domain"], first["scorer"]) == (
            "Who keeps part 0?",
            "keepers",
            "exact",
        )
        assert sorted(first["files"]) == [f"document_{n}.txt" for n in (1, 2, 3, 4)]
        assert len(first["metadata"]["distractors"]) == 2
        assert sum("Keeper0." in text for text in first["files"].values()) == 1
        wrong = f"{DATA} convert rows.csv --output x.jsonl"
        assert "the problem is missing" in person.runs(wrong, code=2)
        over = f"{DATA} convert rows.csv --output ./rows.csv --force"
        assert "rows.csv is given twice" in person.runs(over, code=2)
        assert "is not FIELD=COLUMN" in person.runs(f"{wrong} --column riddle", code=2)


def test_a_training_is_watched_while_it_is_made(person: Person, home: Path) -> None:
    """Watch a training that is recorded by another process, here the test itself."""
    with person, Store(home / "sessions.db") as store:
        recorder = start_training(store)
        asyncio.run(train(recorder, steps=2))
        person.enters("sandbox-tui rl watch")
        person.sees("hello", "● running", "1 step ", "reward 0.500", "held out 0.100", "4 groups")
        person.presses("?")
        person.sees("Next rollout", "Compare the best")
        person.presses("Escape")
        person.sees("step 1 · task-0", "+0.50")
        person.presses("Down", "Down")
        person.sees("step 0 · task-0")
        asyncio.run(roll(recorder, 2, "task-9", 0, 0.25))
        person.sees("5 groups", "task-9")  # the cursor stays where it was
        person.sees("step 0 · task-0")
        person.presses("f")
        person.sees("4 groups that differ in reward", "esc show all")
        person.presses("Escape")
        person.sees("5 groups")
        person.presses("Right", "b")
        person.sees("compare", "s swap")
        person.presses("q")
        person.sees("5 groups")
        person.presses("Left", "Enter")
        person.sees("replay", "answer 0")
        person.presses("q")
        person.sees("over steps  1 of 2")
        person.presses("c")
        person.sees("over steps  2 of 2", "loss")
        person.presses("c")
        person.no_longer_sees("over steps")
        person.presses("Tab", "BTab", "e")
        person.sees("export rollouts with a reward of at least")
        person.presses("Enter")
        person.sees("4 rollouts written to")
        assert len(list(person.folder.glob("*-sft.jsonl"))) == 1
        recorder.finish("stopped", "You stopped it.")
        person.sees("◌ stopped", "You stopped it.")
        person.presses("q")
        assert person.is_back() == 0


def test_trainings_are_listed_exported_and_deleted(person: Person, home: Path) -> None:
    with person, Store(home / "sessions.db") as store:
        assert "no training runs yet" in person.runs("sandbox-tui rl watch last --headless", code=2)
        for _ in range(2):
            recorder = start_training(store)
            asyncio.run(train(recorder, steps=1))
            recorder.finish()
        newest, first = trainings.summaries(store)
        assert newest.id in person.runs("sandbox-tui rl ls --limit 1")
        person.runs("sandbox-tui rl ls --json >list")
        listed = map(json.loads, (person.folder / "list").read_text().splitlines())
        assert [one["id"] for one in listed] == [newest.id, first.id]
        assert "step 0 · reward 0.500" in person.runs("sandbox-tui rl watch last --headless")
        person.runs(f"sandbox-tui rl watch {first.id} --json >steps")
        assert json.loads((person.folder / "steps").read_text())["reward"] == 0.5
        export = f"sandbox-tui rl export-sft {first.id} --force --output good.jsonl"
        assert "2 rollouts of 2 tasks" in person.runs(export)
        assert "No stored rollout" in person.runs(f"{export} --min-reward 2", code=2)
        person.runs(f"{export} --min-reward 0 --each 1 --held-out --no-redact")
        lines = (person.folder / "good.jsonl").read_text().splitlines()
        assert [json.loads(line)["reward"] for line in lines] == [1.0, 1.0]
        person.enters(f"sandbox-tui rl rm {first.id}")
        person.sees("Its 4 sessions stay.", "[y/N]")
        person.presses("y", "Enter")
        assert person.is_back() == 0
        removed = person.runs(f"sandbox-tui rl rm {newest.id} --sessions --yes")
        assert f"deleted {newest.id} and 4 sessions" in removed
        start_training(store).finish("failed", "The model is not there.")
        person.enters("sandbox-tui")
        person.sees("n new run", "1 training", "training  ")
        person.presses("Enter")
        person.sees("No rollout has started yet.")
        person.presses("q")
        person.sees("n new run", "1 training")
        person.presses("T")
        person.sees("training runs 1", "failed", "The model is not there.")
        person.presses("?")
        person.sees("Delete the training run")
        person.presses("Escape")
        person.presses("Enter")
        person.sees("No rollout has started yet.")
        person.presses("q")
        person.sees("training runs 1")
        person.presses("x")
        person.sees("delete a training run", "Its curves")
        person.presses("a")
        person.sees("No training runs yet")
        person.presses("q")
        person.sees("n new run")
        person.presses("q")
        assert person.is_back() == 0


def test_episodes_are_served_where_openenv_is_installed(person: Person) -> None:
    with person:
        person.runs(f"{DATA} generate --count 5 --output tasks.jsonl")
        if find_spec("openenv") is None:
            message = person.runs("sandbox-tui rl serve tasks.jsonl", code=2)
            assert "pip install 'sandbox-tui[openenv]'" in message
            pytest.skip("openenv is not installed: sandbox-tui[openenv]")
        from openenv.core import GenericEnvClient

        person.enters(
            "sandbox-tui rl serve tasks.jsonl --host 127.0.0.2 --port 0 --concurrency 2 --mode text "
            "--scorer exact --sandbox bubblewrap --image none --max-steps 3"
        )
        screen = person.sees("5 tasks for OpenEnv clients", "Authorization: Bearer").replace(
            "\n", " "
        )
        address = re.search(r"http://[\d.]+:\d+", screen)
        token = re.search(r"Bearer ([\w-]+)", screen)
        assert address is not None
        assert token is not None
        bearer = {"Authorization": f"Bearer {token[1]}"}
        with pytest.raises(ConnectionError):
            GenericEnvClient(base_url=address[0]).sync().connect()
        with GenericEnvClient(base_url=address[0], headers=bearer).sync() as client:
            question = client.reset(task="lookup-0-1-00001")
            assert "brush" in str(question.observation["messages"])
            answer = client.step({"text": "799"})
        assert (answer.done, answer.reward) == (True, 1.0)
        person.presses("C-c")
        assert person.is_back() == 0


def write_tasks(person: Person) -> None:
    for name, first in (("train", 20), ("held-out", 40)):
        rows = [
            {"id": f"t{n}", "problem": f"What is {n} * 3?", "target": n * 3, "scorer": "number"}
            for n in range(first, first + 4)
        ]
        text = "".join(f"{json.dumps(row)}\n" for row in rows)
        (person.folder / f"{name}.jsonl").write_text(text)


def test_rollouts_are_collected_by_a_recipe_and_a_stopped_training_continues(
    person: Person, scripted_server: Serve
) -> None:
    server = scripted_server(reply)
    with person:
        write_tasks(person)
        recipe = person.folder / "recipe.yaml"
        recipe.write_text(RECIPE.format(url=server.url, steps=2))
        person.runs("sandbox-tui rl train recipe.yaml --seed 5 --json >steps")
        steps = [json.loads(line) for line in (person.folder / "steps").read_text().splitlines()]
        assert [(one["step"], one["reward"]) for one in steps] == [(0, None), (1, 1.0), (2, 1.0)]
        assert steps[0]["held_out_reward"] == 1.0
        assert "is finished" in person.runs("sandbox-tui rl train --resume last", code=2)
        recipe.write_text(RECIPE.format(url=server.url, steps=10_000))
        person.enters("sandbox-tui rl train recipe.yaml")
        person.sees("step 1 ")
        person.presses("C-c")
        assert person.is_back() == 130
        last = max(map(int, re.findall(r"step (\d+) ", person.screen())))
        person.enters("sandbox-tui rl train --resume last")
        person.sees(f"step {last + 2} ")  # the last recorded step may not have been printed
        person.presses("C-c")
        assert person.is_back() == 130
        assert "Give a RECIPE" in person.runs("sandbox-tui rl train", code=2)


def test_a_trained_model_is_served(person: Person) -> None:
    """Without the extra, the command names what to install; with it, it refuses an empty folder."""
    message = "cannot be loaded" if find_spec("torch") else "sandbox-tui[trl]"
    with person:
        (person.folder / "final").mkdir()
        serve = "sandbox-tui rl serve-model final --name mine --port 0 --threads 1"
        assert message in person.runs(serve, code=2)
