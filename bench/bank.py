"""Transcripts imported into real embedded stores: each transcript a scope of its own."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from trustgraph_react_mem.memory.facts import FactMemory
from trustgraph_react_mem.memory.keys import moment
from trustgraph_react_mem.memory.ports import Embedder
from trustgraph_react_mem.memory.records import Fact, derived_id
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.recall.notices import LocalNotices
from trustgraph_react_mem.recall.retrieve import Retriever
from trustgraph_react_mem.stores.edge_index import EdgeIndex
from trustgraph_react_mem.stores.fact_graph import CypherFactGraph
from trustgraph_react_mem.stores.ladybug_graph import LadybugGraph
from trustgraph_react_mem.transcripts import Transcript


class SystemClock:
    def now(self) -> datetime:
        return datetime.now(UTC)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


@dataclass(slots=True)
class Bank:
    """``turns``: record id -> the transcript's own name of the turn."""

    memory: FactMemory
    index: EdgeIndex
    retriever: Retriever
    turns: dict[str, str]

    def scope(self, transcript: Transcript) -> Scope:
        return Scope(workspace="bench", user=transcript.id, collection="default")

    async def add(self, transcript: Transcript, *, notes: bool = False) -> None:
        scope = self.scope(transcript)
        now = datetime.now(UTC)
        known: dict[str, str] = {}
        for session, turns in transcript.sessions.items():
            facts = []
            for position, turn in enumerate(turns):
                record_id = derived_id("turn", transcript.id, turn.id)
                known[turn.id] = record_id
                self.turns[record_id] = turn.id
                facts.append(
                    Fact(
                        id=record_id,
                        scope=scope,
                        kind="turn",
                        content=turn.text,
                        created_at=now,
                        trust="assistant" if turn.role == "assistant" and turn.speaker == "Assistant" else "user",
                        speaker=turn.speaker,
                        position=position,
                        said_at=moment(turn.said_at),
                        metadata={"turn": turn.id},
                    )
                )
            await self.memory.add_turns(scope, f"{transcript.id}/{session}", [fact for fact in facts if fact.content.strip()])
        if notes:
            await self._add_notes(scope, transcript, known, now)

    async def _add_notes(self, scope: Scope, transcript: Transcript, known: dict[str, str], now: datetime) -> None:
        said: dict[str, Any] = {session: moment(turns[0].said_at) for session, turns in transcript.sessions.items()}
        facts = [
            Fact(
                id=derived_id("note", transcript.id, number),
                scope=scope,
                kind="semantic",
                content=note.text,
                created_at=now,
                trust="import",
                speaker=note.speaker,
                said_at=said.get(note.session),
                turn_ids=tuple(known[name] for name in note.turn_ids if name in known),
            )
            for number, note in enumerate(transcript.notes)
        ]
        await self.memory.store(scope, facts)


@asynccontextmanager
async def open_bank(embedder: Embedder) -> AsyncIterator[Bank]:
    with TemporaryDirectory(prefix="react-mem-bench-") as folder:
        graph = await LadybugGraph.open(Path(folder) / "graph")
        index = await EdgeIndex.open(Path(folder) / "vectors", embedder.profile)
        try:
            clock, notices = SystemClock(), LocalNotices()
            memory = FactMemory(CypherFactGraph(graph, clock), index, embedder, notices, clock)
            retriever = notices.retriever = Retriever(index, embedder, clock=clock)
            yield Bank(memory=memory, index=index, retriever=retriever, turns={})
        finally:
            await index.close()
            await graph.close()
