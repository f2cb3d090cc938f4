"""The operations that a screen may request from a run in another program.

They are derived from the protocols in `core.run.human.run_controls`: a method added there can be
called remotely, with its arguments checked against its annotations.
"""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from sandbox_tui.core.run.human.run_controls import Controls, FileControls
from sandbox_tui.sessions.remote.protocol import MAX_READ_BYTES

FILES = "files."
"""Prefix of the operations on files."""


class Command:
    """One operation.

    Args:
        name: of the method, prefixed with `FILES` if it belongs to `run.files`.
        method: as declared in the protocol.

    Attributes:
        arguments: a struct of the method's parameters.
        result: its return type.
        waits: whether callers wait for the outcome, that is, whether it is a coroutine.
    """

    def __init__(self, name: str, method: Callable[..., Any]) -> None:
        hints = typing.get_type_hints(method)
        signature = inspect.signature(method)
        parameters = list(signature.parameters.values())[1:]
        self.name = name
        self.result = hints["return"]
        self.waits = inspect.iscoroutinefunction(method)
        self.arguments = msgspec.defstruct(
            f"{name}_arguments",
            [
                (one.name, hints[one.name])
                if one.default is inspect.Parameter.empty
                else (one.name, hints[one.name], one.default)
                for one in parameters
            ],
            frozen=True,
        )
        self._signature = signature.replace(parameters=parameters)
        self._decoder = msgspec.json.Decoder(self.arguments, dec_hook=_decode_path)

    def bind(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> msgspec.Struct:
        """Return the arguments of a call as an instance of `arguments`."""
        bound = self._signature.bind(*args, **kwargs)
        return self.arguments(**bound.arguments)

    def encode(self, arguments: msgspec.Struct) -> msgspec.Raw:
        """Return the arguments for a `Request`; paths become absolute."""
        return msgspec.Raw(msgspec.json.encode(arguments, enc_hook=_encode_path))

    def decode_result(self, value: msgspec.Raw) -> Any:
        """Return the operation's result.

        Raises:
            msgspec.MsgspecError: the value has a different type.
        """
        return msgspec.json.decode(value, type=self.result)

    async def invoke(self, run: Controls, args: msgspec.Raw) -> Any:
        """Execute the operation.

        Raises:
            msgspec.MsgspecError: the arguments have different types.
        """
        arguments = msgspec.structs.asdict(self._decoder.decode(args))
        if "max_bytes" in arguments:
            arguments["max_bytes"] = min(arguments["max_bytes"], MAX_READ_BYTES)
        target = run.files if self.name.startswith(FILES) else run
        value = getattr(target, self.name.removeprefix(FILES))(**arguments)
        return await value if self.waits else value


def _encode_path(value: object) -> str:
    if isinstance(value, Path):
        return str(value.absolute())
    raise NotImplementedError(f"{type(value).__name__} in the arguments of a command")


def _decode_path(kind: type, value: object) -> Path:
    if not isinstance(value, str):
        raise TypeError("A path must be text.")
    return Path(value)


def _commands(protocol: type, prefix: str = "") -> dict[str, Command]:
    return {
        prefix + name: Command(prefix + name, method)
        for name, method in vars(protocol).items()
        if inspect.isfunction(method) and not name.startswith("_")
    }


COMMANDS = {**_commands(Controls), **_commands(FileControls, FILES)}

READ_ONLY = frozenset({f"{FILES}read", f"{FILES}exists", f"{FILES}fetch"})
"""Operations allowed to screens that only watch."""
