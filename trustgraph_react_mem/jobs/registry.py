"""The kinds of jobs.  Each handler declares its kind, its queue and who may submit it, where the handler is defined.

This package imports no handler: a handler registers itself when its module is imported, which ``learning.handlers`` does for
all of them.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from ..errors import ConfigurationError
from ..memory.ports import Job, JobKind
from .delivery import Handler

#: Each queue has slots of its own.  Jobs in "write" call no language model, those in "model" do, "index" embeds whole scopes.
QueueName = Literal["write", "model", "index"]
#: Who may ask for a job: only other jobs and the agent; also clients of the jobs service; also a person at the command line.
Submitter = Literal["internal", "service", "person"]

HandlerClass = TypeVar("HandlerClass", bound=type[Any])


@dataclass(frozen=True, slots=True, kw_only=True)
class JobType:
    """``required``: keys of the payload without which the work cannot begin.

    ``pipelined``: its effects are the same whether or not a later job of the scope has run, so that its entry in the job store
    may be written while the next job of the scope is running.
    """

    kind: JobKind
    queue: QueueName
    create: Callable[..., Handler] | None = None  # from what a handler works with; None: there is nothing to do
    submit: Submitter = "internal"
    required: tuple[str, ...] = ()
    pipelined: bool = False


#: Kinds that do nothing, by their queue: when one is done, all that was published before it is done.
BARRIERS: Mapping[QueueName, JobKind] = {"write": "noop", "model": "model-noop", "index": "index-noop"}

_types: dict[JobKind, JobType] = {
    "noop": JobType(kind="noop", queue="write", submit="service", pipelined=True),
    "model-noop": JobType(kind="model-noop", queue="model"),
    "index-noop": JobType(kind="index-noop", queue="index"),
}


def job_handler(
    kind: JobKind, *, queue: QueueName, submit: Submitter = "internal", required: tuple[str, ...] = (), pipelined: bool = False
) -> Callable[[HandlerClass], HandlerClass]:
    """Register a class as the handler of a kind.

    ``queue`` has no default: a model call in "write" would block recording, and nothing would fail.  The class takes the
    context of handlers, or has a ``from_context`` that does.
    """

    def register(handler: HandlerClass) -> HandlerClass:
        if kind in _types:
            raise ConfigurationError(f"two handlers are registered for jobs of kind {kind!r}: give one of them another kind")
        create = getattr(handler, "from_context", handler)
        _types[kind] = JobType(kind=kind, queue=queue, create=create, submit=submit, required=required, pipelined=pipelined)
        return handler

    return register


def job_type(kind: JobKind) -> JobType:
    """Raises ConfigurationError: no handler of that kind was imported."""
    try:
        return _types[kind]
    except KeyError:
        raise ConfigurationError(f"no handler is registered for jobs of kind {kind!r}: decorate it with job_handler") from None


def job_types() -> Iterator[JobType]:
    return iter(_types.values())


def queue_of(kind: JobKind) -> QueueName:
    return job_type(kind).queue


def is_barrier(kind: JobKind) -> bool:
    return kind in BARRIERS.values()


def calls_model(kind: JobKind) -> bool:
    return queue_of(kind) == "model" and not is_barrier(kind)


def is_long(kind: JobKind) -> bool:
    """It calls a language model or embeds a whole scope."""
    return queue_of(kind) != "write" and not is_barrier(kind)


def partition_key(job: Job) -> str:
    """One scope's jobs of one queue are done in the order they were published."""
    return f"{job.scope.key}|{queue_of(job.kind)}"
