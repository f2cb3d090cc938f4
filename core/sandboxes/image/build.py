"""Builds the image, from the Dockerfile or from this machine's Debian packages.

The Dockerfile needs a registry; the packages do not.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import tempfile
from collections.abc import Callable
from importlib import resources
from pathlib import Path

from sandbox_tui.core.base.errors import SandboxUnavailable
from sandbox_tui.core.sandboxes.blocking_calls import run_shielded
from sandbox_tui.core.sandboxes.docker.engine import connect

Progress = Callable[[str], None]

SMALL_PACKAGES = (
    *("bash", "coreutils", "findutils", "procps", "tar", "util-linux", "vim-tiny"),
    *("python3", "python-is-python3"),
)
"""For tests and demos; about 190 MB."""

FULL_PACKAGES = (
    *SMALL_PACKAGES,
    *("build-essential", "ca-certificates", "curl", "file", "git", "jq", "less", "unzip", "wget"),
    *("xz-utils", "python3-dev", "python3-pip", "python3-venv"),
    *("python3-numpy", "python3-scipy", "python3-sympy", "python3-mpmath", "python3-matplotlib"),
)
"""The same programs and libraries as in the Dockerfile."""

_IMPORT_CHANGES = (
    "ENV LC_CTYPE=C.UTF-8 PYTHONUNBUFFERED=1 DEBIAN_FRONTEND=noninteractive",
    "ENV PIP_ROOT_USER_ACTION=ignore PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_BREAK_SYSTEM_PACKAGES=1",
    "WORKDIR /testbed",
    'CMD ["bash"]',
)
_LEFT_OUT = ("man", "locale", "doc", "info", "lintian")


async def build_from_dockerfile(tag: str, progress: Progress) -> None:
    """Build with `docker build`; needs a registry for the base image.

    Raises:
        SandboxUnavailable: the build failed.
    """
    await asyncio.to_thread(_require_engine)
    file = (resources.files(__package__ or __name__) / "Dockerfile").read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "Dockerfile").write_text(file, encoding="utf-8")
        code = await _run(["docker", "build", "-t", tag, folder], progress)
    if code != 0:
        raise SandboxUnavailable(
            "The image could not be built from the Dockerfile. Without a registry, use "
            "`sandbox-tui image build --from-packages`."
        )


async def build_from_packages(tag: str, progress: Progress, *, small: bool = False) -> None:
    """Build from the Debian packages this machine can install, with mmdebstrap.

    Args:
        tag: name of the image.
        progress: called with lines of text.
        small: leave out compilers and science libraries.

    Raises:
        SandboxUnavailable: a tool is missing, or the build failed.
    """
    await asyncio.to_thread(_require_engine)
    if shutil.which("mmdebstrap") is None:
        raise SandboxUnavailable("mmdebstrap is not installed: apt-get install mmdebstrap.")
    with tempfile.TemporaryDirectory(prefix="sandbox-tui-image-") as folder:
        archive = str(Path(folder) / "root.tar")
        packages = SMALL_PACKAGES if small else FULL_PACKAGES
        progress(f"collecting {len(packages)} packages and their dependencies")
        code = await _run(_mmdebstrap(packages, archive), progress)
        if code != 0:
            raise SandboxUnavailable(
                "The packages could not be collected; the last lines above say why. This needs "
                "root, or user namespaces with the package uidmap, and this machine's apt sources."
            )
        progress(f"importing {Path(archive).stat().st_size >> 20} MiB into the engine")
        await asyncio.to_thread(_import, archive, tag)


def _mmdebstrap(packages: tuple[str, ...], archive: str) -> list[str]:
    cleaning = (
        'rm -rf "$1"/var/lib/apt/lists/* "$1"/var/cache/apt/*.bin "$1"/etc/resolv.conf'
        ' "$1"/usr/lib/python3*/EXTERNALLY-MANAGED; mkdir -p "$1"/testbed'
    )
    return [
        "mmdebstrap",
        "--variant=minbase",
        f"--include={','.join(packages)}",
        '--aptopt=APT::Install-Recommends "0"',
        *(f"--dpkgopt=path-exclude=/usr/share/{name}/*" for name in _LEFT_OUT),
        f"--customize-hook={cleaning}",
        _suite(),
        archive,
    ]


def _suite() -> str:
    """Return the code name of this machine's Debian or Ubuntu release."""
    with contextlib.suppress(OSError):
        for line in Path("/etc/os-release").read_text(encoding="utf-8").splitlines():
            name, _, value = line.partition("=")
            if name == "VERSION_CODENAME":
                return value.strip('"')
    return "stable"


def _require_engine() -> None:
    connect(timeout=5).close()


def _import(archive: str, tag: str) -> None:
    from docker.utils import parse_repository_tag

    client = connect(timeout=600)
    name, version = parse_repository_tag(tag)
    try:
        client.api.import_image_from_file(
            archive, repository=name, tag=version or "latest", changes=list(_IMPORT_CHANGES)
        )
    finally:
        client.close()


async def _run(command: list[str], progress: Progress) -> int:
    """Run a program and pass each line of its output to `progress`."""
    starting = asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        limit=1 << 20,
        env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
    )
    try:
        process = await run_shielded(starting, _terminate)
    except FileNotFoundError as error:
        raise SandboxUnavailable(f"The program {command[0]} is not installed.") from error
    try:
        if process.stdout is not None:
            async for line in process.stdout:
                progress(line.decode("utf-8", "replace").rstrip())
        return await process.wait()
    finally:
        if process.returncode is None:  # cancelled
            await _terminate(process)


async def _terminate(process: asyncio.subprocess.Process) -> None:
    process.terminate()
    await process.wait()
