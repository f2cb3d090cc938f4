"""An episode without a computer: the text-only baseline, LLM-RL of arXiv 2601.16206."""

from __future__ import annotations

import asyncio

from typing_extensions import override

from sandbox_tui.core.environment.tool_environment import ToolEnvironment
from sandbox_tui.core.evals.documents import inline_documents
from sandbox_tui.core.evals.sample_request import WITH_DOCUMENTS
from sandbox_tui.core.evals.task import VANILLA_PROMPT, Task
from sandbox_tui.core.events.types import TurnPolicy
from sandbox_tui.core.prompts import load_one_reply_pack
from sandbox_tui.core.rl.rollouts.agent_episode import AgentEpisode
from sandbox_tui.core.rl.rollouts.rollout import Workplace
from sandbox_tui.core.sandboxes.base import SandboxSpec
from sandbox_tui.core.sandboxes.no_sandbox import NoSandbox

PROMPTS = "vanilla"
"""Default prompt pack."""

ONE_REPLY = TurnPolicy(no_call="final_answer", steps_remaining=False)


class TextEpisode(AgentEpisode):
    """An episode of one turn: the context is in the prompt, and the reply is the answer."""

    @override
    async def _open(self, task: Task) -> Workplace:
        pack = await asyncio.to_thread(load_one_reply_pack, self.settings.prompts or PROMPTS)
        sandbox = NoSandbox(SandboxSpec(session_id=self.identity.run_id))
        return Workplace(
            environment=ToolEnvironment(sandbox, (), events=self._events),
            pack=pack,
            asked=self._question(task),
            turn_policy=ONE_REPLY,
        )

    def _question(self, task: Task) -> str:
        """Return the problem with its documents."""
        own_prompt = task.metadata.get(VANILLA_PROMPT)
        if own_prompt is not None:
            return str(own_prompt)
        if not task.files:
            return task.problem
        documents = inline_documents(task.files, self.settings.window)
        return WITH_DOCUMENTS.format(problem=task.problem, documents=documents.text)

    @override
    def _release(self) -> None:
        pass  # there is nothing to release

    @override
    async def _released(self) -> None:
        pass
