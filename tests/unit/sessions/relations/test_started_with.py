"""What sessions were started with, and how that differs between two of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from sandbox_tui.core.config.quantities import duration_text
from sandbox_tui.core.events import types as e
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.relations.compare import compare
from sandbox_tui.sessions.relations.session_detail import read_detail
from sandbox_tui.tui.format.compared.facts import facts
from sandbox_tui.tui.widgets.sessions.whole_details import NAME_COLUMNS, whole_details
from tests.unit.event_streams import started


def store_run(store: Store, run_id: str, temperature: float, **settings: Any) -> None:
    first = msgspec.structs.replace(
        started(run_id),
        model_params={"temperature": temperature},
        settings=e.RunSettings(**settings),
    )
    store.append(run_id, [first])
    store.give_up(run_id)


def test_a_comparison_names_the_settings_that_differ(tmp_path: Path) -> None:
    store = Store(tmp_path / "s.db")
    store_run(store, "one", 0.5, labels={"a": "b"}, sandbox={"network": "none"})
    store_run(store, "two", 0.5, seed=7, sandbox={"network": "none", "snapshots": "off"})
    found = compare(store, store.run("one"), store.run("two"))
    assert [(pair.name, pair.left, pair.right) for pair in found.settings] == [
        ("seed", "none", "7")
    ]
    assert [(one.name, one.left, one.right) for one in facts(found)][-2] == ("seed", "none", "7")
    store_run(store, "three", 1.0, mode="step", seed=7, sandbox={"snapshots": "every"})
    names = [pair.name for pair in compare(store, store.run("two"), store.run("three")).settings]
    assert names == ["temperature", "mode", "snapshots"]
    store.close()


def test_details_list_the_settings_that_the_pane_leaves_out(tmp_path: Path) -> None:
    store = Store(tmp_path / "s.db")
    store_run(store, "one", 0.5, seed=7, labels={"suite": "nightly"})
    text = whole_details(read_detail(store, store.run("one")), ["task       a task"])
    assert f"  {'seed':<{NAME_COLUMNS}}7\n" in text
    assert f"  {'labels':<{NAME_COLUMNS}}suite=nightly" in text
    assert f"  {'outcome':<{NAME_COLUMNS}}interrupted\n" in text
    store.close()


def test_settings_are_in_the_words_and_units_of_the_settings_screen(tmp_path: Path) -> None:
    store = Store(tmp_path / "s.db")
    policy = {"default": "ask", "rules": []}
    store_run(store, "one", 0.5, policy=policy, sandbox={"memory": 2 * 1024**3})
    rule = {"action": "deny", "tool": "execute_bash"}
    store_run(store, "two", 0.5, policy={"default": "allow", "rules": [rule]})
    found = read_detail(store, store.run("one")).settings
    assert found["policy"] == "asks · no rules"
    assert found["command timeout"] == duration_text(e.Limits().command_timeout)
    assert found["repeated calls"] == str(e.Limits().repeated_calls)
    assert found["memory"] == "2g"
    policy_words = read_detail(store, store.run("two")).settings["policy"]
    assert policy_words == 'allows · [{"action": "deny", "tool": "execute_bash"}]'
    store.close()
