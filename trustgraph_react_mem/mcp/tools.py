"""The eight default tools, with the names of mem0's MCP server.

Each docstring is what a language model reads: it says when to use the tool.

A tool call shows what a model wrote, not what the person said: a web page can make a model write anything.  So the text is
stored as an utterance of the assistant, as an answer of the flow's agent is.  It is recalled as the assistant's, it is never a
rule, and the person's own words take precedence over it.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Annotated, Literal

from mcp_types import CallToolResult
from pydantic import BaseModel, ConfigDict, Field

from ..erasure.receipt import Level
from ..errors import BadRequest, NotFound, NotPermitted, TooLarge
from ..http.access import Access
from ..http.client_metadata import TAKEN, VERBATIM
from ..http.native.answers import Operation, copy
from ..http.peer_records import erase
from ..learning.invocation import ASSISTANT
from ..memory import requests
from ..memory.digest import content_digest
from ..memory.records import FACT_KINDS, FACT_STATUSES, derived_id
from ..memory.requests.fields import ConversationId, Time
from ..memory.timefmt import parse_time
from ..schema import Episode, Fact, FactsResponse, Turn
from . import results
from .results import answer, as_line, as_lines, item_of, trust_of

MOST_CONTENT_BYTES = 8_192
MOST_MESSAGES = 100
MOST_NAME, MOST_VALUE = 100, 1_000  # characters in metadata, which each search returns
MOST_RESULTS, MOST_LISTED = 50, 200
WIDER = 4  # times as many candidates if results are filtered by time

MemoryType = Literal["facts", "rules", "episodes"]
Id = Annotated[str, Field(description="Id of a memory, as search_memories returns it.", min_length=1, max_length=200)]
Limit = Annotated[int, Field(ge=1, le=MOST_RESULTS, description="Maximum number of results.")]
Metadata = Annotated[dict[str, str] | None, Field(description="Names and values to keep with it.", max_length=20)]
Content = Annotated[str, Field(description="The statement, complete and in the third person.", max_length=MOST_CONTENT_BYTES)]


class ChatMessage(BaseModel):
    """``at``: ISO 8601."""

    model_config = ConfigDict(extra="forbid")

    role: Literal["user", "assistant"]
    content: str = Field(max_length=MOST_CONTENT_BYTES)
    name: str = Field(default="", max_length=100)
    at: str = Field(default="", max_length=40)


async def search_memories(
    access: Access,
    query: Annotated[str, Field(description="What to look for, as a question or keywords.", min_length=1, max_length=4000)],
    limit: Limit = 5,
    types: Annotated[list[MemoryType] | None, Field(description="Default: facts and rules.")] = None,
    since: Time = "",
    until: Time = "",
    conversation_id: ConversationId = "",
) -> Annotated[CallToolResult, results.FoundMemories]:
    """Search the person's long-term memory. Use it first, before you answer anything that may depend on who the person is,
    what they like, decided or said before, or on how earlier tasks went. Search again with other words if nothing is found."""
    wanted = set(types or ("facts", "rules"))
    first, last = _time("since", since), _time("until", until)
    timed = first is not None or last is not None
    items, reading = list[results.MemoryItem](), "on"
    if wanted & {"facts", "rules"}:
        top = limit * WIDER if timed else limit
        facts, rules = top if "facts" in wanted else 0, limit if "rules" in wanted else 0
        search = requests.RetrieveFacts(query=query, top_k=facts, rules=rules, conversation_id=conversation_id)
        found = await access.call(search)
        reading = found.stats.get("read", "on")
        # a rule that ranks among the facts, too, is one result
        records = {fact.id: fact for fact in [*found.rules, *found.facts] if fact.status == "active" or fact.former_since}
        items += [item_of(fact, scored=True) for fact in records.values()]
    if "episodes" in wanted:
        episodes = await access.call(requests.RetrieveEpisodes(query=query, top_k=limit, conversation_id=conversation_id))
        reading = episodes.stats.get("read", reading)
        items += [item_of(episode, scored=True) for episode in episodes.episodes]
    chosen = [item for item in items if _within(item.created_at, first, last)] if timed else items
    chosen = chosen[: limit * len(wanted)]
    result = results.FoundMemories(results=chosen, reading="off" if reading == "off" else "on")
    return answer(result, as_lines(result))


async def add_memory(
    access: Access,
    content: Content = "",
    messages: Annotated[
        list[ChatMessage] | None, Field(description="Instead of content: part of a conversation.", max_length=MOST_MESSAGES)
    ] = None,
    kind: Annotated[
        Literal["semantic", "procedural"], Field(description="semantic: a statement. procedural: a rule for the assistant.")
    ] = "semantic",
    source: Annotated[
        str, Field(description="Where the statement comes from if not from the person: a URL or file.", max_length=500)
    ] = "",
    conversation_id: ConversationId = "",
    metadata: Metadata = None,
) -> Annotated[CallToolResult, results.StoredMemory]:
    """Remember something for later conversations. Use it when the person asks you to remember something, or tells you a lasting
    fact, preference, decision or correction. One statement per call. It is stored as your statement about the person, not as
    their own words; a rule, or what a page or file says, waits until the person confirms it. Never store passwords or keys."""
    if bool(content.strip()) == bool(messages):
        raise BadRequest("add_memory needs either content or messages: pass one of the two")
    more, place = _check_metadata(metadata), conversation_id or f"mcp-{datetime.now(UTC):%Y-%m-%d}"  # none grows without bound
    said = [(_report(each), _check_time(each.at)) for each in messages or () if each.content.strip()]
    if not messages:
        _check_content(content)
        if kind == "procedural" or source:
            return await _hold(access, content, kind, source, conversation_id, more)
        said = [(content, "")]
    if not said:
        raise BadRequest("none of the messages has content: write what was said")
    ids, done = await _keep(access, place, said, more)
    stored = results.StoredMemory(id=ids[0], ids=ids, status="active", trust="assistant", message="")
    if not messages:
        stored.message = "Remembered as your statement." if done.count else "This was remembered already."
        return answer(stored, f"{stored.message} id: {stored.id}")
    stored.message = f"Remembered {done.count} of {len(messages)} messages; the others were known or empty."
    if not done.count:
        return answer(stored, stored.message)
    learn = requests.learn_from(place, int(done.stats["first"]), int(done.stats["last"]))
    stored.operation_id = (await access.call(learn)).job_id
    return answer(stored, f"{stored.message} operation_id: {stored.operation_id}")


async def _keep(
    access: Access, source: str, said: Sequence[tuple[str, str]], metadata: Mapping[str, str]
) -> tuple[list[str], FactsResponse]:
    """Store statements of the assistant in the conversation ``source``.  The same text again adds nothing.

    ``said``: each text with its time, ISO 8601; "" = now.  Returns the ids, and the response to the import.

    Raises: BadRequest, TooLarge, NotPermitted.
    """
    now = datetime.now(UTC).isoformat(timespec="seconds")
    verbatim = {VERBATIM: "true"}  # a memory, so that lists of other interfaces show it, not an answer in a chat
    turns = [
        Turn(id=content_digest(text), speaker=ASSISTANT, role="assistant", text=text, said_at=at or now, metadata=verbatim)
        for text, at in said
    ]
    done = await access.call(requests.ImportTurns(source=source, turns=turns))
    ids = [derived_id("turn", access.scope.key, source, turn.id) for turn in turns]
    for record_id in ids if metadata else ():
        await access.call(requests.UpdateFact(id=record_id, metadata=metadata))
    return ids, done


def _check_content(content: str) -> None:
    """Raises: TooLarge, BadRequest (it is empty)."""
    if (size := len(content.encode())) > MOST_CONTENT_BYTES:
        raise TooLarge(f"content has {size} bytes: use at most {MOST_CONTENT_BYTES}, or several memories")
    if not content.strip():
        raise BadRequest("content is empty: write the new statement, or delete the memory with delete_memory")


def _check_metadata(metadata: dict[str, str] | None) -> dict[str, str]:
    """Raises: BadRequest (too long, or a name by which records say who said them, or what they are)."""
    for name, value in (metadata or {}).items():
        if not 0 < len(name) <= MOST_NAME or len(value) > MOST_VALUE:
            raise BadRequest(
                f"metadata {name[:MOST_NAME]!r} has {len(name)} characters in its name and {len(value)} in its value: "
                f"use 1 to {MOST_NAME}, and at most {MOST_VALUE}"
            )
        if name in TAKEN:
            raise BadRequest(f"metadata has the name {name!r}, which records use themselves: choose another name")
    return metadata or {}


def _report(message: ChatMessage) -> str:
    if message.role == "assistant":
        return message.content
    return f"{message.name or 'The user'} said: {message.content}"


async def _hold(
    access: Access, content: str, kind: str, source: str, conversation_id: str, metadata: dict[str, str]
) -> Annotated[CallToolResult, results.StoredMemory]:
    """Store what takes effect only if a person says or confirms it."""
    more = {**metadata, "from": source} if source else metadata
    trust = "document" if source else "assistant"
    request = requests.StoreFact(content=content, kind=kind, trust=trust, source=conversation_id, metadata=more)
    [fact] = (await access.call(request)).facts
    text = "Remembered."
    if fact.status == "quarantined":
        text = (
            "Stored, but held back: it is not recalled until the person confirms it, "
            f"with `react-mem memories release {fact.id}`. Tell them."
        )
    stored = results.StoredMemory(id=fact.id, ids=[fact.id], status=fact.status, trust=trust_of(fact), message=text)
    return answer(stored, f"{text} id: {fact.id}")


async def get_memories(
    access: Access,
    limit: Annotated[int, Field(ge=1, le=MOST_LISTED, description="Maximum number of results.")] = 20,
    cursor: Annotated[str, Field(description="next_cursor of the previous page.", max_length=20)] = "",
    kind: Annotated[str, Field(description=f"Only this kind: {', '.join(FACT_KINDS)}.", max_length=20)] = "",
    status: Annotated[str, Field(description=f"Only this status: {', '.join(FACT_STATUSES)}. Default: active.")] = "",
) -> Annotated[CallToolResult, results.ListedMemories]:
    """List memories, newest first. Use it when the person asks what you remember about them, or to find an id to change or
    delete. To answer a question use search_memories, which finds what is relevant."""
    if cursor and not (cursor.isascii() and cursor.isdecimal() and len(cursor) < 10):
        raise BadRequest(f"cursor {cursor!r} is not valid: pass next_cursor of the previous page, or leave it out")
    offset = int(cursor or 0)
    response = await access.call(
        requests.ListFacts(kinds=[kind] if kind else [], status=status, limit=limit + 1, offset=offset)
    )
    items = [item_of(fact) for fact in response.facts[:limit]]
    reading = response.stats.get("read", "on")
    following = str(offset + limit) if len(response.facts) > limit else ""
    result = results.ListedMemories(results=items, reading="off" if reading == "off" else "on", next_cursor=following)
    return answer(result, as_lines(result) + (f"\nnext_cursor: {following}" if following else ""))


async def get_memory(
    access: Access, id: Id, history: Annotated[bool, Field(description="Also return its changes, newest first.")] = False
) -> Annotated[CallToolResult, results.OneMemory]:
    """Show one memory with all its fields. Use it when you have an id and need its source, its metadata or how it changed."""
    record = await _find(access, id)
    item = item_of(record)
    changes = (await access.call(requests.GetFactHistory(id=id))).history if history and isinstance(record, Fact) else []
    one = results.OneMemory(memory=item, history=[copy(results.MemoryChange, entry) for entry in changes])
    lines = [as_line(item), *(f"  version {each.version}: {each.change} at {each.at[:19]}" for each in one.history)]
    return answer(one, "\n".join(lines))


async def update_memory(
    access: Access,
    id: Id,
    content: Content,
    version: Annotated[int, Field(ge=0, description="Fail if the memory has another version by now. 0: any.")] = 0,
) -> Annotated[CallToolResult, results.OneMemory]:
    """Correct a memory that you stored yourself (trust: assistant). Use it when it was wrong or is out of date. What the person
    said cannot be rewritten: add the newer statement with add_memory."""
    record = await _find(access, id)
    if isinstance(record, Episode) or trust_of(record) in ("user", "import"):
        raise NotPermitted(
            f"memory {id!r} holds the person's own words, or is an episode, which a tool cannot rewrite: "
            "store the newer statement with add_memory, or delete this one with delete_memory"
        )
    _check_content(content)
    response = await access.call(requests.UpdateFact(id=id, content=content, version=version))
    item = item_of(response.facts[0])
    return answer(results.OneMemory(memory=item), f"Updated.\n{as_line(item)}")


async def delete_memory(
    access: Access,
    id: Annotated[str, Field(description="Id of the memory to delete.", max_length=200)] = "",
    conversation_id: Annotated[str, Field(description="Instead of id: delete this conversation.", max_length=200)] = "",
) -> Annotated[CallToolResult, results.DeletedMemory]:
    """Delete one memory, or everything from one conversation, for good. Use it only when the person asks to forget it, and
    search first to find the id. It cannot be undone."""
    if bool(id.strip()) == bool(conversation_id.strip()):
        raise BadRequest("delete_memory needs either id or conversation_id: pass one of the two")
    if id:
        await _find(access, id)
    level: Level = "record" if id else "conversation"
    done = await erase(access, level, ids=[id] if id else [], conversation_id=conversation_id)
    receipt = dict(done.receipt)
    deleted = results.DeletedMemory(operation_id=done.job_id, complete=bool(receipt.get("complete")), receipt=receipt)
    if not receipt:
        return answer(deleted, f"The deletion continues in the background. operation_id: {done.job_id}")
    left = sum(place["left"] for place in receipt["places"].values())
    removed = sum(place["removed"] for place in receipt["places"].values())
    return answer(deleted, f"Deleted {removed} records and entries, {left} left.")


async def memory_feedback(
    access: Access,
    id: Id,
    rating: Annotated[int, Field(ge=-1, le=1, description="1: it helped. -1: it was irrelevant or wrong.")],
    reason: Annotated[str, Field(description="Why, in a few words. It is not stored.", max_length=500)] = "",
) -> Annotated[CallToolResult, results.Done]:
    """Say whether a memory that search_memories returned was useful. Use it when the person corrects a memory, or says that it
    helped. The ranking learns from it."""
    await access.call(requests.RateFacts(ids=[id], rating=rating))
    return answer(results.Done(success=True, message="rated"), "Rated.")


async def get_event_status(
    access: Access, operation_id: Annotated[str, Field(description="As add_memory returned it.", min_length=1, max_length=200)]
) -> Annotated[CallToolResult, results.EventStatus]:
    """Say how far the work of add_memory or delete_memory in the background is. Use it when a call returned an operation_id and
    you need its outcome."""
    try:
        response = await access.call(requests.GetJob(id=operation_id))
    except NotFound:
        raise NotFound(f"no operation {operation_id!r} here: add_memory and delete_memory return the ids") from None
    [job] = response.jobs
    event = copy(results.EventStatus, job, operation_id=job.id, status=Operation.of(job).status)
    return answer(event, f"{event.kind}: {event.status}" + (f" ({event.error})" if event.error else ""))


async def _find(access: Access, id: str) -> Fact | Episode:
    """Raises: NotFound."""
    if facts := (await access.call(requests.GetFacts(ids=[id]))).facts:
        return facts[0]
    if episodes := (await access.call(requests.GetEpisode(id=id))).episodes:
        return episodes[0]
    raise NotFound(f"no memory {id!r} for this user and collection: search_memories and get_memories show the ids")


def _check_time(value: str) -> str:
    at = _time("at", value)
    return at.isoformat() if at else ""


def _time(name: str, value: str) -> datetime | None:
    at = parse_time(value) if value else None
    if value and at is None:
        raise BadRequest(f"{name} {value!r} is not a time: use ISO 8601, such as 2026-05-01T10:00:00Z")
    return at


def _within(timestamp: str, first: datetime | None, last: datetime | None) -> bool:
    at = parse_time(timestamp)
    return at is not None and (first is None or at >= first) and (last is None or at <= last)
