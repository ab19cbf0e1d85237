"""Engines, clocks and records that the store tests share."""

import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

import numpy as np

from trustgraph_react_mem.memory.embedding import EmbeddingProfile
from trustgraph_react_mem.memory.ports import Matrix
from trustgraph_react_mem.memory.records import Episode, Fact, Invocation
from trustgraph_react_mem.memory.scope import Scope

PROFILE = EmbeddingProfile(name="test-words", dimension=16)
START = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)

ANN = Scope(workspace="w", user="ann", collection="default")
BOB = Scope(workspace="w", user="bob", collection="default")


class SteppingClock:
    """Each look at it is a second later, so that no two changes share a time."""

    def __init__(self) -> None:
        self._now = START

    def now(self) -> datetime:
        self._now += timedelta(seconds=1)
        return self._now

    async def sleep(self, seconds: float) -> None:
        self._now += timedelta(seconds=seconds)


CLOCK = SteppingClock()  # one for graph and rules, as in a program


class WordEmbedder:
    """Texts that share words lie near each other.  ``fail`` makes the next calls raise it."""

    profile = PROFILE

    def __init__(self) -> None:
        self.fail: Exception | None = None
        self.texts: list[str] = []

    async def embed(self, texts: Sequence[str], *, role: Literal["query", "passage"]) -> Matrix:
        if self.fail is not None:
            raise self.fail
        self.texts += texts
        matrix = np.zeros((len(texts), PROFILE.dimension), dtype=np.float32)
        for row, text in zip(matrix, texts, strict=True):
            for word in text.lower().split():
                row[hashlib.md5(word.encode()).digest()[0] % PROFILE.dimension] += 1
            row[0] += 0.01
            row /= np.linalg.norm(row)
        return matrix


class Notices:
    """A ChangeNotifier that keeps what it was told."""

    def __init__(self) -> None:
        self.heard: list[tuple[Scope, str, tuple[str, ...], tuple[str, ...]]] = []

    async def changed(self, scope: Scope, store: str, ids: Sequence[str] = (), forgotten: Sequence[str] = ()) -> None:
        self.heard.append((scope, store, tuple(ids), tuple(forgotten)))


def fact(record_id: str, content: str = "", *, scope: Scope = ANN, kind: str = "semantic", **more: Any) -> Fact:
    values: dict[str, Any] = {"created_at": START} | more
    return Fact(id=record_id, scope=scope, kind=kind, content=content or f"content of {record_id}", **values)  # type: ignore[arg-type]


def turn(record_id: str, position: int, content: str = "", *, scope: Scope = ANN, source: str = "talk", **more: Any) -> Fact:
    return fact(record_id, content, scope=scope, kind="turn", position=position, source=source, speaker="Ann", **more)


def episode(record_id: str, goal: str = "book a train", *, scope: Scope = ANN, **more: Any) -> Episode:
    values: dict[str, Any] = {
        "steps": ("look", "book"),
        "outcome": "done",
        "lessons": "book early",
        "created_at": START,
    } | more
    return Episode(id=record_id, scope=scope, goal=goal, **values)


def invocation(record_id: str, conversation: str = "c", minute: int = 0, **more: Any) -> Invocation:
    values: dict[str, Any] = {
        "query": f"question of {record_id}",
        "summary": "short",
        "result": f"answer to {record_id}",
        "at": START + timedelta(minutes=minute),
    } | more
    return Invocation(id=record_id, conversation_id=conversation, **values)
