"""The table of the formats."""

from __future__ import annotations

from sandbox_tui.core.models.tool_formats.families import (
    deepseek,
    deepseek_dsml,
    glm,
    harmony,
    hermes,
    json_block,
    kimi,
    llama,
    minimax,
    mistral,
    pythonic,
    qwen_coder,
)
from sandbox_tui.core.models.tool_formats.families.base import Family

FAMILIES: dict[str, Family] = {
    family.name: family
    for family in (
        hermes.FAMILY,
        qwen_coder.FAMILY,
        json_block.FAMILY,
        llama.FAMILY,
        mistral.FAMILY,
        mistral.ARGS_FAMILY,
        deepseek.FAMILY,
        deepseek.V31_FAMILY,
        deepseek_dsml.FAMILY,
        glm.FAMILY,
        minimax.FAMILY,
        kimi.FAMILY,
        harmony.FAMILY,
        pythonic.FAMILY,
    )
}
"""The formats by name, as in `Reading.family`."""
