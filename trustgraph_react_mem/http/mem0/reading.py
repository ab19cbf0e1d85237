"""Searching and listing memories in mem0's terms."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from multidict import MultiMapping

from ...errors import BadRequest
from ...memory.requests import RetrieveFacts
from ...memory.timefmt import format_time
from ...schema import Fact
from ..access import Access
from ..peer_records import list_facts, visible
from ..request_body import flag_of, number_of, share_of, text_of, texts_of
from .filters import Filter, parse_filters, read_moment
from .ids import ACCOUNT_FIELDS, ID_FIELDS, Ids
from .objects import is_expired, memory_objects, scores, with_changes

TOP_K, MOST_RESULTS, THRESHOLD = 10, 1000, 0.1  # mem0's defaults
MOST_RANKED = 500  # of one retrieval
ANY_SIMILARITY = 1e-9  # 0 means the floor of the embedding model
PAGE_SIZE, MOST_PAGE = 100, 1000
#: ``latest_only`` and ``keyword_search`` need no code: what they ask for is what is always done.
COMMON = (
    *ID_FIELDS, *ACCOUNT_FIELDS, "filters", "metadata", "categories", "start_date", "end_date", "keywords", "latest_only",
    "keyword_search", "top_k", "limit", "fields",
)  # fmt: skip
SEARCH_FIELDS = (*COMMON, "query", "threshold", "rerank", "reference_date", "explain")
LIST_FIELDS = (*COMMON, "page", "page_size", "show_expired")

Found = tuple[Fact, dict[str, Any]]  # a memory and its object, perhaps without the time of its last change


def read_filter(body: Mapping[str, Any], ids: Ids) -> Filter:
    """All that narrows a request: its filters, its ids at the top, metadata, categories and dates.  Raises: BadRequest."""
    given = body.get("filters")
    if given is not None and not isinstance(given, Mapping):
        return parse_filters(given)  # raises
    parts: list[Mapping[str, Any]] = [given] if given is not None else []
    parts += [{name: value} for name, value in ids.items()]
    if body.get("metadata") is not None:
        parts.append({"metadata": body["metadata"]})
    if categories := texts_of(body, "categories"):
        parts.append({"categories": {"in": categories}})
    if keywords := text_of(body, "keywords"):
        parts.append({"keywords": keywords})
    for name, operator in (("start_date", "gte"), ("end_date", "lte")):
        if body.get(name) is not None:
            parts.append({"created_at": {operator: format_time(read_moment(name, body[name]))}})
    return parse_filters({"AND": parts} if parts else {})


def _limit(body: Mapping[str, Any], name: str, default: int, most: int) -> int:
    return number_of(body, name, number_of(body, "limit", default, 1, most), 1, most)


async def search(access: Access, body: Mapping[str, Any], chosen: Filter) -> list[dict[str, Any]]:
    """Memory objects with scores, best first.  Raises: BadRequest."""
    top_k, threshold = _limit(body, "top_k", TOP_K, MOST_RESULTS), share_of(body, "threshold", THRESHOLD)
    moment, fields = body.get("reference_date"), texts_of(body, "fields")
    wanted = min(top_k, MOST_RANKED) if chosen.trivial else MOST_RANKED
    request = RetrieveFacts(
        query=text_of(body, "query", needed=True),
        top_k=wanted,
        candidates=max(20, wanted),
        threshold=max(threshold, ANY_SIMILARITY),
        rerank="" if flag_of(body, "rerank", False) else "off",
        asked_at="" if moment is None else format_time(read_moment("reference_date", moment)),
    )

    async def rank(without: Sequence[str] = ()) -> tuple[int, list[Found]]:
        facts = (await access.call(replace(request, exclude=without))).facts
        objects = await memory_objects(access, facts, dated=chosen.dated)
        ranked = zip(facts, objects, scores(facts), strict=True)
        return len(facts), [
            (fact, memory | score) for fact, memory, score in ranked if score["score"] >= threshold and chosen(memory)
        ]

    count, found = await rank()
    if len(found) < top_k and count == MOST_RANKED and not chosen.trivial:
        # The best memories of all do not suffice: rank only those that the filter lets through.
        everything = await list_facts(access)
        kept = {fact.id for fact, _ in await choose(access, everything, chosen, everything)}
        _, found = await rank([fact.id for fact in everything if fact.id not in kept])
    return await _show(access, found[:top_k], fields, chosen)


async def list_page(access: Access, body: Mapping[str, Any], chosen: Filter) -> tuple[int, int, int, list[dict[str, Any]]]:
    """Number of memories that the filter lets through, number of the page, its size, and its memories.  Raises: BadRequest."""
    size, page = _limit(body, "page_size", PAGE_SIZE, MOST_PAGE), number_of(body, "page", 1, 1, 10**6)
    given = body.get("fields")
    fields = given.split(",") if isinstance(given, str) and given else texts_of(body, "fields") if given else []
    show_expired, now = flag_of(body, "show_expired", False), datetime.now(UTC)
    everything = await list_facts(access)
    facts = [fact for fact in visible(everything) if show_expired or not is_expired(fact, now)]
    first, last = (page - 1) * size, page * size
    if chosen.trivial:
        found = await choose(access, facts[first:last], chosen, everything)
        return len(facts), page, size, await _show(access, found, fields, chosen)
    found = await choose(access, facts, chosen, everything)
    return len(found), page, size, await _show(access, found[first:last], fields, chosen)


async def choose(access: Access, facts: Sequence[Fact], chosen: Filter, known: Sequence[Fact]) -> list[Found]:
    """The facts that the filter lets through.  ``known``: as in ``memory_objects``."""
    found = zip(facts, await memory_objects(access, facts, known, dated=chosen.dated), strict=True)
    return [(fact, memory) for fact, memory in found if chosen(memory)]


async def _show(access: Access, found: Sequence[Found], fields: Sequence[str], chosen: Filter) -> list[dict[str, Any]]:
    """The objects as an answer has them: all ``fields``, or only these and the id."""
    objects = [memory for _, memory in found]
    if not chosen.dated:  # else they have the times of their changes already
        objects = await with_changes(access, [fact for fact, _ in found], objects)
    return [{name: each[name] for name in each if name in ("id", *fields)} if fields else each for each in objects]


async def entities(access: Access) -> list[dict[str, Any]]:
    """The user and the agents, apps and runs of the memories.  The user is last, because deleting it deletes the others."""
    everything = await list_facts(access)
    memories = await memory_objects(access, visible(everything), everything, dated=False)
    found: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for kind in ("run", "agent", "app"):
        for memory in memories:
            if name := memory[f"{kind}_id"]:
                found.setdefault((kind, name), []).append(memory)
    found["user", access.user] = memories
    return [
        {
            "id": f"{kind}:{name}",
            "name": name,
            "type": kind,
            "owner": access.user,
            "created_at": min((memory["created_at"] for memory in of), default=None),
            "updated_at": max((memory["created_at"] for memory in of), default=None),
            "total_memories": len(of),
            "metadata": {},
        }
        for (kind, name), of in found.items()
    ]


def refuse_unknown(query: MultiMapping[str], allowed: Sequence[str]) -> None:
    """Raises: BadRequest (a parameter that has no meaning here or comes twice, which may be meant as a filter)."""
    if repeated := {name for name in query if len(query.getall(name)) > 1}:
        raise BadRequest(f"the query has {min(repeated)[:60]!r} twice: give it once")
    if unknown := sorted(set(query) - set(allowed)):
        raise BadRequest(f"the query has an unknown parameter {unknown[0][:60]!r}: use one of {', '.join(allowed)}")
