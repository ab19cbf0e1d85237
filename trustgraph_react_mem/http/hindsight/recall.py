"""Recall by our retrieval, and reflect by the agent."""

from collections.abc import Mapping
from typing import Any

from aiohttp import web

from ...bus.client_specs import raise_error
from ...errors import BadRequest
from ...memory.requests import RetrieveEpisodes, RetrieveFacts
from ...memory.timefmt import format_time, parse_time
from ...memory.tokens import count_tokens
from ...refine.plan import read_options
from ...schema import AgentRequest, Fact, MemoryOptions, RefineOptions
from ...turn_trace import TurnTrace
from ..access import Access
from ..peer_records import reply
from ..request_body import number_of, quote_value, share_of, text_of, texts_of
from .objects import MATCHES, TYPES, episode_result, has_tags, labels_of, recall_result, type_of
from .replies import bank_and_body, find_set, refuse

RESULTS: Mapping[str, int] = {"low": 10, "mid": 20, "high": 50}
MOST_RANKED = 500
MAX_TOKENS, MOST_TOKENS = 4096, 1_000_000
WITHOUT_EFFECT = ("prefer_observations", "trace")
INCLUDED = ("chunks", "source_facts")  # nothing of the kind is kept apart from the memories


async def recall(request: web.Request) -> web.Response:
    access, body = await bank_and_body(request)
    refuse(body, ("tag_groups", "temporal_window"), "it narrows what is found")
    types = texts_of(body, "types") or list(TYPES)
    if wrong := [each for each in types if each not in TYPES]:
        raise BadRequest(f"types has {wrong[0][:60]!r}: use {', '.join(TYPES)}")
    included = find_set(_object(body, "include"), INCLUDED)
    results = await _facts(access, body, types) if set(types) & {"world", "observation"} else []
    if "experience" in types and not _tags(body)[0]:
        found = await access.call(RetrieveEpisodes(query=text_of(body, "query", needed=True)))
        results += [episode_result(episode) for episode in found.episodes]
    fitting: list[dict[str, Any]] = []
    left = number_of(body, "max_tokens", MAX_TOKENS, 1, MOST_TOKENS)
    for result in results:
        left -= count_tokens(result["text"])
        if left < 0 and fitting:
            break
        fitting.append(result)
    return reply({"results": fitting}, [*find_set(body, WITHOUT_EFFECT), *(f"include.{name}" for name in included)])


async def _facts(access: Access, body: dict[str, Any], types: list[str]) -> list[dict[str, Any]]:
    most = RESULTS[_budget(body, "mid")]
    tags, match = _tags(body)
    narrowed = bool(tags) or match == "exact" or set(types) < {"world", "observation"}
    least = _least(body)
    request = RetrieveFacts(
        query=text_of(body, "query", needed=True),
        top_k=MOST_RANKED if narrowed else most,
        candidates=MOST_RANKED if narrowed else most,
        asked_at=_moment(body, "query_timestamp"),
    )
    facts: list[Fact] = [fact for fact in (await access.call(request)).facts if type_of(fact) in types]
    pairs = zip(facts, await labels_of(access, facts), strict=True)
    chosen = [(fact, labels) for fact, labels in pairs if has_tags(labels, tags, match) and fact.similarity >= least]
    return [_score(fact, recall_result(fact, labels)) for fact, labels in chosen[:most]]


def _score(fact: Fact, result: dict[str, Any]) -> dict[str, Any]:
    return {**result, "scores": {"final": round(fact.score, 6), "semantic": round(fact.similarity, 6)}}


def _budget(body: dict[str, Any], default: str) -> str:
    budget = body.get("budget") or default
    if not isinstance(budget, str) or budget not in RESULTS:
        raise BadRequest(f"budget {quote_value(budget)} is not one of {', '.join(RESULTS)}")
    return budget


def _tags(body: dict[str, Any]) -> tuple[list[str], str]:
    match = body.get("tags_match") or "any"
    if match not in MATCHES:
        raise BadRequest(f"tags_match {quote_value(match)} is not one of {', '.join(MATCHES)}")
    return texts_of(body, "tags"), match


def _least(body: dict[str, Any]) -> float:
    """The least similarity that ``min_scores`` asks for."""
    wanted = _object(body, "min_scores")
    refuse(wanted, [name for name in wanted if name != "semantic"], "only min_scores.semantic can be compared")
    return share_of(wanted, "semantic", 0.0)


def _object(body: dict[str, Any], name: str) -> dict[str, Any]:
    wanted = body.get(name) or {}
    if not isinstance(wanted, dict):
        raise BadRequest(f"{name} {quote_value(wanted)} is not an object: send one, or leave it out")
    return wanted


def _moment(body: dict[str, Any], name: str) -> str:
    given_time = text_of(body, name)
    at = parse_time(given_time) if given_time else None
    if given_time and at is None:
        raise BadRequest(f"{name} {quote_value(given_time)} is not an ISO 8601 time: correct it, or leave it out")
    return format_time(at)


async def reflect(request: web.Request) -> web.Response:
    """The answer of the flow's agent from the bank's memories.  The question is not remembered.

    A high budget, or the field ``refine``, lets the agent check its answer and revise it.
    """
    access, body = await bank_and_body(request)
    refuse(body, ("tags", "tag_groups", "fact_types"), "the agent recalls from the whole bank")
    refuse(body, ("response_schema",), "the agent answers in text")
    budget = _budget(body, "low")
    question, context = text_of(body, "query", needed=True), text_of(body, "context")
    asked = AgentRequest(
        question=f"{question}\n\nContext: {context}" if context else question,
        streaming=True,
        memory=MemoryOptions(retrieval_limit=RESULTS[budget], auto_store=False),
        refine=read_options(body.get("refine")) or (RefineOptions(max_loops=1) if budget == "high" else None),
    )
    trace = TurnTrace(question=question)
    async for message in access.ask(asked):
        if message.end_of_dialog or message.error:
            raise_error(message.error)
        trace.feed(message)
    tokens = {"input_tokens": trace.in_tokens, "output_tokens": trace.out_tokens}
    answer = {
        "text": trace.answer,
        "based_on": {"memories": _list_cited(trace), "mental_models": [], "directives": []},
        "structured_output": None,
        "usage": {**tokens, "total_tokens": trace.in_tokens + trace.out_tokens},
    }
    return reply(answer, find_set(body, ("exclude_mental_models", "exclude_mental_model_ids", "apply_all_directives")))


def _list_cited(trace: TurnTrace) -> list[dict[str, Any]]:
    """The memories that the answer cites."""
    cited = set(trace.cited_ids)
    return [
        {"id": memory["id"], "text": str(memory.get("content", "")), "type": "world"}
        for memory in trace.memories
        if memory.get("id") in cited
    ]
