from __future__ import annotations

from pathlib import Path

import pytest

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.config import settings as config
from sandbox_tui.core.prompts import load_pack
from sandbox_tui.core.prompts.pack import parse_pack
from sandbox_tui.themes import load_themes
from sandbox_tui.themes.loader import parse_theme


def test_flags_beat_environment_beats_file(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own_home.mkdir()
    (own_home / "config.toml").write_text(
        '[model]\nname = "f"\nbase_url = "u"\n[limits]\nmax_steps = 7'
    )
    monkeypatch.setenv("SANDBOX_TUI_MODEL_NAME", "e")
    monkeypatch.setenv("SANDBOX_TUI_LIMITS_TIME_LIMIT", "2.5")
    settings = config.load({"limits.max_steps": 9, "model.temperature": None})
    assert (settings.model.name, settings.model.base_url) == ("e", "u")
    assert (settings.limits.max_steps, settings.limits.time_limit) == (9, 2.5)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[model\n", "not valid TOML"),
        ('[model]\nnam = "x"', "Did you mean 'name'"),
        ("[limits]\nmax_steps = 'many'", "max_steps"),
        ('[sandbox]\nkind = "vm"', "kind"),
    ],
)
def test_a_setting_that_cannot_be_used_is_named(own_home: Path, text: str, words: str) -> None:
    own_home.mkdir()
    (own_home / "config.toml").write_text(text)
    with pytest.raises(ConfigError, match=words):
        config.load()


def test_the_built_in_packs_are_filled_in() -> None:
    for name in ("general", "math"):
        pack = load_pack(name)
        message = pack.instance("What is {x} and 100%?")
        assert "What is {x} and 100%?" in message
        assert "/testbed/output/answer.txt" in message
        assert "{working_dir}" not in pack.system("docs")


def test_a_pack_of_the_reference_loads_unchanged() -> None:
    pack = parse_pack(
        "theirs",
        'system_prompt: |\n  Use {working_dir}. {command_docs} {demo} JSON: {{"a": 1}}\n'
        "instance_prompt: '<problem>{problem_statement}</problem> {output_dir}'\n"
        "working_dir: /testbed\ninput_dir: /testbed/documents\noutput_dir: /testbed\n",
    )
    assert pack.system("DOCS") == 'Use /testbed. DOCS  JSON: {"a": 1}\n'
    assert pack.instance("{demo} stays") == "<problem>{demo} stays</problem> /testbed"


def test_a_single_brace_is_literal() -> None:
    pack = parse_pack("p", "system_prompt: 'a { b } {x}'\ninstance_prompt: x")
    assert pack.system("") == "a { b } {x}"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a: [", "not valid YAML"),
        ("- x", "table"),
        ("system_prompt: x", "instance_prompt"),
        ("system_prompt: x\ninstance_prompt: y\ninput_dir: rel", "absolute"),
    ],
)
def test_a_broken_pack_is_explained(text: str, words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        parse_pack("p", text)


def test_an_unknown_pack_lists_the_known() -> None:
    with pytest.raises(
        ConfigError, match="choice, general, math, physics, response, short, software;"
    ):
        load_pack("nope")
    with pytest.raises(ConfigError, match="cannot be read"):
        load_pack("/nope.yaml")


def test_themes_load_and_broken_ones_are_reported(tmp_path: Path) -> None:
    themes, broken = load_themes()
    assert {"lamplight", "daylight", "contrast", "ansi"} <= set(themes)
    assert broken == []
    (tmp_path / "bad.toml").write_text("name = 'x'\n[colors]\nprimary = 3")
    (tmp_path / "worse.toml").write_text("name = 'x'\n[colors\n")
    themes, broken = load_themes(tmp_path)
    assert [Path(theme.file).name for theme in broken] == ["bad.toml", "worse.toml"]
    assert "line 3" in broken[0].problem
    assert "line 2" in broken[1].problem
    assert "lamplight" in themes


def test_a_colour_that_is_none_is_named() -> None:
    import importlib.resources

    good = importlib.resources.files("sandbox_tui.themes").joinpath("daylight.toml").read_text()
    with pytest.raises(ValueError, match="primary = 'brown'"):
        parse_theme(good.replace('primary = "#9a5b00"', 'primary = "brown"'))


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ('secondary = "#', '# "#', "line 5: [colors] lacks 'secondary'"),
        ("[roles]", "[roles]\nmood = 3", "line 18: 'mood' does not belong in [roles]"),
        ("[colors]", "mood = 3\n[colors]", "line 5: 'mood' does not belong in a theme"),
        ("dark = true", "dark = 1", "line 3: dark must be true or false"),
        ('error = "#', 'error = 3 # "#', "line 15: error must be text in quotes"),
        ("name =", "# ", "it lacks 'name'"),
        (
            "[roles]",
            "[roles",
            "not valid TOML: Expected ']' at the end of a table declaration (at line 17, column 7)",
        ),
        (
            "[roles]",
            "roles = 3\n[more]",
            "line 17: 'roles' does not belong in [colors]; line 18: 'more' does not belong in a "
            "theme; it lacks [roles]",
        ),
        (
            '[roles]\nmodel = "#',
            'ligth = true\n[roles]\nmodel = "x#',
            "line 17: 'ligth' does not belong in [colors]; line 19: model = 'x#b29ae0' is not a "
            "colour such as #1a2b3c",
        ),
    ],
)
def test_what_is_wrong_with_a_theme_is_said_in_words(before: str, after: str, words: str) -> None:
    import importlib.resources

    good = importlib.resources.files("sandbox_tui.themes").joinpath("lamplight.toml").read_text()
    with pytest.raises(ValueError, match=".") as caught:
        parse_theme(good.replace(before, after, 1))
    assert str(caught.value) == words


@pytest.mark.parametrize(
    ("text", "place"),
    [("name =", "line 1, column 7"), ("name = 'x'\nmore = [\n\n", "line 2, column 9")],
)
def test_a_theme_that_ends_too_early_is_named_with_its_last_line(text: str, place: str) -> None:
    with pytest.raises(ValueError, match=f"at {place}"):
        parse_theme(text)


def _luminance(color: str) -> float:
    parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(a: str, b: str) -> float:
    high, low = sorted((_luminance(a), _luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize(
    ("name", "least"), [("lamplight", 4.5), ("daylight", 4.5), ("contrast", 7.0)]
)
def test_text_can_be_read(name: str, least: float) -> None:
    theme = load_themes()[0][name]
    colors, roles = theme.colors, theme.roles
    texts = [colors.foreground, colors.success, colors.error, colors.warning]
    for text in [*texts, roles.dim, roles.model, roles.human, roles.tool]:
        assert _contrast(text, colors.background) >= least, text
