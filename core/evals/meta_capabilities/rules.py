"""Decides which programs count as which capability.

The rules look at the words of a command, not at its outcome: a failed download counts as external.
`RULES` states them for readers of a report.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence

from sandbox_tui.core.evals.meta_capabilities.capability import Capability
from sandbox_tui.core.evals.meta_capabilities.python_code import ANSWER_FILE
from sandbox_tui.core.evals.meta_capabilities.shell_commands import ARITHMETIC, Command

RULES_VERSION = 1
"""Version of everything that decides what counts; raise it with every such change."""

RULES: dict[Capability, str] = {
    "external": (
        "installs or downloads: pip, uv, conda, apt, apk, npm, gem, cargo, go; git clone, fetch or "
        "pull; curl, wget, ssh and similar; Python that calls requests, urllib.request, httpx, "
        "socket and similar. Not: other commands of these programs, help and versions, and "
        "addresses of the sandbox itself."
    ),
    "files": (
        "the editor; cat, head, grep, sed, sort, awk and similar with a file or a folder; ls, "
        "find, cp, mv, mkdir, tar and similar; a redirection into a file; Python that opens "
        "files or lists folders. Not: filters of another command's output, and answer.txt, which "
        "every run has to write."
    ),
    "computation": (
        "Python that calculates or calls functions, Python files that the run did not write, test "
        "runs; node, perl, ruby, R, julia and similar; compiled programs of the run; bc, dc, "
        "expr, factor, awk with arithmetic, arithmetic of bash. Not: Python that only prints, "
        "imports, or reads and writes text, and code with syntax errors."
    ),
}
"""What counts as each capability."""

_INSTALLERS: dict[str, frozenset[str]] = {
    **dict.fromkeys(("pip", "pip3"), frozenset({"install", "download", "wheel", "index"})),
    **dict.fromkeys(("pipx", "gem", "brew", "cargo", "cpanm"), frozenset({"install", "add"})),
    "uv": frozenset({"add", "install", "sync"}),
    **dict.fromkeys(
        ("conda", "mamba", "micromamba"), frozenset({"create", "install", "search", "update"})
    ),
    **dict.fromkeys(
        ("apt", "apt-get", "aptitude", "apk", "dnf", "yum", "microdnf", "pacman", "zypper"),
        frozenset({"add", "build-dep", "download", "install", "update", "upgrade", "-S", "-Sy"}),
    ),
    **dict.fromkeys(
        ("npm", "pnpm", "yarn"), frozenset({"add", "ci", "i", "install", "update", "view"})
    ),
    "go": frozenset({"get", "install", "mod"}),
    "git": frozenset({"clone", "fetch", "ls-remote", "pull", "push"}),
    "docker": frozenset({"pull", "run", "push"}),
    "huggingface-cli": frozenset({"download"}),
    "kaggle": frozenset({"datasets", "competitions"}),
}
"""Programs that access the network with one of these subcommands."""

_CLIENTS = frozenset(
    {"aria2c", "axel", "curl", "curlie", "dig", "ftp", "host", "http", "https", "lftp", "links"}
    | {"lynx", "nc", "ncat", "npx", "nslookup", "ping", "rsync", "scp", "sftp", "ssh", "telnet"}
    | {"traceroute", "w3m", "wget", "whois", "yt-dlp"}
)
"""Programs that access the network with any operand."""

_HERE = re.compile(r"(\w+://)?(localhost|127\.\d+\.\d+\.\d+|\[::1\]|0\.0\.0\.0)([:/].*)?|file:.*")

_READERS = frozenset(
    {"cat", "bat", "cmp", "comm", "csvlook", "cut", "diff", "file", "fold", "head", "hexdump"}
    | {"iconv", "join", "less", "md5sum", "more", "nl", "od", "paste", "pdftotext", "rev"}
    | {"sha256sum", "shuf", "sort", "split", "strings", "tac", "tail", "uniq", "wc", "xxd", "zcat"}
)
"""Programs whose operands are all files."""

_AFTER_A_PATTERN = frozenset(
    {"ack", "ag", "awk", "egrep", "fgrep", "gawk", "grep", "jq", "mawk", "rg", "sed", "zgrep"}
)
"""Programs whose first operand is a pattern or a script; the others are files."""

_MANAGERS = frozenset(
    {"chmod", "cp", "du", "find", "gunzip", "gzip", "ln", "locate", "ls", "mkdir", "mv", "rm"}
    | {"rmdir", "stat", "tar", "tee", "touch", "tree", "truncate", "unzip", "zip"}
)
"""Programs that manage files, with any operands."""

_WITH_VALUE: dict[str, str] = {
    "head": "nc",
    "tail": "nc",
    "cut": "dfc",
    "sort": "kto",
    "uniq": "fsw",
    "fold": "w",
    "nl": "bsw",
    "split": "lbn",
    "xxd": "ls",
    "od": "AtjN",
    "shuf": "ni",
    **dict.fromkeys(("awk", "gawk", "mawk"), "Ffv"),
    "curl": "AbdeFHmouXT",
    "wget": "OPTUt",
    **dict.fromkeys(("grep", "egrep", "fgrep", "zgrep", "rg"), "ABCdefm"),
    "sed": "ef",
    "git": "Cc",
}
"""Option letters that take the next word as their value."""

_CALCULATORS = frozenset(
    {"bc", "dc", "expr", "factor", "gp", "maxima", "octave", "qalc", "sage", "units", ARITHMETIC}
)
_INTERPRETERS = frozenset(
    {"Rscript", "bun", "deno", "ghc", "java", "julia", "lua", "node", "octave", "perl", "php"}
    | {"pytest", "ruby", "runghc", "sqlite3", "swipl"}
)
_ARITHMETIC = re.compile(
    r"[\w)\]$]\s*(\+\+|--|[-+*/%^]=?|\*\*)|\b(int|sqrt|exp|log|sin|cos|atan2)\("
)
_AWK_TEXT = re.compile(r'"(?:\\.|[^"\\])*"|(?:(?<=^)|(?<=[{(;,~!&|]))\s*/(?:\\.|[^/\\])*/')


def capabilities_of(command: Command) -> Iterator[Capability]:
    """Yield the capabilities of a simple command by its program; ignores Python and shell code in
    it."""
    if command.words:
        name, words = posixpath.basename(command.words[0]), command.words[1:]
        if _accesses_network(name, words):
            yield "external"
        if _uses_files(name, words, command):
            yield "files"
        if _computes(name, words, command):
            yield "computation"
    elif any(map(_counts, command.writes)):
        yield "files"


def operands(name: str, words: Sequence[str]) -> list[str]:
    """Return the arguments that are neither options nor their values."""
    found: list[str] = []
    values = _WITH_VALUE.get(name, "")
    rest = iter(words)
    for word in rest:
        if word == "--":
            return [*found, *rest]
        if not word.startswith("-") or word == "-":
            found.append(word)
        elif not word.startswith("--") and word[-1] in values:
            next(rest, None)
    return found


def _accesses_network(name: str, words: Sequence[str]) -> bool:
    if "--help" in words or "--version" in words:
        return False
    verbs = _INSTALLERS.get(name)
    if verbs is not None:
        subcommands = operands(name, words)[: 2 if name == "uv" else 1]
        return bool(verbs & {*subcommands, *words[:1]}) and not _is_local_clone(words)
    if name not in _CLIENTS:
        return False
    targets = operands(name, words)
    if name in ("rsync", "scp"):
        return any(":" in target for target in targets)
    return bool(targets) and not all(_HERE.fullmatch(target) for target in targets)


def _is_local_clone(words: Sequence[str]) -> bool:
    return "clone" in words and any(word.startswith(("/", "./", "../", "file:")) for word in words)


def _uses_files(name: str, words: Sequence[str], command: Command) -> bool:
    if any(map(_counts, command.writes)):
        return True
    if name in _MANAGERS:
        found = operands(name, words)
        return not found or any(map(_counts, found))
    if name in _READERS:
        return any(map(_counts, [*operands(name, words), command.reads]))
    if name in _AFTER_A_PATTERN:
        found = operands(name, words)
        has_pattern_option = any(
            re.fullmatch(r"-\w*[ef]|--(file|regexp|expression)(=.*)?", w) for w in words
        )
        recursive = any(re.fullmatch(r"-\w*[rR]\w*|--recursive", word) for word in words)
        files = [*(found if has_pattern_option else found[1:]), command.reads]
        return any(map(_counts, files)) or (recursive and "grep" in name) or name in ("ag", "ack")
    return False


def _counts(path: str) -> bool:
    """Return whether a path counts as a file: not the answer, standard input or a device."""
    if not path or path == "-" or path.startswith("/dev/"):
        return False
    return posixpath.basename(path) != ANSWER_FILE


def _computes(name: str, words: Sequence[str], command: Command) -> bool:
    if name in _CALCULATORS:
        return bool(words) or command.document is not None or name in ("bc", "dc")
    if name in ("awk", "gawk", "mawk"):
        program = next(iter(operands(name, words)), "")
        return _ARITHMETIC.search(_AWK_TEXT.sub(" ", program)) is not None
    if name == "perl" and any(re.fullmatch(r"-\w*[pn]\w*", word) for word in words):
        return False  # a text filter, like sed
    if name in _INTERPRETERS:
        return not set(words) & {"--version", "--help", "-version"} and (
            list(words) != ["-v"] or name == "pytest"
        )
    if name in ("go", "cargo"):
        return bool(words) and words[0] in ("run", "test")
    return command.words[0].startswith(("./", "/tmp/")) and not name.endswith((".sh", ".py"))
