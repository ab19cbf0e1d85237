"""`/v1/conversations`, `/v1/episodes`, `/v1/rules`, and `/v1/topics`: what is known, grouped by what it is about."""

from pydantic import BaseModel, Field

from ...errors import NotFound
from ...memory import requests
from ...memory.records import TOPIC
from ...schema import ConversationMemory
from ..access import Access
from ..peer_records import erase
from . import answers, models
from .memories import receipt_of
from .routing import Answer, Routes, copy_fields

ROUTES = Routes()
_ERASED: dict[int, type[BaseModel] | None] = {200: answers.Receipt, 202: answers.Receipt}


@ROUTES.route("GET", "/v1/conversations", tag="conversations")
async def conversations(access: Access, query: models.Page) -> answers.Page[answers.ConversationOut]:
    """List conversations, newest first, without their exchanges."""
    response = await access.call(requests.ListConversations(limit=query.limit, offset=query.offset))
    found = [_conversation(each) for each in response.conversations]
    return answers.Page(results=found, count=response.count, next=query.next(len(found)))


@ROUTES.route("GET", "/v1/conversations/{id}", tag="conversations", errors=(404,))
async def conversation(access: Access, id: str, query: models.TurnsQuery) -> answers.ConversationOut:
    """A conversation with its newest exchanges."""
    response = await access.call(requests.GetConversation(conversation_id=id, limit=query.limit))
    if response.conversation is None or not (response.conversation.invocations or response.success):
        raise _unknown("conversation")
    exchanges = [answers.copy(answers.Exchange, each, at=each.timestamp) for each in response.conversation.invocations]
    return _conversation(response.conversation).model_copy(update={"exchanges": exchanges})


def _conversation(found: ConversationMemory) -> answers.ConversationOut:
    shown = {name: value for name, value in found.metadata.items() if not name.startswith("why:")}  # for the command why
    return answers.ConversationOut(id=found.conversation_id, ended=found.ended, metadata=shown)


@ROUTES.route("DELETE", "/v1/conversations/{id}", tag="conversations", answers=_ERASED, errors=(404,))
async def forget_conversation(access: Access, id: str) -> Answer:
    """Erase a conversation and what was learned from it, with a receipt."""
    return receipt_of(await erase(access, "conversation", conversation_id=id), _unknown("conversation"))


@ROUTES.route("POST", "/v1/conversations/{id}/end", tag="conversations", errors=(404,), once=True)
async def end_conversation(access: Access, id: str, query: models.ScopeFields, body: models.ScopeFields) -> answers.Done:
    """End a conversation: what follows from it is learned now."""
    await access.call(requests.EndConversation(conversation_id=id))
    return answers.Done()


@ROUTES.route("GET", "/v1/episodes", tag="episodes")
async def episodes(access: Access, query: models.Page) -> answers.Page[answers.EpisodeOut]:
    """List episodes, newest first."""
    response = await access.call(requests.ListEpisodes(limit=query.limit, offset=query.offset))
    found = [answers.EpisodeOut.of(each) for each in response.episodes]
    return answers.Page(results=found, count=response.count, next=query.next(len(found)))


@ROUTES.route("GET", "/v1/episodes/{id}", tag="episodes", errors=(404,))
async def episode(access: Access, id: str) -> answers.EpisodeOut:
    """One episode."""
    response = await access.call(requests.GetEpisode(id=id))
    if not response.episodes:
        raise _unknown("episode")
    return answers.EpisodeOut.of(response.episodes[0])


@ROUTES.route("DELETE", "/v1/episodes/{id}", tag="episodes", answers=_ERASED, errors=(404,))
async def forget_episode(access: Access, id: str) -> Answer:
    """Erase an episode, with a receipt."""
    return receipt_of(await erase(access, "record", ids=[id]), _unknown("episode"))


@ROUTES.route("GET", "/v1/rules", tag="rules")
async def rules(access: Access, query: models.Page) -> answers.Page[answers.Memory]:
    """List rules, newest first. A rule is a memory: change and erase it under /v1/memories."""
    response = await access.call(requests.ListFacts(kinds=["procedural"], limit=query.limit, offset=query.offset))
    found = [answers.Memory.of(fact, access) for fact in response.facts]
    return answers.Page(results=found, count=response.count, next=query.next(len(found)))


@ROUTES.route("POST", "/v1/rules", tag="rules", once=True)
async def add_rule(access: Access, body: models.NewRule) -> answers.Memory:
    """Store a rule of the user."""
    content = f"{body.condition}: {body.action}" if body.condition else body.action
    stored = await access.call(copy_fields(requests.StoreFact, body, content=content, kind="procedural"))
    return answers.Memory.of(stored.facts[0], access)


def _unknown(what: str) -> NotFound:
    return NotFound(f"there is no such {what} here: GET /v1/{what}s lists the ids")


class Topic(BaseModel):
    topic: str
    summary: str = Field(description="What its memories say, oldest first.")
    memories: list[str] = Field(description="Ids of its memories.")
    turns: list[str] = Field(description="Ids of the messages that they were understood from.")
    updated_at: str = Field(description="When the newest of them was said.")


class Topics(BaseModel):
    results: list[Topic]
    count: int = Field(description="Number of topics.")


@ROUTES.route("GET", "/v1/topics", tag="memories")
async def topics(access: Access, query: models.Limited) -> Topics:
    """List what is known by topic, the newest first."""
    response = await access.call(requests.ListTopics(limit=query.limit))
    found = [
        Topic(
            topic=fact.metadata[TOPIC],
            summary=fact.content,
            memories=fact.metadata["sources"].split(","),
            turns=fact.turn_ids,
            updated_at=fact.timestamp,
        )
        for fact in response.facts
    ]
    return Topics(results=found, count=response.count)
