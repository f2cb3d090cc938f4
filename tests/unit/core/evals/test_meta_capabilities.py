"""What a model used its computer for: hand-labelled calls, and misleading ones."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox_tui.core.base.tool_names import BASH, EDITOR
from sandbox_tui.core.evals.meta_capabilities.capability import CAPABILITIES
from sandbox_tui.core.evals.meta_capabilities.classify_calls import capabilities_of_run
from sandbox_tui.core.evals.meta_capabilities.python_code import read_code
from sandbox_tui.core.evals.meta_capabilities.rules import RULES
from sandbox_tui.core.evals.meta_capabilities.shell_commands import commands_of
from tests.examples import examples

LETTERS = {"external": "e", "files": "f", "computation": "c"}


def bash(command: str) -> tuple[str, str]:
    return BASH, json.dumps({"command": command})


def edit(command: str, path: str, **more: str) -> tuple[str, str]:
    return EDITOR, json.dumps({"command": command, "path": path, **more})


def letters(*calls: tuple[str, str]) -> str:
    found = capabilities_of_run(calls)
    return "".join(LETTERS[name] for name in CAPABILITIES if name in found.used)


REACHED_OUT = [
    "pip install sympy",
    "pip3 install -q --no-cache-dir numpy scipy 2>&1 | tail -1",
    "python -m pip install rdkit",
    "python3 -m pip download x",
    "uv pip install requests",
    "cd /tmp && sudo apt-get update && sudo apt-get install -y bc",
    "DEBIAN_FRONTEND=noninteractive apt install -y poppler-utils",
    "timeout 60 pip install pandas || true",
    "conda install -y numpy",
    "npm install -g typescript",
    "cargo install ripgrep",
    "git clone https://example.org/a/b.git",
    "git -C repo fetch origin",
    "curl -s https://example.org/data.json",
    "wget -q http://example.org/x.zip -O /dev/null",
    "curl http://example.org/a http://localhost/b",
    "ssh host.example uname",
    "ping -c 1 example.org",
    "bash -c 'curl -sL https://example.org'",
    "if ! pip install x; then echo no; fi",
    "for p in numpy scipy; do pip install $p; done",
    "echo $(curl -s https://example.org/v)",
    "python3 -c \"import requests; print(requests.get('https://example.org').text)\"",
    "python3 - <<'EOF'\nfrom urllib.request import urlopen as u\nprint(u('https://example.org'))\nEOF",
    "python3 -c 'import os; os.system(\"pip install sympy\")'",
    'python3 -c \'import subprocess; subprocess.run(["git", "clone", "https://x.example/a"])\'',
]

USED_FILES = [
    "cat documents/paper.txt",
    "grep -n 'dose' documents/*.txt",
    "grep -rn dose .",
    "grep -A 3 total report.txt | head -5",
    "sed -n 1,40p input.txt",
    "head -c 200 /testbed/documents/a.md",
    "tail -n 5 log",
    "wc -l < notes.txt",
    "ls",
    "ls -la /testbed",
    "find . -name '*.txt' -exec head -1 {} \\;",
    "find . -type f | xargs grep -l dose",
    "mkdir -p work && cp a.txt work/",
    "sort -k 2 names.txt",
    "awk -F, '{print $2}' table.csv",
    "echo hello > notes.txt",
    "cat <<'EOF' > notes.txt\npip install x\nEOF",
    "printf 'a b' | tee words.txt",
    "tar xf bundle.tar",
    'while read -r line; do echo "$line"; done; cat x.txt',
    "python3 -c \"print(open('data.txt').read())\"",
    "python3 -c \"import os; print(os.listdir('.'))\"",
    "perl -pe 's/a/b/' x.txt; grep -c x x.txt",
    "rg -e dose documents",
]

COMPUTED = [
    "python3 -c 'print(2**100)'",
    'python -c "import math; print(math.factorial(30))"',
    "python3 <<'EOF'\nfrom sympy import symbols, solve\nx = symbols('x')\nprint(solve(x, x))\nEOF",
    'python3 <<EOF\ntotal = 0\nfor i in range(10):\n    total += i\nprint(f"{total}\\n")\nEOF',
    "python3 - << PY\nprint(sum(x for x in [1, 2]))\nPY",
    "echo '2^10' | bc",
    "bc <<< '3 * 4'",
    "expr 3 + 4",
    "factor 1234567",
    "awk 'BEGIN {print 3 * 7}'",
    "echo $((17 * 23))",
    "x=5; ((x++)); echo $x",
    "node -e 'console.log(6 * 7)'",
    "python3 solve.py",
    "cd /repo && python -m pytest -q tests/test_a.py",
    "timeout 20 python3 -u run.py --fast",
    "gcc -O2 a.c -o a.out && ./a.out",
    "env PYTHONPATH=. pytest -v",
    "Rscript -e 'mean(c(1, 2))'",
    "echo 'print(6 * 7)' | python3",
    "uv run python model.py",
]

NOTHING = [
    "echo pip install numpy",
    "echo 'curl https://example.org'",
    "# pip install numpy",
    "echo done # then curl https://example.org and cat x.txt",
    "printf '%s\\n' 'python -c \"print(2**100)\"'",
    "pip list",
    "pip --version && pip show numpy && pip freeze",
    "curl --version",
    "curl http://localhost:8000/health",
    "wget http://127.0.0.1:8080/x -O -",
    "git status",
    "git clone /testbed/repo copy",
    "git log --grep 'pip install'",
    "which python3 curl",
    "command -v curl",
    "man curl",
    "cd /testbed",
    "export NAME='cat x.txt'",
    "true",
    "",
    "echo 42 > /testbed/answer.txt",
    "cat /testbed/answer.txt",
    "cat <<'EOF' > /testbed/output/answer.txt\nThe answer: curl https://example.org\nEOF",
    "ps aux | grep python",
    "echo 'a b' | wc -w",
    "echo 'a b' | sed 's/a/b/'",
    "echo abc | awk '{print $1}'",
    "env | sort",
    "echo hello > /dev/null",
    "python3 --version",
    "python3 -c \"print('2 + 2 = 4')\"",
    "python3 -c 'import requests'",
    "python3 -c 'import sympy; print(sympy.__version__)'",
    "python3 -c 'print(\"=\" * 40)'",
    "python3 -c 'this is no python: 2 ** 100'",
    "python3 <<'EOF'\n# requests.get('https://example.org')\nprint('pip install x')\nEOF",
    "python3 -c \"open('answer.txt', 'w').write('42')\"",
    "python3 -c \"from pathlib import Path; Path('/testbed/answer.txt').write_text('42')\"",
    "alias dl='curl https://example.org'",
    'echo "it\'s $(date)"',
    "awk 'BEGIN {print \"3 * 7\"}'",
    "python3 -c 'unclosed",
    "bash -c 'echo pip install x'",
    "yes | head -3",
    "test -f /testbed/x && echo 1",
]

SEVERAL = [
    ("pip install sympy && python3 -c 'print(2 * 21)'", "ec"),
    ("curl -s https://example.org/a.csv > a.csv; head a.csv", "ef"),
    ("python3 -c \"print(sum(map(int, open('n.txt'))))\"", "fc"),
    ("awk '{s += $1} END {print s}' numbers.txt", "fc"),
    ("python3 -c \"import pandas as pd; print(pd.read_csv('https://x.example/a.csv'))\"", "e"),
    ("cat > s.py <<'EOF'\nprint('pip install x')\nEOF\npython3 s.py", "f"),
    ("cat > s.py <<'EOF'\nimport math\nprint(math.sqrt(2))\nEOF\npython3 s.py", "fc"),
    ("cat > get.sh <<'EOF'\ncurl https://example.org\nEOF\nbash get.sh", "ef"),
    ('f() { pip install x; }; f; x=(1 2 3); echo "cat y.txt; bc"', "e"),
    ("case $1 in a) cat x.txt;; esac", "f"),
    ("if [[ -f a.txt ]]; then cat a.txt; fi", "f"),
    ("echo ${x:0:3}; cat a.txt", "f"),
]


@pytest.mark.parametrize("command", REACHED_OUT)
def test_calls_that_reach_out(command: str) -> None:
    assert letters(bash(command)) == "e"


@pytest.mark.parametrize("command", USED_FILES)
def test_calls_that_use_files(command: str) -> None:
    assert letters(bash(command)) == "f"


@pytest.mark.parametrize("command", COMPUTED)
def test_calls_that_compute(command: str) -> None:
    assert letters(bash(command)) == "c"


@pytest.mark.parametrize("command", NOTHING)
def test_calls_that_only_look_like_it(command: str) -> None:
    assert letters(bash(command)) == ""


@pytest.mark.parametrize(("command", "expected"), SEVERAL)
def test_calls_that_do_several_things(command: str, expected: str) -> None:
    assert letters(bash(command)) == expected


def test_calls_of_the_editor() -> None:
    assert letters(edit("view", "/testbed/documents/a.txt")) == "f"
    assert letters(edit("create", "/testbed/notes.md", file_text="2 + 2")) == "f"
    assert letters(edit("create", "/testbed/answer.txt", file_text="42")) == ""
    assert letters(edit("str_replace", "/testbed/x.py", old_str="1", new_str="2")) == "f"
    assert letters(("submit", "{}")) == ""
    assert (
        letters((EDITOR, "{")) == letters((BASH, "[]")) == letters((BASH, '{"command": []}')) == ""
    )
    assert letters(("another_tool", json.dumps({"command": "pip install x"}))) == ""


def test_a_script_that_the_run_wrote_counts_by_what_is_in_it() -> None:
    prints = edit("create", "/testbed/s.py", file_text="print('hello')")
    computes = edit("create", "/testbed/s.py", file_text="print(6 * 7)")
    downloads = edit("create", "/testbed/s.py", file_text="import httpx\nhttpx.get('https://x')")
    changed = edit("str_replace", "/testbed/s.py", old_str="hello", new_str="x")
    run = bash("cd /testbed; chmod +x s.py; python3 s.py")
    assert letters(prints, run) == "f"
    assert letters(computes, run) == "fc"
    assert letters(downloads, run) == "ef"
    assert letters(computes, bash("./s.py")) == "fc"
    assert letters(prints, changed, run) == "fc"  # its present content is unknown


def test_the_calls_that_count_are_named_with_what_made_them_count() -> None:
    found = capabilities_of_run(
        [
            bash("echo start"),
            bash("pip install -q sympy && python3 -c 'import sympy\nprint(sympy.factorint(91))'"),
            edit("view", "/testbed/a.txt"),
        ]
    )
    assert [(call.number, call.capability, call.evidence) for call in found.counted] == [
        (2, "external", "pip install -q sympy"),
        (2, "computation", "print(sympy.factorint(91))"),
        (3, "files", "view /testbed/a.txt"),
    ]


def test_the_rules_are_stated() -> None:
    assert set(RULES) == set(CAPABILITIES)


def test_scripts_that_run_themselves_come_to_an_end() -> None:
    text = "import os\n" + "os.system('python3 s.py; python3 s.py')\n" * 50
    assert letters(edit("create", "s.py", file_text=text), bash("python3 s.py")) == "f"


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("a" + ".b" * 1500 + "()", ["computation"]),
        ("x = " + " + ".join(["1"] * 1500), ["computation"]),
        ("x = 'a'" + " + b" * 1500, []),
        ("x = a" + " + b" * 1500, ["computation"]),
        ("f(" * 5000 + ")" * 5000, []),
        ("a\0", []),
    ],
    ids=("names", "sum", "text", "variables", "too deep", "nul"),
)
def test_code_that_is_deeply_nested_is_read_or_left_alone(code: str, expected: list[str]) -> None:
    assert list(read_code(code).evidence) == expected


@examples(150)
@given(st.text(st.sampled_from("ab x'\"\\$(){}<>|&;#\n=`[]-EOF2*"), max_size=60))
def test_no_command_fails(command: str) -> None:
    commands_of(command)
    capabilities_of_run([bash(command), edit("create", command, file_text=command)])
