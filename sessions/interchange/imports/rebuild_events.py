"""Builds the events of a run that another program recorded, as if it had run here.

Nothing is invented: times come from the source; without them, all events have the same time. The
mirror is drawn from commands and outputs; files are rebuilt from the editor's arguments.
"""

from __future__ import annotations

import json
from typing import Any

import msgspec

from sandbox_tui.core.base.defaults import MIRROR_SIZE, WORKING_DIR
from sandbox_tui.core.base.errors import ImportRefused
from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.kinds.values import REBUILT
from sandbox_tui.core.events.run_state import MIRROR
from sandbox_tui.core.terminal.mirror import MirrorWriter
from sandbox_tui.core.tools.call_summaries import short_name, summarize_call
from sandbox_tui.sessions.interchange.fingerprint import fingerprint
from sandbox_tui.sessions.interchange.imports.base import MAX_STEPS, Imported, well_formed
from sandbox_tui.sessions.interchange.imports.edited_files import EDITORS, EditedFiles
from sandbox_tui.sessions.store.tables.source_documents import SourceDocument


class Rebuilder:
    """Builds the events of a run, step by step.

    Args:
        task: the task given to the model.
        source: name of the format, shown to the reader.
        started_at: seconds since the epoch.
        model: the model's name, if known.

    Attributes:
        t: seconds since the run began; set directly or advanced by `wait`.
    """

    def __init__(
        self,
        *,
        task: str,
        source: str,
        started_at: float,
        model: str = "",
        system_prompt: str = "",
        instance_prompt: str = "",
        working_dir: str = WORKING_DIR,
        info: dict[str, str] | None = None,
    ) -> None:
        self.t = 0.0
        self.events: list[e.AnyEvent] = []
        self._files = EditedFiles(working_dir)
        self._console = MirrorWriter()
        self._step = 0
        self._calls = 0
        self._failed = 0
        self._messages = 0
        self._usage = e.Usage()
        self._cost: float | None = None
        self.post(
            e.RunStarted(
                schema=e.SCHEMA_VERSION,
                run_id="",
                started_at=started_at,
                task=task,
                model=model or "unknown",
                model_params={},
                sandbox=REBUILT,
                sandbox_info={"format": source, **(info or {})},
                prompt_pack="",
                system_prompt=system_prompt,
                instance_prompt=instance_prompt,
                working_dir=working_dir,
                input_dir=f"{working_dir}/input",
                output_dir=f"{working_dir}/output",
                limits=e.Limits(),
            )
        )
        self.post(e.TerminalOpened(terminal=MIRROR, cols=MIRROR_SIZE[0], rows=MIRROR_SIZE[1]))

    @property
    def contents(self) -> list[bytes]:
        """File contents that events refer to."""
        return self._files.contents

    @property
    def step(self) -> int:
        """The current step."""
        return self._step

    def post(self, event: e.AnyEvent) -> None:
        """Add any event."""
        self.events.append(msgspec.structs.replace(event, seq=len(self.events) + 1, t=self.t))

    def wait(self, seconds: float) -> None:
        """Advance the clock."""
        self.t = round(self.t + seconds, 4)

    def reply(
        self,
        text: str,
        *,
        reasoning: str = "",
        calls: list[tuple[str, str, str]] | None = None,
        latency: float = 0.0,
        usage: e.Usage | None = None,
        cost: float | None = None,
        finish_reason: str | None = None,
    ) -> list[e.ToolCall]:
        """Add a turn of the model and return its calls.

        The `calls` argument holds tuples of id, name and arguments as JSON.

        Raises:
            ImportRefused: there are more steps than any run has.
        """
        self._step += 1
        if self._step > MAX_STEPS:
            raise ImportRefused(f"More than {MAX_STEPS} steps are not imported.")
        written = [
            e.ToolCall(
                number=self._calls + at, step=self._step, id=id_, name=name, arguments=arguments
            )
            for at, (id_, name, arguments) in enumerate(calls or [], 1)
        ]
        self._calls += len(written)
        usage = usage or e.Usage()
        self._add(usage, cost)
        self.post(e.ModelAsked(step=self._step, digest="", messages=0))
        self.wait(latency)
        self.post(
            e.ModelReplied(
                step=self._step,
                message=_message(text, reasoning, written),
                text=text,
                reasoning=reasoning,
                usage=usage,
                finish_reason=finish_reason,
                latency=latency,
                cost=cost,
            )
        )
        return written

    def message(self, text: str) -> None:
        """Add a message to the model, which it gets with its next request."""
        self._messages += 1
        self.post(e.HumanMessage(id=self._messages, text=text))
        self.post(e.Delivered(step=self._step + 1, ids=(self._messages,), text=text))

    def call(
        self,
        call: e.ToolCall,
        observation: str,
        *,
        output: str,
        ok: bool = True,
        exit_code: int | None = None,
        duration: float = 0.0,
        timed_out: bool = False,
        command: str | None = None,
    ) -> None:
        """Add a call and its observation; `output` is what the command printed."""
        self.post(e.CallProposed(call=call))
        self.post(e.CallDecided(call=call.number, verdict="approve", by="policy"))
        self.post(e.CallStarted(call=call.number))
        shown = command or f"{short_name(call.name)} {summarize_call(call.name, call.arguments)}"
        self._mirror(self._console.prompt("model", shown))
        self.wait(duration)
        printed = b"" if call.name in EDITORS else output.encode("utf-8", "replace")
        self._mirror(self._console.output("stdout", printed))
        self._mirror(
            self._console.finished(exit_code=exit_code, duration=duration, timed_out=timed_out)
        )
        self._failed += not ok
        self.post(
            e.CallFinished(
                call=call.number,
                observation=observation,
                ok=ok,
                exit_code=exit_code,
                stdout_bytes=len(output.encode("utf-8", "replace")),
                duration=duration,
                timed_out=timed_out,
            )
        )
        changes = self._files.changes(call.name, call.arguments) if ok else ()
        if changes:
            self.post(e.FilesChanged(step=call.step, changes=changes, call=call.number))

    def imported(self, format_: str, name: str, document: bytes) -> Imported:
        """Return the finished session together with the document that it was built from.

        Args:
            format_: name of the document's format.
            name: of its file.
            document: its content, which an export to this format returns.
        """
        original = SourceDocument(
            format=format_, name=name, fingerprint=fingerprint(self.events), data=document
        )
        return Imported(events=self.events, contents=self.contents, original=original)

    def finish(
        self, reason: e.FinishReason, error: str | None = None, *, answer: str | None = None
    ) -> None:
        """Add the end of the run."""
        totals = e.Totals(
            steps=self._step,
            calls=self._calls,
            failed_calls=self._failed,
            usage=self._usage,
            cost=self._cost,
            seconds=self.t,
        )
        self.post(e.RunFinished(reason=reason, error=error, totals=totals, answer=answer))

    def _mirror(self, data: bytes) -> None:
        if data:
            self.post(e.TerminalOutput(terminal=MIRROR, data=data))

    def _add(self, usage: e.Usage, cost: float | None) -> None:
        total = self._usage
        self._usage = e.Usage(
            input_tokens=total.input_tokens + usage.input_tokens,
            output_tokens=total.output_tokens + usage.output_tokens,
            cached_tokens=total.cached_tokens + usage.cached_tokens,
            reasoning_tokens=total.reasoning_tokens + usage.reasoning_tokens,
        )
        if cost is not None:
            self._cost = (self._cost or 0.0) + cost


def arguments_of(value: Any) -> str:
    """Format arguments as the JSON text that a model would write."""
    if isinstance(value, str):
        return well_formed(value)
    return well_formed(json.dumps(value, ensure_ascii=False))


def _message(text: str, reasoning: str, calls: list[e.ToolCall]) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if reasoning:
        message["reasoning_content"] = reasoning
    if calls:
        message["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            }
            for call in calls
        ]
    return message
