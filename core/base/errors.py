"""Every error this program raises deliberately.

    SandboxTuiError
     ├─ ConfigError            a setting, flag, prompt pack or theme that cannot be used
     │   └─ NoModelSet         neither a setting nor a flag names a model
     ├─ ModelError             the model server refused, failed, or sent something unusable
     │   ├─ ModelIncomplete    the reply was empty or unreadable, which asking again seldom mends
     │   └─ ContextOverflow    the conversation no longer fits the model's context
     ├─ SandboxError           the sandbox itself failed (not: a command in it failed)
     │   ├─ SandboxUnavailable this machine cannot run a sandbox, or not the chosen kind
     │   ├─ ImageMissing       the engine is available, the image is not
     │   └─ SandboxLost        a running sandbox ended, was removed, or stopped answering
     ├─ ResumeRefused          a session that cannot be resumed, with the reason
     │   ├─ RunsElsewhere      a live program runs it
     │   └─ SandboxNotLeft     its sandbox is gone; it can be forked
     ├─ ForkRefused            a session or a position from which no run can be forked
     ├─ FileRefused            a file operation that cannot be done, with the reason for the user
     │   └─ NotListed          a folder's files could not be listed
     ├─ EventDecodeError       a stored or imported event that this version cannot read
     ├─ ImportRefused          a file that cannot be imported; nothing was changed
     │   ├─ NoRecording        in no format that can be imported
     │   └─ AlreadyImported    its session is already here
     └─ StoreError             the session database cannot be opened, read or written

Messages are one or two sentences for the user: what was wrong, what to do.
"""

from __future__ import annotations

import contextlib
from collections.abc import Generator


class SandboxTuiError(Exception):
    """Base class of all deliberate errors; `str(error)` can be shown to the user."""

    exit_code = 1


def sentence_of(error: Exception) -> str:
    """Return an error as a sentence for the user."""
    if isinstance(error, SandboxTuiError):
        return str(error)
    return f"This is a bug in sandbox-tui: {error!r}."


class ConfigError(SandboxTuiError):
    """A setting that cannot be used."""

    exit_code = 2


class NoModelSet(ConfigError):
    """Neither a setting nor a flag names a model."""


class ModelError(SandboxTuiError):
    """The model server refused, failed, or sent something unusable.

    Attributes:
        status: HTTP status, or None if there was none.
        retryable: whether a retry may help.
        retry_after: seconds the server asked us to wait, or None.
        is_loading: whether the server is still loading its model, which can take minutes.
        is_away: whether no connection to the server could be made, as while it restarts.
        server: host and port of a server that is away; None if unknown.
    """

    exit_code = 5

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        retryable: bool = False,
        retry_after: float | None = None,
        is_loading: bool = False,
        is_away: bool = False,
        server: tuple[str, int] | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.retryable = retryable
        self.retry_after = retry_after
        self.is_loading = is_loading
        self.is_away = is_away
        self.server = server

    @property
    def limits_requests(self) -> bool:
        """Whether the server is well but refuses requests for now: 429, or 503 with a time."""
        return self.status == 429 or (self.status == 503 and self.retry_after is not None)


class ModelIncomplete(ModelError):
    """The reply arrived, but was empty or unreadable; asking again seldom mends that."""


class ServerUnreachable(ModelError):
    """The server did not answer at all."""


class ContextOverflow(ModelError):
    """The conversation no longer fits the model's context window."""


class SandboxError(SandboxTuiError):
    """The sandbox itself failed."""

    exit_code = 4


class SandboxUnavailable(SandboxError):
    """No sandbox of the requested kind can be started on this machine."""

    exit_code = 3


class ImageMissing(SandboxUnavailable):
    """The engine does not have the container image.

    Attributes:
        image: the requested name.
    """

    def __init__(self, message: str, *, image: str) -> None:
        super().__init__(message)
        self.image = image


class SandboxLost(SandboxError):
    """A running sandbox ended, was removed, or stopped answering."""


class ResumeRefused(SandboxTuiError):
    """A session that cannot be resumed."""

    exit_code = 8


class RunsElsewhere(ResumeRefused):
    """A session that cannot be resumed because a live program runs it."""


class SandboxNotLeft(ResumeRefused, SandboxLost):
    """A session that cannot be resumed because its sandbox is gone; it can be forked."""


class ForkRefused(SandboxTuiError):
    """A session or a position from which no run can be forked; `str(error)` says why."""

    exit_code = 2


class FileRefused(SandboxTuiError):
    """A file operation in the sandbox that cannot be done."""


class NotListed(FileRefused):
    """The files in a folder of the sandbox could not be listed."""


class EventDecodeError(SandboxTuiError):
    """A stored or imported event that this version cannot read."""


class ImportRefused(SandboxTuiError):
    """A file that cannot be imported; nothing was changed."""

    exit_code = 2


class NoRecording(ImportRefused):
    """A file in no format that can be imported."""


class AlreadyImported(ImportRefused):
    """A file whose session is already in the database."""


class StoreError(SandboxTuiError):
    """The session database cannot be opened, read or written.

    Attributes:
        is_transient: whether the error is transient, such as a full disk, so that waiting helps.
    """

    exit_code = 6

    def __init__(self, message: str, *, is_transient: bool = False) -> None:
        super().__init__(message)
        self.is_transient = is_transient


class RequestRefused(StoreError):
    """A request that does not fit what is in the database, such as a note on a step that the
    session does not have."""

    exit_code = 2


class NotStored(StoreError):
    """A given name matches nothing in the database, or more than one thing."""

    exit_code = 2


@contextlib.contextmanager
def refuse_deep_nesting(what: str) -> Generator[None, None, None]:
    """Turn the RecursionError of a parser into an error about `what`: a file, option or setting.

    Raises:
        ConfigError: it is nested too deeply.
    """
    try:
        yield
    except RecursionError as error:
        raise ConfigError(f"{what} is nested too deeply to be read.") from error
