"""The four memory layers of one scope."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from types import TracebackType
from typing import Self
from uuid import uuid4

from ..errors import BadRequest
from ..learning.handlers.compact import local_summary
from ..memory.clock import SystemClock
from ..memory.policies import DataPolicy, PersonalData, Secrets
from ..memory.ports import Clock, Embedder
from ..memory.records import FACT_STATUSES, Episode, Fact, FactKind, derived_id
from ..memory.scope import Scope
from ..migration.reembed import move_scope
from ..retrieval.query import RetrievalQuery
from .entries import LAYERS, Layer, MemoryEntry, MemoryStats, check_layer, entry_from_episode, entry_from_fact, format_entry
from .stores import ManagedStores, OpenStores
from .working import WORKING_ENTRIES, WorkingEntries

PAGE = 500
VERSIONS_AT_ONCE = 16
#: Kinds of facts that form the semantic layer.  Verbatim turns belong to conversations and are not part of it.
KNOWLEDGE: tuple[FactKind, ...] = ("semantic", "reflective", "topic")


class MemoryManager:
    """The four memory layers of one scope.  Create it with ``MemoryManager.open`` and use it as an async context manager."""

    def __init__(
        self, stores: ManagedStores, scope: Scope, working: WorkingEntries, *, policy: DataPolicy, owns_stores: bool
    ) -> None:
        self._stores = stores
        self._scope = scope
        self._policy = replace(policy, salt=scope.key)
        self._working = working
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
        """Create a manager for a data directory.  The stores are opened later, by the first call that needs them.

        Only one process at a time can use a directory.  The master key is stored outside of it (``REACT_MEM_KEYS``), like the
        key of the services.

        Raises:
            BadRequest: an invalid workspace, user or collection name, or ``max_working_entries`` below 1.
        """
        if max_working_entries < 1:
            raise BadRequest(f"max_working_entries is {max_working_entries}: it must be at least 1")
        stores = ManagedStores(Path(directory), embedder, clock or SystemClock())
        scope = Scope(workspace=workspace, user=user, collection=collection)
        policy = DataPolicy(personal_data=personal_data, secrets=secrets)
        return cls(stores, scope, WorkingEntries(max_working_entries), policy=policy, owns_stores=True)

    def shared(self, *, user: str | None = None, collection: str | None = None) -> "MemoryManager":
        """A manager for another agent: same stores, own working memory, and the same scope unless an argument changes it."""
        scope = Scope(
            workspace=self._scope.workspace,
            user=self._scope.user if user is None else user,
            collection=self._scope.collection if collection is None else collection,
        )
        working = WorkingEntries(self._working.most)
        return MemoryManager(self._stores, scope, working, policy=self._policy, owns_stores=False)

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
        """Add an entry.  On return it is durable, except in working memory.

        ``semantic`` accepts ``key`` (default: the entry's id).  ``procedural`` requires ``condition``; the content is the
        action.  ``episodic`` accepts ``outcome``, ``lessons`` and ``succeeded``.

        Raises:
            BadRequest: empty content, unknown layer, rule without a condition, or content that the data policy forbids.
        """
        check_layer(layer)
        if not content.strip():
            raise BadRequest("an entry needs content: it was empty")
        fields = {name: str(value) for name, value in metadata.items()}
        now = self._stores.clock.now()
        entry = MemoryEntry(id=str(uuid4()), content=content, timestamp=now, metadata=fields)
        if layer == "working":
            self._working.append(entry)
            return entry
        if layer == "semantic":
            return await self.learn(fields.pop("key", entry.id), content, **fields)
        if layer == "procedural":
            condition = fields.pop("condition", "")
            if not condition:
                raise BadRequest("a rule needs a condition: append('procedural', action, condition='when ...')")
            return await self.learn_rule(condition, content, **fields)
        opened = await self._open_for_writing()
        fields = {name: self._screen(value) for name, value in fields.items()}
        episode = Episode(
            id=entry.id,
            scope=self._scope,
            goal=self._screen(content),
            steps=(),
            outcome=fields.pop("outcome", ""),
            lessons=fields.pop("lessons", ""),
            succeeded=fields.pop("succeeded", "True") == "True",
            created_at=now,
            metadata=fields,
        )
        await opened.core.episodes.store(self._scope, [episode])
        return entry_from_episode(episode)

    async def learn(self, key: str, value: str, **metadata: str) -> MemoryEntry:
        """Store a value under a key.  The previous value is superseded and remains in ``history``.

        Raises:
            BadRequest: empty key or value, or content that the data policy forbids.
        """
        if not key.strip() or not value.strip():
            raise BadRequest("learning needs a key and a value: one of them was empty")
        opened = await self._open_for_writing()
        key, value = self._screen_pair(key, value)
        metadata = {name: self._screen(text) for name, text in metadata.items()}
        # The versions of a key are numbered: without the lock, two concurrent writers would use the same number.
        async with self._stores.key_locks.setdefault((self._scope, key), asyncio.Lock()):
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
                return entry_from_fact(current[-1])
            if current:
                await opened.core.facts.supersede(self._scope, [fact.id for fact in current], new, by="manager")
                return entry_from_fact(new)
            [stored] = await opened.core.facts.store(self._scope, [new], by="manager")
            if stored.id != new.id:
                # A fact with the same content exists.  If an agent stored it, it has no key: replace it by the keyed fact.
                # If it has another key, keep both.
                same = [] if stored.metadata.get("key") else [stored.id]
                await opened.core.facts.supersede(self._scope, same, new, by="manager")
            return entry_from_fact(new)

    async def learn_rule(self, condition: str, action: str, **metadata: str) -> MemoryEntry:
        """Store a rule.  Agents of this scope see it when a task matches its condition.

        Raises BadRequest: content that the data policy forbids.
        """
        opened = await self._open_for_writing()
        condition, action = self._screen(condition), self._screen(action)
        rule = Fact(
            id=str(uuid4()),
            scope=self._scope,
            kind="procedural",
            content=f"{condition}: {action}",
            condition=condition,
            action=action,
            created_at=self._stores.clock.now(),
            metadata={name: self._screen(text) for name, text in metadata.items()},
        )
        [stored] = await opened.core.facts.store(self._scope, [rule], by="manager")
        return entry_from_fact(stored)

    # ------------------------------------------------------------------------------------------------ reading

    async def recall(self, key: str) -> str | None:
        """The current value of exactly this key, or None."""
        current = [fact for fact in await self._readable_versions(key) if fact.status == "active"]
        return current[-1].metadata.get("value") if current else None

    async def history(self, key: str) -> list[MemoryEntry]:
        """All versions stored under the key, newest first."""
        return [entry_from_fact(fact) for fact in reversed(await self._readable_versions(key))]

    async def search(self, layer: Layer, query: str, limit: int = 10) -> list[MemoryEntry]:
        """Search one layer; best matches first.

        Stored layers are searched by meaning and keywords, working memory by keywords and recency.
        Raises BadRequest: unknown layer, or ``limit`` below 1.
        """
        check_layer(layer)
        if limit < 1:
            raise BadRequest(f"limit is {limit}: it must be at least 1")
        if layer == "working":
            return self._working.search(query, limit)
        opened = await self._open_for_reading()
        if opened is None:
            return []
        if layer == "episodic":
            found = await opened.episode_retriever.retrieve(self._scope, query, top_k=limit)
            episodes = {
                episode.id: episode for episode in await opened.core.episodes.graph.get(self._scope, [e.id for e in found])
            }
            return [entry_from_episode(episodes[e.id]) for e in found if e.id in episodes]
        kinds: tuple[FactKind, ...] = ("procedural",) if layer == "procedural" else KNOWLEDGE
        ranked = await opened.retriever.retrieve(
            self._scope, RetrievalQuery(question=query, top_k=limit, candidates=max(20, limit), kinds=kinds, rerank="off")
        )
        facts = {fact.id: fact for fact in await opened.core.facts.graph.get(self._scope, [f.id for f in ranked.facts])}
        return [entry_from_fact(facts[f.id]) for f in ranked.facts if f.id in facts]

    def working_memory(self) -> list[MemoryEntry]:
        """A copy, oldest first."""
        return self._working.entries()

    async def episodic_memory(self) -> list[MemoryEntry]:
        """Oldest first."""
        return [entry_from_episode(episode) for episode in await self._episodes()] if await self._open_for_reading() else []

    async def stats(self) -> MemoryStats:
        episodes, facts = await self._episodes(), await self._facts((*KNOWLEDGE, "procedural"))
        entries = [*self._working.entries(), *map(entry_from_episode, episodes), *map(entry_from_fact, facts)]
        return MemoryStats(
            working_memory_tokens=self._working.tokens(),
            episodic_entry_count=len(episodes),
            semantic_entry_count=sum(fact.kind in KNOWLEDGE for fact in facts),
            procedural_rule_count=sum(fact.kind == "procedural" for fact in facts),
            total_storage_bytes=sum(len(json.dumps(asdict(entry), default=str).encode()) for entry in entries),
        )

    # ------------------------------------------------------------------------------------------------ making room

    async def compact(self, layer: Layer, *, keep_last: int = 10, summarize_older: bool = True) -> int:
        """Replace all but the newest ``keep_last`` entries by one summary.  Returns the number of entries replaced.

        Without ``summarize_older`` the older entries are deleted.  Semantic memory is not changed.  Older rules are superseded,
        never summarised.  Raises BadRequest: unknown layer, or ``keep_last`` below 0.
        """
        check_layer(layer)
        if keep_last < 0:
            raise BadRequest(f"keep_last is {keep_last}: it must be at least 0")
        if layer == "working":
            return self._working.compact(keep_last, summarize_older)
        if layer == "episodic":
            return await self._compact_episodes(keep_last, summarize_older)
        if layer == "procedural":
            opened = await self._stores.get()
            rules = await self._facts(("procedural",))
            older = rules[: max(0, len(rules) - keep_last)]
            await opened.core.facts.set_status(self._scope, [rule.id for rule in older], "superseded", by="manager")
            return len(older)
        return 0

    async def reembed(self) -> int:
        """Re-embed all memories after a change of the embedding model.  Returns the number of scopes that were re-embedded.

        Until then each scope is searched with the previous model, or by keywords only if that model is not available.
        An interrupted call can be repeated and continues where it stopped.  Raises ModelUnavailable.
        """
        opened = await self._stores.get()
        waiting = await opened.core.models.waiting()
        for scope in waiting:
            await move_scope(opened.core, scope)
        await opened.core.models.drop_empty()
        return len(waiting)

    async def clear(self, layer: Layer | None = None) -> None:
        """Permanently delete the entries of one layer, or of all four."""
        for name in LAYERS if layer is None else (check_layer(layer),):
            if name == "working":
                self._working.clear()
            elif name == "episodic":
                opened = await self._stores.get()
                await opened.core.episodes.forget(self._scope, [episode.id for episode in await self._episodes(every=True)])
            else:
                opened = await self._stores.get()
                gone = await self._facts(("procedural",) if name == "procedural" else KNOWLEDGE, every=True)
                await opened.core.facts.forget(self._scope, [fact.id for fact in gone])

    async def _compact_episodes(self, keep_last: int, summarize_older: bool) -> int:
        opened, episodes = await self._stores.get(), await self._episodes()
        older = episodes[: max(0, len(episodes) - keep_last)]
        if not older:
            return 0
        if summarize_older:
            summary = Episode(
                id=derived_id("summary", *(episode.id for episode in older)),
                scope=self._scope,
                goal=local_summary([format_entry(entry_from_episode(episode)) for episode in older]),
                steps=(),
                outcome="",
                lessons="",
                created_at=older[-1].created_at,
                metadata={"summary": "true", "of": str(len(older))},
            )
            # The summary is stored first: after a crash in between, both exist, and nothing is lost.
            await opened.core.episodes.store(self._scope, [summary])
        await opened.core.episodes.forget(self._scope, [episode.id for episode in older])
        return len(older)

    # ------------------------------------------------------------------------------------------------ checking

    async def _open_for_writing(self) -> OpenStores:
        opened = await self._stores.get()
        if not (await opened.core.graph.switches.get(self._scope)).write:
            raise BadRequest(f"writing memory is switched off for user {self._scope.user!r}: switch it on before storing")
        return opened

    async def _open_for_reading(self) -> OpenStores | None:
        """None: the user has switched reading off."""
        opened = await self._stores.get()
        return opened if (await opened.core.graph.switches.get(self._scope)).read else None

    def _screen(self, text: str) -> str:
        screened = self._policy.screen(text)
        if screened.dropped:
            kinds = ", ".join(sorted(screened.found))
            raise BadRequest(
                f"this must not be stored, it contains: {kinds}; leave it out, or open the memory with another policy"
            )
        return screened.text

    def _screen_pair(self, key: str, value: str) -> tuple[str, str]:
        """Screen key and value as one sentence: a key such as "password" shows that its value is a secret."""
        key = self._screen(key)
        sentence = self._screen(f"{key}: {value}")
        return key, sentence.removeprefix(f"{key}: ")

    # ------------------------------------------------------------------------------------------------ finding

    def _version_id(self, key: str, number: int) -> str:
        return derived_id("key", self._scope.key, key, number)

    async def _readable_versions(self, key: str) -> list[Fact]:
        if await self._open_for_reading() is None:
            return []
        return list((await self._versions(self._screen_pair(key, "")[0])).values())

    async def _versions(self, key: str) -> dict[int, Fact]:
        """The stored versions of a key by their numbers, oldest first.

        Ids are derived from key and number, so they are read directly, without a search.  Numbers may have gaps, because a
        version may have been forgotten.
        """
        opened, found, start = await self._stores.get(), dict[int, Fact](), 0
        while True:
            ids = {self._version_id(key, number): number for number in range(start, start + VERSIONS_AT_ONCE)}
            page = {ids[fact.id]: fact for fact in await opened.core.facts.graph.get(self._scope, list(ids))}
            found |= {number: page[number] for number in sorted(page)}
            if not page:
                return found
            start += VERSIONS_AT_ONCE

    async def _episodes(self, *, every: bool = False) -> list[Episode]:
        opened, found = await self._stores.get(), list[Episode]()
        while True:
            page = await opened.core.episodes.graph.listing(self._scope, undone=every, limit=PAGE, offset=len(found))
            found += page
            if len(page) < PAGE:
                return found[::-1]

    async def _facts(self, kinds: Sequence[FactKind], *, every: bool = False) -> list[Fact]:
        opened, found = await self._stores.get(), list[Fact]()
        while True:
            page = await opened.core.facts.graph.listing(
                self._scope,
                kinds=kinds,
                statuses=FACT_STATUSES if every else ("active",),
                limit=PAGE,
                offset=len(found),
            )
            found += page
            if len(page) < PAGE:
                return found[::-1]
