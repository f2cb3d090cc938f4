"""Hypothesis strategies for the events of a run."""

from __future__ import annotations

import msgspec
from hypothesis import strategies as st

from sandbox_tui.core.events import types as e


def started(run_id: str = "r", task: str = "a task", started_at: float = 1.0) -> e.RunStarted:
    """A first event."""
    return e.RunStarted(
        seq=1,
        t=0.0,
        schema=e.SCHEMA_VERSION,
        run_id=run_id,
        started_at=started_at,
        task=task,
        model="m",
        model_params={"temperature": None},
        sandbox="docker",
        sandbox_info={"image": "x"},
        prompt_pack="general",
        system_prompt="s",
        instance_prompt="i",
        working_dir="/testbed",
        input_dir="/testbed/input",
        output_dir="/testbed/output",
        limits=e.Limits(),
    )


_text = st.text(st.characters(codec="utf-8"), max_size=40)
_small = st.integers(0, 1000)
_change = st.builds(
    e.FileChange,
    path=_text.map(lambda t: f"/testbed/{t}"),
    change=st.sampled_from(["created", "modified", "deleted"]),
    kind=st.sampled_from(["file", "dir", "link", "other"]),
    size=_small,
)
EVENT = st.one_of(
    st.builds(e.TerminalOutput, terminal=st.sampled_from(["model", "shell"]), data=st.binary()),
    st.builds(e.TerminalOutput, terminal=st.just("model"), data=st.just(b"x" * 5000)),
    st.builds(e.TerminalInput, terminal=st.just("shell"), data=st.binary(), hidden=st.booleans()),
    st.builds(e.InputAwaited, program=st.text(), hidden=st.booleans()),
    st.builds(e.TerminalResized, terminal=st.just("model"), cols=_small, rows=_small),
    st.builds(e.ModelDelta, step=_small, channel=st.sampled_from(["text", "call"]), text=_text),
    st.builds(e.ModelFailed, step=_small, error=_text, attempt=_small),
    st.builds(e.ReplyInterrupted, step=_small),
    st.builds(
        e.PartialReplyCounted,
        step=_small,
        usage=st.builds(
            e.Usage, input_tokens=_small, output_tokens=_small, estimated=st.just(True)
        ),
    ),
    st.builds(
        e.ContextLengthFound,
        context=st.builds(e.ContextLength, tokens=_small, at_most=st.booleans(), source=_text),
    ),
    st.builds(
        e.ModelReplied,
        step=_small,
        message=st.fixed_dictionaries({"role": st.just("assistant"), "content": _text}),
        text=_text,
        reasoning=_text,
        usage=st.builds(e.Usage, input_tokens=_small, output_tokens=_small),
        finish_reason=st.none() | _text,
        latency=st.floats(0, 100),
        cost=st.none() | st.floats(0, 1),
    ),
    st.builds(e.FilesChanged, step=_small, changes=st.tuples(_change, _change)),
    st.builds(e.ModeChanged, mode=st.sampled_from(["auto", "step", "ask", "paused"])),
    st.builds(e.RuleGranted, tool=_text, pattern=_text, call=st.none() | _small),
    st.builds(e.RuleRevoked, tool=_text, pattern=_text),
    st.builds(e.SandboxFrozen),
    st.builds(e.SandboxThawed),
    st.builds(e.Warned, text=_text),
)


def streams(run_id: str = "r") -> st.SearchStrategy[list[e.AnyEvent]]:
    """Generate complete runs: numbered, timed, starting with RunStarted."""

    def numbered(events: list[e.AnyEvent]) -> list[e.AnyEvent]:
        return [started(run_id)] + [
            msgspec.structs.replace(event, seq=n, t=n * 0.25) for n, event in enumerate(events, 2)
        ]

    return st.lists(EVENT, max_size=30).map(numbered)
