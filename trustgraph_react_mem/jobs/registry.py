"""Registry of job kinds.  Each handler declares its kind, its queue and who may submit it, in the module that defines it.

This package imports no handler.  A handler registers itself when its module is imported; ``learning.handler_table`` imports
all of them.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from ..errors import BadRequest, ConfigurationError
from ..memory.ports import Job, JobKind
from .delivery import Handler

#: Each queue has its own slots.  "write": no language model call; "model": calls a language model; "index": embeds a scope.
QueueName = Literal["write", "model", "index"]
#: Who may submit a job: only other jobs and the agent; also clients of the jobs service; also a user of the command line.
Submitter = Literal["internal", "service", "person"]

HandlerClass = TypeVar("HandlerClass", bound=Callable[..., Handler])


@dataclass(frozen=True, slots=True, kw_only=True)
class JobType:
    """Properties of one job kind.

    ``required``: payload keys that a submitted job must have; ``a|b``: one of them.
    ``accepts``: further payload keys that it may have.  None: any.
    ``obeys_switch``: has no effect while the person has switched off storing for the ``conversation_id`` of the payload.
    ``pipelined``: the effects do not depend on whether a later job of the scope has run, so the entry may be saved while the
    scope's next job is running.
    """

    kind: JobKind
    queue: QueueName
    create: Callable[..., Handler] | None = None  # makes the handler from a HandlerContext; None: the kind has no effect
    submit: Submitter = "internal"
    required: tuple[str, ...] = ()
    accepts: tuple[str, ...] | None = None
    obeys_switch: bool = False
    pipelined: bool = False

    def check_payload(self, payload: Mapping[str, Any]) -> None:
        """Raises BadRequest (a required key is missing or empty, or a key is not accepted)."""
        for key in self.required:
            choices = key.split("|")
            if not any(isinstance(payload.get(each), str) and payload[each] for each in choices):
                example = json.dumps(dict.fromkeys((one.split("|")[0] for one in self.required), "..."))
                needed = " or ".join(map(repr, choices))
                raise BadRequest(f"a job of kind {self.kind!r} needs {needed}: pass a payload such as {example}")
        if self.accepts is None:
            return
        known = (*self.required, *self.accepts)
        if unknown := [key for key in payload if key not in known]:
            raise BadRequest(f"a job of kind {self.kind!r} has no {unknown[0][:40]!r}: one of {', '.join(known)}")


#: Kinds without effect, by queue.  When one is done, all jobs published before it in the queue are done.
BARRIERS: Mapping[QueueName, JobKind] = {"write": "noop", "model": "model-noop", "index": "index-noop"}

_types: dict[JobKind, JobType] = {
    "noop": JobType(kind="noop", queue="write", submit="service", pipelined=True),
    "model-noop": JobType(kind="model-noop", queue="model"),
    "index-noop": JobType(kind="index-noop", queue="index"),
}


def job_handler(kind: JobKind, **properties: Any) -> Callable[[HandlerClass], HandlerClass]:
    """Decorator: register a class, or a function that makes a handler, for a kind.

    ``properties``: fields of ``JobType``.  ``queue`` has no default, because a model call in "write" would block recording
    without any error.  The handler is made from a ``HandlerContext``.

    Raises ConfigurationError: the kind already has a handler.
    """

    def register(handler: HandlerClass) -> HandlerClass:
        if kind in _types:
            raise ConfigurationError(f"two handlers are registered for jobs of kind {kind!r}: give one of them another kind")
        _types[kind] = JobType(kind=kind, create=handler, **properties)
        return handler

    return register


def job_types() -> Iterator[JobType]:
    return iter(_types.values())


def queue_of(kind: JobKind) -> QueueName:
    return _types[kind].queue if kind in _types else "write"


def is_pipelined(kind: JobKind) -> bool:
    return kind in _types and _types[kind].pipelined


def is_barrier(kind: JobKind) -> bool:
    return kind in BARRIERS.values()


def is_erasure(kind: JobKind) -> bool:
    return kind == "forget"


def calls_model(kind: JobKind) -> bool:
    return queue_of(kind) == "model" and not is_barrier(kind)


def is_long(kind: JobKind) -> bool:
    """Whether jobs of this kind call a language model or embed a whole scope."""
    return queue_of(kind) != "write" and not is_barrier(kind)


def partition_key(job: Job) -> str:
    """The ordering key: jobs with the same key (one scope, one queue) run in the order they were published.

    Jobs of a kind that this version does not know have a key of their own, so that no other job waits for them.
    """
    return f"{job.scope.key}|{queue_of(job.kind) if job.kind in _types else job.kind}"
