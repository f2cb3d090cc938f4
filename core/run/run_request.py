"""The request for a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from secrets import token_hex

from sandbox_tui.core.config import settings as config
from sandbox_tui.core.config.model_names import split_models
from sandbox_tui.core.events.types import Mode, ToolFormat, TurnPolicy, Watch
from sandbox_tui.core.models.base import Model
from sandbox_tui.core.prompts import PromptPack
from sandbox_tui.core.run.run_labels import SAMPLE, SAMPLES


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequest:
    """The request for a run, as plain data except for `model`.

    Attributes:
        task: the task for the model.
        settings: the settings in force.
        mode: the initial run mode; None for the mode in the settings.
        input: host file or folder for the input directory.
        output: host folder for the results; None for a new one below `settings.agent.output`.
        copy_results: whether the results are copied out at all.
        model: replaces the model named in the settings.
        tools: names of the tools the model may call (`tools.registry`); None for the default tools.
            A model without tools gets no sandbox.
        pack: replaces the prompts named in the settings.
        files: input files as bytes, by path in the input directory.
        environment: variables for its commands. They are recorded, so they must not hold secrets.
        labels: recorded with the run, such as suite, task and sample.
        setup: commands run in the sandbox, outside the model's shell, before the model starts.
        seed: seed of the first request to the model; each later step adds one.
        tool_format: the tool call format last used with this model, for `model.tool_calls` auto.
        turn_policy: how the agent treats replies and requests.
        watch: when files are scanned.
    """

    task: str
    settings: config.Settings
    mode: Mode | None = None
    input: Path | None = None
    output: Path | None = None
    copy_results: bool = True
    model: Model | None = None
    tools: tuple[str, ...] | None = None
    pack: PromptPack | None = None
    files: Mapping[str, bytes] = field(default_factory=dict[str, bytes])
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    labels: Mapping[str, str] = field(default_factory=dict[str, str])
    setup: tuple[str, ...] = ()
    seed: int | None = None
    tool_format: ToolFormat | None = None
    turn_policy: TurnPolicy = field(default_factory=TurnPolicy)
    watch: Watch = "live"


MAX_RUNS = 256
"""Maximum number of runs of one task started at once."""


def split_tasks(text: str) -> list[str]:
    """Return the tasks in a text, separated by lines of `---`."""
    tasks = [""]
    for line in text.splitlines():
        if line.strip() == "---":
            tasks.append("")
        else:
            tasks[-1] += line + "\n"
    return [task.strip() for task in tasks if task.strip()]


def requests_for(request: RunRequest, tasks: Sequence[str], samples: int = 1) -> list[RunRequest]:
    """Return one request for each run of each task with each model that the settings name.

    Each run gets its own results folder. The samples of a task use consecutive seeds, since equal
    seeds would give equal replies.
    """
    each = [replace(one, task=task) for task in tasks for one in _with_each_model(request)]
    asked = [
        replace(one, seed=None if one.seed is None else one.seed + number)
        for one in each
        for number in range(samples)
    ]
    if samples > 1:
        names = [token_hex(6) for _ in each]
        asked = [
            _sample_of(names[n // samples], n % samples + 1, one) for n, one in enumerate(asked)
        ]
    if len(asked) == 1 or request.output is None:
        return asked
    return [replace(one, output=request.output / str(n)) for n, one in enumerate(asked, 1)]


def _with_each_model(request: RunRequest) -> list[RunRequest]:
    settings = request.settings
    names = split_models(settings.model.name)
    if request.model is not None or names == [settings.model.name]:
        return [request]
    named = [config.changed(settings, {"model.name": name}) for name in names or [""]]
    return [replace(request, settings=one) for one in named]


def _sample_of(name: str, number: int, request: RunRequest) -> RunRequest:
    return replace(request, labels={**request.labels, SAMPLES: name, SAMPLE: str(number)})
