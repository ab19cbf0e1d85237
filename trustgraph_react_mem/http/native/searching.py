"""Search with filters, in mem0's filter language."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ...errors import NotPermitted
from ...memory.requests import RetrieveFacts
from ...schema import Fact, FactsResponse
from ..access import Access
from ..mem0.filters import Filter, parse_filters
from ..mem0.objects import memory_objects
from ..peer_records import list_facts

MOST_RANKED = 500  # of one retrieval


async def find_facts(access: Access, request: RetrieveFacts, filters: dict[str, Any] | None) -> FactsResponse:
    """The best memories for a question, of those that the filters let through.

    Raises: BadRequest (filters that are not understood), NotPermitted (they name another user).
    """
    chosen = parse_filters(filters)
    if others := sorted(chosen.users - {access.user, "*"}):
        raise NotPermitted(f"filters name the user {others[0][:60]!r}, and the request concerns {access.user!r}: leave it out")
    if chosen.trivial:
        return await access.call(request)
    wide = replace(request, top_k=MOST_RANKED, candidates=MOST_RANKED)
    response = await access.call(wide)
    facts = await _passing(access, response.facts, chosen)
    if len(facts) < request.top_k and len(response.facts) == MOST_RANKED:
        # The best memories of all do not suffice: rank only those that the filters let through.
        everything = await list_facts(access)
        through = {fact.id for fact in await _passing(access, everything, chosen)}
        without = [fact.id for fact in everything if fact.id not in through]
        facts = await _passing(access, (await access.call(replace(wide, exclude=without))).facts, chosen)
    return replace(response, facts=facts[: request.top_k])


async def _passing(access: Access, facts: Sequence[Fact], chosen: Filter) -> list[Fact]:
    objects = await memory_objects(access, facts)
    return [fact for fact, memory in zip(facts, objects, strict=True) if chosen(memory)]
