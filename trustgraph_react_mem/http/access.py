"""What a caller may reach: the requests of one user and collection, over the bus.

Invariants:
- Every request carries the user and collection of the ``Access``, never those of a body.
- Handlers call the services only through an ``Access``.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from trustgraph.schema import AgentResponse, TextCompletionResponse

from ..bus.address import BusAddress
from ..bus.external_client import SERVICE_TIMEOUT_S, MemoryBus, open_bus
from ..bus.port import Bus
from ..errors import BadRequest, NotFound, NotPermitted
from ..memory import requests
from ..memory.requests import Request
from ..memory.requests.authority import MANAGING, profits_from_operator
from ..memory.scope import DOCUMENTS, Scope
from ..memory.scope_names import check_name, compose
from ..memory.trust.owner_seal import OwnerSeal
from ..schema import AgentRequest, MemoryOptions
from .principal import Principal

Response = TypeVar("Response")

ASKING = (
    *(requests.ExportFacts, requests.FindRepeats, requests.GetConversationStats, requests.GetEpisodeStats),
    *(requests.GetFactStats, requests.GetJob, requests.GetJobStats, requests.GetLearningStatus, requests.ListJobs),
    requests.WaitUntilIdle,
)
"""What a key that may only read can ask for besides the requests that read memories.  Others need the right to write."""

STORING = (requests.StoreFact, requests.ImportTurns, requests.StoreEpisode)
"""What can begin a conversation, whose name others will read: ``source``."""


@dataclass(eq=False, slots=True)
class Buses:
    """Open connections, one for each workspace and flow.

    ``find_operator_key``, ``find_loss``: as in ``MemoryBus``.  ``lease``: makes a connection of the process of the services;
    None: each is a new connection to the broker.
    """

    address: BusAddress
    flow: str = "default"
    find_operator_key: Callable[[], bytes] = lambda: b""
    find_loss: Callable[[], str] = lambda: ""
    lease: Callable[[], Bus] | None = None
    _opening: dict[tuple[str, str], asyncio.Task[MemoryBus]] = field(default_factory=dict, init=False)

    async def open(self, workspace: str, flow: str = "") -> MemoryBus:
        """The connection to a workspace and flow.  Opened once.  Raises: EngineUnavailable."""
        where = (workspace, flow or self.flow)
        task = self._opening.get(where)
        if task is None or (task.done() and (task.cancelled() or task.exception() is not None)):
            task = self._opening[where] = asyncio.create_task(self._connect(*where))
        return await asyncio.shield(task)

    def connect(self) -> Bus:
        """A connection of its own, which the caller closes."""
        return self.lease() if self.lease else open_bus(self.address)

    async def _connect(self, workspace: str, flow: str) -> MemoryBus:
        bus = await MemoryBus.connect(self.address, workspace, flow, self.connect())
        bus.find_operator_key, bus.find_loss = self.find_operator_key, self.find_loss
        return bus

    async def close(self) -> None:
        tasks, self._opening = list(self._opening.values()), {}
        for task in tasks:
            task.cancel()
        for result in await asyncio.gather(*tasks, return_exceptions=True):
            if isinstance(result, MemoryBus):
                await result.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """The memory of one user and collection, as far as the principal may use it.

    ``seal``: proves the name of the verified user to the services; None where this process has no master key.
    ``heard``: is called with each response.
    """

    principal: Principal
    user: str
    collection: str
    services: MemoryBus
    seal: OwnerSeal | None = None
    heard: Callable[[object], None] = lambda _: None

    @property
    def scope(self) -> Scope:
        return Scope(workspace=self.principal.workspace, user=self.user, collection=self.collection)

    async def call(self, request: Request[Response], timeout_s: float = SERVICE_TIMEOUT_S) -> Response:
        """Send a request for this user and collection; its own ``user`` and ``collection`` are replaced.

        Raises: NotPermitted (the key may only read), and the errors of the operation.
        """
        asks = request.access == "read" or isinstance(request, ASKING)
        if isinstance(request, requests.SwitchMemory):
            asks = request.read is None and request.write is None
        if not (self.principal.writes or asks):
            raise NotPermitted(f"the key {self.principal.key_id} may only read: use one that may write")
        own: Request[Response] = replace(request, user=self.user, collection=self.collection)
        # The services trust the listener, so what goes beyond the scope is decided here.
        if self.principal.kind != "admin" and profits_from_operator(own):
            raise NotPermitted(f"this needs an admin key: the key {self.principal.key_id} is of kind {self.principal.kind}")
        if isinstance(own, STORING):
            check_name("conversation_id", own.source)
        if isinstance(own, MANAGING):
            await self._check_own_job(own.id)
        response = await self.services.call(own, timeout_s)
        self.heard(response)
        return response

    async def _check_own_job(self, job_id: str) -> None:
        """Jobs of the workspace, such as the erasure of a user, are shown to those who know the id, and not managed.

        Raises: NotFound.
        """
        job = (await self.services.call(requests.GetJob(id=job_id, user=self.user, collection=self.collection))).jobs[0]
        if (job.user, job.collection) != (self.user, self.collection):
            raise NotFound("there is no such operation here: GET /v1/operations lists the ids")

    def prove_speaker(self, speaker: str, said: str) -> str:
        """A proof for the services that the user said this.  "": another name, which is shown and counts as unverified, or no
        master key."""
        if self.seal is None or speaker != self.user:
            return ""
        return self.seal.prove_speaker(self.scope, speaker, said)

    async def complete(self, system: str, prompt: str) -> TextCompletionResponse:
        """Put a prompt to the language model of the flow.

        Raises: NotPermitted (the key may only read), ModelUnavailable, and what the model refuses.
        """
        if not self.principal.writes:
            raise NotPermitted(f"the key {self.principal.key_id} may only read: use one that may write")
        return await self.services.complete(system, prompt)

    async def ask(self, request: AgentRequest) -> AsyncIterator[AgentResponse]:
        """Put a question to the flow's agent as this user, whose name is verified where there is a master key."""
        check_name("conversation_id", request.conversation_id)
        if not self.principal.writes:  # the question is answered, but not learned from
            request = replace(request, memory=replace(request.memory or MemoryOptions(), auto_store=False))
        speaker = request.speaker or self.user
        proof = self.prove_speaker(speaker, request.question)
        mine: dict[str, Any] = {"user": self.user, "collection": self.collection, "speaker": speaker, "speaker_proof": proof}
        own = replace(request, **mine)
        async with aclosing(self.services.ask(own)) as messages:  # type: ignore[type-var]
            async for message in messages:
                yield message


def choose_user(principal: Principal, *named: str) -> str:
    """The user whose memory a request concerns.  ``named``: those that its headers, query and body name; "" for none.

    Raises: NotPermitted (a user key with another user), BadRequest (a service or admin key without a user or with several, or
    a name that is not valid).
    """
    users = {compose(name) for name in named if name}
    if principal.kind == "user":
        if others := users - {compose(principal.user)}:
            raise NotPermitted(
                f"this key belongs to user {principal.user!r}, but the request names {min(others)[:60]!r}: leave the user out"
            )
        return principal.user
    if len(users) > 1:
        raise NotPermitted("the request names different users in its headers, query and body: name one")
    if not users:
        raise BadRequest(f"{kind_of(principal)} needs a user in each request: send the header X-Memory-User or user_id")
    return check_names(principal, "user", next(name for name in named if name))


def kind_of(principal: Principal) -> str:
    """How messages name a key that serves several users."""
    return "an admin key" if principal.kind == "admin" else "a service key"


def check_names(principal: Principal, what: str, name: str) -> str:
    """The name.  Raises: BadRequest (it is too long, begins or ends with white space, or has invisible characters)."""
    if name != name.strip():
        raise BadRequest(f"{what} {name[:60]!r} begins or ends with white space: remove it")
    user, collection = (name, "default") if what == "user" else ("", name)
    Scope(workspace=principal.workspace, user=user, collection=collection)
    check_name(what, name)
    return name


def choose_collection(principal: Principal, named: str) -> str:
    """The collection of a request.  Default: the first one of the key, else ``default``.  Raises: NotPermitted."""
    allowed = principal.collections
    if not named:
        return allowed[0] if allowed else "default"
    if allowed and named not in allowed:
        raise NotPermitted(f"the key {principal.key_id} may not use the collection {named!r}: it may use {', '.join(allowed)}")
    if named.endswith(DOCUMENTS):
        raise BadRequest(
            f"the collection {named[:60]!r} cannot be used: names that end in {DOCUMENTS!r} are reserved for values that "
            "programs store beside a collection; leave the ending out"
        )
    return check_names(principal, "collection", named)
