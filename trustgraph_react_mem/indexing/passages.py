"""From facts to index points: collect neighbouring turns, embed texts, and reuse vectors of unchanged texts."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from ..memory.ports import Embedder, FactGraph, IndexPoint, Vector
from ..memory.records import Fact
from ..memory.scope import Scope
from .document import WITHOUT_VECTOR, IndexDocument, fact_document
from .embedding import Embedded, embed_texts
from .routing import EmbeddingIndex, UnavailableEmbedder
from .token_signs import TOKENS, write_signs

BEFORE = 2  # previous turns in the context of a turn
AFTER = 1  # following turns in the context of a turn
EMBED_TEXTS = 128  # texts per call of the embedder
DOCUMENTS_AT_ONCE = 4  # made without letting other tasks run


async def embed_documents(keys: Sequence[IndexDocument], embedder: Embedder) -> list[IndexPoint]:
    """Embed documents, each distinct text once.

    Vectors are zero (keyword search only) for a model that is not available, and for texts that the model refuses; these
    points are marked (``WITHOUT_VECTOR``).  A refused context is replaced by the text itself.

    Raises: ModelUnavailable.
    """
    blank = np.zeros(embedder.profile.dimension, np.float32)
    if isinstance(embedder, UnavailableEmbedder):
        return [each.point(dict.fromkeys(each.texts, blank)) for each in keys]
    texts = list(dict.fromkeys(text for each in keys for text in each.texts.values()))
    found: dict[str, Embedded | None] = {}
    for start in range(0, len(texts), EMBED_TEXTS):
        found |= await embed_texts(embedder, texts[start : start + EMBED_TEXTS], role="passage")
    return [_point(each, found, blank) for each in keys]


def _point(document: IndexDocument, embedded: Mapping[str, Embedded | None], blank: Vector) -> IndexPoint:
    own = embedded[document.texts["text"]]
    if own is None:
        point = document.point(dict.fromkeys(document.texts, blank))
        return replace(point, payload={**point.payload, **WITHOUT_VECTOR})
    found = {name: embedded[text] or own for name, text in document.texts.items()}
    point = document.point({name: each.vector for name, each in found.items()})
    if own.tokens is None or point.payload.get("kind") == "episode":  # episodes are few and ranked without tokens
        return point
    return replace(point, payload={**point.payload, TOKENS: write_signs(own.tokens)})


async def turn_documents(turns: Sequence[Fact], wanted: Mapping[str, Fact]) -> dict[str, IndexDocument]:
    """Documents of the ``wanted`` turns by id.  ``turns``: the turns of one conversation, in order."""
    found = {}
    for place, turn in enumerate(turns):
        if turn.id in wanted:
            found[turn.id] = fact_document(
                wanted[turn.id],
                previous=turns[max(0, place - BEFORE) : place],
                following=turns[place + 1 : place + 1 + AFTER],
            )
            await _let_others_run(len(found))
    return found


async def _let_others_run(made: int) -> None:
    """A document of a long text takes some milliseconds, and an import makes hundreds of them."""
    if made % DOCUMENTS_AT_ONCE == 0:
        await asyncio.sleep(0)


async def documents_of(
    scope: Scope, facts: Sequence[Fact], graph: FactGraph
) -> tuple[list[IndexDocument], list[IndexDocument]]:
    """Documents of the facts, in order; and new documents of the indexed turns just before them, whose context changed."""
    found: dict[str, IndexDocument] = {}
    before: dict[str, IndexDocument] = {}
    by_source: dict[str, dict[str, Fact]] = {}
    for fact in facts:
        if fact.kind == "turn" and fact.source:
            by_source.setdefault(fact.source, {})[fact.id] = fact
        else:
            found[fact.id] = fact_document(fact)
            await _let_others_run(len(found))
    for source, wanted in by_source.items():
        positions = [fact.position for fact in wanted.values()]
        first, last = min(positions), max(positions)
        around = await graph.turns_near(scope, source, first - AFTER - BEFORE, last + AFTER)
        found |= await turn_documents(around, wanted)
        neighbours = {turn.id: turn for turn in around if first - AFTER <= turn.position < first and turn.indexed}
        before |= await turn_documents(around, neighbours)
        for fact in wanted.values():  # turns that are not active have no neighbours
            found.setdefault(fact.id, fact_document(fact))
    return [found[fact.id] for fact in facts], list(before.values())


async def reuse_vectors(scope: Scope, keys: Sequence[IndexDocument], space: EmbeddingIndex) -> list[IndexPoint]:
    """Make points, and reuse vectors from the index if the text has not changed."""
    there = {point.id: point for point in await space.index.fetch(scope, [each.id for each in keys], with_vectors=True)}
    points: list[IndexPoint] = []
    changed: list[IndexDocument] = []
    for each in keys:
        old = there.get(each.id)
        if (
            old is not None
            and set(old.vectors) == set(each.texts)
            and all(old.payload.get(name) == each.payload.get(name) for name in ("content", "speaker"))
        ):
            point = each.point(old.vectors)
            kept = {name: old.payload[name] for name in (TOKENS, *WITHOUT_VECTOR) if name in old.payload}
            points.append(replace(point, payload={**point.payload, **kept}))
        else:
            changed.append(each)
    return [*points, *await embed_documents(changed, space.embedder)]
