"""How bash, zsh and fish ask what completes a command line, and what they are told."""

from __future__ import annotations

import itertools
import os
from typing import ClassVar

from click.shell_completion import (
    BashComplete,
    CompletionItem,
    FishComplete,
    ShellComplete,
    ZshComplete,
    add_completion_class,
    split_arg_string,
)
from typing_extensions import override

WORD_BREAKS = ":="
"""Characters at which bash begins a new word, unless `COMP_WORDBREAKS` leaves them out."""

BASH = """\
%(complete_func)s() {
    local IFS=$'\\n' response completion type value

    response=$(env COMP_LINE="$COMP_LINE" COMP_POINT="$COMP_POINT" \
COMP_WORDBREAKS="$COMP_WORDBREAKS" %(complete_var)s=bash_complete "$1")

    for completion in $response; do
        IFS=',' read -r type value <<< "$completion"
        case $type in
            dir) COMPREPLY=(); compopt -o dirnames ;;
            file) COMPREPLY=(); compopt -o default ;;
            plain)
                [[ -n $value ]] && COMPREPLY+=("$value")
                [[ $value == *[=:] ]] && compopt -o nospace
                ;;
        esac
    done
    return 0
}

complete -o nosort -F %(complete_func)s %(prog_name)s
"""
"""The script for bash. It passes the line itself, because bash has cut the words at `:` and `=`."""

KEEP = """\
    if (( compstate[nmatches] > 1 )) && [[ $compstate[unambiguous] != *$words[CURRENT]* ]]; then
        compstate[insert]='' compstate[list]='list'
    fi
"""
"""For zsh: lists words that have only less in common than what is typed, and replaces nothing."""


def _would_lose(found: list[CompletionItem], typed: str) -> bool:
    """Return whether what all words have in common lacks the typed text, which they contain
    elsewhere: a shell replaces what is typed by what they have in common."""
    if len(found) < 2:
        return False
    least, most = min(item.value for item in found), max(item.value for item in found)
    pairs = itertools.takewhile(lambda pair: pair[0] == pair[1], zip(least, most, strict=False))
    common = "".join(one for one, _ in pairs)
    return typed.lower() not in common.lower()


class _WithOption(ShellComplete):
    """Completes the value in `--option=value` as this whole word."""

    @override
    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem]:
        found = super().get_completions(args, incomplete)
        option, equals, value = incomplete.partition("=")
        if not equals or not option.startswith("--"):
            return self.without_loss(found, incomplete)
        return [
            CompletionItem(f"{option}={item.value}", help=item.help)
            if item.type == "plain"
            else item
            for item in self.without_loss(found, value)
        ]

    def without_loss(self, found: list[CompletionItem], typed: str) -> list[CompletionItem]:
        """Return what to offer, so that the shell does not replace the typed text by less."""
        return found


class _Bash(_WithOption, BashComplete):
    """Completes whole words, of which bash gets the part after the last of its breaks."""

    source_template: ClassVar[str] = BASH
    _before = ""

    @override
    def without_loss(self, found: list[CompletionItem], typed: str) -> list[CompletionItem]:
        """Add an item that has nothing in common with the others: bash lists them all, and leaves
        the line as it is."""
        return [*found, CompletionItem(" ")] if _would_lose(found, typed) else found

    @override
    def get_completion_args(self) -> tuple[list[str], str]:
        line = os.environ.get("COMP_LINE")
        if line is None:  # the script of an earlier version
            return super().get_completion_args()
        line = line[: int(os.environ.get("COMP_POINT") or len(line))]
        words = split_arg_string(line)[1:]
        typed = words.pop() if words and not line[-1:].isspace() else ""
        breaks = os.environ.get("COMP_WORDBREAKS", WORD_BREAKS)
        ends = [typed.rfind(one) + 1 for one in WORD_BREAKS if one in breaks]
        self._before = typed[: max(ends, default=0)]
        return words, typed

    @override
    def format_completion(self, item: CompletionItem) -> str:
        return f"{item.type},{item.value.removeprefix(self._before)}"


class _Zsh(_WithOption, ZshComplete):
    """Completes whole words: zsh replaces what is typed."""

    @override
    def source(self) -> str:
        """Return Click's script, which then keeps what is typed."""
        return (
            super()
            .source()
            .replace("-a completions\n    fi\n", f"-a completions\n    fi\n{KEEP}", 1)
        )

    @override
    def format_completion(self, item: CompletionItem) -> str:
        if item.help:  # zsh takes a backslash away
            item.help = item.help.replace("\\", r"\\")
        return super().format_completion(item)


class _Fish(_WithOption, FishComplete):
    """Completes whole words: fish replaces what is typed."""

    @override
    def source(self) -> str:
        """Return Click's script, which cut descriptions at their first comma, and sorted words."""
        script = super().source().replace("string split ", "string split --max 1 ", 1)
        return script.replace("complete --no-files", "complete --keep-order --no-files", 1)


def add_shells() -> None:
    """Let these shells complete, instead of Click's own ways to do so."""
    add_completion_class(_Bash)
    add_completion_class(_Zsh)
    add_completion_class(_Fish)
