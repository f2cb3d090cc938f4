"""Exports: each format reports what happened, and nothing in a session becomes active in it."""

from __future__ import annotations

import html
import json
import re
import tracemalloc
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from sandbox_tui.core.base.errors import StoreError
from sandbox_tui.core.events import types as e
from sandbox_tui.core.terminal.emulator.screen import Screen
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.interchange.export_files import make_export, redacted_words
from sandbox_tui.sessions.interchange.exports import EXPORTERS, Recording, bundle
from sandbox_tui.sessions.interchange.exports.html_page import terminal_frames
from sandbox_tui.sessions.interchange.exports.html_page.page_data import page_data
from sandbox_tui.sessions.interchange.exports.html_page.terminal_frames import (
    Frame,
    StyleTable,
    frames,
)
from sandbox_tui.sessions.interchange.exports.markdown_sanitizer import prose
from sandbox_tui.sessions.interchange.exports.run_story import story
from sandbox_tui.sessions.interchange.redaction import Redactor
from sandbox_tui.sessions.store.tables import eval_ledger as ledger
from sandbox_tui.sessions.store.tables.annotations import Note, add_note, add_tag
from tests.examples import examples
from tests.snapshots.sample_eval import EVAL_ID, enter_eval
from tests.unit.event_streams import started
from tests.unit.sample_run import SECRET, keep, sample

HOSTILE = (
    "</script><script>alert(1)</script><img src=x onerror=alert(2)>\u2028\u2029"
    "```\n# h\n[a](javascript:alert(3)) &amp; \x1b]0;title\x07 \x9b31m \u202e \ufeff \x00 @script@ @data@"
)


HARMLESS = {"h1", "h2", "p", "pre", "code", "table", "thead", "tbody", "tr", "th", "td", "hr"}
HARMLESS |= {"blockquote", "strong", "em", "details", "summary", "h3", "ul", "li"}


def export(store: Store, format_: str, run_id: str = "r", **more: Any) -> dict[str, bytes]:
    parts = EXPORTERS[format_].write(Recording(store, run_id, **more))
    return {part.suffix: part.data for part in parts}


def only(store: Store, format_: str, **more: Any) -> bytes:
    (data,) = export(store, format_, **more).values()
    return data


def test_formats_of_words_do_not_read_what_terminals_printed(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Most of a long session is terminal output, which these formats do not need."""
    keep(store, *sample("words"))
    whole = {format_: export(store, format_) for format_ in EXPORTERS}
    read, asked = store.events, list[bool]()

    def events(run_id: str, **more: Any) -> Iterator[e.AnyEvent]:
        asked.append(more.get("output", True))
        return read(run_id, **more)

    monkeypatch.setattr(store, "events", events)
    for format_ in ("trajectory", "markdown", "chat-jsonl", "atif"):
        assert export(store, format_) == whole[format_]
    assert asked
    assert not any(asked)
    export(store, "html")
    assert any(asked)


def test_a_flood_of_output_is_kept_small_for_the_page(store: Store) -> None:
    """Each short line that scrolls past would take two hundred bytes of objects."""
    flood = b"x\r\n" * 20_000
    events = [
        e.TerminalOpened(seq=1, t=0, terminal="model", cols=80, rows=24),
        *(e.TerminalOutput(seq=n, t=n, terminal="model", data=flood) for n in range(2, 12)),
    ]
    tracemalloc.start()
    try:
        film = frames(events, StyleTable())["model"]
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(film) == 10
    assert most < 10 * len(flood)


def test_too_many_styles_are_drawn_plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terminal_frames, "MAX_LOOKS", 3)
    colours = b"".join(b"\x1b[38;5;%dm%d" % (20 + n, n) for n in (1, 2, 3, 1))
    looks = StyleTable()
    opened = e.TerminalOpened(seq=1, terminal="model", cols=80, rows=24)
    output = e.TerminalOutput(seq=2, terminal="model", data=colours)
    (frame,) = frames([opened, output], looks)["model"]
    line = Frame(*json.loads(frame)).lines[0]
    assert line == [0, "1", 1, "2", 2, "3", 0, "1", 1]
    assert len(looks.numbers) == 3


def test_trajectory_has_the_fields_of_llm_in_sandbox(store: Store) -> None:
    keep(store, *sample("words"))
    made = json.loads(only(store, "trajectory"))
    assert list(made) == ["problem_statement", "steps", "metadata"]
    assert made["problem_statement"] == "words"
    assert made["metadata"]["total_steps"] == len(made["steps"]) == 2
    first = made["steps"][0]
    assert list(first) == ["thought", "reasoning_content", "action", "observation", "metadata"]
    assert first["action"] == {"function": "execute_bash", "parameters": {"command": "echo words"}}
    assert (first["metadata"]["step"], first["metadata"]["exec_time"]) == (1, 0.4)


def test_chat_jsonl_learns_only_what_the_model_did_well(store: Store) -> None:
    keep(store, *sample("words"))
    line = only(store, "chat-jsonl").decode()
    assert line.count("\n") == 1
    made = json.loads(line)
    roles = [m["role"] for m in made["messages"]]
    assert roles == ["system", "user", "assistant", "tool", "user", "assistant", "tool"]
    replies = [m for m in made["messages"] if m["role"] == "assistant"]
    assert [m["weight"] for m in replies] == [0, 1]  # the user edited the first call
    assert {m for r in replies for m in r} == {"role", "content", "tool_calls", "weight"}
    names = [tool["function"]["name"] for tool in made["tools"]]
    assert names == ["str_replace_editor", "execute_bash", "submit"]
    answered = {m["tool_call_id"] for m in made["messages"] if m["role"] == "tool"}
    assert answered == {c["id"] for m in replies for c in m["tool_calls"]}


def test_chat_jsonl_has_a_call_that_was_text_once(store: Store) -> None:
    raw = 'I look.\n```json\n{"name": "submit", "arguments": {}}\n```'
    function = {"name": "submit", "arguments": "{}"}
    message: dict[str, Any] = {
        "role": "assistant",
        "content": raw,
        "tool_calls": [{"id": "text_2_0", "type": "function", "function": function}],
        "tool_format": "json",
    }
    replied = e.ModelReplied(
        **{"step": 1, "message": message, "text": "I look.", "reasoning": "", "usage": e.Usage()},
        **{"finish_reason": "stop", "latency": 0.1, "seq": 2},
    )
    store.append("r", [started(), replied])
    made = json.loads(only(store, "chat-jsonl"))
    (reply,) = [m for m in made["messages"] if m["role"] == "assistant"]
    assert reply["content"] == "I look."
    assert reply["tool_calls"] == message["tool_calls"]
    assert "tool_format" not in reply


def test_further_files_have_the_ending_that_was_asked_for(store: Store, tmp_path: Path) -> None:
    keep(store, *sample("words"))
    made = make_export(store, store.run("r"), EXPORTERS["asciicast"], redact=False)
    for output, names in {
        tmp_path / "r.asciicast": ["r.asciicast", "r.shell.asciicast"],
        tmp_path / "r.cast": ["r.cast", "r.shell.cast"],
        tmp_path / "plain": ["plain", "plain.shell.cast"],
        tmp_path: ["r.model.cast", "r.shell.cast"],
    }.items():
        assert [path.name for path in made.paths(output)] == names


def test_asciicast_is_one_file_a_terminal(store: Store) -> None:
    keep(store, *sample("words"))
    made = export(store, "asciicast")
    assert list(made) == [".model.cast", ".shell.cast"]
    header, *lines = [json.loads(line) for line in made[".shell.cast"].decode().splitlines()]
    assert header["version"] == 3
    assert header["term"] == {"cols": 40, "rows": 5, "type": "xterm-256color"}
    assert [code for _, code, _ in lines] == ["o", "r", "x"]  # typed input is not exported
    assert lines[1][2] == "50x6"
    assert sum(interval for interval, _, _ in lines) == pytest.approx(22 * 0.2)
    _, *mirror = [json.loads(line) for line in made[".model.cast"].decode().splitlines()]
    assert "".join(data for _, code, data in mirror if code == "o") == "out words\r\n"
    assert [data for _, code, data in mirror if code == "m"] == [
        "1 bash echo words (edited by you)",
        "2 edit create a.py +1",
    ]


@given(st.lists(st.binary(max_size=20), max_size=8))
@examples(25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_asciicast_of_any_bytes(tmp_path: Path, pieces: list[bytes]) -> None:
    """Characters split across chunks are decoded whole; invalid UTF-8 is replaced."""
    path = tmp_path / "any.db"
    path.unlink(missing_ok=True)
    store = Store(path)
    events: list[e.AnyEvent] = [started()]
    for piece in pieces:
        seq = len(events) + 1
        events.append(e.TerminalOutput(seq=seq, t=float(seq), terminal="model", data=piece))
    store.append("r", events)
    if pieces:
        text = only(store, "asciicast").decode()
        entries = [json.loads(line) for line in text.split("\n")[1:-1]]
        whole = b"".join(pieces).decode("utf-8", "replace")
        said = "".join(data for _, _, data in entries)
        assert whole.startswith(said)
        assert set(whole[len(said) :]) <= {"\ufffd"}  # an incomplete character at the end
    store.close()


def test_atif_follows_its_schema(store: Store) -> None:
    keep(store, *sample("words"))
    made = json.loads(only(store, "atif"))
    assert made["schema_version"] == "ATIF-v1.4"
    assert {"session_id", "agent", "steps", "final_metrics"} <= set(made)
    assert [s["step_id"] for s in made["steps"]] == list(range(1, len(made["steps"]) + 1))
    assert [s["source"] for s in made["steps"]] == ["system", "user", "agent", "user", "agent"]
    for step in made["steps"]:
        assert isinstance(step["message"], str)
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", step["timestamp"])
        calls = {c["tool_call_id"] for c in step.get("tool_calls", ())}
        answers = {r["source_call_id"] for r in step.get("observation", {}).get("results", ())}
        assert calls == answers
        assert all(isinstance(c["arguments"], dict) for c in step.get("tool_calls", ()))
    assert made["final_metrics"]["total_steps"] == 5
    json.dumps(made, allow_nan=False)


def test_markdown_holds_hostile_text_as_text(store: Store) -> None:
    keep(store, *sample(HOSTILE))
    add_note(store, "r", 1, HOSTILE)
    text = only(store, "markdown").decode()
    shown = MarkdownIt("commonmark", {"html": True}).enable("table").render(text)
    tags = set(re.findall(r"<([a-z0-9]+)", shown))
    assert tags <= HARMLESS
    assert "href" not in re.sub(r"<pre>.*?</pre>", "", shown, flags=re.DOTALL)
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "\u2028" not in text


def test_a_note_on_the_session_comes_before_the_steps(store: Store) -> None:
    keep(store, *sample("words"))
    add_note(store, "r", 0, "the best of them")
    text = only(store, "markdown").decode()
    assert text.index("**note on this session**") < text.index("### Step 1")
    assert text.count("the best of them") == 1
    first = next(entry for entry in story(Recording(store, "r")) if isinstance(entry.item, Note))
    assert first.seq == 1


def test_markdown_reads_like_a_report(store: Store) -> None:
    """The most important facts come first, and long output is folded."""
    events, contents = sample("words")
    long = "\n".join(f"line {n}" for n in range(100))
    events = [
        msgspec.structs.replace(event, observation=long)
        if isinstance(event, e.CallFinished) and event.call == 2
        else event
        for event in events
    ]
    keep(store, events, contents)
    text = only(store, "markdown").decode()
    headings = [line for line in text.splitlines() if line.startswith("#")]
    assert headings == [
        *("# words", "## Task", "## Answer", "## Files", "## Calls", "## What happened"),
        *("### Step 1", "### Step 2"),
    ]
    assert text.split("\n\n")[1].startswith("**Outcome: submitted.** 2 steps, 2 calls (1 failed), ")
    assert "## Task\n\n> words\n\n## Answer\n\nwords\n\n## Files\n\n" in text
    assert "\n| words.py | new | 15 bytes |\n" in text
    assert "\n| 1 | bash | `echo words` | ✗ 0.50 s · exit 3 · edited by you |\n" in text
    assert "<details><summary>output, 100 lines</summary>\n\n```\nline 0\n" in text
    assert "snapshot" not in text
    assert "submitted" not in text.partition("## What happened")[2]


@pytest.mark.parametrize(
    "command",
    [
        "print('start')",
        "a_b | grep *",
        "echo `date` \\",
        "``",
        "sed 's/a\\|b/c/'",
        "<b>&amp; [x](y)",
    ],
)
def test_a_command_in_the_table_of_calls_reads_as_it_was_written(
    store: Store, command: str
) -> None:
    arguments = json.dumps({"command": command})
    call = e.ToolCall(number=1, step=1, id="c", name="execute_bash", arguments=arguments)
    keep(
        store,
        [
            started(),
            e.CallProposed(seq=2, call=call),
            e.RunFinished(
                seq=3, reason="submitted", error=None, totals=e.Totals(steps=1, calls=1), answer="x"
            ),
        ],
        [],
    )
    text = only(store, "markdown").decode()
    assert "\\(" not in text
    shown = MarkdownIt("commonmark", {"html": True}).enable("table").render(text)
    (row,) = re.findall(r"<td>bash</td>\n<td>(.*)</td>", shown)
    assert html.unescape(re.sub("<[^>]*>", "", row)) == command


@pytest.mark.parametrize(("reason", "mark"), [("submitted", ""), ("cancelled", " (not submitted)")])
def test_an_answer_that_was_not_submitted_is_marked(
    store: Store, reason: e.FinishReason, mark: str
) -> None:
    events, contents = sample("words")
    events = [
        msgspec.structs.replace(event, reason=reason) if isinstance(event, e.RunFinished) else event
        for event in events
    ]
    keep(store, events, contents)
    assert f"\n\n## Answer{mark}\n\nwords\n\n" in only(store, "markdown").decode()
    meta = json.loads(b"".join(page_data(Recording(store, "r"))))["meta"]
    assert (meta["answer_label"], meta["answer"]) == (f"answer{mark}", "words")


@pytest.mark.parametrize(
    ("reason", "error", "why"),
    [
        ("cancelled", "You cancelled the run.", "no answer: you cancelled the run"),
        ("max_steps", None, "no answer: the run ended with max steps"),
        ("submitted", None, "no answer: output/answer.txt was not written"),
    ],
)
def test_exports_say_why_there_is_no_answer(
    store: Store, reason: e.FinishReason, error: str | None, why: str
) -> None:
    keep(store, [started(), finished_without_answer(reason, error)], [])
    assert f"\n\n## Answer\n\n*{why}*\n\n" in only(store, "markdown").decode()
    meta = meta_of(store)
    assert (meta["answer"], meta["no_answer"]) == ("", why)


def test_the_line_below_a_call_says_what_the_screen_says(store: Store) -> None:
    edit = {"command": "str_replace", "path": "/a", "old_str": "one\ntwo", "new_str": "one\n2\n3"}
    view = {"command": "view", "path": "/a"}
    created = {"command": "create", "path": "/a", "file_text": "one\ntwo\n"}
    printed = "Exit code: 0\n[STDOUT]\n"
    made: list[tuple[str, dict[str, Any], str, bool]] = [
        ("str_replace_editor", edit, "edited.\n19 falls = []", True),
        ("str_replace_editor", created, "created", True),
        ("str_replace_editor", view, "1 one\n2 two", True),
        ("str_replace_editor", edit, "Error: no such text", False),
        ("execute_bash", {"command": "seq 10"}, printed + "\n".join(map(str, range(10))), True),
        ("execute_bash", {"command": "true"}, printed, True),
    ]
    events: list[e.AnyEvent] = [started()]
    for number, (tool, arguments, shown, ok) in enumerate(made, 1):
        written = json.dumps(arguments)
        call = e.ToolCall(number=number, step=1, id=f"c{number}", name=tool, arguments=written)
        ended = e.CallFinished(call=number, observation=shown, ok=ok, duration=0.0379)
        events += [e.CallProposed(call=call), e.CallStarted(call=number), ended]
    keep(store, [msgspec.structs.replace(one, seq=n) for n, one in enumerate(events, 1)], [])
    data = json.loads(b"".join(page_data(Recording(store, "r"))))
    calls = [item for item in data["items"] if item["kind"] == "call"]
    assert [call["result"] for call in calls] == [
        *("+2 −1", "+2", "2 lines", "Error: no such text", "10 lines", "no output"),
    ]
    assert {call["took"] for call in calls} == {"0.04s"}


def test_a_session_without_an_end_ends_with_a_card_on_the_page(store: Store) -> None:
    keep(store, [started()], [])
    data = json.loads(b"".join(page_data(Recording(store, "r"))))
    assert data["items"][-1]["kind"] == "end"
    assert data["meta"]["no_answer"].startswith("no answer: ")


def test_an_answer_that_is_only_in_submit_is_exported_with_its_mark(store: Store) -> None:
    call = e.ToolCall(number=1, step=1, id="c", name="submit", arguments='{"answer": "forty-two"}')
    events = [started(), replied(2), e.CallProposed(seq=3, call=call)]
    events.append(finished_without_answer("submitted", None, seq=4))
    keep(store, events, [])
    mark = "(said in submit; output/answer.txt was not written)"
    text = only(store, "markdown").decode()
    assert f"\n\n## Answer {mark}\n\nforty-two\n\n" in text
    meta = meta_of(store)
    assert (meta["answer_label"], meta["answer"]) == (f"answer {mark}", "forty-two")
    atif = json.loads(only(store, "atif"))
    assert atif["extra"]["said_in_submit"] == "forty-two"
    assert json.loads(only(store, "trajectory"))["metadata"]["said_in_submit"] == "forty-two"


def finished_without_answer(
    reason: e.FinishReason, error: str | None, seq: int = 2
) -> e.RunFinished:
    return e.RunFinished(seq=seq, reason=reason, error=error, totals=e.Totals(steps=1))


def replied(seq: int) -> e.ModelReplied:
    message: dict[str, object] = {"role": "assistant", "content": "ready"}
    return e.ModelReplied(
        seq=seq,
        step=1,
        message=message,
        text="ready",
        reasoning="",
        usage=e.Usage(),
        finish_reason="stop",
        latency=0.1,
        cost=None,
    )


def meta_of(store: Store) -> dict[str, Any]:
    return json.loads(b"".join(page_data(Recording(store, "r"))))["meta"]


CODE = """Compare:

```python
# compare
if a < b & c:
    print(d[0](x))
---
```

- a list with `a<b & c](d)` in it
  ```
  # <in a list>
  ```

> `<quoted>`

    # indented <code>
"""


@pytest.mark.parametrize("tight", [False, True])
def test_code_in_markdown_stays_as_it_is(store: Store, tight: bool) -> None:
    text = CODE.strip() if tight else CODE
    made = prose(text)
    assert made == text.strip("\n")
    around = "# heading\n\nsetext\n---\n\n<b>html</b> & [link](to) `[code](to)`\n\n[x]: http://y\n"
    assert prose(around) == (
        "\\# heading\n\nsetext\n\\---\n\n&lt;b>html&lt;/b> &amp; [link]\\(to) `[code](to)`"
        "\n\n[x]\\: http://y"
    )


_PIECES = st.lists(
    st.sampled_from(
        [
            "`",
            "``",
            "```",
            "~~~",
            "\n",
            "\n\n",
            "<b>",
            "<img src=x>",
            "[a](b)",
            "[a]: b",
            "|",
            "-|-",
            "\\",
            "a",
            " ",
            "    ",
            "> ",
            "- ",
            "# ",
            "---",
            "<!--",
            "-->",
            "&amp;",
            "![",
            "<http://x.y>",
            "\t",
        ]
    ),
    max_size=24,
).map("".join)


@given(_PIECES)
@examples(200)
def test_no_markdown_acts_or_swallows_what_follows(text: str) -> None:
    shown = (
        MarkdownIt("commonmark", {"html": True}).enable("table").render(f"{prose(text)}\n\nnext")
    )
    outside = re.sub(r"<code[^>]*>.*?</code>", "", shown, flags=re.DOTALL)
    assert "<p>next</p>" in shown
    assert set(re.findall(r"<([a-z0-9]+)", outside)) <= HARMLESS | {"ol", "br"}
    assert "href" not in outside


def test_svg_is_well_formed_and_asks_for_nothing(store: Store) -> None:
    keep(store, *sample(HOSTILE))
    text = only(store, "svg").decode()
    ET.fromstring(text)  # safe to parse: our own output
    assert "<script" not in text
    assert set(re.findall(r"https?://[^\"' )<]+", text)) <= {"http://www.w3.org/2000/svg"}
    assert "url(http" not in text


def test_html_holds_data_and_one_script(store: Store) -> None:
    keep(store, *sample(HOSTILE))
    text = only(store, "html").decode()
    assert text.count("<script") == 2  # the data block, which is not executed, and our script
    assert "alert(" not in text.replace("alert(1)&lt;", "").split("<style>")[1]
    assert "onerror" not in text.split("</title>")[1]
    assert "default-src 'none'" in text
    assert not re.search(r"(src|href)\s*=", text.split("<body>")[1].split("<script>")[0])


@pytest.mark.parametrize("format_", ["svg", "asciicast", "html"])
def test_a_long_title_ends_with_a_whole_word(store: Store, format_: str) -> None:
    keep(store, *sample("words"))
    store.rename("r", "harbours " * 60)
    text = next(iter(export(store, format_).values())).decode()
    assert "harbours …" in text.replace("&#160;", " ").replace("\\u2026", "…")


@pytest.mark.parametrize("format_", sorted(EXPORTERS))
def test_secrets_stay_here_unless_they_are_to_go(store: Store, format_: str) -> None:
    events, contents = sample("words", SECRET)
    keep(store, events, contents)
    store.rename("r", f"title {SECRET}")
    add_note(store, "r", 1, f"note {SECRET}")
    add_tag(store, "r", "words")
    kept = b"".join(export(store, format_).values())
    redacted = b"".join(export(store, format_, redactor=Redactor()).values())
    if format_ not in ("html", "bundle"):  # these two store it compressed
        assert SECRET.encode() in kept
    assert SECRET.encode() not in redacted


@pytest.mark.parametrize("format_", sorted(EXPORTERS))
def test_the_count_of_secrets_is_that_of_the_masks_in_the_files(store: Store, format_: str) -> None:
    keep(store, *sample("words", SECRET))
    store.rename("r", f"title {SECRET}")
    exporter = EXPORTERS[format_]
    done = make_export(store, store.run("r"), exporter, redact=True)
    unpacked = [piece for part in done.parts for piece in exporter.unpack(part.data)]
    assert done.redacted == sum(len(re.findall(rb"\*{8,}", piece)) for piece in unpacked)
    files = "this file" if len(done.parts) == 1 else "these files"
    places = "place" if done.redacted == 1 else "places"
    some = f"secrets redacted in {done.redacted} {places} of {files}"
    assert redacted_words(done) == (some if done.redacted else "no secrets found")
    if format_ == "bundle":
        assert done.redacted
    kept = make_export(store, store.run("r"), exporter, redact=False)
    assert kept.redacted is None


def test_asterisks_of_a_session_without_secrets_are_not_counted(store: Store) -> None:
    keep(store, *sample("/" + "*" * 40 + "/"))
    for exporter in EXPORTERS.values():
        done = make_export(store, store.run("r"), exporter, redact=True)
        assert done.redacted == 0
        assert redacted_words(done) == "no secrets found"


@pytest.mark.parametrize("bound", ["MAX_UNPACKED_BYTES", "MAX_EVENTS", "MAX_VALUES"])
def test_a_bundle_that_could_not_be_read_is_not_written(
    store: Store, monkeypatch: pytest.MonkeyPatch, bound: str
) -> None:
    keep(store, *sample("words"))
    assert only(store, "bundle")
    monkeypatch.setattr(bundle, bound, 20)
    with pytest.raises(StoreError, match="too large for a bundle"):
        only(store, "bundle")


def test_a_session_without_a_terminal(store: Store) -> None:
    store.append("r", [started()])
    for format_ in ("asciicast", "svg"):
        with pytest.raises(StoreError, match="terminal"):
            export(store, format_)
    for format_ in set(EXPORTERS) - {"asciicast", "svg"}:
        assert only(store, format_)


@examples(40)
@given(
    st.lists(
        st.one_of(
            st.binary(max_size=60),
            st.sampled_from(
                [b"\r\n" * 9, b"\x1b[2J", b"\x1b[?1049h", b"\x1b[?1049l", b"\x1b[3J", b"\x1bc"]
            ),
            st.lists(st.sampled_from(["a", "日", "\x1b[31m", "\r\n", "\x1b[5A", "\t"])).map(
                lambda parts: "".join(parts).encode()
            ),
            st.tuples(st.integers(1, 30), st.integers(1, 12)),
        ),
        max_size=25,
    )
)
def test_frames_show_what_the_terminal_showed(
    parts: list[bytes | tuple[int, int]],
) -> None:
    """The lines of the last frame equal those of the screen, whatever was printed."""
    events: list[e.AnyEvent] = [e.TerminalOpened(seq=1, terminal="model", cols=20, rows=6)]
    screen = Screen(20, 6)
    for part in parts:
        seq = len(events) + 1
        if isinstance(part, bytes):
            events.append(e.TerminalOutput(seq=seq, terminal="model", data=part))
            screen.feed(part)
        else:
            events.append(e.TerminalResized(seq=seq, terminal="model", cols=part[0], rows=part[1]))
            screen.resize(*part)
    lines: dict[int, str] = {}
    film = [Frame(*json.loads(frame)) for frame in frames(events, StyleTable()).get("model", [])]
    for frame in film:
        lines |= {number: "".join(runs[::2]) for number, *runs in frame.lines}
    if film:
        shown = [lines.get(film[-1].top + row, "") for row in range(film[-1].rows)]
        wanted = [
            "".join(text for text, _ in screen.row(screen.history_size + y))
            for y in range(screen.lines)
        ]
        assert shown == wanted


def test_a_markdown_report_of_a_fork_says_where_it_comes_from_and_what_changed(
    store: Store,
) -> None:
    def arguments(command: str) -> str:
        return json.dumps({"command": command})

    call = e.ToolCall(
        number=1, step=4, id="c", name="execute_bash", arguments=arguments("echo old")
    )
    store.append("p", [started("p"), e.CallProposed(seq=2, t=1.0, call=call)])
    first = msgspec.structs.replace(started("r"), parent="p", parent_seq=1)
    own: list[e.AnyEvent] = [
        e.Forked(parent="p", parent_seq=1, step=4, snapshot=None, repeats=0, model="m"),
        e.HumanMessage(id=1, text=f"look *again* {SECRET}"),
        e.CallProposed(call=call),
        e.CallDecided(call=1, verdict="edit", by="human", arguments=arguments("echo new")),
    ]
    store.append(
        "r", [first, *(msgspec.structs.replace(one, seq=seq) for seq, one in enumerate(own, 2))]
    )
    text = only(store, "markdown", redactor=Redactor()).decode()
    facts = text.split("\n\n")[2].splitlines()
    assert facts[-3] == "- fork of: p, in step 4"
    assert facts[-2].startswith("- message: look \\*again\\* ")
    assert facts[-1] == "- call 1: changed: old → new"
    assert SECRET not in text


@pytest.mark.parametrize(
    ("score", "sign", "colour"),
    [(0.0, "✗", "bad"), (0.5, "◐", "warn"), (1.0, "✓", "good"), (None, "✓", "good")],
)
def test_the_page_of_a_sample_has_the_colour_of_its_score(
    store: Store, score: float | None, sign: str, colour: str
) -> None:
    keep(store, *sample())
    enter_eval(store, now=1e9)
    row = ledger.results(store, EVAL_ID)[0]
    ledger.finish(
        store, EVAL_ID, msgspec.structs.replace(row, run_id="r", status="finished", score=score)
    )
    page = json.loads(b"".join(page_data(Recording(store, "r"))))
    (card,) = (item for item in page["items"] if item.get("card"))
    for shown in (page["meta"], card):
        assert (shown["sign"], shown["colour"]) == (sign, colour)


def test_the_verdict_on_a_sample_stands_beside_the_outcome(store: Store) -> None:
    keep(store, *sample())
    enter_eval(store, now=1e9)
    row = ledger.results(store, EVAL_ID)[0]
    scored = msgspec.structs.replace(
        row, run_id="r", status="finished", score=0.25, explanation=f"a *reason* {SECRET}"
    )
    ledger.finish(store, EVAL_ID, scored)
    text = only(store, "markdown", redactor=Redactor()).decode()
    (line,) = (line for line in text.splitlines() if line.startswith("**Score 0.25.**"))
    assert text.index("**Outcome: ") < text.index(line) < text.index("- model:")
    assert SECRET not in line
    assert line.endswith(f"Expected: `42`. Task {row.task} of pocket, mode {row.mode}.")
    meta = json.loads(b"".join(page_data(Recording(store, "r"))))["meta"]
    assert meta["score"] == "score 0.25"
    assert meta["verdict"][1:] == ["expected 42", f"pocket {row.task}, {row.mode}"]
