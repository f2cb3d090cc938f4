"""Starts an evaluation as the form describes it, in a program of its own."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.base.typed_path import is_file, typed_path
from sandbox_tui.core.config import settings as config
from sandbox_tui.core.evals.eval_info import EvalInfo
from sandbox_tui.core.evals.loaders.selection import UnknownDomain
from sandbox_tui.core.evals.scorers.table import SCORERS
from sandbox_tui.core.evals.suite import Suite
from sandbox_tui.core.evals.suite_file import (
    DATA_FILES,
    SUITE_FILES,
    UnknownSuite,
    known_suites,
    load_suite,
)
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.store.tables import eval_ledger as ledger
from sandbox_tui.tui.format.setting_text import setting_of_text

OWN_SCORER = "suite's or file's"
BOTH = "both"
KINDS = ("auto", "docker", "bubblewrap")
LIKE_SETTING = {
    "temperature": "model.temperature",
    "budget": "limits.time_limit",
    "budget_tokens": "limits.token_limit",
    "budget_cost": "limits.cost_limit",
}
"""The fields that take the values of a setting."""

FLAGS = ("--headless", "--json")
"""Options of `eval run` without a value."""

REPEATABLE = ("--domain",)
"""Options whose values add up; of others, the last one counts."""

NO_SCORER = "Choose a scorer. The file has no column scorer."


class FieldError(ConfigError):
    """Nothing was started: what a field contains cannot be used.

    Attributes:
        field: the field.
    """

    def __init__(self, field: str, words: str) -> None:
        super().__init__(words)
        self.field = field


@dataclass(frozen=True, slots=True)
class NewEval:
    """An evaluation to start.

    Attributes:
        suite: name of a suite, or path of its file or of a data file.
        model, url: the model and its server.
        kind: kind of sandbox.
        scorer: scorer of all tasks; None: the suite's.
        modes: None: the suite's.
        domains: only tasks of these; empty for all.
        limit: maximum number of tasks of each domain.
        samples: samples of each task in each mode.
        at_once: samples that run at the same time.
        steps: maximum number of steps of a sample; None: the suite's or the user's.
        temperature: None: the suite's, the user's or the server's.
        budget: after which the evaluation stops.
    """

    suite: str
    model: str
    url: str
    kind: str
    scorer: str | None
    modes: tuple[str, ...] | None
    domains: tuple[str, ...]
    limit: int | None
    samples: int | None
    at_once: int | None
    steps: int | None
    temperature: float | None
    budget: ledger.Budget

    @classmethod
    def of(cls, typed: Mapping[str, str]) -> NewEval:
        """Return the evaluation for the texts of the fields, which contain no mistakes."""
        scorer, mode = typed["scorer"], typed["mode"]
        return cls(
            suite=typed["suite"],
            model=typed["model"],
            url=typed["url"],
            kind=typed["kind"],
            scorer=None if scorer == OWN_SCORER else scorer,
            modes=None if mode == BOTH else (mode,),
            domains=names_in(typed["domains"]),
            limit=_number(typed["limit"]),
            samples=_number(typed["samples"]),
            at_once=_number(typed["at_once"]),
            steps=_number(typed["steps"]),
            temperature=_like_setting("temperature", typed),
            budget=ledger.Budget(
                tokens=_like_setting("budget_tokens", typed),
                cost=_like_setting("budget_cost", typed),
                seconds=_like_setting("budget", typed),
            ),
        )

    @property
    def overrides(self) -> dict[str, Any]:
        """The values of the suite that are replaced."""
        return {
            "sandbox.kind": self.kind,
            "scorers": self.scorer,
            "modes": None if self.modes is None else list(self.modes),
            "dataset.domains": list(self.domains) or None,
            "dataset.limit": self.limit,
            "samples": self.samples,
            "limits.max_steps": self.steps,
            "model.temperature": self.temperature,
        }

    @property
    def command(self) -> str:
        """The command line that does the same, for the report."""
        return shlex.join(["sandbox-tui", "eval", "run", self.suite, *self._options()])

    def _options(self) -> Iterator[str]:
        given = {
            "--model": self.model,
            "--base-url": self.url,
            "--sandbox": self.kind,
            "--scorer": self.scorer,
            "--mode": self.modes[0] if self.modes else None,
            "--limit": self.limit,
            "--samples": self.samples,
            "--concurrency": self.at_once,
            "--max-steps": self.steps,
            "--temperature": _shortest(self.temperature),
            "--budget-tokens": self.budget.tokens,
            "--budget-cost": _shortest(self.budget.cost),
            "--budget-time": _shortest(self.budget.seconds),
        }
        for domain in self.domains:
            yield from ("--domain", domain)
        for option, value in given.items():
            if value:
                yield from (option, str(value))


def fields_of(info: EvalInfo) -> dict[str, str]:
    """Return the texts of the fields for an evaluation like this one, from its command line; what
    the form has no field for is left out. Empty if the file of its tasks no longer exists."""
    given = _given(info.command)
    scorer, kind = given.get("--scorer", ""), given.get("--sandbox", "")
    suite = given.get("suite", info.suite)
    if typed_path(suite).suffix in SUITE_FILES and not is_file(typed_path(suite)):
        return {}
    one_mode = info.modes[0] if len(info.modes) == 1 else ""
    fields = {
        "suite": suite,
        "scorer": scorer if scorer in SCORERS else OWN_SCORER,
        "model": info.model,
        "url": str(info.params.get("base_url") or ""),
        "domains": given.get("--domain", ""),
        "limit": given.get("--limit", ""),
        "samples": given.get("--samples", ""),
        "at_once": given.get("--concurrency", ""),
        "steps": given.get("--max-steps", ""),
        "temperature": given.get("--temperature", ""),
        "budget": given.get("--budget-time", ""),
        "budget_tokens": given.get("--budget-tokens", ""),
        "budget_cost": given.get("--budget-cost", ""),
        "mode": one_mode if one_mode in ("vanilla", "sandbox") else BOTH,
    }
    return fields | ({"kind": kind} if kind in KINDS else {})


def last_used_of(info: EvalInfo, settings: config.Settings) -> list[dict[str, str]]:
    """Return the texts of the fields that an evaluation offers to the next one, in groups that
    belong together: its file with the scorer, its mode, and its kind of sandbox unless a setting
    names one. A named suite is left out; there are none if the file no longer exists."""
    fields = fields_of(info)
    groups: list[dict[str, str]] = []
    if typed_path(fields.get("suite", "")).suffix in SUITE_FILES:
        groups.append({name: fields[name] for name in ("suite", "scorer")})
    if fields.get("mode", BOTH) != BOTH:
        groups.append({"mode": fields["mode"]})
    if settings.sandbox.kind == KINDS[0] != fields.get("kind", KINDS[0]):
        groups.append({"kind": fields["kind"]})
    return groups


def _given(command: str) -> dict[str, str]:
    """Return the suite and the options of `eval run`, the values of a repeated one with commas
    between them; nothing for another command line."""
    try:
        words = shlex.split(command)
    except ValueError:
        return {}
    if "run" not in words:
        return {}
    given: dict[str, str] = {}
    rest = iter(words[words.index("run") + 1 :])
    for word in rest:
        name, is_joined, value = word.partition("=")
        if not word.startswith("-"):
            given.setdefault("suite", word)
        elif name not in FLAGS:
            text = value if is_joined else next(rest, "")
            adds = name in REPEATABLE and name in given
            given[name] = f"{given[name]}, {text}" if adds else text
    return given


def suite_to_run(new: NewEval) -> Suite:
    """Load the suite of an evaluation, with its tasks. Blocks.

    Raises:
        FieldError: a field cannot be used.
    """
    try:
        suite = load_suite(new.suite, overrides=new.overrides)
    except UnknownDomain as error:
        raise FieldError("domains", str(error)) from error
    except ConfigError as error:
        raise FieldError("suite", words_of(error)) from error
    if not all(suite.scorer_of(task) for task in suite.tasks):
        raise FieldError("scorer", NO_SCORER)
    return suite


def start_eval(
    store: Store, settings: config.Settings, new: NewEval, suite: Suite
) -> ledger.EvalSummary:
    """Start an evaluation in a new program, and return it once that program runs it. Blocks.

    Args:
        store: the database.
        settings: the user's settings.
        new: the evaluation.
        suite: its suite (`suite_to_run`).

    Raises:
        FieldError: a field cannot be used.
        SandboxTuiError: the program could not be started, or the database failed.
    """
    from sandbox_tui.sessions.evals.concurrency import default_concurrency
    from sandbox_tui.sessions.evals.detached import hand_over
    from sandbox_tui.sessions.evals.evaluation import begin_evaluation

    changes = {"model.name": new.model, "model.base_url": new.url, "sandbox.kind": new.kind}
    changed = config.changed(settings, changes)
    try:
        evaluation = begin_evaluation(
            store,
            suite,
            changed,
            concurrency=new.at_once or default_concurrency(changed.sandbox.memory),
            budget=new.budget,
            command=new.command,
        )
    except ConfigError as error:
        words = str(error)
        field = next((name for name in ("scorer", "model") if name in words.lower()), "suite")
        raise FieldError(field, words) from error
    hand_over(store, evaluation, new.url)
    return ledger.summary(store, evaluation.info.id)


def mistake_in_file(suite: str, scorer: str) -> FieldError | None:
    """Return what is wrong with a data file or with the scorer chosen for it, before anything
    starts; None for a suite, whose tasks may have to be downloaded first. Blocks."""
    from sandbox_tui.sessions.evals.evaluation import usable_scorers

    if typed_path(suite).suffix not in DATA_FILES:
        return _mistake_in_path(suite)
    try:
        found = load_suite(suite, overrides={"scorers": None if scorer == OWN_SCORER else scorer})
    except ConfigError as error:
        return FieldError("suite", words_of(error))
    if not all(found.scorer_of(task) for task in found.tasks):
        return FieldError("scorer", NO_SCORER)
    try:
        usable_scorers(found)
    except ConfigError as error:
        return FieldError("scorer", str(error))
    return None


def words_of(error: ConfigError) -> str:
    """Return what is wrong with a suite, in words for the form."""
    return error.with_names if isinstance(error, UnknownSuite) else str(error)


def _mistake_in_path(suite: str) -> FieldError | None:
    """Return that there is no such file or suite; None for one that exists."""
    if not suite or suite in known_suites() or typed_path(suite).exists():
        return None
    try:
        load_suite(suite)
    except ConfigError as error:
        return FieldError("suite", words_of(error))
    return None


def names_in(text: str) -> tuple[str, ...]:
    """Return the names in a field that takes several, with commas between them."""
    names = (name.strip() for name in text.split(","))
    return tuple(dict.fromkeys(name for name in names if name))


def _like_setting(field: str, typed: Mapping[str, str]) -> Any:
    return setting_of_text(LIKE_SETTING[field], typed[field])


def _shortest(number: float | None) -> str | None:
    return None if number is None else f"{number:g}"


def _number(text: str) -> int | None:
    return int(text) if text else None
