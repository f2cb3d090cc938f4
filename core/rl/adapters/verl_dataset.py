# pyright: basic, reportMissingImports=false, reportGeneralTypeIssues=false
"""Task files as a verl dataset (`data.custom_cls` in its configuration).

verl's workers load the dataset's module before they run an agent loop, so importing the agent loop
here registers its name with them.
"""

from __future__ import annotations

import datasets
from typing_extensions import override
from verl.utils.dataset.rl_dataset import RLHFDataset

from sandbox_tui.core.rl.adapters.verl_agent_loop import SandboxAgentLoop as SandboxAgentLoop
from sandbox_tui.core.rl.adapters.verl_rows import row_of
from sandbox_tui.core.rl.data.task_file import read_tasks


class TaskDataset(RLHFDataset):
    """The tasks of task files, one per row; see `RLHFDataset` for its arguments."""

    @override
    def _read_files_and_tokenize(self) -> None:
        tasks = [task for file in self.data_files for task in read_tasks(file)]
        if 0 < self.max_samples < len(tasks):
            tasks = tasks[: self.max_samples]
        rows = [row_of(task, index) for index, task in enumerate(tasks)]
        self.dataframe = datasets.Dataset.from_list(rows)
