"""Requests to the episodes service."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from ...schema import EpisodesResponse
from ...schema.topics import EPISODES
from .base import Request, make_record, needs, operation
from .fields import Found, Limit, Offset, Threshold


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodesOperation(Request[EpisodesResponse]):
    service: ClassVar[str] = EPISODES
    response: ClassVar[type] = EpisodesResponse


@operation("retrieve", "read")
class RetrieveEpisodes(EpisodesOperation):
    """Needs ``query``, ``embedding``, or both."""

    query: str = ""
    embedding: Sequence[float] = ()
    top_k: Found = 3
    threshold: Threshold = 0.0  # as in RetrieveFacts
    conversation_id: str = ""
    deadline_ms: int = 0  # as in RetrieveFacts


@operation("store", "write")
class StoreEpisode(EpisodesOperation):
    """``status`` "kept": an episode that was undone or replaced by a summary gets the new text and stays so."""

    goal: str
    steps: Sequence[str] = ()
    outcome: str = ""
    lessons: str = ""
    succeeded: bool = True
    source: str = ""  # conversation id
    metadata: Mapping[str, str] = field(default_factory=dict)
    id: str = ""  # "" = a new one
    status: str = ""  # "" = active


@operation("get", "read")
class GetEpisode(EpisodesOperation):
    id: str = needs("an id")
    conversation_id: str = ""


@operation("list", "read")
class ListEpisodes(EpisodesOperation):
    """Newest first.  ``status`` "all": also those that were undone, or replaced by a summary."""

    status: str = ""  # "" = active
    limit: Limit = 100
    offset: Offset = 0
    conversation_id: str = ""  # its memory switches apply
    source: str = ""  # the same, as older clients name it


@operation("forget")
class ForgetEpisode(EpisodesOperation):
    id: str = needs("an id")


@operation("stats")
class GetEpisodeStats(EpisodesOperation):
    pass


EpisodesRequest = make_record(
    EpisodesOperation,
    "EpisodesRequest",
    "query embedding top_k threshold conversation_id deadline_ms goal steps outcome lessons succeeded source "
    "metadata id limit offset status",
)
