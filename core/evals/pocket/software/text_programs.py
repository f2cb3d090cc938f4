"""Programs about text: numerals, layout, expressions, tables, patterns."""

from __future__ import annotations

from sandbox_tui.core.evals.pocket.draw import Draw
from sandbox_tui.core.evals.pocket.software.catalogue import Program
from sandbox_tui.core.evals.pocket.software.programs.numerals import to_roman


def _numeral_calls(draw: Draw) -> list[str]:
    calls = [f"to_roman({n})" for n in (0, -3, 1, 4, 9, 40, 90, 400, 900, 3_999, 4_000)]
    texts = ("", "IIII", "VX", "IC", "MMMM", "abc", "XIV ", "mcmxciv", "LXXXX", "IXI", "VIV")
    calls += [f"from_roman('{text}')" for text in texts]
    for _ in range(10):
        numerals = [to_roman(draw.integer(1, 900)) for _ in range(draw.integer(2, 4))]
        calls += [
            f"to_roman({draw.integer(1, 3_999)})",
            f"from_roman('{to_roman(draw.integer(1, 3_999))}')",
            f"from_roman('{to_roman(draw.integer(1, 3_999)).lower()}')",
            f"total({numerals})",
        ]
    return [*calls, "total([])"]


NUMERALS = Program(
    source="numerals",
    about="reads and writes Roman numerals",
    modules=("numerals", "roman", "inscription"),
    renames={"total": ("summed", "add_up"), "to_roman": ("written",), "from_roman": ("number_of",)},
    constants={},
    bugs=(
        ('    (900, "CM"),\n', ""),
        ('    (40, "XL"),\n', ""),
        ('    (9, "IX"),\n    (5, "V"),', '    (5, "V"),\n    (9, "IX"),'),
        (
            'number > 3999:\n        raise ValueError("out',
            'number > 3000:\n        raise ValueError("out',
        ),
        ("if number < 1 or", "if number < 0 or"),
        ("while number >= value:", "while number > value:"),
        ("upper = text.upper()", "upper = text"),
        (" or to_roman(number) != upper", ""),
        ("while rest.startswith(letters)", "if rest.startswith(letters)"),
    ),
    calls=_numeral_calls,
)

_WORDS = (
    "a",
    "an",
    "to",
    "the",
    "over",
    "river",
    "meadow",
    "quietly",
    "lanterns",
    "carried",
    "eastwards",
    "unforgettable",
    "misunderstandings",
    "counterrevolutionaries",
    "of",
    "in",
    "stone",
    "bridges",
)


def _paragraph_calls(draw: Draw) -> list[str]:
    calls = ["layout('', 20)", "layout(' \\n\\n', 20)", "centred(['', 'ab', 'abc'], 6)"]
    for _ in range(22):
        text = ""
        for _ in range(draw.integer(6, 28)):
            gap = draw.one_of((" ", " ", " ", "  ", "\n", "\n\n", "\n  \n"))
            text += draw.one_of(_WORDS) + gap
        calls.append(f"layout({text!r}, {draw.integer(12, 30)})")
        lines = draw.some(_WORDS, 4)
        calls.append(f"centred({lines}, {draw.integer(5, 24)})")
    return calls


PARAGRAPHS = Program(
    source="paragraphs",
    about="lays out plain text in lines",
    modules=("paragraphs", "typeset", "pages"),
    renames={"layout": ("lines_of", "set_text"), "centred": ("middle", "in_the_middle")},
    constants={"INDENT": ("1", "2", "3", "4")},
    bugs=(
        ('for line in [*text.splitlines(), ""]:', "for line in text.splitlines():"),
        ("        if line.strip():\n", "        if line:\n"),
        (
            '            if lines:\n                lines.append("")\n',
            '            lines.append("")\n',
        ),
        ("            paragraph = []\n    return", "    return"),
        ('line, empty = " " * INDENT, True', 'line, empty = "", True'),
        ("len(line) + 1 + len(word) > width", "len(line) + 1 + len(word) >= width"),
        ("len(line) + 1 + len(word) > width", "len(line) + len(word) > width"),
        (
            '            line, rest = "", rest[cut:]',
            '            line, rest = " " * INDENT, rest[cut:]',
        ),
        ("cut = width - len(line)", "cut = width"),
        ("(width - len(line)) // 2)", "(width - len(line) + 1) // 2)"),
        ('+ line if line else "" for', "+ line for"),
    ),
    calls=_paragraph_calls,
)


def _formula(draw: Draw, depth: int) -> str:
    if depth == 0:
        return str(draw.integer(0, 12))
    kind = draw.integer(0, 9)
    left, right = _formula(draw, depth - 1), _formula(draw, draw.integer(0, depth - 1))
    if kind == 0:
        return f"-{left}"
    if kind == 1:
        return f"({left})"
    if kind == 2:
        return f"{draw.integer(2, 4)}^{draw.integer(0, 3)}"
    space = draw.one_of(("", " "))
    return f"{left}{space}{draw.one_of('+-*/%')}{space}{right}"


def _calculator_calls(draw: Draw) -> list[str]:
    fixed = (
        "2^3^2",
        "-2^2",
        "3*-2",
        "-7/2",
        "-7%2",
        "7%-2",
        "7/-2",
        "--4",
        "2^-1",
        "1/0",
        "1%0",
        "",
        "(1",
        "1)",
        "1 2",
        "2+*3",
        "a",
        "10-4-3",
        "100/5/2",
        "2*3%4",
        "8%3*2",
        "(2^2)^3",
        "2*(3+4)^2",
        "+5",
        "6-(2-3)",
        "2^(1+1)",
        "()",
        "5 -",
        "-(3-8)*2",
        "17%5-3",
        "9/2*2",
    )
    written = [*fixed, *(_formula(draw, draw.integer(2, 4)) for _ in range(25))]
    return [f"value({text!r})" for text in written]


CALCULATOR = Program(
    source="calculator",
    about="evaluates expressions of integers",
    modules=("calculator", "formula", "evaluate"),
    renames={"value": ("result_of", "computed")},
    constants={},
    bugs=(
        ('    if tokens:\n        raise ValueError(f"unexpected {tokens[0]}")\n', ""),
        (
            "        else:\n            result -= _product(tokens)",
            "        else:\n            result -= _sum(tokens)",
        ),
        (
            "quotient = abs(result) // abs(other)\n"
            "            if (result < 0) != (other < 0):\n"
            "                quotient = -quotient",
            "quotient = result // other",
        ),
        ("else result - quotient * other", "else result % other"),
        ("    return _power(tokens)", "    return _operand(tokens)"),
        ("    exponent = _signed(tokens)\n", "    exponent = _operand(tokens)\n"),
        (
            "    if exponent < 0:\n"
            '        raise ValueError("a negative exponent")\n'
            "    return base**exponent",
            "    return base ** abs(exponent)",
        ),
        (
            '        if not tokens or tokens.pop(0) != ")":\n'
            '            raise ValueError("a parenthesis is open")\n',
            "        if tokens:\n            tokens.pop(0)\n",
        ),
        ("else -_signed(tokens)", "else -_product(tokens)"),
        ('tokens[0] in "*/%"', 'tokens[0] in "*/"'),
        (
            '    if not tokens:\n        raise ValueError("the expression ends too early")\n',
            "    if not tokens:\n        return 0\n",
        ),
    ),
    calls=_calculator_calls,
)

_FIELDS = (
    "tea",
    "green tea",
    "",
    " salt",
    "rice ",
    'a "b" c',
    "x;y",
    "x,y",
    "x|y",
    "two\nlines",
    "7",
)


def _record_calls(draw: Draw) -> list[str]:
    table = 'name~ price~note\ntea ~3\nsalt~ 2 ~" x"\n'
    quoted = '"a~b"~ c ~"say ""hi"""\n"two\nlines"~~"'
    texts = [
        "",
        "a",
        '"a',
        "a\n\nb\n",
        table,
        f"{quoted} z ",
        f'{quoted} z "',
        "a~",
        "~\n~",
        ' "" ',
    ]
    calls = ["write([])", *(_separated("read({})", text) for text in texts)]
    calls += [_separated(f"column({{}}, {name!r})", table) for name in ("price", "note", "weight")]
    for _ in range(15):
        records = [[draw.one_of(_FIELDS) for _ in range(draw.integer(1, 4))] for _ in range(3)]
        calls += [f"write({records})", f"read(write({records}))"]
    return calls


def _separated(call: str, text: str) -> str:
    return call.format(f"{text!r}.replace('~', SEPARATOR)")


RECORDS = Program(
    source="records",
    about="reads and writes tables as text",
    modules=("records", "tables", "exchange"),
    renames={"column": ("fields_of", "pick"), "write": ("dump", "to_text")},
    constants={"SEPARATOR": ('";"', '","', '"|"')},
    bugs=(
        (
            "            elif text[at : at + 1] == '\"':\n"
            "                field += '\"'\n"
            "                at += 1\n",
            "",
        ),
        (
            "            record.append(field if quoted else field.strip())",
            "            record.append(field)",
        ),
        (
            "            record.append(field if quoted else field.strip())",
            "            record.append(field.strip())",
        ),
        ('    if inside:\n        raise ValueError("the text ends inside quotes")\n', ""),
        ("    if record or field or quoted:\n", "    if record:\n"),
        ("                record = []\n", ""),
        ("field.replace('\"', '\"\"')", "field"),
        ('field != field.strip(" ") or ', ""),
        ('(SEPARATOR, "\\n", \'"\'))', "(SEPARATOR, '\"'))"),
        ("if place < len(record) else", "if place <= len(record) - 2 else"),
        ('            field, quoted = "", False\n', '            field = ""\n'),
    ),
    calls=_record_calls,
)

_NAMES = (
    "a.txt",
    "B.TXT",
    "ab.txt",
    "docs/a.txt",
    "docs/old/b.md",
    "readme",
    "x[1]",
    "a]b",
    "a-b",
    "a*b",
    "c",
    "docs/",
    "e.py",
    "lib/e.py",
    "[",
    "f3",
)
_PATTERNS = (
    "*.txt",
    "**.txt",
    "?.txt",
    "docs/*",
    "docs/**",
    "**/*.md",
    "[a-c].txt",
    "[!a-c]*",
    "[]a]*",
    "[!]a]*",
    "x[[]1]",
    "a[]]b",
    "a[a-]b",
    "a\\*b",
    "[",
    "*",
    "**",
    "[A-F]*",
    "*/e.py",
    "??",
    "[ce]",
    "[!c]",
    "a?b",
    "[a",
    "*[0-9]",
    "lib[!a]e.py",
    "lib?e.py",
)


def _pattern_calls(draw: Draw) -> list[str]:
    calls: list[str] = []
    for pattern in _PATTERNS:
        names = draw.some(_NAMES, 7)
        calls.append(f"[matches({pattern!r}, name) for name in {names}]")
    for _ in range(14):
        patterns = [draw.one_of(("", "", "!")) + draw.one_of(_PATTERNS) for _ in range(3)]
        calls.append(f"selected({patterns}, {draw.some(_NAMES, 9)})")
    return calls


PATTERNS = Program(
    source="patterns",
    about="matches names against patterns",
    modules=("patterns", "wildcards", "globbing"),
    renames={"matches": ("covers", "fits"), "selected": ("chosen_names", "filtered")},
    constants={},
    bugs=(
        ("_matches(pattern.lower(), name.lower())", "_matches(pattern, name)"),
        ("return not name", "return True"),
        ("for i in range(len(name) + 1))", "for i in range(len(name)))"),
        ('end = (name + "/").index("/")', "end = len(name)"),
        ("for i in range(end + 1))", "for i in range(1, end + 1))"),
        ('name[0] != "/" and _matches(pattern[1:], name[1:])', "_matches(pattern[1:], name[1:])"),
        ('3 if pattern.startswith("[!") else 2', "1"),
        ("and end > 0:", "and end > 3:"),
        ('    if pattern[0] == "\\\\" and len(pattern) > 1:\n        pattern = pattern[1:]\n', ""),
        ("items[at] <= character <= items[at + 2]", "items[at] <= character < items[at + 2]"),
        ('(not found and character != "/") if negated', "not found if negated"),
        ('chosen = not pattern.startswith("!")', 'chosen = chosen or not pattern.startswith("!")'),
    ),
    calls=_pattern_calls,
)
