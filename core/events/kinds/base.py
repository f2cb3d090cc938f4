"""The base class of all events."""

from __future__ import annotations

import msgspec


class Event(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag=lambda name: name):
    """Something that happened in a run. See `core.events.types` for `seq` and `t`."""

    seq: int = 0
    t: float = 0.0

    @property
    def kind(self) -> str:
        """The event's name in JSON."""
        return str(type(self).__struct_config__.tag)
