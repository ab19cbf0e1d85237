"""Limits of a worker."""

from dataclasses import dataclass, field
from datetime import timedelta

from .retry import RetryLimits


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerLimits:
    """Limits of one worker process.

    ``*_slots``: number of jobs of a queue that run concurrently.
    ``model_backlog``: maximum deliveries of the model and index queues in memory; further ones wait in the job store.
    ``held``, ``held_bytes``: maximum number of jobs taken from the broker and not finished, and the size of their payloads.
    ``sweep_every_s``: seconds between two checks for deferred jobs that are due.
    ``keep_done``, ``keep_dead``: how long entries of finished jobs and dead letters are kept.  A message that is
    older than ``keep_done`` and has no entry may repeat a job that was done.  It becomes a dead letter, which an operator can
    replay.
    ``interrupted_runs``: after so many runs during which the process ended, a job becomes a dead letter.
    """

    write_slots: int = 16
    model_slots: int = 2
    index_slots: int = 1
    model_backlog: int = 1000
    held: int = 2000
    held_bytes: int = 64 * 2**20
    sweep_every_s: float = 5.0
    keep_done: timedelta = timedelta(days=30)
    keep_dead: timedelta = timedelta(days=90)
    interrupted_runs: int = 3
    retry: RetryLimits = field(default_factory=RetryLimits)
