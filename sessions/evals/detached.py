"""Evaluations in programs without a terminal, which outlive the program that starts them.

    python -m sandbox_tui.sessions.evals.detached ID     runs what is left of an evaluation
    python -m sandbox_tui.sessions.evals.detached ID --failed    and the samples without a score

The program writes nothing but errors, to the log of detached programs. A signal stops the
evaluation: running samples end and are requeued.
"""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from sandbox_tui.core.base.errors import SandboxTuiError
from sandbox_tui.core.base.process_identity import ProcessIdentity, raise_file_limit
from sandbox_tui.core.config import settings as config
from sandbox_tui.core.evals.sample import SampleResult
from sandbox_tui.core.events.kinds.values import STOPPED_EARLY
from sandbox_tui.sessions.evals.evaluation import Evaluation, check_packs, resume_evaluation
from sandbox_tui.sessions.evals.runner import EvalRunner
from sandbox_tui.sessions.interchange.redaction import secrets_of
from sandbox_tui.sessions.remote.detached_log import Log, log_file, open_log
from sandbox_tui.sessions.remote.served_runs import ServedRuns
from sandbox_tui.sessions.store.store import Store
from sandbox_tui.sessions.store.tables import eval_ledger as ledger

MODULE = "sandbox_tui.sessions.evals.detached"
RERUN = "--failed"
"""Option: samples without a score run again."""

LOOK_SECONDS = 0.05
"""Seconds between checks of whether the program has begun."""


def hand_over(store: Store, evaluation: Evaluation, base_url: str) -> None:
    """Let a new program run an evaluation that has just been created; wait until it does. Blocks.

    This program owns it until then, so that nobody takes it for an interrupted one.

    Args:
        store: the database.
        evaluation: the evaluation.
        base_url: the address of the model's server, whose secrets are not recorded.

    Raises:
        SandboxTuiError: the program could not take over; nothing has run.
    """
    _hand_over(store, evaluation.info.id, base_url)


def claim(store: Store, eval_id: str) -> None:
    """Make this program the owner of an interrupted evaluation until `resume` has handed it over,
    so that it is running from then on. Blocks.

    Raises:
        ConfigError: a prompt pack has been removed or changed.
        ResumeRefused: another program is running it.
        StoreError: the database failed.
    """
    check_packs(ledger.plan_of(store, eval_id), eval_id)
    ledger.take_ownership(store, eval_id)


def resume(store: Store, eval_id: str, base_url: str, *, rerun_lost: bool = False) -> None:
    """Let a new program run what is left of a claimed evaluation; wait until it does. Blocks.

    Args:
        store: the database.
        eval_id: the evaluation.
        base_url: the address of the model's server in the current settings.
        rerun_lost: whether samples that ended without a score because of an error run again.

    Raises:
        SandboxTuiError: the program could not take over; nothing has run, and it is interrupted
            again.
    """
    _hand_over(store, eval_id, base_url, *([RERUN] if rerun_lost else []))


def _hand_over(store: Store, eval_id: str, base_url: str, *options: str) -> None:
    try:
        _start(store, eval_id, base_url, *options)
    except SandboxTuiError:
        if ledger.summary(store, eval_id).owner == ProcessIdentity.this_process():
            ledger.release(store, eval_id)
        raise


def _start(store: Store, eval_id: str, base_url: str, *options: str) -> None:
    address = {config.variable("model", "base_url"): base_url} if base_url else {}
    log = open_log()
    try:
        program = subprocess.Popen(
            [sys.executable, "-m", MODULE, eval_id, *options],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=log,
            start_new_session=True,
            env={**os.environ, **address},
        )
    except OSError as error:
        raise SandboxTuiError(f"The evaluation's program cannot start: {error}.") from error
    finally:
        os.close(log)
    while not _has_begun(store, eval_id):
        if (code := program.poll()) is not None:
            if code in (0, STOPPED_EARLY):  # it is over already
                return
            raise SandboxTuiError(f"The evaluation's program failed; {log_file()} may say why.")
        time.sleep(LOOK_SECONDS)
    program.returncode = 0  # stops Popen from waiting for it: it keeps running


def _has_begun(store: Store, eval_id: str) -> bool:
    """Return whether another program than this one runs an evaluation."""
    found = ledger.summary(store, eval_id)
    return found.running and found.owner != ProcessIdentity.this_process()


def program_of(found: ledger.EvalSummary) -> int | None:
    """Return the id of the detached program that runs an evaluation; None if none does here."""
    owner = found.owner
    if owner is None or not owner.here or not owner.alive:
        return None
    try:
        words = Path(f"/proc/{owner.pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return None
    return owner.pid if MODULE.encode() in words else None


def stop(found: ledger.EvalSummary) -> bool:
    """Stop an evaluation that a detached program runs; return whether there was one."""
    pid = program_of(found)
    if pid is None:
        return False
    try:
        os.kill(pid, signal.SIGTERM)
    except ProcessLookupError:
        return False
    return True


async def run(evaluation: Evaluation, store: Store, log: Log) -> int:
    """Run an evaluation to its end; return the exit code.

    Raises:
        SandboxTuiError: its samples cannot be stored.
    """
    runs = ServedRuns(store, log.write)
    runner = EvalRunner(evaluation, runs)
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(log.on_loop)
    stopping: set[asyncio.Task[None]] = set()

    def stop_because(words: str) -> None:
        if not stopping:
            stopping.add(asyncio.create_task(runner.stop(words)))

    def on_change(changed: SampleResult | None) -> None:
        if changed is None and runner.paused_because:  # nobody can resume it here
            stop_because(runner.paused_because)

    runner.observers.append(on_change)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGQUIT):
        loop.add_signal_handler(number, stop_because, "You stopped it.")
    loop.add_signal_handler(signal.SIGHUP, lambda: None)  # the terminal it began in was closed
    try:
        await runner.run()
    finally:
        await runs.close()
    return 0 if all(one.over for one in runner.samples.values()) else STOPPED_EARLY


def main() -> None:
    """Run the evaluation that the command line names."""
    log = Log(secrets_of(os.environ))
    log.install()
    log.run_id = sys.argv[1]
    raise_file_limit()
    store = Store(config.data_dir() / "sessions.db")
    try:
        rerun = RERUN in sys.argv[2:]
        giver = ProcessIdentity.parent()
        evaluation = resume_evaluation(
            store, log.run_id, config.load(), None, rerun_lost=rerun, given_by=giver
        )
        code = asyncio.run(run(evaluation, store, log))
    finally:
        store.close()
    sys.exit(code)


if __name__ == "__main__":
    main()
