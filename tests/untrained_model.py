# pyright: basic, reportMissingImports=false, reportGeneralTypeIssues=false
"""A language model of two untrained layers with a byte-level tokenizer. Needs the extra `trl`."""

from __future__ import annotations

from typing import Any

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from sandbox_tui.core.rl.adapters.local_policy import LocalPolicy

TEMPLATE = """{%- for message in messages -%}
{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' -}}
{%- endfor -%}
{%- if add_generation_prompt -%}{{- '<|im_start|>assistant\\n' -}}{%- endif -%}"""


def tokenizer(template: str = TEMPLATE) -> Any:
    """Build a tokenizer with bytes as tokens and the ChatML template."""
    specials = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    inner = Tokenizer(models.BPE(vocab={one: n for n, one in enumerate(letters)}, merges=[]))
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    inner.decoder = decoders.ByteLevel()
    inner.add_special_tokens(specials)
    fast = PreTrainedTokenizerFast(
        tokenizer_object=inner, eos_token="<|im_end|>", pad_token="<|endoftext|>"
    )
    fast.chat_template = template
    return fast


def untrained_policy(context: int = 256) -> LocalPolicy:
    """Build the model; its weights are the same every time.

    Args:
        context: maximum length of a conversation in tokens.
    """
    torch.manual_seed(0)
    fast = tokenizer()
    config = LlamaConfig(
        vocab_size=len(fast),
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        max_position_embeddings=context,
        bos_token_id=None,
        eos_token_id=fast.eos_token_id,
        pad_token_id=fast.pad_token_id,
    )
    return LocalPolicy(LlamaForCausalLM(config).eval(), fast)
