"""`/v1/conversations`, `/v1/episodes` and `/v1/rules`."""

from aiohttp import web

from ...errors import NotFound
from ...memory.requests import (
    EndConversation,
    GetConversation,
    GetEpisode,
    ListConversations,
    ListEpisodes,
    ListFacts,
    StoreEpisode,
    StoreFact,
)
from ...schema import ConversationMemory
from ..access import Access
from ..forgetting import erase
from . import answers, models
from .memories import receipt_of
from .routing import Answer, Routes
from .scoped import texts

ROUTES = Routes()


@ROUTES.route("GET", "/v1/conversations", tag="conversations", answers={200: answers.Conversations})
async def conversations(access: Access, query: models.Page) -> Answer:
    """List conversations, newest first, without their exchanges."""
    at = int(query.cursor or 0)
    response = await access.call(ListConversations(limit=query.limit, offset=at))
    return answers.Conversations(
        results=[_conversation(each) for each in response.conversations],
        count=response.count,
        next=_next(at, len(response.conversations), query.limit),
    )


@ROUTES.route("GET", "/v1/conversations/{id}", tag="conversations", answers={200: answers.ConversationOut}, errors=(404,))
async def conversation(request: web.Request, access: Access, query: models.TurnsQuery) -> Answer:
    """A conversation with its newest exchanges."""
    response = await access.call(GetConversation(conversation_id=request.match_info["id"], limit=query.limit))
    if response.conversation is None or not (response.conversation.invocations or response.success):
        raise NotFound("there is no such conversation here: GET /v1/conversations lists the ids")
    shown = _conversation(response.conversation)
    exchanges = [answers.copy(answers.Exchange, each, at=each.timestamp) for each in response.conversation.invocations]
    return shown.model_copy(update={"exchanges": exchanges})


def _conversation(found: ConversationMemory) -> answers.ConversationOut:
    shown = {name: value for name, value in found.metadata.items() if not name.startswith("why:")}  # for the command why
    return answers.ConversationOut(id=found.conversation_id, ended=found.ended, metadata=shown)


@ROUTES.route(
    "DELETE", "/v1/conversations/{id}", tag="conversations", answers={200: answers.Receipt, 202: answers.Receipt}, errors=(404,)
)
async def forget_conversation(request: web.Request, access: Access, query: models.ScopeFields) -> Answer:
    """Erase a conversation and what was learned from it, with a receipt."""
    erasure = await erase(access, "conversation", conversation_id=request.match_info["id"])
    if erasure.receipt and not erasure.found:
        raise NotFound("there is no such conversation here: GET /v1/conversations lists the ids")
    return receipt_of(erasure)


@ROUTES.route("POST", "/v1/conversations/{id}/end", tag="conversations", answers={200: answers.Done}, errors=(404,), once=True)
async def end_conversation(request: web.Request, access: Access, query: models.ScopeFields, body: models.ScopeFields) -> Answer:
    """End a conversation: what follows from it is learned now."""
    await access.call(EndConversation(conversation_id=request.match_info["id"]))
    return answers.Done()


@ROUTES.route("GET", "/v1/episodes", tag="episodes", answers={200: answers.Episodes})
async def episodes(access: Access, query: models.Page) -> Answer:
    """List episodes, newest first."""
    at = int(query.cursor or 0)
    response = await access.call(ListEpisodes(limit=query.limit, offset=at))
    return answers.Episodes(
        results=[answers.EpisodeOut.of(each) for each in response.episodes],
        count=response.count,
        next=_next(at, len(response.episodes), query.limit),
    )


@ROUTES.route("GET", "/v1/episodes/{id}", tag="episodes", answers={200: answers.EpisodeOut}, errors=(404,))
async def episode(request: web.Request, access: Access, query: models.ScopeFields) -> Answer:
    """One episode."""
    response = await access.call(GetEpisode(id=request.match_info["id"]))
    if not response.episodes:
        raise NotFound("there is no such episode here: GET /v1/episodes lists the ids")
    return answers.EpisodeOut.of(response.episodes[0])


@ROUTES.route("POST", "/v1/episodes", tag="episodes", answers={200: answers.EpisodeOut}, once=True)
async def add_episode(access: Access, body: models.NewEpisode) -> Answer:
    """Store an episode: a task with its steps and outcome."""
    response = await access.call(
        StoreEpisode(
            goal=body.goal,
            steps=body.steps,
            outcome=body.outcome,
            lessons=body.lessons,
            succeeded=body.succeeded,
            source=body.conversation_id,
            metadata=texts(body.metadata),
        )
    )
    return answers.EpisodeOut.of(response.episodes[0])


@ROUTES.route(
    "DELETE", "/v1/episodes/{id}", tag="episodes", answers={200: answers.Receipt, 202: answers.Receipt}, errors=(404,)
)
async def forget_episode(request: web.Request, access: Access, query: models.ScopeFields) -> Answer:
    """Erase an episode, with a receipt."""
    erasure = await erase(access, "record", ids=[request.match_info["id"]])
    if erasure.receipt and not erasure.found:
        raise NotFound("there is no such episode here: GET /v1/episodes lists the ids")
    return receipt_of(erasure)


@ROUTES.route("GET", "/v1/rules", tag="rules", answers={200: answers.Memories})
async def rules(access: Access, query: models.Page) -> Answer:
    """List rules, newest first. A rule is a memory: change and erase it under /v1/memories."""
    at = int(query.cursor or 0)
    response = await access.call(ListFacts(kinds=["procedural"], limit=query.limit, offset=at))
    return answers.Memories(
        results=[answers.Memory.of(fact, access.user, access.collection) for fact in response.facts],
        count=response.count,
        next=_next(at, len(response.facts), query.limit),
    )


@ROUTES.route("POST", "/v1/rules", tag="rules", answers={200: answers.Memory}, once=True)
async def add_rule(access: Access, body: models.NewRule) -> Answer:
    """Store a rule of the user."""
    content = f"{body.condition}: {body.action}" if body.condition else body.action
    stored = await access.call(StoreFact(content=content, kind="procedural", condition=body.condition, action=body.action))
    return answers.Memory.of(stored.facts[0], access.user, access.collection)


def _next(at: int, returned: int, limit: int) -> str | None:
    return str(at + returned) if returned == limit else None
