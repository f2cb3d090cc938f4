"""What a bash command may run, checked by examples and against bash itself."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from sandbox_tui.core.policy.bash_parser import Ambiguous, parse_command
from tests.examples import examples


def texts(command: str) -> set[str]:
    return {part.text for part in parse_command(command)}


@pytest.mark.parametrize(
    ("command", "parts"),
    [
        ("ls", {"ls"}),
        ("", set()),
        ("# only a remark", set()),
        ("ls  -la\t x", {"ls -la x"}),
        ("a && b; c | d & e || f |& g", {"a", "b", "c", "d", "e", "f", "g"}),
        ("a\nb", {"a", "b"}),
        ("a # b; c\nd", {"a", "d"}),
        ("a#b", {"a#b"}),
        ("echo 'a; b' \"c && d\" e\\;f", {"echo 'a; b' \"c && d\" e\\;f"}),
        ("a $(b $(c))", {"a $(b $(c))", "b $(c)", "c"}),
        ('a "$(b "c d")"', {'a "$(b "c d")"', 'b "c d"'}),
        ("a `b; c`", {"a `b; c`", "b", "c"}),
        ("diff <(a) >(b)", {"diff <(a) >(b)", "a", "b"}),
        ("(a; b) | c", {"a", "b", "c"}),
        ("{ a; b; }", {"a", "b"}),
        ("if a; then b; elif c; then d; else e; fi", {"a", "b", "c", "d", "e"}),
        ("for x in 1 $(a); do b $x; done < f", {"a", "b $x"}),
        ("while ! a; do b; done", {"a", "b"}),
        ("until a\ndo\nb\ndone", {"a", "b"}),
        ("a >out 2>&1", {"a", "> out"}),
        ("a &>/x/../y", {"a", "> /y"}),
        ("a 2>/dev/null >>log", {"a", "> log"}),
        ("a > $X", {"a", "> $X"}),
        ("> f", {"> f"}),
        ("a <in", {"a < in"}),
        ("<in a b", {"a b < in"}),
        ("cat <<'E'\n$(rm x)\nE\nb", {"cat << 'E'", "b"}),
        ("cat <<E | a\nplain\nE\nb", {"cat << E", "a", "b"}),
        ("cat <<-E\n\tx\n\tE\nb", {"cat <<- E", "b"}),
        ("a \\\n  b", {"a b"}),
        ("X=1 Y=$(b) a", {"X=1 Y=$(b) a", "b"}),
        ("a ${B} ${#B} ${C:-d} $1 $@ $?", {"a ${B} ${#B} ${C:-d} $1 $@ $?"}),
        ("[ -f x ] && a", {"[ -f x ]", "a"}),
    ],
)
def test_a_command_is_taken_apart(command: str, parts: set[str]) -> None:
    assert texts(command) == parts


@pytest.mark.parametrize(
    "command",
    [
        "f() { rm x; }",
        "function f { rm x; }",
        "case x in a) rm x;; esac",
        "[[ a && rm ]]",
        "((x = 1))",
        "echo $((x[$(rm x)]))",
        "echo $[x]",
        "x=(a b)",
        "x[$(rm x)]=1",
        "echo ${x:-$(rm y)}",
        "echo ${x@P}",
        "echo ${x:y}",
        "echo ${x[y]}",
        "cat <<E\n$(rm x)\nE",
        "cat <<E\nx\\\nE\nrm y\nE",
        "cat <<E\nno end",
        "cat <<E $(a\nb)\nE",
        "echo 'open",
        'echo "open',
        "echo $(open",
        "echo )",
        "a `b \\`c\\``",
        "$\\\n(rm x)",
        "a\x00b\x01",
        "a\rb",
        "!(a)",
        "for x do rm x; done",
        "for ((;;)); do a; done",
        "select x in a; do b; done",
        "coproc a",
        "{x}>f a",
        "a >",
        "a " + "$(" * 50_000,
        "x" * 200_000,
    ],
)
def test_ambiguous_commands_are_doubtful(command: str) -> None:
    with pytest.raises(Ambiguous):
        parse_command(command)


def test_a_program_whose_name_is_made_up_is_not_named() -> None:
    assert not any(
        part.named for c in ("$X a", "r* b", "{rm,-r}", "~/x") for part in parse_command(c)
    )
    assert all(part.named for c in ("'r'm a", "X=$Y a", "[ a ]") for part in parse_command(c))


PIECES = st.sampled_from(
    [
        *(
            "aa",
            "bb",
            "cc",
            "x",
            " ",
            " ",
            " ",
            "\n",
            ";",
            "&&",
            "||",
            "|",
            "&",
            "(",
            ")",
            "{",
            "}",
        ),
        *(
            "$(",
            "`",
            "'",
            '"',
            "\\",
            "\\\n",
            "#",
            "<<E",
            "<<'E'",
            "\nE\n",
            "<",
            ">",
            "<(",
            "$",
            "=",
            "$(",
        ),
        *(
            "if",
            "then",
            "fi",
            "for",
            "in",
            "do",
            "done",
            "!",
            "while",
            "case",
            "esac",
            "${",
            "}",
            ";;",
        ),
        *(
            "'aa'",
            '"bb"',
            "{ ",
            "; }",
            "( ",
            "; done",
            "; then ",
            "; fi",
            "$((",
            "))",
            "[[ ",
            " ]]",
            "-",
        ),
    ]
)

RECORDER = """
command_not_found_handle() { builtin printf '%s\\0' "$1" >&9; return $((RANDOM % 2)); }
PATH=/nowhere
"""


def ran_by_bash(command: str, folder: Path) -> set[str]:
    """Names of the programs that bash itself tries to start."""
    recorder, record = folder / "recorder", folder / "ran"
    recorder.write_text(RECORDER)
    script = 'exec 9>"$1"; BASH_ENV=$2 exec bash -c "$3"'
    subprocess.run(
        ["bash", "-c", script, "test", str(record), str(recorder), command],
        capture_output=True,
        stdin=subprocess.DEVNULL,
        cwd=folder,
        timeout=20,
    )
    return set(record.read_bytes().decode().split("\0")) - {""}


@examples(200, suppress_health_check=list(HealthCheck))
@given(st.lists(PIECES, min_size=1, max_size=14).map("".join))
def test_bash_runs_nothing_that_was_not_seen(
    tmp_path_factory: pytest.TempPathFactory, command: str
) -> None:
    try:
        parts = parse_command(command)
    except Ambiguous:
        return
    if not all(part.named for part in parts) or any(part.writes for part in parts):
        return
    words = [[word.plain for word in part.words if not word.assigns] for part in parts]
    names = {found[0] for found in words if found}
    ran = ran_by_bash(command, tmp_path_factory.mktemp("bash"))
    assert ran <= names, (command, names, ran)


@given(st.text())
def test_any_text_is_read_or_doubted(command: str) -> None:
    try:
        parts = parse_command(command)
    except Ambiguous:
        return
    assert all(part.words for part in parts)
