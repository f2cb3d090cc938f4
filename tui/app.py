# pyright: reportUnknownMemberType=false
"""The application: themes, screens, and ways out that leave everything in order."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, ClassVar, NamedTuple, TypeAlias

from rich.text import Text
from textual import on, work
from textual.app import SystemCommand
from textual.binding import Binding, BindingType, Keymap
from textual.filter import LineFilter
from textual.keys import key_to_character
from textual.screen import Screen
from textual.theme import Theme
from textual.widget import Widget

from ..core.config import Settings, config_dir
from ..core.errors import SandboxTuiError
from ..core.text import clean_line
from ..sessions import RunSummary, Store, Workers
from .crash import report
from .fork_wanted import ForkWanted
from .importing import import_rest
from .key_order import KeysInOrder
from .keymap import keymap_in_file
from .last_door import LastDoor
from .notices import Notice, Notices
from .palette import ROLE_DEFAULTS, to_textual
from .said_once import SaidOnce
from .settings_in_force import SettingsInForce
from .terminal_messages import (
    KEEP_TITLE,
    RESTORE_TITLE,
    notification_sequence,
    title_sequence,
)
from .terminal_title import title_of
from .theme_files import ThemeFiles

if TYPE_CHECKING:  # a screen is imported when it is first shown: the first one shall be there soon
    from ..core.fork_launch import ForkRequest
    from ..core.launch import RunRequest
    from ..sessions.fork import Plan
    from ..sessions.watched import Watched
    from .screens.replay import Place

LONGEST_FAREWELL = 3.0
"""Seconds the screen may take to be put away once everything is stored: a terminal that is gone
takes no more output, and waiting for it would be for ever."""

UNTIL_REST = 0.3
"""Seconds after the first screen until others are imported: its lists are filled by then."""

RUN_LOOK = 0.5
"""Seconds between looks at the runs, for the terminal's title and for notices."""

THEME_LOOK = 1.0
"""Seconds between looks at the theme files."""

LONGEST_GOODBYE = 10.0
"""Seconds to wait for a run to put its things away before the program ends all the same."""

SIGNALS = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129, signal.SIGQUIT: 131}
"""Signals that would otherwise leave the terminal in disorder, with the exit code of each."""


class Resume(NamedTuple):
    """A session to be taken up, its program being gone."""

    run: RunSummary


class ReplayAt(NamedTuple):
    """A session to be replayed from a moment on, where it is held."""

    run: RunSummary
    place: Place


class Attach(NamedTuple):
    """A run in a program of its own, to be watched."""

    run: RunSummary


class Forking(NamedTuple):
    """A fork to be started."""

    plan: Plan
    request: ForkRequest


Begin: TypeAlias = "Sequence[RunRequest] | RunSummary | ReplayAt | Resume | Attach | Forking"
"""What to show first: runs to start, a session to replay, to take up, to watch, or to fork."""


class SandboxTui(KeysInOrder[int], SaidOnce[int]):
    """The cockpit.

    Args:
        settings: in force.
        store: the session database.
        begin: what to show first; None: the home screen.

    Attributes:
        last_door: what every line that is drawn passes.
        last_resort: called with an exit code and seconds on leaving, to end the process if it is
            still there then; does nothing unless the process is this app's alone.
    """

    TITLE = "sandbox-tui"
    ENABLE_COMMAND_PALETTE = True

    CSS = """
    Toast { background: $panel; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+q", "quit", "quit", show=False, priority=True, id="app.quit"),
        Binding(
            "ctrl+p",
            "command_palette",
            "palette",
            show=False,
            priority=True,
            tooltip="Every action by name",
            id="app.palette",
        ),
        Binding("ctrl+o", "jump", "Jump to a place by its letter", show=False, id="app.jump"),
    ]

    def __init__(
        self,
        settings: Settings,
        store: Store,
        begin: Begin | None = None,
    ) -> None:
        super().__init__()
        self.settings = SettingsInForce(settings)
        self._notices = Notices()
        self.last_door = LastDoor()
        self._title_shown = ""
        self._session_store = store
        self._begin = begin
        self._run_workers = Workers(store)
        self._begun: list[Watched] = []
        self.last_resort: Callable[[int, float], None] = _no_last_resort
        self._theme_files = ThemeFiles(config_dir() / "themes")
        self._register_themes()
        self.keymap = keymap_in_file(settings.keys)
        self._keys_chosen = {name: ",".join(keys) for name, keys in self.keymap.keys.items()}

    @property
    def _keymap(self) -> Keymap:
        """What Textual lays over the bindings.

        It does so after it has left out the keys that a focused text field takes for itself, so
        those are left out here as well: they have to write, not to act.
        """
        if not self._keys_chosen or not self.screen_stack:
            return {}
        focused = self.screen.focused
        if focused is None:
            return self._keys_chosen
        keys = {
            name: ",".join(k for k in keys.split(",") if not _takes(focused, k))
            for name, keys in self._keys_chosen.items()
        }
        return {name: left for name, left in keys.items() if left}

    @_keymap.setter
    def _keymap(  # pyright: ignore[reportIncompatibleVariableOverride]
        self, keymap: Keymap
    ) -> None:
        self._keys_chosen = dict(keymap)

    def on_mount(self) -> None:
        """Dress up, then show the first screen."""
        self._choose_theme(self.settings.now.ui.theme)
        if not self.settings.now.ui.animations:
            self.animation_level = "none"
        self._handle_signals()
        self.theme_changed_signal.subscribe(self, self._repaint)
        self._show_first()
        self._say_what_is_broken()
        self._say_what_is_wrong_with_keys()
        self.set_interval(THEME_LOOK, self._reload_themes)
        self.set_interval(RUN_LOOK, self._look_at_runs)
        if not self.is_headless:
            self.set_timer(UNTIL_REST, import_rest)

    def _repaint(self, theme: Theme) -> None:
        """What draws itself in a palette has to do so again."""
        for screen in self.screen_stack:
            for widget in screen.walk_children():
                widget.refresh()

    def _register_themes(self) -> None:
        for theme in self._theme_files.themes.values():
            self.register_theme(to_textual(theme))

    def _reload_themes(self) -> None:
        """A theme's file was edited: show it as it is now."""
        if not self._theme_files.reload_if_changed():
            return
        self._register_themes()
        self._say_what_is_broken()
        if self.theme in self._theme_files.themes:
            self._watch_theme(self.theme)
        else:  # it may have been waiting for this very file
            self._choose_theme(self.settings.now.ui.theme)

    def _say_what_is_wrong_with_keys(self) -> None:
        for problem in self.keymap.problems:
            self.notify(problem, severity="warning", markup=False, timeout=10)

    def _say_what_is_broken(self) -> None:
        for broken in self._theme_files.broken:
            words = clean_line(f"The theme {broken.file} is left out: {broken.problem}")
            self.notify(words, severity="warning", markup=False, timeout=10)

    def _show_first(self) -> None:
        store, workers = self._session_store, self._run_workers
        match self._begin:
            case None:
                self._show_home()
            case RunSummary():
                from .screens.replay import ReplayScreen

                self.push_screen(ReplayScreen(self._begin, store), self._exit_with)
            case ReplayAt(run=run, place=place):
                from .screens.replay import ReplayScreen

                self.push_screen(ReplayScreen(run, store, at=place), self._exit_with)
            case Resume(run=run):
                self._begun = [workers.resume(run, self.settings.now)]
                self._show_live(self._begun[0])
            case Attach(run=run):
                self._watch_remote(run)
            case Forking(plan=plan, request=request):
                self._begun = [workers.fork(plan, request)]
                self._show_live(self._begun[0])
            case requests:
                started = [workers.begin(request) for request in requests]
                self._begun = [*started]
                if len(self._begun) > 1:
                    from .screens.wall import Wall

                    self.push_screen(Wall(workers), self._first_closed)
                else:
                    self._show_live(self._begun[0])

    def _show_home(self) -> None:
        from .screens.home import Home

        self.push_screen(Home(self.settings, self._run_workers))

    def _show_live(self, worker: Watched) -> None:
        from .screens.live import LiveScreen

        self.push_screen(LiveScreen(worker, self._session_store), self._first_closed)

    def _watch_remote(self, run: RunSummary) -> None:
        from ..sessions.remote import RemoteWorker
        from .screens.live import LiveScreen

        store = self._session_store
        self._begun = [RemoteWorker(run, store, self._complain)]
        self.push_screen(LiveScreen(self._begun[0], store, asks=False), self._exit_with)

    # --- forks

    @on(ForkWanted)
    def _fork_wanted(self, event: ForkWanted) -> None:
        self._describe_fork(event.run_id, event.seq)

    @work(exclusive=True, group="fork")
    async def _describe_fork(self, run_id: str, seq: int) -> None:
        """Ask what the fork shall be, then begin it."""
        from ..sessions.fork import Plan
        from .screens.fork import ForkForm
        from .screens.live import LiveScreen

        store = self._session_store
        try:
            parent = await asyncio.to_thread(store.run, run_id)
            plan = await asyncio.to_thread(Plan, store, parent, seq)
            run = plan.request(self.settings.now, {})
        except SandboxTuiError as error:
            self.notify(clean_line(str(error)), severity="error", markup=False, timeout=10)
            return
        described = await self.push_screen_wait(ForkForm(plan, run, store))
        if described is not None:
            worker = self._run_workers.fork(described.plan, described.request)
            self.push_screen(LiveScreen(worker, store))

    # --- words to the terminal itself

    def _look_at_runs(self) -> None:
        for notice in self._notices.look(self._run_workers.all.values()):
            self._tell(notice)
        if self.settings.now.ui.title:
            self._show_title(title_of(self.screen_stack, self._run_workers.alive))
        elif self._title_shown:
            self._say(RESTORE_TITLE)
            self._title_shown = ""

    def _tell(self, notice: Notice) -> None:
        match self.settings.now.ui.notify:
            case "off":
                pass
            case "desktop" if not self.is_web:
                self._say(notification_sequence(notice.title, notice.text, os.environ))
            case _:
                self.bell()

    def _show_title(self, title: str) -> None:
        if title != self._title_shown and not self.is_web:
            keep = "" if self._title_shown else KEEP_TITLE
            self._title_shown = title
            self._say(keep + title_sequence(title))

    def _say(self, sequence: str) -> None:
        """In one piece between others: the driver writes in order, from one thread."""
        if self._driver is not None and not self.is_headless:
            self._driver.write(sequence)

    @property
    def last_words(self) -> str:
        """What the terminal must still get once the screen is gone; empty for none."""
        return RESTORE_TITLE if self._title_shown and not self.is_headless else ""

    def _complain(self, words: str) -> None:
        self.notify(clean_line(words), severity="warning", markup=False)

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """Every action of the screen that is shown, by name, and then Textual's own."""
        for active in screen.active_bindings.values():
            binding = active.binding
            if binding.description and not binding.system and active.enabled:
                name = binding.description[:1].upper() + binding.description[1:]
                action = binding.action

                async def run(action: str = action, node: object = active.node) -> None:
                    await self.run_action(action, node)  # pyright: ignore[reportArgumentType]

                yield SystemCommand(name, f"key {self.get_key_display(binding)}", run)
        yield SystemCommand("Settings", "Theme, sandbox, limits, notices", self.action_settings)
        yield from super().get_system_commands(screen)

    def action_settings(self) -> None:
        """Change settings."""
        from .screens.settings import SettingsScreen

        if not isinstance(self.screen, SettingsScreen):
            ours = list(self._theme_files.themes)
            others = [name for name in self.available_themes if name not in ours]
            self.push_screen(SettingsScreen(self.settings, [*ours, *others]))

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Textual's, and the last door behind them."""
        return [*super().get_line_filters(), self.last_door]

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Roles for themes that do not name them: Textual's own."""
        return ROLE_DEFAULTS

    def action_jump(self) -> None:
        """Show a letter on everything that can have the focus; the one that is pressed gets it."""
        from .screens.jump import Jump

        below = self.screen
        targets = [widget for widget in below.focus_chain if widget.region.area]

        def chosen(target: Widget | None) -> None:
            if target is not None:
                below.set_focus(target)

        if targets:
            self.push_screen(Jump(targets), chosen)

    async def action_quit(self) -> None:
        """End what is running, wait until it is put away, and leave; asked first if much is."""
        alive = len(self._run_workers.alive)
        if alive < 2:
            await self._leave()
            return
        from .screens.confirm import Confirm

        def sure(yes: bool | None) -> None:
            if yes:
                self.run_worker(self._leave(), exclusive=False)

        self.push_screen(Confirm(f"{alive} runs are still going. End them all and quit?"), sure)

    def _fatal_error(self) -> None:
        """Textual would show the values of all variables."""
        error = sys.exc_info()[1] or self._exception
        self.bell()
        if error is not None:
            self.panic(Text(report(error)))

    # --- ways out

    def _exit_with(self, result: object) -> None:
        """The first screen is closed: so is the program."""
        self.exit(result=self._exit_code, return_code=self._exit_code)

    def _first_closed(self, result: object) -> None:
        """The same, unless runs go on in the background: those are found on the home screen."""
        if self._run_workers.going:
            self.call_later(self._show_home)
        else:
            self.run_worker(self._leave(), exclusive=False)

    @property
    def _exit_code(self) -> int:
        """Of the runs the program was started for, the first that did not end well."""
        return next((worker.exit_code for worker in self._begun if worker.exit_code), 0)

    @property
    def runs(self) -> Workers:
        """The runs this program has begun."""
        return self._run_workers

    @property
    def failure(self) -> SandboxTuiError | None:
        """Why a run the program was started for could not begin."""
        failures = (worker.failure for worker in self._begun)
        return next((failure for failure in failures if failure is not None), None)

    async def on_exit_app(self) -> None:
        """However the end was asked for, such as by closing the tab of a browser."""
        await self._put_runs_away()

    async def _put_runs_away(self) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(LONGEST_GOODBYE):
                await self._run_workers.stop("The program was ended.")

    async def _leave(self, code: int | None = None) -> None:
        # the loop itself may come to a stand, drawing on a terminal that is gone
        self.last_resort(
            self._exit_code if code is None else code, LONGEST_GOODBYE + LONGEST_FAREWELL
        )
        await self._put_runs_away()
        code = self._exit_code if code is None else code
        self.last_resort(code, LONGEST_FAREWELL)
        self.exit(result=code, return_code=code)

    def _handle_signals(self) -> None:
        loop = asyncio.get_running_loop()
        for number, code in SIGNALS.items():
            loop.add_signal_handler(number, self._on_signal, code)

    def _on_signal(self, code: int) -> None:
        self.run_worker(self._leave(code), exclusive=False)

    def _choose_theme(self, name: str) -> None:
        if name in self.available_themes:
            self.theme = name
            return
        self.theme = "lamplight"
        words = f"There is no theme named {clean_line(name)!r}; lamplight is used."
        self.notify(words, severity="warning", markup=False)


def _takes(focused: Widget, key: str) -> bool:
    """Whether a focused widget takes a key for itself, as a text field does with letters."""
    return focused.check_consume_key(key, key_to_character(key))


def end_for_sure(code: int, seconds: float) -> None:
    """End the process in a while, should it still be there."""
    timer = threading.Timer(seconds, os._exit, [code])
    timer.daemon = True
    timer.start()


def _no_last_resort(code: int, seconds: float) -> None:
    """The process is not the app's to end."""
