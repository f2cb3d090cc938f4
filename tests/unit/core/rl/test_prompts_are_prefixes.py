"""Each prompt of an episode is a prefix of the next: as messages, as text and as tokens."""

from __future__ import annotations

import asyncio
import itertools
import math
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox_tui.core.models.base import Message, Reply
from sandbox_tui.core.models.tool_formats.read_result import TextCall
from sandbox_tui.core.models.tool_formats.table import FAMILIES
from sandbox_tui.core.rl.episode_settings import NATIVE, EpisodeSettings
from sandbox_tui.core.rl.rollouts import chatml
from sandbox_tui.core.rl.token_record import TokenRecord, TokensDiverged
from sandbox_tui.core.rl.turn import Turn
from tests.examples import examples
from tests.fakes import result
from tests.unit.core.rl.episode_parts import TASK, Bench, message

WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
MARKS = st.sampled_from(
    ["", " ", "\n", chatml.END, "<tool_call>", "</tool_call>", "<think>", "{", "```"]
)
PROSE = st.lists(st.one_of(WORDS, MARKS), max_size=4).map("".join)
COMMANDS = st.lists(WORDS, min_size=1, max_size=3)
OUTPUTS = st.lists(st.binary(max_size=40), min_size=1, max_size=3)


def native(commands: Sequence[str], prose: str) -> Message:
    return message(*(("execute_bash", {"command": word}) for word in commands), content=prose)


def as_text(family: str) -> st.SearchStrategy[str]:
    """Replies that write calls as text, and replies that are only prose."""

    def written(commands: Sequence[str], prose: str) -> str:
        calls = [TextCall(tool="execute_bash", arguments={"command": c}) for c in commands]
        return f"{prose}\n{FAMILIES[family].write_calls(calls)}"

    return st.one_of(PROSE, st.builds(written, COMMANDS, PROSE))


async def turns_of(
    tool_format: str, replies: Sequence[Message | str], outputs: Sequence[bytes]
) -> list[Turn]:
    """Play these replies in an episode and return its turns."""
    bench = Bench(EpisodeSettings(tool_format=tool_format))
    turns = [await bench.episode.reset(TASK)]
    bench.source.opened[0].results = [result(output) for output in outputs]
    for reply in replies:
        turn = (await bench.episode.step(reply)).turn
        assert turn is not None
        turns.append(turn)
    await bench.episode.close()
    return turns


def bytes_of(text: str) -> list[int]:
    return list(text.encode())


@examples(25)
@given(
    st.lists(st.one_of(st.builds(native, COMMANDS, PROSE), as_text("hermes")), max_size=4),
    OUTPUTS,
    st.sampled_from([NATIVE, "hermes"]),
)
def test_as_messages(replies: list[Message | str], outputs: list[bytes], tool_format: str) -> None:
    turns = asyncio.run(turns_of(tool_format, replies, outputs))
    for one, following in itertools.pairwise(turns):
        assert following.messages[: len(one.messages)] == one.messages
        assert following.messages[len(one.messages)]["role"] == "assistant"
        assert following.tools == one.tools


@examples(25)
@given(st.data(), st.sampled_from(sorted(FAMILIES)), OUTPUTS)
def test_as_text_with_the_reply_word_for_word(
    data: st.DataObject, family: str, outputs: list[bytes]
) -> None:
    replies = data.draw(st.lists(as_text(family), max_size=4))
    turns = asyncio.run(turns_of(family, replies, outputs))
    for (one, following), reply in zip(itertools.pairwise(turns), replies, strict=True):
        assert one.text is not None
        assert following.text is not None
        assert following.text.startswith(one.text + reply)
    plain = [bool(reply.strip()) and not reply.endswith(chatml.END) for reply in replies]
    if all(plain):  # then the text is what a chat template renders
        assert turns[-1].text == chatml.render(turns[-1].messages) + chatml.REPLY_BEGINS


@examples(15)
@given(st.lists(as_text("hermes"), max_size=4), OUTPUTS)
def test_as_tokens_with_the_very_tokens_that_were_sampled(
    replies: list[str], outputs: list[bytes]
) -> None:
    turns = asyncio.run(turns_of("hermes", replies, outputs))
    for encode, decode in tokenizers():
        record = TokenRecord(encode)
        before: list[int] = []
        for turn, reply in zip(turns, replies, strict=False):
            prompt = record.prompt(turn)
            assert prompt[: len(before)] == before
            record.reply(reply)
            before = record.ids[:]
        ids = record.prompt(turns[-1])
        assert ids[: len(before)] == before
        assert decode(ids) == turns[-1].text
        assert len(record.written) == len(record.logprobs) == len(ids)
        written = [token for token, ours in zip(ids, record.written, strict=True) if ours]
        assert decode(written) == "".join(replies)


def tokenizers() -> list[tuple[Callable[[str], Sequence[int]], Callable[[Sequence[int]], str]]]:
    """Encoders and decoders: bytes, and byte-pair encoding if `tokenizers` is installed."""
    found: list[tuple[Callable[[str], Sequence[int]], Callable[[Sequence[int]], str]]] = [
        (bytes_of, lambda ids: bytes(ids).decode())
    ]
    try:
        from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    except ImportError:
        return found
    trained = Tokenizer(models.BPE())
    trained.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trained.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trained.train_from_iterator(
        ["the tool call of the model and its result, again and again " * 20],
        trainers.BpeTrainer(vocab_size=320, initial_alphabet=alphabet, show_progress=False),
    )
    found.append((lambda text: trained.encode(text).ids, trained.decode))
    return found


def sampled(text: str, ids: tuple[int, ...], prompt: tuple[int, ...] = ()) -> Reply:
    logprobs = tuple(-float(number) for number in ids)
    assistant: Message = {"role": "assistant", "content": text}
    return Reply(
        message=assistant, text=text, token_ids=ids, prompt_token_ids=prompt, logprobs=logprobs
    )


def test_a_reply_keeps_the_tokens_it_was_sampled_in() -> None:
    record = TokenRecord(bytes_of)
    start = Turn(messages=[], tools=[], text="ab")
    record.prompt(start)
    record.reply(sampled("xyz", (900, 901)))  # differs from the tokenizer's own encoding
    ids = record.prompt(Turn(messages=[], tools=[], text=f"abxyz{chatml.END}"))
    assert ids == [*b"ab", 900, 901, *chatml.END.encode()]
    assert record.written == [False] * 2 + [True] * 2 + [False] * len(chatml.END)
    assert record.logprobs[2:4] == [-900.0, -901.0]
    assert math.isnan(record.logprobs[0])


def test_the_end_that_a_policy_samples_is_not_added_again() -> None:
    record = TokenRecord(bytes_of, end=999)
    record.prompt(Turn(messages=[], tools=[], text="ab"))
    record.reply(sampled("x", (900, 999)))
    ids = record.prompt(Turn(messages=[], tools=[], text=f"abx{chatml.END}\nc"))
    assert ids == [*b"ab", 900, 999, *b"\nc"]


def test_a_turn_that_does_not_continue_is_refused() -> None:
    record = TokenRecord(bytes_of)
    record.prompt(Turn(messages=[], tools=[], text="ab"))
    with pytest.raises(ValueError, match="continues"):
        record.prompt(Turn(messages=[], tools=[], text="ba"))


def test_tokens_of_a_server() -> None:
    record = TokenRecord(bytes_of)
    record.server_reply(sampled("x", (7, 8), (1, 2)))
    record.server_reply(sampled("y", (9,), (1, 2, 7, 8, 3)))
    assert record.ids == [1, 2, 7, 8, 3, 9]
    assert record.written == [False, False, True, True, False, True]
    with pytest.raises(TokensDiverged, match="token 3"):
        record.server_reply(sampled("z", (9,), (1, 2, 6, 8, 3, 9)))
    with pytest.raises(TokensDiverged):
        record.server_reply(sampled("z", (9,), (1, 2)))
