"""An episode with a computer: LLM-in-Sandbox-RL (arXiv 2601.16206, section 4)."""

from __future__ import annotations

import asyncio

from typing_extensions import override

from sandbox_tui.core.config.settings import snapshot_dir
from sandbox_tui.core.environment.tool_environment import ToolBounds, ToolEnvironment
from sandbox_tui.core.evals.task import Task
from sandbox_tui.core.events.sink import EventSink
from sandbox_tui.core.events.types import TurnPolicy
from sandbox_tui.core.prompts import PromptPack, load_pack
from sandbox_tui.core.rl.episode_settings import EpisodeSettings
from sandbox_tui.core.rl.rewards.base import Reward
from sandbox_tui.core.rl.rollouts.agent_episode import AgentEpisode
from sandbox_tui.core.rl.rollouts.record import EpisodeIdentity
from sandbox_tui.core.rl.rollouts.rollout import Workplace, limits_of
from sandbox_tui.core.rl.sandbox_source import SandboxSource
from sandbox_tui.core.run.input_files import write_files
from sandbox_tui.core.run.setup_commands import run_setup
from sandbox_tui.core.sandboxes.base import Sandbox, SandboxSpec
from sandbox_tui.core.tools.registry import tools_named

PROMPTS = "general"
"""Default prompt pack."""


def sandbox_spec(
    settings: EpisodeSettings, pack: PromptPack, run_id: str, *, image: str = "", snapshot: str = ""
) -> SandboxSpec:
    """Return the sandbox that an episode requires.

    Args:
        settings: settings of the episode.
        pack: prompt pack that names its directories.
        run_id: label of the sandbox.
        image: the task's own image; empty: the settings'.
        snapshot: snapshot to start from; empty: none.
    """
    return SandboxSpec(
        session_id=run_id,
        image=image or settings.image,
        network=settings.network,
        memory=settings.memory,
        working_dir=pack.working_dir,
        input_dir=pack.input_dir,
        output_dir=pack.output_dir,
        grace=settings.grace,
        snapshot=snapshot,
        snapshot_dir=snapshot_dir(),
    )


async def prepare(task: Task, sandbox: Sandbox) -> None:
    """Write a task's files into the input directory, and run its setup commands.

    Raises:
        SandboxError: a setup command failed.
    """
    await write_files(task.files, sandbox, sandbox.spec.input_dir)
    await run_setup(task.setup, sandbox)


class SandboxEpisode(AgentEpisode):
    """An episode in a sandbox: the context is in files, and only the question in the prompt.

    Args:
        settings, reward, events, identity: as in `AgentEpisode`.
        sandboxes: source of its sandbox.
        snapshot: snapshot of a sandbox in which the task is prepared; empty: `reset` prepares it.
    """

    def __init__(
        self,
        settings: EpisodeSettings,
        reward: Reward,
        *,
        sandboxes: SandboxSource,
        snapshot: str = "",
        events: EventSink | None = None,
        identity: EpisodeIdentity | None = None,
    ) -> None:
        super().__init__(settings, reward, events=events, identity=identity)
        self._sandboxes = sandboxes
        self._snapshot = snapshot
        self._sandbox: Sandbox | None = None
        self._removal: asyncio.Task[None] | None = None

    @override
    async def _open(self, task: Task) -> Workplace:
        settings = self.settings
        tools = tools_named(settings.tools)
        limits = limits_of(settings.limits, task)
        pack = await asyncio.to_thread(load_pack, settings.prompts or PROMPTS)
        spec = sandbox_spec(
            settings, pack, self.identity.run_id, image=task.image, snapshot=self._snapshot
        )
        self._sandbox = sandbox = await self._sandboxes.open(spec)
        if not self._snapshot:
            await prepare(task, sandbox)
        bounds = ToolBounds(
            command_timeout=limits.command_timeout,
            max_lines=settings.observation_lines,
            max_chars=settings.observation_chars,
        )
        return Workplace(
            environment=ToolEnvironment(sandbox, tools, bounds=bounds, events=self._events),
            pack=pack,
            asked=task.problem,
            turn_policy=TurnPolicy(steps_remaining=settings.steps_remaining),
        )

    @override
    def _release(self) -> None:
        if self._sandbox is not None and self._removal is None:
            self._removal = self._sandboxes.release(self._sandbox)

    @override
    async def _released(self) -> None:
        if self._removal is not None:
            await asyncio.shield(self._removal)
