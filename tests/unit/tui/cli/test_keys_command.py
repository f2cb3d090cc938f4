"""`sandbox-tui keys WORDS`: what several words, other words and titles of lists find."""

from __future__ import annotations

import json

from click.testing import CliRunner

from sandbox_tui.tui.cli.main import main


def found(*words: str) -> list[str]:
    done = CliRunner().invoke(main, ["keys", *words, "--json"])
    assert done.exit_code == 0, done.output
    return [json.loads(line)["action"] for line in done.stdout.splitlines()]


def test_all_of_several_words_must_match() -> None:
    assert found("live", "pause") == ["live.pause"]
    assert found("pause", "live") == found("live pause") == ["live.pause"]
    assert found("live", "x") == ["live.end"], "a key"
    assert found("Approve", "the", "call")[0] == "live.approve"
    assert found("new", "run") == found("new run")


def test_words_that_never_meet_are_refused() -> None:
    done = CliRunner().invoke(main, ["keys", "live", "zzz"])
    assert done.exit_code == 2
    words = "No action has 'live' and 'zzz'. `sandbox-tui keys` lists all actions."
    assert done.output == f"sandbox-tui: {words}\n"
    done = CliRunner().invoke(main, ["keys", "lvie", "pause"])
    assert "No action has 'lvie' and 'pause'. Did you mean 'live.pause'?" in done.output


def test_other_words_find_an_action_that_no_description_has() -> None:
    assert "live.fork" in found("undo")
    assert found("live", "undo") == [name for name in found("undo") if name.startswith("live.")]


def test_other_words_are_not_looked_at_when_a_description_has_the_word() -> None:
    assert "live.end" not in found("stop"), "to end a run is a meaning of it, too"


def test_the_title_of_a_list_finds_it() -> None:
    forms = found("form")
    assert {"new_run.start", "fork.start", "export.leave"} <= set(forms)
    assert "live.approve" not in found("run"), "the keys of a run are not all about it"
    assert "fork.start" in found("fork", "form")
