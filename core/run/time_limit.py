"""The result of a run that reached its time limit."""

from __future__ import annotations

from sandbox_tui.core.agent.loop import Agent, AgentResult
from sandbox_tui.core.agent.request_with_retries import RequestWithRetries


def out_of_time(limit: float | None, agent: Agent, *, is_scored: bool) -> AgentResult:
    """Return the result of a run that reached its time limit.

    If its server was failing then, the error says so. A run that is scored then ends for that
    reason: a score would blame the model for the server. Any other run ends because of its limit,
    since it could not be resumed with no time left.
    """
    words = f"The run reached its limit of {limit or 0:g} s"
    failure = None if agent.requests is None else agent.requests.failure
    if failure is None:
        return AgentResult("time_limit", f"{words}.")
    reason = RequestWithRetries.finish_reason(failure) if is_scored else "time_limit"
    return AgentResult(reason, f"{words} while its model's server failed: {failure}")
