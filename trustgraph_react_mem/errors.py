"""Errors of this package: each knows its name on the wire, who is to blame and what follows.

A message names the value that was wrong and the remedy, and never holds user text or secrets: it may be logged.
"""

from typing import ClassVar, Literal

Blame = Literal["caller", "operator", "model", "engine", "ourselves"]
Consequence = Literal["reply", "retry", "wait", "defer", "drop"]


class MemoryServiceError(Exception):
    """Root.  ``consequence`` decides what the worker of background jobs does with a job that raised it (``jobs/executor.py``).

    reply: the error is the job's result: it becomes a dead letter at once.
    retry: a few more attempts, then as reply.
    wait: attempts without limit, with growing pauses: the job is not to blame.
    defer: the job is moved to the job store and published again later.
    drop: the job is acknowledged and leaves no trace.
    """

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
    consequence = "wait"


class IndexGone(EngineUnavailable):
    """A vector index was dropped: every scope has been moved to another embedding model's."""


class ScopeClosed(EngineUnavailable):
    """Something of the scope is being forgotten: nothing can be begun in it for a moment."""

    wire_type = "scope-closed"


class ScopeChanged(MemoryServiceError):
    """Part of the scope was erased since this began: what it read may be gone, and it must start again."""

    wire_type = "scope-changed"
    consequence = "wait"


class ModelUnavailable(MemoryServiceError):
    """The language or embedding model does not answer, or limits the rate."""

    wire_type = "model-unavailable"
    blame = "engine"
    consequence = "defer"


class ModelAnswerError(MemoryServiceError):
    """The model answered, but not in the form asked for, also after one repair."""

    wire_type = "model-answer-error"
    blame = "model"
    consequence = "retry"


class BudgetExhausted(MemoryServiceError):
    """A scope's daily tokens for background work are used up: the work waits for the next day."""

    wire_type = "budget-exhausted"
    blame = "operator"
    consequence = "defer"


class ScopeErased(MemoryServiceError):
    """The scope's key was destroyed: what this job carries can no longer be read, and must not be."""

    wire_type = "scope-erased"
    consequence = "drop"
