"""The journeys have driven everything a user can do, by the evidence of the real program."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.integration.conftest import require
from tests.journeys.coverage import driven, missing
from tests.journeys.person import EVIDENCE


def test_the_journeys_have_driven_everything() -> None:
    require("docker")
    require("bubblewrap")
    if not (EVIDENCE / "whole").exists() and os.environ.get("SANDBOX_TUI_REQUIRE_DOCKER") != "1":
        pytest.skip("the journeys have not been made before this: scripts/test.sh does so")
    not_driven = missing()
    assert not not_driven, "no journey has driven: " + ", ".join(not_driven)


def test_unused_items_are_reported(tmp_path: Path) -> None:
    """The list is not empty, and evidence counts only for the item it names."""

    nothing = missing(tmp_path)
    assert len(nothing) > 400
    (tmp_path / "x.log").write_text('{"what": "action", "name": "live.approve"}\n')
    assert driven(tmp_path) == {"action": {"live.approve"}}
    assert set(nothing) - set(missing(tmp_path)) == {"action live.approve"}
