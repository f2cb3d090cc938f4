"""The ledger of evaluations: what each one covers, and the status of its samples.

A sample is claimed before its run begins and finished when its run's last event is stored. After a
crash in between, `reconcile` makes the two agree: a run that ended counts, any other is repeated,
and no sample is counted twice.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from sandbox_tui.core.base.errors import ResumeRefused
from sandbox_tui.core.base.process_identity import ProcessIdentity
from sandbox_tui.core.config.settings import Settings
from sandbox_tui.core.evals.eval_info import EvalInfo
from sandbox_tui.core.evals.sample import SampleKey, SampleResult
from sandbox_tui.core.evals.suite import Suite
from sandbox_tui.core.evals.task import Task
from sandbox_tui.sessions.store.compression import compress, decompress
from sandbox_tui.sessions.store.row_by_name import NamedRows
from sandbox_tui.sessions.store.store import Store
from sandbox_tui.sessions.store.tables.evals.budgets import Budget as Budget
from sandbox_tui.sessions.store.tables.evals.eval_sessions import hand_over
from sandbox_tui.sessions.store.tables.evals.totals import TOTALS, totals_of

NO_EVALUATION = "There are no evaluations yet: `sandbox-tui eval run pocket` starts one."

_COLUMNS = tuple(field.name for field in msgspec.structs.fields(SampleResult))
_MARKS = ", ".join("?" * (len(_COLUMNS) + 2))


@dataclass(frozen=True, slots=True)
class EvalSummary:
    """Summary of an evaluation.

    Attributes:
        info: its description.
        samples: total number.
        over: number of samples that have ended.
        lost: number of those without a score, because of an error.
        scores: mean score over tasks by mode; modes without a score are left out.
        running: whether a program is working on it now.
        stopped_because: why its program stopped early; empty if it did not, or was killed.
        owner: the program that works on it, or did when it was killed.
    """

    info: EvalInfo
    samples: int
    over: int
    running: bool
    stopped_because: str = ""
    owner: ProcessIdentity | None = None
    lost: int = 0
    scores: Mapping[str, float] = field(default_factory=dict[str, float])

    @property
    def status(self) -> str:
        """`running`, `finished` or `interrupted`."""
        if self.running:
            return "running"
        return "finished" if self.over == self.samples else "interrupted"

    @property
    def can_resume(self) -> bool:
        """Whether samples are left, or ended without a score, and no program runs them."""
        return not self.running and (self.over < self.samples or self.lost > 0)


class EvalPlan(msgspec.Struct, frozen=True, kw_only=True):
    """The specification of an evaluation, stored so that another program can continue it.

    Attributes:
        suite: including its tasks, which are stored as separate rows.
        settings: in force when the evaluation began.
        budget: for the whole evaluation.
        packs: digest of each prompt pack (`SampleRequests.packs`); empty if unknown because an
            older version began the evaluation.
    """

    suite: Suite
    settings: Settings
    budget: Budget = Budget()
    packs: dict[str, str] = {}


def create(store: Store, info: EvalInfo, plan: EvalPlan) -> None:
    """Add an evaluation that belongs to this program; all its samples are pending.

    Raises:
        StoreError: the write failed.
    """
    suite = plan.suite
    kept = msgspec.json.encode(msgspec.structs.replace(plan, suite=replace(suite, tasks=())))
    with store.transaction() as connection:
        connection.execute(
            "INSERT INTO evals (id, suite, digest, model, info, plan, began_at, owner_pid,"
            " owner_started, owner_host) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                *(info.id, info.suite, info.digest, info.model),
                *(msgspec.json.encode(info).decode(), kept, info.began_at),
                *ProcessIdentity.this_process(),
            ],
        )
        connection.executemany(
            "INSERT INTO eval_tasks (eval_id, place, task, compressed, json)"
            " VALUES (?, ?, ?, ?, ?)",
            (
                [info.id, place, task.id, *compress(msgspec.json.encode(task))]
                for place, task in enumerate(suite.tasks)
            ),
        )
        connection.executemany(
            f"INSERT INTO eval_samples (eval_id, place, {', '.join(_COLUMNS)}) VALUES ({_MARKS})",
            ([info.id, place, *_values(pending)] for place, pending in enumerate(_pending(suite))),
        )


def plan_of(store: Store, eval_id: str) -> EvalPlan:
    """Return the specification of an evaluation.

    Raises:
        StoreError: there is no such evaluation, or it cannot be read.
    """
    rows = store.rows("SELECT plan FROM evals WHERE id = ?", [eval_id])
    if not rows:
        raise _EVALUATIONS.not_found(eval_id)
    tasks = store.rows(
        "SELECT compressed, json FROM eval_tasks WHERE eval_id = ? ORDER BY place", [eval_id]
    )
    plan = msgspec.json.decode(rows[0]["plan"], type=EvalPlan)
    loaded = tuple(
        msgspec.json.decode(decompress(row["compressed"], row["json"]), type=Task) for row in tasks
    )
    return msgspec.structs.replace(plan, suite=replace(plan.suite, tasks=loaded))


def take_ownership(store: Store, eval_id: str, given_by: ProcessIdentity | None = None) -> None:
    """Make this program the owner of an evaluation.

    Args:
        store: the database.
        eval_id: the evaluation.
        given_by: the program that hands it over, which may still own it.

    Raises:
        ResumeRefused: another program is running it.
        StoreError: the write failed.
    """
    with store.transaction() as connection:
        row = connection.execute(
            "SELECT owner_pid, owner_started, owner_host FROM evals WHERE id = ?", [eval_id]
        ).fetchone()
        if row is None:
            raise _EVALUATIONS.not_found(eval_id)
        owner = _owner(*row)
        givers = (ProcessIdentity.this_process(), given_by)
        if owner is not None and owner.alive and owner not in givers:
            raise ResumeRefused(
                f"Another program (process {owner.pid} on {owner.host_name}) is running the "
                f"evaluation {eval_id}. `sandbox-tui eval watch {eval_id}` follows it."
            )
        connection.execute(
            "UPDATE evals SET owner_pid = ?, owner_started = ?, owner_host = ?, ended_at = NULL,"
            " stopped_because = NULL WHERE id = ?",
            [*ProcessIdentity.this_process(), eval_id],
        )


def set_info(store: Store, info: EvalInfo) -> None:
    """Replace the description of an evaluation.

    Raises:
        StoreError: the write failed.
    """
    with store.transaction() as connection:
        connection.execute(
            "UPDATE evals SET info = ? WHERE id = ?", [msgspec.json.encode(info).decode(), info.id]
        )


def release(store: Store, eval_id: str, because: str = "") -> None:
    """Record that no program is working on an evaluation any more.

    Args:
        store: the database.
        eval_id: the evaluation.
        because: why, if samples are left.

    Raises:
        StoreError: the write failed.
    """
    with store.transaction() as connection:
        connection.execute(
            "UPDATE evals SET ended_at = ?, stopped_because = ?, owner_pid = NULL WHERE id = ?",
            [time.time(), because or None, eval_id],
        )


def set_stopped_because(store: Store, eval_id: str, because: str) -> None:
    """Say better why an evaluation was stopped early than its program could, which only received a
    signal; one that goes on or has finished stays as it is.

    Raises:
        StoreError: the write failed.
    """
    with store.transaction() as connection:
        connection.execute(
            "UPDATE evals SET stopped_because = ?"
            " WHERE id = ? AND owner_pid IS NULL AND stopped_because IS NOT NULL",
            [because, eval_id],
        )


def claim(store: Store, eval_id: str, key: SampleKey, run_id: str) -> int:
    """Record that a run begins for a sample; return the number of the attempt, from 1.

    Raises:
        StoreError: the write failed.
    """
    with store.transaction() as connection:
        connection.execute(
            "UPDATE eval_samples SET status = 'running', run_id = ?, attempts = attempts + 1,"
            f" began_at = ? WHERE {_IS_SAMPLE}",
            [run_id, time.time(), eval_id, key.task, key.mode, key.number],
        )
        assigned = [run_id, eval_id]
        connection.execute("INSERT INTO eval_runs (run_id, eval_id) VALUES (?, ?)", assigned)
        (attempts,) = connection.execute(
            f"SELECT attempts FROM eval_samples WHERE {_IS_SAMPLE}",
            [eval_id, key.task, key.mode, key.number],
        ).fetchone()
    return int(attempts)


def finish(store: Store, eval_id: str, *ended: SampleResult) -> None:
    """Record the results of samples; `pending` returns one to the queue.

    Raises:
        StoreError: the write failed.
    """
    assignments = ", ".join(f"{name} = ?" for name in _COLUMNS)
    with store.transaction() as connection:
        connection.executemany(
            f"UPDATE eval_samples SET {assignments} WHERE {_IS_SAMPLE}",
            [[*_values(each), eval_id, each.task, each.mode, each.number] for each in ended],
        )


def results(store: Store, eval_id: str) -> list[SampleResult]:
    """Return the state of each sample of an evaluation, in the order of the plan.

    Raises:
        StoreError: the database cannot be read.
    """
    return _results(store.rows(f"{_RESULTS} ORDER BY place", [eval_id]))


def result_at(store: Store, eval_id: str, place: int) -> SampleResult:
    """Return the state of the sample at one position of the plan, counted from 0.

    Raises:
        StoreError: the database cannot be read.
    """
    return _results(store.rows(f"{_RESULTS} AND place = ?", [eval_id, place]))[0]


def marks(store: Store, eval_id: str) -> list[tuple[object, ...]]:
    """Return one mark per sample, in the order of the plan, which changes whenever the sample does.

    Reading the marks costs a fraction of reading all samples.

    Raises:
        StoreError: the database cannot be read.
    """
    rows = store.rows(
        "SELECT status, run_id, attempts FROM eval_samples WHERE eval_id = ? ORDER BY place",
        [eval_id],
    )
    return [tuple(row.values()) for row in rows]


def mark_of(result: SampleResult) -> tuple[object, ...]:
    """Return the mark of a sample result (see `marks`)."""
    return result.status, result.run_id, result.attempts


def summaries(store: Store, limit: int = 100) -> list[EvalSummary]:
    """Return evaluations, newest first.

    Raises:
        StoreError: the database cannot be read.
    """
    rows = store.rows(f"{_SUMMARIES} {_NEWEST_FIRST} LIMIT ?", [limit])
    return [_summary(row) for row in rows]


def summaries_of(store: Store, ids: Sequence[str]) -> list[EvalSummary]:
    """Summaries of these evaluations; deleted ones are left out."""
    among = f"WHERE id IN ({', '.join('?' * len(ids))})"
    return [_summary(row) for row in store.rows(f"{_SUMMARIES} {among} {_NEWEST_FIRST}", list(ids))]


def summary(store: Store, name: str = "last", *, strict: bool = False) -> EvalSummary:
    """Return the evaluation with this id, part of an id, or suite; `last` is the newest.

    Args:
        store: the database.
        name: the id, or a part of it.
        strict: for irreversible actions: accept only the id, or at least `MIN_PREFIX`
            characters that it starts or ends with.

    Raises:
        StoreError: no evaluation matches, or more than one.
    """
    return _summary(_EVALUATIONS.find(store, name, strict=strict))


def delete(store: Store, eval_id: str) -> None:
    """Delete an evaluation; its sessions stay, and those that another one has too become its own.

    Raises:
        StoreError: the write failed.
    """
    with store.transaction() as connection:
        hand_over(connection, eval_id)
        connection.execute("DELETE FROM evals WHERE id = ?", [eval_id])


_RESULTS = f"SELECT {', '.join(_COLUMNS)} FROM eval_samples WHERE eval_id = ?"

_IS_SAMPLE = "eval_id = ? AND task = ? AND mode = ? AND number = ?"

_SUMMARIES = (
    "SELECT info, stopped_because, ended_at, owner_pid, owner_started, owner_host,"
    f" {TOTALS} AS totals FROM evals"
)

_NEWEST_FIRST = "ORDER BY began_at DESC, id DESC"

_EVALUATIONS = NamedRows(
    query=_SUMMARIES,
    order=_NEWEST_FIRST,
    noun="evaluation",
    title="suite",
    command="sandbox-tui eval ls",
    nothing=NO_EVALUATION,
)


def _summary(row: dict[str, Any]) -> EvalSummary:
    owner = _owner(row["owner_pid"], row["owner_started"], row["owner_host"])
    info = msgspec.json.decode(row["info"], type=EvalInfo)
    totals = totals_of(row["totals"])
    return EvalSummary(
        info=msgspec.structs.replace(info, ended_at=row["ended_at"] or 0.0),
        samples=totals.samples,
        over=totals.over,
        lost=totals.lost,
        scores=totals.scores,
        running=owner is not None and owner.alive,
        stopped_because=row["stopped_because"] or "",
        owner=owner,
    )


def _results(rows: list[dict[str, Any]]) -> list[SampleResult]:
    for row in rows:
        row["estimated"] = bool(row["estimated"])
    return msgspec.convert(rows, list[SampleResult])


def _owner(pid: int | None, started: str | None, host: str | None) -> ProcessIdentity | None:
    return None if pid is None else ProcessIdentity(pid, started or "", host or "")


def _pending(suite: Suite) -> Iterator[SampleResult]:
    for sample in suite.plan():
        key, task = sample.key, sample.task
        yield SampleResult(
            task=key.task,
            mode=key.mode,
            number=key.number,
            domain=task.domain,
            level=task.level,
            scorer=suite.scorer_of(task),
            target=task.target,
        )


def _values(result: SampleResult) -> Sequence[object]:
    return [getattr(result, name) for name in _COLUMNS]
