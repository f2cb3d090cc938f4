"""The reference's tool calls, timed by its own code, in its virtual environment.

Reads one word per line (call, output, edit or close) and prints the seconds each took.
"""

import logging
import sys
import time
import types

from llm_in_sandbox.action import Action
from llm_in_sandbox.agent import Agent
from llm_in_sandbox.docker_runtime import DockerRuntime

PATH = "/testbed/small.txt"


def main(image: str, output: str, text: str) -> None:
    """Serve until `close`."""
    quiet = logging.getLogger("quiet")
    quiet.setLevel(logging.ERROR)
    runtime = DockerRuntime(image, logger=quiet, network_mode="none")
    agent = types.SimpleNamespace(logger=quiet)  # executing a call needs no model
    agent._execute_str_replace_editor = types.MethodType(Agent._execute_str_replace_editor, agent)

    def act(name: str, **parameters: str) -> str:
        return Agent._execute_action(agent, Action(name, parameters), runtime)

    act("str_replace_editor", command="create", path=PATH, file_text=text)
    words = ["word 0", "word zero"]
    print("ready", flush=True)
    for line in sys.stdin:
        began = time.perf_counter()
        match line.strip():
            case "call":
                assert "Exit code: 0" in act("execute_bash", command="true")
            case "output":
                assert len(runtime.demux_run(output)[0]) > 9_000_000
            case "edit":
                observation = act(
                    "str_replace_editor", command="str_replace", path=PATH,
                    old_str=words[0] + "\n", new_str=words[1] + "\n",
                )  # fmt: skip
                assert "has been edited" in observation, observation
                words.reverse()
            case "close":
                runtime.close()
        print(time.perf_counter() - began, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
