"""The request for a new run like a recorded one, from the beginning."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec

from sandbox_tui.core.base.blob_store import BlobStore
from sandbox_tui.core.base.errors import ConfigError, ResumeRefused
from sandbox_tui.core.config import settings as config
from sandbox_tui.core.events import types as e
from sandbox_tui.core.lineage.open_resumed import recorded_pack, recorded_request
from sandbox_tui.core.prompts import PromptPack, load_pack
from sandbox_tui.core.run.input_files import stored_files
from sandbox_tui.core.run.run_labels import OF_COLLECTIONS, SAMPLE, SAMPLES
from sandbox_tui.core.run.run_request import RunRequest
from sandbox_tui.core.sandboxes.no_sandbox import KIND as NO_SANDBOX


def request_again(
    started: e.RunStarted,
    settings: config.Settings,
    blobs: BlobStore,
    *,
    trusted: bool,
    inherited_input: str | None = None,
) -> RunRequest:
    """Return a request with the task, input and settings of a recorded run.

    The new run has results and labels of its own: it is no sample of an evaluation, nor of a task.

    Args:
        started: the run's first event.
        settings: the current settings, for what the run did not record.
        blobs: where the contents of its input files are stored.
        trusted: whether the session was recorded here. An imported one gives only its task: it must
            not decide which server receives a key, what is copied in, or what a sandbox may do.
        inherited_input: the input of a fork's ancestor: a fork itself copies nothing in.
    """
    if not trusted:
        return RunRequest(task=started.task, settings=settings)
    if started.sandbox == NO_SANDBOX:
        started = msgspec.structs.replace(started, sandbox=settings.sandbox.kind)
    try:
        request = recorded_request(started, settings)
    except ResumeRefused:
        return RunRequest(task=started.task, settings=settings)
    recorded = started.settings or e.RunSettings()
    changes = {"agent.output": _parent_folder(started, recorded, settings)}
    recorded_input = recorded.input or inherited_input
    changes |= {"agent.prompts": started.prompt_pack} if started.prompt_pack else {}
    return replace(
        request,
        settings=config.changed(request.settings, changes),
        input=Path(recorded_input) if recorded_input else None,
        output=None,
        copy_results=True,
        pack=_pack_of(started),
        files=stored_files(recorded.files, blobs),
        labels=_own_labels(recorded),
        watch="live",
    )


def _parent_folder(
    started: e.RunStarted, recorded: e.RunSettings, settings: config.Settings
) -> str:
    """Return the folder in which the run got its subfolder; a folder that was given for this run
    alone is not used again."""
    output = Path(recorded.output) if recorded.output else None
    own = output is not None and output.name == started.run_id
    return str(output.parent) if own and output is not None else settings.agent.output


def _own_labels(recorded: e.RunSettings) -> dict[str, str]:
    if OF_COLLECTIONS & set(recorded.labels):
        return {}
    return {k: v for k, v in recorded.labels.items() if k not in (SAMPLE, SAMPLES)}


def _pack_of(started: e.RunStarted) -> PromptPack | None:
    """Return the recorded prompts if no pack of their name can be loaded any more."""
    try:
        load_pack(started.prompt_pack)
    except ConfigError:
        pack = recorded_pack(started)
        system, instance = _escaped(pack.system_prompt), _escaped(pack.instance_prompt)
        if started.task:
            instance = instance.replace(_escaped(started.task), "{problem_statement}")
        return replace(pack, system_prompt=system, instance_prompt=instance)
    return None


def _escaped(text: str) -> str:
    """Return a text as a template that gives this text."""
    return text.replace("{", "{{").replace("}", "}}")
