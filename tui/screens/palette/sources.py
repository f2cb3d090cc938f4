"""Creates the entries of the palette."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial

from textual.app import App
from textual.screen import Screen

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.config.settings import Settings
from sandbox_tui.sessions import RunSummary
from sandbox_tui.sessions.relations.fork_origin import ForkOrigin
from sandbox_tui.sessions.store.answers import KNOWN_ANSWERS
from sandbox_tui.sessions.store.tables.eval_ledger import EvalSummary
from sandbox_tui.tui.format.outcome import now_words, outcome_words
from sandbox_tui.tui.format.setting_text import text_of_setting
from sandbox_tui.tui.format.titles import model_title, sample_or_fork_of, task_title
from sandbox_tui.tui.keys.available_actions import COPY, MOVING, OPEN, ActionHere, available_actions
from sandbox_tui.tui.keys.synonyms import synonyms
from sandbox_tui.tui.screens.palette.entry import Entry
from sandbox_tui.tui.screens.palette.setting_words import setting_words
from sandbox_tui.tui.screens.setting_rows import ROWS
from sandbox_tui.tui.widgets.sessions.model_offers import Offer

MAX_TITLE_CHARACTERS = 200
"""Maximum characters of a session's title to match: more are never displayed."""

DARK_WORDS, LIGHT_WORDS, ANY_WORDS = "dark mode night", "light mode day bright", "color colour"
"""Other words for a dark theme, for a light one, and for any."""

OPEN_WORDS = "Open what the cursor is on"
"""What enter does in a list."""

END = "home.end"
"""Name of what the key does that deletes a session while its run is still running."""

ANSI = "ansi"
"""How the names of themes begin that leave the colours to the terminal: fuller ones come first."""

THEME_WORDS = {"contrast": "high accessibility accessible"}
"""Other words for a theme of ours."""


def action_entries(app: App[int], screen: Screen[object]) -> list[Entry]:
    """Return the actions of a screen, each once, except navigation and the palette itself."""
    entries: dict[str, Entry] = {}
    listed = available_actions(screen)
    opens = {here.name for here in listed if here.name.endswith(".open")}
    for here in listed:
        if here.name == OPEN and len(opens) == 1:
            here = here._replace(words=OPEN_WORDS)
        elif (
            here.group == MOVING
            or here.name in ("app.palette", OPEN)
            or (here.name == COPY and not screen.get_selected_text())
        ):
            continue
        keys, run = " ".join(here.keys), partial(here.run, app)
        name = END if (ends := _ends_instead(here)) else here.name
        entry = Entry("Actions", name, here.words, keys, run, here.off, synonyms(name, here.words))
        entries.setdefault(here.words, entry)
        if ends:
            why, also = "running: end it first", synonyms(here.name)
            delete = Entry("Actions", here.name, "Delete the session", "", run, why, also)
            entries.setdefault(delete.words, delete)
    return list(entries.values())


def _ends_instead(here: ActionHere) -> bool:
    """Return whether the key that deletes a session ends the run, because it is still running."""
    return here.name == "home.delete" and here.words.startswith("End ")


def session_entry(
    run: RunSummary,
    open_session: Callable[[RunSummary], object],
    origin: ForkOrigin | None = None,
    tags: Sequence[str] = (),
    *,
    is_shown: bool = False,
) -> Entry:
    """Return a session by its title, which its tags and what it does find, too; a sample of a task
    with its number among them, and a fork, which has the title of its parent, with where it parts
    from that.

    Args:
        run: the session.
        open_session: opens it.
        origin: where it was forked, if it was.
        tags: its tags.
        is_shown: whether a screen shows it, so that it does not come first while it waits.
    """
    which = sample_or_fork_of(run)
    if origin is not None:
        parent = origin.parent.rpartition("-")[2]
        which += f" ({parent}), {origin.place}" if run.sample else f" of {parent}, {origin.place}"
    signs = sanitize_line(" ".join(f"#{tag}" for tag in tags))
    tag_words = (f"{tag} #{tag}" for tag in tags)
    detail = " · ".join(part for part in (which, signs, outcome_words(run), run.id) if part)
    return Entry(
        "Sessions",
        run.id,
        task_title(run)[:MAX_TITLE_CHARACTERS],
        detail,
        lambda: open_session(run),
        also=" ".join([*tag_words, *_end_words(run), *_model(run), which]).lower(),
        id=run.id,
        now=_now_words(run),
        waits=run.waits and not is_shown,
    )


def _now_words(run: RunSummary) -> str:
    """Return the words for what a session does that is going on; empty once it has ended."""
    if run.outcome != "running":
        return ""
    return "waits waiting" if run.waits else now_words(run)


def _end_words(run: RunSummary) -> Sequence[str]:
    """Return the words for how a session has ended."""
    if run.outcome == "running":
        return ()
    failed = () if run.outcome in KNOWN_ANSWERS else ("failed",)
    return (*run.outcome.split("_"), *failed)


def _model(run: RunSummary) -> Sequence[str]:
    """Return the words for a session's model, also without its organization."""
    model = sanitize_line(model_title(run.model))
    return (model, *model.split("/")[1:])


def evaluation_entry(found: EvalSummary, open_evaluation: Callable[[EvalSummary], object]) -> Entry:
    """Return an evaluation by its suite and its model."""
    info = found.info
    words = f"{sanitize_line(info.suite)} · {model_title(info.model)}"
    samples = f"{found.over} of {found.samples} samples"
    detail = f"{found.status} · {samples} · {info.id}"
    return Entry("Evaluations", info.id, words, detail, lambda: open_evaluation(found), id=info.id)


def model_entries(
    offers: Sequence[Offer], settings: Settings, choose: Callable[[Offer], object]
) -> list[Entry]:
    """Return an entry for each model that is offered."""
    entries: list[Entry] = []
    for offer in offers:
        if offer.model:
            chosen = (offer.model, offer.base_url) == (settings.model.name, settings.model.base_url)
            detail = sanitize_line(f"chosen · {offer.words}" if chosen else offer.words)
            name = f"model {offer.model} {offer.base_url}"

            def take(offer: Offer = offer) -> object:
                return choose(offer)

            entries.append(Entry("Models", name, model_title(offer.model), detail, take))
    return entries


def theme_entries(
    dark: Mapping[str, bool],
    now: str,
    apply: Callable[[str], object],
    own: Collection[str] = (),
) -> list[Entry]:
    """Return an entry for each theme.

    Args:
        dark: whether each one is dark, by name.
        now: the current one.
        apply: takes one.
        own: names of our own themes and the user's: other words find them first.
    """
    entries: list[Entry] = []
    for name, is_dark in dark.items():

        def take(name: str = name) -> object:
            return apply(name)

        detail = "current" if name == now else "theme"
        lightness = DARK_WORDS if is_dark else LIGHT_WORDS
        also = f"{lightness} {ANY_WORDS} {THEME_WORDS.get(name, '')}"
        words = sanitize_line(name)
        also, own_also = also.rstrip(), also.rstrip() if name in own else ""
        key, last = f"theme {name}", name.startswith(ANSI)
        entry = Entry("Themes", key, words, detail, take, also=also, now=own_also, last=last)
        entries.append(entry)
    return entries


def setting_entries(settings: Settings, open_at: Callable[[str], object]) -> list[Entry]:
    """Settings with their values."""
    entries: list[Entry] = []
    for heading, rows in ROWS.items():
        for row in rows:

            def take(name: str = row.name) -> object:
                return open_at(name)

            value = sanitize_line(text_of_setting(settings, row.name)) or "none"
            label = f"{row.label[:1].upper()}{row.label[1:]}"
            words, also, own = f"{label} – {heading}", setting_words(row), len(label)
            name = f"setting {row.name}"
            entries.append(Entry("Settings", name, words, value, take, also=also, own=own))
    return entries
