"""Errors of the command line as plain sentences, without Click's words about types and ranges."""

from __future__ import annotations

import contextlib
import difflib
import re
from collections.abc import Callable, Generator, Mapping
from typing import Any

import click
from typing_extensions import override

from sandbox_tui.core.base.sanitize import sanitize
from sandbox_tui.tui.cli.usage.did_you_mean import did_you_mean
from sandbox_tui.tui.cli.usage.other_words import option_meant

EXAMPLES: Mapping[str, str] = {
    "run TASK": '"count the primes below 100"',
    "sessions search QUERY": "timeout outcome:error",
    "completion SHELL": "bash",
    "config get NAME": "ui.theme",
    "config set NAME": "ui.theme daylight",
    "config set VALUE": "",
    "config unset NAME": "ui.theme",
    "eval compare LEFT": "ID",
    "eval compare RIGHT": "ID",
    "LEFT": "last",
    "SESSION": "last",
    "EVALUATION": "last",
    "TRAINING": "last",
    "SUITE": "pocket",
    "FILES": "session.sbx",
    "SOURCE": "tasks.jsonl",
    "TASKS": "tasks.jsonl",
    "TRAIN": "train.jsonl",
    "HELD_OUT": "held-out.jsonl",
    "MODEL": "./model",
}
"""What can be given as an argument: by command and argument, or by argument alone."""

MIN_LIKENESS = 0.75
"""How alike an unknown option and the name that is suggested for it must be, of at most 1."""


class PlainError(click.UsageError):
    """A command line that cannot be used, in words of the program itself.

    Attributes:
        more: a line that follows the sentence; empty for none.
    """

    def __init__(self, message: str, ctx: click.Context | None, more: str = "") -> None:
        super().__init__(message, ctx)
        self.more = more

    @override
    def show(self, file: Any = None) -> None:
        """Print it as every other error of the program."""
        click.echo(f"sandbox-tui: {sanitize(self.format_message())}", file, err=True)
        if self.more:
            click.echo(self.more, file, err=True)


@contextlib.contextmanager
def plain_errors() -> Generator[None]:
    """Raise a `PlainError` in place of Click's usage errors.

    Raises:
        PlainError: for any other `click.UsageError`, except one that is the help.
    """
    try:
        yield
    except click.UsageError as error:
        if isinstance(error, PlainError) or type(error).__name__ == "NoArgsIsHelpError":
            raise
        raise plain(error) from None


def plain(error: click.UsageError) -> PlainError:
    """Return an error in plain words; about what is missing or unknown, with the command whose help
    tells what there is."""
    if isinstance(error, click.MissingParameter):
        return PlainError(_missing(error), error.ctx, _see_help(error.ctx))
    if isinstance(error, click.NoSuchOption):
        return PlainError(_no_such_option(error), error.ctx, _see_help(error.ctx))
    if isinstance(error, click.BadParameter):
        return PlainError(_bad_value(error), error.ctx)
    for pattern, words in _USAGE.items():
        if found := re.fullmatch(pattern, error.format_message()):
            return PlainError(words(found), error.ctx, _see_help(error.ctx))
    return PlainError(error.format_message(), error.ctx, _see_help(error.ctx))


def _see_help(ctx: click.Context | None) -> str:
    return f"Try `{ctx.command_path} --help`." if ctx is not None else ""


# --- values


def _bad_value(error: click.BadParameter) -> str:
    name = _name_of(error)
    kind = error.param.type if error.param is not None else None
    for pattern, words in _VALUES.items():
        if name and kind is not None and (found := re.match(pattern, error.message, re.DOTALL)):
            return f"{name} must be {words(found, kind)}"
    return f"{name}: {error.message}" if name else error.message


def _name_of(error: click.BadParameter) -> str:
    """Return an option by its longest name, and an argument as the usage writes it."""
    if isinstance(error.param, click.Option):
        return max(error.param.opts, key=len)
    if isinstance(error.param, click.Argument):
        return error.param.human_readable_name.upper()
    hint = error.param_hint or ""
    return hint if isinstance(hint, str) else " / ".join(hint)


def _number(found: re.Match[str], kind: Any) -> str:
    whole = "a whole number" if "integer" in found["kind"] else "a number"
    limits = _limits(kind)
    return f"{whole}{f' {limits}' if limits else ''}, not {found['value']}."


def _within(found: re.Match[str], kind: Any) -> str:
    return f"{_limits(kind).removeprefix('that is ') or found['range']}, not {found['value']}."


def _limits(kind: Any) -> str:
    """Return which numbers a type accepts; empty if all."""
    kind = getattr(kind, "amount", kind)  # of a type that also takes another word
    low, high = getattr(kind, "min", None), getattr(kind, "max", None)
    if low is None and high is None:
        return ""
    if low is None:
        return f"that is at most {high}"
    if high is None:
        return f"that is more than {low}" if kind.min_open else f"that is at least {low}"
    return f"from {low} to {high}"


def _choice(found: re.Match[str], kind: Any) -> str:
    names = [str(name) for name in getattr(kind, "choices", ())]
    *others, last = names
    listed = f"{', '.join(others)} or {last}" if others else last
    near = difflib.get_close_matches(found["value"].strip("'\""), names, 1)
    meant = f" Did you mean {near[0]!r}?" if near else ""
    return f"{listed}, not {found['value']}.{meant}"


_VALUES: Mapping[str, Callable[[re.Match[str], Any], str]] = {
    r"(?P<value>.*) is not a valid (?P<kind>float|integer)( range)?\.$": _number,
    r"(?P<value>.*) is not in the range (?P<range>.*)\.$": _within,
    r"(?P<value>'[^']*'|\"[^\"]*\") is not (one of )?'.*\.$": _choice,
}
"""What Click says about a value, and how it goes on after "must be"."""


# --- what is missing or too much


def _missing(error: click.MissingParameter) -> str:
    param, ctx = error.param, error.ctx
    name = _name_of(error)
    if ctx is None or param is None:
        return f"{name} is missing."
    return f"{name} is missing, as in: {_example(ctx)}"


def _value_of(option: click.Option) -> str:
    return option.metavar or str(option.name).upper()


def _example(ctx: click.Context) -> str:
    """Return a command line that has all that the command needs."""
    given = [
        one
        for one in ctx.command.params
        if one.required or (isinstance(one, click.Argument) and one.metavar)
    ]
    words = [word for one in given if (word := _example_of(one, ctx))]
    return " ".join([ctx.command_path, *words])


def _example_of(param: click.Parameter, ctx: click.Context) -> str:
    if isinstance(param, click.Option):
        return f"{max(param.opts, key=len)} {_value_of(param)}"
    name = param.human_readable_name.upper()
    command = ctx.command_path.partition(" ")[2]
    return EXAMPLES.get(f"{command} {name}", EXAMPLES.get(name, name))


def _without_value(found: re.Match[str]) -> str:
    return f"{found['name']} needs a value."


def _with_value(found: re.Match[str]) -> str:
    return f"{found['name']} takes no value."


def _too_much(found: re.Match[str]) -> str:
    args: str = found["args"]
    return f"Unexpected argument{'s' if ' ' in args else ''}: {args}."


_USAGE: Mapping[str, Callable[[re.Match[str]], str]] = {
    r"Option '?(?P<name>--?[\w-]+)'? requires an argument\.?": _without_value,
    r"Option '?(?P<name>--?[\w-]+)'? does not take a value\.?": _with_value,
    r"Got unexpected extra arguments? \((?P<args>.*)\)\.?": _too_much,
}
"""What Click says about a command line, and what is said instead."""


def _no_such_option(error: click.NoSuchOption) -> str:
    """Return what an unknown option may mean: what other programs call so, or one spelled alike."""
    command = error.ctx.command if error.ctx is not None else None
    options = [name for one in (command.params if command else ()) for name in one.opts]
    other = option_meant(error.option_name, options)
    names = [other] if other else _near_names(error)
    said = f"No such option {error.option_name!r}."
    return f"{said} {did_you_mean(names)}" if names else said


def _near_names(error: click.NoSuchOption) -> list[str]:
    """Return the suggestions that are not spelled so differently that they mislead.

    The dashes do not count: all options have them.
    """
    typed = error.option_name.lstrip("-")
    return [
        name
        for name in error.possibilities or ()
        if difflib.SequenceMatcher(None, typed, name.lstrip("-")).ratio() >= MIN_LIKENESS
    ]
