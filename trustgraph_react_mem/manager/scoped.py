"""Opening and closing a manager, and its requests to the services."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar
from uuid import uuid4

from ..bus.address import BusAddress
from ..errors import BadRequest, MemoryServiceError, NotFound
from ..identity import default_directory, default_user
from ..memory import requests
from ..memory.clock import SystemClock
from ..memory.policies import DataPolicy, PersonalData, Screened
from ..memory.ports import Clock, Embedder
from ..memory.requests import GetFacts, GetJob, Request, RetrieveFacts, StoreFact
from ..memory.scope import Scope
from ..memory.timefmt import format_time, zone_of
from ..models.chat import ChatModel
from ..processors.operations.keyed_facts import VERSIONS_AT_ONCE, version_ids
from ..schema import Fact as WireFact
from ..settings import AgentMemSettings, parse_agent_mem
from .checks import check_limit, check_text, metadata_of, not_opened
from .connection import Connection
from .entries import MemoryEntry, entry_from_episode, entry_from_fact
from .portal import run_apart
from .working import WORKING_ENTRIES, WorkingEntries

Response = TypeVar("Response")

PAGE = 500
CALL_TIMEOUT_S = 300.0
JOB_TIMEOUT_S = 600.0
POLL_S = 0.05


class ScopedMemory:
    """The part of ``MemoryManager`` below its layers."""

    def __new__(cls, connection: object = None, *parts: object, **named: object) -> Self:
        if not isinstance(connection, Connection):
            raise not_opened(cls.__name__)
        return super().__new__(cls)

    def __init__(
        self,
        connection: Connection,
        scope: Scope,
        working: WorkingEntries,
        settings: AgentMemSettings,
        *,
        owns_connection: bool,
    ) -> None:
        self._connection = connection
        self._scope = scope
        self._settings = settings
        self._working = working
        self._owns_connection = owns_connection
        self._closed = False
        self._conversation = f"chat-{uuid4().hex[:12]}"

    @classmethod
    def open(
        cls,
        directory: Path | str | None = None,
        *,
        user: str | None = None,
        collection: str = "default",
        workspace: str = "default",
        max_working_entries: int = WORKING_ENTRIES,
        personal_data: PersonalData = "keep",
        settings: Mapping[str, Any] | None = None,
        model: str | ChatModel = "",
        embedder: Embedder | None = None,
        clock: Clock | None = None,
    ) -> Self:
        """Create a manager for a data directory.  It is opened later, by the first call that needs it.

        Managers of one process share the directory.  If a stack serves it (`react-mem up`), the calls go to that stack, with
        its settings and models.  Otherwise this process opens it, and no other process can use it meanwhile.  The master key is
        stored outside of it (``REACT_MEM_KEYS``), like the key of the services.

        Arguments:
            directory: default: that of the command line (``REACT_MEM_HOME``, else the user's data directory).
            user: default: that of the command line (``REACT_MEM_USER``, else the login name).
            settings: further ``agent-mem`` settings, such as ``{"rerank": "off"}``.
            model: language model that extracts facts from messages, or one of the values of ``REACT_MEM_MODEL``.  Default: the
                one that ``REACT_MEM_MODEL`` or ``OPENAI_BASE_URL`` names; without either, messages are stored verbatim only.

        Raises:
            BadRequest: an invalid workspace, user or collection name, no embedder, or ``max_working_entries`` below 1.
            ConfigurationError: an unknown setting or value.
        """
        if embedder is not None and not (hasattr(embedder, "profile") and callable(getattr(embedder, "embed", None))):
            raise BadRequest(
                f"embedder is {embedder!r}: pass an object with 'profile' and 'embed', or nothing for the default model"
            )
        if not isinstance(directory, str | Path | None):
            raise BadRequest(f"the directory is {directory!r}: pass its path, or nothing for that of the command line")
        if not isinstance(settings, Mapping | None):
            raise BadRequest(f"settings is {settings!r:.80}: pass a dictionary such as {{'fact-retrieval-top-k': 8}}")
        home = Path(directory) if directory is not None else default_directory()
        connection = Connection(
            directory=home.expanduser().resolve(), embedder=embedder, clock=clock or SystemClock(), model=model
        )
        scope = Scope(workspace=workspace, user=default_user() if user is None else user, collection=collection)
        chosen = {"personal-data": personal_data, **(settings or {})}
        return cls._create(connection, scope, max_working_entries, parse_agent_mem(chosen, "settings"))

    @classmethod
    def connect(
        cls,
        address: BusAddress | str,
        *,
        user: str | None = None,
        collection: str = "default",
        workspace: str = "default",
        flow: str = "default",
        max_working_entries: int = WORKING_ENTRIES,
    ) -> Self:
        """Create a manager for a deployment, whose broker has this address (``pulsar://HOST:6650``).

        Raises: BadRequest (not an address, or as ``open``).
        """
        broker = address if isinstance(address, BusAddress) else BusAddress(url=address)
        scope = Scope(workspace=workspace, user=default_user() if user is None else user, collection=collection)
        connection = Connection(clock=SystemClock(), address=broker, flow=flow)
        return cls._create(connection, scope, max_working_entries, AgentMemSettings())

    @classmethod
    def _create(cls, connection: Connection, scope: Scope, entries: int, settings: AgentMemSettings) -> Self:
        if not isinstance(entries, int) or isinstance(entries, bool) or entries < 1:
            raise BadRequest(f"max_working_entries is {entries!r}: it must be a whole number of at least 1")
        return cls(connection, scope, WorkingEntries(entries), settings, owns_connection=True)

    def shared(self, *, user: str | None = None, collection: str | None = None) -> Self:
        """A manager for another agent: same stores, own working memory, and the same scope unless an argument changes it.

        It can be used until this manager is closed.
        """
        self._check_open()
        scope = Scope(
            workspace=self._scope.workspace,
            user=self._scope.user if user is None else user,
            collection=self._scope.collection if collection is None else collection,
        )
        working = WorkingEntries(self._working.most)
        return type(self)(self._connection, scope, working, self._settings, owns_connection=False)

    async def __aenter__(self) -> Self:
        self._check_open()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the stores, unless another manager of this process uses them.  Later calls are refused.

        Running background work is given 10 s; the rest continues when the directory is opened next.  Call ``wait`` first to
        wait longer.  Closing twice has no effect.
        """
        self._closed = True
        if self._owns_connection and not self._connection.closed:
            await run_apart(self._connection.close())

    # ------------------------------------------------------------------------------------------------ requests

    def _check_open(self) -> None:
        """Raises: BadRequest."""
        if self._closed or self._connection.closed:
            raise BadRequest("this memory is closed: open it again with MemoryManager.open(...)")

    def _now(self) -> datetime:
        return self._connection.clock.now()

    async def _call(self, request: Request[Response]) -> Response:
        self._check_open()
        own: Request[Response] = replace(request, user=self._scope.user, collection=self._scope.collection)
        return await run_apart(self._connection.call(own, self._scope, self._settings, CALL_TIMEOUT_S))

    async def _store(self, request: StoreFact) -> MemoryEntry:
        stored = (await self._call(request)).facts
        return entry_from_fact(stored[0]) if stored else self._unreadable(request.kind, request.content)

    def _unreadable(self, kind: str, content: str) -> MemoryEntry:
        """The entry that was stored, as far as it may be shown: reading memory is switched off."""
        return MemoryEntry(id="", content=content, timestamp=self._now(), kind=kind)

    async def _retrieve(
        self,
        question: str,
        kinds: Sequence[str],
        limit: int | None,
        threshold: float | None,
        asked_at: datetime | None,
        speaker: str,
    ) -> list[MemoryEntry]:
        self._check_open()
        settings = await run_apart(self._connection.settings(self._scope.workspace, self._settings))
        if speaker:
            check_text("the speaker", speaker)
        if not isinstance(asked_at, datetime | None):
            raise BadRequest(f"asked_at is {asked_at!r}: pass a datetime, or nothing for now")
        top_k = settings.fact_retrieval_top_k if limit is None else check_limit(limit)
        request = RetrieveFacts(
            query=question,
            kinds=list(kinds),
            top_k=top_k,
            candidates=max(settings.rmm_top_k, top_k),
            threshold=settings.similarity_threshold if threshold is None else threshold,
            asked_at=format_time(asked_at or self._now()),
            timezone=zone_of(asked_at) if asked_at else "",
            speaker=speaker,
        )
        return [entry_from_fact(fact, found=True) for fact in (await self._call(request)).facts]

    async def _versions(self, key: str) -> list[WireFact]:
        """The stored versions of a key, oldest first.  Their ids derive from key and number; a number may be missing."""
        key, found, start = (await self._screen_pair(key, ""))[0], list[WireFact](), 0
        while True:
            ids = version_ids(self._scope, key, start)
            page = (await self._call(GetFacts(ids=list(ids)))).facts
            found += sorted(page, key=lambda fact: ids[fact.id])
            if not page:
                return found
            start += VERSIONS_AT_ONCE

    async def _facts(self, kinds: Sequence[str], status: str = "", *, needed: bool = False) -> list[MemoryEntry]:
        """All, newest first.  Raises: BadRequest (``needed``, and reading is switched off)."""
        return await self._read_pages(requests.ListFacts(kinds=kinds, status=status), needed)

    async def _episodes(self, status: str, *, needed: bool = False) -> list[MemoryEntry]:
        """As ``_facts``."""
        return await self._read_pages(requests.ListEpisodes(status=status), needed)

    async def _read_pages(self, request: Any, needed: bool) -> list[MemoryEntry]:
        found, count = list[MemoryEntry](), PAGE
        while count == PAGE:
            page = await self._call(replace(request, limit=PAGE, offset=len(found)))
            check_readable(page.stats, needed)
            episodes, facts = getattr(page, "episodes", ()), getattr(page, "facts", ())
            entries = [*map(entry_from_episode, episodes), *map(entry_from_fact, facts)]
            found, count = [*found, *entries], len(entries)
        return found

    async def _erase(self, ids: Sequence[str]) -> int:
        """Returns the number of records found.  Raises: MemoryServiceError (the erasure is not complete yet)."""
        done = await self._call(requests.erase("record", ids, timeout_s=CALL_TIMEOUT_S))
        if not done.data:
            raise MemoryServiceError(f"timeout: the erasure (job {done.job_id}) continues in the background")
        places = json.loads(done.data).get("places", {})
        return sum(int(place.get("found", 0)) for place in places.values())

    async def _await_compaction(self, job_id: str) -> int:
        """Wait for a compaction.  Returns the number of entries that it superseded."""
        until = asyncio.get_running_loop().time() + JOB_TIMEOUT_S
        while asyncio.get_running_loop().time() < until:
            try:
                [job] = (await self._call(GetJob(id=job_id))).jobs
            except NotFound:  # not stored yet
                job = None
            if job is not None and job.status == "done":
                counts = dict(part.split("=", 1) for part in job.summary.split() if "=" in part)
                return int(counts.get("condensed", 0))
            if job is not None and job.status in ("deferred", "dead", "cancelled"):
                raise MemoryServiceError(f"the compaction failed: {job.error or job.status}")
            await asyncio.sleep(POLL_S)
        raise MemoryServiceError(f"timeout: the compaction (job {job_id}) continues in the background")

    # ------------------------------------------------------------------------------------------------ screening

    async def _screen(self, text: str) -> str:
        policy = await self._policy()
        return self._refuse_dropped(await policy.screen_async(text)).text

    async def _screen_all(self, fields: Mapping[str, str | bool | float]) -> dict[str, str]:
        policy = await self._policy()
        return dict(self._refuse_dropped(await policy.screen_map_async(metadata_of(fields))).fields)

    async def _policy(self) -> DataPolicy:
        self._check_open()
        return await run_apart(self._connection.policy(self._scope, self._settings))

    def _refuse_dropped(self, screened: Screened) -> Screened:
        if screened.dropped:
            kinds = ", ".join(sorted(screened.found))
            raise BadRequest(
                f"this must not be stored, it contains: {kinds}; leave it out, or open the memory with another policy"
            )
        return screened

    async def _screen_pair(self, key: str, value: str) -> tuple[str, str]:
        """Screen key and value as one sentence: a key such as "password" shows that its value is a secret."""
        key = await self._screen(key)
        sentence = await self._screen(f"{key}: {value}")
        return key, sentence.removeprefix(f"{key}: ")


def check_readable(stats: Mapping[str, str], needed: bool) -> None:
    if needed and stats.get("read") == "off":
        raise BadRequest("reading memory is switched off for this user or conversation: switch it on first")


# ---------------------------------------------------------------------------------------------------- for adapters


async def send(memory: ScopedMemory, request: Request[Response]) -> Response:
    """Run any request in the scope of a manager.  Raises: the errors of the operation."""
    return await memory._call(request)


async def erase(memory: ScopedMemory, ids: Sequence[str]) -> int:
    """Erase records with what was derived from them, and wait for the end.  Returns the number of records found."""
    return await memory._erase(ids)


def scope_of(memory: ScopedMemory) -> Scope:
    return memory._scope


def now_of(memory: ScopedMemory) -> datetime:
    """The time of the manager's clock."""
    return memory._now()
