"""Merging a grounded fact into the known facts.

- The same statement, also in other words, adds its sources to the existing record.
- A contradiction supersedes the existing record, which keeps its text and gets the time until which it was valid.
- Where the rules do not decide, the background model is asked.  Without a model, or with an unusable answer, both facts stay.
- What was said earlier never supersedes what was said later.
- A quarantined record becomes active when a user says the same.  A quarantined fact never replaces another.
- Words of the assistant or a tool never replace a user's words, and never raise their importance.
- A lesson that is known already adds its sources and keeps its words and counters.  One that has helped is not replaced, and
  one that was retired, or that a person undid, is not learned again.

Ids are derived from the job, so a repeated job writes each fact once.  Nothing is overwritten without a history entry.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal

from ...errors import BudgetExhausted, ModelAnswerError, ModelUnavailable, RequestRefused
from ...indexing.document import with_speaker
from ...indexing.embedding import embed_rows
from ...indexing.routing import EmbeddingIndex
from ...memory.ports import Completion, Job, JsonValue
from ...memory.records import INSTRUCTION, LESSON, Fact, derived_id, in_language, sources_of
from ...memory.scope import Scope
from ...memory.trust.owner_seal import VERIFIED, OwnerSeal
from ...repositories.facts import FactMemory
from ...settings import AgentMemSettings
from ..llm_call import BackgroundModel, json_object
from ..rules.aspects import applies_always, subject_of
from ..rules.lessons import has_helped, is_lesson, was_given_up
from .grounded_facts import GroundedFact
from .relation import RelationKind, can_replace, classify_relation, says_more

MergeResult = Literal["added", "updated", "superseded", "released", "quarantined", "known"]
LEARNED_KINDS = ("semantic", "procedural", "reflective")
NEIGHBOURS = 8
MOST_QUESTIONS = 2  # model calls for one fact
_ANSWERS: dict[str, RelationKind] = {"same": "same", "replaces": "contradicts", "both": "new"}
logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class FactMerger:
    """Stores grounded facts under the rules of this module."""

    facts: FactMemory
    settings: AgentMemSettings
    model: BackgroundModel
    seal: OwnerSeal

    async def merge(self, job: Job, found: GroundedFact, place: str, *, at: datetime, source: str, shared: bool) -> MergeResult:
        """Store the fact, or merge it with the most similar existing one.

        ``place``: position within the job; the record's id is derived from the job's id and ``place``.  ``at``: creation time.
        ``source``: id of the conversation.  Raises EngineUnavailable, ModelUnavailable.
        """
        fact = self._mark(_fact(job, found, place, at=at, source=source), verified=self._is_verified(job.scope, found))
        new = in_language(fact, self.settings.language)
        if await already_written(self.facts, job.scope, [new.id]):
            return "known"
        if is_lesson(new) and await was_given_up(self.facts, new):
            return "known"
        space = await self.facts.router.read_index(job.scope)
        questions = MOST_QUESTIONS
        for old, cosine in await self._neighbours(new, space):
            if old.speaker and new.speaker and old.speaker != new.speaker and old.trust == new.trust == "user" and not shared:
                continue  # two people can each say "I like tea": these are two facts
            how = classify_relation(
                new.content,
                old.content,
                cosine=cosine,
                profile=space.profile,
                near_duplicate=self.settings.near_duplicate_threshold,
                changes=found.claim.changes,
            )
            if how == "unsure" and questions and _may_replace(new, old):
                questions -= 1
                how = await self._ask(new, old)
            if how == "same":
                return await self._join(job, old, new, shared=shared)
            if has_helped(old):
                continue
            if how == "contradicts" and _may_supersede(new, old):
                since = new.valid_from or new.said_at or at
                new = replace(new, valid_from=since)
                stored = await self.facts.supersede(job.scope, [old.id], new, by=job.id, trigger=job.trigger)
                if stored.status == "undone":
                    return "known"
                return "superseded"
        [stored] = await self.facts.store(job.scope, [new], by=job.id, trigger=job.trigger)
        if stored.status == "undone":
            return "known"
        if stored.id != new.id:
            return await self._join(job, stored, new, shared=shared)
        return "added" if new.status == "active" else "quarantined"

    def _is_verified(self, scope: Scope, found: GroundedFact) -> bool:
        """Whether one verified person said all that the fact rests on."""
        people = {
            self.seal.person(scope, line.speaker, line.text, {VERIFIED: line.mark})
            for line in found.sources
            if line.role == "user"
        }
        return found.trust == "user" and len(people) == 1 and "" not in people

    async def _ask(self, new: Fact, old: Fact) -> RelationKind:
        """Ask the model for the relation.  A model that does not answer decides nothing, so both facts stay."""
        variables: dict[str, JsonValue] = {
            name: {"text": fact.content, "date": f"{fact.said_at:%Y-%m-%d}" if fact.said_at else ""}
            for name, fact in (("new", new), ("old", old))
        }
        try:
            how = await self.model.ask("memory-relate-facts", variables, _relation)
        except (ModelUnavailable, ModelAnswerError, RequestRefused, BudgetExhausted) as error:
            logger.info("failed to compare two facts with the model, keeping both: %s", error.wire_type)
            return "new"
        return "new" if how == "contradicts" and not can_replace(new.content, old.content) else how

    async def _neighbours(self, new: Fact, space: EmbeddingIndex) -> list[tuple[Fact, float]]:
        """The most similar learned records, best first, with the cosine of their contents."""
        vectors = await embed_rows(space.embedder, [with_speaker(new.speaker, new.content)], role="passage")
        if not vectors.any():
            return []
        hits = await space.index.search_dense(
            new.scope,
            "text",
            vectors[0],
            limit=NEIGHBOURS,
            match={
                "kind": [new.kind] if new.kind == "procedural" else list(LEARNED_KINDS),
                "status": ["active", "quarantined"],
            },
        )
        # The index finds neighbours by speaker and content.  The graph has their current state, and only contents are compared.
        records = {fact.id: fact for fact in await self.facts.graph.get(new.scope, [hit.id for hit in hits])}
        near = [records[hit.id] for hit in hits if hit.id in records and records[hit.id].status in ("active", "quarantined")]
        if not near:
            return []
        contents = await embed_rows(space.embedder, [new.content, *(fact.content for fact in near)], role="passage")
        cosines = contents[1:] @ contents[0]
        return sorted(zip(near, map(float, cosines), strict=True), key=lambda pair: -pair[1])

    async def _join(self, job: Job, old: Fact, new: Fact, *, shared: bool) -> MergeResult:
        turn_ids = tuple(dict.fromkeys((*old.turn_ids, *new.turn_ids)))
        entities = tuple(dict.fromkeys((*old.entities, *new.entities)))
        if old.status == "quarantined":
            if not self._releases(old, new, shared=shared):
                return "known"
            freed = replace(old, status="active", trust=new.trust, speaker=new.speaker, turn_ids=turn_ids, entities=entities)
            freed = self._mark(freed, verified=bool(self._person(new)))
            await self.facts.update(job.scope, freed, by=job.id, trigger=job.trigger)
            return "released"
        if new.status == "quarantined" or not _may_replace(new, old) or set(new.turn_ids) <= set(old.turn_ids):
            return "known"
        importance = max(old.importance, new.importance)
        if is_lesson(old):
            [old] = await self.facts.graph.get(job.scope, [old.id])  # its counters may have changed since
        elif says_more(new.content, old.content):
            grown = replace(new, turn_ids=turn_ids, entities=entities, importance=importance, valid_from=old.valid_from)
            await self.facts.supersede(job.scope, [old.id], grown, by=job.id, trigger=job.trigger)
            return "superseded"
        joined = replace(old, turn_ids=turn_ids, entities=entities, importance=importance)
        if is_lesson(old) and is_lesson(new):
            sources = ",".join(dict.fromkeys((*sources_of(old), *sources_of(new))))
            joined = replace(joined, metadata={**joined.metadata, "sources": sources})
        await self.facts.update(job.scope, joined, by=job.id, trigger=job.trigger)
        return "updated"

    def _person(self, fact: Fact) -> str:
        return self.seal.person(fact.scope, fact.speaker, fact.content, fact.metadata)

    def _mark(self, fact: Fact, *, verified: bool) -> Fact:
        metadata = {key: value for key, value in fact.metadata.items() if key != VERIFIED}
        if verified:
            metadata[VERIFIED] = self.seal.mark(fact.scope, fact.speaker, fact.content)
        return replace(fact, metadata=metadata)

    def _releases(self, old: Fact, new: Fact, *, shared: bool) -> bool:
        """Whether ``new`` releases ``old`` from quarantine.

        A user's words do.  In a shared memory a quarantined rule needs the words of a second verified person.
        """
        if new.trust != "user":
            return False
        if new.status == "active":
            return True
        people = {self._person(old), self._person(new)} - {""}
        return shared and old.trust == "user" and len(people) == 2


async def already_written(facts: FactMemory, scope: Scope, ids: Sequence[str]) -> bool:
    """Whether an interrupted run of the same job has written one of these records.

    Records that it left without vectors are indexed now.
    """
    found = await facts.graph.get(scope, ids)
    waiting = [fact.id for fact in found if not fact.indexed]
    if waiting:
        await facts.finish_indexing(scope, waiting)
    return bool(found)


def _fact(job: Job, found: GroundedFact, place: str, *, at: datetime, source: str) -> Fact:
    claim, first = found.claim, found.sources[0]
    return Fact(
        id=derived_id("fact", job.id, place),
        scope=job.scope,
        kind=claim.kind,
        content=claim.text,
        created_at=at,
        status=found.status,
        trust=found.trust,
        speaker=found.speaker,
        source=source,
        invocation_id=first.invocation_id,
        said_at=first.said_at,
        valid_from=claim.valid_from,
        valid_to=claim.valid_to,
        importance=claim.importance if found.trust == "user" else min(claim.importance, 0.5),
        entities=claim.entities,
        turn_ids=tuple(dict.fromkeys(line.turn_id for line in found.sources if line.turn_id)),
        condition="" if found.given and applies_always(claim.condition, found.speaker) else claim.condition,
        action=claim.action,
        job_id=job.id,
        trigger=job.trigger,
        metadata=_metadata(found),
    )


def _metadata(found: GroundedFact) -> dict[str, str]:
    claim = found.claim
    if found.given:
        return {INSTRUCTION: subject_of(claim.text) or "general"}
    return {LESSON: claim.title or claim.condition, "sources": found.episode} if found.episode else {}


def _relation(completion: Completion) -> RelationKind:
    answer = json_object(completion).get("relation")
    if not isinstance(answer, str) or answer.strip().lower() not in _ANSWERS:
        raise ValueError('an object with "relation": "same", "replaces" or "both" is needed')
    return _ANSWERS[answer.strip().lower()]


def _was_before(new: Fact, old: Fact) -> bool:
    """Whether ``new`` was said earlier than ``old``, as when an older conversation is imported."""
    return new.said_at is not None and old.said_at is not None and new.said_at < old.said_at


def _may_supersede(new: Fact, old: Fact) -> bool:
    planned = new.valid_from is not None and new.said_at is not None and new.valid_from - new.said_at > timedelta(days=1)
    return new.status == old.status == "active" and _may_replace(new, old) and not _was_before(new, old) and not planned


def _may_replace(new: Fact, old: Fact) -> bool:
    return new.trust == "user" or old.trust == new.trust
