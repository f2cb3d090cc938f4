"""A training run with an engine that does not update the model."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from typing_extensions import override

from sandbox_tui.core.base.errors import ConfigError, ModelError, StoreError
from sandbox_tui.core.models.base import Reply
from sandbox_tui.core.rl.recipe import Recipe, load_recipe
from sandbox_tui.core.rl.training.engine import Engine, ScoredAttempt, TrainingJob
from sandbox_tui.core.rl.training.policy import Conversant, Policy, Transcript
from sandbox_tui.core.rl.turn import Turn
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.rl.checkpoints import newest_checkpoint
from sandbox_tui.sessions.rl.training import BatchProgress, Training
from sandbox_tui.sessions.store.tables import rollouts, trainings
from sandbox_tui.tui.cli.rl.step_lines import StepWriter, progress_line

RECIPE = """
engine: collect
model: scripted
server: {base_url: "http://127.0.0.1:1/v1"}
data: {train: train.jsonl, held_out: held-out.jsonl}
episodes: {mode: text}
training: {steps: 3, prompts: 2, group: 2, concurrency: 2}
evaluation: {every: 2}
"""


def write_tasks(path: Path, first: int, count: int) -> None:
    rows = [
        {
            "id": f"t{n}",
            "problem": f"What is the value of {n}?",
            "target": str(n),
            "scorer": "exact",
            "files": {"list.txt": f"{n}: {n}\n"},
        }
        for n in range(first, first + count)
    ]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))


@pytest.fixture
def recipe(tmp_path: Path, own_home: Path) -> Recipe:
    write_tasks(tmp_path / "train.jsonl", 0, 4)
    write_tasks(tmp_path / "held-out.jsonl", 10, 2)
    file = tmp_path / "recipe.yaml"
    file.write_text(RECIPE)
    return load_recipe(file)


class Answering(Policy):
    """Replies with what a function makes of the turn; each reply has two tokens."""

    def __init__(self, answer: Callable[[Turn, int], str]) -> None:
        self.answer = answer
        self.seeds: list[int] = []

    @override
    def converse(self, seed: int) -> Conversant:
        self.seeds.append(seed)
        return _Answering(self, seed)


class _Answering(Conversant):
    def __init__(self, policy: Answering, seed: int) -> None:
        self.transcript = Transcript()
        self._policy = policy
        self._seed = seed

    @override
    async def reply(self, turn: Turn) -> Reply:
        text = self._policy.answer(turn, self._seed)
        self.transcript.add_sampled([1, 2], [0.0, 0.0])
        return Reply(message={"role": "assistant", "content": text}, text=text)


class Stepping(Engine):
    """Requests rollouts step by step and keeps the results."""

    def __init__(self, policy: Policy) -> None:
        self.policy = policy
        self.got: dict[int, list[ScoredAttempt]] = {}
        self.before_step: Callable[[int], None] = lambda _: None

    @override
    def train(self, job: TrainingJob) -> None:
        if job.first_step == 1:
            job.measure(0, self.policy)
        for step in range(job.first_step, job.recipe.training.steps + 1):
            self.before_step(step)
            self.got[step] = list(job.rollouts(step, self.policy))
            job.measure(step, self.policy)
            job.step_finished(step, {"loss": 0.5})


def asked_for(turn: Turn) -> str:
    return str(turn.messages[-1]["content"]).split("value of ")[1].split("?")[0]


def half_right(turn: Turn, seed: int) -> str:
    return asked_for(turn) if seed % 2 else "nothing"


async def train(recipe: Recipe, store: Store, engine: Engine, resume: str = "") -> Training:
    training = Training(recipe, store, engine, resume=resume)
    training.begin()
    await training.run()
    return training


async def test_every_rollout_is_a_session_with_its_advantage(
    recipe: Recipe, tmp_path: Path
) -> None:
    engine = Stepping(Answering(half_right))
    with Store(tmp_path / "sessions.db") as store:
        training = await train(recipe, store, engine)
        found = trainings.summary(store, training.training_id)
        assert (found.status, found.last_step) == ("finished", 3)
        recorded = rollouts.rollouts_of(store, training.training_id)
        learnt = {one.run_id: one for one in recorded if one.split == "train"}
        assert len(learnt) == 12
        for scored in [one for step in engine.got.values() for one in step]:
            entry = learnt[scored.attempt.run_id]
            assert (entry.reward, entry.advantage) == (scored.attempt.reward, scored.advantage)
            session = store.run(entry.run_id)
            assert session.outcome == "submitted"
        steps = trainings.steps_of(store, training.training_id)
        assert [one.step for one in steps] == [0, 1, 2, 3]
        measured = [one.step for one in steps if "held_out_reward" in one.metrics]
        assert measured == [0, 2, 3]
        assert steps[1].metrics["loss"] == 0.5


async def test_the_progress_of_a_batch_is_known_while_it_runs(
    recipe: Recipe, tmp_path: Path
) -> None:
    seen: list[BatchProgress | None] = []

    def answer(turn: Turn, seed: int) -> str:
        seen.append(training.progress)
        return half_right(turn, seed)

    with Store(tmp_path / "sessions.db") as store:
        training = Training(recipe, store, Stepping(Answering(answer)))
        training.begin()
        await training.run()
    batches = [one for one in seen if one is not None]
    assert len(batches) == len(seen)
    assert (batches[0].step, batches[0].split, batches[0].total) == (0, "held_out", 2)
    assert {(one.step, one.total) for one in batches if one.split == "train"} == {
        (1, 4),
        (2, 4),
        (3, 4),
    }
    assert any(one.done for one in batches)
    assert training.progress is None


def test_a_line_says_how_far_a_step_is_but_not_after_each_rollout(
    tmp_path: Path, own_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Store(tmp_path / "sessions.db") as store:
        writer = StepWriter(store, "t", as_json=True, on_error=lambda: None)
        writer.progress(BatchProgress(0, "held_out", 3, 17))
        writer.progress(BatchProgress(0, "held_out", 4, 17))
    written = capsys.readouterr()
    assert (written.out, written.err) == ("", "step 0 · 3 of 17 held-out tasks …\n")
    assert progress_line(BatchProgress(1, "train", 0, 4)) == "step 1 · 0 of 4 rollouts …"


async def test_the_rollouts_of_a_task_lie_next_to_each_other(
    recipe: Recipe, tmp_path: Path
) -> None:
    engine = Stepping(Answering(half_right))
    with Store(tmp_path / "sessions.db") as store:
        await train(recipe, store, engine)
    for scored in engine.got.values():
        names = [one.attempt.task.id for one in scored]
        assert names[0] == names[1] != names[2] == names[3]
        first, second = scored[0], scored[1]
        assert first.advantage == -second.advantage


async def test_a_resumed_training_attempts_what_an_unbroken_one_does(
    recipe: Recipe, tmp_path: Path
) -> None:
    whole, broken = Answering(half_right), Answering(half_right)
    with Store(tmp_path / "whole.db") as store:
        await train(recipe, store, Stepping(whole))
    engine = Stepping(broken)
    with Store(tmp_path / "broken.db") as store:
        training = Training(recipe, store, engine)
        training.begin()
        engine.before_step = lambda step: training.stop("Enough.") if step == 3 else None
        assert await training.run() == "stopped"
        assert trainings.summary(store).error == "Enough."
        engine.before_step = lambda _: None
        await train(recipe, store, engine, resume=training.training_id)
        assert trainings.summary(store).status == "finished"
        assert [one.step for one in trainings.steps_of(store, training.training_id)] == [0, 1, 2, 3]
    assert sorted(broken.seeds) == sorted(whole.seeds)


async def test_stopping_breaks_off_what_is_being_attempted(recipe: Recipe, tmp_path: Path) -> None:
    has_begun = asyncio.Event()

    class Waiting(_Answering):
        @override
        async def reply(self, turn: Turn) -> Reply:
            has_begun.set()
            await asyncio.Event().wait()
            raise AssertionError

    class Waits(Answering):
        @override
        def converse(self, seed: int) -> Conversant:
            return Waiting(self, seed)

    with Store(tmp_path / "sessions.db") as store:
        training = Training(recipe, store, Stepping(Waits(half_right)))
        training.begin()
        running = asyncio.create_task(training.run())
        await has_begun.wait()
        training.stop("The program received SIGINT.")
        assert await running == "stopped"
        for entry in rollouts.rollouts_of(store, training.training_id):
            assert entry.over
            assert entry.reward is None
            assert store.run(entry.run_id).outcome == "cancelled"


async def test_a_rollout_whose_model_fails_has_no_reward_and_no_advantage(
    recipe: Recipe, tmp_path: Path
) -> None:
    def fails_at_times(turn: Turn, seed: int) -> str:
        if seed % 2:
            raise ModelError("The server is gone.")
        return asked_for(turn)

    engine = Stepping(Answering(fails_at_times))
    with Store(tmp_path / "sessions.db") as store:
        await train(recipe, store, engine)
        recorded = rollouts.rollouts_of(store, trainings.summary(store).id)
        ends = {(one.reason, store.run(one.run_id).error) for one in recorded if one.reward is None}
    assert ends == {("model_error", "The server is gone.")}
    scored = [one for step in engine.got.values() for one in step]
    failed = [one for one in scored if one.attempt.reward is None]
    assert failed
    assert len(failed) < len(scored)
    assert all(one.advantage == 0 and one.attempt.error for one in failed)


async def test_shuffled_rewards_are_the_same_rewards(recipe: Recipe, tmp_path: Path) -> None:
    settings = msgspec.structs.replace(
        recipe.training, shuffle_rewards=True, prompts=4, group=4, steps=2
    )
    shuffled = msgspec.structs.replace(recipe, training=settings)
    engine = Stepping(Answering(half_right))
    with Store(tmp_path / "sessions.db") as store:
        await train(shuffled, store, engine)
    scored = [one for step in engine.got.values() for one in step]
    assert any((one.advantage > 0) != (one.attempt.reward == 1.0) for one in scored)
    assert {one.attempt.reward for one in scored} == {0.0, 1.0}


def test_a_held_out_document_that_is_trained_on_is_refused(recipe: Recipe, tmp_path: Path) -> None:
    write_tasks(tmp_path / "held-out.jsonl", 3, 1)
    with (
        Store(tmp_path / "sessions.db") as store,
        pytest.raises(ConfigError, match="held-out task t3 also belongs to a training task"),
    ):
        Training(recipe, store, Stepping(Answering(half_right)))


def test_a_checkpoint_that_a_kill_cut_short_is_passed_over(tmp_path: Path) -> None:
    for step in (10, 20):
        (tmp_path / f"checkpoint-{step}").mkdir()
    (tmp_path / "checkpoint-10" / "trainer_state.json").write_text("{}")
    (tmp_path / "checkpoint-20" / "trainer_state.json").write_text('{"global_step": 2')
    newest = newest_checkpoint(tmp_path)
    assert newest is not None
    assert newest.step == 10


async def test_an_attempt_that_cannot_be_recorded_ends_the_training_with_its_error(
    recipe: Recipe, tmp_path: Path
) -> None:
    with Store(tmp_path / "sessions.db") as store:
        with store.transaction() as connection:
            connection.execute(
                "CREATE TRIGGER refused BEFORE INSERT ON rollouts WHEN new.step = 2"
                " BEGIN SELECT RAISE(ABORT, 'refused by the test'); END"
            )
        with pytest.raises(StoreError, match="refused by the test"):
            await train(recipe, store, Stepping(Answering(half_right)))
        found = trainings.summary(store)
        assert (found.status, found.last_step) == ("failed", 1)
        assert "Exception" not in found.error
        assert "refused by the test" in found.error


async def test_an_attempt_that_breaks_says_why(recipe: Recipe, tmp_path: Path) -> None:
    def breaks(turn: Turn, seed: int) -> str:
        raise ZeroDivisionError("nothing left")

    with Store(tmp_path / "sessions.db") as store:
        with pytest.raises(ZeroDivisionError):
            await train(recipe, store, Stepping(Answering(breaks)))
        recorded = rollouts.rollouts_of(store, trainings.summary(store).id)
        ends = {(one.reason, store.run(one.run_id).error) for one in recorded}
        why = "The attempt failed: nothing left (ZeroDivisionError)."
        assert ("internal_error", why) in ends


async def test_no_reward_of_any_held_out_task_is_no_measurement_of_zero(
    recipe: Recipe, tmp_path: Path
) -> None:
    def fails(turn: Turn, seed: int) -> str:
        raise ModelError("The server is gone.")

    with Store(tmp_path / "sessions.db") as store:
        training = await train(recipe, store, Stepping(Answering(fails)))
        steps = trainings.steps_of(store, training.training_id)
    assert [one.step for one in steps] == [0, 1, 2, 3]
    assert not any("held_out_reward" in one.metrics for one in steps)


async def test_a_task_that_comes_twice_in_a_step_is_sampled_with_new_seeds(
    recipe: Recipe, tmp_path: Path
) -> None:
    more = msgspec.structs.replace(recipe.training, prompts=8, steps=1)  # of four tasks
    policy = Answering(half_right)
    with Store(tmp_path / "sessions.db") as store:
        await train(
            msgspec.structs.replace(
                recipe,
                training=more,
                evaluation=msgspec.structs.replace(recipe.evaluation, every=0),
            ),
            store,
            Stepping(policy),
        )
    assert len(policy.seeds) == len(set(policy.seeds)) == 16
