"""`submit`: the model hands its work in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .base import Observation, ToolContext


class Submit:
    """See `Tool`."""

    name = "submit"
    schema: Mapping[str, Any] = {
        "name": "submit",
        "description": "Hand in the work once the answer has been written. It ends the run.",
        "parameters": {"type": "object", "properties": {}, "required": []},
    }

    async def __call__(self, arguments: Mapping[str, Any], context: ToolContext) -> Observation:
        """See `Tool`."""
        return Observation(text="<<< Finished >>>", submitted=True)
