"""Named JSON values in the memory of one user, as stores of frameworks need them.

A value that states something (``{"content": "..."}``) is a fact of the scope, which agents recall.  Any other value is a
document in a scope beside it (``memory.scope.documents_of``), which no agent is shown.

Invariants:
- The id of a record derives from the name, so a value is found without a search, and written once.
- Putting an existing name makes a new version of its record; the former ones stay in the history.
- A name is stored as it is, or the value is refused: a policy never changes a name.
"""

import itertools
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from ..errors import BadRequest, NotFound
from ..manager import MemoryManager
from ..manager.scoped import PAGE, erase, now_of, scope_of, send
from ..memory.policies import DataPolicy
from ..memory.records import FACT_STATUSES, ITEM, derived_id
from ..memory.requests import GetFacts, ListFacts, RetrieveFacts, StoreFact, UpdateFact
from ..memory.scope import documents_of
from ..memory.sizes import MOST_QUERY_CHARS, check_size
from ..memory.text.well_formed import well_formed_tree
from ..memory.timefmt import format_time, parse_time
from ..schema import Fact as WireFact

Name = tuple[str, ...]  # the namespace, then the key

DATA = "item_data"  # key of the metadata
SOURCE = "items"  # in the place of a conversation
SHOWN = ("active", "superseded")  # quarantined and undone values are not returned
MOST_FOUND = 500
MOST_TEXT = 8_000  # characters of a document that are searched
MOST_CONTENT = 100_000
LEAST_SIMILARITY = 0.001  # ranks all values, also those that are not similar enough to be recalled


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredItem:
    """A named value.

    Attributes:
        index: the fields to search instead of those of the store; False: none.
        ttl_s: seconds from the last write, or refresh, to ``expires``.  None: the value does not expire.
        text: of a document: what the memory's search by meaning compares.  Written only.
    """

    name: Name
    value: Mapping[str, Any]
    created: datetime
    updated: datetime
    expires: datetime | None = None
    ttl_s: float | None = None
    index: list[str] | bool | None = None
    text: str = ""

    def is_expired(self, now: datetime) -> bool:
        return self.expires is not None and self.expires <= now

    def extend(self, now: datetime) -> "StoredItem":
        """The same with its time to live from now on."""
        return replace(self, expires=now + timedelta(seconds=self.ttl_s) if self.ttl_s is not None else None)


class Items:
    """The named values of one manager's scope."""

    def __init__(self, memory: MemoryManager) -> None:
        self.facts = memory
        self.scope = scope_of(memory)
        if not self.scope.user:
            raise BadRequest("a store needs the memory of a user: open it with user='...', also for an application")
        self.documents = memory.shared(collection=documents_of(self.scope).collection)
        self.places = (self.documents, self.facts)

    def now(self) -> datetime:
        return now_of(self.facts)

    async def get(self, names: Iterable[Name]) -> dict[Name, StoredItem]:
        """Those of the values that exist and have not expired."""
        found = await self._read(names, *self.places, statuses=SHOWN)
        return {name: item for name, item in found.items() if not item.is_expired(self.now())}

    async def all(self) -> list[StoredItem]:
        """All values, oldest first, including expired ones."""
        found: dict[Name, StoredItem] = {}
        for place, status in itertools.product(self.places, SHOWN):
            offset, count = 0, PAGE
            while count == PAGE:
                request = ListFacts(kinds=["semantic"], status=status, source=SOURCE, limit=PAGE, offset=offset)
                page = (await send(place, request)).facts
                _merge(found, page)
                count, offset = len(page), offset + len(page)
        return sorted(found.values(), key=lambda item: (item.created, item.name))

    async def similarities(self, query: str) -> dict[Name, float]:
        """The values that the memory's own search finds for a query, with their similarity, 0 to 1."""
        scores: dict[Name, float] = {}
        request = RetrieveFacts(
            query=query[:MOST_QUERY_CHARS],
            kinds=["semantic"],
            top_k=MOST_FOUND,
            candidates=MOST_FOUND,
            threshold=LEAST_SIMILARITY,
            rerank="off",
            asked_at=format_time(self.now()),
        )
        for place in self.places:
            for fact in (await send(place, request)).facts:
                if ITEM in fact.metadata:
                    name = _name_of(fact)
                    scores[name] = max(fact.similarity, scores.get(name, 0.0))
        return scores

    async def put(self, items: Sequence[StoredItem]) -> None:
        """Store checked values.  A value that exists keeps the time of its creation."""
        present = {place: await self._read([item.name for item in items], place) for place in self.places}
        moved: dict[MemoryManager, list[str]] = {place: [] for place in self.places}
        for item in items:
            place, other = self.places[::-1] if _content_of(item.value)[0] else self.places
            before = present[place].get(item.name) or present[other].get(item.name)
            await self._write(place, replace(item, created=before.created) if before else item)
            if item.name in present[other]:
                moved[other].append(self._record(item.name))
        await self._erase(moved)

    async def delete(self, names: Iterable[Name]) -> None:
        """Erase values with their history.  What does not exist is skipped."""
        names = list(names)
        await self._erase({place: [*map(self._record, await self._read(names, place))] for place in self.places})

    async def _read(
        self, names: Iterable[Name], *places: MemoryManager, statuses: Sequence[str] = FACT_STATUSES
    ) -> dict[Name, StoredItem]:
        found: dict[Name, StoredItem] = {}
        ids = [self._record(name) for name in dict.fromkeys(names)]
        for place in places:
            for start in range(0, len(ids), PAGE):
                page = (await send(place, GetFacts(ids=ids[start : start + PAGE]))).facts
                _merge(found, (fact for fact in page if fact.status in statuses))
        return found

    async def _write(self, place: MemoryManager, item: StoredItem) -> None:
        (path, content), record = _content_of(item.value), self._record(item.name)
        content = content or item.text[:MOST_TEXT].strip() or _encode_name(item.name)
        metadata = {ITEM: _encode_name(item.name), DATA: _encode(item, path)}
        try:
            changed = (await send(place, UpdateFact(id=record, content=content, metadata=metadata))).facts
            if changed and changed[0].status != "active":  # superseded or undone: it is current again
                await send(place, UpdateFact(id=record, status="active"))
        except NotFound:
            await send(place, StoreFact(id=record, content=content, source=SOURCE, metadata=metadata))

    async def _erase(self, records: Mapping[MemoryManager, Sequence[str]]) -> None:
        for place, ids in records.items():
            if ids:  # waits for the end of the erasure: it must not meet a value that is stored again under its name
                await erase(place, ids)

    def _record(self, name: Name) -> str:
        return derived_id("item", self.scope.key, _encode_name(name))


def check_item(item: StoredItem) -> StoredItem:
    """The item as it can be stored.  Raises: BadRequest (its name or value cannot be), TooLarge."""
    where = f"the value of {json.dumps(item.name)[:80]}"
    try:
        value = well_formed_tree(json.loads(json.dumps(dict(item.value), allow_nan=False)))
    except (TypeError, ValueError, RecursionError) as error:
        raise BadRequest(f"{where} is not JSON ({error}): use texts, numbers, truth values, lists and objects") from None
    check_size(f"{where} with its name", [item.name, value])
    if DataPolicy().screen(_encode_name(item.name)).found:
        raise BadRequest("the name of a value holds a secret, and names are stored as they are: use one without it")
    if len(_content_of(value)[1]) > MOST_CONTENT:
        raise BadRequest(f"{where} has a content of more than {MOST_CONTENT} characters: use several values")
    return replace(item, value=value)


def _merge(found: dict[Name, StoredItem], facts: Iterable[WireFact]) -> None:
    """Of two records with one name, left by an interrupted change from document to fact, the newer counts."""
    for fact in facts:
        item = _decode(fact) if ITEM in fact.metadata and DATA in fact.metadata else None
        if item is not None and (item.name not in found or found[item.name].updated <= item.updated):
            found[item.name] = item


def _encode_name(name: Name) -> str:
    """Raises: BadRequest (a lone surrogate, which nothing can store and which replacing would turn into another name)."""
    if well_formed_tree(name) is not name:
        raise BadRequest(f"the name {json.dumps(name)[:80]} contains an unpaired surrogate: remove it")
    return json.dumps(name, ensure_ascii=False, separators=(",", ":"))


def _name_of(fact: WireFact) -> Name:
    return tuple(json.loads(fact.metadata[ITEM]))


def _content_of(value: Mapping[str, Any]) -> tuple[tuple[str, ...], str]:
    """Where the value states something, and what; a document states nothing.

    ``{"content": text}``, or ``{"content": {"content": text}}`` as LangMem stores it.
    """
    content = value.get("content")
    if isinstance(content, str) and content.strip():
        return ("content",), content
    inner = content.get("content") if isinstance(content, dict) and len(content) == 1 else None
    return (("content", "content"), inner) if isinstance(inner, str) and inner.strip() else ((), "")


def _encode(item: StoredItem, path: Sequence[str]) -> str:
    """Everything but the name and the content of a fact, which is stored once, where agents read it."""
    kept = {key: value for key, value in item.value.items() if not path or key != "content"}
    data = {
        "value": kept,
        "path": list(path),
        "created": item.created.isoformat(),
        "updated": item.updated.isoformat(),
        "expires": item.expires.isoformat() if item.expires else "",
        "ttl_s": item.ttl_s,
        "index": item.index,
    }
    return json.dumps(data)


def _decode(fact: WireFact) -> StoredItem | None:
    """None: a person changed the metadata so that it cannot be read any more."""
    try:
        data = json.loads(fact.metadata[DATA])
        value, path = dict(data["value"]), data["path"]
        if path:
            value["content"] = fact.content if len(path) == 1 else {"content": fact.content}
        return StoredItem(
            name=_name_of(fact),
            value=value,
            created=datetime.fromisoformat(data["created"]),
            updated=datetime.fromisoformat(data["updated"]),
            expires=parse_time(data["expires"]) if data["expires"] else None,
            ttl_s=data["ttl_s"],
            index=data["index"],
        )
    except (ValueError, KeyError, TypeError):
        return None
