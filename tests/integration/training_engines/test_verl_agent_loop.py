"""verl's own workers run the agent loop: real sandboxes, a scripted server, a byte tokenizer."""

from __future__ import annotations

import json
import os
import time
import uuid
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("verl", reason="verl is not installed: sandbox-tui[verl]")

import numpy as np
import ray
import transfer_queue
from hydra import compose, initialize_config_dir
from omegaconf import OmegaConf
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast, Qwen3Config
from verl.experimental.agent_loop.agent_loop import AgentLoopWorker
from verl.protocol import DataProto
from verl.trainer.ppo.utils import need_critic, need_reference_policy
from verl.trainer.ppo.v1 import AgentLoopManagerTQ
from verl.utils import tensordict_utils
from verl.utils.config import omega_conf_to_dataclass, validate_config
from verl.utils.dataset.rl_dataset import collate_fn, get_dataset_class
from verl.workers.rollout.replica import TokenOutput

import sandbox_tui.core.rl.adapters as adapters
from sandbox_tui.core.base.errors import SandboxUnavailable
from sandbox_tui.core.evals.task import Task
from sandbox_tui.core.rl.adapters.verl_pools import close_pools
from sandbox_tui.core.rl.data.task_file import encode_tasks
from sandbox_tui.core.rl.pool import EpisodePool
from tests.integration.conftest import require
from tests.waiting import HANG_SECONDS

pytestmark = pytest.mark.filterwarnings("ignore")  # verl triggers its own warnings

ROOT = Path(__file__).parents[3]
CONFIG = Path(adapters.__file__).parent
ROLLOUTS = 4
TASK = Task(
    id="colour",
    problem="Which colour is in colour.txt?",
    target="red",
    files={"colour.txt": b"red"},
)
TEMPLATE = (
    "{%- if tools %}{{ '<|im_start|>system\\n' }}{%- for tool in tools %}{{ tool | tojson }}"
    "{%- endfor %}{{ '<|im_end|>\\n' }}{%- endif %}"
    "{%- for message in messages %}{{ '<|im_start|>' + message.role + '\\n' }}"
    "{{ message.content or '' }}"
    "{%- for call in message.tool_calls or [] %}{{ '\\n<tool_call>\\n' }}"
    "{{ call.function | tojson }}{{ '\\n</tool_call>' }}{%- endfor %}"
    "{{ '<|im_end|>\\n' }}{%- endfor %}"
    "{%- if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{%- endif %}"
)


def called(tool: str, **arguments: str) -> str:
    """A reply as Qwen writes it, with spaces that no renderer would put there."""
    call = json.dumps({"name": tool, "arguments": arguments}, separators=(" ,  ", " :  "))
    return f"Well.\n<tool_call>\n{call}\n</tool_call><|im_end|>"


LOOK = called("execute_bash", command="cat input/colour.txt")
ANSWER = called("execute_bash", command="mkdir -p output; cp input/colour.txt output/answer.txt")
SUBMIT = called("submit")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a byte tokenizer and the configuration of a model that is never loaded."""
    folder = tmp_path_factory.mktemp("model")
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    merges = [("i", "n"), ("o", "u"), ("in", "p"), ("inp", "u"), ("inpu", "t")]
    words = [*alphabet, *("".join(pair) for pair in merges)]
    core = Tokenizer(models.BPE({word: n for n, word in enumerate(words)}, merges))
    core.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    core.decoder = decoders.ByteLevel()
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=core,
        eos_token="<|im_end|>",
        pad_token="<|endoftext|>",
        additional_special_tokens=["<|im_start|>"],
        chat_template=TEMPLATE,
    )
    tokenizer.save_pretrained(folder)
    sizes = {"hidden_size": 8, "intermediate_size": 8, "num_hidden_layers": 1, "head_dim": 8}
    heads = {"num_attention_heads": 1, "num_key_value_heads": 1}
    Qwen3Config(
        vocab_size=len(tokenizer), architectures=["Qwen3ForCausalLM"], **sizes, **heads
    ).save_pretrained(folder)
    return folder


def configuration(*overrides: str) -> Any:
    """verl's configuration as its command line composes it from our file."""
    with initialize_config_dir(str(CONFIG), version_base=None):
        found = "hydra.searchpath=[pkg://verl.trainer.config]"
        return compose("llm_in_sandbox_rl", overrides=[found, *overrides])


FILES = ("data.train_files=train.jsonl", "data.val_files=test.jsonl")


def test_the_configuration_carries_the_hyper_parameters_of_the_reference() -> None:
    config = configuration(*FILES)
    validate_config(config, need_reference_policy(config), need_critic(config))
    assert not need_reference_policy(config)
    actor = omega_conf_to_dataclass(config.actor_rollout_ref.actor)
    rollout = omega_conf_to_dataclass(config.actor_rollout_ref.rollout)
    assert (actor.optim.lr, actor.ppo_mini_batch_size) == (1e-6, 8)
    assert (actor.clip_ratio_low, actor.clip_ratio_high) == (0.2, 0.28)
    assert (actor.loss_agg_mode, actor.entropy_coeff) == ("seq-mean-token-sum", 0)
    assert not actor.use_kl_loss
    assert (rollout.n, rollout.temperature) == (8, 1.0)
    assert (rollout.prompt_length, rollout.response_length) == (16384, 65536)
    assert rollout.agent.default_agent_loop == "sandbox_tui"
    assert rollout.calculate_log_probs
    algorithm = omega_conf_to_dataclass(config.algorithm)
    assert (algorithm.adv_estimator, algorithm.kl_ctrl.kl_coef) == ("rloo", 0.001)
    assert not algorithm.use_kl_in_reward
    trainer = config.trainer
    assert config.data.train_batch_size == 8
    assert (trainer.total_training_steps, trainer.total_epochs) == (100, 1000)
    assert (trainer.save_freq, trainer.test_freq) == (10, 10)
    assert (trainer.nnodes, trainer.n_gpus_per_node) == (1, 8)
    episode = config.sandbox_tui.episode
    assert (episode.overlong, episode.limits.time_limit) == ("zero", 5400)


class ScriptedServer:
    """Plays replies as tokens, as verl's client for its servers does.

    Attributes:
        prompts: the tokens of each request.
        sampled: the tokens of each reply.
    """

    def __init__(self, tokenizer: Any, *replies: str, log_probs: bool = True) -> None:
        self._tokenizer, self._replies, self._log_probs = tokenizer, iter(replies), log_probs
        self.prompts: list[list[int]] = []
        self.sampled: list[list[int]] = []

    async def generate(
        self, request_id: str, *, prompt_ids: list[int], sampling_params: dict[str, Any]
    ) -> TokenOutput:
        reply = next(self._replies)
        # bytes only: not the tokens that encoding the text would give
        token_ids = [
            token
            for byte in reply.removesuffix("<|im_end|>")
            for token in self._tokenizer.encode(byte, add_special_tokens=False)
        ]
        if reply.endswith("<|im_end|>"):
            token_ids.append(self._tokenizer.eos_token_id)
        token_ids = token_ids[: sampling_params["max_tokens"]]
        self.prompts.append(list(prompt_ids))
        self.sampled.append(token_ids)
        log_probs = [-0.25 * (1 + n % 3) for n in range(len(token_ids))]
        return TokenOutput(
            token_ids=token_ids,
            log_probs=log_probs if self._log_probs else None,
            extra_fields={"global_steps": 7, "min_global_steps": 7, "max_global_steps": 7},
        )


class Rollout:
    """What verl returns for one rollout, without the padding."""

    def __init__(self, output: DataProto) -> None:
        batch = output.batch
        prompt = batch["prompts"].shape[1]
        attended = batch["attention_mask"][0].bool()
        self.prompt = batch["prompts"][0][attended[:prompt]].tolist()
        self.response = batch["responses"][0][attended[prompt:]].tolist()
        self.mask = batch["response_mask"][0][: len(self.response)].tolist()
        self.rewards = batch["rm_scores"][0][: len(self.response)].tolist()
        self.logprobs = None
        if "rollout_log_probs" in batch:
            self.logprobs = batch["rollout_log_probs"][0][: len(self.response)].tolist()
        self.more = {name: value[0] for name, value in output.non_tensor_batch.items()}


@pytest.fixture
async def pools() -> AsyncIterator[None]:
    require("bubblewrap")
    yield
    await close_pools()


@pytest.fixture
def worker_configuration(model: Path, tmp_path: Path) -> Any:
    (tmp_path / "tasks.jsonl").write_bytes(encode_tasks([TASK]))
    return configuration(
        f"data.train_files={tmp_path}/tasks.jsonl",
        f"data.val_files={tmp_path}/tasks.jsonl",
        f"actor_rollout_ref.model.path={model}",
        "data.max_prompt_length=16384",
        "data.max_response_length=2048",
        "sandbox_tui.episode.sandbox=bubblewrap",
        "sandbox_tui.reward.scorer=exact",
    )


def rows(config: Any, tokenizer: Any) -> DataProto:
    """A batch of the data set, as verl's trainer makes it."""
    data = get_dataset_class(config.data)(config.data.train_files, tokenizer, config.data)
    batch = DataProto.from_single_dict(collate_fn([data[0]]))
    return batch.select(non_tensor_batch_keys=["raw_prompt", "extra_info", "index"])


async def rolled_out(config: Any, *replies: str, log_probs: bool = True) -> tuple[Any, Rollout]:
    """Run verl's worker with these replies."""
    tokenizer = omega_conf_to_dataclass(config.actor_rollout_ref.model).tokenizer
    server = ScriptedServer(tokenizer, *replies, log_probs=log_probs)
    worker = AgentLoopWorker(config, server)
    return server, Rollout(await worker.generate_sequences(rows(config, tokenizer)))


async def test_tokens_go_out_as_they_came_in(worker_configuration: Any, pools: None) -> None:
    server, rollout = await rolled_out(worker_configuration, LOOK, ANSWER, SUBMIT)
    sequence = rollout.prompt + rollout.response
    assert rollout.prompt == server.prompts[0]
    for prompt, sampled in zip(server.prompts, server.sampled, strict=True):
        end = len(prompt) + len(sampled)
        assert sequence[:end] == prompt + sampled
        begin = len(prompt) - len(rollout.prompt)
        assert rollout.mask[begin : begin + len(sampled)] == [1] * len(sampled)
    assert sum(rollout.mask) == sum(map(len, server.sampled))
    assert rollout.rewards == [0.0] * (len(rollout.response) - 1) + [1.0]
    assert rollout.more["max_global_steps"] == 7
    assert (rollout.more["steps"], rollout.more["truncated"]) == (3, 0)


async def test_log_probabilities_stand_at_their_tokens(
    worker_configuration: Any, pools: None
) -> None:
    server, rollout = await rolled_out(worker_configuration, LOOK, SUBMIT)
    assert rollout.logprobs is not None
    assert all((p != 0) == bool(own) for p, own in zip(rollout.logprobs, rollout.mask, strict=True))
    own = [p for p, mask in zip(rollout.logprobs, rollout.mask, strict=True) if mask]
    assert own == [-0.25 * (1 + n % 3) for sampled in server.sampled for n in range(len(sampled))]
    _, without = await rolled_out(worker_configuration, SUBMIT, log_probs=False)
    assert without.logprobs is None


async def test_the_policy_sees_what_its_command_printed(
    worker_configuration: Any, pools: None
) -> None:
    server, _ = await rolled_out(worker_configuration, LOOK, SUBMIT)
    tokenizer = omega_conf_to_dataclass(worker_configuration.actor_rollout_ref.model).tokenizer
    seen = tokenizer.decode(server.prompts[1][len(server.prompts[0]) + len(server.sampled[0]) :])
    assert "<|im_start|>tool\n" in seen
    assert "red" in seen
    assert seen.endswith("<|im_start|>assistant\n")


async def test_a_response_without_room_is_truncated_and_worth_nothing(
    worker_configuration: Any, pools: None
) -> None:
    OmegaConf.update(worker_configuration, "data.max_response_length", 200)
    server, rollout = await rolled_out(worker_configuration, ANSWER, "so" * 500)
    assert len(server.prompts) <= 2
    assert len(rollout.response) <= 200
    assert rollout.rewards[-1] == 0.0
    assert rollout.more["truncated"] == 1


async def test_a_rollout_without_a_sandbox_is_tried_once_more(
    worker_configuration: Any, pools: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    refusals = [SandboxUnavailable("no room")]
    opened = EpisodePool.open

    async def open_(pool: EpisodePool, spec: Any) -> Any:
        if refusals:
            raise refusals.pop()
        return await opened(pool, spec)

    monkeypatch.setattr(EpisodePool, "open", open_)
    _, rollout = await rolled_out(worker_configuration, ANSWER, SUBMIT)
    assert rollout.rewards[-1] == 1.0
    refusals += [SandboxUnavailable("no room"), SandboxUnavailable("no room")]
    with pytest.raises(SandboxUnavailable):
        await rolled_out(worker_configuration, ANSWER, SUBMIT)


async def test_text_alone(worker_configuration: Any, pools: None) -> None:
    OmegaConf.update(worker_configuration, "sandbox_tui.episode.mode", "text")
    server, rollout = await rolled_out(worker_configuration, "red<|im_end|>")
    tokenizer = omega_conf_to_dataclass(worker_configuration.actor_rollout_ref.model).tokenizer
    assert "colour.txt" in tokenizer.decode(rollout.prompt)
    assert rollout.response == server.sampled[0]
    assert rollout.rewards[-1] == 1.0


# --- on Ray


class ScriptedServers:
    """Gives every rollout the same replies; is sent to verl's workers.

    Args:
        replies: the replies of one rollout.
    """

    def __init__(self, tokenizer: Any, *replies: str) -> None:
        self._tokenizer, self._replies = tokenizer, replies
        self._servers: dict[str, ScriptedServer] = {}

    async def generate(self, request_id: str, **request: Any) -> TokenOutput:
        if request_id not in self._servers:
            self._servers[request_id] = ScriptedServer(self._tokenizer, *self._replies)
        return await self._servers[request_id].generate(request_id, **request)


@pytest.fixture
def local_ray(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    require("bubblewrap")
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    ray.init(
        num_cpus=2,
        include_dashboard=False,
        _node_ip_address="127.0.0.1",
        runtime_env={"env_vars": {"PYTHONPATH": path}},
    )
    yield
    ray.shutdown()


def test_a_group_of_rollouts_on_ray(worker_configuration: Any, local_ray: None) -> None:
    config = worker_configuration
    OmegaConf.resolve(config)
    config.transfer_queue.enable = True
    config.transfer_queue.backend.SimpleStorage.num_data_storage_units = 1
    config.actor_rollout_ref.rollout.n = ROLLOUTS
    config.actor_rollout_ref.rollout.agent.num_workers = 1
    tokenizer = omega_conf_to_dataclass(config.actor_rollout_ref.model).tokenizer
    data = get_dataset_class(config.data)(config.data.train_files, tokenizer, config.data)
    transfer_queue.init(config.transfer_queue)
    servers = ScriptedServers(tokenizer, LOOK, ANSWER, SUBMIT)
    manager = AgentLoopManagerTQ.create(config=config, llm_client=servers)
    row, uid = collate_fn([data[0]]), str(uuid.uuid4())
    row["uid"] = np.array([uid], dtype=object)
    batch = tensordict_utils.get_tensordict(row)
    tensordict_utils.assign_non_tensor_data(batch, "global_steps", 7)
    prompt = {"is_prompt": True, "status": "pending", "global_steps": 7}
    transfer_queue.kv_batch_put(keys=[uid], partition_id="train", tags=[prompt])
    manager.generate_sequences(batch)
    keys = finished(uid)
    assert sorted(keys) == [f"{uid}_{number}_0" for number in range(ROLLOUTS)]
    group = transfer_queue.kv_batch_get(keys=keys, partition_id="train")
    for number in range(ROLLOUTS):
        mask, rewards = group["response_mask"][number], group["rm_scores"][number]
        assert float(rewards[-1]) == float(rewards.sum()) == 1.0
        assert 0 < int(mask.sum()) < len(mask)
        assert ((group["rollout_log_probs"][number] != 0) == mask.bool()).all()


def finished(uid: str) -> list[str]:
    """The keys of a group's rollouts, once all of them are finished."""
    deadline = time.monotonic() + HANG_SECONDS
    while time.monotonic() < deadline:  # each check is a request to another process
        listed = transfer_queue.kv_list(partition_id="train")
        tags = listed.get("train", listed)
        if tags.get(uid, {}).get("status") == "finished":
            return [key for key in tags if key != uid]
        assert tags.get(uid, {}).get("status") != "failure"
    raise AssertionError("the group is not over")
