"""What is too large is refused where it comes in, and never asked of a model in one piece."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, cast

import numpy as np
import pytest

from tests.doubles.jobs import SimulatedClock
from tests.unit.prompts import make_request
from trustgraph_react_mem.bus.embedder import MOST_BATCH_BYTES, MOST_CHARACTERS, BusEmbedder
from trustgraph_react_mem.errors import TooLarge
from trustgraph_react_mem.memory.embedding import EmbeddingProfile
from trustgraph_react_mem.memory.ports import Job
from trustgraph_react_mem.memory.sizes import MOST_RECORD_BYTES, check_size, wire_size
from trustgraph_react_mem.processors.agent.memory import AgentMemory
from trustgraph_react_mem.turn.record import TurnRecord

AT = datetime(2026, 3, 1, 9, tzinfo=UTC)


@pytest.mark.parametrize("letter", ["x", "\N{SNOWMAN}", "\N{SAXOPHONE}", '"'])
def test_a_size_is_that_of_the_text_as_it_travels(letter: str) -> None:
    fits = letter * ((MOST_RECORD_BYTES - 2) // (wire_size(letter) - 2))
    check_size("a", fits)
    with pytest.raises(TooLarge, match=r"^a text: 1\.0 MB exceeds the limit of 1\.0 MB: shorten or split it$"):
        check_size("a text", fits + letter)


class Publisher:
    def __init__(self) -> None:
        self.jobs: list[Job] = []

    async def publish(self, jobs: Any) -> None:
        self.jobs += jobs


@pytest.mark.parametrize(
    ("question", "answer", "named"), [("q", "a" * 6_000_000, "answer"), ("q" * 6_000_000, "a", "question")]
)
async def test_a_turn_that_is_too_large_is_told_and_not_published(question: str, answer: str, named: str) -> None:
    publisher = Publisher()
    memory = AgentMemory(embedder=cast(Any, None), publisher=publisher, clock=SimulatedClock(AT))
    request = replace(make_request(question), asked_at=AT)
    record = TurnRecord(request=request, answer=answer, answered_at=AT, steps=(), succeeded=True)
    with pytest.raises(TooLarge, match=rf"its {named}: 6\.0 MB"):
        await memory.publish(record)
    assert publisher.jobs == []


class Service:
    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    async def embed(self, texts: list[str], timeout: float) -> Any:
        self.asked.append(texts)
        return np.ones((len(texts), 4), np.float32).tolist()


async def test_long_texts_are_embedded_in_requests_that_the_bus_takes() -> None:
    embedder, service = BusEmbedder(EmbeddingProfile(name="test", dimension=4)), Service()
    embedder.attach("w", "default", service)
    texts = [f"{n} " + "\N{SNOWMAN}" * 900_000 for n in range(12)]
    assert (await embedder.embed(texts, role="passage")).shape == (12, 4)
    assert sorted(text[:2] for asked in service.asked for text in asked) == sorted(text[:2] for text in texts)
    for asked in service.asked:
        assert max(map(len, asked)) <= MOST_CHARACTERS
        assert wire_size(asked) <= MOST_BATCH_BYTES + 100
