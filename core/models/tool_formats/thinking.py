"""Tags around a model's reasoning, removed from a reply before anything else is read.

Sources: `<think>` (DeepSeek-R1, Qwen3, QwQ, MiniMax-M1 and most others), `<thinking>`,
`<reasoning>` and `<thought>` (tuned models and prompts), `[THINK]` (Magistral), `<seed:think>`
(Seed-OSS), `◁think▷` (Kimi-VL), `<|START_THINKING|>` (Command A Reasoning). Many templates put the
opening tag into the prompt, so that a reply contains only the closing one: everything before it is
reasoning.
"""

from __future__ import annotations

from sandbox_tui.core.models.tool_formats.source import Passage, Source, Step

TAGS = {
    "<think>": "</think>",
    "<thinking>": "</thinking>",
    "<reasoning>": "</reasoning>",
    "<thought>": "</thought>",
    "<seed:think>": "</seed:think>",
    "[THINK]": "[/THINK]",
    "◁think▷": "◁/think▷",
    "<|START_THINKING|>": "<|END_THINKING|>",
}
CLOSING = frozenset(TAGS.values())


def read_tag(source: Source, word: str) -> Step[Passage]:
    """Read what follows an opening tag."""
    yield from ()
    return Passage("reasoning", (TAGS[word],))
