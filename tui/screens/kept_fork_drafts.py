"""The drafts of forms for forks, kept in the data folder for the next start of the program."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any, cast

from sandbox_tui.core.base.write_file import write_private_file
from sandbox_tui.core.config.settings import data_dir
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.recording.fork_worker import ForkPlan
from sandbox_tui.tui.screens.fork_draft import ForkDraft
from sandbox_tui.tui.screens.new_run.kept_draft import may_hold_secret

FILE = "fork-drafts.json"

MOST = 20
"""Drafts that are kept; the oldest are dropped first."""

FIELDS = frozenset({"at", "steps", "message", "model", "url"})


class KeptForkDrafts:
    """Keeps drafts in a file that only the user can read; never a server's password or key.

    A file that cannot be read or written is no error: the program still has the drafts in memory.

    Args:
        path: the file; None for the usual one.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = data_dir() / FILE if path is None else path

    def read(self, run_id: str, seq: int, store: Store) -> ForkDraft | None:
        """Return the draft of the form for a session's event; None without one.

        Raises:
            SandboxTuiError: no run can be forked where the draft forks.
        """
        kept = self._all().get(_name(run_id, seq))
        if kept is None:
            return None
        plan = ForkPlan(store, store.run(run_id), int(kept["seq"]))
        return ForkDraft(plan, kept["edited"], kept["texts"])

    def write(self, run_id: str, seq: int, draft: ForkDraft | None) -> None:
        """Keep a draft instead of the one before; None forgets that."""
        before = self._all()
        drafts = {name: kept for name, kept in before.items() if name != _name(run_id, seq)}
        if draft is not None and not may_hold_secret("url", draft.texts["url"]):
            drafts[_name(run_id, seq)] = {
                "seq": draft.plan.fork_point.seq,
                "edited": draft.edited,
                "texts": draft.texts,
            }
        if drafts == before:
            return
        latest = dict(list(drafts.items())[-MOST:])
        with contextlib.suppress(OSError):
            if latest:
                write_private_file(self._path, json.dumps(latest).encode())
            else:
                self._path.unlink(missing_ok=True)

    def _all(self) -> dict[str, dict[str, Any]]:
        """Return the drafts by place, the oldest first."""
        try:
            found: Any = json.loads(self._path.read_text("utf-8"))
        except (OSError, ValueError, RecursionError):
            return {}
        if not isinstance(found, dict):
            return {}
        drafts = cast(dict[str, Any], found)
        return {name: kept for name, kept in drafts.items() if _is_draft(kept)}


def _name(run_id: str, seq: int) -> str:
    return f"{run_id} {seq}"


def _is_draft(kept: Any) -> bool:
    """Return whether a file of this program, perhaps of another version, holds a draft here."""
    if not isinstance(kept, dict):
        return False
    draft = cast(dict[str, Any], kept)
    texts: Any = draft.get("texts")
    return (
        isinstance(draft.get("seq"), int)
        and isinstance(draft.get("edited"), str | None)
        and isinstance(texts, dict)
        and all(isinstance(cast(dict[str, Any], texts).get(name), str) for name in FIELDS)
    )
