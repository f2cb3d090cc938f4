"""Determines what Python code does, from its syntax tree."""

from __future__ import annotations

import ast
import functools
import posixpath
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field

from sandbox_tui.core.evals.meta_capabilities.capability import Capability

MAX_CODE_CHARS = 200_000
"""Maximum length of inspected code; longer code does not count as anything."""

ANSWER_FILE = "answer.txt"
"""Every run has to write this file, so writing it does not count as a use of files."""

_NETWORK = (
    *("aiohttp", "arxiv", "boto3", "Bio.Entrez", "datasets.load_dataset", "ftplib", "gdown"),
    *("http.client", "httpx", "huggingface_hub", "nltk.download", "openai", "paramiko"),
    *("playwright", "pubchempy", "requests", "selenium", "smtplib", "socket", "telnetlib"),
    *("torch.hub", "urllib.request", "urllib3", "websocket", "websockets", "wikipedia"),
    *("wikipediaapi", "xmlrpc.client", "yfinance"),
)
"""Modules and functions that access the network when called."""

_LOCAL = frozenset(("socket.gethostname", "socket.inet_aton", "socket.inet_ntoa"))

_FILE_CALLS = (
    *("glob", "io.open", "open", "os.listdir", "os.makedirs", "os.mkdir", "os.remove", "os.rename"),
    *("os.scandir", "os.unlink", "os.walk", "shutil", "tarfile.open", "zipfile.ZipFile"),
    *("numpy.genfromtxt", "numpy.load", "numpy.loadtxt", "pandas.read_csv", "pandas.read_excel"),
    *("pandas.read_json", "pandas.read_table"),
)
_FILE_METHODS = frozenset(
    {"iterdir", "read_bytes", "read_text", "rglob", "to_csv", "write_bytes", "write_text"}
)

_PLAIN_MODULES = frozenset(
    {"argparse", "csv", "glob", "importlib", "io", "json", "logging", "os", "pathlib", "pkgutil"}
    | {"platform", "pprint", "re", "shutil", "string", "subprocess", "sys", "tarfile", "textwrap"}
    | {"time", "traceback", "types", "urllib", "warnings", "zipfile"}
)
_PLAIN_CALLS = frozenset(
    {"bool", "bytes", "dict", "dir", "enumerate", "exit", "format", "getattr", "hasattr", "help"}
    | {"input", "isinstance", "iter", "list", "next", "open", "print", "quit", "range", "repr"}
    | {"set", "setattr", "str", "super", "tuple", "type", "vars", "zip"}
)
_PLAIN_METHODS = _FILE_METHODS | frozenset(
    {"append", "close", "decode", "encode", "endswith", "exists", "extend", "find", "flush"}
    | {"format", "get", "group", "groups", "items", "join", "keys", "ljust", "lower", "lstrip"}
    | {"mkdir", "partition", "pop", "read", "readline", "readlines", "replace", "rjust", "rstrip"}
    | {"seek", "split", "splitlines", "startswith", "strip", "title", "update", "upper", "values"}
    | {"write", "writelines", "zfill"}
)
"""Modules, functions and methods that handle text and objects without computing."""

_SHELLS = ("os.system", "os.popen", "subprocess.")


@dataclass(frozen=True, slots=True)
class CodeUse:
    """What a piece of code does.

    Attributes:
        evidence: first line that counts as each capability.
        commands: shell commands that the code runs.
        programs: programs that the code runs, with their arguments.
    """

    evidence: dict[Capability, str] = field(default_factory=dict[Capability, str])
    commands: tuple[str, ...] = ()
    programs: tuple[tuple[str, ...], ...] = ()


@functools.lru_cache(64)
def read_code(code: str) -> CodeUse:
    """Determine what `code` does; nothing if it is not Python. Cached, since runs repeat
    scripts."""
    if len(code) > MAX_CODE_CHARS:
        return CodeUse()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # invalid escapes in the model's strings
            tree = ast.parse(code)
        nodes = list(ast.walk(tree))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return CodeUse()
    return _Code(code.splitlines(), nodes).use()


@dataclass(slots=True)
class _Code:
    lines: list[str]
    nodes: list[ast.AST]
    names: dict[str, str] = field(default_factory=dict[str, str])
    own: set[str] = field(default_factory=set[str])
    texts: set[ast.AST] = field(default_factory=set[ast.AST])

    def use(self) -> CodeUse:
        """Inspect every node."""
        for node in reversed(self.nodes):  # operands before the expressions that contain them
            self._learn(node)
        found: dict[Capability, str] = {}
        commands: list[str] = []
        programs: list[tuple[str, ...]] = []
        for node in self.nodes:
            for capability in self._capabilities(node):
                found.setdefault(capability, self._line(node))
            if isinstance(node, ast.Call) and self._name(node.func).startswith(_SHELLS):
                commands += _text_argument(node)
                programs += _list_argument(node)
        return CodeUse(found, tuple(commands), tuple(programs))

    def _learn(self, node: ast.AST) -> None:
        """Record what names refer to (modules, the code's own functions), and which nodes are
        text."""
        if isinstance(node, ast.Import):
            for alias in node.names:
                bound = alias.asname or alias.name.split(".")[0]
                self.names[bound] = alias.name if alias.asname else bound
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                self.names[alias.asname or alias.name] = f"{node.module}.{alias.name}"
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            self.own.add(node.name)
        elif isinstance(node, ast.BinOp):
            self.texts |= {node} if {node.left, node.right} & self.texts else set()
        elif isinstance(node, ast.JoinedStr) or (
            isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)
        ):
            self.texts.add(node)

    def _name(self, node: ast.expr) -> str:
        """Return the full dotted name of an expression; empty if it has none."""
        attributes: list[str] = []
        while isinstance(node, ast.Attribute):
            attributes.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return ""
        return ".".join((self.names.get(node.id, node.id), *reversed(attributes)))

    def _capabilities(self, node: ast.AST) -> Iterator[Capability]:
        if isinstance(node, ast.Call):
            yield from self._of_call(node)
        elif isinstance(node, ast.BinOp):
            if node not in self.texts:
                yield "computation"
        elif isinstance(node, ast.AugAssign) and node.value not in self.texts:
            yield "computation"

    def _of_call(self, node: ast.Call) -> Iterator[Capability]:
        name = self._name(node.func)
        method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        if _begins(name, _NETWORK) or (method and _has_address(node)):
            if name not in _LOCAL and not _stays_here(node):
                yield "external"
            return
        if _begins(name, _FILE_CALLS) or method in _FILE_METHODS:
            if not _opens_answer_file(node):
                yield "files"
        elif self._computes(node.func, name, method):
            yield "computation"

    def _computes(self, function: ast.expr, name: str, method: str) -> bool:
        if name in self.own or name in _PLAIN_CALLS:
            return False
        if name.split(".")[0] in _PLAIN_MODULES and self._is_module(function):
            return False
        return method not in _PLAIN_METHODS

    def _is_module(self, function: ast.expr) -> bool:
        """Return whether a dotted name starts with an imported name."""
        while isinstance(function, ast.Attribute):
            function = function.value
        return isinstance(function, ast.Name) and function.id in self.names

    def _line(self, node: ast.AST) -> str:
        at = getattr(node, "lineno", 1) - 1
        return self.lines[at].strip() if at < len(self.lines) else ""


def _begins(name: str, known: tuple[str, ...]) -> bool:
    return any(name == each or name.startswith(f"{each}.") for each in known)


def _first_text(node: ast.Call) -> str:
    """Return the first argument if it is a string literal; otherwise empty."""
    first = node.args[0] if node.args else None
    return first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else ""


def _has_address(node: ast.Call) -> bool:
    """Return whether the call reads from a URL, such as `pandas.read_csv("https://...")`."""
    reads = isinstance(node.func, ast.Attribute) and node.func.attr.startswith("read_")
    return reads and _first_text(node).startswith(("http://", "https://", "ftp://"))


def _stays_here(node: ast.Call) -> bool:
    """Return whether the call only accesses this machine."""
    first = _first_text(node)
    here = ("file:", "localhost", "127.0.0.1", "http://localhost", "http://127.0.0.1")
    return first.startswith(here)


def _opens_answer_file(node: ast.Call) -> bool:
    texts = (
        part.value
        for place in (node.func, *node.args[:1])
        for part in ast.walk(place)
        if isinstance(part, ast.Constant) and isinstance(part.value, str)
    )
    return any(posixpath.basename(text) == ANSWER_FILE for text in texts)


def _text_argument(node: ast.Call) -> list[str]:
    text = _first_text(node)
    return [text] if text else []


def _list_argument(node: ast.Call) -> list[tuple[str, ...]]:
    first = node.args[0] if node.args else None
    if not isinstance(first, ast.List | ast.Tuple):
        return []
    words = tuple(
        part.value if isinstance(part, ast.Constant) and isinstance(part.value, str) else "x"
        for part in first.elts
    )
    return [words] if words else []
