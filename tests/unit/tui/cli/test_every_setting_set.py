"""Every setting can be written with `config set`, and removed with `config unset`."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from sandbox_tui.core.config.setting_sources import setting_sources
from sandbox_tui.core.config.settings import load, sections
from sandbox_tui.tui.cli.main import main

RULES = (
    '[{action="deny",tool="execute_bash",command="seq *",reason="no"},'
    '{action="allow",tool="execute_bash",command="echo *"}]'
)

VALUES = {
    "model.name": "qwen",
    "model.base_url": "http://127.0.0.1:1/v1",
    "model.api_key_env": "MY_KEY",
    "model.temperature": "0.7",
    "model.extra_body": '{"top_k": 20, "nested": {"names": ["a"]}}',
    "model.tool_calls": "text",
    "model.context_length": "4096",
    "model.request_timeout": "90s",
    "model.stall_timeout": "1h30m",
    "model.local_ports": "8000,8001",
    "sandbox.kind": "bubblewrap",
    "sandbox.image": "some:latest",
    "sandbox.network": "none",
    "sandbox.memory": "3g",
    "sandbox.cpus": "1.5",
    "sandbox.pids": "77",
    "sandbox.grace": "45",
    "sandbox.snapshots": "every",
    "sandbox.snapshots_kept": "3",
    "sandbox.snapshots_bytes": "1g",
    "agent.mode": "step",
    "agent.prompts": "general",
    "agent.observation_lines": "12",
    "agent.observation_chars": "1234",
    "agent.output": "results",
    "agent.tty": "yes",
    "policy.default": "deny",
    "policy.rules": RULES,
    "ui.theme": "daylight",
    "ui.animations": "off",
    "ui.terminal_engine": "native",
    "ui.images": "blocks",
    "ui.notify": "off",
    "ui.title": "no",
}

SETTINGS = [
    f"{section}.{field}" for section, kind in sections().items() for field in kind.__struct_fields__
]


def config(*words: str, typed: str | None = None) -> Result:
    return CliRunner().invoke(main, ["config", *words], input=typed)


def printed(name: str) -> str:
    return config("get", name).stdout.rstrip("\n")


@pytest.fixture(autouse=True)
def without_variables(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SANDBOX_TUI_MODEL_LOCAL_PORTS", raising=False)
    own_home.mkdir(parents=True, exist_ok=True)


@pytest.mark.parametrize("name", SETTINGS)
def test_what_get_prints_can_be_set(name: str) -> None:
    before = {one.name: one.value for one in setting_sources()}[name]
    done = config("set", "--", name, printed(name))
    assert done.exit_code == 0, done.output + repr(done.exception)
    assert {one.name: one.value for one in setting_sources()}[name] == before


@pytest.mark.parametrize("name", SETTINGS)
def test_a_valid_value_is_set_printed_set_again_and_removed(own_home: Path, name: str) -> None:
    default = {one.name: one.value for one in setting_sources()}[name]
    value = VALUES.get(name, "7")  # every limit is a number
    done = config("set", name, value)
    assert done.exit_code == 0, done.output + repr(done.exception)
    first = {one.name: one.value for one in setting_sources()}[name]
    shown = printed(name)
    done = config("set", name, shown)
    assert done.exit_code == 0, done.output + repr(done.exception)
    again = {one.name: one.value for one in setting_sources()}[name]
    assert again == first
    assert printed(name) == shown
    assert config("unset", name, "--yes").exit_code == 0
    assert {one.name: one.value for one in setting_sources()}[name] == default
    assert tomllib.loads((own_home / "config.toml").read_text()) == {}


@pytest.mark.parametrize(
    "before",
    [
        "",
        '[policy]\ndefault = "deny"\n\n[ui]\ntitle = false\n',
        '[policy]\nrules = [{action = "ask"}]\ndefault = "deny"\n\n[ui]\ntitle = false\n',
        '[policy]\ndefault = "deny"\n\n[[policy.rules]]\naction = "ask"\n\n[ui]\ntitle = false\n',
        'policy = {default = "deny"}\n\n[ui]\ntitle = false\n',
    ],
)
def test_rules_take_nothing_else_with_them(own_home: Path, before: str) -> None:
    file = own_home / "config.toml"
    file.write_text(before)
    assert config("set", "policy.rules", RULES, "--yes").exit_code == 0
    assert [rule.action for rule in load().policy.rules] == ["deny", "allow"]
    assert load().policy.default == ("deny" if before else "ask")
    assert load().ui.title is not bool(before)


def test_rules_are_printed_as_set_takes_them() -> None:
    config("set", "policy.rules", RULES)
    assert json.loads(printed("policy.rules"))[1] == {
        "action": "allow",
        "tool": "execute_bash",
        "command": "echo *",
    }


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        ('[{action="zap"}]', "rule 1: action must be one of allow, ask or deny, not 'zap'."),
        ('[{action="deny"},{acton="ask"}]', "rule 2: acton is not a known key. Did you mean"),
        ('[{action="deny",tool="bash"}]', "rule 1: there is no tool named 'bash'"),
        ("7", "policy.rules must be a list of rules, such as [{action"),
    ],
)
def test_a_wrong_rule_is_named(own_home: Path, rules: str, words: str) -> None:
    done = config("set", "policy.rules", rules)
    assert done.exit_code == 2
    assert words in " ".join((done.output + str(done.exception)).split())
    assert not (own_home / "config.toml").exists()


@pytest.mark.parametrize("command", [["set", "policy.rules", "[]"], ["unset", "policy.rules"]])
def test_rules_are_removed_only_after_a_question(own_home: Path, command: list[str]) -> None:
    file = own_home / "config.toml"
    config("set", "policy.rules", RULES)
    before = file.read_text()
    done = config(*command, typed="n\n")
    assert "Remove 2 rules from" in done.output
    assert "Nothing was changed" in done.output
    assert done.exit_code == 130
    assert file.read_text() == before
    done = config(*command, "--yes")
    assert done.exit_code == 0
    assert "; 2 rules removed" in done.output
    assert load().policy.rules == ()


def test_rules_that_stay_are_no_question() -> None:
    config("set", "policy.rules", RULES)
    done = config("set", "policy.rules", f'[{{action="ask",tool="submit"}},{RULES[1:]}')
    assert done.exit_code == 0, done.output
    assert len(load().policy.rules) == 3
