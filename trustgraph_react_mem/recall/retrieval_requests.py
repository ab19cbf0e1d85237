"""Builds the requests to the facts and episodes services: for the recall before a turn, and for the tools during one."""

import zlib
from collections.abc import Collection, Sequence

from ..indexing.recaps import asks_for_recap
from ..memory.ports import Vector
from ..memory.records import FACT_KINDS
from ..memory.requests import RetrieveEpisodes, RetrieveFacts
from ..memory.timefmt import format_time
from ..rerank import in_learning_arm
from ..settings import is_personal
from .records import RecallRequest

EPISODE_TYPES = ("episodic", "episode")
RULE_KIND, PROFILE_KIND = "procedural", "reflective"
MEMORY_TYPES = (*FACT_KINDS, *EPISODE_TYPES)
RECAP_FACTS = 20  # shown if the question asks for everything that is known of the person; the token budget limits them further


def wanted_facts(request: RecallRequest) -> int:
    """Number of facts to show (M); 0 if the request wants none."""
    if _types(request) and not _kinds(request):
        return 0
    if request.options and request.options.retrieval_limit is not None:
        return request.options.retrieval_limit
    usual = request.settings.fact_retrieval_top_k
    return max(usual, RECAP_FACTS) if usual and asks_for_recap(request.question) else usual


def wanted_rules(request: RecallRequest) -> int:
    """Maximum number of rules; 0 if the request wants none."""
    return request.settings.procedural_rules_top_k if not _types(request) or RULE_KIND in _types(request) else 0


def wants_profile(request: RecallRequest) -> bool:
    """Whether to show the profile: never in a memory that several people share."""
    settings, types = request.settings, _types(request)
    if not (settings.enable_profile and is_personal(settings, request.scope.user, request.scope.collection)):
        return False
    return wanted_facts(request) > 0 and (not types or PROFILE_KIND in types)


def wanted_episodes(request: RecallRequest) -> int:
    """Maximum number of episodes; 0 if the request wants none."""
    types = _types(request)
    return request.settings.episode_retrieval_top_k if not types or set(types) & set(EPISODE_TYPES) else 0


def rerank_mode(request: RecallRequest) -> str:
    """The learned ranking to use: that of the settings, if the scope is in the learning arm."""
    settings = request.settings
    learning = settings.enable_retrospective_reflection and in_learning_arm(request.scope.key, settings.rmm_ab_share)
    return settings.rerank if learning else "off"


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
    settings, top_k = request.settings, wanted_facts(request)
    top_k += spare if top_k else 0
    return RetrieveFacts(
        user=request.scope.user,
        collection=request.scope.collection,
        query=query,
        embedding=[] if vector is None else vector.tolist(),
        deadline_ms=settings.recall_deadline_ms,
        top_k=top_k,
        candidates=max(settings.rmm_top_k * (2 if asks_for_recap(request.question) else 1) + spare, top_k),
        rules=wanted_rules(request),
        profile=wants_profile(request),
        kinds=_kinds(request),
        threshold=_threshold(request),
        rerank=rerank_mode(request),
        seed=sampling_seed(request),
        asked_at=format_time(request.asked_at),
        timezone=request.timezone,
        conversation_id=conversation_id,
        speaker=request.speaker,
        exclude=sorted(exclude),
    )


def standing_request(request: RecallRequest) -> RetrieveFacts:
    """Retrieve the standing rules and the profile alone: they also apply when nothing is searched."""
    return RetrieveFacts(
        user=request.scope.user,
        collection=request.scope.collection,
        query="",
        top_k=0,
        rules=wanted_rules(request),
        profile=wants_profile(request),
        deadline_ms=request.settings.recall_deadline_ms,
        conversation_id=request.conversation_id,
    )


def episodes_request(
    request: RecallRequest, query: str, *, vector: Vector | None = None, conversation_id: str = ""
) -> RetrieveEpisodes:
    """Retrieve episodes.  The arguments are those of ``facts_request``."""
    return RetrieveEpisodes(
        user=request.scope.user,
        collection=request.scope.collection,
        query=query,
        embedding=[] if vector is None else vector.tolist(),
        deadline_ms=request.settings.recall_deadline_ms,
        top_k=wanted_episodes(request),
        threshold=_threshold(request),
        conversation_id=conversation_id,
    )


def _types(request: RecallRequest) -> Sequence[str]:
    return request.options.memory_types if request.options else ()


def _kinds(request: RecallRequest) -> list[str]:
    """The kinds of facts that the request names, without rules, which are requested by number."""
    return [kind for kind in _types(request) if kind not in (*EPISODE_TYPES, RULE_KIND)]


def _threshold(request: RecallRequest) -> float:
    """The least similarity; 0: that of the embedding model."""
    wanted = request.options.similarity_threshold if request.options else None
    return request.settings.similarity_threshold if wanted is None else wanted
