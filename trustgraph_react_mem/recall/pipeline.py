"""Builds the context of a turn from the memory services, with few sequential waits.

gate -> query -> embedding -> facts | episodes -> token budget, while the conversation is fetched in parallel.  The request for
facts names the records that the conversation shows.  If the conversation is late, more facts are requested instead, and those
that it shows are removed afterwards.

A question that needs no context waits for its embedding and then for the slower of facts and episodes.  Services that share
the embedder of this process are called at once: they run the keyword search while the embedding is computed.

Invariants: each part has the flow's deadline (``recall-deadline-ms``).  A part that fails or is late is named in
``Recalled.missing``, and the turn continues without it.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol, TypeVar

from ..errors import MemoryServiceError
from ..failure_log import describe_error
from ..memory.ports import Embedder, LanguageModel, Switches
from ..memory.records import INSTRUCTION
from ..memory.requests import GetConversation, GetCurrentConversation, Request
from ..memory.timefmt import format_time, read_zone
from ..schema import ConversationsResponse, EpisodesResponse, FactsResponse
from ..settings import continue_within_s
from ..telemetry.metrics import missing_parts
from ..telemetry.tracing import retrieval
from .budget import fit_budget
from .query import Decision, SearchQuery, add_context, gate, is_vague, rewrite, shorten_query
from .records import MissingPart, Recalled, teaching_episodes
from .request import RecallRequest
from .thread import Thread, read_thread

logger = logging.getLogger(__name__)

TURNS_OF_AN_EXCHANGE = 2
SPARE_EPISODES = 10  # asked for beside those to be shown, because those without a lesson are not shown

T = TypeVar("T")


class MemoryClient(Protocol):
    """Client of one memory service, such as ``bus.client_specs.ServiceClient``."""

    async def call(self, request: Request[T], *, timeout_s: float) -> T:
        """Raises: MemoryServiceError."""
        ...


@dataclass(frozen=True, kw_only=True)
class ContextBuilder:
    """Calls the memory services of one flow.

    Attributes:
        facts, episodes, conversations: clients of the services.  None if the flow lacks the service: its part is then
            reported as missing.
        model: rewrites questions if the settings ask for it.  None: words of the conversation are added instead.
        shared: the facts and episodes services use this embedder too, so requests to them carry no embedding.
        embedder: None: these services embed what is searched for.
    """

    embedder: Embedder | None
    facts: MemoryClient | None
    episodes: MemoryClient | None
    conversations: MemoryClient | None
    model: LanguageModel | None = None
    shared: bool = False

    async def gather(self, request: RecallRequest) -> Recalled:
        """Return what was found.  A part that fails does not raise: it is listed in ``Recalled.missing``."""
        with retrieval():
            return await _Gathering(self, request).run()


class _Gathering:
    """The recall of one request, with the missing parts and the time that each part took (milliseconds)."""

    def __init__(self, clients: ContextBuilder, request: RecallRequest) -> None:
        self._clients = clients
        self._request = request
        self._settings = request.settings
        self._question = shorten_query(request.question)
        self._deadline_s = request.settings.recall_deadline_ms / 1000
        self._missing: list[MissingPart] = []
        self._timings: dict[str, float] = {}

    async def run(self) -> Recalled:
        started = time.perf_counter()
        request, clients, wanted = self._request, self._clients, self._request.wanted
        decision = gate(request.question)
        query = SearchQuery(question=request.question)
        facts: asyncio.Task[FactsResponse | None] | None = None
        episodes: asyncio.Task[EpisodesResponse | None] | None = None
        wants_facts = wanted.facts > 0 or wanted.rules > 0
        async with asyncio.TaskGroup() as tasks:
            conversation = tasks.create_task(self._fetch_conversation())
            if decision == "search" and (wants_facts or wanted.episodes):
                query = await self._make_query(conversation)
                vectors = None
                if clients.embedder is not None:
                    embed = partial(clients.embedder.embed, [query.embedded], role="query")
                    embedded = tasks.create_task(self._part("embedding", embed))  # (1, d) float32
                    # The conversation is usually read before the question is embedded, so waiting for either costs nothing.
                    await asyncio.wait({conversation, embedded}, return_when=asyncio.FIRST_COMPLETED)
                    # A service with the same embedder computes the vector itself.  Waiting would delay its keyword search.
                    vectors = None if clients.shared and not query.own else await embedded
                vector = None if vectors is None else vectors[0]
                thread = self._read_thread(conversation.result() if conversation.done() else None)
                where = thread.conversation_id or request.conversation_id
                if wants_facts:
                    spare = 0 if conversation.done() else TURNS_OF_AN_EXCHANGE * self._settings.conversation_window
                    relevant = request.facts_request(
                        query.question, vector=vector, exclude=thread.turn_ids, spare=spare, conversation_id=where
                    )
                    find_facts = self._call("facts", clients.facts, relevant)
                    facts = tasks.create_task(find_facts)
                if wanted.episodes:
                    similar = request.episodes_request(
                        query.question, vector=vector, spare=SPARE_EPISODES, conversation_id=where
                    )
                    find_episodes = self._call("episodes", clients.episodes, similar)
                    episodes = tasks.create_task(find_episodes)
            elif wanted.rules and clients.facts is not None:
                find_standing = self._call("facts", clients.facts, request.standing_request())
                facts = tasks.create_task(find_standing)
        found, alike = facts.result() if facts else None, episodes.result() if episodes else None
        recalled = self._build_result(decision, query, found, alike, conversation.result())
        self._timings["total"] = (time.perf_counter() - started) * 1000
        return recalled

    def _build_result(
        self,
        decision: Decision,
        query: SearchQuery,
        found: FactsResponse | None,
        similar: EpisodesResponse | None,
        history: ConversationsResponse | None,
    ) -> Recalled:
        thread = self._read_thread(history)
        if found is not None and (reason := found.stats.get("unranked")):
            self._miss("ranking", reason)
        searched = found if decision == "search" else None
        facts = [fact for fact in searched.facts if fact.id not in thread.turn_ids] if searched else []
        ranked = self._request.read_ranking(searched, query.embedded) if searched else None
        rules = found.rules if found is not None else []
        if searched is None:  # those that a person gave apply always
            rules = [rule for rule in rules if INSTRUCTION in rule.metadata]
        kept = fit_budget(
            facts[: self._request.wanted.facts],
            rules,
            teaching_episodes(similar.episodes if similar else (), self._request.wanted.episodes),
            self._request.shares.memory,
            question=self._question,
            context=query.question,
        )
        return Recalled(
            facts=kept.facts,
            rules=kept.rules,
            episodes=kept.episodes,
            conversation_id=thread.conversation_id,
            thread=thread,
            missing=tuple(self._missing),
            gate=decision,
            query=query,
            retrieval=replace(ranked, shown_ids=tuple(fact.id for fact in kept.facts)) if ranked else None,
            switches=_read_switches(found, similar, history),
            timings_ms=self._timings,
            tokens=kept.tokens + thread.tokens,
            zone=read_zone(self._request.timezone),
        )

    # ------------------------------------------------------------------------------------------------ parts

    async def _make_query(self, conversation: "asyncio.Task[ConversationsResponse | None]") -> SearchQuery:
        question, mode = self._question, self._settings.query_rewrite
        vague = is_vague(question)
        plain = SearchQuery(question=question)
        # HyDE applies to every question, the other modes only to a question that needs context.
        if mode == "off" or (mode != "hyde" and not vague):
            return plain
        history = await conversation
        stored = history.conversation.invocations if history and history.conversation else []
        exchanges = self._request.chat or stored
        model = self._clients.model
        if mode in ("model", "hyde") and model is not None and (exchanges or mode == "hyde"):
            made = await self._part("rewrite", partial(rewrite, question, exchanges, model, mode))
            if made is not None:
                return made
        return add_context(question, exchanges) if vague else plain

    async def _fetch_conversation(self) -> ConversationsResponse | None:
        request, window = self._request, self._settings.conversation_window
        where = {"user": request.scope.user, "collection": request.scope.collection}
        wanted: Request[ConversationsResponse]
        if request.conversation_id:
            if not window:
                return None
            wanted = GetConversation(**where, conversation_id=request.conversation_id, limit=window)
        elif request.implicit_id:
            wanted = GetCurrentConversation(
                **where,
                flow=request.flow,
                at=format_time(request.asked_at),
                within_s=continue_within_s(self._settings),
                limit=max(1, window),
            )
        else:
            return None
        return await self._call("conversation", self._clients.conversations, wanted)

    def _read_thread(self, history: ConversationsResponse | None) -> Thread:
        return read_thread(
            self._request.scope,
            history.conversation if history else None,
            self._request.chat,
            window=self._settings.conversation_window,
            budget=self._request.shares.exchanges,
        )

    async def _call(self, part: str, client: MemoryClient | None, request: Request[T]) -> T | None:
        """The response of one service.  None if the flow lacks the service, or if it fails or is late."""
        if client is None:
            self._miss(part, "not-configured")
            return None
        return await self._part(part, partial(client.call, request, timeout_s=self._deadline_s))

    async def _part(self, part: str, call: Callable[[], Awaitable[T]]) -> T | None:
        started = time.perf_counter()
        try:
            async with asyncio.timeout(self._deadline_s):
                return await call()
        except TimeoutError:
            logger.warning("recall of %s failed: no answer within %g s", part, self._deadline_s)
            self._miss(part, "deadline")
            return None
        except Exception as error:
            # Broad because a bus client may raise errors of its driver, and a failed recall must not fail the turn.
            logger.warning("recall of %s failed: %s", part, describe_error(error))
            self._miss(part, error.wire_type if isinstance(error, MemoryServiceError) else type(error).__name__)
            return None
        finally:
            self._timings[part] = (time.perf_counter() - started) * 1000

    def _miss(self, part: str, reason: str) -> None:
        self._missing.append(MissingPart(part=part, reason=reason))
        missing_parts.labels(part, reason).inc()


def _read_switches(*replies: FactsResponse | EpisodesResponse | ConversationsResponse | None) -> Switches | None:
    """The person's memory switches as the services reported them.  None if no service reported them."""
    reports = [reply.stats for reply in replies if reply is not None and reply.stats.keys() >= {"read", "write"}]
    if not reports:
        return None
    # The services read the switches at slightly different times.  If any of them saw "off", the whole turn obeys it.
    return Switches(
        read=all(report["read"] != "off" for report in reports), write=all(report["write"] != "off" for report in reports)
    )
