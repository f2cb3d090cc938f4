"""`sandbox-tui rl serve`: serves episodes to trainers that speak OpenEnv."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sandbox_tui.tui.cli.completion.names import complete_scorer
from sandbox_tui.tui.cli.options import (
    free_port_option,
    image_option,
    load_settings,
    max_steps_option,
    overrides_of,
    sandbox_option,
)

if TYPE_CHECKING:
    from sandbox_tui.core.config.settings import Settings
    from sandbox_tui.core.evals.task import Task
    from sandbox_tui.core.rl.episode_settings import EpisodeSettings
    from sandbox_tui.core.rl.rewards.base import Reward

CONCURRENCY = 16


@click.command("serve", short_help="Serve episodes to OpenEnv clients.")
@click.argument("tasks", type=click.Path(path_type=Path, dir_okay=False))
@click.option(
    "--host", metavar="HOST", default="127.0.0.1", show_default=True, help="Address to listen on."
)
@free_port_option(8766)
@click.option(
    "--concurrency",
    metavar="N",
    type=click.IntRange(1),
    default=CONCURRENCY,
    show_default=True,
    help="Maximum number of clients, each with its own sandbox.",
)
@click.option(
    "--mode",
    type=click.Choice(["sandbox", "text"]),
    default="sandbox",
    help="Whether the model has a sandbox or text only.",
)
@click.option(
    "--scorer",
    metavar="NAME",
    shell_complete=complete_scorer,
    help="Scorer (the outcome reward) of tasks that name none.",
)
@sandbox_option
@image_option
@max_steps_option("an episode")
@click.pass_obj
def serve_episodes(
    theme: str | None, tasks: Path, host: str, port: int, concurrency: int, **options: Any
) -> None:
    """Serve episodes on the TASKS of a task file to OpenEnv clients, until ctrl+c.

    Each connection has its own episode and sandbox; both end when it closes.
    """
    import asyncio

    from sandbox_tui.core.evals.optional_packages import require
    from sandbox_tui.core.rl.data.task_file import read_tasks
    from sandbox_tui.core.rl.rewards.build import build_reward
    from sandbox_tui.core.rl.rewards.settings import RewardSettings

    require("openenv", "The episode server", "openenv")
    settings = load_settings(overrides_of(options), theme)
    scorer = {"scorer": options["scorer"]} if options["scorer"] else {}
    loaded = read_tasks(tasks)
    reward = build_reward(RewardSettings(**scorer), loaded)
    episodes = _episode_settings(settings, options)
    asyncio.run(_serve(loaded, episodes, reward, host, port, concurrency))


async def _serve(
    tasks: list[Task],
    settings: EpisodeSettings,
    reward: Reward,
    host: str,
    port: int,
    concurrency: int,
) -> None:
    from sandbox_tui.core.rl.adapters.openenv_connections import LOOPBACK
    from sandbox_tui.core.rl.adapters.openenv_server import (
        OpenEnvServer,
        application,
        listen,
        serve_until_signalled,
    )
    from sandbox_tui.core.rl.pool import EpisodePool

    token = "" if host in LOOPBACK else secrets.token_urlsafe(24)
    listening = listen(host, port)
    async with EpisodePool(settings, reward, concurrency=concurrency) as pool:
        app = application(tasks, pool.episode, concurrency=concurrency, token=token)
        _announce(len(tasks), host, listening.getsockname()[1], token)
        await serve_until_signalled(OpenEnvServer(app, listening))


def _announce(count: int, host: str, port: int, token: str) -> None:
    shown = f"[{host}]" if ":" in host else host
    click.echo(f"{count} tasks for OpenEnv clients at http://{shown}:{port}. ctrl+c ends it.")
    if token:
        click.echo(f"Clients send this header: Authorization: Bearer {token}")


def _episode_settings(settings: Settings, options: dict[str, Any]) -> EpisodeSettings:
    """Return the default settings of training, with the sandbox from this program's settings."""
    import msgspec

    from sandbox_tui.core.rl.episode_settings import EpisodeSettings

    sandbox, defaults = settings.sandbox, EpisodeSettings()
    limits = defaults.limits
    if options["max_steps"]:
        limits = msgspec.structs.replace(limits, max_steps=options["max_steps"])
    return msgspec.structs.replace(
        defaults,
        mode=options["mode"],
        sandbox=sandbox.kind,
        image=sandbox.image,
        memory=sandbox.memory,
        grace=sandbox.grace,
        network=defaults.network if sandbox.network == "auto" else sandbox.network,
        limits=limits,
    )
