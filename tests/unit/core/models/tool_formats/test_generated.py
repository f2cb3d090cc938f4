"""Generated replies: whole, mutated and mixed. `TOOL_FORMATS_TEXTS` sets their number."""

from __future__ import annotations

import json
import os
import re
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sandbox_tui.core.models.tool_formats.read_result import Reading, TextCall
from sandbox_tui.core.models.tool_formats.reader import TextCallReader, read_reply
from sandbox_tui.core.models.tool_formats.schema import fit
from sandbox_tui.core.models.tool_formats.table import FAMILIES
from tests.unit.core.models.tool_formats.corpus import TOOLS, cases

TEXTS = int(os.environ.get("TOOL_FORMATS_TEXTS", "2000"))
SCHEMAS = {tool["function"]["name"]: tool["function"]["parameters"] for tool in TOOLS}


def texts(share: float) -> settings:
    """Hypothesis settings for this share of all texts."""
    return settings(max_examples=max(20, int(TEXTS * share)))


# --- calls that a model may intend

words = st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=40)
bash = st.one_of(
    words,
    st.lists(
        st.sampled_from(
            [
                "ls -la",
                "\n",
                "'",
                '"',
                "\\",
                "<",
                ">",
                "&",
                "`date`",
                "```",
                "</think>",
                "{",
                "}",
                "[",
                "]",
                "cat <<'EOF'\n",
                "\nEOF",
                "$(x)",
                "\\n",
                "数字 🎉",
                "\t",
                " ",
                ": ",
                ", ",
                "(",
                ")",
                "=",
                "</tool_call>",
                "</parameter>",
                "[TOOL_CALLS]",
                "<|call|>",
                "<｜tool▁call▁end｜>",
                "<|tool_call_end|>",
                "</arg_value>",
                "</invoke>",
                "</｜DSML｜parameter>",
                "> ",
                "\r\n",
            ]
        ),
        max_size=12,
    ).map("".join),
)
commands = bash.filter(lambda text: bool(text.strip()))
quoted_commands = st.builds(lambda before, after: f'{before}"{after}', bash, bash)
anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**15), 10**15)
    | st.floats(allow_nan=False, allow_infinity=False)
    | bash,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(words, inner, max_size=4),
    max_leaves=8,
)
calls = st.one_of(
    st.builds(
        lambda command, more: TextCall(tool="execute_bash", arguments={**more, "command": command}),
        commands,
        st.dictionaries(words.filter(lambda name: name != "command"), anything, max_size=3),
    ),
    st.builds(
        lambda path, text, lines: TextCall(
            tool="str_replace_editor",
            arguments={"command": "create", "path": path, "file_text": text, "view_range": lines},
        ),
        commands,
        bash,
        st.lists(st.integers(-5, 10**9), max_size=3),
    ),
    st.just(TextCall(tool="submit", arguments={})),
)
families = st.sampled_from(list(FAMILIES.values()))


@pytest.mark.parametrize("family", FAMILIES.values(), ids=lambda family: family.name)
def test_written_calls_are_read(family: Any) -> None:
    @texts(0.35 / len(FAMILIES))
    @given(st.lists(calls, min_size=1, max_size=4))
    def check(written: list[TextCall]) -> None:
        text = family.write_calls(written)
        reading = read_reply(text, TOOLS)
        assert not reading.problem, text
        assert json.dumps([[call.tool, call.arguments] for call in reading.calls]) == json.dumps(
            [[call.tool, call.arguments] for call in written]
        ), text
        assert all(not call.repaired for call in reading.calls)

    check()


def check_is_sound(text: str, finish: str | None) -> Reading:
    """Read a reply and check what holds for every reading."""
    reading = read_reply(text, TOOLS, finish)
    assert not (reading.calls and reading.problem)
    assert bool(reading.calls) <= (reading.family in FAMILIES)
    for call in reading.calls:
        assert fit(call.arguments, SCHEMAS[call.tool]) == (call.arguments, [])
    if finish == "length":
        assert not reading.calls
    return reading


@texts(0.08)
@given(families, quoted_commands, st.integers(0, 3))
@example(FAMILIES["mistral_args"], 'rm -rf /tmp/"*"', 0)
@example(FAMILIES["mistral_args"], 'echo "}', 0)
@example(FAMILIES["deepseek_v31"], 'echo "}}', 0)
@example(FAMILIES["harmony"], 'echo "<|call|>', 0)
def test_quotes_that_are_not_escaped_change_no_command(
    family: Any, command: str, which: int
) -> None:
    """The call is refused, or it is the one that was meant; it is never cut at the quote."""
    call = TextCall(tool="execute_bash", arguments={"command": command})
    written = family.write_calls([call])
    probe = TextCall(tool="execute_bash", arguments={"command": 'a"b'})
    as_it_is = 'a"b' in family.write_calls([probe])
    parts = [written] if as_it_is else written.split('\\"')
    at = min(which + 1, len(parts) - 1)
    damaged = '\\"'.join(parts[:at]) + '"' * (at > 0) + '\\"'.join(parts[at:])
    reading = check_is_sound(damaged, "stop")
    assert all(made.arguments == call.arguments for made in reading.calls), damaged


# --- independent readings, each as simple as possible


def tagged_readings(text: str) -> list[Any]:
    """The call in the only `<tool_call>`, up to the nearest and up to the last closing tag."""
    found: list[Any] = []
    for pattern in (r"<tool_call>(.*?)</tool_call>", r"<tool_call>(.*)</tool_call>"):
        for inner in re.findall(pattern, text, re.DOTALL):
            try:
                value = json.loads(inner, strict=False)
                found.append([value["name"], value["arguments"]])
            except (ValueError, KeyError, TypeError):
                continue
    return found


def parameter_readings(text: str) -> list[str]:
    """Values of the only parameter, `command`, up to the nearest and up to the last closing tag."""
    pattern = r"<parameter=command>\n?({})</parameter>"
    near = re.findall(pattern.format(".*?"), text, re.DOTALL)
    return [
        value.removesuffix("\n")
        for value in near + re.findall(pattern.format(".*"), text, re.DOTALL)
    ]


corpus = st.sampled_from([case.reply for case in cases()])
meant = st.builds(
    lambda family, made: family.write_calls(made), families, st.lists(calls, min_size=1, max_size=2)
)
noise = st.one_of(
    words,
    st.sampled_from(
        [
            "\n",
            "\n\n",
            "`",
            "```",
            "```json\n",
            "```text\n",
            "> ",
            '"',
            "{",
            "}",
            "[",
            "]",
            "<think>",
            "</think>",
            "For example: ",
            "This is only an example. ",
            "<tool_call>",
            "</tool_call>",
            "<function=",
            "</parameter>",
            "<|channel|>",
            "<|message|>",
            "[TOOL_CALLS]",
            "<tool_response>",
            "<!--",
            "-->",
            "\\",
            "'",
            ",",
            ":",
        ]
    ),
)


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """A corpus reply or generated calls, with pieces removed, duplicated, inserted and replaced."""
    text = draw(corpus | meant)
    for _ in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.integers(0, 12)))
        match draw(st.integers(0, 3)):
            case 0:
                text = text[:start] + text[end:]
            case 1:
                text = text[:end] + text[start:]
            case 2:
                text = text[:start] + draw(noise) + text[start:]
            case _:
                text = text[:start] + draw(corpus | meant) + text[end:]
    return text


@texts(0.45)
@given(mutated(), st.sampled_from(["stop", "tool_calls", "length", None]), st.integers(1, 40))
def test_any_text_has_one_reading(text: str, finish: str | None, size: int) -> None:
    reading = check_is_sound(text, finish)
    reader = TextCallReader(TOOLS)
    for at in range(0, len(text), size):
        reader.feed(text[at : at + size])
    assert reader.finish(finish) == reading
    if reading.family == "hermes" and text.count("<tool_call>") == 1 and len(reading.calls) == 1:
        (call,) = reading.calls
        if "<tools>" not in text and "<function_call>" not in text and not call.repaired:
            assert all([call.tool, call.arguments] == other for other in tagged_readings(text))
    if reading.family == "qwen_coder" and text.count("<parameter=") == 1:
        commands_read = [
            call.arguments["command"] for call in reading.calls if "command" in call.arguments
        ]
        assert all([value] == commands_read for value in parameter_readings(text) if commands_read)


# --- calls that are only quoted

safe = st.sampled_from(
    ["The files come first.", "A look at the log.", "Next step", "Done so far: all of it."]
)
quoting = st.sampled_from(
    [
        "`{}`",
        "`` {} ``",
        "> {}",
        '"{}"',
        "“{}”",
        "For example: {}",
        "For instance,\n{}",
        "Here is an example:\n\n{}",
        "{}\nThis is only an example.",
        "<!-- {} -->",
        "<think>{}</think>",
        "<think>\n{}",
        "{}\n</think>\n",
        "~~~python\n{}\n~~~",
        "````text\n{}\n````",
        "```` json\nx = {}\n````",
        "<tool_response>{}</tool_response>",
        "<|im_start|>assistant\n{}",
        "Do not run\n{}",
    ]
)


def quoted(quote: str, call: str) -> str:
    """Quote a call. A fence cannot be quoted in backticks, so it is quoted with `>`."""
    quote = "> {}" if "`{" in quote.replace(" ", "") and "```" in call else quote
    return quote.format(call.replace("\n", "\n> ") if quote.startswith("> ") else call)


plain_calls = st.builds(
    lambda path: TextCall(tool="execute_bash", arguments={"command": f"rm -rf {path}"}),
    st.text(alphabet="abc/ .*-", min_size=1, max_size=12),
)


@texts(0.2)
@given(safe, quoting, families, plain_calls, safe)
@example(
    "Next step", "> {}", FAMILIES["qwen_coder"], TextCall(tool="submit", arguments={}), "Next step"
)
def test_a_quoted_call_is_never_carried_out(
    before: str, quote: str, family: Any, call: TextCall, after: str
) -> None:
    text = f"{before}\n\n{quoted(quote, family.write_calls([call]))}\n\n{after}"
    reading = check_is_sound(text, "stop")
    assert not reading.calls, text


@texts(0.05)
@given(safe, quoting, families, plain_calls, plain_calls)
def test_only_the_call_that_is_meant_is_carried_out(
    before: str, quote: str, family: Any, call: TextCall, other: TextCall
) -> None:
    """A quoted call in a separate paragraph, after an intended call."""
    quotation = quoted(quote, family.write_calls([call]))
    text = f"{family.write_calls([other])}\n\n{before}\n\n{quotation}"
    reading = check_is_sound(text, "stop")
    assert all(made.arguments == other.arguments for made in reading.calls), text


@texts(0.05)
@given(
    st.text(alphabet="<>|{}[]()`~\"'\\:,=/ \n\tabz0-_.!｜▁◁▷", max_size=400),
    st.sampled_from(["stop", None]),
)
def test_no_text_is_too_strange(text: str, finish: str | None) -> None:
    check_is_sound(text, finish)


@texts(0.02)
@given(st.text(max_size=200))
def test_lone_surrogates_are_replaced(text: str) -> None:
    broken = "\ud83d" + text + "\ude00"
    reader = TextCallReader(TOOLS)
    for char in broken:
        reader.feed(char)
    reader.finish("stop").text.encode()


def test_a_surrogate_pair_may_be_cut() -> None:
    reader = TextCallReader(TOOLS)
    for piece in ('{"name": "execute_bash", "arguments": {"command": "echo \ud83d', '\ude00"}}'):
        reader.feed(piece)
    assert reader.finish("stop").calls[0].arguments == {"command": "echo 😀"}
