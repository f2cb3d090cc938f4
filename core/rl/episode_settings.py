"""Settings that all episodes of a training run share."""

from __future__ import annotations

from typing import Literal

import msgspec

from sandbox_tui.core.base.defaults import GRACE_SECONDS, OBSERVATION_CHARS, OBSERVATION_LINES
from sandbox_tui.core.events.types import Limits
from sandbox_tui.core.sandboxes.factory import Kind

EpisodeMode = Literal["sandbox", "text"]
"""`sandbox`: a computer, with the context as files (LLM-in-Sandbox-RL). `text`: the context in the
prompt, one reply, no computer (the LLM-RL baseline of arXiv 2601.16206)."""

OverlongRule = Literal["zero", "score"]
"""Reward of an episode that a limit ended: 0, as in the reference, or the score of its answer."""

NATIVE = "native"
"""The tool format in which tool calls travel in the native fields of messages."""

EPISODE_SECONDS = 5400.0
"""Default wall-clock limit of an episode, as in the reference."""


class EpisodeSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of episodes. Plain data, so that a recipe can hold them.

    Attributes:
        mode: with or without a computer.
        sandbox: kind of sandbox.
        image: container image; empty: the default. A task's own image takes precedence.
        network: network of the sandbox.
        memory: memory limit in bytes; None: the default.
        grace: seconds that a sandbox outlives a killed trainer.
        prompts: prompt pack; empty: `general`, or `vanilla` in a text-only episode.
        tools: names of the tools that the policy may call; None: the default tools.
        tool_format: `native`, or the name of a family in `models.tool_formats`: then the system
            prompt explains the tools, and `Turn.text` is the whole prompt as text.
        limits: limits of an episode. `time_limit` starts with the first turn and includes the
            policy's time; `command_timeout` applies to one command. A task's own limits take
            precedence.
        steps_remaining: whether each turn tells the policy how many steps it has left.
        overlong: reward of an episode that a limit ended.
        window: token budget for documents in the prompt; None: no limit.
        observation_lines, observation_chars: maximum size of an observation.
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
