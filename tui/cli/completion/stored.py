"""Completes what the database has: sessions, evaluations, training runs, models and tags. It is
only read, and an unusable one completes nothing."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, cast

import click
from click.shell_completion import CompletionItem

from sandbox_tui.tui.cli.completion.items import beginning_with, named_by

if TYPE_CHECKING:
    from sandbox_tui.sessions import RunSummary, Store
    from sandbox_tui.sessions.store.tables.eval_ledger import EvalSummary

MAX_COMPLETED = 50
"""Maximum number of ids that are offered, the newest ones."""


def complete_session(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Return the ids of the newest sessions that the typed text names, with their tasks, without
    those that the command line already names."""
    del param
    found = {"last": "the newest session", **stored(_sessions)}
    return _not_named(ctx, incomplete, found)


def complete_detached_run(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Return the ids of the detached runs; see `complete_session`."""
    del param
    found = stored(lambda store: _runs_that(store, _is_detached))
    last = {"last": "the newest of these"} if found else {}
    return _not_named(ctx, incomplete, {**last, **found})


def complete_resumable_run(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Return the ids of the newest sessions that can be resumed; see `complete_session`."""
    del param
    return _not_named(ctx, incomplete, stored(lambda store: _runs_that(store, _is_resumable)))


def _not_named(
    ctx: click.Context, incomplete: str, found: Mapping[str, str]
) -> list[CompletionItem]:
    """Return those of the ids that the typed text names and the command line does not yet."""
    named: set[str] = set()
    for given in ctx.params.values():
        if isinstance(given, str):
            named.add(given)
        elif isinstance(given, tuple):
            named.update(map(str, cast(tuple[object, ...], given)))
    return named_by(incomplete, {id_: words for id_, words in found.items() if id_ not in named})


def complete_model(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Return the models that begin with the typed text: the settings' one and those that a server
    of this machine lists; without a list, those of sessions."""
    from sandbox_tui.tui.cli.completion.server_models import listed_models

    def last() -> str:
        return next(iter(stored(_server_of_last_run)), "")

    del param
    listed = listed_models(str(ctx.params.get("base_url") or ""), last)
    return beginning_with(incomplete, {**_model_of_settings(), **(listed or stored(_models))})


def complete_server(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Return the servers that begin with the typed text: the settings' one and that of the last
    run, without secrets."""
    del ctx, param
    return beginning_with(incomplete, {**stored(_server_of_last_run), **_server_of_settings()})


def complete_filter(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Return the filters that begin with the typed text, and their values."""
    from sandbox_tui.sessions.search.query_completion import completions, known_values

    del ctx, param
    found = stored(lambda store: dict.fromkeys(completions(incomplete, known_values(store)), ""))
    return [CompletionItem(words) for words in found]


def complete_evaluation(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Return the ids of the newest evaluations that the typed text names, each with its suite and
    model."""
    del ctx, param
    found = {"last": "the newest evaluation", **stored(_evaluations)}
    return named_by(incomplete, found)


def complete_running_evaluation(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Return the ids of the newest evaluations that run now; see `complete_evaluation`."""
    del ctx, param
    return named_by(incomplete, stored(lambda store: _those(store, _runs)))


def complete_resumable_evaluation(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Return the ids of the newest evaluations that can be resumed; see `complete_evaluation`."""
    del ctx, param
    return named_by(incomplete, stored(lambda store: _those(store, _can_resume)))


def complete_training(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Return the ids of the newest training runs that the typed text names, with their names."""
    del ctx, param
    found = {"last": "the newest training run", **stored(_trainings)}
    return named_by(incomplete, found)


def complete_tag(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Return the tags of all sessions that begin with the typed text, the most frequent first."""
    del ctx, param
    return beginning_with(incomplete, stored(_tags))


def stored(read: Callable[[Store], Mapping[str, str]]) -> Mapping[str, str]:
    """Return what the database has; nothing if there is none, or it cannot be read."""
    from sandbox_tui.core.base.errors import SandboxTuiError
    from sandbox_tui.core.base.sanitize import sanitize_line
    from sandbox_tui.core.config.settings import data_dir
    from sandbox_tui.sessions import Store

    path = data_dir() / "sessions.db"
    if path.exists():
        with contextlib.suppress(SandboxTuiError), Store.open_readonly_if_needed(path) as store:
            return {name: sanitize_line(words) for name, words in read(store).items()}
    return {}


def _sessions(store: Store) -> Mapping[str, str]:
    from sandbox_tui.tui.format.titles import task_title

    runs = store.standalone_runs(limit=MAX_COMPLETED)
    return {run.id: task_title(run) for run in runs}


def _runs_that(store: Store, is_meant: Callable[[RunSummary], bool]) -> Mapping[str, str]:
    """Return those of the newest sessions that are meant."""
    from sandbox_tui.tui.format.titles import task_title

    runs = store.standalone_runs(limit=MAX_COMPLETED)
    return {run.id: task_title(run) for run in runs if is_meant(run)}


def _is_detached(run: RunSummary) -> bool:
    from sandbox_tui.sessions.remote.sockets import is_detached

    return run.outcome == "running" and is_detached(run.id)


def _is_resumable(run: RunSummary) -> bool:
    from sandbox_tui.sessions.recording.resume_worker import problem_with
    from sandbox_tui.sessions.store.run_summary import has_lost_sandbox

    return not problem_with(run) and not has_lost_sandbox(run)


def _evaluations(store: Store) -> Mapping[str, str]:
    from sandbox_tui.sessions.store.newest_ids import newest_evaluations

    return newest_evaluations(store, MAX_COMPLETED)


def _those(store: Store, is_meant: Callable[[EvalSummary], bool]) -> Mapping[str, str]:
    """Return "last" and the evaluations that are meant; nothing if there are none."""
    from sandbox_tui.sessions.store.tables.eval_ledger import summaries

    infos = [one.info for one in summaries(store, MAX_COMPLETED) if is_meant(one)]
    found = {info.id: f"{info.suite} {info.model}" for info in infos}
    return {"last": "the newest of these", **found} if found else {}


def _runs(found: EvalSummary) -> bool:
    return found.running


def _can_resume(found: EvalSummary) -> bool:
    return found.can_resume


def _trainings(store: Store) -> Mapping[str, str]:
    from sandbox_tui.sessions.store.newest_ids import newest_trainings

    return newest_trainings(store, MAX_COMPLETED)


def _models(store: Store) -> Mapping[str, str]:
    from sandbox_tui.sessions.search.query_completion import known_values

    return dict.fromkeys(known_values(store)["model"], "")


def _model_of_settings() -> Mapping[str, str]:
    from sandbox_tui.core.base.errors import SandboxTuiError
    from sandbox_tui.core.config.settings import load

    with contextlib.suppress(SandboxTuiError):
        if name := load().model.name:
            return {name: "the settings' model"}
    return {}


def _server_of_settings() -> Mapping[str, str]:
    from sandbox_tui.core.base.errors import SandboxTuiError
    from sandbox_tui.core.config.settings import load
    from sandbox_tui.core.models.error_mapping import without_secrets

    with contextlib.suppress(SandboxTuiError):
        if server := without_secrets(load().model.base_url):
            return {server: "the settings' server"}
    return {}


def _server_of_last_run(store: Store) -> Mapping[str, str]:
    from sandbox_tui.sessions.relations.last_model import last_model

    last = last_model(store)
    return {last.base_url: "the server of the last run"} if last and last.base_url else {}


def _tags(store: Store) -> Mapping[str, str]:
    from sandbox_tui.sessions.search.query_completion import known_values

    return dict.fromkeys(known_values(store)["tag"], "")
