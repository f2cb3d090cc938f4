"""Collects the code of user-defined scorers, which is sent to the nodes.

Installed modules (below `site-packages`) must be installed on the nodes as well. Any other module
exists only on this program's path and is sent: the file, or its whole package.
"""

from __future__ import annotations

import sys
import sysconfig
from collections.abc import Iterable, Iterator, Mapping
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.evals.scorers.table import SCORERS

MAX_CODE_BYTES = 32 << 20
"""Maximum total size of a package's files."""


def scorer_code(names: Iterable[str]) -> dict[str, bytes]:
    """Return the files that scorers need, by path relative to an import folder.

    Args:
        names: of scorers, as in suites.

    Raises:
        ConfigError: the files are too large to send, or cannot be read.
    """
    files: dict[str, bytes] = {}
    for package in sorted({name.partition(".")[0].partition(":")[0] for name in _own(names)}):
        spec = find_spec(package)
        if spec is not None and not _is_installed(spec):
            files |= _files(package, spec)
    return files


def install_code(files: Mapping[str, bytes], folder: Path) -> None:
    """Write the files of scorers to a folder, and put it first on the import path."""
    for name, data in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    sys.path.insert(0, str(folder))


def _own(names: Iterable[str]) -> Iterator[str]:
    return (name for name in names if name not in SCORERS)


def _is_installed(spec: ModuleSpec) -> bool:
    if spec.name in sys.stdlib_module_names or spec.name == "sandbox_tui":
        return True
    places = [*(spec.submodule_search_locations or ()), *([spec.origin] if spec.origin else ())]
    libraries = [Path(sysconfig.get_path(kind)) for kind in ("purelib", "platlib", "stdlib")]
    return any(Path(place).is_relative_to(library) for place in places for library in libraries)


def _files(package: str, spec: ModuleSpec) -> dict[str, bytes]:
    try:
        if spec.submodule_search_locations is None:
            file = Path(spec.origin or "")
            return {file.name: file.read_bytes()}
        return dict(_package_files(package, map(Path, spec.submodule_search_locations)))
    except OSError as error:
        raise ConfigError(f"The scorers in {package} cannot be read: {error}.") from error


def _package_files(package: str, folders: Iterable[Path]) -> Iterator[tuple[str, bytes]]:
    size = 0
    for folder in folders:
        for file in sorted(folder.rglob("*")):
            if not file.is_file() or "__pycache__" in file.parts:
                continue
            if (size := size + file.stat().st_size) > MAX_CODE_BYTES:
                raise ConfigError(
                    f"The package {package} is larger than {MAX_CODE_BYTES >> 20} MiB: put the "
                    "scorers into one of their own, or install it on the nodes."
                )
            yield f"{package}/{file.relative_to(folder)}", file.read_bytes()
