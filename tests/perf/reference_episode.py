"""The calls of an episode, carried out and timed by the reference's own code; runs in its
environment.

Reads lines, each a command to run; an empty one asks for the seconds since the one before.
"""

import logging
import sys
import time
import types

from llm_in_sandbox.action import Action
from llm_in_sandbox.agent import Agent
from llm_in_sandbox.docker_runtime import DockerRuntime


def main(image: str) -> None:
    """Serve until the end of the input."""
    quiet = logging.getLogger("quiet")
    quiet.setLevel(logging.ERROR)
    runtime = DockerRuntime(image, logger=quiet, network_mode="none")
    agent = types.SimpleNamespace(logger=quiet)  # what carries a call out needs no model
    try:
        print("ready", flush=True)
        took = 0.0
        for line in sys.stdin:
            if command := line.rstrip("\n"):
                began = time.perf_counter()
                said = Agent._execute_action(
                    agent, Action("execute_bash", {"command": command}), runtime
                )
                took += time.perf_counter() - began
                assert "Exit code: 0" in said, said
            else:
                print(took, flush=True)
                took = 0.0
    finally:
        runtime.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
