"""`sandbox-tui rl serve-model`: serves a trained model with an OpenAI-compatible API."""

from __future__ import annotations

import signal
import threading
from pathlib import Path

import click

from sandbox_tui.tui.cli.options import free_port_option


@click.command("serve-model", short_help="Serve a trained model on this machine.")
@click.argument("model", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--name", metavar="NAME", help="Name to serve it under (default: the folder's name).")
@free_port_option(8300)
@click.option("--threads", metavar="N", type=click.IntRange(1), help="CPU threads (default: all).")
def serve_model(model: Path, name: str | None, port: int, threads: int | None) -> None:
    """Serve the model in the folder MODEL with an OpenAI-compatible API, on this machine only.

    For small models that were trained here: `sandbox-tui eval run SUITE --base-url ADDRESS`
    evaluates one. Larger ones are better served by vLLM or llama.cpp. Ctrl+C ends it.
    """
    from sandbox_tui.core.evals.optional_packages import missing_extra

    try:
        from sandbox_tui.core.rl.adapters.local_policy import LocalPolicy
        from sandbox_tui.core.rl.adapters.model_server import ModelServer
    except ImportError as error:
        raise missing_extra("serve-model", "trl") from error
    ended = threading.Event()

    def end(number: int, frame: object) -> None:
        ended.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end)
    policy = LocalPolicy.load(str(model), threads=threads or 0)
    with ModelServer(policy, name or model.name, port=port) as server:
        click.echo(f"{server.name} is served at {server.url}")
        ended.wait()
