"""Reward settings of a recipe."""

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
        scorer: scorer of tasks that name none; see `core.evals.scorers.table`.
        scorer_options: settings of scorers by scorer name.
        timeout: seconds to compare one answer with its target.
        format_weight: weight of the share of replies whose tool calls can be read; 0: off.
        length_weight: penalty if the policy wrote more than `length_to` tokens, in proportion
            from `length_from` on; 0: off.
        length_from, length_to: tokens, about four bytes each.
    """

    scorer: str = REFERENCE_SCORER
    scorer_options: dict[str, dict[str, Any]] = {}
    timeout: Annotated[float, msgspec.Meta(gt=0)] = 60.0
    format_weight: _Weight = 0.0
    length_weight: _Weight = 0.0
    length_from: _Tokens = 12_288
    length_to: _Tokens = 16_384
