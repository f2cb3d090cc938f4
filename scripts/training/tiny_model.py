"""A tiny language model, and its warm start on generated trajectories.

    python -m scripts.training.tiny_model FOLDER

It has its own small tokenizer, in which each digit is a token, and a chat template in the style of
ChatML with Hermes tool calls. The template omits the tools' schemas, which would be ten times as
long as everything else.
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import torch
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from sandbox_tui.core.evals.task import Task
from sandbox_tui.core.events.types import Limits
from sandbox_tui.core.models.base import Message
from sandbox_tui.core.prompts import load_one_reply_pack, load_pack
from sandbox_tui.core.rl.adapters.local_policy import LocalPolicy
from sandbox_tui.core.rl.data.generated import words
from sandbox_tui.core.rl.data.generated.generate import generate_tasks

sys.path.insert(0, str(Path(__file__).parent))
from trajectories import Lookup, few_keys, sandbox_trajectory, text_trajectory

HERE = Path(__file__).parent
TEMPLATE = """{%- for message in messages -%}
{{- '<|im_start|>' + message.role + '\\n' + (message.content or '') | trim -}}
{%- for call in message.tool_calls or [] -%}
{{- '<tool_call>' -}}
{{- {'name': call.function.name, 'arguments': call.function.arguments} | tojson -}}
{{- '</tool_call>' -}}
{%- endfor -%}
{{- '<|im_end|>\\n' -}}
{%- endfor -%}
{%- if add_generation_prompt -%}{{- '<|im_start|>assistant\\n' -}}{%- endif -%}"""
PHRASES = (
    r'\{"name": "\w+", "arguments": \{("command": ")?',
    r'"?\}\}',
    r"Execution output of \[execute_bash\]:\n\[STDOUT\]\n",
    r" > output/answer\.txt",
    r"Steps Remaining: ",
    r": \d",
)
"""Phrases that occur in every conversation; as single tokens they halve its length. The last one
lets a line's value begin with the token that follows its key, so that finding a key means finding
its value.
"""
LIMITS = Limits(max_steps=5)
TASKS = 2000
REPEATING_STEPS = 600
LOOKING_UP_STEPS = 600
"""Steps on repeated random tokens, then on lines repeated in another order, before any trajectory:
from trajectories alone, so small a model learns neither to repeat text from its prompt nor to find
it there.
"""
FEW_KEYS_STEPS = 300
"""Steps on trajectories with the experiment's keys, at the end."""
BATCH = 16
REPEATED_LENGTH = 44
STEPS = 1200
RATE = 3e-3
CONTEXT_WEIGHT = 0.1
"""Weight of a token that the policy did not write: the model learns from the conversation too."""


def tokenizer(texts: Iterable[str]) -> PreTrainedTokenizerFast:
    """Train a tokenizer of words, digits, spaces and punctuation; a phrase is a single token."""
    inner = Tokenizer(models.BPE())
    pieces = Regex("|".join((*PHRASES, r"\d", r"[^\W\d]+", r"[ \t]+", r"\n+", r"[^\w\s]+")))
    inner.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(pieces, "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    inner.decoder = decoders.ByteLevel()
    inner.train_from_iterator(
        texts,
        trainers.BpeTrainer(
            vocab_size=1000,
            special_tokens=["<|endoftext|>", "<|im_start|>", "<|im_end|>"],
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        ),
    )
    inner.add_tokens([AddedToken(tag, special=False) for tag in ("<tool_call>", "</tool_call>")])
    fast = PreTrainedTokenizerFast(
        tokenizer_object=inner, eos_token="<|im_end|>", pad_token="<|endoftext|>"
    )
    fast.chat_template = TEMPLATE
    return fast


def tiny_model(vocabulary: PreTrainedTokenizerFast) -> LlamaForCausalLM:
    """Build a Llama of three layers."""
    return LlamaForCausalLM(
        LlamaConfig(
            vocab_size=len(vocabulary),
            hidden_size=64,
            intermediate_size=128,
            num_hidden_layers=3,
            num_attention_heads=4,
            num_key_value_heads=4,
            max_position_embeddings=1024,
            tie_word_embeddings=True,
            bos_token_id=None,
            eos_token_id=vocabulary.eos_token_id,
            pad_token_id=vocabulary.pad_token_id,
        )
    )


async def conversations(tasks: Iterable[Task], rng: random.Random) -> list[list[Message]]:
    """Generate a conversation with a sandbox and one without for each task."""
    pack = load_pack(str(HERE / "tiny.yaml"))
    text_pack = load_one_reply_pack(str(HERE / "tiny_text.yaml"))
    written: list[list[Message]] = []
    for task in tasks:
        lookup = Lookup.of(task)
        written.append(await sandbox_trajectory(lookup, pack, LIMITS, rng))
        written.append(text_trajectory(lookup, text_pack, rng))
    return written


def encoded(policy: LocalPolicy, messages: Sequence[Message]) -> tuple[list[int], list[float]]:
    """Return the tokens, as in an episode, and the loss weight of each."""
    first = next(at for at, message in enumerate(messages) if message["role"] == "assistant")
    ids = policy.prompt_ids(messages[:first], ())
    weights = [CONTEXT_WEIGHT] * len(ids)
    while first < len(messages):
        reply = policy.reply_ids(messages[first])
        following = first + 1
        while following < len(messages) and messages[following]["role"] != "assistant":
            following += 1
        ids += reply
        weights += [1.0] * len(reply)
        if following < len(messages):
            seen = policy.appended_ids(messages[first + 1 : following])
            ids += seen
            weights += [CONTEXT_WEIGHT] * len(seen)
        first = following
    return ids, weights


Example = tuple[list[int], list[float]]


def repeated(fast: PreTrainedTokenizerFast, rng: random.Random) -> Example:
    """Draw random tokens and repeat them."""
    once = [rng.randrange(3, len(fast)) for _ in range(rng.randint(5, 20))]
    more = (once * REPEATED_LENGTH)[len(once) : REPEATED_LENGTH]
    return once + more, [0.0] * len(once) + [1.0] * len(more)


def looked_up(fast: PreTrainedTokenizerFast, rng: random.Random) -> Example:
    """Draw lines of a word and a random number, then the same lines in another order."""
    keys = rng.sample(words.THINGS, rng.randint(2, 5))
    lines = [f"{key}: {rng.randint(100, 999)}\n" for key in keys]
    once = fast.encode("".join(lines))
    again = fast.encode("".join(rng.sample(lines, len(lines))))
    return once + again, [0.0] * len(once) + [1.0] * len(again)


def fit(model: Any, draw: Callable[[], list[Example]], steps: int, name: str) -> None:
    """Train the model on batches from `draw`."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, weight_decay=0.01)
    began = time.monotonic()
    model.train()
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = RATE * min(1.0, (step + 1) / 40) * (1 - 0.9 * step / steps)
        ids, weights = _batch(draw())
        logits = model(input_ids=ids).logits[:, :-1]
        each = torch.nn.functional.cross_entropy(
            logits.transpose(1, 2), ids[:, 1:], reduction="none"
        )
        loss = (each * weights[:, 1:]).sum() / weights[:, 1:].sum()
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        if step % 50 == 0 or step == steps - 1:
            seconds = time.monotonic() - began
            sys.stdout.write(f"{name} {step:5} loss {loss.item():.3f} {seconds:.0f} s\n")
            sys.stdout.flush()
    model.eval()


def _batch(rows: Sequence[Example]) -> tuple[torch.Tensor, torch.Tensor]:
    length = max(len(ids) for ids, _ in rows)
    ids = torch.tensor([row + [0] * (length - len(row)) for row, _ in rows])
    weights = torch.tensor([own + [0.0] * (length - len(own)) for _, own in rows])
    return ids, weights


def _words(written: Sequence[Sequence[Message]]) -> list[str]:
    """Return the texts of the conversations, and all words of other possible conversations."""
    texts = [
        json.dumps({"name": function["name"], "arguments": json.loads(function["arguments"])})
        for one in written
        for message in one
        for function in [call["function"] for call in message.get("tool_calls", ())]
    ]
    texts += [str(message["content"]) for one in written for message in one]
    return [*texts, *([" ".join(words.THINGS)] * 3), *(["system user assistant tool"] * 3)]


def make(folder: str) -> None:
    """Train the model and its tokenizer and save them to a folder."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    rng = random.Random(0)
    all_keys = generate_tasks(TASKS, seed=9000, levels=(1,), domains=("lookup",))
    written = asyncio.run(conversations(all_keys, rng))
    fast = tokenizer(_words(written))
    model = tiny_model(fast)
    policy = LocalPolicy(model, fast)
    for kind, steps in ((repeated, REPEATING_STEPS), (looked_up, LOOKING_UP_STEPS)):
        fit(model, lambda draw=kind: [draw(fast, rng) for _ in range(BATCH)], steps, kind.__name__)
    examples = [encoded(policy, one) for one in written]
    fit(model, lambda: rng.choices(examples, k=BATCH), STEPS, "all keys")
    few = [encoded(policy, one) for one in asyncio.run(conversations(few_keys(9001, 1132), rng))]
    fit(model, lambda: rng.choices(few, k=BATCH), FEW_KEYS_STEPS, "few keys")
    model.save_pretrained(folder)
    fast.save_pretrained(folder)


if __name__ == "__main__":
    make(sys.argv[1])
