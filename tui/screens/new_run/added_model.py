"""A model that is chosen from the list in addition to those in the form."""

from __future__ import annotations

from dataclasses import replace

from sandbox_tui.core.config.model_names import split_models
from sandbox_tui.tui.screens.dialogs.form import Texts
from sandbox_tui.tui.widgets.sessions.model_offers import Offer


def with_those_before(offer: Offer, typed: Texts) -> Offer | None:
    """Return a chosen model with those of the field before it, if these are several or end with a
    comma; otherwise alone. None: it is on another server than those.

    Args:
        offer: the chosen model.
        typed: the texts of the form.
    """
    field = typed["model"].strip()
    before = split_models(field)
    if len(before) < 2 and not field.endswith(","):
        return offer
    if typed["url"].strip() != offer.base_url:
        return None
    return replace(offer, model=", ".join(dict.fromkeys([*before, offer.model])))
