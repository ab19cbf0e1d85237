"""Searching and listing memories in mem0's terms."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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
from .objects import add_scores, is_expired, memory_objects, with_changes

TOP_K, MOST_RESULTS, THRESHOLD = 10, 1000, 0.1  # mem0's defaults
MOST_RANKED = 500  # of one retrieval
ANY_SIMILARITY = 1e-9  # 0 means the floor of the embedding model
PAGE_SIZE = 100
NARROWING = (*ID_FIELDS, "filters", "metadata", "categories", "start_date", "end_date", "keywords")
#: Fields that need no code: what they ask for is what is always done.
ALWAYS = (*ACCOUNT_FIELDS, "latest_only", "keyword_search")
SEARCH_FIELDS = (
    *NARROWING,
    *ALWAYS,
    *["query", "top_k", "limit", "threshold", "rerank", "reference_date", "fields", "explain"],
)
LIST_FIELDS = (*NARROWING, *ALWAYS, *["page", "page_size", "limit", "top_k", "fields", "show_expired"])

Found = tuple[Fact, dict[str, Any]]  # a memory and its object, perhaps without the time of its last change


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchQuestion:
    """A search request.  ``rerank``: by the learned ranking, too."""

    query: str
    top_k: int
    threshold: float
    rerank: bool
    asked_at: str
    chosen: Filter
    fields: tuple[str, ...]


def read_filter(body: Mapping[str, Any], ids: Ids) -> Filter:
    """All that narrows a request: its filters, its ids at the top, metadata, categories and dates.  Raises: BadRequest."""
    parts: list[dict[str, Any]] = []
    if body.get("filters") is not None:
        parts.append(body["filters"])
    parts += [{name: value} for name in ID_FIELDS if (value := getattr(ids, name))]
    if body.get("metadata") is not None:
        parts.append({"metadata": body["metadata"]})
    if categories := texts_of(dict(body), "categories"):
        parts.append({"categories": {"in": categories}})
    if keywords := text_of(dict(body), "keywords"):
        parts.append({"keywords": keywords})
    for name, operator in (("start_date", "gte"), ("end_date", "lte")):
        if body.get(name) is not None:
            parts.append({"created_at": {operator: format_time(read_moment(name, body[name]))}})
    if parts and not isinstance(parts[0], Mapping):
        return parse_filters(parts[0])  # raises
    return parse_filters({"AND": parts} if parts else {})


def read_question(body: dict[str, Any], ids: Ids) -> SearchQuestion:
    """Raises: BadRequest."""
    query = text_of(body, "query", needed=True)
    top_k = number_of(body, "top_k", number_of(body, "limit", TOP_K, 1, MOST_RESULTS), 1, MOST_RESULTS)
    moment = body.get("reference_date")
    return SearchQuestion(
        query=query,
        top_k=top_k,
        threshold=share_of(body, "threshold", THRESHOLD),
        rerank=flag_of(body, "rerank", False),
        asked_at="" if moment is None else format_time(read_moment("reference_date", moment)),
        chosen=read_filter(body, ids),
        fields=tuple(texts_of(body, "fields")),
    )


async def search(access: Access, question: SearchQuestion) -> list[dict[str, Any]]:
    """Memory objects with scores, best first."""
    wanted = question.top_k if question.chosen.trivial else MOST_RANKED
    ranked = await _rank(access, question, wanted)
    found = _choose(question, ranked)
    if len(found) < question.top_k and len(ranked) == MOST_RANKED and not question.chosen.trivial:
        # The best memories of all do not suffice: rank only those that the filter lets through.
        everything = await list_facts(access)
        kept = {fact.id for fact, _ in await choose(access, everything, question.chosen, everything)}
        others = [fact.id for fact in everything if fact.id not in kept]
        found = _choose(question, await _rank(access, question, wanted, others))
    return await show(access, found[: question.top_k], question.fields, dated=question.chosen.dated)


def _choose(question: SearchQuestion, ranked: Sequence[Found]) -> list[Found]:
    return [found for found in ranked if found[1]["score"] >= question.threshold and question.chosen(found[1])]


async def _rank(access: Access, question: SearchQuestion, wanted: int, without: Sequence[str] = ()) -> list[Found]:
    top_k = min(wanted, MOST_RANKED)
    request = RetrieveFacts(
        query=question.query,
        top_k=top_k,
        candidates=max(20, top_k),
        threshold=max(question.threshold, ANY_SIMILARITY),
        rerank="" if question.rerank else "off",
        asked_at=question.asked_at,
        exclude=without,
    )
    facts: list[Fact] = (await access.call(request)).facts
    objects = await memory_objects(access, facts, dated=question.chosen.dated)
    return list(zip(facts, add_scores(objects, facts), strict=True))


async def list_memories(access: Access, chosen: Filter, *, show_expired: bool = False) -> list[Found]:
    """All memories that the filter lets through, newest first."""
    everything, now = await list_facts(access), datetime.now(UTC)
    facts = [fact for fact in visible(everything) if show_expired or not is_expired(fact, now)]
    return await choose(access, facts, chosen, everything)


async def choose(access: Access, facts: Sequence[Fact], chosen: Filter, known: Sequence[Fact] = ()) -> list[Found]:
    """The facts that the filter lets through.  ``known``: as in ``memory_objects``."""
    found = zip(facts, await memory_objects(access, facts, known, dated=chosen.dated), strict=True)
    return [(fact, memory) for fact, memory in found if chosen(memory)]


async def show(access: Access, found: Sequence[Found], fields: Sequence[str], *, dated: bool) -> list[dict[str, Any]]:
    """The objects as an answer has them.  ``dated``: the filter has read the times of their changes already."""
    objects = [memory for _, memory in found]
    if not dated:
        objects = await with_changes(access, [fact for fact, _ in found], objects)
    return [pick(memory, fields) for memory in objects]


def pick(memory: dict[str, Any], fields: Sequence[str]) -> dict[str, Any]:
    """Only these fields of a memory object, and always its id.  None: all."""
    return {name: value for name, value in memory.items() if name in ("id", *fields)} if fields else memory


def refuse_unknown(query: MultiMapping[str], allowed: Sequence[str]) -> None:
    """Raises: BadRequest (a parameter that has no meaning here or comes twice, which may be meant as a filter)."""
    if repeated := {name for name in query if len(query.getall(name)) > 1}:
        raise BadRequest(f"the query has {min(repeated)[:60]!r} twice: give it once")
    if unknown := sorted(set(query) - set(allowed)):
        raise BadRequest(f"the query has an unknown parameter {unknown[0][:60]!r}: use one of {', '.join(allowed)}")
