from __future__ import annotations

from sandbox_tui.core.environment.file_watcher import TOO_MANY_FILES, FileWatcher
from sandbox_tui.core.events import types as e
from sandbox_tui.core.sandboxes.base import Listing
from tests.fakes import FakeSandbox


class Cut(FakeSandbox):
    """A sandbox that lists at most `most` files."""

    most = 10

    async def list_files(self, path: str, *, limit: int = 20_000) -> Listing:
        return await super().list_files(path, limit=min(limit, self.most))


class NoBlobs:
    """A blob store that stores nothing."""

    def put(self, data: bytes) -> str:
        return "digest"

    def get(self, name: str) -> bytes | None:
        return None


async def test_an_incomplete_listing_is_reported_once() -> None:
    sandbox = Cut({f"/testbed/{n}": b"" for n in range(5)})
    posted: list[e.AnyEvent] = []

    def post(event: e.AnyEvent) -> e.AnyEvent:
        posted.append(event)
        return event

    def warned() -> list[str]:
        return [event.text for event in posted if isinstance(event, e.Warned)]

    watcher = FileWatcher(sandbox, "/testbed", NoBlobs(), post)
    await watcher.scan_initial()
    assert not warned()
    for n in range(5, 50):
        sandbox.files[b"/testbed/%d" % n] = b""
    for step in (1, 2, 3):
        await watcher.scan(step=step, by="model")
    assert warned() == [TOO_MANY_FILES.format(10)]
