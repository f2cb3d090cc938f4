"""What the episodes of a training run have in common."""

from __future__ import annotations

from typing import Literal

import msgspec

from sandbox_tui.core.base.defaults import GRACE_SECONDS, OBSERVATION_CHARS, OBSERVATION_LINES
from sandbox_tui.core.events.types import Limits
from sandbox_tui.core.sandboxes.factory import Kind

EpisodeMode = Literal["sandbox", "text"]
"""`sandbox`: a computer, the context as files (LLM-in-Sandbox-RL). `text`: the context in the
prompt, one reply, no computer (the LLM-RL baseline of arXiv 2601.16206)."""

OverlongRule = Literal["zero", "score"]
"""What an episode that a limit ended is worth: 0, as in the reference, or what its answer is."""

NATIVE = "native"
"""The tool format in which calls travel in the fields of messages."""

EPISODE_SECONDS = 5400.0
"""Wall clock of one episode, as in the reference."""


class EpisodeSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of episodes. Plain data, so that a recipe can hold them.

    Attributes:
        mode: with a computer or without.
        sandbox: kind of sandbox.
        image: container image; empty: the default one. A task's own image comes first.
        network: of the sandbox.
        memory: bytes; None: the default.
        grace: seconds a sandbox outlives a trainer that was killed.
        prompts: prompt pack; empty: `general`, or `vanilla` in a text-only episode.
        tools: names of what the policy may call; None: the default tools.
        tool_format: `native`, or the name of a family of `models.tool_formats`: then the tools
            are explained in the system prompt, and `Turn.text` is the whole prompt as text.
        limits: what ends an episode. `time_limit` runs from its first turn, the policy's time
            included; `command_timeout` is of one command. A task's own limits come first.
        steps_remaining: whether each turn tells the policy how many steps it has left.
        overlong: what an episode that a limit ended is worth.
        window: tokens that documents in the prompt may take; None: however many they are.
        observation_lines, observation_chars: bounds of an observation.
    """

    mode: EpisodeMode = "sandbox"
    sandbox: Kind = "auto"
    image: str = ""
    network: Literal["auto", "bridge", "none"] = "none"
    memory: int | None = None
    grace: float = GRACE_SECONDS
    prompts: str = ""
    tools: tuple[str, ...] | None = None
    tool_format: str = NATIVE
    limits: Limits = Limits(time_limit=EPISODE_SECONDS)
    steps_remaining: bool = True
    overlong: OverlongRule = "zero"
    window: int | None = None
    observation_lines: int = OBSERVATION_LINES
    observation_chars: int = OBSERVATION_CHARS
