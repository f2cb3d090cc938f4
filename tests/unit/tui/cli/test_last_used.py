"""Where no model is set, the message says which one the last run used."""

from __future__ import annotations

import msgspec
import pytest
from click.testing import CliRunner

from sandbox_tui.sessions import Store
from sandbox_tui.tui.cli.main import main
from tests.unit.event_streams import started

RUN = "20261120-101112-abcde"


def said(*words: str) -> str:
    done = CliRunner().invoke(main, list(words))
    assert done.exit_code == 2
    return done.stderr


def used(store: Store, model: str, base_url: str) -> None:
    first = msgspec.structs.replace(started(RUN), model=model, model_params={"base_url": base_url})
    store.append(RUN, [first])


@pytest.fixture(autouse=True)
def no_local_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SANDBOX_TUI_MODEL_LOCAL_PORTS", "[]")


NONE = "sandbox-tui: No model is set. Use --model NAME, and --base-url URL for your own server."


def test_without_a_run_nothing_is_added() -> None:
    assert said("run", "x", "--headless") == f"{NONE}\n"


@pytest.mark.parametrize(
    ("server", "options"),
    [
        ("http://127.0.0.1:9103/v1", "--model qwen3-coder --base-url http://127.0.0.1:9103/v1"),
        ("http://me:secret@gpu/v1?key=1", "--model qwen3-coder --base-url http://gpu/v1"),
        ("", "--model qwen3-coder"),
    ],
)
def test_the_model_of_the_last_run_is_ready_to_be_copied(
    store: Store, server: str, options: str
) -> None:
    used(store, "qwen3-coder", server)
    assert said("run", "x", "--headless") == f"{NONE} The last run used `{options}`.\n"
    assert f"The last run used `{options}`." in said("eval", "run", "pocket", "--headless")


def test_a_name_that_a_shell_would_split_is_quoted(store: Store) -> None:
    used(store, "my model", "")
    assert "`--model 'my model'`" in said("run", "x", "--headless")
