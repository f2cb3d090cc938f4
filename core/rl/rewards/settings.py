"""What episodes are rewarded for, as a recipe says it."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

_Weight = Annotated[float, msgspec.Meta(ge=0)]
_Tokens = Annotated[int, msgspec.Meta(ge=0)]

REFERENCE_SCORER = "pretrain"
"""The reference rewards every task with its router for `instruct_pretrain`."""


class RewardSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Settings of the reward. The defaults are the reference's: the outcome and nothing else.

    Attributes:
        scorer: of tasks that name none of their own; see `core.evals.scorers.table`.
        scorer_options: settings of scorers by their names.
        timeout: seconds for the comparison of one answer with its target.
        format_weight: added, times the share of replies whose calls can be read; 0: off.
        length_weight: taken off where the policy wrote more than `length_to` tokens, and in
            proportion between `length_from` and there; 0: off.
        length_from, length_to: tokens, about four bytes each.
    """

    scorer: str = REFERENCE_SCORER
    scorer_options: dict[str, dict[str, Any]] = {}
    timeout: Annotated[float, msgspec.Meta(gt=0)] = 60.0
    format_weight: _Weight = 0.0
    length_weight: _Weight = 0.0
    length_from: _Tokens = 12_288
    length_to: _Tokens = 16_384
