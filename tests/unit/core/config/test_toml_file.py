"""Writing a setting leaves the rest of the config file unchanged."""

from __future__ import annotations

import json
import re
import textwrap
import tomllib
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.config import settings as config
from sandbox_tui.core.config.plain_values import plain_value
from sandbox_tui.core.config.setting_sources import setting_sources
from sandbox_tui.core.config.toml_file import value_from_text, write
from sandbox_tui.core.config.toml_lines import line_of
from sandbox_tui.tui.cli.main import main
from sandbox_tui.tui.keys.keymap import keymap_in_file
from tests.conftest import LOCAL_PORTS

TEXT = """# my settings
[model]
name = "old"   # the small one

[ui]
# by day
theme = 'daylight'

[keys]
live.approve = "y"
"live.reject" = "n"
"""


@pytest.fixture
def file(own_home: Path) -> Path:
    own_home.mkdir()
    (own_home / "config.toml").write_text(TEXT)
    return own_home / "config.toml"


def test_a_change_leaves_everything_else_as_it_was(file: Path) -> None:
    file.chmod(0o600)
    write({"model.name": "new", "keys.live.approve": ["f7"], "limits.max_steps": 5})
    expected = TEXT.replace('"old"', '"new"').replace('= "y"', '= ["f7"]')
    assert file.read_text() == f"{expected}\n[limits]\nmax_steps = 5\n"
    assert file.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in file.parent.iterdir()] == ["config.toml"]
    write({"limits.max_steps": None, "ui.theme": None, "agent.prompts": None})
    assert config.load().limits.max_steps == 100
    assert "# by day" in file.read_text()


def test_a_link_to_a_file_elsewhere_stays_a_link(own_home: Path, tmp_path: Path) -> None:
    own_home.mkdir()
    (tmp_path / "dotfiles.toml").write_text("# here\n")
    (own_home / "config.toml").symlink_to(tmp_path / "dotfiles.toml")
    write({"ui.theme": "ansi"})
    assert (own_home / "config.toml").is_symlink()
    assert tomllib.loads((tmp_path / "dotfiles.toml").read_text()) == {"ui": {"theme": "ansi"}}


@pytest.mark.parametrize(
    ("before", "change", "words"),
    [
        ("[model\n", {"ui.theme": "x"}, "not valid TOML"),
        ("model = 3\n", {"model.name": "x"}, "not a table"),
        ("[ui]\nthem = 'x'\n", {"ui.notify": "loud"}, "notify"),
        ("", {"ui.notify": "loud"}, "notify"),
        ("", {"ui.them": "x"}, "ui.theme"),
        ("", {"colour": "x"}, "begin with"),
        ("", {"model.api_key_env": "sk-proj-1234"}, "never saved"),
    ],
)
def test_nothing_is_written_when_something_is_wrong(
    file: Path, before: str, change: dict[str, str], words: str
) -> None:
    file.write_text(before)
    with pytest.raises(ConfigError, match=words):
        write(change)
    assert file.read_text() == before


def test_a_folder_that_cannot_be_written_is_named(own_home: Path) -> None:
    own_home.write_text("a file where the folder should be")
    with pytest.raises(ConfigError, match="cannot be"):
        write({"ui.theme": "ansi"})


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("limits.max_steps", "12", 12),
        ("limits.time_limit", "none", None),
        ("limits.time_limit", "2.5", 2.5),
        ("ui.animations", "false", False),
        ("model.name", "12", "12"),
        ("model.extra_body", "{top_k = 3}", {"top_k": 3}),
        ("model.extra_body", '{"top_k": 3, "deep": {"a": [1]}}', {"top_k": 3, "deep": {"a": [1]}}),
        ("keys.live.pause", "f9, p", ["f9", "p"]),
    ],
)
def test_typed_text_becomes_a_value(name: str, text: str, value: object) -> None:
    assert value_from_text(name, text) == value


@given(st.text(alphabet=st.characters(blacklist_categories=["Cs"]), max_size=40))
def test_any_text_is_written_so_that_it_is_read_back(text: str) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "config.toml"
        file.write_text(TEXT)
        write({"model.name": text}, file)
        assert config.load(file=file).model.name == text


def test_lines_are_found_however_a_key_is_written() -> None:
    assert line_of(TEXT, "model", "name") == 3
    assert line_of(TEXT, "keys", "live.approve") == 10
    assert line_of(TEXT, "keys", "live.reject") == 11
    assert line_of("[model.extra_body]\na = 1\n", "model", "extra_body") == 1
    assert line_of("model.name = 'x'\n", "model", "name") == 1
    assert line_of(TEXT, "model", "base_url") == 0


def test_every_setting_says_where_it_came_from(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SANDBOX_TUI_LIMITS_MAX_STEPS", "9")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
    found = {origin.name: (origin.value, origin.source) for origin in setting_sources()}
    assert found["model.name"] == ("old", f"{file}:3")
    assert found["ui.theme"] == ("daylight", f"{file}:7")
    assert found["limits.max_steps"] == (9, "SANDBOX_TUI_LIMITS_MAX_STEPS")
    assert found["model.base_url"] == ("http://127.0.0.1:1/v1", "OPENAI_BASE_URL")
    assert found["sandbox.kind"] == ("auto", "default")
    assert found["keys.live.approve"] == ("y", f"{file}:10")


def test_the_commands_print_set_and_unset(file: Path) -> None:
    run = CliRunner().invoke
    assert run(main, ["config", "path"]).stdout.strip() == str(file)
    assert run(main, ["config", "set", "ui.theme", "contrast"]).exit_code == 0
    assert f"{file}:7" in run(main, ["config"]).stdout
    rows = [json.loads(line) for line in run(main, ["config", "--json"]).stdout.splitlines()]
    row = {"name": "ui.theme", "value": "contrast", "source": f"{file}:7", "usable": True}
    assert row in rows
    assert run(main, ["config", "unset", "ui.theme"]).exit_code == 0
    assert "theme" not in file.read_text()
    wrong = run(main, ["config", "set", "limits.max_steps", "many"])
    assert wrong.exit_code == 2
    assert "limits.max_steps must be a whole number, not 'many'." in wrong.stderr


README = Path(__file__).parents[4] / "README.md"


def _readme_sample(heading: str) -> str:
    """Return the first TOML sample below a heading of the README."""
    _, _, section = README.read_text(encoding="utf-8").partition(f"\n## {heading}\n")
    sample = re.search(r"(?:^ {4}.*\n|^\n)+(?=\S)", section[section.index("    [") :], re.MULTILINE)
    assert sample
    return textwrap.dedent(sample[0])


@pytest.mark.parametrize("heading", ["Policy", "Settings"])
def test_the_samples_of_the_readme_are_accepted_whole(file: Path, heading: str) -> None:
    sample = _readme_sample(heading)
    file.write_text(sample)
    assert not keymap_in_file(config.load().keys).problems
    listed, as_json = (CliRunner().invoke(main, words) for words in CONFIG_COMMANDS)
    assert (listed.exit_code, as_json.exit_code) == (0, 0), listed.stderr
    rows = {row["name"]: row["value"] for row in map(json.loads, as_json.stdout.splitlines())}
    for table, values in tomllib.loads(sample).items():
        for key, value in values.items():
            assert f"{table}.{key}" in listed.stdout
            expected = plain_value(f"{table}.{key}", value)
            assert key == "rules" or rows[f"{table}.{key}"] == expected
    if heading == "Policy":
        assert '"command": "rm -rf *"' in listed.stdout
        assert [rule["action"] for rule in rows["policy.rules"]] == ["deny", "allow", "allow"]


CONFIG_COMMANDS = (["config"], ["config", "--json"])

EVERY_TYPE = """
[model]
temperature = 0.5
context_length = 4096
local_ports = [1, 2]
extra_body = { since = 2026-01-02, at = 2026-01-02T03:04:05Z, noon = 12:00:00, deep = [{ a = 1 }] }
[sandbox]
cpus = 1.5
[limits]
cost_limit = 2.5
[agent]
tty = true
[[policy.rules]]
action = "ask"
tool = "execute_bash"
regex = "git (push|pull)"
[keys]
"live.approve" = 2026-01-02
"""


@pytest.mark.parametrize("words", CONFIG_COMMANDS)
def test_values_of_every_type_are_listed(
    file: Path, words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(LOCAL_PORTS)
    file.write_text(EVERY_TYPE)
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0
    assert "2026-01-02" in done.stdout
    assert "git (push|pull)" in done.stdout
    if "--json" in words:
        rows = {row["name"]: row["value"] for row in map(_strict_json, done.stdout.splitlines())}
        assert rows["model.local_ports"] == [1, 2]
        assert rows["agent.tty"] is True
        assert rows["limits.cost_limit"] == 2.5
        assert rows["policy.rules"][0]["tool"] == "execute_bash"


def _strict_json(line: str) -> Any:
    def refuse(name: str) -> None:
        raise AssertionError(f"{name} is not JSON")

    return json.loads(line, parse_constant=refuse)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("ui.thme", "x", "There is no setting 'ui.thme'. Did you mean 'ui.theme'?"),
        ("modle.name", "x", "Did you mean 'model.name'?"),
        ("model.nme", "x", "Did you mean 'model.name'?"),
        ("sandbox.kint", "x", "Did you mean 'sandbox.kind'?"),
        ("model", "x", "Settings of the section 'model': model.name, model.base_url,"),
        ("modl", "x", "Settings of the section 'model': model.name, model.base_url,"),
        ("mode", "x", "Did you mean 'agent.mode'?"),
        ("model.extra_body", "3", 'a table, such as {top_k = 20} or {"top_k": 20}, not'),
        ("model.extra_body", '{"top_k": null}', "must be a table"),
        ("max_steps", "5", "Did you mean 'limits.max_steps'?"),
        ("ui.colours", "x", "Known settings: ui.theme, ui.animations"),
        ("zzz", "x", "Settings begin with one of: model,"),
        ("ui.theme", "daylite", "Did you mean 'daylight'?"),
        ("agent.prompts", "nope", "Known packs: choice, general"),
        ("agent.mode", "nope", "agent.mode must be one of auto, step or ask, not 'nope'."),
        ("sandbox.kind", "vm", "must be one of auto, docker or bubblewrap, not 'vm'."),
        ("ui.notify", "loud", "must be one of bell, desktop or off, not 'loud'."),
        ("ui.animations", "maybe", "must be true or false, not 'maybe'."),
        ("limits.max_steps", "0", "must be more than 0"),
        ("limits.time_limit", "-3", "must be more than 0"),
        ("limits.cost_limit", "cheap", "must be a number, or none, not 'cheap'."),
        ("model.local_ports", "x", "must be a list; each item must be a whole number, not 'x'."),
        ("keys.live.pasue", "f9", "did you mean live.pause?"),
        ("keys.live.pause", "ctrl+q", "always quits"),
    ],
)
def test_a_value_that_cannot_hold_is_refused_with_what_could(
    file: Path, name: str, value: str, words: str
) -> None:
    before = file.read_text()
    done = CliRunner().invoke(main, ["config", "set", "--", name, value])
    assert done.exit_code == 2
    assert words in done.stderr
    assert file.read_text() == before


def test_custom_themes_and_textuals_can_be_set(file: Path) -> None:
    own = file.parent / "themes"
    own.mkdir()
    source = resources.files("sandbox_tui.themes").joinpath("daylight.toml").read_text()
    (own / "mine.toml").write_text(source.replace('name = "daylight"', 'name = "mine"'))
    for name in ("mine", "nord", "contrast"):
        assert CliRunner().invoke(main, ["config", "set", "ui.theme", name]).exit_code == 0
        assert config.load().ui.theme == name


def test_unsetting_says_what_was_done(file: Path) -> None:
    run = CliRunner().invoke
    done = run(main, ["config", "unset", "ui.theme"])
    assert f"ui.theme is removed from {file}; the default applies again" in done.stdout
    again = run(main, ["config", "unset", "ui.theme"])
    assert again.exit_code == 0
    assert "ui.theme already has its default" in again.stdout
    assert run(main, ["config", "unset", "ui.nothing"]).exit_code == 2


def test_a_long_value_does_not_run_into_where_it_came_from(file: Path) -> None:
    url = "http://127.0.0.1:8000/" + "v" * 60
    write({"model.base_url": url, "model.name": "a model with a name of some length"})
    rows = CliRunner().invoke(main, ["config"]).stdout.splitlines()
    (base,) = [row for row in rows if row.startswith("model.base_url")]
    assert re.search(rf"{url}  \S", base)
    places = {row.index(str(file)) for row in rows if str(file) in row and url not in row}
    places |= {row.rindex("default") for row in rows if row.endswith("default")}
    assert len(places) == 1, "the others stand below each other"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[limits]\nmax_steps = "many"', "limits.max_steps must be a whole number, not 'many'."),
        ("[limits]\nmax_step = 5", "limits.max_step is not a known key. Did you mean 'max_steps'?"),
        ("[modle]\nx = 5", ": modle is not a known key. Did you mean 'model'?"),
        ("[model]\nnmae = 'x'", ": model.nmae is not a known key. Did you mean 'name'?"),
        (
            "[[policy.rules]]\nactoin = 'allow'",
            ": policy rule 1: actoin is not a known key. Did you mean 'action'?",
        ),
        ('[sandbox]\nkind = "vm"', "sandbox.kind must be one of auto, docker or bubblewrap"),
        (
            "[model]\nlocal_ports = ['x']",
            "model.local_ports must be a list; each item must be a whole",
        ),
    ],
)
def test_a_value_in_the_file_is_explained_in_plain_words(
    file: Path, text: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(LOCAL_PORTS)
    file.write_text(text)
    with pytest.raises(ConfigError) as caught:
        config.load()
    assert words in str(caught.value)
    assert str(file) in str(caught.value)


@pytest.mark.parametrize(
    ("content", "place"),
    [
        (b"[ui]\ntheme = \x00\n", "line 2, column 9"),
        (b"[model\n", "line 1, column 7"),
        (b"[ui]\ntheme = [\n", "line 2, column 10"),
        (b"[ui]\ntheme = '\xff'\n", "line 2, column 10"),
    ],
)
def test_a_mistake_in_the_file_is_worded_once_with_its_place(
    tmp_path: Path, content: bytes, place: str
) -> None:
    file = tmp_path / "config.toml"
    file.write_bytes(content)
    with pytest.raises(ConfigError) as at_load:
        config.load(file=file)
    with pytest.raises(ConfigError) as at_write:
        write({"ui.theme": "daylight"}, file)
    assert place in str(at_load.value)
    assert str(at_write.value) == f"{at_load.value} Nothing was changed."


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ('[ui]\ntheme = "x"\n', ""),
        ('[ui]\n# mine\ntheme = "x"\n', "[ui]\n# mine\n"),
        ('ui.theme = "x"\n', ""),
        ('ui = {theme = "x"}\n', ""),
        ('[ui]\ntheme = "x"\nnotify = "off"\n', '[ui]\nnotify = "off"\n'),
    ],
)
def test_a_table_that_unsetting_leaves_empty_is_removed(file: Path, text: str, left: str) -> None:
    file.write_text(text)
    write({"ui.theme": None})
    assert file.read_text() == left


def test_one_value_is_printed(file: Path) -> None:
    run = CliRunner().invoke
    assert run(main, ["config", "get", "limits.repeated_calls"]).stdout.strip().isdecimal()
    assert run(main, ["config", "set", "ui.theme", "contrast"]).exit_code == 0
    assert run(main, ["config", "get", "ui.theme"]).stdout == "contrast\n"
    wrong = run(main, ["config", "get", "ui.thme"])
    assert (wrong.exit_code, "Did you mean 'ui.theme'?" in wrong.stderr) == (2, True)
    assert "keys.home.new is not set" in run(main, ["config", "get", "keys.home.new"]).stderr


def test_a_table_that_is_there_twice_is_named(file: Path) -> None:
    file.write_text("[limits]\n\n[model.extra_body]\n[limits]\n")
    assert "[limits] is there twice (line 4)." in CliRunner().invoke(main, ["config"]).stderr
    file.write_text("[model.extra_body]\n[model.extra_body]\n")
    words = CliRunner().invoke(main, ["config"]).stderr
    assert "[model.extra_body] is there twice (line 2)." in words


TWO_MISTAKES = """[ui]
notify = "loud"
[model]
nmae = "x"
name = "m"
[modle]
name = "y"
"""


def test_mistakes_in_the_file_are_fixed_one_at_a_time(file: Path) -> None:
    file.write_text(TWO_MISTAKES)
    run = CliRunner().invoke
    for words, left in (
        (["set", "limits.max_steps", "5"], 3),
        (["set", "keys.live.approve", "f7"], 3),
        (["set", "ui.notify", "off"], 2),
        (["unset", "model.nmae"], 1),
        (["unset", "modle"], 0),
    ):
        done = run(main, ["config", *words])
        assert done.exit_code == 0, done.output
        assert (f"And {left - 1} more: `sandbox-tui config` lists them." in done.stderr) == (
            left > 1
        )
        assert bool(done.stderr) == bool(left)
    assert config.load().limits.max_steps == 5
    assert tomllib.loads(file.read_text())["model"] == {"name": "m"}


@pytest.mark.parametrize("name", ["modle.name", "modle", "colour"])
def test_a_key_of_no_section_is_removed(file: Path, name: str) -> None:
    file.write_text("colour = 1\n[modle]\nname = 'y'\n")
    done = CliRunner().invoke(main, ["config", "unset", name])
    assert done.stdout == f"{name} is removed from {file}\n"
    assert name.partition(".")[0] not in tomllib.loads(file.read_text())
    assert CliRunner().invoke(main, ["config", "unset", name]).exit_code == 2


def test_a_whole_section_is_not_removed(file: Path) -> None:
    for name in ("model", "keys"):
        assert CliRunner().invoke(main, ["config", "unset", name]).exit_code == 2
    assert file.read_text() == TEXT


@pytest.mark.parametrize("words", CONFIG_COMMANDS)
def test_the_settings_are_listed_also_if_one_is_wrong(file: Path, words: list[str]) -> None:
    file.write_text(TWO_MISTAKES + "[limits]\nmax_steps = 'x'\n[sandbox]\nimage = 'mine'\n")
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 2
    assert "line 9: limits.max_steps must be" in done.stderr
    rows = {line.split()[0]: line for line in done.stdout.splitlines()}
    if "--json" in words:
        rows = {row["name"]: f"{row}" for row in map(json.loads, done.stdout.splitlines())}
    assert "mine" in rows["sandbox.image"]
    assert f"{file}:9" in rows["limits.max_steps"]
    assert "x" in rows["limits.max_steps"].partition(str(file))[0].replace("max", "")
    assert CliRunner().invoke(main, ["config", "get", "sandbox.image"]).stdout == "mine\n"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[ui]\ntitle = true\n\n[ui", "[ui lacks its closing ] (at line 4, column 4)"),
        ("[ui]\ntitle = true\n[ui # x\n", "[ui lacks its closing ] (at line 3, column 4)"),
        ("[ui\n", "[ui lacks its closing ] (at line 1, column 4)"),
        ("[[policy.rules]\n", "[[policy.rules] lacks its closing ] (at line 1, column 16)"),
    ],
)
def test_a_header_without_its_bracket_is_named(file: Path, text: str, words: str) -> None:
    file.write_text(text)
    assert f"is not valid TOML: {words}." in CliRunner().invoke(main, ["config"]).stderr


def test_a_refused_key_is_listed_as_one_that_cannot_be_used(file: Path) -> None:
    file.write_text('[keys]\n"home.quit" = "e"\n"live.approve" = "f7"\n"live.nothing" = "f8"\n')
    rows = {
        line.split()[0]: line for line in CliRunner().invoke(main, ["config"]).stdout.splitlines()
    }
    for name in ("keys.home.quit", "keys.live.nothing"):
        assert rows[name].endswith("cannot be used")
    assert not rows["keys.live.approve"].endswith("cannot be used")
    assert (
        "This value of keys.home.quit cannot"
        in CliRunner().invoke(main, ["config", "get", "keys.home.quit"]).stderr
    )
