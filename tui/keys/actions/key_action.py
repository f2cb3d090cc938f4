"""An action with a key."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class KeyAction:
    """An action bound to a key.

    Attributes:
        name: place and purpose: `live.approve`.
        keys: the default keys, in Textual's names.
        words: shown to the user.
        shown: text to show instead of the keys; empty to show each key by its own name.
        about: a longer description, for lists with room for it.
    """

    name: str
    keys: tuple[str, ...]
    words: str
    shown: str = ""
    about: str = ""

    @property
    def title(self) -> str:
        """Its description in a list of actions."""
        words = self.about or self.words
        return words[:1].upper() + words[1:]

    @property
    def short_title(self) -> str:
        """What the key bar calls it, at the beginning of a sentence."""
        return self.words[:1].upper() + self.words[1:]

    @property
    def place(self) -> str:
        """The place in which it works."""
        return self.name.partition(".")[0]
