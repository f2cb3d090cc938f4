"""A name that may list several models."""

from __future__ import annotations

import pytest

from sandbox_tui.core.config import settings as config
from sandbox_tui.core.config.model_names import split_models, without_empty_names
from sandbox_tui.core.run.run_request import RunRequest, requests_for


@pytest.mark.parametrize(
    ("written", "names"),
    [
        ("m", ["m"]),
        (",m", ["m"]),
        ("m,", ["m"]),
        (" , m , ,", ["m"]),
        ("a,b", ["a", "b"]),
        ("a, b, a", ["a", "b"]),
        (",", []),
        ("", []),
    ],
)
def test_a_stray_comma_is_no_part_of_a_name(written: str, names: list[str]) -> None:
    assert split_models(written) == names
    assert without_empty_names(written) == ", ".join(names)
    request = RunRequest(task="", settings=config.load({"model.name": written}))
    started = [one.settings.model.name for one in requests_for(request, ["x"])]
    assert started == (names or [""])
