"""One scope's four layers."""

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
from ..migration.backfill import Backfill
from ..retrieval.query import RetrievalQuery
from .entries import LAYERS, Layer, MemoryEntry, MemoryStats, entry_from_episode, entry_from_fact, format_entry
from .stores import ManagedStores, OpenStores
from .working import WORKING_ENTRIES, WorkingEntries

PAGE = 500
VERSIONS_AT_ONCE = 16
#: What an agent's facts are here: knowledge, lessons and topics.  Verbatim turns belong to conversations.
KNOWLEDGE: tuple[FactKind, ...] = ("semantic", "reflective", "topic")


class MemoryManager:
    """One scope's four layers.  Create with ``MemoryManager.open``; use as an async context manager."""

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
        """Nothing is opened yet.  One process a directory; its key lies apart from it, as the stack's (``REACT_MEM_KEYS``).

        Raises:
            BadRequest: a name that no scope can have, or no room for working memory.
        """
        if max_working_entries < 1:
            raise BadRequest(f"max_working_entries is {max_working_entries}: at least 1")
        stores = ManagedStores(Path(directory), embedder, clock or SystemClock())
        scope = Scope(workspace=workspace, user=user, collection=collection)
        policy = DataPolicy(personal_data=personal_data, secrets=secrets)
        return cls(stores, scope, WorkingEntries(max_working_entries), policy=policy, owns_stores=True)

    def shared(self, *, user: str | None = None, collection: str | None = None) -> "MemoryManager":
        """Another agent's view: the same stores, its own working memory, the same scope unless another is named."""
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
        """Add an entry; durable on return, working memory apart.

        ``semantic`` takes ``key`` (else the entry's id is the key), ``procedural`` needs ``condition`` (the content is the
        action), ``episodic`` takes ``outcome``, ``lessons`` and ``succeeded``.

        Raises:
            BadRequest: no content, an unknown layer, a rule without a condition, or what must not be stored.
        """
        _check_layer(layer)
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
        opened = await self._open_for_writing()
        told = {name: self._screen(value) for name, value in told.items()}
        episode = Episode(
            id=entry.id,
            scope=self._scope,
            goal=self._screen(content),
            steps=(),
            outcome=told.pop("outcome", ""),
            lessons=told.pop("lessons", ""),
            succeeded=told.pop("succeeded", "True") == "True",
            created_at=now,
            metadata=told,
        )
        await opened.core.episodes.store(self._scope, [episode])
        return entry_from_episode(episode)

    async def learn(self, key: str, value: str, **metadata: str) -> MemoryEntry:
        """Knowledge under a key.  What the key said before is superseded, and stays in ``history``.

        Raises:
            BadRequest: an empty key or value, or what must not be stored.
        """
        if not key.strip() or not value.strip():
            raise BadRequest("learning needs a key and a value: one of them was empty")
        opened = await self._open_for_writing()
        key, value = self._screen_pair(key, value)
        metadata = {name: self._screen(text) for name, text in metadata.items()}
        # a key's versions are numbered: two writers at once would take the same number
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
                # An agent knows the same sentence already; under this key it can be recalled.  Another key keeps its own.
                same = [] if stored.metadata.get("key") else [stored.id]
                await opened.core.facts.supersede(self._scope, same, new, by="manager")
            return entry_from_fact(new)

    async def learn_rule(self, condition: str, action: str, **metadata: str) -> MemoryEntry:
        """A rule that agents of this scope are shown when a task meets its condition."""
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
        """What is known under exactly this key; None when nothing is."""
        current = [fact for fact in await self._readable_versions(key) if fact.status == "active"]
        return current[-1].metadata.get("value") if current else None

    async def history(self, key: str) -> list[MemoryEntry]:
        """All that was ever learned under the key, newest first."""
        return [entry_from_fact(fact) for fact in reversed(await self._readable_versions(key))]

    async def search(self, layer: Layer, query: str, limit: int = 10) -> list[MemoryEntry]:
        """Best first: by meaning and words in the stored layers, by words and recency in working memory."""
        _check_layer(layer)
        if limit < 1:
            raise BadRequest(f"limit is {limit}: at least 1")
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
        """Condense all but the newest entries into one; how many were condensed.

        Semantic memory is left as it is.  Older rules are superseded, not summarised; with ``summarize_older`` off, older
        entries go without a summary.
        """
        _check_layer(layer)
        if keep_last < 0:
            raise BadRequest(f"keep_last is {keep_last}: at least 0")
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
        """After a change of the embedding model: embed anew what the former one found; how many scopes that were.

        Until then every scope is searched as before (by words alone, where the former model cannot be had).  Interrupted, it
        goes on where it was when it is called again.  Raises: ModelUnavailable.
        """
        opened = await self._stores.get()
        backfill, models = Backfill(opened.core), opened.core.models
        waiting = await models.waiting()
        for scope in waiting:
            await backfill.move(scope)
        await models.drop_empty()
        return len(waiting)

    async def clear(self, layer: Layer | None = None) -> None:
        """Forget one layer, or all four, for good."""
        for name in LAYERS if layer is None else (_check_layer(layer),):
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
            # the summary first: a crash in between leaves both, never neither
            await opened.core.episodes.store(self._scope, [summary])
        await opened.core.episodes.forget(self._scope, [episode.id for episode in older])
        return len(older)

    # ------------------------------------------------------------------------------------------------ allowed

    async def _open_for_writing(self) -> OpenStores:
        opened = await self._stores.get()
        if not (await opened.core.graph.switches.get(self._scope)).write:
            raise BadRequest(f"writing memory is switched off for user {self._scope.user!r}: switch it on to store anything")
        return opened

    async def _open_for_reading(self) -> OpenStores | None:
        opened = await self._stores.get()
        return opened if (await opened.core.graph.switches.get(self._scope)).read else None

    def _screen(self, text: str) -> str:
        screened = self._policy.screen(text)
        if screened.dropped:
            kinds = ", ".join(sorted(screened.found))
            raise BadRequest(
                f"this must not be stored, it holds: {kinds}; leave it out, or open the memory with another policy"
            )
        return screened.text

    def _screen_pair(self, key: str, value: str) -> tuple[str, str]:
        """Screened as one sentence, for a key such as "password" tells what its value is."""
        key = self._screen(key)
        told = self._screen(f"{key}: {value}")
        return key, told.removeprefix(f"{key}: ")

    # ------------------------------------------------------------------------------------------------ finding

    def _version_id(self, key: str, number: int) -> str:
        return derived_id("key", self._scope.key, key, number)

    async def _readable_versions(self, key: str) -> list[Fact]:
        if await self._open_for_reading() is None:
            return []
        return list((await self._versions(self._screen_pair(key, "")[0])).values())

    async def _versions(self, key: str) -> dict[int, Fact]:
        """By number, oldest first.  Their ids follow from the key and the number: an exact recall reads, and searches nothing.

        A forgotten version leaves a gap.
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


def _check_layer(layer: Layer) -> Layer:
    if layer not in LAYERS:
        raise BadRequest(f"layer {layer!r} is unknown: one of {', '.join(LAYERS)}")
    return layer
