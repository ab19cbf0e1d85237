"""`/v1/memories/explain`: what a question reaches and why; `/v1/memories/{id}/dependents`: what its erasure concerns."""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo

from ...memory.requests import FindRepeats, GetFacts, RetrieveFacts
from ...memory.timefmt import read_zone
from ...schema import Fact, FactsResponse
from ..access import Access
from . import answers, models
from .answers import Candidate, CandidateState
from .memories import existing
from .routing import Routes, copy_fields

RULES = 10
LEAST = 1e-3  # a threshold that replaces the floor of the embedding model
BASE = "base"  # the feature that is the score before the learned part
SOURCES = "sources"  # in the metadata: ids that a record was derived from


ROUTES = Routes()


@ROUTES.route("POST", "/v1/memories/explain", tag="memories")
async def explain(access: Access, body: models.Explain) -> answers.Explained:
    """Explain a recall: all candidates with their scores, and why those that are left out are.

    Three retrievals, two of them wider: what these add was cut, folded, or below the similarity floor.
    """
    candidates = max(body.candidates, body.limit)
    asked = copy_fields(RetrieveFacts, body, top_k=body.limit, candidates=candidates, rules=RULES, kinds=body.types)
    wide = replace(asked, top_k=candidates, rules=0)
    shown, placed, similar = await asyncio.gather(
        access.call(asked), access.call(wide), access.call(replace(wide, threshold=LEAST))
    )
    found = _Found(shown, placed, similar, read_zone(body.timezone))
    folded = (await access.call(GetFacts(ids=found.folded_ids))).facts if found.folded_ids else []
    return answers.Explained(
        results=list(found.candidates(access, folded)),
        rules=[answers.Memory.of(fact, access) for fact in shown.rules],
        policy_version=shown.policy_version,
        abstained=shown.stats.get("abstained") == "true",
        unranked=shown.stats.get("unranked", ""),
        timings_ms={name.removesuffix("_ms"): float(took) for name, took in shown.stats.items() if name.endswith("_ms")},
    )


@dataclass(frozen=True, slots=True)
class _Found:
    """``shown``: as a prompt gets it.  ``placed``: with a place for every candidate.  ``similar``: without the floor."""

    shown: FactsResponse
    placed: FactsResponse
    similar: FactsResponse
    zone: tzinfo

    @property
    def folded_ids(self) -> list[str]:
        """Candidates for which there is no place, however many there are."""
        places = {fact.id for fact in (*self.placed.facts, *self.shown.facts)}
        return [each for each in self.shown.candidate_ids if each not in places]

    def candidates(self, access: Access, folded: Sequence[Fact]) -> Iterable[Candidate]:
        in_prompt = {fact.id for fact in self.shown.facts}
        known = {*self.shown.candidate_ids, *in_prompt}
        cut = [fact for fact in self.placed.facts if fact.id not in in_prompt]
        base = dict[str, float]()
        if BASE in (names := self.shown.feature_names):
            column = self.shown.features[names.index(BASE) :: len(names)]
            base = dict(zip(self.shown.candidate_ids, column, strict=False))
        for fact in self.shown.facts:
            yield self._candidate(access, fact, "shown")
        for fact in cut:
            yield self._candidate(access, fact, "cut")
        for fact in folded:
            place = next((other.id for other in (*self.shown.facts, *cut) if _origins(other) & _origins(fact)), "")
            row: dict[str, object] = dict.fromkeys(("score", "similarity", "probability", "rank_before", "why"))
            row |= {"retrieval_score": base.get(fact.id), "folded_into": place}
            yield self._candidate(access, fact, "folded").model_copy(update=row)
        for fact in self.similar.facts:
            if fact.id not in known:
                yield self._candidate(access, fact, "dissimilar")

    def _candidate(self, access: Access, fact: Fact, state: CandidateState) -> Candidate:
        memory = answers.Memory.from_search(fact, access, why=True, zone=self.zone)
        return Candidate(**memory.model_dump(), state=state, retrieval_score=fact.retrieval_score)


def _origins(fact: Fact) -> set[str]:
    """Ids of a record and of what it was derived from: two that share one can share a place."""
    return {fact.id, *fact.turn_ids, *filter(None, fact.metadata.get(SOURCES, "").split(","))}


@ROUTES.route("GET", "/v1/memories/{id}/dependents", tag="memories", errors=(404,))
async def dependents(access: Access, id: str) -> answers.Dependents:
    """What an erasure of this memory concerns: memories derived from it, and answers that repeat it."""
    fact = await existing(access, id)
    found = await access.call(FindRepeats(ids=[fact.id]))
    return answers.Dependents(
        derived=int(found.stats.get("derived", 0)),
        repeats=[answers.Memory.of(each, access) for each in found.facts],
    )
