"""Records the tokens of one episode for a trainer.

    record = TokenRecord(tokenizer.encode, end=tokenizer.eos_token_id)
    turn = await episode.reset(task)
    while turn is not None:
        sampled = generate(record.prompt(turn))  # a Reply with token_ids and logprobs
        record.reply(sampled)
        turn = (await episode.step(sampled)).turn
    loss(record.ids, mask=record.written, old=record.logprobs)

Text that the policy has read or written is never tokenized again: if it were split differently, a
trainer would learn from tokens that were never sampled.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from sandbox_tui.core.base.errors import SandboxTuiError
from sandbox_tui.core.models.base import Message, Reply
from sandbox_tui.core.rl.rollouts import chatml
from sandbox_tui.core.rl.rollouts.policy_reply import written_text
from sandbox_tui.core.rl.turn import Turn


class TokensDiverged(SandboxTuiError):
    """A server's prompt does not start with the tokens of the previous turns: its chat template
    rewrites something earlier, for example by dropping thoughts."""


class TokenRecord:
    """The tokens of one episode, whose prompts are text (`Turn.text`) or tokens of a server.

    Args:
        encode: encodes text as tokens, without adding any at its start or end.
        end: the token that ends a message, if the policy's replies contain it.

    Attributes:
        ids: all tokens so far.
        written: whether the policy wrote each of them: the mask of the loss.
        logprobs: log-probability of each token that the policy wrote, as sampled; NaN for all
            others, and if none was reported.
    """

    def __init__(self, encode: Callable[[str], Sequence[int]], *, end: int | None = None) -> None:
        self._encode = encode
        self._end = end
        self._text = ""
        self.ids: list[int] = []
        self.written: list[bool] = []
        self.logprobs: list[float] = []

    def prompt(self, turn: Turn) -> list[int]:
        """Return the tokens of a turn's prompt: all earlier ones, and what followed the last reply.

        Raises:
            ValueError: the turn has no text, or does not continue the one before.
        """
        if turn.text is None or not turn.text.startswith(self._text):
            raise ValueError("The prompt of a turn is text that continues the turn before.")
        self._add(self._encode(turn.text[len(self._text) :]))
        self._text = turn.text
        return list(self.ids)

    def reply(self, answer: Message | str | Reply) -> None:
        """Add the policy's reply: its own tokens if it has any, else the tokens of its text."""
        sampled = answer.token_ids if isinstance(answer, Reply) else ()
        text = written_text(answer)
        ids = sampled or self._encode(text)
        if self._end is not None and [*ids][-1:] == [self._end] and not text.endswith(chatml.END):
            text += chatml.END
        self._text += text
        self._add(ids, answer.logprobs if isinstance(answer, Reply) else (), written=True)

    def server_reply(self, reply: Reply) -> None:
        """Add the reply of a server that reports both its tokens and those of the prompt.

        Raises:
            TokensDiverged: the prompt does not continue the recorded tokens.
            ValueError: the reply has no tokens.
        """
        prompt = reply.prompt_token_ids
        if not (prompt and reply.token_ids):
            raise ValueError("The server returned no tokens.")
        known = len(self.ids)
        if list(prompt[:known]) != self.ids:
            at = next(n for n in range(known + 1) if list(prompt[:n]) != self.ids[:n])
            raise TokensDiverged(f"The prompt differs at token {at} from what was sent before.")
        self._add(prompt[known:])
        self._add(reply.token_ids, reply.logprobs, written=True)

    def _add(
        self, ids: Sequence[int], logprobs: Sequence[float] = (), *, written: bool = False
    ) -> None:
        known = len(logprobs) == len(ids)
        self.ids += ids
        self.written += [written] * len(ids)
        self.logprobs += logprobs if known else [math.nan] * len(ids)
