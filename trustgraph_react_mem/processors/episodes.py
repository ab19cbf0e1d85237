"""The episodes service: problems that were worked on, and how it went."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..bootstrap import MemoryCore
from ..erasure.forget import forget_job
from ..errors import BadRequest
from ..indexing.document import wire_episode
from ..memory.policies import DataPolicy
from ..memory.records import Episode, in_language
from ..memory.scope import Scope
from ..memory.sizes import check_size
from ..schema import EpisodesRequest, EpisodesResponse
from ..settings import AgentMemSettings
from .service import MemoryProcessor, Operation, new_id, patience_s, removed_beside

default_ident = "agent-episodes"

MOST_RECORDS = 10_000


class EpisodeOperations:
    def __init__(self, memory: MemoryCore, settings: AgentMemSettings) -> None:
        self._memory = memory
        self._settings = settings

    def table(self) -> Mapping[str, Operation]:
        return {
            "retrieve": self.retrieve,
            "store": self.store,
            "get": self.get,
            "list": self.list,
            "forget": self.forget,
            "stats": self.stats,
        }

    async def retrieve(self, scope: Scope, request: EpisodesRequest) -> EpisodesResponse:
        if not request.query.strip() and not request.embedding:
            raise BadRequest("retrieve needs a query, or an embedding of one")
        vector = np.asarray(request.embedding, np.float32) if request.embedding else None
        if vector is not None and vector.shape != (self._memory.stores.profile.dimension,):
            raise BadRequest(
                f"the embedding has {len(request.embedding)} numbers, the memories {self._memory.stores.profile.dimension}: "
                "embed with the same model"
            )
        found = await self._memory.episode_retriever.retrieve(
            scope,
            request.query,
            vector=vector,
            top_k=request.top_k,
            threshold=request.threshold,
            patience_s=patience_s(request.deadline_ms),
            language=self._settings.language,
        )
        return EpisodesResponse(episodes=list(found), count=len(found))

    async def store(self, scope: Scope, request: EpisodesRequest) -> EpisodesResponse:
        if not (await self._memory.stores.graph.switches.get(scope)).write:
            raise BadRequest("writing memory is switched off for this user: switch write on first")
        if not request.goal.strip():
            raise BadRequest("an episode needs a goal: what was to be done")
        episode = Episode(
            id=request.id or new_id(),
            scope=scope,
            goal=self._screened(scope, request.goal),
            steps=tuple(self._screened(scope, step) for step in request.steps),
            outcome=self._screened(scope, request.outcome),
            lessons=self._screened(scope, request.lessons),
            created_at=self._memory.clock.now(),
            succeeded=request.succeeded,
            source=request.source,
            metadata=request.metadata,
        )
        episode = in_language(episode, self._settings.language)
        texts = [episode.goal, list(episode.steps), episode.outcome, episode.lessons, dict(episode.metadata)]
        check_size("the episode with its steps and metadata", texts)
        stored = (await self._memory.episodes.store(scope, [episode]))[0]
        if stored.undone_at is not None:  # named by its id, and wanted again, as it is told now
            await self._memory.episodes.mark_undone(scope, [stored.id], None, "")
            stored = (await self._memory.episodes.store(scope, [episode]))[0]
        return EpisodesResponse(episode_id=stored.id, episodes=[wire_episode(stored)], count=1)

    async def get(self, scope: Scope, request: EpisodesRequest) -> EpisodesResponse:
        found = await self._memory.episodes.get(scope, [_id(request)])
        return EpisodesResponse(episodes=[wire_episode(episode) for episode in found], count=len(found))

    async def list(self, scope: Scope, request: EpisodesRequest) -> EpisodesResponse:
        """Newest first; ``count`` is the number there is."""
        if not 1 <= request.limit <= MOST_RECORDS or request.offset < 0:
            raise BadRequest(
                f"limit {request.limit} must lie between 1 and {MOST_RECORDS}, offset {request.offset} not below 0"
            )
        found = await self._memory.episodes.listing(scope, limit=request.limit, offset=request.offset)
        total = await self._memory.episodes.count(scope)
        return EpisodesResponse(episodes=[wire_episode(episode) for episode in found], count=total)

    async def forget(self, scope: Scope, request: EpisodesRequest) -> EpisodesResponse:
        """Gone on return; what was learned from it follows in a job, named in ``stats``."""
        record_id = _id(request)
        found = await self._memory.episodes.get(scope, [record_id])
        job = forget_job(scope, "record", at=self._memory.clock.now(), ids=[record_id])
        # first, and whatever is there: a broker that refuses leaves all as it was, and a retry publishes again
        await removed_beside(self._memory, job, lambda: self._memory.episodes.forget(scope, [record_id]))
        return EpisodesResponse(count=len(found), stats={"job": job.id})

    async def stats(self, scope: Scope, request: EpisodesRequest) -> EpisodesResponse:
        count = await self._memory.episodes.count(scope)
        vectors = await self._memory.stores.episode_index.count(scope)
        return EpisodesResponse(count=count, stats={"episodes": str(count), "vectors": str(vectors)})

    def _screened(self, scope: Scope, text: str) -> str:
        policy = DataPolicy(personal_data=self._settings.personal_data, secrets=self._settings.secrets, salt=scope.key)
        screened = policy.screen(text)
        if screened.dropped:
            raise BadRequest("the episode holds secrets or personal data that this flow's settings forbid to store")
        return screened.text


def _id(request: EpisodesRequest) -> str:
    if not request.id:
        raise BadRequest(f"{request.operation} needs an id")
    return request.id


class Processor(MemoryProcessor):
    service = default_ident
    request_schema = EpisodesRequest
    response_schema = EpisodesResponse
    reading = frozenset({"retrieve", "get", "list"})
    writing = frozenset({"store"})

    def operations(self, memory: MemoryCore, flow: Any) -> Mapping[str, Operation]:
        return EpisodeOperations(memory, self.settings.of(flow.workspace, flow.name)).table()


def run() -> None:
    Processor.launch(default_ident, __doc__)
