"""Operations that read facts: retrieve, get, list, history, export, statistics and what the ranking has learned."""

import json
from collections.abc import Sequence
from dataclasses import fields
from typing import Any, get_args

import numpy as np

from ...indexing.document import wire_fact
from ...learning.reward_log import learning_status
from ...memory.clock import oldest_kept
from ...memory.codec import encode_fields
from ...memory.former import former_since, is_merge, mark_former
from ...memory.ports import Vector
from ...memory.records import FACT_KINDS, TOPIC, Fact, FactKind, FactStatus, derived_id
from ...memory.requests import (
    ExportFacts,
    GetFactHistory,
    GetFacts,
    GetFactStats,
    GetLearningStatus,
    ListFacts,
    ListTopics,
    RetrieveFacts,
)
from ...memory.scope import Scope
from ...memory.sizes import MOST_REPLY_BYTES, wire_size
from ...memory.timefmt import read_time, read_timezone
from ...memory.topics import Topic, group_by_topic
from ...recall.query import shorten_query
from ...recall.request import EPISODE_TYPES
from ...retrieval.query import RetrievalQuery
from ...schema import Fact as WireFact
from ...schema import FactsResponse, HistoryEntry
from ..service import FlowOperations, embedding_timeout_s, serves
from .checks import check_query, choose, to_vector

MOST_GROUPED = 5_000  # newest facts and rules that are grouped by topic


class FactReading(FlowOperations):
    @serves(RetrieveFacts)
    async def retrieve(self, scope: Scope, request: RetrieveFacts) -> FactsResponse:
        """Ranked facts, with the features of all candidates for a replay.

        ``stats``: milliseconds by stage, and as far as they apply ``left_out`` (facts that did not fit in the reply),
        ``abstained`` (no fact reached the threshold) and ``unranked`` (why the learned ranking was not used).
        """
        found = await self._memory.retriever.retrieve(scope, self._query(request))
        stats = {f"{stage}_ms": f"{took:.2f}" for stage, took in found.timings_ms.items()}
        facts, left_out = _fit_reply(found.facts)
        if left_out:
            stats["left_out"] = str(left_out)
        if found.abstained:
            stats["abstained"] = "true"
        if found.unranked:
            stats["unranked"] = found.unranked
        return FactsResponse(
            facts=facts,
            rules=list(found.rules),
            count=len(facts),
            policy_version=found.policy_version,
            candidate_ids=list(found.candidate_ids),
            feature_names=list(found.feature_names),
            features=np.round(found.features.astype(np.float64), 6).ravel().tolist(),
            stats=stats,
        )

    def _query(self, request: RetrieveFacts) -> RetrievalQuery:
        """Raises: BadRequest."""
        if request.top_k or not request.rules:  # else only what applies to every question is wanted
            check_query(request.query, request.embedding)
        # "episodic" is a legal type of memory, but the episodes service has these.
        kinds = _kinds([kind for kind in request.kinds if kind not in EPISODE_TYPES])
        vector: Vector | None = to_vector(request.embedding, self._memory.models.current.profile)
        return RetrievalQuery(
            question=shorten_query(request.query),
            vector=vector,
            top_k=request.top_k if kinds or not request.kinds else 0,
            candidates=max(request.candidates, request.top_k, 1),
            rules=request.rules,
            kinds=kinds,
            threshold=request.threshold,
            rerank=choose("rerank", request.rerank or self._settings.rerank, ("off", "paper", "calibrated")),
            sampling=self._settings.rerank_sampling,
            seed=request.seed,
            asked_at=read_time("asked_at", request.asked_at),
            zone=read_timezone(request.timezone or self._settings.timezone),
            exclude=request.exclude,
            conversation_id=request.conversation_id,
            asker=request.speaker,
            created_after=oldest_kept(self._settings.fact_ttl_days, self._memory.clock.now()),
            patience_s=embedding_timeout_s(request.deadline_ms),
        )

    @serves(GetFacts)
    async def get(self, scope: Scope, request: GetFacts) -> FactsResponse:
        """Facts by id.  Unknown ids are skipped."""
        facts = await self._memory.facts.graph.get(scope, request.ids)
        return FactsResponse(facts=[*await self._wire(scope, facts)], count=len(facts))

    @serves(ListFacts)
    async def list(self, scope: Scope, request: ListFacts) -> FactsResponse:
        """Newest first.  ``count`` is the number of active facts of the requested kinds."""
        kinds = _kinds(request.kinds)
        status = choose("status", request.status or "active", get_args(FactStatus))
        facts = await self._memory.facts.graph.listing(
            scope,
            kinds=kinds,
            statuses=(status,),
            at=self._memory.clock.now(),
            source=request.source,
            about=request.about,
            limit=request.limit,
            offset=request.offset,
        )
        counts = await self._memory.facts.graph.count(scope, at=self._memory.clock.now())
        total = sum(number for kind, number in counts.items() if not kinds or kind in kinds)
        return FactsResponse(facts=[*await self._wire(scope, facts)], count=total)

    async def _wire(self, scope: Scope, facts: Sequence[Fact]) -> Sequence[WireFact]:
        """The facts as they are now, former ones with what took their place."""
        now = self._memory.clock.now()
        since = {fact.id: at for fact in facts if (at := former_since(fact, now)) is not None}
        wanted = list(dict.fromkeys(fact.superseded_by for fact in facts if fact.id in since))
        found = await self._memory.facts.graph.get(scope, wanted) if wanted else []
        newer = {each.id: each for each in found if each.status != "undone"}
        shown = []
        for fact in facts:
            shown.append(wire_fact(fact, now))
            new = newer.get(fact.superseded_by)
            if fact.id in since and new is not None and not is_merge(new.metadata, fact.id):
                mark_former(shown[-1], since[fact.id], new.content)
        return shown

    @serves(ListTopics)
    async def topics(self, scope: Scope, request: ListTopics) -> FactsResponse:
        """One fact a topic, of the newest entries: its content is the summary, ``turn_ids`` the original dialogue.

        ``metadata``: ``topic`` its name, ``sources`` the ids of its entries.
        """
        graph, now = self._memory.facts.graph, self._memory.clock.now()
        facts = await graph.listing(scope, kinds=("semantic", "procedural"), limit=MOST_GROUPED)
        topics = group_by_topic(facts, now)
        shown = [_topic_fact(scope, topic) for topic in topics[: request.limit]]
        return FactsResponse(facts=[wire_fact(fact, now) for fact in shown], count=len(topics))

    @serves(GetFactHistory)
    async def history(self, scope: Scope, request: GetFactHistory) -> FactsResponse:
        """All changes of a record, newest first."""
        entries = await self._memory.facts.graph.history(scope, request.id)
        told: list[dict[str, Any]] = [encode_fields(entry, (each.name for each in fields(HistoryEntry))) for entry in entries]
        return FactsResponse(history=[HistoryEntry(**each) for each in told], count=len(entries))

    @serves(GetFactStats)
    async def stats(self, scope: Scope, request: GetFactStats) -> FactsResponse:
        """``stats``: number of facts by kind, number of vectors, and the embedding model."""
        counts = await self._memory.facts.graph.count(scope, at=self._memory.clock.now())
        vectors = await self._memory.facts.index.count(scope)
        return FactsResponse(
            count=sum(counts.values()),
            stats={
                **{kind: str(number) for kind, number in counts.items()},
                "vectors": str(vectors),
                "embedding": self._memory.models.current.profile.name,
            },
        )

    @serves(GetLearningStatus)
    async def status(self, scope: Scope, request: GetLearningStatus) -> FactsResponse:
        """``data``: the learning status as JSON."""
        status = await learning_status(self._memory, scope)
        return FactsResponse(data=json.dumps(status), policy_version=int(status.get("policy", {}).get("version", 0)))

    @serves(ExportFacts)
    async def export(self, scope: Scope, request: ExportFacts) -> FactsResponse:
        """One page of ``count`` lines, fewer than ``limit`` if they are long.  ``stats["next"]`` is empty on the last page."""
        lines, cursor = await self._memory.exporter.page(scope, request.cursor, request.limit)
        return FactsResponse(data="".join(line + "\n" for line in lines), count=len(lines), stats={"next": cursor})


def _topic_fact(scope: Scope, topic: Topic) -> Fact:
    return Fact(
        id=derived_id("topic", scope.key, topic.name.casefold()),
        scope=scope,
        kind="topic",
        content=topic.summary,
        created_at=topic.items[0].created_at,
        said_at=topic.newest,
        importance=max(fact.importance for fact in topic.items),
        turn_ids=topic.turn_ids,
        metadata={TOPIC: topic.name, "sources": ",".join(fact.id for fact in topic.items)},
    )


def _kinds(kinds: Sequence[str]) -> tuple[FactKind, ...]:
    return tuple(choose("kind", kind, FACT_KINDS) for kind in kinds)


def _fit_reply(facts: Sequence[WireFact]) -> tuple[list[WireFact], int]:
    """The first facts that fit in one reply (at least one), and the number of those that do not fit."""
    size = 0
    for place, fact in enumerate(facts):
        size += wire_size(fact.content)
        if size > MOST_REPLY_BYTES and place:
            return list(facts[:place]), len(facts) - place
    return list(facts), 0
