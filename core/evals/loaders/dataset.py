"""The `dataset` table of a suite file: where the tasks are, how to read them, which to attempt."""

from __future__ import annotations

from typing import Annotated

import msgspec

Count = Annotated[int, msgspec.Meta(ge=0)]


class Dataset(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where tasks come from, and which of them are attempted.

    Selection keeps the tasks of the `domains` and `levels`, slices them from `start` to `end`,
    shuffles them, and keeps the first `limit` of each domain.

    Attributes:
        loader: name of the loader (`loaders.table`); empty: chosen by the path's suffix.
        path: file or folder, relative to the suite file; or a repository on the hub.
        config: configuration of a dataset that has several.
        split: split of a dataset that has several.
        revision: revision of a hub repository; empty: the latest.
        columns: column name by field of `Task`, such as {problem: question}; other columns are
            found by name.
        domain: domain of tasks that name none.
        domains: domains to include; empty: all.
        levels: levels to include; empty: all.
        start: position of the first task to include, from 0.
        end: position after the last task to include.
        shuffle: seed of the order; None: the dataset's order.
        limit: maximum number of tasks per domain.
        seed: seed of generated tasks.
        per_domain: number of tasks to generate per domain, unless `limit` is given.
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
