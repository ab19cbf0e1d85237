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


_OPERATIONS: Mapping[type, Mapping[str, type[AnyRequest]]] = {
    FactsRequest: facts.OPERATIONS,
    EpisodesRequest: episodes.OPERATIONS,
    ConversationsRequest: {**conversations.OPERATIONS, **refinements.OPERATIONS},
    JobsRequest: jobs.OPERATIONS,
}


def decode(record: Any) -> AnyRequest:
    """The typed request of a wire record of any service.  An import of facts with ``data`` is one of lines.

    Raises:
        BadRequest: the service has no such operation, a required field is empty, or a value is wrong.
    """
    known = _OPERATIONS.get(type(record))
    if known is None:
        raise TypeError(f"{type(record).__name__} is not a request to a memory service")
    if isinstance(record, FactsRequest) and record.data:
        known = {**known, ImportLines.operation: ImportLines}
    return _decode(record, known)
