"""What is wrong with the fields of the form that only the suite's tasks can tell."""

from __future__ import annotations

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.evals.loaders.selection import UnknownDomain
from sandbox_tui.core.evals.suite_file import load_suite, needs_download
from sandbox_tui.tui.screens.dialogs.form import Texts
from sandbox_tui.tui.screens.evals.start_eval import mistake_in_file, names_in, words_of


def mistakes_of_suite(typed: Texts) -> Texts:
    """Return what is wrong with suite, scorer and domains, by field, as far as that is known
    without a download. Blocks."""
    suite, found = typed["suite"], Texts()
    try:
        if not suite or needs_download(suite):
            return {}
        if in_file := mistake_in_file(suite, typed["scorer"]):
            found = {in_file.field: sanitize_line(str(in_file))}
        domains = names_in(typed["domains"])
        load_suite(suite, overrides={"dataset.domains": list(domains) or None})
    except UnknownDomain as error:
        return found | {"domains": sanitize_line(str(error))}
    except ConfigError as error:
        return {"suite": sanitize_line(words_of(error))}
    return found
