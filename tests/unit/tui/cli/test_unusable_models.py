"""`eval run` refuses a model that no request could reach, before there is an evaluation."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from sandbox_tui.sessions import Store
from sandbox_tui.sessions.store.tables import eval_ledger as ledger
from sandbox_tui.tui.cli.main import main


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ([], "There is no OpenAI API key. Set OPENAI_API_KEY, or use --base-url URL for"),
        (["--base-url", "nonsense"], "The server nonsense is not an address."),
    ],
)
def test_no_evaluation_is_left_behind(
    store: Store,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    options: list[str],
    words: str,
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    (tmp_path / "tasks.jsonl").write_text('{"problem": "1 + 1", "target": "2"}\n')
    tasks = [str(tmp_path / "tasks.jsonl"), "--scorer", "number", "--mode", "vanilla"]
    done = CliRunner().invoke(main, ["eval", "run", *tasks, "--model", "m", "--headless", *options])
    assert done.exit_code == 2
    assert words in done.stderr
    assert ledger.summaries(store) == []
