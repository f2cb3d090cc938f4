"""Formats a session can be exported to: a file each, and a line here."""

from __future__ import annotations

from . import asciicast, chat_jsonl, html, markdown, trajectory
from .base import Exporter, Part, Recording

EXPORTERS: dict[str, Exporter] = {
    module.EXPORTER.name: module.EXPORTER
    for module in (trajectory, asciicast, html, markdown, chat_jsonl)
}
"""By name."""

__all__ = ["EXPORTERS", "Exporter", "Part", "Recording"]
