"""Transcripts imported into real embedded stores, one scope per transcript."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from trustgraph_react_mem.bootstrap import open_stores
from trustgraph_react_mem.bus.local.in_process import InProcessBus
from trustgraph_react_mem.bus.notify import BusChangeNotifier
from trustgraph_react_mem.jobs.delivery import Handler
from trustgraph_react_mem.learning.context import HandlerContext
from trustgraph_react_mem.learning.handler_table import build_handlers
from trustgraph_react_mem.memory.clock import SystemClock
from trustgraph_react_mem.memory.ports import Embedder, VectorIndex
from trustgraph_react_mem.memory.records import Fact, derived_id
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.memory.timefmt import parse_time
from trustgraph_react_mem.models.embedder import open_embedding_model
from trustgraph_react_mem.models.embedding_model import EmbeddingModel
from trustgraph_react_mem.repositories.core import MemoryCore
from trustgraph_react_mem.repositories.facts import FactMemory
from trustgraph_react_mem.retrieval.columns.scope_cache import ScopeCache
from trustgraph_react_mem.retrieval.columns.scope_columns import ScopeColumns
from trustgraph_react_mem.retrieval.retriever import HOT_RECORDS, Retriever
from trustgraph_react_mem.settings import AgentMemSettings
from trustgraph_react_mem.store_settings import StoreSettings

from .transcripts import AskedTranscript


class _ShowsNoTokens:
    """``Embedder``."""

    def __init__(self, inner: Embedder) -> None:
        self.profile = inner.profile
        self.embed = inner.embed


def session_turns(scope: Scope, transcript: AskedTranscript, session: str) -> list[Fact]:
    """The verbatim records of one session, without those that contain no word."""
    return [
        Fact(
            id=derived_id("turn", transcript.id, turn.id),
            scope=scope,
            kind="turn",
            content=turn.text,
            created_at=datetime.now(UTC),
            trust="assistant" if turn.role == "assistant" and turn.speaker == "Assistant" else "user",
            speaker=turn.speaker,
            position=position,
            said_at=parse_time(turn.said_at),
            metadata={"turn": turn.id},
        )
        for position, turn in enumerate(transcript.sessions[session])
        if turn.text.strip()
    ]


@dataclass(slots=True)
class Bank:
    """``turns``: record id -> id of the turn in the transcript.  ``reward``: the handler that learns from citations.

    ``without_tokens``: ranks as if an embeddings service that shows no token vectors embedded the questions.
    """

    memory: FactMemory
    index: VectorIndex
    retriever: Retriever
    without_tokens: Retriever
    reward: Handler
    turns: dict[str, str]

    async def columns(self, transcript: AskedTranscript) -> ScopeColumns:
        """All records of the transcript.  Call ``add`` first."""
        cache = ScopeCache(self.index, max_records=10**9, max_bytes=2**33, patience_s=60)
        found = await cache.get(self.scope(transcript))
        assert isinstance(found, ScopeColumns)
        return found

    def scope(self, transcript: AskedTranscript) -> Scope:
        return Scope(workspace="bench", user=transcript.id, collection="default")

    async def add(self, transcript: AskedTranscript, *, notes: bool = False) -> None:
        scope = self.scope(transcript)
        for session in transcript.sessions:
            facts = session_turns(scope, transcript, session)
            self.turns |= {fact.id: fact.metadata["turn"] for fact in facts}
            await self.memory.add_turns(scope, f"{transcript.id}/{session}", facts)
        if notes:
            await self._add_notes(scope, transcript)

    async def _add_notes(self, scope: Scope, transcript: AskedTranscript) -> None:
        known = {name: derived_id("turn", transcript.id, name) for name in (turn.id for turn in transcript.turns)}
        known = {name: record_id for name, record_id in known.items() if record_id in self.turns}
        said: dict[str, Any] = {session: parse_time(turns[0].said_at) for session, turns in transcript.sessions.items()}
        facts = [
            Fact(
                id=derived_id("note", transcript.id, number),
                scope=scope,
                kind="semantic",
                content=note.text,
                created_at=datetime.now(UTC),
                trust="import",
                speaker=note.speaker,
                said_at=said.get(note.session),
                turn_ids=tuple(known[name] for name in note.turn_ids if name in known),
            )
            for number, note in enumerate(transcript.notes)
        ]
        await self.memory.store(scope, facts)


@asynccontextmanager
async def open_bank(embedder: Embedder, *, hot_records: int = HOT_RECORDS) -> AsyncIterator[Bank]:
    """Stores in a folder that is deleted at the end.  ``hot_records``: larger scopes are ranked by the vector engine."""
    with TemporaryDirectory(prefix="react-mem-bench-") as home:
        settings = StoreSettings(home=Path(home) / "data", keys=Path(home) / "keys", graph_url="", vector_url="")
        stores = await open_stores(settings, embedder.profile)
        try:
            clock, notices, index = SystemClock(), BusChangeNotifier(InProcessBus()), stores.fact_index
            core = MemoryCore.over(stores.graph, stores.models(embedder), notices, clock)
            retriever = Retriever(index, embedder, weight_store=stores.graph.weights, clock=clock, hot_records=hot_records)
            notices.subscribe(retriever.changed)
            context = HandlerContext(
                core=core, model_for=lambda workspace, flow: None, settings_for=lambda workspace, flow: AgentMemSettings()
            )
            without_tokens = Retriever(index, _ShowsNoTokens(embedder), clock=clock, hot_records=hot_records)
            yield Bank(core.facts, index, retriever, without_tokens, build_handlers(context)["reward"], turns={})
        finally:
            await stores.close()


@asynccontextmanager
async def open_embedder(model: str = "") -> AsyncIterator[EmbeddingModel]:
    """The model of this name in the catalogue.  Default: the one that the stack would use."""
    embedding = await open_embedding_model(model or None)
    try:
        yield embedding
    finally:
        await embedding.close()
