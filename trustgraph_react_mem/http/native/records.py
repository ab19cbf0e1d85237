"""`/v1/conversations`, `/v1/episodes`, `/v1/rules` and `/v1/profile`."""

from aiohttp import web

from ...errors import NotFound
from ...memory.requests import (
    EndConversation,
    GetConversation,
    GetEpisode,
    ListConversations,
    ListEpisodes,
    ListFacts,
    RetrieveFacts,
    StoreEpisode,
    StoreFact,
)
from ...schema import ConversationMemory
from ..forgetting import erase
from . import answers, models
from .memories import receipt_of
from .routing import Answer, Route
from .scoped import note_switches, reach, texts


async def conversations(request: web.Request, query: models.Page, body: None) -> Answer:
    access = await reach(request, query)
    at = int(query.cursor or 0)
    response = await access.call(ListConversations(limit=query.limit, offset=at))
    note_switches(request, response)
    return answers.Conversations(
        results=[_conversation(each) for each in response.conversations],
        count=response.count,
        next=_next(at, len(response.conversations), query.limit),
    )


async def conversation(request: web.Request, query: models.TurnsQuery, body: None) -> Answer:
    access = await reach(request, query)
    response = await access.call(GetConversation(conversation_id=request.match_info["id"], limit=query.limit))
    note_switches(request, response)
    if response.conversation is None or not (response.conversation.invocations or response.success):
        raise NotFound("there is no such conversation here: GET /v1/conversations lists the ids")
    shown = _conversation(response.conversation)
    exchanges = [
        answers.Exchange(id=each.id, query=each.query, result=each.result, summary=each.summary, at=each.timestamp)
        for each in response.conversation.invocations
    ]
    return shown.model_copy(update={"exchanges": exchanges})


def _conversation(found: ConversationMemory) -> answers.ConversationOut:
    shown = {name: value for name, value in found.metadata.items() if not name.startswith("why:")}  # for the command why
    return answers.ConversationOut(id=found.conversation_id, ended=found.ended, metadata=shown)


async def forget_conversation(request: web.Request, query: models.ScopeFields, body: None) -> Answer:
    access = await reach(request, query)
    erasure = await erase(access, "conversation", conversation_id=request.match_info["id"])
    if erasure.receipt and not erasure.found:
        raise NotFound("there is no such conversation here: GET /v1/conversations lists the ids")
    return receipt_of(erasure)


async def end_conversation(request: web.Request, query: models.ScopeFields, body: models.ScopeFields) -> Answer:
    access = await reach(request, query, body)
    await access.call(EndConversation(conversation_id=request.match_info["id"]))
    return answers.Done()


async def episodes(request: web.Request, query: models.Page, body: None) -> Answer:
    access = await reach(request, query)
    at = int(query.cursor or 0)
    response = await access.call(ListEpisodes(limit=query.limit, offset=at))
    note_switches(request, response)
    return answers.Episodes(
        results=[answers.EpisodeOut.of(each) for each in response.episodes],
        count=response.count,
        next=_next(at, len(response.episodes), query.limit),
    )


async def episode(request: web.Request, query: models.ScopeFields, body: None) -> Answer:
    access = await reach(request, query)
    response = await access.call(GetEpisode(id=request.match_info["id"]))
    note_switches(request, response)
    if not response.episodes:
        raise NotFound("there is no such episode here: GET /v1/episodes lists the ids")
    return answers.EpisodeOut.of(response.episodes[0])


async def add_episode(request: web.Request, query: models.Empty, body: models.NewEpisode) -> Answer:
    access = await reach(request, None, body)
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


async def forget_episode(request: web.Request, query: models.ScopeFields, body: None) -> Answer:
    access = await reach(request, query)
    erasure = await erase(access, "record", ids=[request.match_info["id"]])
    if erasure.receipt and not erasure.found:
        raise NotFound("there is no such episode here: GET /v1/episodes lists the ids")
    return receipt_of(erasure)


async def rules(request: web.Request, query: models.Page, body: None) -> Answer:
    access = await reach(request, query)
    at = int(query.cursor or 0)
    response = await access.call(ListFacts(kinds=["procedural"], limit=query.limit, offset=at))
    note_switches(request, response)
    return answers.Memories(
        results=[answers.Memory.of(fact, access.user, access.collection) for fact in response.facts],
        count=response.count,
        next=_next(at, len(response.facts), query.limit),
    )


async def add_rule(request: web.Request, query: models.Empty, body: models.NewRule) -> Answer:
    access = await reach(request, None, body)
    content = f"{body.condition}: {body.action}" if body.condition else body.action
    stored = await access.call(StoreFact(content=content, kind="procedural", condition=body.condition, action=body.action))
    return answers.Memory.of(stored.facts[0], access.user, access.collection)


async def profile(request: web.Request, query: models.ScopeFields, body: None) -> Answer:
    access = await reach(request, query)
    response = await access.call(RetrieveFacts(query="", top_k=0, profile=True))
    note_switches(request, response)
    found = response.profile
    return answers.Profile(profile=answers.Memory.of(found, access.user, access.collection) if found else None)


def _next(at: int, returned: int, limit: int) -> str | None:
    return str(at + returned) if returned == limit else None


ROUTES = [
    Route(
        method="GET",
        path="/v1/conversations",
        summary="List conversations, newest first, without their exchanges.",
        endpoint=conversations,
        tag="conversations",
        query=models.Page,
        answers={200: answers.Conversations},
    ),
    Route(
        method="GET",
        path="/v1/conversations/{id}",
        summary="A conversation with its newest exchanges.",
        endpoint=conversation,
        tag="conversations",
        query=models.TurnsQuery,
        answers={200: answers.ConversationOut},
        errors=(404,),
    ),
    Route(
        method="DELETE",
        path="/v1/conversations/{id}",
        summary="Erase a conversation and what was learned from it, with a receipt.",
        endpoint=forget_conversation,
        tag="conversations",
        query=models.ScopeFields,
        answers={200: answers.Receipt, 202: answers.Receipt},
        errors=(404,),
    ),
    Route(
        method="POST",
        path="/v1/conversations/{id}/end",
        summary="End a conversation: what follows from it is learned now.",
        endpoint=end_conversation,
        tag="conversations",
        query=models.ScopeFields,
        body=models.ScopeFields,
        answers={200: answers.Done},
        errors=(404,),
        once=True,
    ),
    Route(
        method="GET",
        path="/v1/episodes",
        summary="List episodes, newest first.",
        endpoint=episodes,
        tag="episodes",
        query=models.Page,
        answers={200: answers.Episodes},
    ),
    Route(
        method="POST",
        path="/v1/episodes",
        summary="Store an episode: a task with its steps and outcome.",
        endpoint=add_episode,
        tag="episodes",
        body=models.NewEpisode,
        answers={200: answers.EpisodeOut},
        once=True,
    ),
    Route(
        method="GET",
        path="/v1/episodes/{id}",
        summary="One episode.",
        endpoint=episode,
        tag="episodes",
        query=models.ScopeFields,
        answers={200: answers.EpisodeOut},
        errors=(404,),
    ),
    Route(
        method="DELETE",
        path="/v1/episodes/{id}",
        summary="Erase an episode, with a receipt.",
        endpoint=forget_episode,
        tag="episodes",
        query=models.ScopeFields,
        answers={200: answers.Receipt, 202: answers.Receipt},
        errors=(404,),
    ),
    Route(
        method="GET",
        path="/v1/rules",
        summary="List rules, newest first. A rule is a memory: change and erase it under /v1/memories.",
        endpoint=rules,
        tag="rules",
        query=models.Page,
        answers={200: answers.Memories},
    ),
    Route(
        method="POST",
        path="/v1/rules",
        summary="Store a rule of the user.",
        endpoint=add_rule,
        tag="rules",
        body=models.NewRule,
        answers={200: answers.Memory},
        once=True,
    ),
    Route(
        method="GET",
        path="/v1/profile",
        summary="The standing summary of the user; null if there is none.",
        endpoint=profile,
        tag="memories",
        query=models.ScopeFields,
        answers={200: answers.Profile},
    ),
]
