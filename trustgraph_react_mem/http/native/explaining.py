"""`/v1/memories/explain`: what a question reaches and why; `/v1/memories/{id}/dependents`: what its erasure concerns."""

import asyncio
from dataclasses import replace

from ...memory.requests import FindRepeats, GetFacts, RetrieveFacts
from ...memory.timefmt import read_zone
from ...schema import Fact, FactsResponse
from ..access import Access
from . import answers, models
from .answers import Candidate
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

    Three retrievals: as a prompt gets it, with a place for every candidate, and without the similarity floor.
    """
    candidates = max(body.candidates, body.limit)
    asked = copy_fields(RetrieveFacts, body, top_k=body.limit, candidates=candidates, rules=RULES, kinds=body.types)
    wide = replace(asked, top_k=candidates, rules=0)
    shown, placed, similar = await asyncio.gather(
        access.call(asked), access.call(wide), access.call(replace(wide, threshold=LEAST))
    )
    in_prompt = {fact.id for fact in shown.facts}
    cut = [fact for fact in placed.facts if fact.id not in in_prompt]
    places = [*shown.facts, *cut]
    known = {*shown.candidate_ids, *in_prompt}
    without_place = [each for each in shown.candidate_ids if each not in {fact.id for fact in places}]
    folded = (await access.call(GetFacts(ids=without_place))).facts if without_place else []
    zone, base = read_zone(body.timezone), _base_scores(shown)

    def candidate(fact: Fact, state: answers.CandidateState, **more: object) -> Candidate:
        memory = answers.Memory.of(fact, access, zone, answers.RANKED + answers.REASONS)
        return Candidate(**memory.model_dump(), state=state, retrieval_score=fact.retrieval_score).model_copy(update=more)

    def fold(fact: Fact) -> Candidate:
        into = next((place.id for place in places if _origins(place) & _origins(fact)), "")
        unranked = dict.fromkeys(answers.RANKED + answers.REASONS)
        return candidate(fact, "folded", **unranked, retrieval_score=base.get(fact.id), folded_into=into)

    return answers.Explained(
        results=[
            *(candidate(fact, "shown") for fact in shown.facts),
            *(candidate(fact, "cut") for fact in cut),
            *map(fold, folded),
            *(candidate(fact, "dissimilar") for fact in similar.facts if fact.id not in known),
        ],
        rules=[answers.Memory.of(fact, access) for fact in shown.rules],
        policy_version=shown.policy_version,
        abstained=shown.stats.get("abstained") == "true",
        unranked=shown.stats.get("unranked", ""),
        timings_ms={name.removesuffix("_ms"): float(took) for name, took in shown.stats.items() if name.endswith("_ms")},
    )


def _base_scores(found: FactsResponse) -> dict[str, float]:
    """Candidate -> its score before the learned part."""
    if BASE not in (names := found.feature_names):
        return {}
    return dict(zip(found.candidate_ids, found.features[names.index(BASE) :: len(names)], strict=False))


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
