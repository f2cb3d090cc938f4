"""What a suite file says about its tasks: where they are, how they are read, which are taken."""

from __future__ import annotations

from typing import Annotated

import msgspec

Count = Annotated[int, msgspec.Meta(ge=0)]


class Dataset(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where tasks come from, and which of them are attempted.

    A selection keeps the tasks of the `domains` and `levels`, takes those from `start` to `end`,
    shuffles them, and keeps the first `limit` of each domain.

    Attributes:
        loader: name of the loader (`loaders.table`); empty: as the path's suffix says.
        path: file or folder, relative to the suite file; or a repository of the hub.
        config: of a data set that has several.
        split: of a data set that has several.
        revision: of a repository of the hub; empty: the newest.
        columns: column by field of `Task`, such as {problem: question}; others are found by name.
        domain: of tasks that name none.
        domains: those whose tasks are taken; empty: all.
        levels: those whose tasks are taken; empty: all.
        start: position of the first task taken, from 0.
        end: position after the last task taken.
        shuffle: seed of the order; None: as they are.
        limit: most tasks of one domain.
        seed: of tasks that are generated.
        per_domain: how many tasks are generated for a domain, unless `limit` says.
    """

    loader: str = ""
    path: str = ""
    config: str = ""
    split: str = ""
    revision: str = ""
    columns: dict[str, str] = {}
    domain: str = ""
    domains: tuple[str, ...] = ()
    levels: tuple[int, ...] = ()
    start: Count = 0
    end: Count | None = None
    shuffle: int | None = None
    limit: Count | None = None
    seed: int = 0
    per_domain: Count = 50
