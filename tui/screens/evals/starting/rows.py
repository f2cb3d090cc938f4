"""The rows of fields of the form."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from textual.containers import Horizontal
from textual.widgets import Input, Select

from sandbox_tui.core.config.settings import Settings
from sandbox_tui.tui.screens.evals.start_eval import BOTH, KINDS, OWN_SCORER
from sandbox_tui.tui.screens.evals.starting.fields import SCORER_CHOICES, usual_values
from sandbox_tui.tui.screens.evals.starting.suite_input import SuiteInput
from sandbox_tui.tui.widgets.line_input import NameInput, OneLineInput

NO_LIMIT = "no limit"


def rows_of(settings: Settings) -> Iterator[Horizontal]:
    """Yield the rows, with what the settings say."""
    model, usual = settings.model, usual_values(settings)
    suite = SuiteInput("pocket", placeholder="a name or a path", id="suite")
    suite.add_class("field")
    name = NameInput(model.name, "name as the server knows it", id="model", classes="field")
    rows = (
        (suite, _choice("scorer", SCORER_CHOICES, OWN_SCORER)),
        (name, _line("url", model.base_url, "…/v1; empty for OpenAI")),
        (
            _line("limit", "", "all"),
            _line("samples", "", usual["samples"]),
            _line("at_once", "", "auto"),
        ),
        (
            _line("steps", "", usual["steps"]),
            _line("temperature", "", usual["temperature"]),
            _line("budget", "", NO_LIMIT),
        ),
        (
            _line("domains", "", "all"),
            _choice("mode", (BOTH, "sandbox", "vanilla"), BOTH),
            _choice("kind", KINDS, settings.sandbox.kind),
        ),
        (_line("budget_tokens", "", NO_LIMIT), _line("budget_cost", "", NO_LIMIT)),
    )
    for row in rows:
        yield Horizontal(*row, classes="row")


def _line(name: str, value: str, placeholder: str) -> Input:
    return OneLineInput(value, placeholder, id=name, classes="field")


def _choice(name: str, values: Sequence[str], value: str) -> Select[str]:
    options = [(each, each) for each in values]
    return Select(options, value=value, allow_blank=False, id=name, classes="field")
