"""Export formats: one module each, listed here."""

from __future__ import annotations

from sandbox_tui.sessions.interchange.exports import (
    asciicast,
    atif,
    bundle,
    chat_jsonl,
    html,
    markdown,
    svg,
    trajectory,
)
from sandbox_tui.sessions.interchange.exports.base import Exporter, Part, Recording

EXPORTERS: dict[str, Exporter] = {
    module.EXPORTER.name: module.EXPORTER
    for module in (trajectory, html, markdown, asciicast, bundle, chat_jsonl, atif, svg)
}
"""Exporters by name."""

__all__ = ["EXPORTERS", "Exporter", "Part", "Recording"]
