"""What tells evaluations of the same suite and model apart."""

from __future__ import annotations

import msgspec

from sandbox_tui.core.evals.eval_info import EvalInfo
from sandbox_tui.core.evals.reporting.evaluation_differences import what_differs
from tests.unit.core.evals.reporting.sample_results import INFO as SMALL

INFO = msgspec.structs.replace(SMALL, tasks_digest="0123456789abcdef")


def with_(name: str, **changes: object) -> EvalInfo:
    return msgspec.structs.replace(INFO, id=name, **changes)


def test_settings_and_arguments_that_differ_are_named_once() -> None:
    run = "sandbox-tui eval run pocket --model small-0.5b"
    hot = with_(
        "hot",
        params={"temperature": 1.0, "max_steps": 30},
        command=f"{run} --temperature 1.0 --concurrency 8 --headless",
    )
    few = with_("few", tasks_digest="fedcba9876543210", command=f"{run} --limit 2")
    assert what_differs([INFO, hot, few]) == {
        "hot": "temperature 1.0",
        "few": "--limit 2",
    }
    assert what_differs([INFO, hot]) == {"e-1": "temperature 0.7", "hot": "temperature 1.0"}


def test_one_in_another_mode_does_not_make_all_others_say_theirs() -> None:
    same = [with_(f"same-{each}") for each in range(4)]
    assert what_differs([*same, with_("only", modes=("sandbox",))]) == {"only": "modes sandbox"}
    unset = with_("unset", params={})
    assert what_differs([*same, unset]) == {"unset": "max steps not set · temperature not set"}


def test_only_evaluations_that_look_alike_are_told_apart() -> None:
    other = with_("e-2", model="larger-7b", params={"temperature": 1.0})
    another = with_("e-3", suite="products", params={"temperature": 1.0})
    assert what_differs([INFO, other, another, with_("e-4", suite="products-2")]) == {}
    assert what_differs([INFO, with_("e-2")]) == {}
    assert what_differs([]) == {}


def test_models_in_different_folders_are_told_apart() -> None:
    found = what_differs([with_("a", model="/one/m.gguf"), with_("b", model="/two/m.gguf")])
    assert found == {"a": "model /one/m.gguf", "b": "model /two/m.gguf"}


def test_a_command_line_that_cannot_be_parsed_is_no_difference() -> None:
    assert what_differs([INFO, with_("e-2", command="it's")]) == {}


def test_a_setting_that_only_one_has() -> None:
    found = what_differs([with_("a", params={}), with_("b", params={"top_k": 20})])
    assert found == {"a": "top k not set", "b": "top k 20"}


def test_a_sandbox_that_is_not_resolved_yet_is_no_difference() -> None:
    asked = with_("asked", sandbox="auto", image="python:3.12")
    vanilla = with_("vanilla", sandbox="docker", image="python:3.12", modes=("vanilla",))
    used = with_("used", sandbox="bubblewrap", image="")
    other = with_("other", sandbox="docker", image="python:3.12")
    assert what_differs([asked, used]) == {}
    found = what_differs([vanilla, used])
    assert found == {"vanilla": "modes vanilla", "used": "modes vanilla, sandbox"}
    found = what_differs([used, other])
    assert found == {
        "used": "sandbox bubblewrap",
        "other": "sandbox docker · image python:3.12",
    }


def test_samples_modes_and_scorers_are_no_difference_of_tasks_and_prompts() -> None:
    """The digest of the whole suite covers these; they are named by themselves."""
    packs = {"prompts": "p", "vanilla_prompts ": "v"}
    one = with_("one", packs=packs, command="eval run a.csv --samples 1")
    two = with_("two", packs=packs, digest="other", command="eval run a.csv --samples 2")
    assert what_differs([one, two]) == {"one": "--samples 1", "two": "--samples 2"}
    sandbox = with_("s", packs={"prompts": "p"}, digest="third", modes=("sandbox",))
    assert what_differs([one, sandbox])["s"] == "modes sandbox"
    scored = with_("r", packs=packs, digest="fourth", answers_of="one", scored_by="exact")
    assert "tasks" not in what_differs([one, scored])["r"]


def own(name: str, digest: str, tasks: int, file: str = "q.jsonl", more: str = "") -> EvalInfo:
    command = f"sandbox-tui eval run {file} --scorer exact{more} --headless"
    return with_(name, suite="q", tasks_digest=digest, tasks=tasks, command=command)


def test_own_files_are_told_apart_by_what_a_person_knows() -> None:
    eight, five = own("a", "1" * 16, 8), own("b", "2" * 16, 5)
    assert what_differs([eight, five]) == {"a": "8 tasks", "b": "5 tasks"}
    easy = own("c", "3" * 16, 3, more=" --domain easy")
    assert what_differs([eight, easy]) == {"a": "8 tasks", "c": "3 tasks · --domain easy"}
    table = own("d", "4" * 16, 8, "data/q.csv")
    assert what_differs([eight, table]) == {"a": "q.jsonl", "d": "q.csv"}
    elsewhere = own("e", "4" * 16, 8, "data/q.jsonl")
    assert what_differs([eight, elsewhere]) == {"a": "q.jsonl", "e": "data/q.jsonl"}
    assert what_differs([eight, own("f", "1" * 16, 8, "./q.jsonl")]) == {}, "the same tasks"


def test_a_digest_tells_only_those_apart_that_are_otherwise_equal() -> None:
    one, two, five = own("a", "1" * 16, 8), own("b", "2" * 16, 8), own("c", "3" * 16, 5)
    found = what_differs([one, two, five])
    assert found == {"a": "tasks 11111111", "b": "tasks 22222222", "c": "5 tasks"}
    old = own("d", "4" * 16, 0)
    assert what_differs([one, old]) == {"a": "tasks 11111111", "d": "tasks 44444444"}


def test_prompts_that_differ_are_told() -> None:
    found = what_differs([with_("a", packs={"prompts": "p"}), with_("b", packs={"prompts": "q"})])
    assert found["a"].startswith("prompts ")
    assert found["a"] != found["b"]


def test_digests_of_older_versions_are_of_the_whole_suite() -> None:
    old, older = (msgspec.structs.replace(SMALL, id=name, digest=name * 8) for name in ("aa", "bb"))
    assert what_differs([old, older]) == {"aa": "suite aaaaaaaa", "bb": "suite bbbbbbbb"}
    assert what_differs([old, INFO]) == {}, "these cannot be compared"
