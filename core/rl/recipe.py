"""Recipes: YAML files that define what to train, on which data, and how.

    engine: trl
    model: tiny
    data: {train: train.jsonl, held_out: held-out.jsonl}
    episodes: {mode: sandbox, sandbox: bubblewrap, limits: {max_steps: 5}}
    training: {steps: 60, prompts: 4, group: 8, learning_rate: 1.0e-5}
    evaluation: {every: 10, tasks: 64}
    checkpoints: {every: 10}
    seed: 1

Paths are relative to the recipe's folder. `mode: text` is the text-only arm: the same data and
budget without a computer.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal, cast

import msgspec
import yaml

from sandbox_tui.core.base.errors import ConfigError, refuse_deep_nesting
from sandbox_tui.core.base.typed_path import typed_path
from sandbox_tui.core.config.expected_values import refuse_unknown_keys
from sandbox_tui.core.config.settings import ModelSettings
from sandbox_tui.core.evals.suite_file_errors import described
from sandbox_tui.core.events.types import Limits
from sandbox_tui.core.models.factory import refuse_demo
from sandbox_tui.core.prompts import load_one_reply_pack, load_pack
from sandbox_tui.core.prompts.yaml_problem import yaml_problem
from sandbox_tui.core.rl.advantages import AdvantageRule
from sandbox_tui.core.rl.episode_settings import NATIVE, EpisodeSettings
from sandbox_tui.core.rl.rewards.settings import RewardSettings

MAX_SEED = 2**32 - 1
"""The largest seed of NumPy, which TRL also seeds."""

EngineName = Literal["trl", "collect"]
Count = Annotated[int, msgspec.Meta(ge=1)]
Whole = Annotated[int, msgspec.Meta(ge=0)]
Positive = Annotated[float, msgspec.Meta(gt=0)]
NotNegative = Annotated[float, msgspec.Meta(ge=0)]


class DataFiles(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Task files (`core.rl.data.task_file`).

    Attributes:
        train: tasks that the policy learns from.
        held_out: tasks that it is measured with; empty: none. No document may be in both.
    """

    train: str
    held_out: str = ""


class TrainingSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How the policy learns.

    Attributes:
        steps: optimizer steps.
        prompts: number of tasks per step.
        group: number of rollouts per task.
        concurrency: maximum number of episodes at once.
        advantages: how to compute advantages, `rloo` or `grpo`.
        learning_rate: constant learning rate of AdamW.
        temperature: sampling temperature.
        reply_tokens: maximum number of tokens per reply.
        clip: clipping range of the probability ratio, as in PPO.
        kl: weight of the divergence from the initial model; 0: none.
        micro_batch: rollouts per forward pass; 0: all of a step.
        shuffle_rewards: shuffle the rewards of a step among its rollouts, as a control in which
            nothing can be learned.
    """

    steps: Count = 100
    prompts: Count = 8
    group: Annotated[int, msgspec.Meta(ge=2)] = 8
    concurrency: Count = 16
    advantages: AdvantageRule = "rloo"
    learning_rate: Positive = 1e-6
    temperature: Positive = 1.0
    reply_tokens: Count = 2048
    clip: Positive = 0.2
    kl: NotNegative = 0.0
    micro_batch: Whole = 0
    shuffle_rewards: bool = False


class Evaluation(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How the policy is measured while it learns.

    Attributes:
        every: steps between measurements; there is also one before the first step and one after
            the last. 0: none.
        tasks: number of held-out tasks, from the first on, with one rollout each; 0: all.
    """

    every: Whole = 10
    tasks: Whole = 64


class Checkpoints(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The checkpoints that training resumes from.

    Attributes:
        every: steps between checkpoints.
        keep: number of checkpoints to keep.
        folder: where to store them; empty: beside the session database, by training.
    """

    every: Count = 10
    keep: Count = 2
    folder: str = ""


class Recipe(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A training recipe.

    Attributes:
        name: display name; empty: the file's.
        engine: `trl` trains (extra `trl`). `collect` updates nothing: it samples from the model at
            `server`, and its rollouts are data for rejection sampling.
        model: folder or name of a model. For `collect`: its name at the server.
        data: task files.
        episodes: settings of the episodes.
        reward: settings of the reward.
        training, evaluation, checkpoints: see their classes.
        server: for `collect`: the server of the model.
        seed: seed for task order, sampling and shuffling.
        threads: CPU threads of the engine; 0: its default.
    """

    engine: EngineName
    model: str
    data: DataFiles
    name: str = ""
    episodes: EpisodeSettings = EpisodeSettings()
    reward: RewardSettings = RewardSettings()
    training: TrainingSettings = TrainingSettings()
    evaluation: Evaluation = Evaluation()
    checkpoints: Checkpoints = Checkpoints()
    server: ModelSettings = ModelSettings()
    seed: int = 0
    threads: Whole = 0


def load_recipe(path: str | Path, *, seed: int | None = None) -> Recipe:
    """Load a recipe from a file, and make its paths absolute; `seed` replaces its own.

    Raises:
        ConfigError: the recipe is invalid; the message names the file and the error.
    """
    file = typed_path(path)
    try:
        with refuse_deep_nesting(f"The recipe {file}"):
            tables: Any = yaml.safe_load(file.read_text("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ConfigError(f"The recipe {file} cannot be read: {reason}.") from error
    except yaml.YAMLError as error:
        raise ConfigError(f"{file} is not valid YAML: {yaml_problem(error)}.") from error
    if not isinstance(tables, dict):
        raise ConfigError(f"{file}: a recipe is a table of settings, such as `engine: trl`.")
    tables = cast(dict[str, Any], tables)
    refuse_unknown_keys(str(file), tables, "episodes", EpisodeSettings)
    refuse_unknown_keys(str(file), tables, "episodes.limits", Limits)
    try:
        recipe = msgspec.convert(tables, Recipe)
    except msgspec.ValidationError as error:
        raise ConfigError(f"{file}: {described(error, Recipe, tables)}") from error
    if seed is not None:
        recipe = msgspec.structs.replace(recipe, seed=seed)
    located = _located(recipe, file)
    _check(file, located)
    return located


def _located(recipe: Recipe, file: Path) -> Recipe:
    folder = file.resolve().parent

    def at(path: str) -> str:
        return str(folder / typed_path(path)) if path else ""

    data, episodes = recipe.data, recipe.episodes
    replace = msgspec.structs.replace
    local_model = folder / recipe.model
    return replace(
        recipe,
        name=recipe.name or file.stem,
        model=str(local_model) if recipe.engine == "trl" and local_model.exists() else recipe.model,
        data=replace(data, train=at(data.train), held_out=at(data.held_out)),
        episodes=replace(episodes, prompts=_pack(episodes.prompts, folder)),
        checkpoints=replace(recipe.checkpoints, folder=at(recipe.checkpoints.folder)),
    )


def _pack(name: str, folder: Path) -> str:
    """Resolve the file of a prompt pack relative to the recipe; a name stays as it is."""
    return str(folder / name) if name.endswith((".yaml", ".yml")) else name


def _check(file: Path, recipe: Recipe) -> None:
    """Check for errors that would otherwise surface later.

    Raises:
        ConfigError: there is an error; the message describes it.
    """
    for path in filter(None, (recipe.data.train, recipe.data.held_out)):
        if not Path(path).is_file():
            raise ConfigError(f"{file}: the task file {path} does not exist.")
    _refuse_demo(file, recipe)
    if recipe.engine == "collect" and not recipe.server.base_url:
        raise ConfigError(f"{file}: the engine collect needs a model server: set server.base_url.")
    if recipe.engine == "trl" and recipe.episodes.tool_format != NATIVE:
        raise ConfigError(
            f"{file}: the engine trl writes prompts with the model's own chat template: leave "
            "episodes.tool_format at native."
        )
    if recipe.engine == "trl" and not 0 <= recipe.seed <= MAX_SEED:
        raise ConfigError(f"{file}: the engine trl needs a seed from 0 to {MAX_SEED}.")
    training = recipe.training
    if training.micro_batch and training.prompts * training.group % training.micro_batch:
        raise ConfigError(
            f"{file}: training.micro_batch must divide the {training.prompts * training.group} "
            "rollouts of a step."
        )
    prompts = recipe.episodes.prompts
    if prompts:
        (load_pack if recipe.episodes.mode == "sandbox" else load_one_reply_pack)(prompts)


def _refuse_demo(file: Path, recipe: Recipe) -> None:
    named = msgspec.structs.replace(recipe.server, name=recipe.model)
    try:
        refuse_demo(named, model="model", server="server.base_url")
    except ConfigError as error:
        raise ConfigError(f"{file}: {error}") from error
