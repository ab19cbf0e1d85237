"""Operations of the episodes service."""

from dataclasses import replace

from ...erasure.forget import forget_job
from ...errors import BadRequest
from ...indexing.document import wire_episode
from ...memory.clock import oldest_kept
from ...memory.policies import DataPolicy
from ...memory.records import Episode
from ...memory.requests import ForgetEpisode, GetEpisode, GetEpisodeStats, ListEpisodes, RetrieveEpisodes, StoreEpisode
from ...memory.scope import Scope
from ...memory.sizes import check_size
from ...memory.text.printable import is_blank
from ...recall.query import shorten_query
from ...retrieval.query import RetrievalQuery
from ...schema import EpisodesResponse
from ..service import FlowOperations, embedding_timeout_s, new_id, publish_and_remove, serves
from .checks import check_query, choose, screen, screen_metadata, to_vector


class EpisodeOperations(FlowOperations):
    @serves(RetrieveEpisodes)
    async def retrieve(self, scope: Scope, request: RetrieveEpisodes) -> EpisodesResponse:
        check_query(request.query, request.embedding)
        query = RetrievalQuery(
            question=shorten_query(request.query),
            vector=to_vector(request.embedding, self._memory.models.current.profile),
            top_k=request.top_k,
            threshold=request.threshold,
            patience_s=embedding_timeout_s(request.deadline_ms),
            created_after=oldest_kept(self._settings.episode_ttl_days, self._memory.clock.now()),
        )
        found = await self._memory.episode_retriever.retrieve(scope, query)
        return EpisodesResponse(episodes=list(found), count=len(found))

    @serves(StoreEpisode)
    async def store(self, scope: Scope, request: StoreEpisode) -> EpisodesResponse:
        if is_blank(request.goal):
            raise BadRequest("an episode needs a goal: what was to be done")
        policy = await self._policy(scope)
        policy.check_id("the id", request.id)
        policy.check_id("the source", request.source)
        keeps = choose("status", request.status or "active", ("active", "kept")) == "kept"
        before = await self._memory.episodes.graph.get(scope, [request.id]) if request.id else []
        episode = Episode(
            id=request.id or new_id(),
            scope=scope,
            goal=await _screen(policy, request.goal),
            steps=tuple([await _screen(policy, step) for step in request.steps]),
            outcome=await _screen(policy, request.outcome),
            lessons=await _screen(policy, request.lessons),
            created_at=before[0].created_at if before else self._memory.clock.now(),
            succeeded=request.succeeded,
            # An episode stays with its conversation, so that it is forgotten with it.
            source=request.source or (before[0].source if before else ""),
            metadata=await screen_metadata(request.metadata, policy),
        )
        if before:
            episode = replace(episode, importance=before[0].importance, job_id=before[0].job_id)
        texts = [episode.goal, list(episode.steps), episode.outcome, episode.lessons, dict(episode.metadata)]
        check_size("the episode with its steps and metadata", texts)
        stored = (await self._memory.episodes.store(scope, [episode]))[0]
        if stored.undone_at is not None and keeps:
            stored = await self._memory.episodes.update(
                scope, replace(episode, undone_at=stored.undone_at, operation=stored.operation)
            )
        elif stored.undone_at is not None:  # its id was stored before and undone: store it as the request has it
            await self._memory.episodes.mark_undone(scope, [stored.id], None, "")
            stored = (await self._memory.episodes.store(scope, [episode]))[0]
        return EpisodesResponse(episode_id=stored.id, episodes=[wire_episode(stored)], count=1)

    @serves(GetEpisode)
    async def get(self, scope: Scope, request: GetEpisode) -> EpisodesResponse:
        found = await self._memory.episodes.graph.get(scope, [request.id])
        return EpisodesResponse(episodes=[wire_episode(episode) for episode in found], count=len(found))

    @serves(ListEpisodes)
    async def list(self, scope: Scope, request: ListEpisodes) -> EpisodesResponse:
        """Newest first.  ``count`` is the number of active episodes."""
        every = choose("status", request.status or "active", ("active", "all")) == "all"
        found = await self._memory.episodes.graph.listing(scope, undone=every, limit=request.limit, offset=request.offset)
        total = await self._memory.episodes.graph.count(scope)
        return EpisodesResponse(episodes=[wire_episode(episode) for episode in found], count=total)

    @serves(ForgetEpisode)
    async def forget(self, scope: Scope, request: ForgetEpisode) -> EpisodesResponse:
        """Erase an episode.  A job, named in ``stats``, erases the memories derived from it."""
        found = await self._memory.episodes.graph.get(scope, [request.id])
        job = forget_job(scope, "record", at=self._memory.clock.now(), ids=[request.id])
        # The job is published even if nothing was found: an earlier try may have removed the episode but not the rest.
        await publish_and_remove(self._memory, job, lambda: self._memory.episodes.forget(scope, [request.id]))
        return EpisodesResponse(count=len(found), stats={"job": job.id})

    @serves(GetEpisodeStats)
    async def stats(self, scope: Scope, request: GetEpisodeStats) -> EpisodesResponse:
        count = await self._memory.episodes.graph.count(scope)
        vectors = await self._memory.episodes.index.count(scope)
        return EpisodesResponse(count=count, stats={"episodes": str(count), "vectors": str(vectors)})


async def _screen(policy: DataPolicy, text: str) -> str:
    return await screen(text, policy, "the episode")
