"""The HTML export in a browser: it shows what the cockpit shows, on desktop and phone sizes."""

from __future__ import annotations

import dataclasses
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from PIL import Image

from sandbox_tui.core.base.blob_store import digest
from sandbox_tui.core.events import types as e
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.interchange.exports import EXPORTERS, Recording
from sandbox_tui.themes import load_themes
from tests.e2e.browser import PROGRAM, Page, browser
from tests.unit.event_streams import started
from tests.unit.sample_run import keep

pytestmark = pytest.mark.skipif(PROGRAM is None, reason="there is no Chromium on this machine")

READY = "document.documentElement.dataset.ready"
SEQ = "+document.documentElement.dataset.seq"

WORDS = """# Plan

First **read**, then `write`:

- one
  1. inner
- two <b>not bold</b> [a link](http://example.org/x)

| a | b |
|---|---|
| 1 | 2 |

```python
def f(): return "text"  # why
```"""


def _picture() -> bytes:
    data = io.BytesIO()
    Image.new("RGB", (32, 18), "#aa3344").save(data, "PNG")
    return data.getvalue()


FILES = {
    "first": b"one\ntwo\nthree\n",
    "second": b"one\nTWO\nthree\nneedle in a file\n",
    "picture": _picture(),
    "words": b"# Title\n\n*words*\n",
    "drawing": b'<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8">'
    b'<script>window.acted = 1</script><rect width="8" height="8"/></svg>',
    "table": b'name,said\na,"b,c"\n',
    "binary": b"\0\1\2",
}


def _file(name: str, path: str, change: str = "created") -> e.FileChange:
    data = FILES[name]
    return e.FileChange(
        path=f"/testbed/{path}",
        change=change,  # type: ignore[arg-type]
        kind="file",
        size=len(data),
        blob=digest(data),
    )


def _call(number: int, tool: str, **arguments: str) -> e.CallProposed:
    call = e.ToolCall(
        number=number, step=1, id=f"c{number}", name=tool, arguments=json.dumps(arguments)
    )
    return e.CallProposed(call=call)


def _ended(number: int, shown: str = "", *, ok: bool = True) -> e.CallFinished:
    return e.CallFinished(call=number, observation=shown, ok=ok, duration=0.5)


def session() -> list[e.AnyEvent]:
    """Return the events of a run with something of each kind."""
    reply: dict[str, object] = {"role": "assistant", "content": WORDS}
    edit = {"command": "str_replace", "path": "/testbed/a.py", "old_str": "two", "new_str": "TWO"}
    found: list[e.AnyEvent] = [
        started(task="Do *this*"),
        e.TerminalOpened(terminal="model", cols=100, rows=10),
        e.ModelAsked(step=1, digest="", messages=2),
        e.ModelReplied(
            step=1,
            message=reply,
            text=WORDS,
            reasoning="a secret thought",
            usage=e.Usage(input_tokens=5),
            finish_reason="tool_calls",
            latency=0.4,
        ),
        _call(1, "execute_bash", command="echo 'x' # hay"),
        e.CallStarted(call=1),
        e.TerminalOutput(terminal="model", data=b"printed once\r\n"),
        _ended(1, "printed once"),
        e.FilesChanged(
            step=1,
            call=1,
            changes=(
                _file("first", "a.py"),
                _file("picture", "p.png"),
                _file("words", "w.md"),
                _file("drawing", "d.svg"),
                _file("table", "t.csv"),
                _file("binary", "b.bin"),
            ),
        ),
        _call(2, "str_replace_editor", **edit),
        e.CallStarted(call=2),
        _ended(2, "edited", ok=False),
        e.FilesChanged(step=1, call=2, changes=(_file("second", "a.py", "modified"),)),
        e.HumanMessage(id=1, text="please be **brief**"),
        e.TerminalOpened(terminal="shell", cols=40, rows=5),
        e.TerminalOutput(terminal="shell", data=b"only in the shell\r\n"),
        e.RunFinished(
            reason="submitted", error=None, totals=e.Totals(steps=1, calls=2), answer="The **end**"
        ),
    ]
    return [msgspec.structs.replace(x, seq=n, t=n * 0.2) for n, x in enumerate(found, 1)]


COSTLY = [
    "[" * 60_000,
    "`" * 60_000,
    "[x](" + "a" * 60_000,
    "a | b\n" + " " * 59_000 + "-x",
    "# " + " " * 59_000 + "x",
    "```py\n" + '\\"' * 29_000,
    "> " * 30_000,
    "- " * 30_000,
    "*a" * 30_000 + "_" * 10,
]
"""Texts that take quadratic time in a naive parser of Markdown or code."""


def _said(seq: int, words: str) -> e.ModelReplied:
    return e.ModelReplied(
        seq=seq,
        step=seq,
        message={"role": "assistant", "content": words},
        text=words,
        reasoning="",
        usage=e.Usage(),
        finish_reason="stop",
        latency=0.1,
    )


@pytest.fixture(scope="module")
def exported_page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Page, Path]]:
    """Start one browser for all tests and export the page."""
    folder = tmp_path_factory.mktemp("html")
    store = Store(folder / "s.db")
    keep(store, session(), list(FILES.values()))
    (part,) = EXPORTERS["html"].write(Recording(store, "r"))
    store.close()
    path = folder / "x.html"
    path.write_bytes(part.data)
    with browser(folder / "profile") as opened:
        yield opened, path


@pytest.fixture
def page(exported_page: tuple[Page, Path]) -> Iterator[Page]:
    """Open the page at desktop size, as if for the first time."""
    opened, path = exported_page
    opened.size(1400, 900)
    opened.open("about:blank", "location.href === 'about:blank'")
    opened.requests.clear()
    opened.open(path.as_uri(), READY)
    opened.run("localStorage.clear()")
    yield opened
    assert opened.problems == []
    assert [at for at in opened.requests if not at.startswith(("file://", "blob:null/"))] == []


def text(page: Page, selector: str) -> str:
    return page.run(f"document.querySelector({json.dumps(selector)})?.textContent ?? ''")


def texts(page: Page, selector: str) -> list[str]:
    return page.run(
        f"[...document.querySelectorAll({json.dumps(selector)})].map((x) => x.textContent)"
    )


def click(page: Page, selector: str, words: str = "") -> None:
    page.run(
        f"[...document.querySelectorAll({json.dumps(selector)})]"
        f".find((x) => x.textContent.includes({json.dumps(words)})).click()"
    )


def write(page: Page, words: str) -> None:
    for letter in words:
        page.key(letter)


def test_replies_are_markdown_and_code_is_highlighted(page: Page) -> None:
    reply = ".of-reply > .markdown "
    assert text(page, ".of-task .prose") == "Do *this*", "a task is shown as it was written"
    assert text(page, f"{reply}h3") == "Plan"
    assert texts(page, f"{reply}strong") == ["read"]
    assert texts(page, f"{reply}ol li") == ["inner"]
    assert "<b>not bold</b> a link (http://example.org/x)" in text(page, f"{reply}ul")
    assert texts(page, f"{reply}td") == ["1", "2"]
    assert texts(page, f"{reply}pre .k") == ["def", "return"]
    assert texts(page, f"{reply}pre .s") == ['"text"']
    assert texts(page, f"{reply}pre .c") == ["# why"]
    assert texts(page, ".of-said strong") == ["brief"]
    assert text(page, ".thought summary") == "a secret thought"


def test_calls_open_with_their_code_and_edits_as_diffs(page: Page) -> None:
    page.key("e")
    page.until("document.querySelectorAll('.of-call pre').length === 4")
    assert texts(page, ".of-call pre")[0] == "echo 'x' # hay"
    assert texts(page, ".of-call .diff .del") == ["-two\n"]
    assert texts(page, ".of-call .diff .add") == ["+TWO\n"]
    page.key("e")
    assert page.run("document.querySelectorAll('#list details[open]').length") == 0
    page.key("j")
    page.key("j")
    assert page.run("document.activeElement.textContent").startswith("2edit")
    page.key("k")
    assert page.run("document.activeElement.textContent").startswith("1bash")


def test_the_end_has_the_answer_and_opens_the_files(page: Page) -> None:
    assert texts(page, ".card .answer strong") == ["end"]
    figures = text(page, ".card").replace("\N{NO-BREAK SPACE}", " ")
    assert "1 step · 2 calls" in figures
    assert re.search(r"· \d{4}-\d\d-\d\d \d\d:\d\d$", figures)
    assert page.run("parseFloat(getComputedStyle(document.querySelector('.card')).paddingTop)") > 4
    assert texts(page, ".result button") == ["a.py", "b.bin", "d.svg", "p.png", "t.csv", "w.md"]
    assert texts(page, ".result button:disabled") == ["b.bin"]

    click(page, ".result button", "p.png")
    page.until("document.querySelector('.picture .dim') !== null")
    assert text(page, ".picture .dim") == "32 × 18"
    click(page, ".result button", "w.md")
    assert texts(page, "#preview em") == ["words"]
    click(page, ".result button", "t.csv")
    assert texts(page, "#preview td") == ["a", "b,c"]
    click(page, ".result button", "d.svg")
    page.until("document.querySelector('.picture .dim') !== null")
    assert page.run("typeof window.acted") == "undefined"
    click(page, "#tree .row", "b.bin")
    assert "binary" in text(page, "#preview")


def test_a_changed_file_is_compared_with_its_version_before(page: Page) -> None:
    click(page, "#tree .row", "a.py")
    assert text(page, "#preview") == FILES["second"].decode()
    click(page, "#previewed button", "changes")
    shown = text(page, "#preview").splitlines()
    assert shown == [
        "@@ line 1 @@", " one", "-two", "+TWO", " three", "+needle in a file"
    ]  # fmt: skip
    page.run("location.hash = '#event=9'")
    page.until(f"{SEQ} === 9")
    assert text(page, "#preview") == FILES["first"].decode(), "the file at that moment"
    page.key("Escape")
    assert page.run("document.getElementById('preview').hidden")


def test_search_finds_words_files_and_shells(page: Page) -> None:
    page.key("/")
    write(page, "printed")
    assert text(page, "#found") == "1 place"
    page.key("Enter")
    assert (text(page, "#found"), page.run(SEQ)) == ("1 of 1", 8)
    assert page.until("CSS.highlights.get('found')?.size >= 2")
    page.key("Escape")
    page.key("/")
    write(page, "-two")
    page.key("Enter")
    assert page.run("document.querySelectorAll('.of-call')[1].open"), "what is folded opens"
    page.key("Escape")
    assert page.run("document.getElementById('search').hidden")

    page.key("/")
    write(page, "needle")
    page.key("Enter")
    assert page.run(SEQ) >= 13
    assert "needle" in text(page, "#preview")
    page.key("Escape")
    page.key("/")
    write(page, "only in the")
    page.key("Enter")
    assert text(page, "#terminals [aria-pressed=true]") == "shell"
    page.key("Escape")
    page.key("/")
    write(page, "zzz")
    assert text(page, "#found") == "not found"


def test_themes_are_those_of_the_program(page: Page) -> None:
    themes, _ = load_themes()
    colour = "getComputedStyle(document.documentElement).getPropertyValue('--{}').trim()"
    for name in ("lamplight", "daylight", "contrast"):
        page.key("t")
        assert page.run("document.documentElement.dataset.theme") == name
        assert page.run("localStorage.getItem('sandbox-tui theme')") == name
        theme = themes[name]
        for key, wanted in {
            "back": theme.colors.background,
            "text": theme.colors.foreground,
            "accent": theme.colors.accent,
            "model": theme.roles.model,
            "tool": theme.roles.tool,
            "bad": theme.colors.error,
        }.items():
            assert page.run(colour.format(key)) == wanted, (name, key)
    page.key("t")
    assert page.run("document.documentElement.dataset.theme ?? 'auto'") == "auto"


def test_keys_switch_panes_and_are_listed(page: Page) -> None:
    visible = "[...document.querySelectorAll('main section')].filter((s) => s.offsetWidth).map((s) => s.id)"
    page.key("?")
    assert "next call that failed" in text(page, "#help")
    page.run("document.getElementById('help').close()")
    page.key("3")
    page.key("z")
    assert page.run(visible) == ["files"]
    page.key("1")
    assert page.run(visible) == ["calls"]
    page.key("z")
    assert page.run(visible) == ["calls", "terminal", "files"]
    page.key("Home")
    page.key("f")
    assert page.run(SEQ) == 12, "the call that failed"


def test_a_terminal_comes_back_after_the_beginning(page: Page) -> None:
    page.key("Home")
    assert text(page, "#screen") == ""
    page.key("End")
    assert text(page, "#screen") == "printed once"


def test_a_phone_shows_one_pane_that_fits(page: Page) -> None:
    page.size(390, 844)
    fits: Any = page.run("document.documentElement.scrollWidth <= innerWidth")
    assert fits
    small = "Math.min(...[...document.querySelectorAll('button')].filter((b) => b.offsetHeight).map((b) => b.offsetHeight))"
    assert page.run(small) >= 36, "fingers are wider than pointers"
    click(page, ".result button", "p.png")
    assert page.run("document.getElementById('files').offsetWidth") == 390
    assert page.run("document.getElementById('tree').offsetHeight") == 0
    click(page, "#previewed button", "←")
    assert page.run("document.getElementById('tree').offsetHeight") > 0
    assert page.run("document.documentElement.scrollWidth <= innerWidth")


LONG = "a line of words that is longer than a phone is wide " * 4


def test_long_lines_wrap_at_a_size_that_can_be_read(page: Page, tmp_path: Path) -> None:
    """The lines of a full-screen program stay whole; those of a file wrap, too."""
    prints = [
        f"{LONG}\r\n".encode(),
        b"\x1b[?1049h" + LONG[:100].encode() + b"\x1b[2;1Hstatus",
        b"\x1b[?1049l",
    ]
    events: list[e.AnyEvent] = [
        started(),
        e.TerminalOpened(terminal="model", cols=300, rows=10),
        *(e.TerminalOutput(terminal="model", data=data) for data in prints),
        e.RunFinished(reason="submitted", error=None, totals=e.Totals(), answer="x"),
    ]
    store = Store(tmp_path / "s.db")
    keep(store, [msgspec.structs.replace(x, seq=n, t=n * 0.2) for n, x in enumerate(events, 1)], [])
    (part,) = EXPORTERS["html"].write(Recording(store, "r"))
    store.close()
    path = tmp_path / "long.html"
    path.write_bytes(part.data)
    sideways = "document.getElementById('screen').scrollWidth > document.getElementById('screen').clientWidth"
    pixels = "parseFloat(getComputedStyle(document.getElementById('screen')).fontSize)"

    page.size(390, 844)
    page.open("about:blank", "location.href === 'about:blank'")
    page.open(path.as_uri(), READY)
    page.key("2")
    assert (page.run(sideways), page.run(pixels) >= 11) == (False, True)
    assert text(page, "#screen").startswith(LONG.strip())
    page.key("w")
    assert page.run(sideways)
    page.key("w")
    page.run("location.hash = '#event=4'")
    page.until(f"{SEQ} === 4")
    assert page.run("document.getElementById('screen').children[0].offsetHeight") < 16
    page.run("location.hash = '#event=5'")
    page.until(f"{SEQ} === 5")
    assert page.run(pixels) >= 11


def test_states_have_the_words_of_the_program(page: Page, tmp_path: Path) -> None:
    reply: dict[str, object] = {"role": "assistant", "content": "x"}
    events: list[e.AnyEvent] = [
        started(),
        e.ModelReplied(
            step=1,
            message=reply,
            text="x",
            reasoning="",
            usage=e.Usage(),
            finish_reason="stop",
            latency=0.1,
        ),
        _call(1, "execute_bash", command="ls"),
        e.CallHeld(call=1),
        e.HumanCommand(id=1, command="echo hi", told_to_model=True),
        e.HumanCommandStarted(id=1),
        e.HumanCommandFinished(id=1, observation="hi\n", exit_code=0, duration=2.1),
        e.HumanMessage(id=2, text="be brief"),
        e.CallDecided(call=1, verdict="approve", by="human"),
        e.CallStarted(call=1),
        _ended(1, "a.py"),
        e.Delivered(step=2, ids=(1, 2), text="be brief"),
        e.RunFinished(reason="submitted", error=None, totals=e.Totals(), answer="x"),
    ]
    store = Store(tmp_path / "s.db")
    keep(store, [msgspec.structs.replace(x, seq=n, t=n * 0.2) for n, x in enumerate(events, 1)], [])
    (part,) = EXPORTERS["html"].write(Recording(store, "r"))
    store.close()
    path = tmp_path / "states.html"
    path.write_bytes(part.data)

    def states(event: int) -> list[str]:
        page.open("about:blank", "location.href === 'about:blank'")
        page.open(f"{path.as_uri()}#event={event}", READY)
        return texts(page, ".item .state, .of-said .label")

    assert states(4) == ["waits for you"]
    assert states(5) == ["waits for you", "◇ after the running call  visible to model"]
    assert states(6)[1] == "● running  visible to model"
    assert states(8) == [
        "waits for you",
        "✓ 2.1s · hi  visible to model",
        "◆ you said · sent with the next request",
    ]
    assert states(10)[0] == "● running  approved by you"
    assert states(12)[1:] == ["✓ 2.1s · hi  visible to model", "◆ you said · delivered"]


def test_what_was_cut_off_is_interrupted_at_the_end(page: Page, tmp_path: Path) -> None:
    events = [started(), _call(1, "execute_bash", command="ls"), e.CallStarted(call=1)]
    more = [e.HumanCommand(id=1, command="top", told_to_model=False), e.HumanCommandStarted(id=1)]
    events += [*more, e.ModelAsked(step=2, digest="", messages=2)]
    store = Store(tmp_path / "s.db")
    keep(store, [msgspec.structs.replace(x, seq=n, t=n * 0.2) for n, x in enumerate(events, 1)], [])
    found = Recording(store, "r")
    for outcome, call, command, reply, end in (
        ("interrupted", "◌ interrupted", "◌ interrupted", "! interrupted", "◌ interrupted"),
        ("running", "● running", "● running", "thinking …", "● running"),
    ):
        found.summary = dataclasses.replace(found.summary, outcome=outcome)
        (part,) = EXPORTERS["html"].write(found)
        path = tmp_path / f"{outcome}.html"
        path.write_bytes(part.data)
        page.open("about:blank", "location.href === 'about:blank'")
        page.open(path.as_uri(), READY)
        assert texts(page, ".item .state") == [call, f"{command}  private"]
        assert text(page, ".of-reply .head") == f"step 2 · {reply}"
        assert text(page, "#outcome") == end
        assert text(page, ".card .prose") == end
        assert not page.run("document.getElementById('failure').offsetWidth")
        page.key("Home")
        assert texts(page, ".item .state") == []
    store.close()


def test_a_button_goes_to_the_next_failure(page: Page) -> None:
    assert page.run("document.getElementById('failure').disabled")
    page.key("Home")
    click(page, "#failure")
    assert "✗ " in texts(page, ".item .state")[-1]


def test_expensive_text_does_not_block_the_page(page: Page, tmp_path: Path) -> None:
    store = Store(tmp_path / "costly.db")
    asked = [e.ModelAsked(seq=n * 2, step=n * 2 + 1, digest="", messages=1) for n in range(1, 10)]
    replies = [_said(n * 2 + 1, words) for n, words in enumerate(COSTLY, 1)]
    both = sorted([*asked, *replies], key=lambda event: event.seq)
    table = b"a,b\n" + b',"' * 90_000
    listed = msgspec.structs.replace(_file("table", "t.csv"), blob=digest(table), size=len(table))
    keep(store, [started(), *both, e.FilesChanged(seq=20, step=19, changes=(listed,))], [table])
    (part,) = EXPORTERS["html"].write(Recording(store, "r"))
    store.close()
    path = tmp_path / "costly.html"
    path.write_bytes(part.data)
    page.open(path.as_uri(), READY)
    assert len(texts(page, ".of-reply")) == len(COSTLY)
    click(page, "#tree .row", "t.csv")
    assert texts(page, "#preview th") == ["a", "b"]
