"""Logs what the running program really did: evidence that a test cannot merely declare.

Each line of the log is one JSON object with `what` and `name`:

- `action`: a key, or a click on its label, reached a binding; its action was allowed and ran; and
  the screen looked different afterwards (except for digits, because clocks change), or the
  program ended
- `option`: a command line set it to a value other than the default, and the command was not refused
- `setting`: the part of the program that a setting is meant for read a value other than the default
- `field`: keys changed a form's field, and the form was confirmed
- `export`: bytes were written in that format; `import`: a session was imported from that format

With `SANDBOX_TUI_JOURNEY_KEYS=1` there is also a line for each key (see `_KeyLog`): the walks need
to know when a key has been fully handled and what it did.
"""

from __future__ import annotations

import asyncio
import functools
import importlib.util
import json
import os
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, ClassVar

PATIENCE = 5.0
"""Seconds within which an action has to change the screen."""

LOOK = 0.03
"""Seconds between checks."""

_log: list[int] = []
_said: set[tuple[str, str]] = set()
_key: ContextVar[str] = ContextVar("key", default="")
_acting: set[asyncio.Task[Any] | None] = set()
"""Tasks in which an action is running."""


def install(path: str) -> None:
    """Wrap the relevant modules of the program as they are imported."""
    log_to(path)
    sys.meta_path.insert(0, _Watcher())


def log_to(path: str) -> None:
    """Write to this path from now on."""
    _log[:] = [os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)]


def write(what: str, name: str, **more: Any) -> None:
    """Write one line with a single call, because several programs may share a log."""
    line = json.dumps({"at": time.time(), "what": what, "name": name, **more})
    os.write(_log[0], line.encode() + b"\n")


def once(what: str, name: str, **more: Any) -> None:
    """Write a line unless the same `what` and `name` were written before."""
    if (what, name) not in _said:
        _said.add((what, name))
        write(what, name, **more)


class _Watcher(MetaPathFinder):
    """Wraps what a module defines as soon as it has been imported."""

    def __init__(self) -> None:
        self._busy: set[str] = set()

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        wrap = _WRAPPERS.get(name)
        if wrap is None or name in self._busy:
            return None
        self._busy.add(name)
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self._busy.discard(name)
        if spec is None or spec.loader is None:
            return spec
        execute = spec.loader.exec_module

        def executed(module: ModuleType) -> None:
            execute(module)
            wrap(module)

        spec.loader.exec_module = executed  # type: ignore[method-assign]
        return spec


# --- actions and fields


def _textual_app(module: ModuleType) -> None:
    app = module.App
    check, run, on_event, leave = app._check_bindings, app.run_action, app.on_event, app.exit

    @functools.wraps(check)
    async def checked(self: Any, key: str, priority: bool = False) -> bool:
        token = _key.set(key)
        try:
            return await check(self, key, priority)
        finally:
            _key.reset(token)

    @functools.wraps(run)
    async def ran(self: Any, action: Any, default_namespace: Any = None, *more: Any) -> bool:
        key, name = _key.get(), _binding_of(action, default_namespace)
        if not name:
            return await run(self, action, default_namespace, *more)
        task = asyncio.current_task()
        if task in _acting:  # actions called by an action are not caused by a key
            return await run(self, action, default_namespace, *more)
        _acting.add(task)
        began, before = time.time(), _looks(self)
        _Pending.settle(before)
        try:
            done = await run(self, action, default_namespace, *more)
        finally:
            _acting.discard(task)
        if done:
            _KeyLog.action(name, key, began)
            _Pending.watch(self, name, key or "mouse", before)
        return done

    @functools.wraps(on_event)
    async def heard(self: Any, event: Any) -> None:
        if type(event).__name__ == "Key" and not event.is_forwarded:
            _Fields.before_key(self)
            _KeyLog.pressed(self, event.key)
        await on_event(self, event)

    @functools.wraps(leave)
    def left(self: Any, *arguments: Any, **named: Any) -> None:
        _Pending.all_done()
        leave(self, *arguments, **named)

    app._check_bindings, app.run_action, app.on_event, app.exit = checked, ran, heard, left


def _binding_of(action: Any, node: Any) -> str:
    """Return the id of the binding for this action; empty if it is not one of ours."""
    bindings = getattr(node, "_bindings", None)
    if bindings is None or not isinstance(action, str):
        return ""
    key = _key.get()
    here = bindings.key_to_bindings
    for binding in [*here.get(key, ()), *(each for found in here.values() for each in found)]:
        if binding.action == action and binding.id:
            return str(binding.id)
    return ""


def _looks(app: Any) -> tuple[int, int]:
    """Fingerprint what is on the screen, ignoring digits."""
    if _KeyLog.on or not app.screen_stack:
        return 0, 0
    screen = app.screen
    try:
        strips = screen._compositor.render_strips()
    except Exception:  # the screen is being removed
        return id(screen), 0
    cells = [
        (re.sub(r"\d", "0", segment.text), str(segment.style))
        for strip in strips
        for segment in strip
    ]
    return id(screen), hash(tuple(cells))


class _Pending:
    """Actions that have run but not yet changed the screen."""

    waiting: ClassVar[dict[int, tuple[str, str, tuple[int, int]]]] = {}
    number = 0

    @classmethod
    def settle(cls, now: tuple[int, int]) -> None:
        """Settle earlier actions before another runs, since later changes may be its effect."""
        for number, (_, _, before) in list(cls.waiting.items()):
            if now != before:
                cls._done(number)
        cls.waiting.clear()

    @classmethod
    def watch(cls, app: Any, name: str, key: str, before: tuple[int, int]) -> None:
        if _KeyLog.on or ("action", name) in _said:
            return
        cls.number += 1
        cls.waiting[cls.number] = name, key, before
        task = asyncio.get_running_loop().create_task(cls._look(app, cls.number, before))
        _tasks.add(task)
        task.add_done_callback(_tasks.discard)

    @classmethod
    async def _look(cls, app: Any, number: int, before: tuple[int, int]) -> None:
        until = time.monotonic() + PATIENCE
        while number in cls.waiting and time.monotonic() < until:
            if _looks(app) != before:
                cls._done(number)
                return
            await asyncio.sleep(LOOK)
        cls.waiting.pop(number, None)

    @classmethod
    def _done(cls, number: int) -> None:
        name, key, _ = cls.waiting.pop(number)
        once("action", name, key=key)

    @classmethod
    def all_done(cls) -> None:
        """The program is ending, which counts as the effect of all pending actions."""
        for number in list(cls.waiting):
            cls._done(number)


_tasks: set[asyncio.Task[None]] = set()


class _Fields:
    """Form fields that keys have changed.

    Attributes:
        changed: names by the screen they are on, until the form is confirmed.
    """

    KINDS = ("Input", "TextArea", "Select", "Checkbox", "Switch", "Choice")
    AT_ONCE = ("PagerScreen", "FileViewScreen", "FilterFilesDialog")
    """Dialogs that apply changes while the user types."""
    changed: ClassVar[dict[int, set[str]]] = {}

    watched: ClassVar[dict[int, tuple[Any, str]]] = {}
    """Fields in which a key was pressed, with their previous values."""

    @classmethod
    def before_key(cls, app: Any) -> None:
        cls.settle()
        cls.watched.clear()
        field = next(cls._around(app.focused if app.screen_stack else None), None)
        if field is not None:
            cls.watched[id(field)] = field, cls._value(field)
            task = asyncio.get_running_loop().create_task(cls._look())
            _tasks.add(task)
            task.add_done_callback(_tasks.discard)

    @classmethod
    def settle(cls) -> None:
        """Record the fields whose values have changed."""
        for number, (field, before) in list(cls.watched.items()):
            if cls._value(field) != before:
                del cls.watched[number]
                cls._note(field)

    @classmethod
    def _around(cls, widget: Any) -> Iterator[Any]:
        while widget is not None:
            if any(kind.__name__ in cls.KINDS for kind in type(widget).__mro__):
                yield widget
            widget = widget.parent

    @classmethod
    async def _look(cls) -> None:
        until = time.monotonic() + 1
        while cls.watched and time.monotonic() < until:
            cls.settle()
            await asyncio.sleep(LOOK)

    @classmethod
    def _note(cls, field: Any) -> None:
        owner = field.parent
        while owner is not None and not type(owner).__module__.startswith("sandbox_tui."):
            owner = owner.parent
        if owner is None:
            return
        kind = next(k.__name__ for k in type(field).__mro__ if k.__name__ in cls.KINDS)
        # Textual's own classes begin with a dash
        classes = sorted(name for name in field.classes if not name.startswith("-"))
        own = field.id or " ".join(classes) or kind.lower()
        # a subclass has the fields that its base composes
        owners = [k for k in type(owner).__mro__ if k.__module__.startswith("sandbox_tui.")]
        names = {f"{known.__name__}#{own}" for known in owners}
        screen = field.screen
        if screen.is_modal and type(screen).__name__ not in cls.AT_ONCE:
            cls.changed.setdefault(id(screen), set()).update(names)
        else:
            for name in names:
                once("field", name)

    @staticmethod
    def _value(field: Any) -> str:
        return str(field.text if hasattr(field, "document") else field.value)

    @classmethod
    def confirmed(cls, screen: Any) -> None:
        cls.settle()
        for name in cls.changed.pop(id(screen), ()):
            once("field", name)


def _textual_screen(module: ModuleType) -> None:
    screen = module.Screen
    dismiss = screen.dismiss

    @functools.wraps(dismiss)
    def dismissed(self: Any, result: Any = None) -> Any:
        if result is not None and result is not False:
            _Fields.confirmed(self)
        return dismiss(self, result)

    screen.dismiss = dismissed


def _settings_in_force(module: ModuleType) -> None:
    kind = module.LiveSettings
    change = kind.change

    @functools.wraps(change)
    def changed(self: Any, changes: Any) -> Any:
        path = change(self, changes)
        from textual._context import active_app

        app = active_app.get(None)
        if app is not None and type(app.screen).__name__ == "SettingsScreen":
            _Fields.confirmed(app.screen)
        return path

    kind.change = changed


# --- the command line


def _click_core(module: ModuleType) -> None:
    invoke, handle = module.Command.invoke, module.Parameter.handle_parse_result

    @functools.wraps(invoke)
    def invoked(self: Any, ctx: Any) -> Any:
        try:
            result = invoke(self, ctx)
        except (SystemExit, module.Exit) as end:
            code = getattr(end, "exit_code", getattr(end, "code", 0))
            if code not in (2, 3):  # wrong input or no sandbox: the command was not carried out
                _command(module, ctx)
            raise
        _command(module, ctx)
        return result

    @functools.wraps(handle)
    def handled(self: Any, ctx: Any, opts: Any, args: Any) -> Any:
        try:
            return handle(self, ctx, opts, args)
        except (SystemExit, module.Exit) as end:
            if self.is_eager and not getattr(end, "exit_code", 1):  # --help, --version
                once("option", f"{_path(ctx)} {max(self.opts, key=len)}".strip())
            raise

    module.Command.invoke, module.Parameter.handle_parse_result = invoked, handled


def _path(ctx: Any) -> str:
    return " ".join(str(ctx.command_path).split()[1:])


def _command(module: ModuleType, ctx: Any) -> None:
    path = _path(ctx)
    once("option", path)
    for parameter in ctx.command.params:
        value = ctx.params.get(parameter.name)
        source = ctx.get_parameter_source(parameter.name)
        if source is None or source.name != "COMMANDLINE" or value == parameter.default:
            continue
        if isinstance(parameter, module.Argument):
            once("option", f"{path} {parameter.human_readable_name}")
            continue
        names = parameter.secondary_opts if value is False else parameter.opts
        once("option", f"{path} {max(names, key=len)}".strip())


# --- settings

_LISTING = (
    "sandbox_tui.core.config.setting_sources",
    "sandbox_tui.core.config.toml_file",
    "sandbox_tui.tui.cli.settings_commands",
    "sandbox_tui.tui.screens.settings",
)
"""Modules that read every setting only to display or write it."""


def _core_config(module: ModuleType) -> None:
    for section, kind in module.sections().items():
        usual = kind()
        for name in kind.__struct_fields__:
            _watch_setting(kind, name, f"{section}.{name}", getattr(usual, name))
    _watch_setting(module.Settings, "keys", "keys", {})


def _watch_setting(kind: Any, field: str, name: str, usual: Any) -> None:
    slot = kind.__dict__[field]

    def read(self: Any) -> Any:
        value = slot.__get__(self)
        if value != usual and ("setting", name) not in _said:
            frame = sys._getframe(1)
            by = str(frame.f_globals.get("__name__", ""))
            listed = by in _LISTING or (
                by == "sandbox_tui.core.config.settings"
                and frame.f_code.co_name in ("load", "changed")
            )
            if by.startswith("sandbox_tui.") and not listed:
                once("setting", name, by=by)
        return value

    setattr(kind, field, property(read))


# --- what goes out and comes in


def _exports(module: ModuleType) -> None:
    """Log an export once its files exist."""
    write = module.Export.write

    @functools.wraps(write)
    def written(self: Any, *more: Any, **named: Any) -> Any:
        files = write(self, *more, **named)
        if sum(path.stat().st_size for path, _ in files):
            once("export", self.format)
        return files

    module.Export.write = written


def _imports(module: ModuleType) -> None:
    choose, take = module._importer, module.import_file
    chosen: list[str] = []

    def choosing(opened: Any) -> Any:
        importer = choose(opened)
        chosen.append(importer.name)
        return importer

    @functools.wraps(take)
    def taken(store: Any, path: Any) -> Any:
        ids = take(store, path)
        if ids and chosen:
            once("import", chosen[-1])
        return ids

    module._importer, module.import_file = choosing, taken


# --- keys, for the walks


class _KeyLog:
    """Logs keys. `key`: it arrived; `done`: it was fully handled; `ran`: the action it
    triggered; `drawn`: the screen was drawn in a new size.
    """

    on = os.environ.get("SANDBOX_TUI_JOURNEY_KEYS") == "1"

    @classmethod
    def pressed(cls, app: Any, key: str) -> None:
        if not cls.on:
            return
        focused = app.focused if app.screen_stack else None
        screen = type(app.screen).__name__ if app.screen_stack else ""
        write("key", key, screen=screen, focus=getattr(focused, "id", None) or "")

    @classmethod
    def action(cls, name: str, key: str, began: float) -> None:
        if cls.on:
            write("ran", name, key=key, at=began)


def _key_order(module: ModuleType) -> None:
    if not _KeyLog.on:
        return
    next_key = module.SequentialKeys._next_key

    @functools.wraps(next_key)
    async def done(self: Any) -> None:
        write("done", "", waiting=len(self._keys_waiting))
        await next_key(self)

    is_ignored = module.SequentialKeys._is_ignored

    @functools.wraps(is_ignored)
    def ignored(self: Any, event: Any) -> bool:
        answer = bool(is_ignored(self, event))
        if answer:
            write("done", "", waiting=len(self._keys_waiting))
        return answer

    module.SequentialKeys._next_key, module.SequentialKeys._is_ignored = done, ignored


def _report_drawn(app: Any, size: str) -> None:
    """Write `drawn` once a screen was drawn; one that is closed before that never calls back."""
    was_drawn = False

    def drawn() -> None:
        nonlocal was_drawn
        if not was_drawn:
            was_drawn = True
            asking.stop()
            write("drawn", size)

    def ask() -> None:
        app.screen.call_after_refresh(drawn)

    asking = app.set_interval(0.1, ask)
    ask()


def _own_app(module: ModuleType) -> None:
    if not _KeyLog.on:
        return
    app = module.SandboxTui
    mounted, resized = app.on_mount, app._on_resize

    @functools.wraps(mounted)
    def mount(self: Any) -> None:
        mounted(self)
        self.call_after_refresh(write, "up", "")

    @functools.wraps(resized)
    async def resize(self: Any, event: Any) -> None:
        await resized(self, event)
        _report_drawn(self, f"{event.size.width}x{event.size.height}")

    app.on_mount, app._on_resize = mount, resize


def _store(module: ModuleType) -> None:
    if not _KeyLog.on:
        return
    append = module.Store.append

    @functools.wraps(append)
    def appended(self: Any, run_id: str, events: Any) -> None:
        append(self, run_id, events)
        for event in events:
            if type(event).__name__ in ("RunStarted", "CallHeld", "CallStarted", "RunFinished"):
                write("event", type(event).__name__, run=run_id)

    module.Store.append = appended


_WRAPPERS: dict[str, Callable[[ModuleType], None]] = {
    "textual.app": _textual_app,
    "textual.screen": _textual_screen,
    "click.core": _click_core,
    "sandbox_tui.core.config.settings": _core_config,
    "sandbox_tui.tui.live_settings": _settings_in_force,
    "sandbox_tui.sessions.interchange.export_files": _exports,
    "sandbox_tui.sessions.interchange.imports": _imports,
    "sandbox_tui.tui.keys.key_sequencer": _key_order,
    "sandbox_tui.tui.app": _own_app,
    "sandbox_tui.sessions.store.store": _store,
}
