"""Prompt packs: built-in, the reference's, and broken ones."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.prompts import PromptPack, load_one_reply_pack, load_pack
from sandbox_tui.core.prompts.pack import filled, parse_pack

MINIMAL = "system_prompt: s\ninstance_prompt: i\n"


@pytest.mark.parametrize(
    "name", ["general", "math", "physics", "choice", "response", "short", "software"]
)
def test_the_built_in_packs_say_where_and_what(name: str) -> None:
    pack = load_pack(name)
    system, instance = pack.system("DOCS"), pack.instance("THE TASK {x}")
    assert pack.name == name
    assert "THE TASK {x}" in instance
    assert f"{pack.output_dir}/answer.txt" in instance
    assert "submit" in instance
    for text in (system, instance):
        assert "{working_dir}" not in text
        assert "{{" not in text
    assert pack.working_dir == "/testbed"
    assert pack.input_dir == pack.output_dir.replace("output", "input")


@pytest.mark.parametrize("name", ["vanilla", "plain", "boxed", "letter", "brief"])
def test_the_packs_of_one_reply_speak_of_no_computer(name: str) -> None:
    pack = load_pack(name)
    assert pack.system("DOCS").strip() == ""
    instance = pack.instance("THE TASK {x}")
    assert "THE TASK {x}" in instance
    for word in ("answer.txt", "submit", "tool", "sandbox", "{{"):
        assert word not in instance


def test_each_kind_of_run_is_offered_its_own_packs(own_home: Path) -> None:
    """Runs with tools are not offered packs for runs without tools, and vice versa."""
    folder = own_home / "prompts"
    folder.mkdir(parents=True)
    (folder / "ours.yaml").write_text(MINIMAL)
    with pytest.raises(ConfigError, match="general, .*ours") as with_computer:
        load_pack("theirs")
    with pytest.raises(ConfigError, match="boxed, brief, letter, ours, plain, vanilla;") as without:
        load_one_reply_pack("theirs")
    assert "vanilla" not in str(with_computer.value)
    assert "general" not in str(without.value)
    assert load_pack("vanilla") == load_one_reply_pack("vanilla")  # for a fork of such a run


def test_the_packs_of_boxes_keep_their_braces() -> None:
    for name in ("math", "physics", "boxed"):
        assert "\\boxed{...}" in load_pack(name).instance("x")


def test_a_plain_pack_asks_the_problem_alone() -> None:
    assert load_pack("plain").instance("a {b} c\n") == "a {b} c\n"


def test_directories_of_a_pack_are_its_own() -> None:
    pack = parse_pack(
        "p",
        "system_prompt: '{working_dir} {input_dir}'\ninstance_prompt: '{output_dir} {input_dir}'\n"
        "working_dir: /w\ninput_dir: /w/documents\noutput_dir: /w\n",
    )
    assert pack.system("") == "/w /w/documents"
    assert pack.instance("") == "/w /w/documents"


@pytest.mark.parametrize(
    ("template", "filled"),
    [
        ("{{a}} {b} { c }", "{a} {b} { c }"),
        ('{"k": {"n": {}}} {working_dir}', '{"k": {"n": {}}} /testbed'),
        ('{{"k": {{"n": {{}}}}}}', '{"k": {"n": {}}}'),
        ("}} {{", "} {"),
        ("{{working_dir}}", "{working_dir}"),
        ("{{{working_dir}}}", "{/testbed}"),
        ("{", "{"),
        ("{command_docs}|{demo}|{problem_statement}", "DOCS||{problem_statement}"),
    ],
)
def test_braces(template: str, filled: str) -> None:
    pack = PromptPack(
        name="p",
        system_prompt=template,
        instance_prompt="",
        working_dir="/testbed",
        input_dir="/i",
        output_dir="/o",
    )
    assert pack.system("DOCS") == filled


@given(st.lists(st.sampled_from(["{{", "}}", "{working_dir}", "{demo}", "x", "\n"])))
def test_what_the_reference_can_fill_in_is_filled_in_as_there(pieces: list[str]) -> None:
    template = "".join(pieces)
    try:
        wanted = template.format(working_dir="/testbed", demo="")
    except (ValueError, KeyError):
        return
    assert filled(template, {"working_dir": "/testbed", "demo": ""}) == wanted


@given(st.text())
def test_a_task_is_never_filled_in(task: str) -> None:
    pack = parse_pack("p", "system_prompt: s\ninstance_prompt: '<{problem_statement}>'")
    assert pack.instance(task) == f"<{task}>"


def test_packs_from_files_and_from_the_config_folder(own_home: Path, tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(MINIMAL)
    assert load_pack(str(file)).name == "mine"
    folder = own_home / "prompts"
    folder.mkdir(parents=True)
    (folder / "ours.yaml").write_text(MINIMAL)
    assert load_pack("ours").system("") == "s"
    with pytest.raises(ConfigError, match="'theirs'.* general, .*math, ours, "):
        load_pack("theirs")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("system_prompt: x\nb: [\n", r"not valid YAML: line 3, column 1: "),
        ("a: b: c", r"not valid YAML: line 1, column 5: "),
        ("\x07", "not valid YAML"),
        ("just words", "table"),
        ("", "table"),
        ("system_prompt: x", "'instance_prompt'"),
        ("system_prompt: [x]\ninstance_prompt: y", "'system_prompt'"),
        (MINIMAL + "output_dir: 3", "'output_dir'"),
        (MINIMAL + "output_dir: out", "output_dir must be an absolute path"),
    ],
)
def test_errors_are_reported_in_one_line(text: str, words: str) -> None:
    with pytest.raises(ConfigError, match=words) as caught:
        parse_pack("p", text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("content", [None, b"\xff\xfe"])
def test_a_file_that_cannot_be_read(tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "x.yaml"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(ConfigError, match="cannot be read"):
        load_pack(str(file))
