"""Amounts of US dollars on the command line."""

from __future__ import annotations

import click
import pytest

from sandbox_tui.tui.cli.settings.dollars_option import DOLLARS


@pytest.mark.parametrize("text", ["1e999", "inf", "nan", "0", "-1", "ten"])
def test_what_is_no_amount_is_refused(text: str) -> None:
    with pytest.raises(click.BadParameter):
        DOLLARS.convert(text, None, None)


def test_an_amount_is_taken() -> None:
    assert DOLLARS.convert("2.5", None, None) == 2.5
