# pyright: basic, reportMissingImports=false, reportGeneralTypeIssues=false
"""A causal language model of transformers in this process: token prompts in, sampled replies out.

The conversation of an episode only grows, and so do its tokens: a turn's prompt is the tokens of
the previous turn, the reply's tokens as sampled, and the tokens of the messages appended since. No
reply is ever decoded and tokenized again, so training sees exactly what was sampled.

Needs the extra `trl`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.models.base import Message

_QUESTION: Message = {"role": "user", "content": "?"}
_ANSWER: Message = {"role": "assistant", "content": "!"}


@dataclass(frozen=True, slots=True)
class Completion:
    """One sampled reply.

    Attributes:
        token_ids: the sampled tokens, including the end token.
        logprobs: log-probability of each token at the sampling temperature.
        text: the decoded tokens, without special tokens.
        finish_reason: `stop`, or `length` if the token limit cut the reply.
    """

    token_ids: list[int]
    logprobs: list[float]
    text: str
    finish_reason: str


class LocalPolicy:
    """A model and its tokenizer, which sample replies to token prompts.

    Args:
        model: a causal language model of transformers.
        tokenizer: its tokenizer, with a chat template and an end token.

    Attributes:
        end: the end token.

    Raises:
        ConfigError: the tokenizer has no chat template or no end token, or its template does not
            end an assistant message with the end token, so that turns cannot be appended.
    """

    def __init__(self, model: Any, tokenizer: Any) -> None:
        if tokenizer.chat_template is None:
            raise ConfigError("The model's tokenizer has no chat template.")
        if tokenizer.eos_token_id is None:
            raise ConfigError("The model's tokenizer has no end token.")
        self.model, self.tokenizer = model, tokenizer
        self.end = int(tokenizer.eos_token_id)
        self._closed = self._rendered([_QUESTION, _ANSWER], (), prompt=False)
        if self.end not in self._closed:
            raise ConfigError(
                "The model's chat template does not end an assistant message with the end token "
                f"{tokenizer.eos_token!r}."
            )

    @classmethod
    def load(cls, path: str, *, threads: int = 0) -> LocalPolicy:
        """Load a model from a folder, or by a name that transformers knows.

        Args:
            path: the folder or the name.
            threads: CPU threads for this process; 0: torch's default.

        Raises:
            ConfigError: the model cannot be loaded.
        """
        if threads:
            torch.set_num_threads(threads)
        try:
            tokenizer = AutoTokenizer.from_pretrained(path)
            model = AutoModelForCausalLM.from_pretrained(path, dtype=torch.float32)
        except (OSError, ValueError) as error:
            raise ConfigError(f"The model {path!r} cannot be loaded: {error}") from error
        return cls(model.eval(), tokenizer)

    @property
    def context_length(self) -> int:
        """Maximum number of tokens in a conversation."""
        return int(getattr(self.model.config, "max_position_embeddings", None) or sys.maxsize)

    # --- tokens

    def prompt_ids(self, messages: Sequence[Message], tools: Sequence[dict[str, Any]]) -> list[int]:
        """Return the tokens of a conversation, up to where the model's reply starts."""
        return self._rendered(messages, tools, prompt=True)

    def appended_ids(self, messages: Sequence[Message]) -> list[int]:
        """Return the tokens of messages that follow a reply, up to where the next reply starts.

        Raises:
            ConfigError: the template renders an earlier message differently once others follow.
        """
        whole = self._rendered([_QUESTION, _ANSWER, *messages], (), prompt=True)
        last_end = len(self._closed) - 1 - self._closed[::-1].index(self.end)
        if whole[: last_end + 1] != self._closed[: last_end + 1]:
            raise ConfigError(
                "The model's chat template changes earlier messages when others follow, so that "
                "prompts are not prefixes of each other."
            )
        return whole[last_end + 1 :]

    def reply_ids(self, message: Message) -> list[int]:
        """Tokenize an assistant message that was written, not sampled, with its end, as a model
        would have sampled it."""
        opening = self._rendered([_QUESTION], (), prompt=True)
        whole = self._rendered([_QUESTION, message], (), prompt=False)
        return whole[len(opening) : whole.index(self.end, len(opening)) + 1]

    def _rendered(
        self, messages: Sequence[Message], tools: Sequence[dict[str, Any]], *, prompt: bool
    ) -> list[int]:
        rendered = self.tokenizer.apply_chat_template(
            [_for_template(message) for message in messages],
            tools=list(tools) or None,
            add_generation_prompt=prompt,
            tokenize=True,
            return_dict=False,
        )
        return [int(token) for token in rendered]

    # --- replies

    def generate(
        self,
        prompts: Sequence[Sequence[int]],
        *,
        seeds: Sequence[int],
        max_tokens: int,
        temperature: float = 1.0,
    ) -> list[Completion]:
        """Sample a reply to each prompt, all in one batch.

        Args:
            prompts: token ids of each prompt.
            seeds: seed of each reply, which does not depend on the rest of the batch.
            max_tokens: maximum number of tokens per reply.
            temperature: sampling temperature; 0 takes the most likely token.
        """
        generators = [torch.Generator().manual_seed(seed) for seed in seeds]
        ids, mask = self._padded(prompts)
        tokens: list[list[int]] = [[] for _ in prompts]
        logprobs: list[list[float]] = [[] for _ in prompts]
        ended = [False] * len(prompts)
        past = None
        with torch.no_grad():
            for _ in range(max_tokens):
                positions = (mask.cumsum(1) - 1).clamp(min=0)[:, -ids.shape[1] :]
                out = self.model(
                    input_ids=ids,
                    attention_mask=mask,
                    position_ids=positions,
                    past_key_values=past,
                    use_cache=True,
                    logits_to_keep=1,
                )
                past = out.past_key_values
                chosen = _sample(out.logits[:, -1].float().cpu(), generators, temperature)
                for row, (token, logprob) in enumerate(chosen):
                    if not ended[row]:
                        tokens[row].append(token)
                        logprobs[row].append(logprob)
                        ended[row] = token == self.end
                if all(ended):
                    break
                ids = torch.tensor([[token] for token, _ in chosen], device=self.model.device)
                mask = torch.cat([mask, torch.ones_like(ids)], dim=1)
        return [
            Completion(row, logs, self._text(row), "stop" if end else "length")
            for row, logs, end in zip(tokens, logprobs, ended, strict=True)
        ]

    def _padded(self, prompts: Sequence[Sequence[int]]) -> tuple[torch.Tensor, torch.Tensor]:
        """Pad the prompts on the left, and return them with their attention mask, on the model's
        device: a trainer moves it to a GPU."""
        length = max(len(prompt) for prompt in prompts)
        ids = [[self.end] * (length - len(prompt)) + list(prompt) for prompt in prompts]
        mask = [[0] * (length - len(prompt)) + [1] * len(prompt) for prompt in prompts]
        device = self.model.device
        return torch.tensor(ids, device=device), torch.tensor(mask, device=device)

    def _text(self, tokens: Sequence[int]) -> str:
        return str(self.tokenizer.decode(list(tokens), skip_special_tokens=True))


def _sample(
    logits: torch.Tensor, generators: Sequence[torch.Generator], temperature: float
) -> list[tuple[int, float]]:
    """Sample a token for each row, with its log-probability."""
    logs = torch.log_softmax(logits / (temperature or 1.0), dim=-1)
    if temperature == 0:
        tokens = logs.argmax(dim=-1).tolist()
    else:
        rows = zip(logs.exp(), generators, strict=True)
        tokens = [int(torch.multinomial(row, 1, generator=own)) for row, own in rows]
    return [(int(token), float(logs[row, token])) for row, token in enumerate(tokens)]


def _for_template(message: Message) -> Message:
    """Convert a message to the form of chat templates: call arguments as objects, content as
    text."""
    shown = {**message, "content": message.get("content") or ""}
    if not message.get("tool_calls"):
        return shown
    calls = [
        {"type": "function", "function": _with_object(call["function"])}
        for call in message["tool_calls"]
    ]
    return {**shown, "tool_calls": calls}


def _with_object(function: dict[str, Any]) -> dict[str, Any]:
    arguments = function["arguments"]
    try:
        value = json.loads(arguments) if isinstance(arguments, str) else arguments
    except ValueError:
        value = arguments
    return {"name": function["name"], "arguments": value}
