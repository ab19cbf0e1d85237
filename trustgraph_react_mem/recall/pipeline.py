"""Everything a turn recalls, gathered over the bus in as few waits as there can be.

gate -> query -> embedding -> facts | episodes, with the conversation fetched beside them -> token budget.
A self-contained question waits for its embedding and then for the slower of facts and episodes, nothing else.  Services that
share this process's embedder are asked at once: they read the words while the vector is being made.  Each part has the
flow's deadline; what does not come is named in ``Recalled.missing``, and the turn goes on without it.
"""

import asyncio
import logging
import time
import zlib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol, TypeVar

from ..errors import MemoryServiceError
from ..indexing.document import iso
from ..memory.ports import Clock, Embedder, JsonValue, LanguageModel, Vector
from ..memory.scope import Scope
from ..rerank import in_learning_arm
from ..schema import (
    ConversationMemory,
    ConversationsRequest,
    ConversationsResponse,
    Episode,
    EpisodesRequest,
    EpisodesResponse,
    Fact,
    FactsRequest,
    FactsResponse,
    InvocationSummary,
    MemoryOptions,
)
from ..settings import AgentMemSettings
from ..telemetry import count_missing_part
from .budget import cut
from .gate import GateDecision, gate
from .query import SearchQuery, is_vague, rewritten, with_context

logger = logging.getLogger(__name__)

T = TypeVar("T")


class FactsClient(Protocol):
    async def request(self, request: FactsRequest, timeout: float | None = None) -> FactsResponse: ...


class EpisodesClient(Protocol):
    async def request(self, request: EpisodesRequest, timeout: float | None = None) -> EpisodesResponse: ...


class ConversationsClient(Protocol):
    async def request(self, request: ConversationsRequest, timeout: float | None = None) -> ConversationsResponse: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallRequest:
    scope: Scope
    question: str
    settings: AgentMemSettings
    conversation_id: str = ""
    asked_at: datetime | None = None
    speaker: str = ""
    options: MemoryOptions | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingPart:
    """``reason`` is "deadline", "not-configured", or the wire name of an error; never user text."""

    part: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalInfo:
    """How facts were found, enough for a reward job to replay it.  ``features`` (K, F), rows as ``candidate_ids``."""

    candidate_ids: tuple[str, ...]
    shown_ids: tuple[str, ...]
    features: tuple[tuple[float, ...], ...]
    feature_names: tuple[str, ...]
    query: str
    mode: str
    policy_version: int
    seed: int

    def payload(self) -> dict[str, JsonValue]:
        """The ``retrieval`` object of record and reward jobs, without the citations."""
        return {
            "candidate_ids": list(self.candidate_ids),
            "shown_ids": list(self.shown_ids),
            "features": [list(row) for row in self.features],
            "feature_names": list(self.feature_names),
            "query": self.query,
            "mode": self.mode,
            "policy_version": self.policy_version,
            "seed": self.seed,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """What a turn starts with.  The place of a fact in ``facts`` is its number for citation, 0-based."""

    facts: tuple[Fact, ...] = ()
    rules: tuple[Fact, ...] = ()
    episodes: tuple[Episode, ...] = ()
    conversation: ConversationMemory | None = None
    exchanges: tuple[InvocationSummary, ...] = ()  # of the conversation, those that fit, oldest first
    missing: tuple[MissingPart, ...] = ()
    gate: GateDecision
    query: SearchQuery
    retrieval: RetrievalInfo | None = None
    timings_ms: Mapping[str, float] = field(default_factory=dict)
    tokens: int = 0

    def variables(self) -> dict[str, JsonValue]:
        """For the prompt: ``memories``, ``rules``, ``episodes``, ``exchanges``."""
        return {
            "memories": [
                {
                    "number": number,
                    "text": fact.content,
                    "when": fact.timestamp[:10],
                    "speaker": fact.speaker,
                    "kind": fact.kind,
                    "original": fact.metadata.get("original", ""),
                }
                for number, fact in enumerate(self.facts)
            ],
            "rules": [{"condition": rule.condition, "action": rule.action or rule.content} for rule in self.rules],
            "episodes": [
                {
                    "goal": episode.goal,
                    "outcome": episode.outcome,
                    "lessons": episode.lessons,
                    "succeeded": episode.succeeded,
                }
                for episode in self.episodes
            ],
            "exchanges": [
                {"query": exchange.query, "result": exchange.result or exchange.summary} for exchange in self.exchanges
            ],
        }


class ContextBuilder:
    """A client that a flow does not have is None: its part is named as missing.

    ``shared``: the services of facts and episodes embed with this very embedder.
    """

    def __init__(
        self,
        *,
        embedder: Embedder,
        facts: FactsClient | None,
        episodes: EpisodesClient | None,
        conversations: ConversationsClient | None,
        model: LanguageModel | None = None,
        clock: Clock,
        shared: bool = False,
    ) -> None:
        self._embedder = embedder
        self._shared = shared
        self._facts = facts
        self._episodes = episodes
        self._conversations = conversations
        self._model = model
        self._clock = clock

    async def gather(self, request: RecallRequest) -> Recalled:
        """Never raises for a part that fails."""
        return await _Gathering(self, request).run()


class _Gathering:
    """One request's recall."""

    def __init__(self, gatherer: ContextBuilder, request: RecallRequest) -> None:
        self.clients = gatherer
        self.request = request
        self.settings = request.settings
        self.deadline_s = request.settings.recall_deadline_ms / 1000
        self.asked_at = request.asked_at or gatherer._clock.now()
        self.missing: list[MissingPart] = []
        self.timings: dict[str, float] = {}

    async def run(self) -> Recalled:
        started = time.perf_counter()
        decision = gate(self.request.question) if self.settings.recall_gate else GateDecision(search=True, reason="off")
        async with asyncio.TaskGroup() as tasks:
            conversation = tasks.create_task(self._conversation())
            query = SearchQuery(text=self.request.question)
            facts: asyncio.Task[FactsResponse | None] | None = None
            episodes: asyncio.Task[EpisodesResponse | None] | None = None
            if decision.search and self._wants_search():
                query = await self._query(conversation)
                text = query.text
                embedded = tasks.create_task(self._part("embedding", lambda: self._embedded(text)))
                vector = None if self.clients._shared else await embedded
                facts = tasks.create_task(self._find_facts(query, vector)) if self._wants_facts() else None
                episodes = tasks.create_task(self._find_episodes(query, vector)) if self._episodes_wanted else None
        found = facts.result() if facts else None
        experience = episodes.result() if episodes else None
        history = conversation.result()
        exchanges = history.invocations if history else []
        kept = cut(
            found.facts if found else (),
            found.rules if found else (),
            experience.episodes if experience else (),
            exchanges,
            self.settings.memory_budget,
        )
        self.timings["total"] = (time.perf_counter() - started) * 1000
        return Recalled(
            facts=kept.facts,
            rules=kept.rules,
            episodes=kept.episodes,
            conversation=history,
            exchanges=kept.exchanges,
            missing=tuple(self.missing),
            gate=decision,
            query=query,
            retrieval=self._info(found, kept.facts, query) if found else None,
            timings_ms=self.timings,
            tokens=kept.tokens,
        )

    # ------------------------------------------------------------------------------------------------ what is wanted

    @property
    def _top_k(self) -> int:
        options = self.request.options
        wanted = options.retrieval_limit if options and options.retrieval_limit is not None else None
        return self.settings.fact_retrieval_top_k if wanted is None else max(0, wanted)

    @property
    def _episodes_wanted(self) -> int:
        return self.settings.episode_retrieval_top_k

    def _wants_facts(self) -> bool:
        return self._top_k > 0 or self.settings.procedural_rules_top_k > 0

    def _wants_search(self) -> bool:
        return self._wants_facts() or self._episodes_wanted > 0

    @property
    def _rerank(self) -> str:
        learning = self.settings.enable_retrospective_reflection
        if learning and in_learning_arm(self.request.scope.key, self.settings.rmm_ab_share):
            return self.settings.rerank
        return "off"

    # ------------------------------------------------------------------------------------------------ parts

    async def _query(self, conversation: "asyncio.Task[ConversationMemory | None]") -> SearchQuery:
        question, mode = self.request.question, self.settings.query_rewrite
        plain = SearchQuery(text=question)
        # HyDE is for every question; the others only for one that does not stand on its own.
        if mode == "off" or (mode != "hyde" and not is_vague(question)):
            return plain
        history = await conversation
        exchanges = history.invocations if history else []
        model = self.clients._model
        if mode in ("model", "hyde") and model is not None and (exchanges or mode == "hyde"):
            made = await self._part("rewrite", lambda: rewritten(question, exchanges, model, mode))
            if made is not None:
                return made
        return with_context(question, exchanges) if is_vague(question) else plain

    async def _embedded(self, text: str) -> Vector:
        vector: Vector = (await self.clients._embedder.embed([text], role="query"))[0]
        return vector

    async def _conversation(self) -> ConversationMemory | None:
        window = self.settings.conversation_window
        if not self.request.conversation_id or not window:
            return None
        client = self.clients._conversations
        if client is None:
            self._lacking("conversation", "not-configured")
            return None
        scope = self.request.scope
        wanted = ConversationsRequest(
            operation="get",
            user=scope.user,
            collection=scope.collection,
            conversation_id=self.request.conversation_id,
            limit=window,
        )
        response = await self._part("conversation", lambda: client.request(wanted, timeout=self.deadline_s))
        return response.conversation if response else None

    async def _find_facts(self, query: SearchQuery, vector: Vector | None) -> FactsResponse | None:
        client = self.clients._facts
        if client is None:
            self._lacking("facts", "not-configured")
            return None
        scope, options = self.request.scope, self.request.options
        threshold = options.similarity_threshold if options and options.similarity_threshold is not None else None
        wanted = FactsRequest(
            operation="retrieve",
            user=scope.user,
            collection=scope.collection,
            query=query.text,
            embedding=[] if vector is None else vector.tolist(),
            deadline_ms=self.settings.recall_deadline_ms,
            top_k=self._top_k,
            candidates=max(self.settings.rmm_top_k, self._top_k),
            rules=self.settings.procedural_rules_top_k,
            kinds=list(options.memory_types) if options else [],
            threshold=self.settings.similarity_threshold if threshold is None else threshold,
            rerank=self._rerank,
            seed=self._seed,
            asked_at=iso(self.asked_at),
            conversation_id=self.request.conversation_id,
        )
        found = await self._part("facts", lambda: client.request(wanted, timeout=self.deadline_s))
        if found is not None and (reason := found.stats.get("unranked")):
            self._lacking("ranking", reason)
        return found

    async def _find_episodes(self, query: SearchQuery, vector: Vector | None) -> EpisodesResponse | None:
        client = self.clients._episodes
        if client is None:
            self._lacking("episodes", "not-configured")
            return None
        scope = self.request.scope
        wanted = EpisodesRequest(
            operation="retrieve",
            user=scope.user,
            collection=scope.collection,
            query=query.text,
            embedding=[] if vector is None else vector.tolist(),
            deadline_ms=self.settings.recall_deadline_ms,
            top_k=self._episodes_wanted,
            threshold=self.settings.similarity_threshold,
            conversation_id=self.request.conversation_id,
        )
        return await self._part("episodes", lambda: client.request(wanted, timeout=self.deadline_s))

    @property
    def _seed(self) -> int:
        """The same question at the same time samples the same memories: a replay needs no stored noise."""
        return zlib.crc32(f"{self.request.scope.key}\x1f{self.request.question}\x1f{iso(self.asked_at)}".encode()) >> 1

    async def _part(self, name: str, call: Callable[[], Awaitable[T]]) -> T | None:
        started = time.perf_counter()
        try:
            async with asyncio.timeout(self.deadline_s):
                result = await call()
        except TimeoutError:
            self._lacking(name, "deadline")
            return None
        except MemoryServiceError as error:
            self._lacking(name, error.wire_type)
            return None
        except Exception as error:
            # Clients of a bus raise what their driver raises; a recall that fails must never fail a turn.
            logger.warning("a part of recall failed", extra={"part": name, "cause": type(error).__name__})
            self._lacking(name, type(error).__name__)
            return None
        finally:
            self.timings[name] = (time.perf_counter() - started) * 1000
        failure = getattr(result, "error", None)
        if failure is not None:
            self._lacking(name, failure.type or "error")
            return None
        return result

    def _lacking(self, part: str, reason: str) -> None:
        self.missing.append(MissingPart(part=part, reason=reason))
        count_missing_part(part, reason)

    def _info(self, found: FactsResponse, shown: tuple[Fact, ...], query: SearchQuery) -> RetrievalInfo:
        width = len(found.feature_names)
        rows = [tuple(found.features[at : at + width]) for at in range(0, len(found.features), width)] if width else []
        return RetrievalInfo(
            candidate_ids=tuple(found.candidate_ids),
            shown_ids=tuple(fact.id for fact in shown),
            features=tuple(rows),
            feature_names=tuple(found.feature_names),
            query=query.text,
            mode=self._rerank,
            policy_version=found.policy_version,
            seed=self._seed,
        )
