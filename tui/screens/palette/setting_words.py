"""Words by which the palette finds a setting, besides its label."""

from __future__ import annotations

from sandbox_tui.tui.format.setting_text import YES_NO
from sandbox_tui.tui.screens.setting_rows import Row

SYNONYMS: dict[str, str] = {
    "agent.mode": "approve approval",
    "agent.observation_chars": "characters observation truncate cut",
    "agent.observation_lines": "observation truncate cut",
    "agent.output": "directory results files",
    "agent.prompts": "system prompt instructions template",
    "agent.tty": "pty interactive",
    "limits.command_timeout": "seconds",
    "limits.cost_limit": "budget price money dollars usd spend max_cost",
    "limits.max_attempts": "retries retry",
    "limits.max_steps": "turns iterations step_limit",
    "limits.max_tokens": "completion output length",
    "limits.repeated_calls": "loop repeat",
    "limits.time_limit": "timeout duration seconds minutes max_time",
    "limits.token_limit": "budget context total",
    "model.api_key_env": "apikey token secret credentials environment openai",
    "model.base_url": "endpoint address host",
    "model.context_length": "window size max_context",
    "model.local_ports": "discovery ollama vllm",
    "model.name": "llm",
    "model.request_timeout": "seconds slow",
    "model.stall_timeout": "seconds hang",
    "model.temperature": "sampling",
    "model.tool_calls": "function calling",
    "policy.default": "permission permissions approval approve rules",
    "sandbox.cpus": "cores processors",
    "sandbox.grace": "sigterm sigkill seconds",
    "sandbox.image": "container docker",
    "sandbox.kind": "docker bubblewrap bwrap container runtime",
    "sandbox.memory": "ram",
    "sandbox.network": "internet offline online",
    "sandbox.pids": "process",
    "sandbox.snapshots": "checkpoint checkpoints save",
    "sandbox.snapshots_bytes": "disk space max",
    "sandbox.snapshots_kept": "keep number max",
    "ui.animations": "motion effects blink",
    "ui.images": "graphics",
    "ui.notify": "notifications sound alert",
    "ui.terminal_engine": "emulator",
    "ui.theme": "colors colours dark light scheme",
    "ui.title": "window",
}
"""Other words for a setting, by its name."""


def setting_words(row: Row) -> str:
    """Return the words that find a setting, separated by blanks: its name as in the config file,
    the parts of that, other words for it, and the values to choose from, except yes and no."""
    name, values = row.name, () if row.values == YES_NO else row.values
    group, _, own = name.partition(".")
    parts = own.replace("_", " ")
    words = (name, own, group, parts, SYNONYMS.get(name, ""), *values)
    return " ".join(filter(None, words)).lower()
