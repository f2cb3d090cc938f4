"""`submit`: the model submits its work."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from typing_extensions import override

from sandbox_tui.core.tools.base import Observation, ReadOnlyCalls, Tool, ToolContext


class Submit(Tool, ReadOnlyCalls):
    """Ends the run."""

    name = "submit"
    schema: Mapping[str, Any] = {
        "name": "submit",
        "description": "Hand in the work once the answer has been written. It ends the run.",
        "parameters": {"type": "object", "properties": {}, "required": []},
    }

    @override
    async def __call__(self, arguments: Mapping[str, Any], context: ToolContext) -> Observation:
        return Observation(text="<<< Finished >>>", submitted=True)

    @override
    def only_reads(self, arguments: str) -> bool:
        return True
