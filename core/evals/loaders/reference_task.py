"""Loads a task folder of the reference: config.yaml, reward.py, optional vanilla_llm_prompt.py.

config.yaml is itself a prompt pack, so its `working_dir`, `input_dir` and `output_dir` apply, which
the reference ignores. The prompt that `create_prompt` returns for `vanilla` is stored in the task's
metadata under `VANILLA_PROMPT`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import msgspec

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.base.typed_path import typed_path
from sandbox_tui.core.evals.loaders.data_file import read_text
from sandbox_tui.core.evals.loaders.dataset import Dataset
from sandbox_tui.core.evals.task import VANILLA_PROMPT, Task
from sandbox_tui.core.evals.user_functions import MAX_OWN_BYTES, Arguments, call_user_function
from sandbox_tui.core.evals.worker import WorkerCall, WorkerFailed
from sandbox_tui.core.prompts.yaml_problem import yaml_problem

PROMPTS_SECONDS = 60.0
"""Timeout of `create_prompt` for all rows together."""


def suite_tables(folder: Path) -> dict[str, Any]:
    """Return the contents of a suite file that runs the task in this folder.

    Raises:
        ConfigError: a file is missing or cannot be read.
    """
    reward = folder / "reward.py"
    if not reward.is_file():
        raise ConfigError(f"{folder} is not a task: it has no reward.py.")
    _config(folder)
    options = {"source": read_text(reward), "folder": str(folder.resolve())}
    return {
        "dataset": {"loader": "reference_task"},
        "scorers": "reference_reward",
        "scorer_options": {"reference_reward": options},
        "prompts": "config.yaml",
        "vanilla_prompts": "plain",
    }


def load(dataset: Dataset, folder: Path) -> Iterator[Task]:
    """Load the tasks that config.yaml names.

    Raises:
        ConfigError: a file is missing or cannot be read, or create_prompt fails.
    """
    folder = folder / typed_path(dataset.path)
    return iter(_with_prompts(_tasks(dataset, folder), folder))


def reference_row(task: Task) -> dict[str, Any]:
    """Convert a task to a row in the reference's dataset format, with all its original columns."""
    metadata = {key: value for key, value in task.metadata.items() if key != VANILLA_PROMPT}
    return {
        **metadata,
        "id": task.id,
        "problem_statement": task.problem,
        "ground_truth": task.target,
        "domain": task.domain,
        "input_files": {path: text.decode(errors="replace") for path, text in task.files.items()},
    }


def _config(folder: Path) -> dict[str, Any]:
    import yaml

    try:
        value: object = yaml.safe_load(read_text(folder / "config.yaml"))
    except yaml.YAMLError as error:
        raise ConfigError(
            f"{folder / 'config.yaml'} is not valid YAML: {yaml_problem(error)}."
        ) from error
    tables = cast(dict[str, Any], value) if isinstance(value, dict) else {}
    if not isinstance(tables.get("dataset"), str):
        raise ConfigError(f"{folder / 'config.yaml'} must name a dataset.")
    return tables


def _tasks(dataset: Dataset, folder: Path) -> list[Task]:
    from sandbox_tui.core.evals.loaders.table import load_tasks

    config = _config(folder)
    domain = dataset.domain or folder.resolve().name
    if config["dataset"] != "json":
        named = {"loader": "hugging_face", "path": config["dataset"], "domain": domain}
        selection = {key: str(config.get(key) or "") for key in ("config", "split")}
        return load_tasks(msgspec.convert({**named, **selection}, Dataset), folder, str(folder))
    file = _data_file(str(config.get("data_files") or ""), folder)
    is_list = read_text(file).lstrip().startswith("[")
    source = Dataset(loader="json" if is_list else "jsonl", path=str(file), domain=domain)
    return load_tasks(source, folder, str(folder))


def _data_file(name: str, folder: Path) -> Path:
    """Resolve a name in the folder of all tasks, as the reference does, or in the task's own."""
    for base in (folder.resolve().parent, folder.resolve()):
        if name and (base / name).is_file():
            return base / name
    raise ConfigError(f"{folder / 'config.yaml'}: data_files names {name!r}, which is not a file.")


def _with_prompts(tasks: list[Task], folder: Path) -> list[Task]:
    file = folder / "vanilla_llm_prompt.py"
    if not file.is_file():
        return tasks
    calls: list[Arguments] = [((reference_row(task),), {}) for task in tasks]
    arguments = (read_text(file), str(folder.resolve()), file.name, "create_prompt", calls)
    call = WorkerCall(
        call_user_function, arguments, timeout=PROMPTS_SECONDS, max_bytes=MAX_OWN_BYTES
    )
    try:
        prompts = call.run()
    except WorkerFailed as error:
        raise ConfigError(f"{file}: {error}.") from error
    return [
        msgspec.structs.replace(task, metadata=task.metadata | {VANILLA_PROMPT: str(prompt)})
        for task, prompt in zip(tasks, prompts, strict=True)
    ]
