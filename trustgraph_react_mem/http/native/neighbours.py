"""`/v1/memories/{id}/neighbours`: what a memory is connected with, as a small graph.

Everything is read with the caller's own requests, so no node is of another user.
"""

from collections.abc import Iterable
from typing import Literal

from aiohttp import web
from pydantic import BaseModel, Field

from ...memory.requests import GetFacts, ListFacts, RetrieveFacts
from ...schema import Fact
from ..access import Access
from . import answers, models
from .memories import existing
from .routing import Answer, Routes
from .scoped import note_switches, reach

MOST_READ = 500  # records of one listing
MOST_SIMILAR = 20  # memories, also of those about each name
MOST_NAMES = 5
READABLE = ("active", "superseded")  # what was undone or is held back is not a neighbour


Relation = Literal["derived from", "replaced by", "said in", "about the same", "similar"]


ROUTES = Routes()


class Connection(BaseModel):
    """``source`` is ``relation`` ``target``: ids of memories, or of the conversation."""

    source: str
    target: str
    relation: Relation
    label: str = Field("", description="The things that both memories are about.")


class Neighbours(BaseModel):
    memories: list[answers.Memory] = Field(description="The memory itself first.")
    conversation_id: str | None
    connections: list[Connection]
    left_out: int = Field(description="Number of connections that did not fit in `limit`.")


@ROUTES.route("GET", "/v1/memories/{id}/neighbours", tag="memories", answers={200: Neighbours}, errors=(403, 404))
async def neighbours(request: web.Request, query: models.NeighboursQuery, body: None) -> Answer:
    """What a memory was derived from, replaced, is similar to, and was said with.

    First what it was derived from and what replaced it, then its conversation, what is about the same, and what is similar.
    """
    access = await reach(request, query)
    centre = await existing(request, access)
    graph = _Graph(access, centre, query.limit)
    replaced = await access.call(ListFacts(status="superseded", limit=MOST_READ))
    note_switches(request, replaced)
    said = (await access.call(ListFacts(source=centre.source, limit=MOST_READ))).facts if centre.source else []
    listed = {fact.id: fact for fact in (*replaced.facts, *said)}
    await graph.follow(centre, listed)
    graph.add_conversation(said)
    for name in centre.entities[:MOST_NAMES]:
        graph.add_similar((await access.call(ListFacts(about=name, limit=MOST_SIMILAR))).facts)
    similar = await access.call(RetrieveFacts(query=centre.content, top_k=MOST_SIMILAR, candidates=MOST_SIMILAR))
    graph.add_similar(similar.facts)
    return graph.answer()


class _Graph:
    def __init__(self, access: Access, centre: Fact, most: int) -> None:
        self._access, self._centre, self._most = access, centre, most
        self._facts = {centre.id: centre}
        self._edges: dict[tuple[str, str, str], Connection] = {}
        self._conversation = ""
        self._left_out = 0

    async def follow(self, centre: Fact, listed: dict[str, Fact]) -> None:
        """What the memory was made from, what was made from it, what it replaced, and what replaced it."""
        wanted = [*centre.turn_ids, *([centre.superseded_by] if centre.superseded_by else [])]
        if missing := [record for record in wanted if record not in listed][:MOST_READ]:
            listed |= {fact.id: fact for fact in (await self._access.call(GetFacts(ids=missing))).facts}
        for fact in listed.values():
            if fact.id in centre.turn_ids:
                self._connect(fact, centre.id, fact.id, "derived from")
            if centre.id in fact.turn_ids:
                self._connect(fact, fact.id, centre.id, "derived from")
            if fact.superseded_by == centre.id:
                self._connect(fact, fact.id, centre.id, "replaced by")
            if fact.id == centre.superseded_by:
                self._connect(fact, centre.id, fact.id, "replaced by")

    def add_conversation(self, said: Iterable[Fact]) -> None:
        if not self._centre.source:
            return
        self._conversation = self._centre.source
        for fact in (self._centre, *said):
            self._connect(fact, fact.id, self._conversation, "said in")

    def add_similar(self, found: Iterable[Fact]) -> None:
        for fact in found:
            if fact.id != self._centre.id:
                common = sorted(set(fact.entities) & set(self._centre.entities))
                self._connect(fact, self._centre.id, fact.id, "about the same" if common else "similar", ", ".join(common[:5]))

    def _connect(self, fact: Fact, source: str, target: str, relation: Relation, label: str = "") -> None:
        if fact.id not in self._facts:
            if fact.status not in READABLE:
                return
            if len(self._facts) + bool(self._conversation) >= self._most:
                self._left_out += 1
                return
            self._facts[fact.id] = fact
        self._edges[source, target, relation] = Connection(source=source, target=target, relation=relation, label=label)

    def answer(self) -> Neighbours:
        user, collection = self._access.user, self._access.collection
        return Neighbours(
            memories=[answers.Memory.of(fact, user, collection) for fact in self._facts.values()],
            conversation_id=self._conversation or None,
            connections=list(self._edges.values()),
            left_out=self._left_out,
        )
