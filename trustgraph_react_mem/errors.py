"""Errors of this package: each knows its name on the wire, who is to blame and what follows.

A message names the value that was wrong and the remedy, and never holds user text or secrets: it may be logged.
"""

from typing import ClassVar, Literal

Blame = Literal["caller", "operator", "model", "engine", "ourselves"]
Consequence = Literal["reply", "retry", "defer", "drop"]


class MemoryServiceError(Exception):
    """Root.  ``consequence`` says what a worker does: reply the error, retry soon, defer until later, drop the job."""

    wire_type: ClassVar[str] = "memory-error"
    blame: ClassVar[Blame] = "ourselves"
    consequence: ClassVar[Consequence] = "reply"


class BadRequest(MemoryServiceError):
    """A request that can never succeed as it stands."""

    wire_type = "bad-request"
    blame = "caller"


class MissingScope(BadRequest):
    """A store call without workspace or collection: it fails closed."""

    wire_type = "missing-scope"


class NotFound(BadRequest):
    wire_type = "not-found"


class TooLarge(BadRequest):
    """More than a record may hold, or than the bus takes in one message."""

    wire_type = "too-large"


class ConfigurationError(MemoryServiceError):
    """Settings that contradict each other or the stored data (unknown key, embedding dimension)."""

    wire_type = "configuration-error"
    blame = "operator"


class MissingPackage(ConfigurationError):
    """An optional package is not installed: a retry cannot help."""


class Conflict(MemoryServiceError):
    """Another writer was first; read again and retry."""

    wire_type = "conflict"
    consequence = "retry"


class EngineUnavailable(MemoryServiceError):
    """A store or the broker does not answer."""

    wire_type = "engine-unavailable"
    blame = "engine"
    consequence = "retry"


class IndexGone(EngineUnavailable):
    """A vector index was dropped: every scope has been moved to another embedding model's."""


class ScopeClosed(EngineUnavailable):
    """Something of the scope is being forgotten: nothing can be begun in it for a moment."""

    wire_type = "scope-closed"


class ScopeChanged(MemoryServiceError):
    """Something of the scope was forgotten since this began: what it read may be gone, and it must begin anew."""

    wire_type = "scope-changed"
    consequence = "retry"


class ModelUnavailable(MemoryServiceError):
    """The language or embedding model does not answer, or limits the rate."""

    wire_type = "model-unavailable"
    blame = "engine"
    consequence = "defer"


class ModelAnswerError(MemoryServiceError):
    """The model answered, but not in the form asked for, also after one repair."""

    wire_type = "model-answer-error"
    blame = "model"


class BudgetExhausted(MemoryServiceError):
    """A scope's daily tokens for background work are used up: the work waits for the next day."""

    wire_type = "budget-exhausted"
    blame = "operator"
    consequence = "defer"


class ScopeErased(MemoryServiceError):
    """The scope's key was destroyed: what this job carries can no longer be read, and must not be."""

    wire_type = "scope-erased"
    consequence = "drop"
