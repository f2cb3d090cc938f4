"""Writes docs/benchmarks.md and prints results on the terminal."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.perf.figures import Figure, Section

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "benchmarks.md"
KEPT = ROOT / "docs" / "benchmarks.json"

HEAD = """# Benchmarks

`make bench` measures everything here and writes this page; nothing in it is typed by hand.
`make bench only="startup files"` repeats some parts and keeps the others.

- Programs that are compared run alternately (A B A B) in the same session, so that load on the machine affects both.
  Read the ratio rather than the absolute numbers.
- Every other program is installed in its own virtual environment.
- Targets are constants in the benchmark code. A missed target is shown as missed.
"""


def print_section(section: Section) -> bool:
    """Print a section; return whether every target is met and nothing is missing."""
    print(f"\n{section.title}")
    for figure in section.figures:
        others = f"  vs. {figure.theirs}" if figure.theirs else ""
        print(f"  {figure.name}: {figure.ours}{others}  {_ratio(figure)} {_verdict(figure)}")
    for words in section.missing:
        print(f"  not measured: {words}")
    return all(figure.met for figure in section.figures) and not section.missing


def keep(name: str, section: Section, command: str) -> None:
    """Write a section to the page and keep the others."""
    kept: dict[str, Any] = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    kept[name] = section.as_builtins() | {
        "command": command,
        "machine": machine(),
        "commit": _commit(),
        "at": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()),
    }
    KEPT.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n")
    PAGE.write_text(page(kept))


def page(kept: Mapping[str, Any]) -> str:
    """Render the page from the stored sections."""
    return "\n".join([HEAD, *(_section(section) for section in kept.values())])


def machine() -> str:
    """Describe this machine and its load in one line."""
    model = next(
        (
            line.partition(":")[2].strip()
            for line in Path("/proc/cpuinfo").read_text().splitlines()
            if line.startswith("model name")
        ),
        platform.machine(),
    )
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    load = os.getloadavg()[0]
    return (
        f"{os.cpu_count()} x {model}, {pages / 2**30:.0f} GiB, Linux {platform.release()}, "
        f"Python {platform.python_version()}, load {load:.1f}"
    )


def _commit() -> str:
    done = subprocess.run(
        ["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"], capture_output=True, text=True
    )
    return done.stdout.strip() or "unknown"


def _section(section: Mapping[str, Any]) -> str:
    figures = [Figure(**figure) for figure in section["figures"]]
    lines = [f"## {section['title']}", "", section["words"], ""]
    if figures:
        lines += ["| measurement | sandbox-tui | other | ratio | target |", "|---|---|---|---|---|"]
        lines += [
            f"| {f.name} | {f.ours} | {f.theirs or '–'} | {_ratio(f) or '–'} | {_verdict(f)} |"
            for f in figures
        ]
        lines.append("")
    lines += [f"Not measured: {words}\n" for words in section["missing"]]
    lines.append(
        f"`{section['command']}`, {section['at']}, commit {section['commit']}; "
        f"{section['machine']}.\n"
    )
    return "\n".join(lines)


def _ratio(figure: Figure) -> str:
    if figure.ratio is None:
        return ""
    ratio = f"{figure.ratio:.1f}x"
    return f"{ratio} (target {figure.target:g}x)" if figure.target is not None else ratio


def _verdict(figure: Figure) -> str:
    return "met" if figure.met else "**missed**"
