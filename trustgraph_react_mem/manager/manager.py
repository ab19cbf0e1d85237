"""The memory of one scope, for a program."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any, Literal
from uuid import uuid4

from ..errors import BadRequest, NotFound
from ..memory import requests
from ..memory.records import FACT_KINDS, FACT_STATUSES, FactKind, derived_id
from ..memory.sizes import check_size, split_by_size, wire_size
from . import checks
from .entries import LAYERS, AddResult, Layer, MemoryEntry, MemoryStats, entry_from_episode, entry_from_fact
from .messages import Message, to_turns
from .portal import run_apart
from .refinements import RefinementMemory
from .scoped import PAGE

TURNS_AT_ONCE, BYTES_AT_ONCE = 100, 1_000_000  # of messages in one request
WAIT_AT_ONCE_S = 60.0  # in one request: below the time limit of a call
#: Kinds of facts that form the semantic layer.  Verbatim turns belong to conversations and are not part of it.
KNOWLEDGE: tuple[FactKind, ...] = ("semantic", "reflective", "topic")
ALL_KINDS = (*FACT_KINDS, "episode")


class MemoryManager(RefinementMemory):
    """The memory of one scope.  Create it with ``open`` or ``connect`` and use it as an async context manager.

    One manager can be used from several threads and event loops.  All methods can raise EngineUnavailable and, at the first
    call, what opening the stores raises: ConfigurationError, ModelUnavailable, MissingPackage.
    """

    # ------------------------------------------------------------------------------------------------ writing

    async def add(self, messages: Message | Sequence[Message], *, conversation: str = "") -> AddResult:
        """Store messages verbatim, and extract facts from them in the background if a language model is configured.

        A message is a text, said by the user, or ``{"role", "content"}`` with optional ``name``, ``timestamp`` (default: now)
        and ``id``: with the same id and text, it is stored once.  ``conversation``: its name; default: one for the life of this
        manager.  On return the messages are durable and can be retrieved.

        Raises: BadRequest (a malformed message, or content that the data policy forbids), TooLarge (above 1 MB).
        """
        turns = to_turns(messages, self._now())
        if conversation:
            checks.check_text("the name of the conversation", conversation)
        policy = await self._policy()
        turns = [replace(turn, text=self._refuse_dropped(await policy.screen_async(turn.text)).text) for turn in turns]
        source = conversation or self._conversation
        stored, places, ids = 0, list[int](), list[str]()
        for batch in split_by_size(turns, lambda turn: wire_size(asdict(turn)), most=TURNS_AT_ONCE, most_size=BYTES_AT_ONCE):
            done = await self._call(requests.ImportTurns(source=source, turns=batch))
            stored += done.count
            places += [int(done.stats[name]) for name in ("first", "last")]
            # A service of version 0.1 does not say them.
            derived = (derived_id("turn", self._scope.key, source, turn.id) for turn in batch)
            ids += json.loads(done.stats["ids"]) if "ids" in done.stats else derived
        learns = await run_apart(self._connection.learns(self._scope.workspace))
        if learns and stored:
            await self._call(requests.learn_from(source, min(places), max(places)))
        return AddResult(conversation=source, stored=stored, ids=tuple(ids), extraction="queued" if learns else "off")

    async def wait(self, timeout_s: float = 60.0) -> int:
        """Wait until the background work of this scope has ended.  Returns the number of jobs still open after that time.

        Raises: BadRequest (``timeout_s`` is no number of at least 0).
        """
        if not isinstance(timeout_s, int | float) or not timeout_s >= 0:  # also not a number
            raise BadRequest(f"timeout_s is {timeout_s!r}: it must be a number of seconds, at least 0")
        loop = asyncio.get_running_loop()
        until = loop.time() + timeout_s
        while True:
            timeout = min(WAIT_AT_ONCE_S, max(0.0, until - loop.time()))
            left = (await self._call(requests.WaitUntilIdle(timeout_s=timeout))).count
            left += len((await self._call(requests.ListJobs(status="deferred"))).jobs)  # waiting for their next attempt
            if not left or loop.time() >= until:
                return left
            await asyncio.sleep(min(1.0, max(0.0, until - loop.time())))

    async def append(self, /, layer: Layer, content: str, **metadata: str | bool | float) -> MemoryEntry:
        """Add an entry.  On return it is durable, except in working memory.

        ``semantic`` accepts ``key``, as ``learn`` does.  ``procedural`` requires ``condition``; the content is the action.
        ``episodic`` accepts ``outcome``, ``lessons`` and ``succeeded``.

        Raises:
            BadRequest: empty content, unknown layer, rule without a condition, or content that the data policy forbids.
            TooLarge: the entry is larger than 1 MB.
        """
        checks.check_layer(layer)
        checks.check_text("the content", content)
        fields = checks.metadata_of(metadata)
        check_size(f"the {layer} entry with its metadata", [content, fields])
        if layer == "working":
            self._check_open()
            entry = MemoryEntry(id=str(uuid4()), content=content, timestamp=self._now(), metadata=fields)
            self._working.append(entry)
            return entry
        if layer == "semantic":
            if "key" in fields:
                return await self.learn(fields.pop("key"), content, **fields)
            return await self._store(
                requests.StoreFact(content=await self._screen(content), metadata=await self._screen_all(fields))
            )
        if layer == "procedural":
            condition = fields.pop("condition", "")
            if not condition:
                raise BadRequest("a rule needs a condition: append('procedural', action, condition='when ...')")
            return await self.learn_rule(condition, content, **fields)
        succeeded = checks.read_success(fields.pop("succeeded", "True"))
        fields = await self._screen_all(fields)
        episode = requests.StoreEpisode(
            goal=await self._screen(content),
            outcome=fields.pop("outcome", ""),
            lessons=fields.pop("lessons", ""),
            succeeded=succeeded,
            metadata=fields,
        )
        stored = (await self._call(episode)).episodes
        return entry_from_episode(stored[0]) if stored else self._unreadable("episode", content)

    async def learn(self, /, key: str, value: str, **metadata: str | bool | float) -> MemoryEntry:
        """Store a value under a key.  The previous value is superseded and remains in ``history``.

        Raises:
            BadRequest: empty key or value, one that is not a text, or content that the data policy forbids.
            TooLarge: the entry is larger than 1 MB.
        """
        checks.check_text("the key", key)
        checks.check_text(f"the value of {key[:40]!r}", value)
        check_size(f"the value of {key[:40]!r} with its metadata", [key, value, metadata])
        key, value = await self._screen_pair(key, value)
        return await self._store(requests.StoreFact(key=key, content=value, metadata=await self._screen_all(metadata)))

    async def learn_rule(self, /, condition: str, action: str, **metadata: str | bool | float) -> MemoryEntry:
        """Store a rule.  Agents of this scope see it when a task matches its condition.

        Raises: as ``learn``.
        """
        condition, action = checks.check_text("the condition", condition), checks.check_text("the action", action)
        check_size("the rule with its metadata", [condition, action, metadata])
        condition, action = await self._screen(condition), await self._screen(action)
        request = requests.StoreFact(
            kind="procedural",
            content=f"{condition}: {action}",
            condition=condition,
            action=action,
            metadata=await self._screen_all(metadata),
        )
        return await self._store(request)

    async def update(self, entry_id: str, content: str) -> MemoryEntry:
        """Replace the content of an entry; of an entry with a key, its value.  The former one remains in the history.

        Raises: NotFound, BadRequest (empty content, or content that the data policy forbids), TooLarge.
        """
        checks.check_text("the content", content)
        check_size("the content", content)
        entry = await self._require(entry_id)
        text = await self._screen(content) if entry.kind != "working" else content
        if entry.kind == "working":
            return self._working.replace(replace(entry, content=text))
        if entry.kind == "episode":
            [held] = (await self._call(requests.GetEpisode(id=entry_id))).episodes
            kept = {name: getattr(held, name) for name in ("steps", "outcome", "lessons", "succeeded", "source", "metadata")}
            await self._call(requests.StoreEpisode(id=entry_id, goal=text, status="kept", **kept))
        elif key := entry.metadata.get("key"):
            key, text = await self._screen_pair(key, content)
            await self._call(requests.UpdateFact(id=entry_id, content=f"{key}: {text}", metadata={"value": text}))
        elif condition := entry.metadata.get("condition"):
            await self._call(requests.UpdateFact(id=entry_id, content=f"{condition}: {text}", action=text))
        else:
            await self._call(requests.UpdateFact(id=entry_id, content=text))
        return await self._require(entry_id)

    async def delete(self, entry_id: str) -> bool:
        """Erase an entry for good, with what was derived from it and the earlier versions that it superseded.

        Returns whether there was one.  Raises: BadRequest (no id).
        """
        checks.check_text("the id", entry_id)
        self._check_open()
        return self._working.delete(entry_id) or bool(await self._erase([entry_id]))

    # ------------------------------------------------------------------------------------------------ reading

    async def get(self, entry_id: str) -> MemoryEntry | None:
        """The entry with this id, also if it is superseded (``metadata["status"]``), or None."""
        checks.check_text("the id", entry_id)
        if (entry := self._working.get(entry_id)) is not None:
            self._check_open()
            return entry
        if facts := (await self._call(requests.GetFacts(ids=[entry_id]))).facts:
            return entry_from_fact(facts[0])
        episodes = (await self._call(requests.GetEpisode(id=entry_id))).episodes
        return entry_from_episode(episodes[0]) if episodes else None

    async def recall(self, key: str) -> str | None:
        """The current value of exactly this key, or None.  Raises: BadRequest (no key)."""
        checks.check_text("the key", key)
        current = [fact for fact in await self._versions(key) if fact.status == "active"]
        return current[-1].metadata.get("value") if current else None

    async def history(self, key: str) -> list[MemoryEntry]:
        """All versions stored under the key, newest first.  Raises: BadRequest (no key)."""
        checks.check_text("the key", key)
        return [entry_from_fact(fact) for fact in reversed(await self._versions(key))]

    async def retrieve(
        self,
        question: str,
        *,
        limit: int | None = None,
        threshold: float | None = None,
        kinds: Sequence[FactKind] = (),
        speaker: str = "",
        asked_at: datetime | None = None,
    ) -> list[MemoryEntry]:
        """The memories that an agent of this scope would be shown for the question, best first: messages and facts.

        Arguments:
            limit: default: the setting ``fact-retrieval-top-k``.
            threshold: least similarity, 0 to 1.  Default: the setting ``similarity-threshold``.
            kinds: only these, such as ``["turn"]`` for messages.  Default: all.
            speaker: name of the person who asks: where several share this memory, "my" means what this person said.
            asked_at: what "yesterday" in the question refers to, in its own time zone.  Default: now.

        Raises: BadRequest (empty question, unknown kind, or a limit or threshold out of range).
        """
        checks.check_text("the question", question)
        return await self._retrieve(question, checks.check_kinds(kinds), limit, threshold, asked_at, speaker)

    async def entries(
        self, kind: FactKind | Literal["episode", ""] = "", *, conversation: str = "", limit: int = 100, offset: int = 0
    ) -> list[MemoryEntry]:
        """A page of what is stored, newest first, as `react-mem memories list` shows it.

        ``kind``: "turn" for messages, "semantic", "procedural", "reflective", "topic" or "episode".  Default: all but episodes.
        ``conversation``: only what was said in it, or learned from it.

        Raises: BadRequest (unknown kind, a conversation with episodes, or a limit or offset out of range).
        """
        kinds = checks.check_kinds([kind] if kind else [], ALL_KINDS)
        if conversation:
            checks.check_text("the name of the conversation", conversation)
        page: dict[str, Any] = {"limit": limit, "offset": offset}
        if kind != "episode":
            listed = await self._call(requests.ListFacts(kinds=kinds, source=conversation, **page))
            return [entry_from_fact(fact) for fact in listed.facts]
        if conversation:
            raise BadRequest("episodes are not listed by conversation: leave it out, or name another kind")
        return [entry_from_episode(episode) for episode in (await self._call(requests.ListEpisodes(**page))).episodes]

    async def topics(self, *, limit: int = 100) -> list[MemoryEntry]:
        """What is known, grouped by topic, the newest first.

        The content of an entry says what is known of its topic.  ``metadata``: ``topic``, its name; ``sources``, the ids of its
        memories, separated by commas.  Raises: BadRequest (a limit out of range).
        """
        found = await self._call(requests.ListTopics(limit=limit))
        return [entry_from_fact(fact) for fact in found.facts]

    async def search(self, layer: Layer, query: str, limit: int = 5, *, threshold: float | None = None) -> list[MemoryEntry]:
        """Entries of one layer for a query, best first, with their ``score``.

        Stored layers are searched by meaning and keywords with the ranking of agents, working memory by keywords and recency.
        ``threshold``: as in ``retrieve``.

        Raises: BadRequest (unknown layer, empty query, or a limit or threshold out of range).
        """
        checks.check_layer(layer)
        checks.check_text("the query", query)
        least = self._settings.similarity_threshold if threshold is None and layer != "working" else threshold or 0.0
        request = requests.RetrieveEpisodes(query=query, top_k=checks.check_limit(limit), threshold=least)
        if layer == "working":
            self._check_open()
            return self._working.search(request.query, request.top_k, request.threshold)
        if layer == "episodic":
            return [entry_from_episode(episode, found=True) for episode in (await self._call(request)).episodes]
        return await self._retrieve(query, ("procedural",) if layer == "procedural" else KNOWLEDGE, limit, threshold, None, "")

    def working_memory(self) -> list[MemoryEntry]:
        """A copy, oldest first."""
        self._check_open()
        return self._working.entries()

    async def episodic_memory(self, *, superseded: bool = False) -> list[MemoryEntry]:
        """Oldest first.  ``superseded``: also episodes that a summary replaced, or that were undone."""
        return (await self._episodes("all" if superseded else ""))[::-1]

    async def stats(self) -> MemoryStats:
        """The number of entries of each layer and their size.  While reading is switched off, only working memory counts."""
        episodes = await self.episodic_memory()
        facts = await self._facts(())
        kinds = [entry.kind for entry in facts]
        entries = [*self._working.entries(), *episodes, *facts]
        return MemoryStats(
            working_memory_tokens=self._working.tokens(),
            episodic_entry_count=len(episodes),
            semantic_entry_count=sum(kind in KNOWLEDGE for kind in kinds),
            procedural_rule_count=kinds.count("procedural"),
            total_storage_bytes=sum(len(json.dumps(asdict(entry), default=str).encode()) for entry in entries),
            turn_count=kinds.count("turn"),
        )

    # ------------------------------------------------------------------------------------------------ making room

    async def compact(self, layer: Layer, *, keep_last: int = 10, summarize_older: bool = True) -> int:
        """Supersede all but the newest ``keep_last`` entries; a summary stands for episodes.  Returns the number superseded.

        Nothing is erased: ``get`` and ``episodic_memory(superseded=True)`` return superseded episodes, and `react-mem undo`
        with the ``operation`` in the summary's metadata restores them.  A language model writes the summary if one is
        configured.  A later call continues the former summary.  Without ``summarize_older`` there is none.  Semantic memory is
        not changed.  Older rules are superseded, never summarised.  Older entries of working memory are removed.

        Raises: BadRequest (unknown layer, or ``keep_last`` is no whole number of at least 0).
        """
        checks.check_layer(layer)
        if not isinstance(keep_last, int) or isinstance(keep_last, bool) or keep_last < 0:
            raise BadRequest(f"keep_last is {keep_last!r}: it must be a whole number of at least 0")
        if layer == "working":
            self._check_open()
            return self._working.compact(keep_last, summarize_older)
        if layer == "semantic":
            return 0
        learns = await run_apart(self._connection.learns(self._scope.workspace))
        payload = {"layer": layer, "keep_last": keep_last, "summarize": summarize_older, "model": learns}
        job_id = (await self._call(requests.SubmitJob(kind="compact", payload=json.dumps(payload)))).job_id
        return await self._await_compaction(job_id)

    async def clear(self, layer: Layer | None = None) -> None:
        """Permanently delete the entries of one layer, or of all four.  Messages are not part of a layer.

        Raises: BadRequest (unknown layer, or reading is switched off, so that the entries cannot be listed).
        """
        self._check_open()
        for name in LAYERS if layer is None else (checks.check_layer(layer),):
            if name == "working":
                self._working.clear()
                continue
            if name == "episodic":
                entries = await self._episodes("all", needed=True)
            else:
                kinds = ("procedural",) if name == "procedural" else KNOWLEDGE
                entries = [entry for status in FACT_STATUSES for entry in await self._facts(kinds, status, needed=True)]
            ids = [entry.id for entry in entries]
            for start in range(0, len(ids), PAGE):
                await self._erase(ids[start : start + PAGE])

    async def _require(self, entry_id: str) -> MemoryEntry:
        entry = await self.get(entry_id)
        if entry is None:
            raise NotFound(f"there is no entry {entry_id!r} in this memory: search or list it to see the ids")
        return entry
