"""Limits of a worker."""

from dataclasses import dataclass, field
from datetime import timedelta

from .retry import RetryLimits


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerLimits:
    """``*_slots``: jobs of a queue that run at once.

    ``model_backlog``: deliveries of the slow queues held in memory; the rest waits in the job store.
    """

    write_slots: int = 16
    model_slots: int = 2
    index_slots: int = 1
    model_backlog: int = 1000
    sweep_every_s: float = 5.0
    keep_done: timedelta = timedelta(days=7)
    retry: RetryLimits = field(default_factory=RetryLimits)
