"""Base class of dialogs with fields: each mistake is shown at its field, all of them at once."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, ClassVar, TypeAlias, TypeVar, cast

from textual import on
from textual.content import Content
from textual.events import DescendantFocus, Resize, ScreenSuspend
from textual.widget import Widget
from textual.widgets import Input, Label, Select, TextArea

from sandbox_tui.tui.format.setting_text import counted_mistakes, fitted_mistake
from sandbox_tui.tui.screens.dialogs.dialog import Dialog, Result

Texts: TypeAlias = dict[str, str]
"""What the fields contain, by field."""

Mistakes: TypeAlias = Mapping[str, str]
"""What to do at each field that is wrong, by field."""


LINES_AROUND = 6
"""Lines that the fields leave on a low terminal for borders, the line below, and the key bar."""

BORDER_COLUMNS = 6
"""Columns of a border beside the words in it."""

TALL = 26
"""Lines from which a terminal is tall enough for the button's border."""

TALLEST = 38
"""Lines from which a terminal has room for everything."""

WIDE = 80
"""Columns from which the button has room beside the line below the fields."""


class FormDialog(Dialog[Result]):
    """A box `#box` with fields of the class `field`, and a label `#hint` below them.

    The label explains the field with the focus. A field that is wrong has a red border, which says
    what to do; the title of the box counts them.
    """

    VERTICAL_BREAKPOINTS = [(0, "-low"), (TALL, "-tall"), (TALLEST, "-tallest")]  # noqa: RUF012

    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (WIDE, "-wide")]  # noqa: RUF012

    HEADING: ClassVar[str]
    """The title of the box."""

    TITLES: ClassVar[Mapping[str, str]]
    """The border title of each field, in the order in which they appear."""

    MORE_HINT_LINES: ClassVar[int] = 1
    """Lines that `#hint` has on a small terminal besides those of `LINES_AROUND`."""

    is_filled = False
    """Whether the fields contain what the form begins with, such as a draft."""

    def __init__(self) -> None:
        super().__init__()
        self._mistakes: dict[str, str] = {}
        self._marked_text: Texts = {}
        self._put_texts: Texts = {}

    def hint_of(self, name: str) -> str:
        """Return what a field means; empty text stands for everything that is not a field."""
        raise NotImplementedError

    def note_of(self, name: str) -> str:
        """Return the words in the bottom border of a field without a mistake."""
        return ""

    def doubt_about(self, name: str) -> str:
        """Return what speaks against a text without a mistake, as a sentence; empty for nothing."""
        return ""

    def beside_mistake(self, name: str) -> str:
        """Return what helps to fix a field that is wrong; empty for nothing."""
        return ""

    def mistake_while_typing(self, name: str, text: str) -> str:
        """Return what is wrong with a text that is being typed; empty if it may become right."""
        return ""

    def mistake_when_left(self, name: str, text: str) -> str:
        """Return what is wrong with the text of a field that has just lost the focus."""
        return ""

    def show_titles(self) -> None:
        """Write the titles of the fields into their borders."""
        for name, title in self.TITLES.items():
            field = self.query_one(f"#{name}")
            field.border_title, field.border_subtitle = title, self.note_of(name)

    def on_resize(self, event: Resize) -> None:
        """Let the fields scroll, so that the line below them stays in view."""
        # the class for the new height may not be set yet
        is_small = event.size.height < TALL and event.size.width < WIDE
        more = self.MORE_HINT_LINES if is_small else 0
        around = LINES_AROUND + (2 if event.size.height >= TALL else more)
        self.query_one("#fields").styles.max_height = max(3, event.size.height - around)
        self.call_after_refresh(self._fit_mistakes)
        self.call_after_refresh(self.refresh_bindings)  # whether there is room decides on keys

    def show_hidden(self, names: Iterable[str]) -> None:
        """Show these fields if they are hidden."""

    def go_to_field(self, name: str) -> None:
        """Focus a field, showing it first."""
        self.show_hidden([name])
        self.call_after_refresh(self.query_one(f"#{name}").focus)

    def mark(self, mistakes: Mistakes) -> None:
        """Show these mistakes at their fields, and no others; focus the first one."""
        for name in set(self._mistakes) - set(mistakes):
            self._unmark(name)
        wrong = [name for name in self.TITLES if name in mistakes]
        for name in wrong:
            self._mark(name, mistakes[name])
        if wrong:
            self.query_one(f"#{wrong[0]}").focus()

    def _mark(self, name: str, words: str) -> None:
        field = self.query_one(f"#{name}")
        self._mistakes[name], self._marked_text[name] = words, self.typed()[name]
        field.add_class("-wrong")
        self._fit(name)
        self.call_after_refresh(self._fit_mistakes)  # it may have had no size yet
        self._count()

    def _fit(self, name: str) -> None:
        """Say in a field's border what is wrong with it, in as few words as it has room for."""
        field = self.query_one(f"#{name}")
        room = field.outer_size.width - BORDER_COLUMNS
        words = fitted_mistake(self._mistakes[name], room)
        both = _joined(words, self.beside_mistake(name))
        field.border_subtitle = Content(both if len(both) <= room else words)

    def _fit_mistakes(self) -> None:
        for name in self._mistakes:
            if self.query(f"#{name}"):  # the form may have closed meanwhile
                self._fit(name)

    def _unmark(self, name: str) -> None:
        field = self.query_one(f"#{name}")
        del self._mistakes[name]
        field.remove_class("-wrong")
        field.border_subtitle = self.note_of(name)
        self._count()

    def _count(self) -> None:
        self.query_one("#box").border_title = heading_of(self.HEADING, len(self._mistakes))
        self._explain(self._field_of(self.focused))

    @on(TextArea.Changed)
    @on(Input.Changed)
    @on(Select.Changed)
    def _typed_in(self, event: TextArea.Changed | Input.Changed | Select.Changed) -> None:
        name = event.control.id or ""
        if name not in self.TITLES:
            return
        text = self.typed()[name]
        if text != self._put_texts.get(name):
            self._put_texts.pop(name, None)
        # What the form put in itself, such as a draft, is checked as a whole: the fields that are
        # checked while typing would be counted as all that is wrong.
        is_typed = name not in self._put_texts
        if is_typed and (words := self.mistake_while_typing(name, text.strip())):
            self._mark(name, words)
        # The event of a key typed just before starting arrives only after the field was marked.
        elif name in self._mistakes and text != self._marked_text[name]:
            self._unmark(name)

    @on(Input.Blurred)
    def _left(self, event: Input.Blurred) -> None:
        """Mark the field that was left; the focus stays where it went."""
        name = event.control.id or ""
        text = event.control.value.strip()
        if name in self.TITLES and (words := self.mistake_when_left(name, text)):
            self._mark(name, words)

    @on(ScreenSuspend)
    def _close_lists(self) -> None:
        """Close an open list of values: it would be drawn over the screen above."""
        for _, field in self.fields():
            if isinstance(field, Select):
                field.expanded = False

    # --- the line below the fields

    @on(DescendantFocus)
    def _explain_focused(self, event: DescendantFocus) -> None:
        self._explain(self._field_of(event.widget))
        words = "open" if isinstance(event.widget, Select) else ""
        if words != self.choice_words:
            self.choice_words = words
            self.refresh_bindings()

    def _field_of(self, widget: Widget | None) -> str:
        """Return the name of the field that is or contains a widget; otherwise empty."""
        if widget is None:
            return ""
        ids = (node.id for node in widget.ancestors_with_self)
        return next((name for name in ids if name in self.TITLES), "") or ""

    def _explain(self, name: str) -> None:
        """Say what a field means, or what is wrong with it, or in doubt."""
        label = self.query_one("#hint", Label)
        label.set_class(name in self._mistakes, "-wrong")
        if mistake := self._mistakes.get(name):
            label.update(_joined(mistake, self.beside_mistake(name)))
        else:
            label.update(self.doubt_about(name) or self.hint_of(name))

    # --- the fields

    def fields(self) -> Iterator[tuple[str, Widget]]:
        """Yield each field with its name."""
        for name in self.TITLES:
            yield name, self.query_one(f"#{name}")

    def stripped(self) -> Texts:
        """Return the text of each field without blanks around it."""
        return {name: text.strip() for name, text in self.typed().items()}

    def typed(self) -> Texts:
        """Return the text of each field."""
        texts: Texts = {}
        for name, field in self.fields():
            match field:
                case TextArea():
                    texts[name] = field.text
                case Input():
                    texts[name] = field.value
                case Select():
                    texts[name] = str(cast(object, field.value))
                case _:
                    pass
        return texts

    def put(self, name: str, text: str) -> None:
        """Put a text into a field, or choose it there."""
        self._put_texts[name] = text
        match self.query_one(f"#{name}"):
            case TextArea() as area:
                area.load_text(text)
                area.move_cursor(area.document.end)
            case Input() as field:
                field.value = text
                field.cursor_position = len(text)
            case Select() as field:
                field.value = text
            case _:
                pass


def _joined(mistake: str, help_words: str) -> str:
    return " · ".join(filter(None, (mistake, help_words)))


def heading_of(words: str, mistakes: int) -> Content:
    """Return the title of a box, with the number of its mistakes."""
    if not mistakes:
        return Content(words)
    return Content.assemble(words, " · ", (counted_mistakes(mistakes), "bold $error"))


Form = TypeVar("Form", bound=FormDialog[Any])


def when_filled(action: Callable[[Form], object]) -> Callable[[Form], None]:
    """Let an action wait until the fields are filled: its key may have been typed ahead, and what
    is not in the fields yet must not count as cleared."""

    def act_if_filled(form: Form) -> None:
        if form.is_filled:  # it may have closed before
            action(form)

    @functools.wraps(action)
    def act(form: Form) -> None:
        if form.is_filled:
            action(form)
        else:
            form.call_later(act_if_filled, form)  # comes after the event that fills the fields

    return act
