"""The exceptions of this package.  Each class defines its name on the wire, who is to blame and what happens to a job.

Invariants: a message names the wrong value and the remedy.  It never holds user text or secrets, because it may be logged.
"""

from typing import ClassVar, Literal, get_args

#: In the message of an error that was retried already, so that callers across the bus do not retry it again.
TRIED = "tried"
#: In the reason of a model's endpoint that refuses because the quota is used up: waiting does not help.
QUOTA = ("quota", "billing", "credit", "insufficient")
Blame = Literal["caller", "operator", "model", "engine", "ourselves"]
Consequence = Literal["reply", "retry", "wait", "defer", "drop"]


class MemoryServiceError(Exception):
    """Base class.

    ``consequence`` defines what the worker does with a job that raised the error (``jobs/executor.py``):

    - reply: the job becomes a dead letter at once.
    - retry: a few more attempts, then as reply.
    - wait: some attempts with growing pauses, then as defer, because the job is not to blame.
    - defer: the job is moved to the job store and published again later.
    - drop: the job is acknowledged and leaves no trace.
    """

    wire_type: ClassVar[str] = "memory-error"
    blame: ClassVar[Blame] = "ourselves"
    consequence: ClassVar[Consequence] = "reply"


class BadRequest(MemoryServiceError):
    """A request that cannot succeed unless it is changed."""

    wire_type = "bad-request"
    blame = "caller"


class MissingScope(BadRequest):
    """A store call without workspace or collection.  It is refused before anything is read or written."""

    wire_type = "missing-scope"


class NotFound(BadRequest):
    wire_type = "not-found"


class NotAuthenticated(BadRequest):
    """The request has no credential, or one that is not valid."""

    wire_type = "not-authenticated"


class NotPermitted(BadRequest):
    """The request reaches beyond the caller's own memory and does not show that an operator sends it."""

    wire_type = "not-permitted"


class TooLarge(BadRequest):
    """A record or message exceeds its size limit."""

    wire_type = "too-large"


RefinementCode = Literal["no_draft", "no_critique", "invalid_session", "pollution_detected", "validation_error"]


class RefinementError(BadRequest):
    """A step of a refinement that its session does not allow.  The message begins with the code, also on the wire."""

    wire_type = "refinement-refused"

    def __init__(self, message: str, *, code: RefinementCode | None = None) -> None:
        """Without ``code``, ``message`` begins with one, as it does in a reply of a service."""
        codes: tuple[RefinementCode, ...] = get_args(RefinementCode)
        named = next((each for each in codes if message.startswith(f"{each}: ")), None)
        self.code: RefinementCode = code or named or "validation_error"
        super().__init__(message if message.startswith(f"{self.code}: ") else f"{self.code}: {message}")


class ConfigurationError(MemoryServiceError):
    """Settings are invalid or contradict the stored data (unknown key, embedding dimension)."""

    wire_type = "configuration-error"
    blame = "operator"


class WrongSetup(ConfigurationError):
    """This installation or its command line cannot work.  A retry cannot help."""


class MissingPackage(WrongSetup):
    """An optional package is not installed."""


class NewerVersion(MemoryServiceError):
    """A newer version of this program wrote a job.  The job is kept for a worker of that version."""

    wire_type = "newer-version"
    blame = "operator"
    consequence = "defer"


class Conflict(MemoryServiceError):
    """Another writer changed the record first.  Read it again and retry."""

    wire_type = "conflict"
    consequence = "retry"


class PreconditionFailed(BadRequest):
    """The record is not of the version that the caller read."""

    wire_type = "precondition-failed"


class EngineUnavailable(MemoryServiceError):
    """A store or the broker does not answer."""

    wire_type = "engine-unavailable"
    blame = "engine"
    consequence = "wait"


class Unconfirmed(EngineUnavailable):
    """The broker did not confirm a message in time.  The message may still arrive."""


class DiskFull(EngineUnavailable):
    """There is too little free disk space to write safely.  A retry succeeds once there is room."""

    wire_type = "disk-full"


class IndexGone(EngineUnavailable):
    """A vector index was dropped, because every scope has been migrated to another embedding model."""


class ScopeClosed(EngineUnavailable):
    """The scope is closed for new work while an erasure runs.  A retry succeeds after it."""

    wire_type = "scope-closed"


class ScopeChanged(MemoryServiceError):
    """Part of the scope was erased since the work began.  It must start again, because what it read may be erased."""

    wire_type = "scope-changed"
    consequence = "wait"


class ModelUnavailable(MemoryServiceError):
    """The language or embedding model does not answer or limits the request rate."""

    wire_type = "model-unavailable"
    blame = "engine"
    consequence = "defer"


class NoModel(ModelUnavailable):
    """No language model is configured.  What needs one waits until there is one."""

    wire_type = "no-model"


class TurnFailed(ModelUnavailable):
    """A turn of the agent ended without an answer: its model failed, was too slow or said nothing."""

    wire_type = "agent-error"  # TrustGraph's


class RequestRefused(BadRequest):
    """A language or embedding model answered that it does not process this text: a content filter, or too long a text."""

    wire_type = "request-refused"
    consequence = "retry"


class RateLimited(ModelUnavailable):
    """The model answers but limits the request rate.  ``retry_after_s``: when it said to ask again; 0 if it did not."""

    wire_type = "too-many-requests"
    retry_after_s: float = 0.0


class ModelAnswerError(MemoryServiceError):
    """The model's answer does not have the required format, even after one attempt to correct it.

    ``corrected``: the prompt service has already asked the model for a correction.
    """

    wire_type = "model-answer-error"
    blame = "model"
    consequence: ClassVar[Consequence] = "retry"
    corrected: bool = False


class UnusableAnswer(ModelAnswerError):
    """The same in a job that nothing repeats.  Later the model may answer better."""

    consequence = "defer"


class BudgetExhausted(MemoryServiceError):
    """The daily tokens of a scope for background work are used up.  The work is deferred to the next day."""

    wire_type = "budget-exhausted"
    blame = "operator"
    consequence = "defer"


class ScopeErased(MemoryServiceError):
    """The key of the scope was destroyed by an erasure, so the payload of the job cannot be decrypted any more."""

    wire_type = "scope-erased"
    consequence = "drop"
