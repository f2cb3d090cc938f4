"""Suite files are loaded, overridden, selected from, and rejected with one sentence."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.evals.suite_file import (
    UnknownSuite,
    known_suites,
    load_suite,
    scorers_in_file,
)


def rows(count: int, **more: Any) -> list[dict[str, Any]]:
    return [
        {"id": f"t{n}", "problem": f"p{n}", "target": str(n), "domain": "ab"[n % 2], **more}
        for n in range(count)
    ]


def write(folder: Path, text: str, tasks: list[dict[str, Any]] | None = None) -> str:
    data = rows(6) if tasks is None else tasks
    (folder / "tasks.jsonl").write_text("\n".join(json.dumps(row) for row in data))
    file = folder / "s.yaml"
    file.write_text(text)
    return str(file)


def ids(suite: Any) -> list[str]:
    return [task.id for task in suite.tasks]


def test_only_the_data_set_is_required(tmp_path: Path) -> None:
    suite = load_suite(write(tmp_path, "dataset: {path: tasks.jsonl}"))
    assert suite.name == "s"
    assert ids(suite) == ["t0", "t1", "t2", "t3", "t4", "t5"]
    assert suite.modes == ("vanilla", "sandbox")
    assert (suite.samples, suite.prompts, suite.vanilla_prompts) == (1, "", "vanilla")
    assert suite.scorers == {}
    assert suite.model == suite.limits == suite.sandbox == {}


def test_a_data_file_stands_for_a_suite_with_the_scorer_that_is_named(tmp_path: Path) -> None:
    write(tmp_path, "")
    suite = load_suite(str(tmp_path / "tasks.jsonl"), overrides={"scorers": "number"})
    assert (suite.name, len(suite.tasks)) == ("tasks", 6)
    assert {suite.scorer_of(task) for task in suite.tasks} == {"number"}


def test_everything_a_file_says_is_in_the_suite(tmp_path: Path) -> None:
    suite = load_suite(
        write(
            tmp_path,
            "name: mine\n"
            "description: a sentence\n"
            "dataset: {loader: jsonl, path: tasks.jsonl}\n"
            "modes: [sandbox, sandbox-context]\n"
            "samples: 3\n"
            "scorers: {a: choice, '': exact}\n"
            "scorer_options: {judge: {model: j}}\n"
            "prompts: own.yaml\n"
            "vanilla_prompts: general\n"
            "model: {temperature: 0.7}\n"
            "limits: {max_steps: 9, time_limit: 60}\n"
            "sandbox: {network: none}\n"
            "window: 1000\n",
        )
    )
    assert suite.name == "mine"
    assert suite.modes == ("sandbox", "sandbox-context")
    assert suite.samples == 3
    assert [suite.scorer_of(task) for task in suite.tasks[:2]] == ["choice", "exact"]
    assert suite.scorer_options == {"judge": {"model": "j"}}
    assert suite.prompts == str(tmp_path / "own.yaml")
    assert suite.vanilla_prompts == "general"
    assert suite.model == {"temperature": 0.7}
    assert suite.limits == {"max_steps": 9, "time_limit": 60}
    assert suite.sandbox == {"network": "none"}
    assert suite.window == 1000


def test_one_scorer_for_all(tmp_path: Path) -> None:
    suite = load_suite(write(tmp_path, "dataset: {path: tasks.jsonl}\nscorers: exact"))
    assert {suite.scorer_of(task) for task in suite.tasks} == {"exact"}


def test_overrides_are_stronger_and_none_is_no_override(tmp_path: Path) -> None:
    file = write(tmp_path, "dataset: {path: tasks.jsonl, limit: 3}\nsamples: 2")
    suite = load_suite(
        file,
        overrides={
            "scorer_options.judge.model": "j",
            "dataset.limit": 1,
            "modes": ["vanilla"],
            "samples": None,
            "model.name": "m",
        },
    )
    assert ids(suite) == ["t0", "t1"]
    assert suite.modes == ("vanilla",)
    assert suite.samples == 2
    assert suite.model == {"name": "m"}
    assert suite.scorer_options == {"judge": {"model": "j"}}


@pytest.mark.parametrize(
    ("selection", "expected"),
    [
        ({"limit": 2}, ["t0", "t1", "t2", "t3"]),
        ({"domains": ["b"]}, ["t1", "t3", "t5"]),
        ({"domains": ["b"], "limit": 1}, ["t1"]),
        ({"start": 2, "end": 4}, ["t2", "t3"]),
        ({"start": 4}, ["t4", "t5"]),
        ({"domains": ["b"], "start": 1}, ["t3", "t5"]),
        ({"levels": [7]}, ["t6"]),
    ],
)
def test_a_selection(tmp_path: Path, selection: dict[str, Any], expected: list[str]) -> None:
    hard = [{"id": "t6", "problem": "p", "target": "", "domain": "c", "level": 7}]
    file = write(tmp_path, "dataset: {path: tasks.jsonl}", rows(6) + hard)
    overrides = {f"dataset.{key}": value for key, value in selection.items()}
    suite = load_suite(file, overrides=overrides)
    assert [each for each in ids(suite) if each in expected or each != "t6"] == expected


def test_a_shuffle_follows_from_its_seed_and_keeps_all(tmp_path: Path) -> None:
    file = write(tmp_path, "dataset: {path: tasks.jsonl}", rows(30))
    one, same, other = (
        ids(load_suite(file, overrides={"dataset.shuffle": seed})) for seed in (1, 1, 2)
    )
    assert one == same
    assert one != other
    assert sorted(one) == sorted(other) == sorted(f"t{n}" for n in range(30))


def test_prompts_of_vanilla_by_domain(tmp_path: Path) -> None:
    dataset = "dataset: {path: tasks.jsonl}\n"
    suite = load_suite(write(tmp_path, f'{dataset}vanilla_prompts: {{a: x.yaml, "": letter}}'))
    assert suite.domains == ["a", "b"]
    assert suite.vanilla_prompts_of("a") == str(tmp_path / "x.yaml")
    assert suite.vanilla_prompts_of("b") == "letter"
    suite = load_suite(write(tmp_path, f"{dataset}vanilla_prompts: {{a: plain}}"))
    assert [suite.vanilla_prompts_of(domain) for domain in "ab"] == ["plain", "vanilla"]


def test_the_digest_tells_suites_apart(tmp_path: Path) -> None:
    file = write(tmp_path, "dataset: {path: tasks.jsonl}")
    assert load_suite(file).digest() == load_suite(file).digest()
    for key, value in (("samples", 2), ("dataset.limit", 1)):
        assert load_suite(file).digest() != load_suite(file, overrides={key: value}).digest()
    one_kind = load_suite(file, overrides={"sandbox.kind": "bubblewrap"})
    assert load_suite(file).digest() == one_kind.digest(), "what was used is with the evaluation"
    one, other = load_suite(file), load_suite(file, overrides={"samples": 2, "modes": ["vanilla"]})
    assert one.tasks_digest() == other.tasks_digest()
    assert one.tasks_digest() != replace(one, tasks=()).tasks_digest()
    assert load_suite(file).digest(["a pack"]) != load_suite(file).digest(["another"])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("datasets: {}", "datasets is not a known key. Did you mean 'dataset'?"),
        ("name: x", "dataset is missing."),
        ("- a", "must be a table"),
        ("a: [", "is not valid YAML: line 1, column 5: expected"),
        ("dataset: {path: tasks.jsonl, limt: 3}", "dataset.limt is not a known key. Did you mean 'limit'?"),
        ("dataset: {path: tasks.jsonl, limit: x}", "dataset.limit must be a whole number, or none, not 'x'."),
        ("dataset: {path: tasks.jsonl, limit: -1}", "dataset.limit must be at least 0, not -1."),
        ("dataset: {path: tasks.jsonl}\nsamples: 0", "samples must be at least 1, not 0."),
        ("dataset: {path: tasks.jsonl}\nmodes: [fast]", "'fast'"),
        ("dataset: {path: tasks.jsonl}\nmodes: []", "modes must name"),
        ("dataset: {path: tasks.jsonl}\nlimits: {max_step: 3}", "limits.max_step is not a known key. Did you mean 'max_steps'?"),
        ("dataset: {path: tasks.jsonl}\nlimits: {max_steps: many}", "limits.max_steps must be a whole number, not 'many'."),
        ("dataset: {path: tasks.jsonl}\nmodel: {temprature: 1}", "model.temprature is not a known key. Did you mean 'temperature'?"),
        ("dataset: {path: tasks.jsonl}\nscorers: 3", "scorers must be"),
        ("dataset: {path: none.jsonl}", "which is not a file"),
        ("dataset: {path: tasks.txt}", "dataset.loader must be one of"),
        ("dataset: {loader: jsonl}", "dataset.path must name the file"),
        ("dataset: {path: tasks.jsonl, domains: [z]}", "has no domain 'z'. Its domains are a, b."),
        ("dataset: {path: tasks.jsonl, start: 100}", "matches none of the 6 tasks"),
        ("dataset: {path: tasks.jsonl, columns: {problm: x}}", "'problm', which is not a field"),
        ("dataset: {path: tasks.jsonl, columns: {problem: question}}", "no column 'question'"),
    ],
)  # fmt: skip
def test_errors_are_reported_in_one_sentence(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load_suite(write(tmp_path, text))
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
    assert "$" not in str(caught.value)


def test_a_file_without_rows_has_no_tasks(tmp_path: Path) -> None:
    file = tmp_path / "empty.csv"
    file.write_text("id,problem,target\n")
    with pytest.raises(ConfigError, match="The suite empty has no tasks"):
        load_suite(str(file))


def test_an_id_stands_for_one_task(tmp_path: Path) -> None:
    file = write(tmp_path, "dataset: {path: tasks.jsonl}", [*rows(2), *rows(1)])
    with pytest.raises(ConfigError, match=r"row 3: the id 't0' is already taken"):
        load_suite(file)


def test_an_unknown_name_says_where_the_known_are_listed() -> None:
    with pytest.raises(
        UnknownSuite, match=r"no suite 'nope': `sandbox-tui eval suites` lists"
    ) as e:
        load_suite("nope")
    assert "pocket" not in str(e.value)
    assert "Known suites: " in e.value.with_names
    assert "pocket" in e.value.with_names


def test_an_unknown_name_gets_the_closest_one() -> None:
    with pytest.raises(UnknownSuite) as caught:
        load_suite("pokcet")
    assert str(caught.value) == "There is no suite 'pokcet'. Did you mean 'pocket'?"
    assert caught.value.with_names == str(caught.value)


def test_the_scorers_of_a_suite_are_known_without_its_tasks(tmp_path: Path) -> None:
    file = write(
        tmp_path, "dataset: {path: gone.jsonl}\nscorers: {a: exact, b: number, c: exact}", []
    )
    assert scorers_in_file(file) == ("exact", "number")
    assert scorers_in_file("math") == ("math_verify",)
    assert scorers_in_file("no-such") == ()


def test_a_custom_suite_has_a_name(own_home: Path) -> None:
    (own_home / "suites").mkdir(parents=True)
    file = write(own_home / "suites", "description: mine\ndataset: {path: tasks.jsonl}")
    Path(file).rename(own_home / "suites" / "homework.yaml")
    assert ids(load_suite("homework"))[0] == "t0"
    assert known_suites()["homework"] == "mine"
    assert known_suites()["pocket"]


def test_a_scorer_that_compares_refuses_a_task_without_a_target(tmp_path: Path) -> None:
    file = tmp_path / "q.jsonl"
    file.write_text('{"problem": "1 + 1", "target": "2"}\n{"problem": "2 + 2", "reply": "4"}\n')
    with pytest.raises(
        ConfigError, match=r"task 2: there is no target .* scorer number does"
    ) as info:
        load_suite(str(file), overrides={"scorers": "number"})
    assert "Call its column target, ground_truth, answer" in str(info.value)
    assert str(info.value).endswith("Its other columns are reply.")
    assert len(load_suite(str(file), overrides={"scorers": "judge"}).tasks) == 2
    assert len(load_suite(str(file)).tasks) == 2, "the scorer is not chosen yet"


@pytest.mark.parametrize("ending", ["", ".yaml", ".jsonl"])
def test_a_name_that_is_too_long_for_a_file_is_refused(ending: str) -> None:
    with pytest.raises(ConfigError, match=r"There is no suite|does not exist"):
        load_suite("a" * 300 + ending)
