"""The preview of the selected file: its content by kind, or the diff with an earlier version."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import ClassVar, Literal

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Center, Vertical
from textual.content import Content
from textual.message import Message
from typing_extensions import override

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.events.run_state import FileState
from sandbox_tui.tui.format import numbers
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.terminal_io import image_protocols
from sandbox_tui.tui.textual_support.typed_app import app_of
from sandbox_tui.tui.widgets.files.file_keys import PREVIEW_KEYS
from sandbox_tui.tui.widgets.files.file_versions import Version, earlier, present
from sandbox_tui.tui.widgets.preview.diff import DiffDocument
from sandbox_tui.tui.widgets.preview.document import (
    Document,
    Notice,
    PreviewError,
    Source,
    WithNotice,
    decode,
)
from sandbox_tui.tui.widgets.preview.kinds.picture import SUFFIXES as PICTURES
from sandbox_tui.tui.widgets.preview.kinds.registry import document_for
from sandbox_tui.tui.widgets.preview.lines import PreviewLines

Against = Literal["previous", "beginning"] | Version | None
"""The version to compare the current content with; None shows the content itself."""

MAX_WHOLE_BYTES = 8 << 20
"""Maximum bytes to fetch of a file whose content was not kept, for the full view."""

MAX_GLANCE_BYTES = 256 << 10
"""Maximum bytes to fetch of such a file for the small preview."""

KINDS = {"dir": "folder", "other": "special file"}
"""What to call an entry that is not a file, by its kind."""


class Preview(Vertical):
    """Shows one file: its content, or its diff with an earlier version.

    Args:
        get_blob: returns content by digest.
        whole: whether to show the whole file with long lines wrapped; otherwise a small preview.

    Attributes:
        path: path of the shown file; empty for none.
        against: the version it is compared with.
        as_source: whether the source is shown instead of the preview of its kind.
    """

    has_its_own_keys = True

    BINDINGS: ClassVar[list[BindingType]] = PREVIEW_KEYS

    DEFAULT_CSS = """
    Preview PreviewLines { height: 1fr; background: $background; }
    Preview #preview-picture { display: none; height: 1fr; width: 100%; align: center middle; }
    Preview #preview-picture > * { width: auto; height: auto; max-width: 100%; max-height: 100%; }
    Preview.-picture #preview-picture { display: block; }
    Preview.-picture PreviewLines { height: 1; }
    """

    class ContentRequested(Message):
        """The preview needs content that was not kept; answer with `Preview.fetched`."""

        def __init__(self, preview: Preview, path: str, max_bytes: int) -> None:
            super().__init__()
            self.preview = preview
            self.path = path
            self.max_bytes = max_bytes

        @property
        @override
        def control(self) -> Preview:
            return self.preview

    def __init__(
        self,
        get_blob: Callable[[str], bytes | None],
        *,
        whole: bool = False,
        id: str | None = None,  # noqa: A002
    ) -> None:
        super().__init__(id=id)
        self._get_blob = get_blob
        self._whole = whole
        self._body = PreviewLines(wrap=whole)
        self._file: FileState | None = None
        self._fetched: tuple[object, bytes | None] = (None, None)
        self._shown: object = None
        self._facts = ""
        self.path = ""
        self.against: Against = None
        self.as_source = False
        self.border_title = "preview"

    def compose(self) -> ComposeResult:
        """Yield a container for a picture, and the lines."""
        yield Center(id="preview-picture")
        yield self._body

    def on_mount(self) -> None:
        """Redraw when the theme changes."""
        self.watch(app_of(self), "theme", self._body.redraw, init=False)  # pyright: ignore[reportUnknownArgumentType]

    # --- for the screen

    @property
    def body(self) -> PreviewLines:
        """The widget with the lines."""
        return self._body

    @property
    def file(self) -> FileState | None:
        """The shown file as of the current state."""
        return self._file

    def show(self, path: str, file: FileState | None) -> None:
        """Show a file of a state; None means that nothing is selected."""
        other = path != self.path
        self.path, self._file = path, file
        if other:
            self.against, self.as_source = None, False
        self._build(keep_place=not other)

    def fetched(self, path: str, data: bytes | None) -> None:
        """Receive requested content; None if there is none."""
        if path == self.path and self._file is not None:
            self._fetched = (_moment(path, self._file), data)
            self._build(keep_place=True)

    @property
    def why_no_diff(self) -> str:
        """Why the file cannot be compared, in a few words; empty if it can."""
        if self._file is None:
            return "no file is selected"
        kind = self._file.last.kind
        return "" if kind == "file" else f"this is a {KINDS.get(kind, kind)}"

    def cycle_diff(self) -> None:
        """Switch from the content to the last change, then to all changes, then back."""
        file = self._file
        if file is None or self.why_no_diff:
            return
        if self.against is None:
            self.against = "previous"
        elif self.against == "previous" and len(earlier(file)) > 1:
            self.against = "beginning"
        else:
            self.against = None
        self._build(keep_place=False)

    def compare_with(self, version: Version) -> None:
        """Show the diff with an earlier version."""
        self.against = version
        self._build(keep_place=False)

    def toggle_source(self) -> None:
        """Switch between the preview and the source."""
        self.as_source = not self.as_source
        self._build(keep_place=False)

    # --- documents

    def _build(self, *, keep_place: bool) -> None:
        shown = (_moment(self.path, self._file), self.against, self.as_source, self._fetched)
        if shown == self._shown:
            return
        self._shown = shown
        document = self._document()
        self.remove_class("-picture")
        self._body.show(document, keep_place=keep_place)
        name = self.path.rpartition("/")[2]
        self.border_title = Content(sanitize_line(name) or "preview")
        self._facts = sanitize_line(document.facts)
        self._show_facts()
        if type(document).picture is not Document.picture:
            self._show_picture(document)

    @on(PreviewLines.LaidOut)
    def _laid_out(self, event: PreviewLines.LaidOut) -> None:
        event.stop()
        self._show_facts()

    def _show_facts(self) -> None:
        """Show the facts in the border, and the key that makes room for lines that are cut."""
        may_grow = not (self.screen.has_class("-zoomed") or self.screen.has_class("-narrow"))
        wider = f"{hint('cockpit.zoom')} wider" if may_grow and self._body.cuts_lines else ""
        self.border_subtitle = Content(" · ".join(filter(None, (self._facts, wider))))

    def _document(self) -> Document:
        file = self._file
        if file is None:
            return Notice("The selected file is shown here.")
        if file.last.kind != "file":
            what = KINDS.get(file.last.kind, file.last.kind)
            return Notice(f"A {what} has no preview.", facts=what)
        if self.against is not None:
            return self._comparison(file)
        if file.last.change == "deleted":
            return self._deleted(file)
        data = self._content(file)
        if data is None:
            if not file.last.has_size:
                return Notice("The recording does not contain this file.")
            words = (
                f"{numbers.size(file.last.size)}, content not saved; it is copied out with the "
                "results."
            )
            return Notice(words)
        return document_for(
            Source(self.path, data, max(len(data), file.last.size)), as_source=self.as_source
        )

    def _deleted(self, file: FileState) -> Document:
        kept = [blob for _, blob in file.history if blob]
        data = self._get_blob(kept[-1]) if kept else None
        if data is None:
            return Notice("This file was deleted.", facts="gone")
        inner = document_for(Source(self.path, data, len(data)), as_source=self.as_source)
        return WithNotice("This file was deleted; this was its content.", inner)

    def _content(self, file: FileState) -> bytes | None:
        """Return the kept or fetched content; if neither is available, request it and return
        None."""
        blob = present(file)
        data = self._get_blob(blob) if blob else None
        if data is not None:
            return data
        moment = _moment(self.path, file)
        if self._fetched[0] != moment:
            self._fetched = (moment, None)
            is_full = self._whole or self.path.lower().endswith(PICTURES)
            most = MAX_WHOLE_BYTES if is_full else MAX_GLANCE_BYTES
            self.post_message(self.ContentRequested(self, self.path, most))
        return self._fetched[1]

    def _comparison(self, file: FileState) -> Document:
        choices = earlier(file)
        if not choices:
            return Notice("No earlier version was saved.", facts="no earlier version")
        base = self.against
        if base == "previous":
            base = choices[-1]
        elif base == "beginning":
            base = choices[0]
        if not isinstance(base, Version):
            return Notice("Nothing to compare with.")
        data = b"" if file.last.change == "deleted" else self._content(file)
        if data is None:
            return Notice("Its current content was not saved.", facts=f"{base.name} → now")
        before = (self._get_blob(base.blob) or b"") if base.blob else b""
        old, new = decode(before), decode(data)
        if old is None or new is None:
            sizes = f"{numbers.size(len(before))} → {numbers.size(len(data))}"
            return Notice(f"Not text, so it cannot be compared line by line: {sizes}.")
        return DiffDocument(old, new, f"{base.name} → now")

    # --- pictures

    @work(exclusive=True, group="picture")
    async def _show_picture(self, document: Document) -> None:
        """Decode in a thread, then show the picture above its facts."""
        try:
            picture = await asyncio.to_thread(document.picture)
        except PreviewError as why:
            self._body.show(WithNotice(str(why), document), keep_place=True)
            return
        place = self.query_one("#preview-picture")
        widget = image_protocols.picture_widget(picture) if picture else None
        if widget is None:
            return
        await place.remove_children()
        await place.mount(widget)
        self.add_class("-picture")


def _moment(path: str, file: FileState | None) -> object:
    """Return a key that changes with the content of a file."""
    if file is None:
        return (path, None)
    last = file.last
    return (path, last.change, last.kind, last.size, last.mtime, last.blob, len(file.history))
