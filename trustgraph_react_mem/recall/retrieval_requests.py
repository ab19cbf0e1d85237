"""Builds the requests to the facts and episodes services: for the recall before a turn, and for the tools during one."""

import zlib
from collections.abc import Collection

from ..memory.ports import Vector
from ..memory.requests import RetrieveEpisodes, RetrieveFacts
from ..memory.timefmt import format_time
from .records import RecallRequest


def sampling_seed(request: RecallRequest) -> int:
    """Seed of the sampling, derived from scope, question and time, so that a replay samples the same memories."""
    return zlib.crc32(f"{request.scope.key}\x1f{request.question}\x1f{format_time(request.asked_at)}".encode()) >> 1


def facts_request(
    request: RecallRequest,
    query: str,
    *,
    vector: Vector | None = None,
    exclude: Collection[str] = (),
    spare: int = 0,
    conversation_id: str = "",
) -> RetrieveFacts:
    """Retrieve facts, and the rules that match the task.

    ``exclude``: ids of records that the model can see already.  ``spare``: further facts, from which the caller removes those
    that it learns later to be shown already.  ``conversation_id``: its memory switches and its own rules apply.
    """
    settings, wanted = request.settings, request.wanted
    top_k = wanted.facts + spare if wanted.facts else 0
    return RetrieveFacts(
        user=request.scope.user,
        collection=request.scope.collection,
        query=query,
        embedding=[] if vector is None else vector.tolist(),
        deadline_ms=settings.recall_deadline_ms,
        top_k=top_k,
        candidates=max(settings.rmm_top_k + spare, top_k),
        rules=wanted.rules,
        kinds=list(wanted.kinds),
        threshold=wanted.threshold,
        rerank=wanted.rerank,
        seed=sampling_seed(request),
        asked_at=format_time(request.asked_at),
        timezone=request.timezone,
        conversation_id=conversation_id,
        speaker=request.speaker,
        exclude=sorted(exclude),
    )


def standing_request(request: RecallRequest) -> RetrieveFacts:
    """Retrieve the standing rules alone: they also apply when nothing is searched."""
    return RetrieveFacts(
        user=request.scope.user,
        collection=request.scope.collection,
        query="",
        top_k=0,
        rules=request.wanted.rules,
        deadline_ms=request.settings.recall_deadline_ms,
        conversation_id=request.conversation_id,
    )


def episodes_request(
    request: RecallRequest, query: str, *, vector: Vector | None = None, spare: int = 0, conversation_id: str = ""
) -> RetrieveEpisodes:
    """Retrieve episodes.  The arguments are those of ``facts_request``."""
    return RetrieveEpisodes(
        user=request.scope.user,
        collection=request.scope.collection,
        query=query,
        embedding=[] if vector is None else vector.tolist(),
        deadline_ms=request.settings.recall_deadline_ms,
        top_k=request.wanted.episodes + spare,
        threshold=request.wanted.threshold,
        conversation_id=conversation_id,
    )
