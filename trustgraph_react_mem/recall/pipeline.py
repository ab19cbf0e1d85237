"""Builds the context of a turn from the memory services, with few sequential waits.

gate -> query -> embedding -> facts | episodes -> token budget, while the conversation is fetched in parallel.

A question that needs no context waits for its embedding and then for the slower of facts and episodes.  Services that share
the embedder of this process are called at once: they run the keyword search while the embedding is computed.

Invariants: each part has the flow's deadline (``recall-deadline-ms``).  A part that fails or is late is named in
``Recalled.missing``, and the turn continues without it.
"""

import asyncio
import logging
import time
import zlib
from collections.abc import Awaitable, Callable
from typing import Protocol, TypeVar

from ..errors import MemoryServiceError
from ..memory.ports import Embedder, LanguageModel, Switches, Vector
from ..memory.records import INSTRUCTION
from ..memory.requests import GetConversation, Request, RetrieveEpisodes, RetrieveFacts
from ..memory.timefmt import format_time
from ..rerank import in_learning_arm
from ..schema import ConversationsResponse, EpisodesResponse, Fact, FactsResponse
from ..telemetry import count_missing_part
from .budget import fit_budget
from .gate import GateDecision, gate
from .query import SearchQuery, add_context, is_vague, rewrite
from .records import MissingPart, Recalled, RecallRequest, RetrievalInfo
from .window import divide

logger = logging.getLogger(__name__)

T = TypeVar("T")


class MemoryClient(Protocol):
    """Client of one memory service, such as ``bus.client_specs.ServiceClient``."""

    async def call(self, request: Request[T], *, timeout_s: float) -> T:
        """Raises: MemoryServiceError."""
        ...


class ContextBuilder:
    """Calls the memory services of one flow.

    Arguments:
        facts, episodes, conversations: clients of the services.  None if the flow lacks the service: its part is then
            reported as missing.
        model: rewrites questions if the settings ask for it.  None: words of the conversation are added instead.
        shared: the facts and episodes services use this embedder too, so requests to them carry no embedding.
    """

    def __init__(
        self,
        *,
        embedder: Embedder,
        facts: MemoryClient | None,
        episodes: MemoryClient | None,
        conversations: MemoryClient | None,
        model: LanguageModel | None = None,
        shared: bool = False,
    ) -> None:
        self.embedder = embedder
        self.facts = facts
        self.episodes = episodes
        self.conversations = conversations
        self.model = model
        self.shared = shared

    async def gather(self, request: RecallRequest) -> Recalled:
        """Return what was found.  A part that fails does not raise: it is listed in ``Recalled.missing``."""
        return await _Gathering(self, request).run()


class _Gathering:
    """The recall of one request, with the missing parts and the time that each part took (milliseconds)."""

    def __init__(self, clients: ContextBuilder, request: RecallRequest) -> None:
        self._clients = clients
        self._request = request
        self._settings = request.settings
        self._deadline_s = request.settings.recall_deadline_ms / 1000
        self._missing: list[MissingPart] = []
        self._timings: dict[str, float] = {}

    async def run(self) -> Recalled:
        started = time.perf_counter()
        decision = gate(self._request.question) if self._settings.recall_gate else GateDecision(search=True, reason="off")
        query = SearchQuery(question=self._request.question)
        facts: asyncio.Task[FactsResponse | None] | None = None
        episodes: asyncio.Task[EpisodesResponse | None] | None = None
        async with asyncio.TaskGroup() as tasks:
            conversation = tasks.create_task(self._fetch_conversation())
            if decision.search and (self._wants_facts or self._wants_episodes):
                query = await self._make_query(conversation)
                embedded = tasks.create_task(self._part("embedding", lambda: self._embed(query.question)))
                # A service with the same embedder computes the vector itself.  Waiting here would delay its keyword search.
                vector = None if self._clients.shared else await embedded
                if self._wants_facts:
                    find_facts = self._call("facts", self._clients.facts, self._facts_request(query, vector))
                    facts = tasks.create_task(find_facts)
                if self._wants_episodes:
                    find_episodes = self._call("episodes", self._clients.episodes, self._episodes_request(query, vector))
                    episodes = tasks.create_task(find_episodes)
            elif self._settings.procedural_rules_top_k and self._clients.facts is not None:
                find_rules = self._call("facts", self._clients.facts, self._rules_request())
                facts = tasks.create_task(find_rules)
        recalled = self._build_result(
            decision, query, facts.result() if facts else None, episodes.result() if episodes else None, conversation.result()
        )
        self._timings["total"] = (time.perf_counter() - started) * 1000
        return recalled

    def _build_result(
        self,
        decision: GateDecision,
        query: SearchQuery,
        found: FactsResponse | None,
        similar: EpisodesResponse | None,
        history: ConversationsResponse | None,
    ) -> Recalled:
        conversation = history.conversation if history else None
        if found is not None and (reason := found.stats.get("unranked")):
            self._miss("ranking", reason)
        shares = divide(self._settings)
        searched = found if decision.search else None
        kept = fit_budget(
            searched.facts if searched else (),
            searched.rules if searched else _standing(found),
            similar.episodes if similar else (),
            conversation.invocations if conversation else (),
            shares.memory,
            shares.exchanges,
        )
        return Recalled(
            facts=kept.facts,
            rules=kept.rules,
            episodes=kept.episodes,
            conversation=conversation,
            exchanges=kept.exchanges,
            missing=tuple(self._missing),
            gate=decision,
            query=query,
            retrieval=self._retrieval_info(searched, kept.facts, query) if searched else None,
            switches=_read_switches(found, similar, history),
            timings_ms=self._timings,
            tokens=kept.tokens,
        )

    # ------------------------------------------------------------------------------------------------ settings

    @property
    def _top_k(self) -> int:
        options = self._request.options
        wanted = options.retrieval_limit if options and options.retrieval_limit is not None else None
        return self._settings.fact_retrieval_top_k if wanted is None else max(0, wanted)

    @property
    def _wants_facts(self) -> bool:
        return self._top_k > 0 or self._settings.procedural_rules_top_k > 0

    @property
    def _wants_episodes(self) -> bool:
        return self._settings.episode_retrieval_top_k > 0

    @property
    def _rerank(self) -> str:
        learning = self._settings.enable_retrospective_reflection
        if learning and in_learning_arm(self._request.scope.key, self._settings.rmm_ab_share):
            return self._settings.rerank
        return "off"

    @property
    def _seed(self) -> int:
        """Seed of the sampling, derived from scope, question and time, so that a replay samples the same memories."""
        request = self._request
        return zlib.crc32(f"{request.scope.key}\x1f{request.question}\x1f{format_time(request.asked_at)}".encode()) >> 1

    # ------------------------------------------------------------------------------------------------ parts

    async def _make_query(self, conversation: "asyncio.Task[ConversationsResponse | None]") -> SearchQuery:
        question, mode = self._request.question, self._settings.query_rewrite
        plain = SearchQuery(question=question)
        # HyDE applies to every question, the other modes only to a question that needs context.
        if mode == "off" or (mode != "hyde" and not is_vague(question)):
            return plain
        history = await conversation
        exchanges = history.conversation.invocations if history and history.conversation else []
        model = self._clients.model
        if mode in ("model", "hyde") and model is not None and (exchanges or mode == "hyde"):
            made = await self._part("rewrite", lambda: rewrite(question, exchanges, model, mode))
            if made is not None:
                return made
        return add_context(question, exchanges) if is_vague(question) else plain

    async def _embed(self, question: str) -> Vector:
        vector: Vector = (await self._clients.embedder.embed([question], role="query"))[0]  # (d,) float32
        return vector

    async def _fetch_conversation(self) -> ConversationsResponse | None:
        request, window = self._request, self._settings.conversation_window
        if not request.conversation_id or not window:
            return None
        wanted = GetConversation(
            user=request.scope.user,
            collection=request.scope.collection,
            conversation_id=request.conversation_id,
            limit=window,
        )
        return await self._call("conversation", self._clients.conversations, wanted)

    def _facts_request(self, query: SearchQuery, vector: Vector | None) -> RetrieveFacts:
        request, options = self._request, self._request.options
        threshold = options.similarity_threshold if options and options.similarity_threshold is not None else None
        return RetrieveFacts(
            user=request.scope.user,
            collection=request.scope.collection,
            query=query.question,
            embedding=[] if vector is None else vector.tolist(),
            deadline_ms=self._settings.recall_deadline_ms,
            top_k=self._top_k,
            candidates=max(self._settings.rmm_top_k, self._top_k),
            rules=self._settings.procedural_rules_top_k,
            kinds=list(options.memory_types) if options else [],
            threshold=self._settings.similarity_threshold if threshold is None else threshold,
            rerank=self._rerank,
            seed=self._seed,
            asked_at=format_time(request.asked_at),
            timezone=request.timezone,
            conversation_id=request.conversation_id,
        )

    def _rules_request(self) -> RetrieveFacts:
        """The standing rules alone: they also apply when nothing is searched."""
        request = self._request
        return RetrieveFacts(
            user=request.scope.user,
            collection=request.scope.collection,
            query="",
            top_k=0,
            rules=self._settings.procedural_rules_top_k,
            deadline_ms=self._settings.recall_deadline_ms,
            conversation_id=request.conversation_id,
        )

    def _episodes_request(self, query: SearchQuery, vector: Vector | None) -> RetrieveEpisodes:
        request = self._request
        return RetrieveEpisodes(
            user=request.scope.user,
            collection=request.scope.collection,
            query=query.question,
            embedding=[] if vector is None else vector.tolist(),
            deadline_ms=self._settings.recall_deadline_ms,
            top_k=self._settings.episode_retrieval_top_k,
            threshold=self._settings.similarity_threshold,
            conversation_id=request.conversation_id,
        )

    async def _call(self, part: str, client: MemoryClient | None, request: Request[T]) -> T | None:
        """The response of one service.  None if the flow lacks the service, or if it fails or is late."""
        if client is None:
            self._miss(part, "not-configured")
            return None
        return await self._part(part, lambda: client.call(request, timeout_s=self._deadline_s))

    async def _part(self, part: str, call: Callable[[], Awaitable[T]]) -> T | None:
        started = time.perf_counter()
        try:
            async with asyncio.timeout(self._deadline_s):
                return await call()
        except TimeoutError:
            self._miss(part, "deadline")
            return None
        except MemoryServiceError as error:
            self._miss(part, error.wire_type)
            return None
        except Exception as error:
            # Broad because a bus client may raise errors of its driver, and a failed recall must not fail the turn.
            logger.warning("recall of %s failed: %s", part, type(error).__name__)
            self._miss(part, type(error).__name__)
            return None
        finally:
            self._timings[part] = (time.perf_counter() - started) * 1000

    def _miss(self, part: str, reason: str) -> None:
        self._missing.append(MissingPart(part=part, reason=reason))
        count_missing_part(part, reason)

    def _retrieval_info(self, found: FactsResponse, shown: tuple[Fact, ...], query: SearchQuery) -> RetrievalInfo:
        width = len(found.feature_names)
        rows = [tuple(found.features[at : at + width]) for at in range(0, len(found.features), width)] if width else []
        return RetrievalInfo(
            candidate_ids=tuple(found.candidate_ids),
            shown_ids=tuple(fact.id for fact in shown),
            features=tuple(rows),
            feature_names=tuple(found.feature_names),
            question=query.question,
            mode=self._rerank,
            policy_version=found.policy_version,
            seed=self._seed,
        )


def _standing(found: FactsResponse | None) -> list[Fact]:
    """The rules that a person gave, of a reply to a request for them alone."""
    return [rule for rule in found.rules if INSTRUCTION in rule.metadata] if found else []


def _read_switches(*replies: FactsResponse | EpisodesResponse | ConversationsResponse | None) -> Switches | None:
    """The person's memory switches as the services reported them.  None if no service reported them."""
    reports = [reply.stats for reply in replies if reply is not None and reply.stats.keys() >= {"read", "write"}]
    if not reports:
        return None
    # The services read the switches at slightly different times.  If any of them saw "off", the whole turn obeys it.
    return Switches(
        read=all(report["read"] != "off" for report in reports), write=all(report["write"] != "off" for report in reports)
    )
