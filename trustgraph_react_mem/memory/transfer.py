"""A scope as lines of JSON and back: facts of every status, episodes, conversations, ranking weights.

What is derived is left out and made anew: vectors, keys, the index.  Ids, times, status and provenance are kept, so reading
the same lines twice is reading them once, and a scope can move to another machine or embedding model.  Weights are taken over
only where there are none, and only under the embedding model they belong to.
"""

import base64
import binascii
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, fields, replace
from datetime import datetime
from typing import Any, get_args

from ..errors import BadRequest, Conflict
from .episodes import EpisodeMemory
from .facts import FactMemory
from .ports import ConversationGraph, StoredWeights, WeightStore
from .records import FACT_KINDS, Conversation, Episode, Fact, FactStatus, Invocation, Trust
from .scope import Scope

STATUSES: tuple[FactStatus, ...] = get_args(FactStatus)
_TIMES = frozenset({"created_at", "said_at", "valid_from", "valid_to", "superseded_at", "last_used_at", "at", "updated_at"})
_TUPLES = frozenset({"entities", "turn_ids", "steps", "recalled_ids"})
_LEFT_OUT = frozenset({"scope", "indexed"})
_CHOICES: Mapping[str, Sequence[str]] = {"kind": FACT_KINDS, "status": STATUSES, "trust": get_args(Trust)}

Listing = Callable[[int, int], Awaitable[Sequence[Any]]]  # limit, offset


class MemoryTransfer:
    def __init__(
        self, facts: FactMemory, episodes: EpisodeMemory, conversations: ConversationGraph, weights: WeightStore
    ) -> None:
        self._facts = facts
        self._episodes = episodes
        self._conversations = conversations
        self._weights = weights

    async def export_page(self, scope: Scope, limit: int, offset: int) -> tuple[str, int]:
        """Records ``offset`` to ``offset + limit`` of facts, episodes, conversations and weights, one a line, and their number.

        A page with 0 records is behind the last.
        """
        lines: list[str] = []
        for kind, listing in self._tiers(scope):
            if len(lines) == limit:
                break
            records = await listing(limit - len(lines), offset)
            lines += [_line(kind, record) for record in records]
            offset = 0 if records else max(0, offset - await _total(listing, offset))
        return "".join(line + "\n" for line in lines), len(lines)

    async def import_lines(self, scope: Scope, text: str) -> int:
        """Number of records that were not there.  Nothing is written before every line was read.

        Raises:
            BadRequest: a line is no record of an export; it names the line and what is wrong with it.
        """
        facts: list[Fact] = []
        episodes: list[Episode] = []
        conversations: list[tuple[Mapping[str, Any], list[Invocation]]] = []
        weights: StoredWeights | None = None
        for number, line in enumerate(text.splitlines(), start=1):
            if not line.strip():
                continue
            row = _object(line, number)
            match row.get("type"):
                case "fact":
                    facts.append(_read(Fact, row, number, scope=scope))
                case "episode":
                    episodes.append(_read(Episode, row, number, scope=scope))
                case "conversation":
                    conversations.append((row, [_read(Invocation, each, number) for each in _rows(row, number)]))
                case "weights":
                    weights = _weights(row, number)
                case other if "format" not in row:  # the header of a file has a format and no type
                    raise BadRequest(f"line {number}: type = {other!r} is no record of an export")
        added = await self._add_facts(scope, facts)
        there = {episode.id for episode in await self._episodes.get(scope, [episode.id for episode in episodes])}
        new = [episode for episode in episodes if episode.id not in there]
        await self._episodes.store(scope, new)
        added += len(new)
        for row, invocations in conversations:
            added += await self._add_conversation(scope, row, invocations)
        return added + int(weights is not None and await self._add_weights(scope, weights))

    # -- writing -----------------------------------------------------------------------------------------------------

    def _tiers(self, scope: Scope) -> list[tuple[str, Listing]]:
        async def facts(limit: int, offset: int) -> Sequence[Fact]:
            return await self._facts.listing(scope, statuses=STATUSES, limit=limit, offset=offset)

        async def episodes(limit: int, offset: int) -> Sequence[Episode]:
            return await self._episodes.listing(scope, limit=limit, offset=offset)

        async def conversations(limit: int, offset: int) -> Sequence[Conversation]:
            listed = await self._conversations.listing(scope, limit=limit, offset=offset)
            whole = [await self._conversations.get(scope, conversation.id, limit=0) for conversation in listed]
            return [conversation for conversation in whole if conversation is not None]

        async def weights(limit: int, offset: int) -> Sequence[StoredWeights]:
            stored = await self._weights.load(scope) if limit and not offset else None
            return [stored] if stored else []

        return [("fact", facts), ("episode", episodes), ("conversation", conversations), ("weights", weights)]

    async def _add_facts(self, scope: Scope, facts: Sequence[Fact]) -> int:
        """All into the graph, then all indexed: a turn's keys need its neighbours.."""
        there = {fact.id: fact for fact in await self._facts.get(scope, [fact.id for fact in facts])}
        new = []
        for fact in facts:
            if fact.id in there:
                continue
            if fact.status == "active" and fact.kind != "turn":
                same = await self._facts.graph.by_digest(scope, fact.content, fact.kind)
                if same is not None:
                    continue
            new.append(fact)
        if new:
            await self._facts.graph.put(new, change="created", by="import", trigger="import")
        waiting = [*new, *(fact for fact in there.values() if not fact.indexed)]
        if waiting:
            await self._facts.finish_indexing(scope, waiting)
        return len(new)

    async def _add_conversation(self, scope: Scope, row: Mapping[str, Any], invocations: Sequence[Invocation]) -> int:
        conversation_id = str(row["id"])
        new = [await self._conversations.append(scope, invocation) for invocation in invocations]
        if any(new):
            metadata = row.get("metadata")
            if isinstance(metadata, Mapping) and metadata:
                values = {str(key): str(value) for key, value in metadata.items()}
                await self._conversations.set_metadata(scope, conversation_id, values)
            ended = row.get("ended_at")
            if ended:
                await self._conversations.end(scope, conversation_id, at=datetime.fromisoformat(ended))
        return int(any(new))

    async def _add_weights(self, scope: Scope, weights: StoredWeights) -> bool:
        profile = self._facts.index.profile
        if (weights.profile, weights.dimension) != (profile.name, profile.dimension):
            return False
        if await self._weights.load(scope) is not None:
            return False
        try:
            await self._weights.save(scope, replace(weights, version=1), expected_version=0)
        except Conflict:
            return False  # a turn was learned from in between: what is learned here stays
        return True


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
    row = {name: value for name, value in asdict(record).items() if name not in _LEFT_OUT}
    if kind == "weights":
        row["blob"] = base64.b64encode(row["blob"]).decode()
    if kind == "conversation":
        row["invocations"] = [dict(invocation) for invocation in row["invocations"]]
    return json.dumps({"type": kind, **row}, ensure_ascii=False, sort_keys=True, default=_plain)


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


def _rows(row: Mapping[str, Any], number: int) -> list[Mapping[str, Any]]:
    found = row.get("invocations")
    if not row.get("id") or not isinstance(found, list) or not all(isinstance(each, Mapping) for each in found):
        raise BadRequest(f"line {number}: a conversation needs an id and a list of invocations")
    try:
        if row.get("ended_at"):
            datetime.fromisoformat(str(row["ended_at"]))
    except ValueError:
        raise BadRequest(f"line {number}: ended_at = {row['ended_at']!r} is no ISO 8601 time") from None
    return found


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
