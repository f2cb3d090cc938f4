"""Every kind of preview, with hostile files."""

from __future__ import annotations

import io
import json
import struct
import time
import wave
import zipfile
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from rich.style import Style

from sandbox_tui.core.base.sanitize import sanitize
from sandbox_tui.tui.theming.palette import Palette
from sandbox_tui.tui.widgets.preview.diff import DiffDocument
from sandbox_tui.tui.widgets.preview.document import Document, PreviewError, Source, decode
from sandbox_tui.tui.widgets.preview.kinds.binary import kind_of
from sandbox_tui.tui.widgets.preview.kinds.registry import document_for
from tests.cost import Work
from tests.examples import examples

PALETTE = Palette(
    *(Style(color=f"color({number})") for number in range(1, 14)),
    highlight="native",
    code_background="#000000",
)
NAMES = [
    "a.py",
    "a.md",
    "a.csv",
    "a.tsv",
    "a.json",
    "a.jsonl",
    "a.html",
    "a.png",
    "a.wav",
    "a",
    "a.pdf",
]
HOSTILE = [
    b"\x1b]0;title\x07\x1b[2J\x1b]52;c;AAAA\x07",
    b"\xe2\x80\xaeevil\xe2\x80\xac \xc2\x9b31m \xef\xbb\xbf",
    b"[link=http://x]markup[/link] [red] [/nothing]",
    b"a\0b\0c" * 3000,
    b"\xff\xfe\x00\xd8" * 100,
    b"x" * 3_000_000,
    b"[" * 10_000,
    b'{"a":' * 50_000,
    b'"' + b"a,b\n" * 16_000,
    b"\n" * 70_000,
    b"\n" * 10_000,
    b"\n \n" * 500,
    b"```c\n" + b"\n" * 1900 + b"```",
    b"# h\n" + b"> " * 3000 + b"deep",
    b"1" * 6000,
    b"\x89PNG\r\n\x1a\n" + b"\0" * 100,
    b"RIFF\xff\xff\xff\xffWAVEfmt ",
    b"PK\x03\x04" + b"\xff" * 50,
    b"OggS",
    b"fLaC\0\0",
    b"",
]


def opened(path: str, data: bytes, *, size: int | None = None, as_source: bool = False) -> Document:
    return document_for(
        Source(path, data, len(data) if size is None else size), as_source=as_source
    )


def shown(document: Document, width: int = 70) -> list[str]:
    return [line.plain for line in document.lines(width, PALETTE)]


@pytest.mark.parametrize("data", HOSTILE, ids=lambda data: repr(data[:12]))
@pytest.mark.parametrize("name", NAMES)
def test_nothing_hostile_gets_through(name: str, data: bytes) -> None:
    for as_source in (False, True):
        document = opened(f"/testbed/{name}", data, as_source=as_source)
        lines = document.lines(60, PALETTE)
        for index in (*range(min(50, len(lines))), len(lines) - 1):
            plain = lines[index].plain
            assert sanitize(plain, newlines=False, tabs=False) == plain
        assert sanitize(document.facts, newlines=False) == document.facts


@pytest.mark.parametrize(
    ("name", "text"), [("a.c", "\n"), ("a.md", "\n"), ("a.yaml", "*"), ("Makefile", "x\n")]
)
def test_highlighting_does_not_take_long(name: str, text: str) -> None:
    """Pygments would take minutes for some of these; text not highlighted in time is plain."""
    data = text * (40_000 // len(text))
    began = time.process_time()
    lines = shown(opened(name, data.encode(), as_source=True))
    assert time.process_time() - began < 8
    assert "".join(lines) == data.replace("\n", "")


@given(data=st.binary(max_size=400), name=st.sampled_from(NAMES), width=st.integers(1, 120))
@examples(80)
def test_any_bytes_are_shown(data: bytes, name: str, width: int) -> None:
    document = opened(name, data)
    for line in list(document.lines(width, PALETTE)):
        assert sanitize(line.plain, newlines=False, tabs=False) == line.plain


def test_text_has_colour_and_numbers() -> None:
    document = opened("a.py", b"def f():\n\treturn 1\n")
    assert shown(document, 40) == ["def f():", "    return 1"]
    assert shown(document, 100) == ["  1  def f():".removeprefix(" "), " 2      return 1"]
    assert document.facts == "2 lines"
    assert any(span.style for span in document.lines(40, PALETTE)[0].spans)


def test_a_huge_line_continues_in_rows() -> None:
    document = opened("a.txt", b"x" * 10_000 + b"\nend")
    lines = shown(document, 40)
    assert [len(line) for line in lines] == [4096, 4096, 1808, 3]
    assert document.facts == "2 lines"


def test_a_truncated_preview_says_so() -> None:
    assert "the first 5B of 1.0M" in opened("a.txt", b"hello", size=1_000_000).facts
    assert "shown as text" in shown(opened("a.json", b'{"a": 1', size=99))[0]


@pytest.mark.parametrize("name", ["a.json", "a.html"])
def test_a_line_above_many_others_copies_none_of_them(name: str) -> None:
    document = opened(name, b"x\n" * 100_000)
    with Work() as work:
        lines = document.lines(70, PALETTE)
        assert lines[-1].plain == "x"
    assert lines[-len(lines)].plain == lines[0].plain != "x"
    assert [line.plain for line in lines[-2:]] == ["x", "x"]
    assert len(lines) > 100_000
    with pytest.raises(IndexError):
        lines[len(lines)]
    assert work.lines < 5_000


def test_utf16_and_marks() -> None:
    assert decode("grün\n".encode("utf-16")) == "grün\n"
    assert decode(b"\xef\xbb\xbfa\r\nb") == "a\nb"
    assert decode(b"\xc3\x28" * 200) is None


def test_markdown_is_laid_out() -> None:
    text = (
        b"# Title\n\nSome *words* that go on "
        + b"and on " * 20
        + b"\n\n- one\n- two\n\n[a](http://b)\n"
    )
    lines = shown(opened("a.md", text), 40)
    assert "Title" in "".join(lines)
    assert "# Title" not in lines
    assert max(map(len, lines)) <= 40
    assert any("• one" in line for line in lines)
    assert shown(opened("a.md", text, as_source=True), 40)[0] == "# Title"


def test_markdown_makes_no_links() -> None:
    document = opened("a.md", b"[a](http://b) <http://c> ![i](http://d)")
    for line in document.lines(60, PALETTE):
        assert all(isinstance(s.style, Style) and s.style.link is None for s in line.spans)


def test_a_table_is_aligned() -> None:
    data = b'name,count\nalpha,1\nb,200\n"quo""ted, too",3\n'
    document = opened("a.csv", data)
    lines = shown(document)
    assert lines[0].rstrip() == "name         │ count"
    assert lines[2].rstrip() == "alpha        │     1"
    assert lines[4].startswith('quo"ted, too │     3')
    assert document.facts == "table · 3 rows × 2"
    assert len({len(line) for line in lines}) == 1


@pytest.mark.parametrize("delimiter", [";", "|", "\t"])
def test_other_delimiters(delimiter: str) -> None:
    data = f"a{delimiter}b,c\n1{delimiter}2\n".encode()
    assert opened("a.csv", data).facts == "table · 1 row × 2"


def test_tables_that_are_none() -> None:
    assert "single column" in shown(opened("a.csv", b"a\nb\n"))[0]
    ragged = shown(opened("a.csv", b"a,b\n1\n1,2,3\n"))
    assert len({len(line) for line in ragged}) == 1
    field = b'a,b\n"' + b"x" * 200_000
    assert "Not a readable table" in shown(opened("a.csv", field))[0]
    many = b"a,b\n" + b"1,2\n" * 9000
    assert "first 5,000 rows" in shown(opened("a.csv", many))[-1]


def test_json_folds() -> None:
    value = {"a": {"deep": {"deeper": 1}}, "b": list(range(100)), "c": None, "d": "x\x1b[0m"}
    document = opened("a.json", json.dumps(value).encode())
    lines = shown(document)
    assert lines == [
        "▾ {4}",
        "  ▾ a {1}",
        "    ▸ deep {1}",
        "  ▸ b [100]",
        "    c null",
        '    d "x␛[0m"',
    ]
    assert document.toggle(2)
    assert shown(document)[3] == "        deeper 1"
    assert document.toggle(4)
    assert len(shown(document)) == 107
    assert document.toggle(0)
    assert shown(document) == ["▸ {4}"]
    assert not document.toggle(5)


def test_broken_json() -> None:
    lines = shown(opened("a.json", b'{"a": 1,\n "b": }\n'))
    assert "Not valid JSON (line 2: " in lines[0]
    assert lines[1] == '{"a": 1,'
    assert "not JSON" in "".join(shown(opened("a.jsonl", b'{"a": 1}\n{"b": 2}\nnope\n')))
    assert (
        opened("a.jsonl", b'{"a": 1}\n{"b": 2}\nnope\n').facts
        == "json lines · 3 entries · 1 broken"
    )
    assert "Most lines are not valid JSON" in shown(opened("a.jsonl", b"a\nb\nc"))[0]


def test_many_entries() -> None:
    document = opened("a.json", json.dumps(list(range(5000))).encode())
    assert shown(document)[-1].endswith("… 3,000 more entries")


def png(width: int = 20, height: int = 10, mode: str = "RGBA") -> bytes:
    data = io.BytesIO()
    Image.new(mode, (width, height)).save(data, "PNG")
    return data.getvalue()


def bomb(width: int, height: int) -> bytes:
    """Build a PNG that declares a huge size."""

    def piece(name: bytes, body: bytes) -> bytes:
        return (
            struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
        )

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    rows = zlib.compress(b"\0" * 100_000)
    return b"\x89PNG\r\n\x1a\n" + piece(b"IHDR", head) + piece(b"IDAT", rows) + piece(b"IEND", b"")


def test_pictures() -> None:
    document = opened("a.png", png())
    assert document.facts == "png · 20 × 10"
    picture = document.picture()
    assert picture is not None
    assert picture.mode == "RGB"
    assert picture.getpixel((0, 0)) == (255, 255, 255)
    large = opened("a.png", png(4000, 2000)).picture()
    assert large is not None
    assert large.size == (1600, 800)
    assert opened("no-suffix", png()).facts == "png · 20 × 10"
    for mode in ("1", "L", "P", "LA", "I;16"):
        assert opened("a.png", png(mode=mode)).picture() is not None


def test_broken_pictures() -> None:
    whole = png(300, 300, "RGB")
    with pytest.raises(PreviewError, match="broken"):
        opened("a.png", whole[:-40]).picture()
    with pytest.raises(PreviewError, match="too many pixels"):
        opened("a.png", bomb(60_000, 60_000)).picture()
    with pytest.raises(PreviewError, match="broken"):
        opened("a.png", bomb(5_000, 5_000)).picture()
    with pytest.raises(PreviewError, match="Too large"):
        opened("a.png", whole, size=20_000_000).picture()
    lines = shown(opened("a.png", b"no picture at all"))
    assert "cannot be read as one" in lines[0]
    assert lines[1] == "no picture at all"
    postscript = b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 10 10\n"
    assert opened("a.png", postscript).picture() is None


def test_facts() -> None:
    sound = io.BytesIO()
    with wave.open(sound, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(8000)
        file.writeframes(b"\0\0" * 12_000)
    assert opened("a.wav", sound.getvalue()).facts == "WAV sound · 1.5s · 8000 Hz"
    mp4 = (
        b"\0\0\0\x18ftypisom"
        + b"\0" * 12
        + b"\0\0\0\x6cmvhd"
        + b"\0" * 12
        + struct.pack(">II", 1000, 61_000)
    )
    assert opened("a.mp4", mp4).facts == "MP4 film or sound · 01:01"
    clock = ((44_100 << 44) | 88_200).to_bytes(8, "big")
    flac = b"fLaC\x80\0\0\x22" + b"\0" * 10 + clock + b"\0" * 16
    assert opened("a.flac", flac).facts == "FLAC sound · 2.0s · 44100 Hz"
    mp3 = (b"\xff\xfb\x90\0" + b"\0" * 413) * 100  # frames of 1152 samples
    assert opened("a.mp3", mp3).facts == "MP3 sound · 2.6s · 44100 Hz"
    assert opened("a.mp3", mp3, size=9_000_000).facts == "MP3 sound"
    pdf = b"%PDF-1.7\n1 0 obj<</Type /Page>>\n2 0 obj<</Type/Pages>>"
    assert opened("a.pdf", pdf).facts == "PDF · 1.7 · 1 page"
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("in\x1bside.txt", "x")
    document = opened("a.zip", archive.getvalue())
    assert document.facts == "zip archive · 1 name"
    assert "in␛side.txt" in shown(document)
    dump = shown(opened("a.bin", bytes(range(256))), 80)
    assert any(line.startswith("0010  10 11 12") for line in dump)
    assert kind_of(b"\x7fELF") == "ELF program"


def test_a_dump_says_that_it_is_not_the_whole_file() -> None:
    data = bytes(range(256)) * 8
    assert shown(opened("/testbed/a.bin", data))[-1] == "… 1.5k more"
    assert "more" not in shown(opened("/testbed/a.bin", data[:512]))[-1]


def test_a_page_says_how_to_open_it() -> None:
    lines = shown(opened("a.html", b"<p>hello</p>"))
    assert lines == ["O opens this page in your browser", "<p>hello</p>"]


OLD = "".join(f"line {n}\n" for n in range(30))
NEW = (
    OLD.replace("line 3\n", "line three\n")
    .replace("line 20\n", "")
    .replace("line 25\n", "line 25\nmore\n")
)


def test_a_unified_diff() -> None:
    document = DiffDocument(OLD, NEW, "step 1 → now")
    assert document.facts == "step 1 → now · +2 -2"
    lines = shown(document, 60)
    assert lines[:5] == ["  line 0", "  line 1", "  line 2", "- line 3", "+ line three"]
    assert "⋯ line 18" in lines
    assert "- line 20" in lines
    assert "+ more" in lines


def test_a_diff_side_by_side() -> None:
    lines = shown(DiffDocument(OLD, NEW, "x"), 121)
    pair = next(line for line in lines if "line three" in line)
    left, _, right = pair.partition("│")
    assert left.strip() == "4 - line 3"
    assert right.strip() == "4 + line three"
    assert {len(line) for line in lines if "│" in line} == {121}


def test_diffs_at_the_edge() -> None:
    assert shown(DiffDocument("a\n", "a\n", "x")) == ["No differences."]
    assert shown(DiffDocument("", "a\nb", "x"), 40) == ["+ a", "+ b"]
    assert shown(DiffDocument("a\nb", "", "x"), 40) == ["- a", "- b"]
    assert "too many" in shown(DiffDocument("", "\n" * 30_000, "x"))[0]
    assert DiffDocument("a\nb\n" * 9_000, "b\na\nc\n" * 6_000, "x").facts


def test_a_newline_at_the_end_is_not_a_further_line() -> None:
    assert DiffDocument("", "a,b\n1,2\n3,4\n", "x").facts == "x · +3 -0"
    assert shown(DiffDocument("", "a\nb\n", "x"), 40) == ["+ a", "+ b"]
    assert shown(DiffDocument("a\n", "a\nb\n", "x"), 40) == ["  a", "+ b"]
    assert DiffDocument("", "a\n\n", "x").facts == "x · +2 -0"
    assert opened("n.md", b"# one\n").facts == "markdown · 1 line"
    assert opened("n.md", b"# one\n\ntwo").facts == "markdown · 3 lines"


@pytest.mark.parametrize("width", [60, 120])
def test_a_newline_that_only_one_version_has_at_the_end_is_named(width: int) -> None:
    for before, after, which in (("a\nb", "a\nb\n", "old"), ("a\nb\n", "a\nb", "new")):
        document = DiffDocument(before, after, "x")
        assert document.facts == "x · +1 -1"
        assert shown(document, width)[-1].strip() == (
            f"⋯ the {which} version has no newline at the end"
        )
    assert "newline" not in "".join(shown(DiffDocument("a\nb", "a", "x"), width))


def test_a_new_or_deleted_file_has_one_column_at_any_width() -> None:
    code = "x = " + "1" * 100
    assert shown(DiffDocument("", f"{code}\n", "x"), 140) == [f"+ {code}"]
    assert shown(DiffDocument(code, "", "x"), 140) == [f"- {code}"]


@given(before=st.text(max_size=200), after=st.text(max_size=200), width=st.integers(20, 140))
@examples(60)
def test_any_two_texts_are_compared(before: str, after: str, width: int) -> None:
    for line in shown(DiffDocument(before, after, "x"), width):
        assert sanitize(line, newlines=False, tabs=False) == line
