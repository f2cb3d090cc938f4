"""Durations and sizes as people write them, wherever a setting takes one."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.config import settings as config
from sandbox_tui.core.config.plain_values import plain_value
from sandbox_tui.core.config.quantities import bytes_of, duration_text, seconds_of, size_text
from sandbox_tui.core.config.toml_file import value_from_text
from sandbox_tui.core.evals.suite_file import load_suite
from sandbox_tui.tui.cli.main import main

HOUR = 3600.0


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        *(("90", 90.0), ("90s", 90.0), ("1.5h", 1.5 * HOUR), ("30m", 1800.0), ("2d", 48 * HOUR)),
        *(("1h30m", 1.5 * HOUR), ("1 h 30 min", 1.5 * HOUR), ("2 hours", 2 * HOUR)),
        *(("30 minutes", 1800.0), ("5 sec", 5.0), (" 1H ", HOUR), ("1 day 2 hrs", 26 * HOUR)),
    ],
)
def test_a_duration_is_read(text: str, seconds: float) -> None:
    assert seconds_of(text) == seconds


@pytest.mark.parametrize(
    ("text", "size"),
    [
        *(("512m", 512 << 20), ("2g", 2 << 30), ("2GiB", 2 << 30), ("2 GB", 2 << 30)),
        *(("1.5g", 3 << 29), ("64k", 64 << 10), ("1T", 1 << 40)),
    ],
)
def test_a_size_is_read(text: str, size: int) -> None:
    assert bytes_of(text) == size


@pytest.mark.parametrize(
    "text", ["", "h", "1x", "1m1h", "1h 1h", "-5s", "1h30", "1 h m", "²s", "1e3"]
)
def test_anything_else_is_no_duration(text: str) -> None:
    with pytest.raises(
        ConfigError, match="is not a number of seconds, or such as 90s, 30m or 1h30m"
    ):
        seconds_of(text)


@pytest.mark.parametrize("text", ["", "g", "2x", "-1g", "2 g g", "1,5g", "2bytes", "²g"])
def test_anything_else_is_no_size(text: str) -> None:
    with pytest.raises(ConfigError, match="or such as 512m or 2g"):
        bytes_of(text)


@given(st.text(max_size=12))
def test_no_text_raises_anything_else(text: str) -> None:
    for name in ("limits.time_limit", "sandbox.memory", "model.name"):
        value = plain_value(name, text)
        assert value == text or isinstance(value, (int, float))


@given(hours=st.integers(0, 99), minutes=st.integers(0, 99), seconds=st.integers(0, 99))
def test_parts_add_up(hours: int, minutes: int, seconds: int) -> None:
    text = f"{hours}h{minutes}m {seconds}s"
    assert seconds_of(text) == hours * 3600 + minutes * 60 + seconds


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SANDBOX_TUI_HOME", str(tmp_path))
    return tmp_path / "config.toml"


def test_the_file_the_environment_and_flags_take_them(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file.write_text('[sandbox]\nmemory = "2g"\n[limits]\ntime_limit = "1h"\n')
    monkeypatch.setenv("SANDBOX_TUI_LIMITS_COMMAND_TIMEOUT", "5m")
    found = config.load({"model.stall_timeout": "90s"})
    assert (found.sandbox.memory, found.limits.time_limit) == (2 << 30, HOUR)
    assert (found.limits.command_timeout, found.model.stall_timeout) == (300.0, 90.0)


def test_they_are_typed_in_a_form_and_on_the_command_line(file: Path) -> None:
    assert value_from_text("limits.time_limit", "1h30m") == 1.5 * HOUR
    run = CliRunner().invoke
    assert run(main, ["config", "set", "sandbox.memory", "512m"]).exit_code == 0
    assert config.load().sandbox.memory == 512 << 20
    wrong = run(main, ["config", "set", "sandbox.memory", "lots"])
    assert (
        "sandbox.memory must be a number of bytes, or such as 512m or 2g, or none, not 'lots'."
    ) in wrong.stderr
    for value, words in (
        ("soon", "'soon' is not a number of seconds"),
        ("0", "'0' is not more than 0"),
    ):
        refused = run(main, ["run", "--time-limit", value, "task"])
        assert refused.exit_code == 2
        assert words in refused.stderr


def test_a_mistake_in_the_file_says_what_is_valid(file: Path) -> None:
    file.write_text('[limits]\ntime_limit = "soon"\n')
    with pytest.raises(ConfigError, match=r"line 2: limits.time_limit must be a number of seconds"):
        config.load()


def test_a_suite_takes_them(file: Path) -> None:
    (file.parent / "tasks.jsonl").write_text('{"problem": "1 + 1", "target": "2"}\n')
    suite = file.parent / "suite.yaml"
    suite.write_text("dataset: {path: tasks.jsonl}\nlimits: {time_limit: 10m}\n")
    assert load_suite(str(suite)).limits == {"time_limit": 600.0}


@given(st.integers(1, 10**7))
def test_a_duration_is_written_as_it_is_read(seconds: int) -> None:
    assert seconds_of(duration_text(float(seconds))) == seconds


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(5400.0, "1h30m"), (600.0, "10m"), (90.0, "1m30s"), (0.5, "0.5"), (86400.0, "1d"), (0, "0")],
)
def test_a_duration_is_short(seconds: float, text: str) -> None:
    assert duration_text(seconds) == text


@given(st.integers(1, 1 << 50))
def test_a_size_is_written_as_it_is_read(size: int) -> None:
    text = size_text(size)
    assert (int(text) if text.isdecimal() else bytes_of(text)) == size


@pytest.mark.parametrize(
    ("size", "text"), [(4 << 30, "4g"), (3 << 29, "1536m"), (1 << 40, "1t"), (1000, "1000")]
)
def test_a_size_is_short(size: int, text: str) -> None:
    assert size_text(size) == text
