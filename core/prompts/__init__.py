"""Prompt packs: the system prompt and the first message."""

from __future__ import annotations

from sandbox_tui.core.prompts.pack import PromptPack, load_one_reply_pack, load_pack

__all__ = ["PromptPack", "load_one_reply_pack", "load_pack"]
