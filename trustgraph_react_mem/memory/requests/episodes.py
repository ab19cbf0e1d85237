"""Requests to the episodes service."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from ...schema import EpisodesRequest, EpisodesResponse
from ...schema.topics import EPISODES
from .base import Access, Request, required_field, wire_field
from .fields import Found, Limit, Offset, Threshold

_required_id = required_field("id", "an id")


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodesOperation(Request[EpisodesResponse]):
    service: ClassVar[str] = EPISODES
    record: ClassVar[type] = EpisodesRequest
    response: ClassVar[type] = EpisodesResponse


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrieveEpisodes(EpisodesOperation):
    """Needs ``query``, ``embedding``, or both."""

    operation: ClassVar[str] = "retrieve"
    access: ClassVar[Access] = "read"
    query: str = ""
    embedding: Sequence[float] = ()
    top_k: Found = 3
    threshold: Threshold = 0.0  # as in RetrieveFacts
    conversation_id: str = ""
    deadline_ms: int = 0  # as in RetrieveFacts


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreEpisode(EpisodesOperation):
    """``status`` "kept": an episode that was undone or replaced by a summary gets the new text and stays so."""

    operation: ClassVar[str] = "store"
    access: ClassVar[Access] = "write"
    goal: str
    steps: Sequence[str] = ()
    outcome: str = ""
    lessons: str = ""
    succeeded: bool = True
    source: str = ""  # conversation id
    metadata: Mapping[str, str] = field(default_factory=dict)
    id: str = ""  # "" = a new one
    status: str = ""  # "" = active


@dataclass(frozen=True, slots=True, kw_only=True)
class GetEpisode(EpisodesOperation):
    operation: ClassVar[str] = "get"
    access: ClassVar[Access] = "read"
    id: str = field(metadata=wire_field("id", _required_id))
    conversation_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListEpisodes(EpisodesOperation):
    """Newest first.  ``status`` "all": also those that were undone, or replaced by a summary."""

    operation: ClassVar[str] = "list"
    access: ClassVar[Access] = "read"
    status: str = ""  # "" = active
    limit: Limit = 100
    offset: Offset = 0
    conversation_id: str = ""  # its memory switches apply
    source: str = ""  # the same, as older clients name it


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetEpisode(EpisodesOperation):
    operation: ClassVar[str] = "forget"
    id: str = field(metadata=wire_field("id", _required_id))


@dataclass(frozen=True, slots=True, kw_only=True)
class GetEpisodeStats(EpisodesOperation):
    operation: ClassVar[str] = "stats"


OPERATIONS: Mapping[str, type[EpisodesOperation]] = {
    each.operation: each for each in (RetrieveEpisodes, StoreEpisode, GetEpisode, ListEpisodes, ForgetEpisode, GetEpisodeStats)
}
