"""The bwrap arguments that define what an embedded sandbox sees."""

from __future__ import annotations

from pathlib import Path

from sandbox_tui.core.sandboxes.base import SandboxSpec

PIPES = "/run/sandbox-tui-pipes"
"""Where the host's pipes are mounted inside. The mount is read-only because the host opens pipes by
name, and a link in their place must not redirect it (pipes can still be written to)."""

NEEDED_OF_ETC = (
    "alternatives",
    "bash.bashrc",
    "ca-certificates.conf",
    "fonts",
    "gai.conf",
    "ImageMagick-6",
    "inputrc",
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "localtime",
    "magic",
    "mime.types",
    "nsswitch.conf",
    "pki",
    "python3",
    "python3.11",
    "python3.12",
    "python3.13",
    "R",
    "ssl",
    "terminfo",
    "timezone",
    "vim",
)
"""The rest of /etc is not mounted: root could read the password hashes in it."""

READ_ONLY_OF_PROC = ("sys", "sysrq-trigger", "irq", "bus", "fs", "acpi", "scsi", "mtrr", "driver")
"""Paths through which root can write to the host's kernel without a capability: a program named in
/proc/sys/kernel/core_pattern would run outside. bwrap covers only some of them, and not always
(0.8.0 skips folders that are not themselves writable)."""

HIDDEN_OF_PROC = ("kcore", "keys", "timer_list", "sched_debug", "latency_stats")
"""Information about the host; the same list as Docker's."""


def namespace_arguments(folder: Path, spec: SandboxSpec, environment: dict[str, str]) -> list[str]:
    """Return the arguments for bwrap, without the command.

    Args:
        folder: contains the private folders work, tmp, home, run, etc and pipes.
        spec: provides the directories and the network.
        environment: the complete environment of the first process.
    """
    shared = spec.network == "bridge"
    arguments = [
        "--unshare-all",
        *(["--share-net"] if shared else []),
        "--die-with-parent",
        "--new-session",
        "--as-pid-1",
        "--cap-drop",
        "ALL",
        "--hostname",
        "sandbox",
        *system_arguments(),
        "--dir",
        "/etc",
        "--dir",
        "/var/tmp",
    ]
    arguments += _proc_arguments()
    for name in (*NEEDED_OF_ETC, *(("resolv.conf", "hosts") if shared else ())):
        arguments += ["--ro-bind-try", f"/etc/{name}", f"/etc/{name}"]
    for name in ("passwd", "group"):
        arguments += ["--ro-bind", str(folder / "etc" / name), f"/etc/{name}"]
    for name, inside in (("work", spec.working_dir), ("tmp", "/tmp"), ("home", "/root")):
        arguments += ["--bind", str(folder / name), inside]
    arguments += ["--bind", str(folder / "run"), "/run", "--ro-bind", str(folder / "pipes"), PIPES]
    arguments += ["--chdir", spec.working_dir, "--clearenv"]
    for name, value in environment.items():
        arguments += ["--setenv", name, value]
    return arguments


def system_arguments() -> list[str]:
    """Return the arguments that every program needs: the system's folders (read-only), /proc and
    /dev.

    `/` is never bound as a whole: bwrap would bind everything mounted below it, and fail if one of
    those mounts disappears meanwhile, as the mounts of containers do.
    """
    arguments = ["--ro-bind", "/usr", "/usr"]
    for name in ("bin", "sbin", "lib", "lib32", "lib64", "libx32"):
        arguments += _system_folder(Path("/") / name)
    return [*arguments, "--proc", "/proc", "--dev", "/dev"]


def _system_folder(path: Path) -> list[str]:
    """Return the arguments for a folder such as /bin: a link into /usr on most systems, a folder on
    some."""
    if path.is_symlink():
        return ["--symlink", str(path.readlink()), str(path)]
    return ["--ro-bind", str(path), str(path)] if path.is_dir() else []


def _proc_arguments() -> list[str]:
    """Return the arguments that keep the host's kernel controls and details out of /proc."""
    arguments: list[str] = []
    for name in READ_ONLY_OF_PROC:
        arguments += ["--ro-bind-try", f"/proc/{name}", f"/proc/{name}"]
    for name in HIDDEN_OF_PROC:
        if Path(f"/proc/{name}").exists():
            arguments += ["--ro-bind", "/dev/null", f"/proc/{name}"]
    return arguments
