"""The calls of an episode, executed and timed by the reference's own code, in its virtual
environment.

Reads commands, one per line; an empty line requests the seconds since the previous empty line.
"""

import logging
import sys
import time
import types

from llm_in_sandbox.action import Action
from llm_in_sandbox.agent import Agent
from llm_in_sandbox.docker_runtime import DockerRuntime


def main(image: str) -> None:
    """Serve until stdin is closed."""
    quiet = logging.getLogger("quiet")
    quiet.setLevel(logging.ERROR)
    runtime = DockerRuntime(image, logger=quiet, network_mode="none")
    agent = types.SimpleNamespace(logger=quiet)  # executing a call needs no model
    try:
        print("ready", flush=True)
        took = 0.0
        for line in sys.stdin:
            if command := line.rstrip("\n"):
                began = time.perf_counter()
                observation = Agent._execute_action(
                    agent, Action("execute_bash", {"command": command}), runtime
                )
                took += time.perf_counter() - began
                assert "Exit code: 0" in observation, observation
            else:
                print(took, flush=True)
                took = 0.0
    finally:
        runtime.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
