"""Episodes, conversations, the job store, weights, switches and keys in plain dictionaries, held to the suites of the real
ones.  ``MemoryStores`` holds them all, as ``stores.opening.GraphStores`` does for a graph engine."""

import asyncio
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from tests.doubles.fact_graph import MemoryFactGraph
from tests.doubles.record_graph import Check, MemoryRecordGraph
from trustgraph_react_mem.errors import BadRequest, Conflict, EngineUnavailable, ScopeChanged, ScopeClosed, ScopeErased
from trustgraph_react_mem.memory.clock import TOLERANCE
from trustgraph_react_mem.memory.fencing import CLOSED_FOR, held_token
from trustgraph_react_mem.memory.ports import (
    ALL_REWARDS,
    Clock,
    FencingToken,
    JobEntry,
    JobKind,
    JobRef,
    JobState,
    LoggedReward,
    ScopeEpoch,
    StoredWeights,
    Switches,
)
from trustgraph_react_mem.memory.records import Conversation, Episode, Invocation, check_not_reserved
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.memory.trust.owner_seal import OwnerSeal


class MemoryEpisodeGraph(MemoryRecordGraph[Episode]):
    """``EpisodeGraph``."""

    async def put(self, episodes: Sequence[Episode]) -> None:
        self._hold()
        for episode in episodes:
            self._store(episode)

    async def listing(
        self, scope: Scope, *, undone: bool = False, before: datetime | None = None, limit: int = 100, offset: int = 0
    ) -> list[Episode]:
        self._check()
        held = [episode for episode in self._live(scope) if undone or episode.undone_at is None]
        held = [episode for episode in held if before is None or episode.created_at < before]
        found = sorted(held, key=lambda episode: episode.id)
        found.sort(key=lambda episode: episode.created_at, reverse=True)
        return found[offset : offset + limit]

    async def by_source(
        self, scope: Scope, *, invocation_ids: Sequence[str] = (), conversation_ids: Sequence[str] = ()
    ) -> list[Episode]:
        self._check()
        told, sources = set(invocation_ids) - {""}, set(conversation_ids) - {""}
        return [each for each in self._live(scope) if each.metadata.get("invocation_id", "") in told or each.source in sources]

    async def list_marked_by(self, scope: Scope, operation: str) -> list[Episode]:
        self._check()
        return [episode for episode in self._live(scope) if episode.operation == operation]

    async def list_changed_since(self, scope: Scope, at: datetime) -> list[Episode]:
        self._check()
        return [each for each in self._live(scope) if max(each.created_at, each.undone_at or each.created_at) >= at]

    async def mark_undone(self, scope: Scope, ids: Sequence[str], at: datetime | None, operation: str) -> None:
        self._hold()
        for episode in self._live(scope, ids):
            self._store(replace(episode, undone_at=at, operation=operation, indexed=False))

    async def count(self, scope: Scope) -> int:
        self._check()
        return sum(episode.undone_at is None for episode in self._live(scope))


class MemoryConversationGraph:
    """``ConversationGraph``."""

    def __init__(self, check: Check, hold: Check) -> None:
        self._check, self._hold = check, hold
        self.conversations: dict[tuple[Scope, str], Conversation] = {}
        self.sessions: dict[tuple[Scope, str], str] = {}  # name of a refinement session -> its conversation

    async def append(self, scope: Scope, invocation: Invocation) -> bool:
        return await self.append_many(scope, [invocation]) == 1

    async def append_many(self, scope: Scope, invocations: Sequence[Invocation]) -> int:
        for invocation in invocations:
            check_not_reserved("the conversation id", invocation.conversation_id)
            check_not_reserved("the id of the invocation", invocation.id)
        return self.append_to(scope, invocations)

    def append_to(
        self,
        scope: Scope,
        invocations: Sequence[Invocation],
        *,
        metadata: Mapping[str, str] | None = None,
        expected: int | None = None,
        ended: bool = False,
    ) -> int:
        self._hold()
        known = {item.id for item in self._items(scope)}
        new = [each for each in {each.id: each for each in invocations}.values() if each.id not in known]
        if not new:
            return 0
        key, began = (scope, new[0].conversation_id), min(each.at for each in new)
        before = self.conversations.get(key) or Conversation(
            id=key[1], scope=scope, started_at=began, last_at=began, metadata=dict(metadata or {})
        )
        if expected not in (None, before.turns):
            raise Conflict("another number of events")
        placed = [replace(each, position=before.turns + n) for n, each in enumerate(new)]
        self.conversations[key] = replace(
            before,
            invocations=(*before.invocations, *placed),
            turns=before.turns + len(new),
            last_at=max(before.last_at or began, *(each.at for each in new)),
            ended_at=before.started_at if ended else None,
        )
        return len(new)

    async def get(self, scope: Scope, conversation_id: str, *, limit: int = 0, undone: bool = False) -> Conversation | None:
        self._check()
        found = self.conversations.get((scope, conversation_id))
        if found is None:
            return None
        export_page = tuple(item for item in found.invocations if undone or not item.undone_at)
        return replace(found, invocations=export_page[-limit:])

    async def invocations(self, scope: Scope, ids: Sequence[str]) -> list[Invocation]:
        self._check()
        found = [item for item in self._items(scope) if item.id in ids]
        return sorted(found, key=lambda item: (item.conversation_id, item.position))

    async def rewrite(self, scope: Scope, invocations: Sequence[Invocation]) -> None:
        self._hold()
        new = {item.id: item for item in invocations}
        self._change(scope, lambda item: _with_texts(item, new.get(item.id, item)))

    async def list_changed_since(self, scope: Scope, at: datetime) -> list[Invocation]:
        self._check()
        return [item for item in self._items(scope) if max(item.at, item.undone_at or item.at) >= at]

    async def list_marked_by(self, scope: Scope, operation: str) -> list[Invocation]:
        self._check()
        return [item for item in self._items(scope) if item.operation == operation]

    async def mark_undone(self, scope: Scope, ids: Sequence[str], at: datetime | None, operation: str) -> None:
        self._hold()
        self._change(scope, lambda item: replace(item, undone_at=at, operation=operation) if item.id in ids else item)

    async def listing(self, scope: Scope, *, limit: int = 100, offset: int = 0) -> list[Conversation]:
        self._check()
        return self.page((held for _, held in self._talks(scope)), limit, offset)

    async def list_within(
        self, scope: Scope, prefix: str, after: datetime, until: datetime, *, limit: int
    ) -> list[Conversation]:
        found = await self.listing(scope, limit=len(self.conversations))
        return [held for held in found if held.id.startswith(prefix) and held.last_at and after <= held.last_at <= until][
            :limit
        ]

    async def end(self, scope: Scope, conversation_id: str, *, at: datetime) -> bool:
        self._hold()
        found = self.conversations.get((scope, conversation_id))
        if found is None or found.ended_at is not None:
            return False
        self.conversations[scope, conversation_id] = replace(found, ended_at=at)
        return True

    async def set_metadata(self, scope: Scope, conversation_id: str, values: Mapping[str, str]) -> None:
        self._hold()
        found = self.conversations.get((scope, conversation_id))
        if found is not None:
            merged = {key: value for key, value in {**found.metadata, **values}.items() if value or ":" not in key}
            self.conversations[scope, conversation_id] = replace(found, metadata=merged)

    async def idle_since(self, before: datetime, *, limit: int = 100) -> list[Conversation]:
        self._check()
        open_ones = [held for held in self.conversations.values() if held.ended_at is None]
        return [replace(held, invocations=()) for held in open_ones if held.last_at and held.last_at < before][:limit]

    async def forget(self, scope: Scope, conversation_id: str) -> None:
        self._hold()
        for key in [key for key, of in self.sessions.items() if key[0] == scope and conversation_id in (of, key[1])]:
            del self.sessions[key]
            if key[1] != conversation_id:
                del self.conversations[key]
        self.conversations.pop((scope, conversation_id), None)

    async def forget_scope(self, scope: Scope) -> None:
        self._hold()
        for key in [key for key in self.sessions if key[0] == scope]:
            del self.sessions[key]
        for key, _ in self._own(scope):
            del self.conversations[key]

    async def count(self, scope: Scope) -> Mapping[str, int]:
        self._check()
        own = [held for _, held in self._talks(scope)]
        return {"conversations": len(own), "invocations": sum(held.turns for held in own)}

    def page(self, found: Iterable[Conversation], limit: int, offset: int = 0) -> list[Conversation]:
        """Newest first, without invocations."""
        newest = sorted(sorted(found, key=lambda held: held.id), key=lambda held: str(held.last_at), reverse=True)
        return [replace(held, invocations=()) for held in newest[offset : offset + limit]]

    def _talks(self, scope: Scope) -> list[tuple[tuple[Scope, str], Conversation]]:
        """Without the sessions."""
        return [(key, held) for key, held in self._own(scope) if key not in self.sessions]

    def _own(self, scope: Scope) -> list[tuple[tuple[Scope, str], Conversation]]:
        return [(key, held) for key, held in self.conversations.items() if key[0] == scope]

    def _items(self, scope: Scope) -> list[Invocation]:
        return [item for _, held in self._own(scope) for item in held.invocations]

    def _change(self, scope: Scope, change: Callable[[Invocation], Invocation]) -> None:
        for key, held in self._own(scope):
            self.conversations[key] = replace(held, invocations=tuple(map(change, held.invocations)))


class MemoryRefinementGraph:
    """``RefinementGraph`` among the conversations."""

    def __init__(self, conversations: MemoryConversationGraph, check: Check) -> None:
        self._conversations, self._check = conversations, check

    async def append(
        self, scope: Scope, events: Sequence[Invocation], *, of: str, metadata: Mapping[str, str], expected: int | None = None
    ) -> int:
        added = self._conversations.append_to(scope, events, metadata=metadata, expected=expected, ended=True)
        for event in events[:added]:
            self._conversations.sessions.setdefault((scope, event.conversation_id), of)
        return added

    async def listing(self, scope: Scope, *, of: str = "", limit: int = 100, offset: int = 0) -> list[Conversation]:
        self._check()
        return self._conversations.page(self._own(scope, of), limit, offset)

    async def silent_since(self, scope: Scope, before: datetime, *, limit: int = 100) -> list[Conversation]:
        self._check()
        return self._conversations.page([held for held in self._own(scope) if held.last_at and held.last_at < before], limit)

    async def count(self, scope: Scope, *, of: str = "") -> int:
        self._check()
        return len(self._own(scope, of))

    def _own(self, scope: Scope, of: str = "") -> list[Conversation]:
        keys = [key for key, parent in self._conversations.sessions.items() if key[0] == scope and of in ("", parent)]
        return [self._conversations.conversations[key] for key in keys if key in self._conversations.conversations]


def _with_texts(item: Invocation, new: Invocation) -> Invocation:
    return replace(item, query=new.query, summary=new.summary, result=new.result, steps=new.steps)


class MemoryJobStore:
    """``JobStore``."""

    def __init__(self, check: Check, hold: Check) -> None:
        self._check, self._hold = check, hold
        self.entries: dict[JobRef, JobEntry] = {}
        self.spent: dict[tuple[Scope, str], int] = {}

    async def save(self, entries: Sequence[JobEntry]) -> None:
        self._check()
        self.entries |= {entry.ref: entry for entry in entries}

    async def get(self, refs: Sequence[JobRef]) -> list[JobEntry]:
        self._check()
        return [self.entries[ref] for ref in dict.fromkeys(refs) if ref in self.entries]

    async def listing(self, scope: Scope | None, *, states: Sequence[JobState] = (), limit: int = 100) -> list[JobEntry]:
        self._check()
        found = [
            entry
            for entry in self.entries.values()
            if (scope is None or entry.scope == scope) and (not states or entry.state in states)
        ]
        return sorted(found, key=lambda entry: entry.updated_at, reverse=True)[:limit]

    async def last_done(self, scope: Scope, kind: JobKind, *, without: Sequence[str]) -> JobEntry | None:
        done = await self.listing(scope, states=("done",), limit=len(self.entries) + 1)
        return next((e for e in done if e.kind == kind and not any(note in e.summary for note in without)), None)

    async def due(self, now: datetime, *, limit: int = 100) -> list[JobEntry]:
        self._check()
        found = [
            entry
            for entry in self.entries.values()
            if entry.state == "deferred" and entry.not_before is not None
            if entry.not_before <= now or entry.updated_at > now + TOLERANCE
        ]
        return sorted(found, key=lambda entry: (entry.created_at, entry.job_id))[:limit]

    async def prune(self, before: datetime, *, dead_before: datetime) -> None:
        self._check()
        self.spent = {key: tokens for key, tokens in self.spent.items() if key[1] >= before.date().isoformat()}
        limits = {"done": before, "cancelled": before, "dead": dead_before}
        self._removed(lambda entry: entry.state in limits and entry.updated_at < limits[entry.state])

    async def remove(self, refs: Sequence[JobRef]) -> int:
        self._check()
        return self._removed(lambda entry: entry.ref in refs)

    async def forget_scope(self, scope: Scope) -> None:
        self._check()
        self.spent = {key: tokens for key, tokens in self.spent.items() if key[0] != scope}
        self._removed(lambda entry: entry.scope == scope)

    async def spend(self, scope: Scope, day: str, tokens: int) -> int:
        self._hold()
        total = self.spent.get((scope, day), 0) + tokens
        if tokens:
            self.spent[scope, day] = total
        return total

    def _removed(self, chosen: Callable[[JobEntry], bool]) -> int:
        gone = [ref for ref, entry in self.entries.items() if chosen(entry)]
        for ref in gone:
            del self.entries[ref]
        return len(gone)


class MemoryWeightStore:
    """``WeightStore``."""

    def __init__(self, check: Check, hold: Check) -> None:
        self._check, self._hold = check, hold
        self.weights: dict[Scope, StoredWeights] = {}
        self.rows: dict[Scope, dict[str, tuple[datetime, Mapping[str, float]]]] = {}

    async def load(self, scope: Scope) -> StoredWeights | None:
        self._check()
        return self.weights.get(scope)

    async def save(self, scope: Scope, weights: StoredWeights, *, expected_version: int) -> None:
        self._hold()
        stored = self.weights.get(scope)
        if (stored.version if stored else 0) != expected_version:
            raise Conflict("another writer changed the record first: read it again")
        self.weights[scope] = weights

    async def log_reward(self, scope: Scope, at: datetime, row: Mapping[str, float], job_id: str) -> None:
        self._hold()
        self.rows.setdefault(scope, {}).setdefault(job_id, (at, dict(row)))

    async def reward_log(self, scope: Scope, *, limit: int = ALL_REWARDS) -> list[LoggedReward]:
        self._check()
        logged = [LoggedReward(job_id=job_id, at=at, row=row) for job_id, (at, row) in self.rows.get(scope, {}).items()]
        return sorted(logged, key=lambda each: (each.at, each.job_id))[-limit:]

    async def forget_scope(self, scope: Scope) -> None:
        self._hold()
        self.rows.pop(scope, None)
        self.weights.pop(scope, None)


class MemorySwitchStore:
    """``SwitchStore``."""

    def __init__(self, check: Check, hold: Check) -> None:
        self._check, self._hold = check, hold
        self.switches: dict[tuple[Scope, str], Switches] = {}

    async def get(self, scope: Scope, conversation_id: str = "") -> Switches:
        self._check()
        found = [self.switches[key] for key in {(scope, ""), (scope, conversation_id)} if key in self.switches]
        return Switches(read=all(each.read for each in found), write=all(each.write for each in found))

    async def set(self, scope: Scope, switches: Switches, conversation_id: str = "") -> None:
        self._hold()
        self.switches[scope, conversation_id] = switches

    async def listing(self, scope: Scope) -> Mapping[str, Switches]:
        self._check()
        return {name: switches for (owner, name), switches in self.switches.items() if owner == scope}

    async def forget_scope(self, scope: Scope) -> None:
        self._hold()
        self.switches = {key: found for key, found in self.switches.items() if key[0] != scope}


class MemoryKeyRing:
    """``KeyRing`` whose keys are numbers and whose sealing only says which key it took: quick, and honest about erasing.

    Sealed text: number of the key, number of the sealing, turn, binding and text in hexadecimal.
    """

    remains = ""

    def __init__(self, check: Check, hold: Check) -> None:
        self._check, self._hold = check, hold
        self.keys: dict[Scope, int] = {}
        self.forgotten: dict[tuple[Scope, str], int] = {}  # by turn: the last sealing that is unreadable
        self._made = 0

    async def seal(self, scope: Scope, plain: bytes, *, binding: bytes = b"", turn: str = "") -> str:
        self._hold()
        if scope not in self.keys:
            self._made += 1
            self.keys[scope] = self._made
        self._made += 1  # no two sealed texts are the same
        return f"{self.keys[scope]}#{self._made}#{turn.encode().hex()}#{binding.hex()}#{plain.hex()}#"

    async def open(self, scope: Scope, sealed: str, *, binding: bytes = b"") -> bytes:
        self._check()
        if sealed.count("#") != 5 or not sealed.endswith("#"):
            raise BadRequest("damaged")
        if not self.opens(scope, sealed):
            raise ScopeErased("this scope's key was destroyed")
        _, _, _, bound, text, _ = sealed.split("#")
        if bound != binding.hex():
            raise BadRequest("sealed for another job")
        return bytes.fromhex(text)

    def opens(self, scope: Scope, sealed: str) -> bool:
        """Whether a key that is there opens the text."""
        key, made, turn, *_ = sealed.split("#")
        if key != str(self.keys.get(scope, "")):
            return False
        return int(made) > self.forgotten.get((scope, bytes.fromhex(turn).decode()), 0)

    def read_sealing_time(self, sealed: str) -> datetime | None:
        return None

    async def is_current(self, scope: Scope, sealed: str) -> bool:
        return True

    async def hash_key(self, scope: Scope) -> bytes:
        await self.seal(scope, b"")
        return f"hash key {self.keys[scope]}".encode()

    async def forget(self, scope: Scope, turns: Collection[str]) -> int:
        self._hold()
        named = {*turns} - {""}
        for turn in named:
            self.forgotten[scope, turn] = self._made
        return len(named)

    async def destroy(self, scope: Scope) -> bool:
        self._hold()
        return self.keys.pop(scope, None) is not None


class MemoryScopeFence:
    """``ScopeFence``; ``hold`` is what a write calls first.  Between its look at the claim and the write nothing else runs."""

    shared = True

    def __init__(self, clock: Clock, check: Check = lambda: None) -> None:
        self._clock, self._check = clock, check
        self.fence: dict[Scope, ScopeEpoch] = {}
        self._closed_until: dict[Scope, datetime] = {}
        self._erased_at: dict[Scope, datetime] = {}

    def hold(self) -> None:
        self._check()
        claim = held_token()
        if claim is not None:
            self._look(claim)
            claim.good_at = asyncio.get_running_loop().time()

    async def check(self, claim: FencingToken) -> None:
        self._check()
        self._look(claim)

    def _look(self, claim: FencingToken) -> None:
        if self._of(claim.scope).number != claim.number:
            raise ScopeChanged("something of the scope was forgotten: begin again")

    async def claim(self, scope: Scope) -> FencingToken:
        self._check()
        if self._closed_until.get(scope, self._clock.now()) > self._clock.now():
            raise ScopeClosed("something is being forgotten: try again")
        epoch = self._of(scope)
        return FencingToken(scope, epoch.number, epoch.erasures, asyncio.get_running_loop().time())

    async def close(self, scope: Scope, *, erasing: bool, token: FencingToken | None = None) -> ScopeEpoch:
        self._check()
        if token is not None:
            self._look(token)
        now, epoch = self._clock.now(), self._of(scope)
        self.fence[scope] = ScopeEpoch(number=epoch.number + 1, erasures=epoch.erasures + int(erasing))
        self._closed_until[scope] = now + CLOSED_FOR
        if erasing:
            self._erased_at[scope] = now
        return self.fence[scope]

    async def advance(self, token: FencingToken) -> None:
        self._check()
        self._look(token)
        epoch = self._of(token.scope)
        self.fence[token.scope] = ScopeEpoch(number=epoch.number + 1, erasures=epoch.erasures)
        token.number += 1

    async def reopen(self, scope: Scope, epoch: ScopeEpoch) -> None:
        self._check()
        if self._of(scope).number == epoch.number:
            self._closed_until.pop(scope, None)

    async def list_erased_since(self, at: datetime) -> list[tuple[Scope, datetime]]:
        self._check()
        found = [(scope, erased_at) for scope, erased_at in self._erased_at.items() if erased_at >= at]
        return sorted(found, key=lambda pair: pair[0].key)

    async def prune_erasures(self, before: datetime) -> None:
        self._check()
        self._erased_at = {scope: at for scope, at in self._erased_at.items() if at >= before}

    def _of(self, scope: Scope) -> ScopeEpoch:
        return self.fence.get(scope, ScopeEpoch(number=0, erasures=0))


@dataclass(slots=True)
class Engine:
    """Only open or closed."""

    closed: bool = field(default=False)

    def check(self) -> None:
        if self.closed:
            raise EngineUnavailable("the graph is closed")

    async def close(self) -> None:
        self.closed = True


class MemoryStores:
    """Every port of a graph engine, in memory; it outlives the worker that uses it."""

    def __init__(self, clock: Clock) -> None:
        self.engine = Engine()
        check = self.engine.check
        self.fence = MemoryScopeFence(clock, check)
        hold = self.fence.hold
        self.facts = MemoryFactGraph(clock, check, hold)
        self.episodes = MemoryEpisodeGraph(check, hold)
        self.conversations = MemoryConversationGraph(check, hold)
        self.refinements = MemoryRefinementGraph(self.conversations, check)
        self.job_store = MemoryJobStore(check, hold)
        self.weights = MemoryWeightStore(check, hold)
        self.switches = MemorySwitchStore(check, hold)
        self.keyring = MemoryKeyRing(check, hold)
        self.owner_seal = OwnerSeal(b"a master key of 32 bytes length.")
        self.scopes = MemoryScopes(self)

    async def close(self) -> None:
        await self.engine.close()


class MemoryScopes:
    """Which scopes hold anything."""

    def __init__(self, stores: MemoryStores) -> None:
        self._stores = stores

    async def of_user(self, workspace: str, user: str) -> list[Scope]:
        return [scope for scope in await self.scopes(workspace) if scope.user == user]

    async def scopes(self, workspace: str) -> list[Scope]:
        """Of that workspace, sorted."""
        stores = self._stores
        stores.engine.check()
        found: set[Scope] = {
            *(scope for scope, facts in stores.facts.held.items() if facts),
            *(scope for scope, episodes in stores.episodes.held.items() if episodes),
            *(scope for scope, _ in stores.conversations.conversations),
            *(entry.scope for entry in stores.job_store.entries.values()),
            *(scope for scope, _ in stores.job_store.spent),
            *stores.weights.weights,
            *(scope for scope, rows in stores.weights.rows.items() if rows),
            *(scope for scope, _ in stores.switches.switches),
            *stores.keyring.keys,
        }
        return sorted((scope for scope in found if scope.workspace == workspace), key=lambda scope: scope.key)
