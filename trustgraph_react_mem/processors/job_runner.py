"""Runs the background jobs of a process: the worker, what it receives from the bus, and the handlers."""

import asyncio
import logging

from ..bootstrap import MemoryServices
from ..bus.heartbeat import count_receive_failure
from ..bus.jobs import JobConsumer
from ..bus.port import Bus
from ..errors import MemoryServiceError
from ..failure_log import describe_error, log_failure
from ..jobs.delivery import Handler, JobOutcome, read_flow
from ..jobs.retry import WorkerLimits
from ..jobs.worker import JobWorker
from ..learning.context import HandlerContext
from ..learning.handler_table import build_handlers
from ..memory.ports import Job
from ..schema.topics import JOBS
from ..telemetry.metrics import job_failures

logger = logging.getLogger(__name__)

RESTART_S = 1.0


class JobRunner:
    """``consumer`` receives the jobs of its workspaces, ``worker`` runs them while ``run`` does."""

    def __init__(
        self,
        memory: MemoryServices,
        bus: Bus,
        context: HandlerContext,
        limits: WorkerLimits | None = None,
    ) -> None:
        self._memory = memory
        self.consumer = JobConsumer(bus, memory.graph.keyring)
        self.worker = JobWorker(
            source=self.consumer,
            gate=context.gate,
            handlers={kind: self._serve(handler) for kind, handler in build_handlers(context).items()},
            graph=memory.graph,
            publisher=memory.publisher,
            clock=memory.clock,
            limits=limits,
        )

    def _serve(self, handler: Handler) -> Handler:
        """Wrap a handler: embed with the service of the flow that published the job, and count failures."""

        async def serve(job: Job) -> JobOutcome:
            with self._memory.embedder.serving(job.scope.workspace, read_flow(job)):
                try:
                    return await handler(job)
                except Exception as error:
                    # Broad because every failure is counted.  The worker decides what happens to the job.
                    wire_type = error.wire_type if isinstance(error, MemoryServiceError) else "memory-error"
                    job_failures.labels(job.kind, wire_type).inc()
                    raise

        return serve

    async def run(self) -> None:
        """Run jobs until cancelled.  The bus delivers again what a worker that failed left unacknowledged."""
        while True:
            try:
                await self.worker.run()
            except Exception:
                # Broad because a bug must not stop background work.  Unfinished jobs are unacknowledged, so none is lost.
                log_failure(logger, "job worker failed, will restart")
                count_receive_failure(JOBS)
            await self._connect_again()

    async def _connect_again(self) -> None:
        """Subscribe again, until every workspace is: a worker without jobs would look healthy."""
        while True:
            await asyncio.sleep(RESTART_S)
            try:
                return await self.consumer.reopen()
            except Exception as error:
                # Broad because nothing else starts background work again.
                logger.error("connecting the job worker failed, will retry: %s", describe_error(error))
