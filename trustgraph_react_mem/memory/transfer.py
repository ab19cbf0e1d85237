"""A scope as lines of JSON and back: a line a record, each of a type of its own.

Kept: conversations and their invocations, facts of every status, relations, what replaced what, episodes, ranking weights,
switches.  Not kept: earlier versions of facts but the one that a replacement ended, rewards, jobs.  What is derived is made
anew: vectors, keys, the index.  Ids, times, status and provenance are kept, so reading the same lines twice is reading them
once.  Weights are taken over only where there are none, and only under the embedding model they belong to; a switch that is
off here or there is off.
"""

import base64
import binascii
import json
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import datetime
from typing import Any, get_args

from ..errors import BadRequest, Conflict
from .episodes import EpisodeMemory
from .facts import FactMemory
from .policies import DataPolicy
from .ports import ConversationGraph, StoredWeights, Switches, SwitchStore, WeightStore
from .records import FACT_KINDS, Conversation, Episode, Fact, FactStatus, Invocation, Relation, Trust
from .scope import Scope

STATUSES: tuple[FactStatus, ...] = get_args(FactStatus)
PAGE_BYTES = 1_000_000  # of a page as JSON text: brokers refuse messages of more than 5 MB
ALL = 2**31 - 1
BY = "import"
_TIMES = frozenset({"created_at", "said_at", "valid_from", "valid_to", "superseded_at", "last_used_at", "at", "updated_at"})
_TUPLES = frozenset({"entities", "turn_ids", "steps", "recalled_ids"})
_LEFT_OUT = frozenset({"scope", "indexed", "invocations"})
_CHOICES: Mapping[str, Sequence[str]] = {"kind": FACT_KINDS, "status": STATUSES, "trust": get_args(Trust)}
_TEXTS: Mapping[str, Sequence[str]] = {  # what people or models wrote, by type of line
    "fact": ("content", "condition", "action", "entities", "metadata"),
    "episode": ("goal", "steps", "outcome", "lessons", "metadata"),
    "invocation": ("query", "summary", "result", "steps"),
    "conversation": ("metadata",),
    "relation": ("subject", "predicate", "object"),
}

Row = Mapping[str, Any]
Listing = Callable[[int, int], Awaitable[Sequence[Any]]]  # limit, offset


@dataclass(slots=True)
class _Read:
    """The records of some lines, by type."""

    facts: list[Fact] = field(default_factory=list)
    episodes: list[Episode] = field(default_factory=list)
    invocations: list[Invocation] = field(default_factory=list)
    conversations: list[Row] = field(default_factory=list)
    relations: list[Relation] = field(default_factory=list)
    supersessions: list[tuple[str, str]] = field(default_factory=list)  # (new id, old id)
    weights: list[StoredWeights] = field(default_factory=list)
    switches: list[tuple[str, Switches]] = field(default_factory=list)


class MemoryTransfer:
    def __init__(
        self,
        facts: FactMemory,
        episodes: EpisodeMemory,
        conversations: ConversationGraph,
        weights: WeightStore,
        switches: SwitchStore,
    ) -> None:
        self._facts = facts
        self._episodes = episodes
        self._conversations = conversations
        self._weights = weights
        self._switches = switches

    async def export_page(self, scope: Scope, limit: int, offset: int, *, page_bytes: int = PAGE_BYTES) -> tuple[str, int]:
        """Lines from ``offset`` on, and their number: at most ``limit``, and of about ``page_bytes``, but at least one.

        A page with 0 records is behind the last; the next begins at ``offset`` plus that number.
        """
        lines: list[str] = []
        size = 0
        for kind, listing in self._tiers(scope):
            if len(lines) == limit:
                break
            records = await listing(limit - len(lines), offset)
            for record in records:
                line = _line(kind, record)
                size += len(json.dumps(line))  # as it travels: within a JSON text of ASCII
                if lines and size > page_bytes:
                    return _joined(lines), len(lines)
                lines.append(line)
            offset = 0 if records else max(0, offset - await _total(listing, offset))
        return _joined(lines), len(lines)

    async def import_lines(self, scope: Scope, text: str, policy: DataPolicy) -> int:
        """Number of records that were not there.  Nothing is written before every line was read.

        Texts are stored as ``policy`` allows; a record with a text that must be dropped is left out.

        Raises:
            BadRequest: a line is no record of an export; it names the line and what is wrong with it.
        """
        read = _Read()
        # Not splitlines(): that breaks at U+2028 and its like too, which JSON leaves as they are within a text.
        for number, line in enumerate(text.split("\n"), start=1):
            if line.strip():
                _take(read, _object(line, number), number, scope, policy)
        appended: dict[str, int] = {}
        for name in dict.fromkeys(invocation.conversation_id for invocation in read.invocations):
            own = [invocation for invocation in read.invocations if invocation.conversation_id == name]
            appended[name] = await self._conversations.append_many(scope, own)
        added = sum(appended.values())
        for row in read.conversations:
            added += await self._settle_conversation(scope, row, new=appended.get(row["id"], 0) > 0)
        added += await self._add_facts(scope, read.facts)
        added += await self._add_relations(scope, read.relations)
        for new_id, old_id in read.supersessions:
            added += await self._supersede(scope, new_id, old_id)
        there = {episode.id for episode in await self._episodes.get(scope, [episode.id for episode in read.episodes])}
        new = [episode for episode in read.episodes if episode.id not in there]
        await self._episodes.store(scope, new)
        added += len(new)
        for weights in read.weights:
            added += await self._add_weights(scope, weights)
        return added + await self._add_switches(scope, read.switches)

    # -- reading -----------------------------------------------------------------------------------------------------

    def _tiers(self, scope: Scope) -> list[tuple[str, Listing]]:
        """In the order of importing: what others point to comes first, a switch that ends writing last."""

        async def facts(limit: int, offset: int) -> Sequence[Fact]:
            return await self._facts.listing(scope, statuses=STATUSES, limit=limit, offset=offset)

        async def episodes(limit: int, offset: int) -> Sequence[Episode]:
            return await self._episodes.listing(scope, limit=limit, offset=offset)

        async def relations() -> Sequence[Relation]:
            return await self._facts.graph.relations(scope)

        async def supersessions() -> Sequence[Row]:
            replaced = await self._facts.listing(scope, statuses=("superseded",), limit=ALL)
            return [{"new": fact.superseded_by, "old": fact.id} for fact in replaced if fact.superseded_by]

        async def weights() -> Sequence[StoredWeights]:
            stored = await self._weights.load(scope)
            return [stored] if stored else []

        async def switches() -> Sequence[Row]:
            listed = await self._switches.listing(scope)
            return [{"conversation_id": name, **asdict(listed[name])} for name in sorted(listed, reverse=True)]

        return [
            *self._conversation_tiers(scope),
            ("fact", facts),
            ("relation", _whole(relations)),
            ("supersession", _whole(supersessions)),
            ("episode", episodes),
            ("weights", _whole(weights)),
            ("switches", _whole(switches)),
        ]

    def _conversation_tiers(self, scope: Scope) -> list[tuple[str, Listing]]:
        """By id, for a turn while paging changes the order in time: all invocations, then what holds of a conversation."""
        known: list[Conversation] = []

        async def conversations(limit: int, offset: int) -> Sequence[Conversation]:
            if not known:
                known.extend(sorted(await self._conversations.listing(scope, limit=ALL), key=lambda each: each.id))
            return known[offset : offset + limit]

        async def invocations(limit: int, offset: int) -> Sequence[Invocation]:
            found: list[Invocation] = []
            for conversation in await conversations(ALL, 0):
                if offset < conversation.turns and len(found) < limit:
                    tail = await self._conversations.get(scope, conversation.id, limit=conversation.turns - offset)
                    found += (tail.invocations if tail else ())[: limit - len(found)]
                offset = max(0, offset - conversation.turns)
            return found

        return [("invocation", invocations), ("conversation", conversations)]

    # -- writing -----------------------------------------------------------------------------------------------------

    async def _add_facts(self, scope: Scope, facts: Sequence[Fact]) -> int:
        """All into the graph, then all indexed: a turn's keys need its neighbours."""
        there = {fact.id: fact for fact in await self._facts.get(scope, [fact.id for fact in facts])}
        new = []
        for fact in facts:
            if fact.id in there:
                continue
            if fact.status == "active" and fact.kind != "turn":
                same = await self._facts.graph.by_digest(scope, fact.content, fact.kind, fact.speaker)
                if same is not None:
                    continue
            new.append(fact)
        if new:
            await self._facts.graph.put(new, change="created", by=BY, trigger=BY)
        waiting = [*new, *(fact for fact in there.values() if not fact.indexed)]
        if waiting:
            await self._facts.finish_indexing(scope, waiting)
        return len(new)

    async def _add_relations(self, scope: Scope, relations: Sequence[Relation]) -> int:
        if not relations:
            return 0
        there = set(await self._facts.graph.relations(scope))
        # Without its fact a relation could never be forgotten.
        told = {fact.id for fact in await self._facts.get(scope, [relation.fact_id for relation in relations])}
        new = [relation for relation in relations if relation not in there and relation.fact_id in told]
        if new:
            await self._facts.relate(scope, new)
        return len(new)

    async def _supersede(self, scope: Scope, new_id: str, old_id: str) -> bool:
        """Replace the old one again, as it was replaced then, so that undoing its replacement brings it back."""
        by_id = {fact.id: fact for fact in await self._facts.get(scope, [new_id, old_id])}
        new, old = by_id.get(new_id), by_id.get(old_id)
        if new is None or old is None or old.superseded_at is None or old.superseded_by != new_id:
            return False
        if any(fact.id == old_id for fact in await self._facts.graph.superseded_by(scope, new_id)):
            return False
        if old.kind != "turn" and await self._facts.graph.by_digest(scope, old.content, old.kind, old.speaker) is not None:
            return False  # what it says holds again, under another id
        at = old.superseded_at
        valid_to = None if old.valid_to == (new.valid_from or at) else old.valid_to
        before = replace(old, status="active", superseded_at=None, superseded_by="", valid_to=valid_to)
        await self._facts.update(scope, before, by=BY, trigger=BY)
        await self._facts.supersede(scope, [old_id], new, at=at, by=BY, trigger=BY)
        return True

    async def _settle_conversation(self, scope: Scope, row: Row, *, new: bool) -> bool:
        """What holds of a conversation, behind its invocations; what has been said or set here since goes before it."""
        conversation = await self._conversations.get(scope, row["id"], limit=1)
        if conversation is None:
            return False
        given = row.get("metadata") or {}
        values = {str(key): str(value) for key, value in given.items() if str(key) not in conversation.metadata}
        if values:
            await self._conversations.set_metadata(scope, conversation.id, values)
        ended = False
        if row.get("ended_at"):
            at = datetime.fromisoformat(row["ended_at"])
            if conversation.last_at is None or conversation.last_at <= at:
                ended = await self._conversations.end(scope, conversation.id, at=at)
        return new or bool(values) or ended

    async def _add_switches(self, scope: Scope, switches: Sequence[tuple[str, Switches]]) -> int:
        own = await self._switches.listing(scope) if switches else {}
        changed = 0
        for conversation_id, there in switches:
            here = own.get(conversation_id, Switches())
            both = Switches(read=here.read and there.read, write=here.write and there.write)
            if both != here:
                await self._switches.set(scope, both, conversation_id)
                changed += 1
        return changed

    async def _add_weights(self, scope: Scope, weights: StoredWeights) -> bool:
        profile = (await self._facts.spaces.reading(scope)).profile
        if (weights.profile, weights.dimension) != (profile.name, profile.dimension):
            return False
        if await self._weights.load(scope) is not None:
            return False
        try:
            await self._weights.save(scope, replace(weights, version=1), expected_version=0)
        except Conflict:
            return False  # a turn was learned from in between: what is learned here stays
        return True


def _whole(read: Callable[[], Awaitable[Sequence[Any]]]) -> Listing:
    """A listing of what is read at once, and once."""
    kept: list[Sequence[Any]] = []

    async def listing(limit: int, offset: int) -> Sequence[Any]:
        if not kept:
            kept.append(await read())
        return kept[0][offset : offset + limit]

    return listing


async def _total(listing: Listing, beyond: int) -> int:
    """Records of a tier that has at most ``beyond``: the first place that holds none."""
    low, high = 0, beyond
    while low < high:
        middle = (low + high) // 2
        if await listing(1, middle):
            low = middle + 1
        else:
            high = middle
    return low


# -- lines ---------------------------------------------------------------------------------------------------------------


def _line(kind: str, record: Any) -> str:
    whole = record if isinstance(record, Mapping) else asdict(record)
    row = {name: value for name, value in whole.items() if name not in _LEFT_OUT}
    if kind == "weights":
        row["blob"] = base64.b64encode(row["blob"]).decode()
    return json.dumps({"type": kind, **row}, ensure_ascii=False, sort_keys=True, default=_plain)


def _joined(lines: Sequence[str]) -> str:
    return "".join(line + "\n" for line in lines)


def _take(read: _Read, row: Row, number: int, scope: Scope, policy: DataPolicy) -> None:
    kind = row.get("type")
    if kind is None and "format" in row:
        return  # the heading of a file
    screened = _screened(row, _TEXTS.get(str(kind), ()), policy)
    match kind:
        case "fact":
            read.facts += _kept(_read(Fact, screened or row, number, scope=scope), screened)
        case "episode":
            read.episodes += _kept(_read(Episode, screened or row, number, scope=scope), screened)
        case "invocation":
            read.invocations += _kept(_read(Invocation, screened or row, number), screened)
        case "conversation":
            _check_conversation(row, number)
            if screened:
                read.conversations.append(screened)
        case "relation":
            subject, predicate, other, fact_id = _strings(row, number, "subject", "predicate", "object", "fact_id")
            if screened:
                subject, predicate, other = screened["subject"], screened["predicate"], screened["object"]
                read.relations.append(Relation(subject=subject, predicate=predicate, object=other, fact_id=fact_id))
        case "supersession":
            new_id, old_id = _strings(row, number, "new", "old")
            read.supersessions.append((new_id, old_id))
        case "weights":
            read.weights.append(_weights(row, number))
        case "switches":
            read.switches.append(_switches(row, number))
        case _:
            raise BadRequest(
                f"line {number}: type = {str(kind)[:40]!r} is no record that this version knows: "
                "import it with the version of react-mem that wrote it, or a newer one"
            )


def _kept(record: Any, screened: Row | None) -> Iterator[Any]:
    if screened is not None:
        yield record


def _screened(row: Row, names: Sequence[str], policy: DataPolicy) -> Row | None:
    """The row with its texts as they may be stored; None when one of them may not."""

    def allowed(value: Any) -> Any:
        if isinstance(value, str):
            screened = policy.screen(value)
            if screened.dropped:
                raise _DroppedText
            return screened.text
        if isinstance(value, list):
            return [allowed(each) for each in value]
        if isinstance(value, dict):
            return {key: allowed(each) for key, each in value.items()}
        return value

    try:
        return {**row, **{name: allowed(row[name]) for name in names if name in row}}
    except _DroppedText:
        return None


class _DroppedText(Exception):
    """A text that the policy forbids to store."""


def _strings(row: Row, number: int, *names: str) -> list[str]:
    values = [row.get(name) for name in names]
    for name, value in zip(names, values, strict=True):
        if not isinstance(value, str) or not value:
            raise BadRequest(f"line {number}: a {row['type']} needs {name}, a text")
    return [str(value) for value in values]


def _switches(row: Row, number: int) -> tuple[str, Switches]:
    name, read, write = row.get("conversation_id", ""), row.get("read"), row.get("write")
    if not isinstance(name, str) or not isinstance(read, bool) or not isinstance(write, bool):
        raise BadRequest(f"line {number}: switches need read and write, each true or false")
    return name, Switches(read=read, write=write)


def _check_conversation(row: Row, number: int) -> None:
    _strings(row, number, "id")
    if not isinstance(row.get("metadata") or {}, Mapping):
        raise BadRequest(f"line {number}: the metadata of a conversation must be an object")
    try:
        if row.get("ended_at") and datetime.fromisoformat(row["ended_at"]).tzinfo is None:
            raise ValueError
    except (TypeError, ValueError):
        raise BadRequest(f"line {number}: ended_at = {str(row['ended_at'])[:40]!r} is no ISO 8601 time with its zone") from None


def _plain(value: Any) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(f"no JSON form for {type(value).__name__}")


def _object(line: str, number: int) -> Mapping[str, Any]:
    try:
        row = json.loads(line)
    except json.JSONDecodeError as error:
        raise BadRequest(f"line {number} is not JSON ({error.msg}): import a file that export wrote") from None
    if not isinstance(row, dict):
        raise BadRequest(f"line {number} is a JSON {type(row).__name__}: import a file that export wrote")
    return row


def _read(kind: type[Any], row: Mapping[str, Any], number: int, *, scope: Scope | None = None) -> Any:
    """A record of the row; keys that this version does not know are left out."""
    known = {field.name for field in fields(kind)} - _LEFT_OUT
    values: dict[str, Any] = {name: row[name] for name in row if name in known}
    for name, value in values.items():
        try:
            if name in _TIMES and value is not None:
                values[name] = datetime.fromisoformat(value)
                if values[name].tzinfo is None:
                    raise ValueError
            elif name in _TUPLES:
                values[name] = tuple(str(each) for each in value)
        except (TypeError, ValueError):
            raise BadRequest(f"line {number}: {name} = {str(value)[:40]!r} cannot be read") from None
        if name in _CHOICES and kind is Fact and value not in _CHOICES[name]:
            raise BadRequest(f"line {number}: {name} = {str(value)[:40]!r}: use one of {', '.join(_CHOICES[name])}")
    if not values.get("id"):
        raise BadRequest(f"line {number}: a record needs an id")
    if scope is not None:
        values["scope"] = scope
    try:
        return kind(**values)
    except TypeError as error:
        raise BadRequest(f"line {number}: {str(error).split('__init__() ')[-1]}") from None


def _weights(row: Mapping[str, Any], number: int) -> StoredWeights:
    try:
        return StoredWeights(
            version=int(row["version"]),
            profile=str(row["profile"]),
            dimension=int(row["dimension"]),
            blob=base64.b64decode(row["blob"], validate=True),
            updated_at=datetime.fromisoformat(row["updated_at"]),
        )
    except (KeyError, TypeError, ValueError, binascii.Error):
        raise BadRequest(f"line {number}: these ranking weights cannot be read") from None
