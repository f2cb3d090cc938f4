"""Finds the tool calls of a run that count as a meta-capability."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from sandbox_tui.core.base.json_arguments import ArgumentsError, parse_arguments, text_argument
from sandbox_tui.core.base.tool_names import BASH, EDITOR
from sandbox_tui.core.evals.meta_capabilities.capability import (
    CAPABILITIES,
    Capability,
    CountedCall,
    RunCapabilities,
)
from sandbox_tui.core.evals.meta_capabilities.python_code import ANSWER_FILE, read_code
from sandbox_tui.core.evals.meta_capabilities.rules import capabilities_of, operands
from sandbox_tui.core.evals.meta_capabilities.shell_commands import Command, commands_of
from sandbox_tui.core.policy.inner_commands import SHELLS, WRAPPERS

MAX_DEPTH = 5
"""Maximum nesting of commands in commands, such as `bash -c`, that is inspected."""

MAX_COMMANDS = 2000
"""Maximum number of simple commands to inspect per tool call, including those of its scripts."""

MAX_EVIDENCE_CHARS = 200

_PYTHON = re.compile(r"(python|pypy|ipython)[0-9.]*")
_TESTING_MODULES = frozenset({"cProfile", "doctest", "pytest", "timeit", "unittest"})
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_WRAPPER_VALUES = {
    "env": "uCS",
    "ionice": "cn",
    "nice": "n",
    "sudo": "ugp",
    "time": "fo",
    "timeout": "ks",
    "xargs": "ILPadns",
}
"""Option letters of wrappers that take the next word as their value."""

Found = tuple[Capability, str]


def capabilities_of_run(calls: Iterable[tuple[str, str]]) -> RunCapabilities:
    """Determine what a run used its computer for.

    Args:
        calls: name and arguments (JSON) of each tool call, in order.
    """
    run = _Run()
    counted: list[CountedCall] = []
    for number, (tool, arguments) in enumerate(calls, 1):
        found: dict[Capability, str] = {}
        for capability, evidence in run.call(tool, arguments):
            found.setdefault(capability, evidence[:MAX_EVIDENCE_CHARS])
        counted += (
            CountedCall(number, name, found[name]) for name in CAPABILITIES if name in found
        )
    return RunCapabilities(tuple(counted))


@dataclass(slots=True)
class _Run:
    """The state of a run so far.

    Attributes:
        scripts: contents of the files that the run wrote, by name; None after it edited them.
        left: number of simple commands that may still be inspected in the current call.
    """

    scripts: dict[str, str | None] = field(default_factory=dict[str, "str | None"])
    left: int = MAX_COMMANDS

    def call(self, tool: str, arguments: str) -> Iterator[Found]:
        """Yield the capabilities that a tool call counts as, with evidence."""
        self.left = MAX_COMMANDS
        try:
            parsed = parse_arguments(arguments)
            command = text_argument(parsed, "command") or ""
            path = text_argument(parsed, "path") or ""
            text = text_argument(parsed, "file_text") or ""
        except ArgumentsError:
            return
        if tool == BASH:
            yield from self._shell(command, 0)
        elif tool == EDITOR and path:
            name = posixpath.basename(path)
            if command != "view":
                self.scripts[name] = text if command == "create" else None
            if name != ANSWER_FILE:
                yield "files", f"{command} {path}"

    def _shell(self, command: str, depth: int) -> Iterator[Found]:
        if depth < MAX_DEPTH:
            for part in commands_of(command):
                yield from self._command(part, depth)

    def _command(self, command: Command, depth: int) -> Iterator[Found]:
        self.left -= 1
        if self.left < 0:
            return
        command = replace(command, words=_unwrapped(command.words))
        evidence = " ".join((*command.words, *(f"> {path}" for path in command.writes)))
        self._remember(command)
        program = command.words[0] if command.words else ""
        name = posixpath.basename(program)
        script = self.scripts.get(name)
        if name in SHELLS:
            yield from self._inner_shell(name, command, depth)
        elif _PYTHON.fullmatch(name):
            yield from self._python(command, evidence, depth)
        elif "/" in program and script is not None and name.endswith(".py"):
            yield from self._code(script, depth)
        elif "/" in program and script is not None:
            yield from self._shell(script, depth + 1)
        for capability in capabilities_of(command):
            yield capability, evidence

    def _remember(self, command: Command) -> None:
        """Store the text of files written from a here document: `cat > solve.py <<'EOF'`."""
        written = [*command.writes, *(command.words[1:] if command.words[:1] == ("tee",) else ())]
        for path in written:
            self.scripts[posixpath.basename(path)] = command.document

    def _inner_shell(self, name: str, command: Command, depth: int) -> Iterator[Found]:
        words = command.words[1:]
        if name == "eval":
            yield from self._shell(" ".join(words), depth + 1)
            return
        flags = [at for at, word in enumerate(words) if re.fullmatch(r"-[a-z]*c[a-z]*", word)]
        if flags and flags[0] + 1 < len(words):
            yield from self._shell(words[flags[0] + 1], depth + 1)
            return
        files = operands(name, words)
        text = self.scripts.get(posixpath.basename(files[0])) if files else command.document
        yield from self._shell(text or "", depth + 1)

    def _python(self, command: Command, evidence: str, depth: int) -> Iterator[Found]:
        words = command.words[1:]
        if {"--version", "-V", "--help", "-h"} & set(words[:1]):
            return
        for at, word in enumerate(words):
            rest = words[at + 1 :]
            if re.fullmatch(r"-[A-Za-z]*c", word) and rest:
                yield from self._code(rest[0], depth)
                return
            if re.fullmatch(r"-[A-Za-z]*m", word) and rest:
                yield from self._module(rest, evidence, depth)
                return
            if not word.startswith("-"):
                yield from self._file(word, evidence, depth)
                return
        if command.document is not None:
            yield from self._code(command.document, depth)
        else:  # the code comes from a file or a pipe
            yield from self._file(command.reads, evidence, depth)

    def _module(self, words: Sequence[str], evidence: str, depth: int) -> Iterator[Found]:
        if words[0] in _TESTING_MODULES:
            yield "computation", evidence
        elif words[0] == "pip":
            yield from self._command(Command(tuple(words)), depth)

    def _file(self, path: str, evidence: str, depth: int) -> Iterator[Found]:
        text = self.scripts.get(posixpath.basename(path))
        if text is None:
            yield "computation", evidence
        else:
            yield from self._code(text, depth)

    def _code(self, code: str, depth: int) -> Iterator[Found]:
        use = read_code(code)
        yield from use.evidence.items()
        for command in use.commands:
            yield from self._shell(command, depth + 1)
        for words in use.programs:
            if depth < MAX_DEPTH:
                yield from self._command(Command(words), depth + 1)


def _unwrapped(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the command that a wrapper such as `timeout`, `sudo`, `env` or `xargs` runs."""
    while words and posixpath.basename(words[0]) in WRAPPERS | {"uv", "poetry"}:
        name = posixpath.basename(words[0])
        if name in ("uv", "poetry") and words[1:2] != ("run",):
            return words
        if name == "command" and words[1:2] in (("-v",), ("-V",)):
            return ()
        rest = _after_options(name, words[1:])
        if name in ("timeout", "chroot", "uv", "poetry"):  # the wrapper's own operand
            rest = rest[1:]
        if name == "xargs" and rest:
            rest = (*rest, "{}")
        words = rest
    return words


def _after_options(name: str, words: tuple[str, ...]) -> tuple[str, ...]:
    values = _WRAPPER_VALUES.get(name, "")
    at = 0
    while at < len(words) and (words[at].startswith("-") or _ASSIGNMENT.match(words[at])):
        takes_value = len(words[at]) == 2 and words[at][1] in values
        at += 2 if takes_value else 1
    return words[at:]
