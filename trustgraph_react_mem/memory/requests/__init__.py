"""Typed requests to the memory services, one class per operation.  ``schema.services`` has their wire format."""

from collections.abc import Mapping
from typing import Any

from ...schema import ConversationsRequest, EpisodesRequest, FactsRequest, JobsRequest
from . import conversations, episodes, facts, jobs, refinements
from .base import Access, AnyRequest, Request, encode
from .base import decode as _decode
from .conversations import (
    AppendInvocation,
    EndConversation,
    ForgetConversation,
    GetConversation,
    GetConversationStats,
    GetCurrentConversation,
    ListConversations,
)
from .episodes import ForgetEpisode, GetEpisode, GetEpisodeStats, ListEpisodes, RetrieveEpisodes, StoreEpisode
from .facts import (
    ExportFacts,
    FindRepeats,
    ForgetFacts,
    ForgetScope,
    GetFactHistory,
    GetFacts,
    GetFactStats,
    GetLearningStatus,
    ImportLines,
    ImportTurns,
    ListFacts,
    ListTopics,
    RateFacts,
    RetrieveFacts,
    RollBack,
    StoreFact,
    SwitchMemory,
    UndoChange,
    UpdateFact,
)
from .jobs import (
    CancelJob,
    DropJob,
    GetJob,
    GetJobStats,
    JobById,
    ListJobs,
    ReplayJob,
    SubmitJob,
    WaitUntilIdle,
    erase,
    learn_from,
)
from .refinements import AppendRefinement, ForgetRefinement, GetRefinement, ListRefinements

SERVICES: Mapping[str, tuple[type, type]] = {
    each.service: (each.record, each.response)
    for each in (facts.FactsOperation, episodes.EpisodesOperation, conversations.ConversationsOperation, jobs.JobsOperation)
}
"""The wire classes of each service: request and response."""


def decode(record: Any) -> AnyRequest:
    """The typed request of a wire record of any service.

    Raises:
        BadRequest: the service has no such operation, or a required field is empty.
    """
    match record:
        case FactsRequest():
            return facts.decode_facts(record)
        case EpisodesRequest():
            return _decode(record, episodes.OPERATIONS)
        case ConversationsRequest():
            return _decode(record, {**conversations.OPERATIONS, **refinements.OPERATIONS})
        case JobsRequest():
            return _decode(record, jobs.OPERATIONS)
    raise TypeError(f"{type(record).__name__} is not a request to a memory service")
