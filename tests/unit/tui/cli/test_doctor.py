"""`sandbox-tui doctor`: it checks the sandbox that a run would use."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from sandbox_tui.core.sandboxes.docker.engine import EngineStatus
from sandbox_tui.core.sandboxes.image_name import DEFAULT_IMAGE
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.store.tables import eval_ledger as ledger
from sandbox_tui.tui.cli.doctor import examine as doctor
from sandbox_tui.tui.cli.doctor import model as doctor_of_models
from sandbox_tui.tui.cli.main import main
from tests.scripted_server import ScriptedServer, failure
from tests.snapshots.sample_eval import EVAL_ID, enter_eval
from tests.unit.event_streams import started
from tests.unit.sessions.relations.test_last_model import END, keep, replied

NO_ENGINE = EngineStatus(None, problem="No Docker engine answers.")
HAS_IMAGE, LACKS_IMAGE = EngineStatus("29", has_image=True), EngineStatus("29")
AUTOMATIC = "→ sandbox-tui config set sandbox.kind auto"


@pytest.mark.parametrize(
    ("kind", "engine", "embedded", "fix"),
    [
        ("auto", NO_ENGINE, "", ""),
        ("auto", HAS_IMAGE, "It is not installed.", ""),
        ("auto", NO_ENGINE, "It is not installed.", "→ apt-get install bubblewrap, or start a"),
        ("docker", HAS_IMAGE, "It is not installed.", ""),
        ("docker", NO_ENGINE, "", AUTOMATIC),
        ("docker", NO_ENGINE, "It is not installed.", "→ start a Docker engine"),
        ("docker", LACKS_IMAGE, "", "→ sandbox-tui image build"),
        ("bubblewrap", NO_ENGINE, "", ""),
        ("bubblewrap", HAS_IMAGE, "It is not installed.", AUTOMATIC),
    ],
)
def test_it_is_not_ready_without_the_sandbox_of_the_settings(
    kind: str, engine: EngineStatus, embedded: str, fix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "engine_status", lambda image: engine)
    monkeypatch.setattr(doctor, "bubblewrap_problem", lambda: embedded)
    monkeypatch.setenv("SANDBOX_TUI_SANDBOX_KIND", kind)
    done = CliRunner().invoke(main, ["doctor"])
    assert done.exit_code == (3 if fix else 0), done.output
    assert ("not ready" in done.output.splitlines()[-1]) == bool(fix)
    assert fix in done.output


@pytest.mark.parametrize(
    ("image", "asked", "fix"),
    [
        ("", DEFAULT_IMAGE, "→ sandbox-tui image build"),
        ("python:3.12", "python:3.12", "→ docker pull python:3.12"),
    ],
)
def test_the_image_of_the_settings_is_checked(
    image: str, asked: str, fix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_for: list[str] = []

    def status(name: str) -> EngineStatus:
        looked_for.append(name)
        return LACKS_IMAGE

    monkeypatch.setattr(doctor, "engine_status", status)
    monkeypatch.setenv("SANDBOX_TUI_SANDBOX_IMAGE", image)
    output = CliRunner().invoke(main, ["doctor"]).output
    assert looked_for == [asked]
    assert f"no image {asked}" in output
    assert fix in output


def test_sessions_of_evaluations_are_counted_separately_as_on_the_home_screen(
    own_home: Path,
) -> None:
    own_home.mkdir()
    with contextlib.closing(Store(own_home / "sessions.db")) as store:
        store.append("mine", [started("mine")])
        output = CliRunner().invoke(main, ["doctor"]).output
        assert f" 1 in {own_home / 'sessions.db'}\n" in output
        enter_eval(store, now=1e9)
        for run_id, sample in zip(("one", "two"), ledger.results(store, EVAL_ID), strict=False):
            ledger.claim(store, EVAL_ID, sample.key, run_id)
            store.append(run_id, [started(run_id)])
    output = CliRunner().invoke(main, ["doctor"]).output
    assert f" 1 in {own_home / 'sessions.db'}, and 2 of evaluations and training runs" in output


def test_a_home_that_cannot_be_written_is_no_success(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(doctor, "engine_status", lambda image: HAS_IMAGE)
    monkeypatch.setenv("SANDBOX_TUI_HOME", str(tmp_path / "file" / "home"))
    done = CliRunner().invoke(main, ["doctor"])
    assert done.exit_code == 2
    assert "home/sessions.db cannot be created: " in done.output
    assert "→ export SANDBOX_TUI_HOME=" in done.output


def test_each_mistake_in_the_config_file_has_a_line_of_its_own(
    own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "engine_status", lambda image: HAS_IMAGE)
    own_home.mkdir(exist_ok=True)
    file = own_home / "config.toml"
    file.write_text('[ui]\ntheme = "dayligt"\n[limits]\nmax_steps = "x"\n')
    lines = CliRunner().invoke(main, ["doctor"]).output.splitlines()
    at = lines.index(f"✗ settings   Settings (file {file}), 2 mistakes:")
    assert lines[at + 1].strip().startswith("line 2: ui.theme: ")
    assert lines[at + 2].strip().startswith("line 4: limits.max_steps must be ")
    assert lines[at + 3].strip() == f"→ edit {file}"
    file.write_text('[ui]\ntheme = "dayligt"\n')
    output = CliRunner().invoke(main, ["doctor"]).output
    assert "· theme      line 2: ui.theme: There is no theme named 'dayligt'" in output


def test_a_wrong_environment_variable_is_named_as_what_to_change(
    own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "engine_status", lambda image: HAS_IMAGE)
    monkeypatch.setenv("SANDBOX_TUI_LIMITS_MAX_STEPS", "x")
    output = CliRunner().invoke(main, ["doctor"]).output
    assert "✗ settings   Settings: $SANDBOX_TUI_LIMITS_MAX_STEPS: limits.max_steps must" in output
    assert "→ change or unset $SANDBOX_TUI_LIMITS_MAX_STEPS\n" in output
    assert "config.toml" not in output


def test_a_misspelt_environment_variable_is_named_and_stops_nothing(
    own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "engine_status", lambda image: HAS_IMAGE)
    monkeypatch.setenv("SANDBOX_TUI_LIMITS_MAX_STPES", "7")
    done = CliRunner().invoke(main, ["doctor"])
    assert done.exit_code == 0
    lines = done.output.splitlines()
    at = lines.index(
        "· settings   $SANDBOX_TUI_LIMITS_MAX_STPES: no setting has this name, so the variable is "
        "ignored. Did you mean SANDBOX_TUI_LIMITS_MAX_STEPS?"
    )
    assert lines[at + 1].strip() == "→ rename or unset $SANDBOX_TUI_LIMITS_MAX_STPES"


def test_asking_without_a_model_says_how_to_set_one(own_home: Path) -> None:
    lines = CliRunner().invoke(main, ["doctor", "--ask-model"]).output.splitlines()
    at = lines.index("✗ tool calls no model is set")
    assert lines[at + 1].strip().startswith("→ sandbox-tui config set model.name NAME")
    assert not any("--model" in line for line in lines[at:])


def test_the_model_of_the_last_run_is_named_where_no_setting_names_one(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    assert "ready for the demo" in CliRunner().invoke(main, ["doctor"]).output
    words = "exit code is 0 if the demo can start"
    assert words in " ".join(CliRunner().invoke(main, ["doctor", "--help"]).output.split())
    keep(store, "beta-70b", 30.0, replied(1), END)
    lines = CliRunner().invoke(main, ["doctor"]).output.splitlines()
    words = "the form for a new run offers beta-70b, from your last run; `run` needs --model"
    assert words in [line.strip() for line in lines]
    assert lines[-1] == "ready; `sandbox-tui run` needs --model, or see the arrow"


def _model_lines(
    monkeypatch: pytest.MonkeyPatch, name: str, url: str, *, exit_code: int
) -> list[str]:
    """Return what is said of a model, from its line to the next finding."""
    monkeypatch.setattr(doctor, "engine_status", lambda image: HAS_IMAGE)
    monkeypatch.setenv("SANDBOX_TUI_MODEL_NAME", name)
    monkeypatch.setenv("SANDBOX_TUI_MODEL_BASE_URL", url)
    done = CliRunner().invoke(main, ["doctor"])
    assert done.exit_code == exit_code, done.output
    assert done.output.splitlines()[-1].startswith("not ready" if exit_code else "ready")
    _, _, after = done.output.partition(" model ")
    return [line.strip() for line in after.partition("servers")[0].splitlines()[:-1]]


def test_a_server_that_does_not_answer_is_not_ready(
    own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = _model_lines(monkeypatch, "m", "http://u:secret@127.0.0.1:1/v1", exit_code=3)
    assert lines[0].startswith("m at http://127.0.0.1:1/v1, ")
    assert lines[1].startswith("the server does not answer: it cannot be reached")
    assert lines[2] == "→ start it, or change $SANDBOX_TUI_MODEL_BASE_URL"


def test_a_model_that_its_server_does_not_list_is_not_ready(
    own_home: Path,
    scripted_server: Callable[..., ScriptedServer],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    server = scripted_server(failure(404))
    server.models = ["one", "two", "three:latest"]
    _, words, fix = _model_lines(monkeypatch, "nosuch", server.url, exit_code=3)
    assert words == "the server has no model nosuch; it has one, two, three:latest"
    assert fix == "→ sandbox-tui config set model.name one"
    for name in ("two", "three"):
        assert len(_model_lines(monkeypatch, name, server.url, exit_code=0)) == 1


@pytest.mark.parametrize(("models", "owner"), [(None, ""), ([], ""), (["other"], "llamacpp")])
def test_a_server_that_lists_no_models_or_ignores_their_names_is_ready(
    own_home: Path,
    models: list[str] | None,
    owner: str,
    scripted_server: Callable[..., ScriptedServer],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    server = scripted_server(failure(404))
    server.models, server.model_fields = models, {"owned_by": owner}
    assert len(_model_lines(monkeypatch, "m", server.url, exit_code=0)) == 1


def test_a_hosted_server_gets_no_request_without_a_key(
    own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor_of_models, "ask_for_models", None)
    assert _model_lines(monkeypatch, "m", "https://models.example.com/v1", exit_code=0)


def test_no_ports_to_search_are_not_listed_as_searched(own_home: Path) -> None:
    output = CliRunner().invoke(main, ["doctor"]).output
    assert "not looked for: model.local_ports is empty" in output


@pytest.mark.parametrize(
    ("models", "verdict"),
    [
        (["one"], "ready; `sandbox-tui run` uses one"),
        (["one", "two"], "ready; `sandbox-tui run` needs --model, or see the arrow"),
    ],
)
def test_the_server_of_the_environment_is_asked_while_no_model_is_chosen(
    own_home: Path,
    models: list[str],
    verdict: str,
    scripted_server: Callable[..., ScriptedServer],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    server = scripted_server(failure(404))
    server.models = models
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    monkeypatch.setattr(doctor, "engine_status", lambda image: HAS_IMAGE)
    lines = CliRunner().invoke(main, ["doctor"]).output.splitlines()
    at = lines.index(f"· model      none chosen; {server.url} offers {', '.join(models)}")
    assert lines[at + 1].strip() == "→ sandbox-tui config set model.name one"
    assert lines[-1] == verdict


def test_a_server_of_the_environment_that_does_not_answer_is_named(
    own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
    output = CliRunner().invoke(main, ["doctor"]).output
    assert "none chosen; http://127.0.0.1:1/v1: the server does not answer: it cannot be" in output
    assert "→ start it, or change $OPENAI_BASE_URL" in output


def test_each_finding_is_a_json_object(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "engine_status", lambda image: NO_ENGINE)
    monkeypatch.setattr(doctor, "bubblewrap_problem", lambda: "It is not installed.")
    done = CliRunner().invoke(main, ["doctor", "--json"])
    assert done.exit_code == 3
    rows = {row["name"]: row for row in map(json.loads, done.output.splitlines())}
    assert rows["python"]["ok"] is True
    assert rows["docker"] == {
        "name": "docker",
        "ok": None,
        "text": NO_ENGINE.problem,
        "advice": "",
    }
    assert rows["bubblewrap"]["ok"] is False
    assert rows["bubblewrap"]["advice"].startswith("apt-get install bubblewrap")
