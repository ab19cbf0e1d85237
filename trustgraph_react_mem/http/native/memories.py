"""`/v1/memories`: add, search, list, get, change, forget, history, undo and feedback."""

from dataclasses import replace
from uuid import uuid4

from aiohttp import web

from ...erasure.receipt import Level
from ...errors import BadRequest, NotFound, NotPermitted, PreconditionFailed
from ...learning.invocation import ASSISTANT
from ...memory import requests
from ...memory.timefmt import parse_time, read_zone, require_time
from ...schema import Episode, Fact, FactsResponse, Turn
from ..access import Access
from ..application import principal_of
from ..peer_records import CHANGE_TIMEOUT_S, Erasure, erase, event_of, import_and_learn
from ..principal import named_collection
from ..request_body import note_ignored
from . import answers, models
from .routing import Answer, Routes, answer_of, copy_fields, reach, texts

LEARNED = ("user", "assistant")  # what others say is not learned from
TRUST = {"user": "user", "assistant": "assistant", "system": "document", "tool": "tool"}  # who said a message
MOST_READ = 10  # pages of the service that one listing with times may read
PAGE = 500
_ONE = "/v1/memories/{id}"
ROUTES = Routes()


@ROUTES.route(
    "POST", "/v1/memories", tag="memories", answers={200: answers.Results[answers.Stored], 202: answers.Accepted}, once=True
)
async def add(request: web.Request, access: Access, body: models.NewMemories) -> Answer:
    """Remember messages. With infer, a job lets the model understand them."""
    if not body.infer:
        return await _store(access, body)
    note_ignored(request, [f"messages[{place}]" for place, each in enumerate(body.spoken) if each.role not in LEARNED])
    return await _learn(access, body)


async def _store(access: Access, body: models.NewMemories) -> Answer:
    """Each message as it is.  One that is not the user's has the trust of its source."""
    if any(message.role != "user" for message in body.spoken) and body.kind == "procedural":
        raise BadRequest("messages: only a message of the user can be a rule: leave the others out")
    metadata, stored = texts(body.metadata), []
    for message in body.spoken:
        response = await access.call(
            requests.StoreFact(
                content=message.content,
                kind=body.kind,
                source=body.conversation_id,
                trust=TRUST[message.role],
                importance=body.importance,
                metadata=metadata | {"tool": message.name} if message.role == "tool" and message.name else metadata,
                said_at=message.timestamp,
                speaker=message.name if message.role == "user" else "",
                conversation_id=body.conversation_id,
            )
        )
        fact = response.facts[0]
        stored.append(answers.Stored(id=fact.id, memory=fact.content, event=event_of(response), status=fact.status))
    return answers.Results(results=stored)


async def _learn(access: Access, body: models.NewMemories) -> Answer:
    """The messages are stored as turns of a conversation, and a job lets the model understand those that are new."""
    conversation, metadata = body.conversation_id or f"c-{uuid4().hex}", texts(body.metadata)
    turns = [
        Turn(
            speaker=ASSISTANT if message.role == "assistant" else message.name,
            role="user" if message.role == "user" else "assistant",
            text=message.content,
            said_at=message.timestamp,
            metadata=metadata,
        )
        for message in body.spoken
        if message.role in LEARNED
    ]
    if not turns:
        raise BadRequest("messages: none is of the user or the assistant: nothing can be learned from the others")
    job = await import_and_learn(access, conversation, turns)
    accepted = answers.Accepted(event_id=job, conversation_id=conversation)
    return answer_of(accepted, 202, Location=f"/v1/operations/{job}")


@ROUTES.route("POST", "/v1/memories/search", tag="memories")
async def search(access: Access, body: models.Search) -> answers.Found:
    """Find what a question would recall."""
    kinds = [kind for kind in body.types if kind != "episodic"]
    facts, episodes = list[Fact](), list[Episode]()
    if kinds or not body.types:
        asked = copy_fields(requests.RetrieveFacts, body, top_k=body.limit, kinds=kinds)
        facts = (await access.call(asked)).facts
    if "episodic" in body.types:
        episodes = (await access.call(copy_fields(requests.RetrieveEpisodes, body, top_k=body.limit))).episodes
    zone, told = read_zone(body.timezone), answers.RANKED + answers.REASONS if body.why else answers.RANKED
    return answers.Found(
        results=[answers.Memory.of(fact, access, zone, told) for fact in facts],
        episodes=[answers.EpisodeOut.of(episode) for episode in episodes],
    )


@ROUTES.route("GET", "/v1/memories", tag="memories")
async def list_(access: Access, query: models.ListQuery) -> answers.Page[answers.Memory]:
    """List memories, newest first.

    With times or a speaker, other memories are read and left out, within a limit for each request.
    """
    since, until, at = parse_time(query.since), parse_time(query.until), query.offset
    found: list[Fact] = []
    size = PAGE if since or until or query.speaker else query.limit
    asked = copy_fields(
        requests.ListFacts, query, kinds=query.kind, source=query.conversation_id, conversation_id="", limit=size
    )
    for _ in range(MOST_READ):
        response = await access.call(replace(asked, offset=at))
        is_last, end = len(response.facts) < size, at + len(response.facts)
        for fact in response.facts:
            created = require_time(fact.created_at)
            if since and created < since:
                is_last, at = True, end
                break
            at += 1
            if not (until and created >= until) and query.speaker in ("", fact.speaker):
                found.append(fact)
            if len(found) == query.limit:
                break
        if (is_last and at == end) or len(found) == query.limit:
            break
    results = [answers.Memory.of(fact, access) for fact in found]
    return answers.Page(results=results, count=response.count, next=None if is_last and at == end else str(at))


@ROUTES.route("GET", _ONE, tag="memories", answers={200: answers.Memory}, errors=(404,))
async def get(access: Access, id: str) -> Answer:
    """One memory, with its version as ETag."""
    return _add_etag(access, await existing(access, id))


@ROUTES.route("PATCH", _ONE, tag="memories", answers={200: answers.Memory}, errors=(404, 409, 412))
@ROUTES.route("PUT", _ONE, tag="memories", answers={200: answers.Memory}, errors=(404, 409, 412))
async def change(request: web.Request, access: Access, id: str, query: models.ScopeFields, body: models.Changes) -> Answer:
    """Change a memory. Fields that are left out stay."""
    version = _matched_version(request, await existing(access, id))
    changes = copy_fields(requests.UpdateFact, body, id=id, content=body.text, metadata=texts(body.metadata), version=version)
    return _add_etag(access, (await access.call(changes)).facts[0])


@ROUTES.route("DELETE", _ONE, tag="memories", answers={200: answers.Receipt, 202: answers.Receipt}, errors=(404, 412))
async def forget(request: web.Request, access: Access, id: str) -> Answer:
    """Erase a memory and what was derived from it, with a receipt."""
    if request.headers.get("If-Match", "*") != "*":
        _matched_version(request, await existing(access, id))
    return receipt_of(await erase(access, "record", ids=[id]), _unknown(id))


@ROUTES.route("DELETE", "/v1/memories", tag="memories", answers={200: answers.Receipt, 202: answers.Receipt})
async def forget_all(request: web.Request, query: models.ForgetQuery) -> Answer:
    """Erase a conversation, a collection or all memories of a user, with a receipt.

    It erases the smallest of these that the query or X-Memory-Collection names.
    """
    levels: tuple[tuple[Level, str], ...] = (
        ("conversation", query.conversation_id),
        ("collection", query.collection),
        ("user", query.user_id),
    )
    level, name = next(((level, name) for level, name in levels if name), ("user", ""))
    if not name:
        raise BadRequest("this would erase everything: name user_id, collection or conversation_id in the query")
    if level == "user" and (narrower := named_collection(request)):
        level, name = "collection", narrower
    if (await principal_of(request)).kind != "user" and query.confirm != name:
        raise BadRequest(f"confirm must repeat the name of the {level} that is erased: add confirm={name[:60]} to the query")
    access = await reach(request, query)
    return receipt_of(await erase(access, level, conversation_id=name if level == "conversation" else ""))


def receipt_of(erasure: Erasure, nothing: NotFound | None = None) -> Answer:
    """202 if the erasure is still running.  Raises: ``nothing``, if it found nothing."""
    if nothing is not None and erasure.receipt and not any(erasure.found.values()):
        raise nothing
    answer = answers.Receipt(operation_id=erasure.job_id, receipt=dict(erasure.receipt))
    return answer if erasure.receipt else answer_of(answer, 202, Location=f"/v1/receipts/{erasure.job_id}")


@ROUTES.route("GET", f"{_ONE}/history", tag="memories", errors=(404,))
async def history(access: Access, id: str) -> answers.Results[answers.Change]:
    """The changes of a memory, newest first."""
    response = await access.call(requests.GetFactHistory(id=id))
    if not response.history and response.stats.get("read") != "off":
        raise _unknown(id)
    return answers.Results(results=[answers.Change.of(entry) for entry in response.history])


@ROUTES.route("POST", f"{_ONE}/undo", tag="memories", errors=(404, 409), once=True)
async def undo(access: Access, id: str, query: models.ScopeFields, body: models.ScopeFields) -> answers.Undone:
    """Undo the last change of a memory, or the undo or rollback of this name."""
    return undone(access, await access.call(requests.UndoChange(id=id), timeout_s=CHANGE_TIMEOUT_S))


def undone(access: Access, response: FactsResponse) -> answers.Undone:
    return answers.Undone(
        operation=response.stats.get("operation", ""),
        changed=response.count,
        results=[answers.Memory.of(fact, access) for fact in response.facts],
    )


@ROUTES.route("POST", f"{_ONE}/feedback", tag="memories", errors=(404,), once=True)
async def rate(access: Access, id: str, query: models.ScopeFields, body: models.Rating) -> answers.Done:
    """Say whether a memory was useful. The ranking learns from it."""
    response = await access.call(requests.RateFacts(ids=[id], rating=body.rating))
    return answers.Done(operation_id=response.stats.get("job"))


async def existing(access: Access, id: str) -> Fact:
    """Raises: NotFound, also for a memory of another user; NotPermitted (reading is switched off)."""
    response = await access.call(requests.GetFacts(ids=[id]))
    if response.stats.get("read") == "off":
        raise NotPermitted("reading is switched off for this memory: PUT /v1/switches switches it on")
    if not response.facts:
        raise _unknown(id)
    return response.facts[0]


def _matched_version(request: web.Request, fact: Fact) -> int:
    """The version that ``If-Match`` permits to change; 0: any.  Raises: PreconditionFailed."""
    wanted = request.headers.get("If-Match", "*")
    if wanted == "*":
        return 0
    if f'"{fact.version}"' not in [one.strip() for one in wanted.split(",")]:
        raise PreconditionFailed(f'the memory is of version "{fact.version}", not {wanted[:40]}: read it again')
    return fact.version


def _unknown(id: str) -> NotFound:
    return NotFound(f"there is no memory {id[:60]!r} here: GET /v1/memories lists the ids")


def _add_etag(access: Access, fact: Fact) -> Answer:
    return answer_of(answers.Memory.of(fact, access), ETag=f'"{fact.version}"')
