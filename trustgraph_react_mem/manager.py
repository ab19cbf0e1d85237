"""The memory manager: four layers of memory for a program of its own, without a bus.

    async with MemoryManager.open("memory") as memory:
        await memory.learn("dataset-format", "CSV with headers, semicolon-delimited")
        await memory.append("episodic", "Analyzed security of src/: two findings", task="security-scan")
        print(await memory.recall("dataset-format"))
        print(await memory.search("episodic", "security vulnerabilities"))

Working memory lives in the process; episodic, semantic and procedural memory are the same stores that agents use, so what a
program learns under a scope an agent of that scope recalls, and the other way round.  Stores and the embedding model are opened
at the first call that needs them.  Secrets and personal data are treated as everywhere: screened before anything is stored.  A
person's lasting switches hold here too.  Source: memory manager specification.
"""

import asyncio
import json
from collections import deque
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Literal, Self
from uuid import uuid4
from weakref import WeakValueDictionary

from .errors import BadRequest
from .memory.clock import SystemClock
from .memory.embedding import EmbeddingProfile
from .memory.episodes import EpisodeMemory
from .memory.facts import FactMemory
from .memory.language import terms
from .memory.moving import Mover
from .memory.policies import DataPolicy, PersonalData, Secrets
from .memory.ports import Clock, Embedder
from .memory.records import Episode, Fact, FactKind, derived_id
from .memory.scope import Scope
from .models.embedder import RoleEmbedder, open_embedding_model
from .recall.notices import LocalNotices
from .recall.retrieve import RetrievalQuery
from .recall.switching import ModelEpisodeRetriever, ModelRetriever
from .reflect.compact import local_summary

if TYPE_CHECKING:
    from .bootstrap import Stores

Layer = Literal["working", "episodic", "semantic", "procedural"]
LAYERS: tuple[Layer, ...] = ("working", "episodic", "semantic", "procedural")
WORKING_ENTRIES = 50
CHARS_PER_TOKEN = 4
PAGE = 500
VERSIONS_AT_ONCE = 16
#: What an agent's facts are here: knowledge, lessons and topics.  Verbatim turns belong to conversations.
KNOWLEDGE: tuple[FactKind, ...] = ("semantic", "reflective", "topic")


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryEntry:
    """One entry of a layer.  ``metadata`` holds the key of a semantic entry, the condition of a procedural one."""

    id: str
    content: str
    timestamp: datetime
    metadata: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryStats:
    working_memory_tokens: int  # approximate: a quarter of the characters
    episodic_entry_count: int
    semantic_entry_count: int
    procedural_rule_count: int
    total_storage_bytes: int  # of the entries as JSON


@dataclass(frozen=True, slots=True, kw_only=True)
class _Opened:
    stores: "Stores"
    facts: FactMemory
    episodes: EpisodeMemory
    retriever: ModelRetriever
    episode_retriever: ModelEpisodeRetriever
    mover: Mover


class _Stores:
    """Opened once, by whoever needs them first; shared by the views of all scopes."""

    def __init__(self, directory: Path, embedder: Embedder | None, clock: Clock) -> None:
        self._directory = directory
        self._embedder = embedder
        self.clock = clock
        self.learning: WeakValueDictionary[tuple[Scope, str], asyncio.Lock] = WeakValueDictionary()
        self._opened: _Opened | None = None
        self._opening = asyncio.Lock()

    async def get(self) -> _Opened:
        async with self._opening:
            if self._opened is None:
                self._opened = await self._open()
            return self._opened

    async def close(self) -> None:
        if self._opened is not None:
            await self._opened.stores.close()
            self._opened = None

    async def _open(self) -> _Opened:
        from .bootstrap import StoreSettings, open_stores  # brings the bus along, which working memory does not need

        embedder = self._embedder or RoleEmbedder(await open_embedding_model())
        profile: EmbeddingProfile = embedder.profile
        settings = StoreSettings(home=self._directory, graph_url="", vector_url="")
        stores = await open_stores(settings, profile, self.clock)
        notices = LocalNotices()
        models, graph = stores.models(embedder), stores.graph
        retriever = notices.retriever = ModelRetriever.over(models, weight_store=graph.weights, clock=self.clock)
        facts = FactMemory(graph.facts, stores.fact_index, embedder, notices, self.clock, models=models)
        episodes = EpisodeMemory(graph.episodes, stores.episode_index, embedder, notices, models=models)
        return _Opened(
            stores=stores,
            facts=facts,
            episodes=episodes,
            retriever=retriever,
            episode_retriever=ModelEpisodeRetriever.over(models),
            mover=Mover(models, facts, episodes, notices),
        )


class MemoryManager:
    """One scope's four layers.  Create with ``MemoryManager.open``; use as an async context manager."""

    def __init__(self, stores: _Stores, scope: Scope, *, policy: DataPolicy, working_entries: int, owns_stores: bool) -> None:
        self._stores = stores
        self._scope = scope
        self._policy = replace(policy, salt=scope.key)
        self._working: deque[MemoryEntry] = deque(maxlen=working_entries)
        self._owns_stores = owns_stores

    @classmethod
    def open(
        cls,
        directory: Path | str,
        *,
        user: str = "me",
        collection: str = "default",
        workspace: str = "default",
        max_working_entries: int = WORKING_ENTRIES,
        personal_data: PersonalData = "keep",
        secrets: Secrets = "redact",
        embedder: Embedder | None = None,
        clock: Clock | None = None,
    ) -> "MemoryManager":
        """Nothing is opened yet.  One process a directory; its key lies apart from it, as the stack's (``REACT_MEM_KEYS``).

        Raises:
            BadRequest: a name that no scope can have, or no room for working memory.
        """
        if max_working_entries < 1:
            raise BadRequest(f"max_working_entries is {max_working_entries}: at least 1")
        stores = _Stores(Path(directory), embedder, clock or SystemClock())
        scope = Scope(workspace=workspace, user=user, collection=collection)
        policy = DataPolicy(personal_data=personal_data, secrets=secrets)
        return cls(stores, scope, policy=policy, working_entries=max_working_entries, owns_stores=True)

    def shared(self, *, user: str | None = None, collection: str | None = None) -> "MemoryManager":
        """Another agent's view: the same stores, its own working memory, the same scope unless another is named."""
        scope = Scope(
            workspace=self._scope.workspace,
            user=self._scope.user if user is None else user,
            collection=self._scope.collection if collection is None else collection,
        )
        entries = self._working.maxlen or WORKING_ENTRIES
        return MemoryManager(self._stores, scope, policy=self._policy, working_entries=entries, owns_stores=False)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        if self._owns_stores:
            await self._stores.close()

    # ------------------------------------------------------------------------------------------------ writing

    async def append(self, layer: Layer, content: str, **metadata: str | bool | float) -> MemoryEntry:
        """Add an entry; durable on return, working memory apart.

        ``semantic`` takes ``key`` (else the entry's id is the key), ``procedural`` needs ``condition`` (the content is the
        action), ``episodic`` takes ``outcome``, ``lessons`` and ``succeeded``.

        Raises:
            BadRequest: no content, an unknown layer, a rule without a condition, or what must not be stored.
        """
        _known(layer)
        if not content.strip():
            raise BadRequest("an entry needs content: it was empty")
        told = {name: str(value) for name, value in metadata.items()}
        now = self._stores.clock.now()
        entry = MemoryEntry(id=str(uuid4()), content=content, timestamp=now, metadata=told)
        if layer == "working":
            self._working.append(entry)
            return entry
        if layer == "semantic":
            return await self.learn(told.pop("key", entry.id), content, **told)
        if layer == "procedural":
            condition = told.pop("condition", "")
            if not condition:
                raise BadRequest("a rule needs a condition: append('procedural', action, condition='when ...')")
            return await self.learn_rule(condition, content, **told)
        opened = await self._to_write()
        told = {name: self._screened(value) for name, value in told.items()}
        episode = Episode(
            id=entry.id,
            scope=self._scope,
            goal=self._screened(content),
            steps=(),
            outcome=told.pop("outcome", ""),
            lessons=told.pop("lessons", ""),
            succeeded=told.pop("succeeded", "True") == "True",
            created_at=now,
            metadata=told,
        )
        await opened.episodes.store(self._scope, [episode])
        return _of_episode(episode)

    async def learn(self, key: str, value: str, **metadata: str) -> MemoryEntry:
        """Knowledge under a key.  What the key said before is superseded, and stays in ``history``.

        Raises:
            BadRequest: an empty key or value, or what must not be stored.
        """
        if not key.strip() or not value.strip():
            raise BadRequest("learning needs a key and a value: one of them was empty")
        opened = await self._to_write()
        key, value = self._screened_pair(key, value)
        metadata = {name: self._screened(text) for name, text in metadata.items()}
        # a key's versions are numbered: two writers at once would take the same number
        async with self._stores.learning.setdefault((self._scope, key), asyncio.Lock()):
            versions = await self._versions(key)
            now = self._stores.clock.now()
            new = Fact(
                id=self._version_id(key, 1 + max(versions, default=-1)),
                scope=self._scope,
                kind="semantic",
                content=f"{key}: {value}",
                created_at=now,
                valid_from=now,
                entities=(key,),
                metadata={**metadata, "key": key, "value": value},
            )
            current = [fact for fact in versions.values() if fact.status == "active"]
            if current and current[-1].metadata.get("value") == value:
                return _of_fact(current[-1])
            if current:
                await opened.facts.supersede(self._scope, [fact.id for fact in current], new, by="manager")
                return _of_fact(new)
            [stored] = await opened.facts.store(self._scope, [new], by="manager")
            if stored.id != new.id:
                # An agent knows the same sentence already; under this key it can be recalled.  Another key keeps its own.
                same = [] if stored.metadata.get("key") else [stored.id]
                await opened.facts.supersede(self._scope, same, new, by="manager")
            return _of_fact(new)

    async def learn_rule(self, condition: str, action: str, **metadata: str) -> MemoryEntry:
        """A rule that agents of this scope are shown when a task meets its condition."""
        opened = await self._to_write()
        condition, action = self._screened(condition), self._screened(action)
        rule = Fact(
            id=str(uuid4()),
            scope=self._scope,
            kind="procedural",
            content=f"{condition}: {action}",
            condition=condition,
            action=action,
            created_at=self._stores.clock.now(),
            metadata={name: self._screened(text) for name, text in metadata.items()},
        )
        [stored] = await opened.facts.store(self._scope, [rule], by="manager")
        return _of_fact(stored)

    # ------------------------------------------------------------------------------------------------ reading

    async def recall(self, key: str) -> str | None:
        """What is known under exactly this key; None when nothing is."""
        current = [fact for fact in await self._readable_versions(key) if fact.status == "active"]
        return current[-1].metadata.get("value") if current else None

    async def history(self, key: str) -> list[MemoryEntry]:
        """All that was ever learned under the key, newest first."""
        return [_of_fact(fact) for fact in reversed(await self._readable_versions(key))]

    async def search(self, layer: Layer, query: str, limit: int = 10) -> list[MemoryEntry]:
        """Best first: by meaning and words in the stored layers, by words and recency in working memory."""
        _known(layer)
        if limit < 1:
            raise BadRequest(f"limit is {limit}: at least 1")
        if layer == "working":
            return self._search_working(query, limit)
        opened = await self._to_read()
        if opened is None:
            return []
        if layer == "episodic":
            found = await opened.episode_retriever.retrieve(self._scope, query, top_k=limit)
            episodes = {episode.id: episode for episode in await opened.episodes.get(self._scope, [e.id for e in found])}
            return [_of_episode(episodes[e.id]) for e in found if e.id in episodes]
        kinds: tuple[FactKind, ...] = ("procedural",) if layer == "procedural" else KNOWLEDGE
        ranked = await opened.retriever.retrieve(
            self._scope, RetrievalQuery(text=query, top_k=limit, candidates=max(20, limit), kinds=kinds, rerank="off")
        )
        facts = {fact.id: fact for fact in await opened.facts.get(self._scope, [f.id for f in ranked.facts])}
        return [_of_fact(facts[f.id]) for f in ranked.facts if f.id in facts]

    def working_memory(self) -> list[MemoryEntry]:
        """A copy, oldest first."""
        return list(self._working)

    async def episodic_memory(self) -> list[MemoryEntry]:
        """Oldest first."""
        return [_of_episode(episode) for episode in await self._episodes()] if await self._to_read() else []

    async def stats(self) -> MemoryStats:
        episodes, facts = await self._episodes(), await self._facts((*KNOWLEDGE, "procedural"))
        entries = [*self._working, *map(_of_episode, episodes), *map(_of_fact, facts)]
        return MemoryStats(
            working_memory_tokens=sum(len(entry.content) for entry in self._working) // CHARS_PER_TOKEN,
            episodic_entry_count=len(episodes),
            semantic_entry_count=sum(fact.kind in KNOWLEDGE for fact in facts),
            procedural_rule_count=sum(fact.kind == "procedural" for fact in facts),
            total_storage_bytes=sum(len(json.dumps(asdict(entry), default=str).encode()) for entry in entries),
        )

    # ------------------------------------------------------------------------------------------------ making room

    async def compact(self, layer: Layer, *, keep_last: int = 10, summarize_older: bool = True) -> int:
        """Condense all but the newest entries into one; how many were condensed.

        Semantic memory is left as it is.  Older rules are superseded, not summarised; with ``summarize_older`` off, older
        entries go without a summary.
        """
        _known(layer)
        if keep_last < 0:
            raise BadRequest(f"keep_last is {keep_last}: at least 0")
        if layer == "working":
            return self._compact_working(keep_last, summarize_older)
        if layer == "episodic":
            return await self._compact_episodes(keep_last, summarize_older)
        if layer == "procedural":
            opened = await self._stores.get()
            rules = await self._facts(("procedural",))
            older = rules[: max(0, len(rules) - keep_last)]
            await opened.facts.set_status(self._scope, [rule.id for rule in older], "superseded", by="manager")
            return len(older)
        return 0

    async def reembed(self) -> int:
        """After a change of the embedding model: embed anew what the former one found; how many scopes that were.

        Until then every scope is searched as before (by words alone, where the former model cannot be had).  Interrupted, it
        goes on where it was when it is called again.  Raises: ModelUnavailable.
        """
        opened = await self._stores.get()
        waiting = await opened.mover.models.waiting()
        for scope in waiting:
            await opened.mover.move(scope)
        await opened.mover.models.drop_empty()
        return len(waiting)

    async def clear(self, layer: Layer | None = None) -> None:
        """Forget one layer, or all four, for good."""
        for name in LAYERS if layer is None else (_known(layer),):
            if name == "working":
                self._working.clear()
            elif name == "episodic":
                opened = await self._stores.get()
                await opened.episodes.forget(self._scope, [episode.id for episode in await self._episodes()])
            else:
                opened = await self._stores.get()
                gone = await self._facts(("procedural",) if name == "procedural" else KNOWLEDGE, every=True)
                await opened.facts.forget(self._scope, [fact.id for fact in gone])

    def _compact_working(self, keep_last: int, summarize_older: bool) -> int:
        entries = list(self._working)
        older, newest = entries[: max(0, len(entries) - keep_last)], entries[max(0, len(entries) - keep_last) :]
        if not older:
            return 0
        self._working.clear()
        if summarize_older:
            summary = local_summary([_told(entry) for entry in older])
            self._working.append(
                MemoryEntry(id=str(uuid4()), content=summary, timestamp=older[-1].timestamp, metadata={"summary": "true"})
            )
        self._working.extend(newest)
        return len(older)

    async def _compact_episodes(self, keep_last: int, summarize_older: bool) -> int:
        opened, episodes = await self._stores.get(), await self._episodes()
        older = episodes[: max(0, len(episodes) - keep_last)]
        if not older:
            return 0
        if summarize_older:
            summary = Episode(
                id=derived_id("summary", *(episode.id for episode in older)),
                scope=self._scope,
                goal=local_summary([_told(_of_episode(episode)) for episode in older]),
                steps=(),
                outcome="",
                lessons="",
                created_at=older[-1].created_at,
                metadata={"summary": "true", "of": str(len(older))},
            )
            # the summary first: a crash in between leaves both, never neither
            await opened.episodes.store(self._scope, [summary])
        await opened.episodes.forget(self._scope, [episode.id for episode in older])
        return len(older)

    # ------------------------------------------------------------------------------------------------ allowed

    async def _to_write(self) -> _Opened:
        opened = await self._stores.get()
        if not (await opened.stores.graph.switches.get(self._scope)).write:
            raise BadRequest(f"writing memory is switched off for user {self._scope.user!r}: switch it on to store anything")
        return opened

    async def _to_read(self) -> _Opened | None:
        opened = await self._stores.get()
        return opened if (await opened.stores.graph.switches.get(self._scope)).read else None

    def _screened(self, text: str) -> str:
        screened = self._policy.screen(text)
        if screened.dropped:
            kinds = ", ".join(sorted(screened.found))
            raise BadRequest(
                f"this must not be stored, it holds: {kinds}; leave it out, or open the memory with another policy"
            )
        return screened.text

    def _screened_pair(self, key: str, value: str) -> tuple[str, str]:
        """Screened as one sentence, for a key such as "password" tells what its value is."""
        key = self._screened(key)
        told = self._screened(f"{key}: {value}")
        return key, told.removeprefix(f"{key}: ")

    # ------------------------------------------------------------------------------------------------ finding

    def _search_working(self, query: str, limit: int) -> list[MemoryEntry]:
        wanted, scored = set(terms(query)), []
        for place, entry in enumerate(self._working):
            said = terms(f"{entry.content} {' '.join(entry.metadata.values())}")
            score = 2 * sum(term in wanted for term in said)
            score += sum(any(want in term for term in said) for want in wanted)
            if score:
                scored.append((score, place, entry))
        return [entry for _, _, entry in sorted(scored, key=lambda item: item[:2], reverse=True)[:limit]]

    def _version_id(self, key: str, number: int) -> str:
        return derived_id("key", self._scope.key, key, number)

    async def _readable_versions(self, key: str) -> list[Fact]:
        if await self._to_read() is None:
            return []
        return list((await self._versions(self._screened_pair(key, "")[0])).values())

    async def _versions(self, key: str) -> dict[int, Fact]:
        """By number, oldest first.  Their ids follow from the key and the number: an exact recall reads, and searches nothing.

        A forgotten version leaves a gap.
        """
        opened, found, start = await self._stores.get(), dict[int, Fact](), 0
        while True:
            ids = {self._version_id(key, number): number for number in range(start, start + VERSIONS_AT_ONCE)}
            page = {ids[fact.id]: fact for fact in await opened.facts.get(self._scope, list(ids))}
            found |= {number: page[number] for number in sorted(page)}
            if not page:
                return found
            start += VERSIONS_AT_ONCE

    async def _episodes(self) -> list[Episode]:
        opened, found = await self._stores.get(), list[Episode]()
        while True:
            page = await opened.episodes.listing(self._scope, limit=PAGE, offset=len(found))
            found += page
            if len(page) < PAGE:
                return found[::-1]

    async def _facts(self, kinds: Sequence[FactKind], *, every: bool = False) -> list[Fact]:
        opened, found = await self._stores.get(), list[Fact]()
        while True:
            page = await opened.facts.listing(
                self._scope,
                kinds=kinds,
                statuses=("active", "quarantined", "superseded") if every else ("active",),
                limit=PAGE,
                offset=len(found),
            )
            found += page
            if len(page) < PAGE:
                return found[::-1]


def _known(layer: Layer) -> Layer:
    if layer not in LAYERS:
        raise BadRequest(f"layer {layer!r} is unknown: one of {', '.join(LAYERS)}")
    return layer


def _of_fact(fact: Fact) -> MemoryEntry:
    extra = {"condition": fact.condition, "action": fact.action} if fact.kind == "procedural" else {}
    told = {name: value for name, value in fact.metadata.items() if name != "value"}
    content = fact.metadata.get("value") or fact.action or fact.content
    return MemoryEntry(id=fact.id, content=content, timestamp=fact.created_at, metadata={**told, **extra})


def _of_episode(episode: Episode) -> MemoryEntry:
    extra = {"outcome": episode.outcome, "lessons": episode.lessons} if episode.outcome or episode.lessons else {}
    told = {**dict(episode.metadata), **extra, "succeeded": str(episode.succeeded)}
    return MemoryEntry(id=episode.id, content=episode.goal, timestamp=episode.created_at, metadata=told)


def _told(entry: MemoryEntry) -> str:
    marks = " ".join(f"{name}={value}" for name, value in entry.metadata.items() if name not in ("summary", "succeeded"))
    return f"{entry.content} [{marks}]" if marks else entry.content
