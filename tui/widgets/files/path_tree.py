"""The sandbox's paths as a tree: visible rows, and changes inside closed folders.

The cost of an update depends on what changed, even with a hundred thousand paths: new ones are
inserted in order, and only visible rows are walked. With that many paths, folders start closed.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sandbox_tui.core.events.run_state import FileState

HIDDEN = frozenset({".git", ".cache", ".venv", "venv", "node_modules", "__pycache__"})
"""Folders that start closed."""

MANY_PATHS = 25_000
"""Number of paths above which new folders start closed: nobody reads that many rows."""

Files = Mapping[str, FileState]


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the tree."""

    path: str
    name: str
    depth: int
    is_dir: bool
    file: FileState | None


@dataclass(slots=True)
class Counts:
    """Numbers of created, modified and deleted paths."""

    created: int = 0
    modified: int = 0
    deleted: int = 0

    def add(self, file: FileState) -> None:
        """Count a file by its change since the run started."""
        if file.last.kind == "dir" or file.run_mark is None:
            return
        if file.run_mark == "created":
            self.created += 1
        elif file.run_mark == "modified":
            self.modified += 1
        else:
            self.deleted += 1

    def __bool__(self) -> bool:
        return bool(self.created or self.modified or self.deleted)


class PathTree:
    """The paths below a folder.

    Attributes:
        root: the folder.
        folded: the closed folders.
    """

    def __init__(self, root: str) -> None:
        self.root = root
        self.folded: set[str] = set()
        self._files: Files = {}
        self._children: dict[str, list[tuple[bool, str]]] = {}
        """For each folder, (is not a folder, name) of its children, sorted, folders first."""
        self._dirs: set[str] = set()
        self._known: dict[str, bool] = {}
        self._below: dict[str, Counts] = {}
        self._crowded = False

    def update(self, files: Files) -> None:
        """Update the tree from the files of a state."""
        self._files = files
        self._below.clear()
        if len(files) < len(self._known) or not self._known.keys() <= files.keys():
            self._children.clear()
            self._known.clear()
            self._dirs.clear()
        many = len(files) - len(self._known) > 1_000
        self._crowded = len(files) > MANY_PATHS
        for path, file in files.items():
            is_dir = file.last.kind == "dir"
            if self._known.get(path) != is_dir:
                self._put(path, is_dir, in_order=not many)
        if many:
            for children in self._children.values():
                children.sort()

    def rows(self) -> list[Row]:
        """Return the visible rows."""
        return list(self._walk(self.folded))

    def matching(self, words: str, *, changed: bool) -> list[Row]:
        """Return files whose path contains all the words, only changed ones if `changed`, and their
        folders."""
        terms = words.lower().split()
        keep: set[str] = set()
        start = len(self.root) + 1
        for path, file in self._files.items():
            below = path[start:].lower()
            if changed and (file.run_mark is None or file.last.kind == "dir"):
                continue
            if all(word in below for word in terms):
                keep.add(path)
                folder = path.rpartition("/")[0]
                while len(folder) > start - 1 and folder not in keep:
                    keep.add(folder)
                    folder = folder.rpartition("/")[0]
        folded = self.folded if changed and not terms else set[str]()
        return list(self._walk(folded, keep))

    def has_children(self, folder: str) -> bool:
        """Return whether anything is known in a folder."""
        return bool(self._children.get(folder))

    def below(self, folder: str) -> Counts:
        """Return the changes below a folder since the run started."""
        counts = self._below.get(folder)
        if counts is None:
            counts = self._below[folder] = Counts()
            stack = [folder]
            while stack:
                here = stack.pop()
                for no_dir, name in self._children.get(here, ()):
                    path = f"{here}/{name}"
                    if not no_dir:
                        stack.append(path)
                    elif (file := self._files.get(path)) is not None:
                        counts.add(file)
        return counts

    def _put(self, path: str, is_dir: bool, *, in_order: bool) -> None:
        if not path.startswith(self.root + "/"):
            return
        folder, _, name = path.rpartition("/")
        if path in self._known:  # a file replaced a folder, or vice versa
            self._children[folder].remove((not self._known[path], name))
            self._dirs.discard(path)
        elif path in self._dirs and is_dir:  # implied by a path below it
            self._known[path] = True
            return
        self._known[path] = is_dir
        self._place(folder, name, is_dir, in_order=in_order)
        while folder != self.root and folder not in self._dirs and folder not in self._known:
            above, _, name = folder.rpartition("/")
            self._place(above, name, True, in_order=in_order)
            folder = above

    def _place(self, folder: str, name: str, is_dir: bool, *, in_order: bool) -> None:
        children = self._children.setdefault(folder, [])
        if in_order:
            insort(children, (not is_dir, name))
        else:
            children.append((not is_dir, name))
        if is_dir:
            path = f"{folder}/{name}"
            if path not in self._dirs and (self._crowded or name in HIDDEN):
                self.folded.add(path)
            self._dirs.add(path)

    def _walk(self, folded: set[str], only: set[str] | None = None) -> Iterator[Row]:
        stack = [(self.root, iter(self._children.get(self.root, ())))]
        while stack:
            folder, entries = stack[-1]
            entry = next(entries, None)
            if entry is None:
                stack.pop()
                continue
            no_dir, name = entry
            path = f"{folder}/{name}"
            if only is not None and path not in only:
                continue
            file = self._files.get(path)
            if file is not None and file.created_and_deleted:
                continue
            yield Row(path, name, len(stack) - 1, not no_dir, file)
            if not no_dir and path not in folded:
                stack.append((path, iter(self._children.get(path, ()))))
