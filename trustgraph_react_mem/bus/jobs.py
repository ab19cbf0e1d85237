"""Background jobs on the job topics of a bus: one topic per workspace, ordered per partition key.

Invariants:
- ``publish`` returns after the bus has stored every job.
- A payload is encrypted with a key of its scope before it leaves the process, and bound to the id, kind and time of its job.
- A message may be delivered more than once: while it is unacknowledged, after a reconnection, or if its acknowledgement was
  lost.  The worker removes duplicates (``jobs/``).
"""

import asyncio
import base64
import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from ..disk import DiskSpace
from ..errors import BadRequest, MemoryServiceError, Unconfirmed
from ..failure_log import describe_error
from ..memory.ports import UNDECODABLE, Job, KeyRing
from ..memory.records import derived_id
from ..memory.scope import Scope
from ..schema import JobEnvelope
from ..schema.topics import JOBS, job_queue
from ..telemetry.propagation import TRACEPARENT, current_headers
from ..telemetry.tracing import job_sending
from . import wire
from .envelope import open_job, parse_head, seal_payload, to_envelope
from .heartbeat import count_receive_failure
from .port import Bus, Message, Receiver, Sender, process_messages

logger = logging.getLogger(__name__)

PUBLISH_TIMEOUT_S = 5.0
AHEAD = 100  # jobs fetched in advance; the bus keeps the others


class BusJobPublisher:
    """``JobPublisher`` over the bus.  Jobs with the same ``partition_key`` are delivered in the order of publication.

    ``disk``: where an in-process bus keeps its jobs.  Nothing is published while it has no room.
    """

    def __init__(
        self,
        backend: Bus,
        keyring: KeyRing,
        *,
        partition_key: Callable[[Job], str],
        source: str,
        timeout_s: float = PUBLISH_TIMEOUT_S,
        disk: DiskSpace | None = None,
    ) -> None:
        self._backend = backend
        self._keyring = keyring
        self._partition_key = partition_key
        self._source = source
        self._timeout_s = timeout_s
        self._disk = disk
        self._producers: dict[str, Sender] = {}
        self._opening = asyncio.Lock()

    async def publish(self, jobs: Sequence[Job]) -> None:
        """Return when the bus has stored all jobs, ordered per partition key.

        Raises: EngineUnavailable, TooLarge, DiskFull (nothing was published).
        """
        if self._disk is not None:
            self._disk.check("publishing jobs")
        try:
            async with asyncio.timeout(self._timeout_s):
                sealed = await asyncio.gather(*(seal_payload(self._keyring, job) for job in jobs))
                producers = {name: await self._producer(name) for name in {job.scope.workspace for job in jobs}}
                # Tasks start in the order of their creation, so the sends keep the order of the jobs.  Their confirmations
                # are awaited together.
                async with asyncio.TaskGroup() as sends:
                    tasks = [
                        sends.create_task(self._send(producers[job.scope.workspace], job, data))
                        for job, data in zip(jobs, sealed, strict=True)
                    ]
            if any(task.cancelled() for task in tasks):  # by the client, which the group does not take for a failure
                raise Unconfirmed(f"the message broker did not confirm {len(jobs)} jobs: is it running?")
        except TimeoutError:
            raise Unconfirmed(
                f"the message broker did not confirm {len(jobs)} jobs within {self._timeout_s:g} s: is it running?"
            ) from None
        except ExceptionGroup as group:
            raise group.exceptions[0] from None

    async def _send(self, producer: Sender, job: Job, sealed: str) -> None:
        with job_sending(JOBS, job.id, job.kind):
            await producer.send_bytes(
                wire.encode(to_envelope(job, sealed, self._source)),
                {"id": job.id, "kind": job.kind, **current_headers()},
                partition_key=self._partition_key(job),
                what=f"{job.kind} job",
            )

    async def _producer(self, workspace: str) -> Sender:
        found = self._producers.get(workspace)
        if found is not None:
            return found
        async with self._opening:
            if workspace not in self._producers:
                await self._backend.open_job_topic(workspace)
                self._producers[workspace] = await self._backend.create_producer(
                    job_queue(workspace), JobEnvelope, send_timeout_s=self._timeout_s
                )
            return self._producers[workspace]

    async def close(self) -> None:
        await asyncio.gather(*(producer.close() for producer in self._producers.values()))
        self._producers.clear()


class ReceivedJob:
    """One delivery of a job.  The bus delivers it again until it is acknowledged."""

    def __init__(self, source: Receiver, message: Message, workspace: str, keyring: KeyRing) -> None:
        self._source, self._keyring, self.message = source, keyring, message
        self._fault: Exception | None = None
        self.key: str = message.key
        try:
            self.envelope: JobEnvelope = message.value()
            self.head = replace(parse_head(self.envelope), traceparent=message.properties().get(TRACEPARENT, ""))
        except Exception as error:
            # Broad because whatever a message holds, it must cost itself only.  It becomes a dead letter.
            logger.warning("decoding a message of the job topic of %s failed: %s", workspace, describe_error(error))
            self._fault = error
            self.envelope = JobEnvelope(data=base64.b64encode(message.data()).decode("ascii"))
            self.head = _undecodable(workspace, message.identity)

    @property
    def sealed(self) -> str:
        """The encrypted payload.  For a message that does not decode: the whole message in base64."""
        return self.envelope.data

    async def open(self) -> Job:
        """Raises: ScopeErased, BadRequest."""
        if self._fault is not None:
            reason = self._fault if isinstance(self._fault, MemoryServiceError) else type(self._fault).__name__
            raise BadRequest(f"a message of the job topic is not a job: {reason}")
        return await open_job(self._keyring, self.head, self.sealed)

    async def ack(self) -> None:
        """Acknowledge, so that the message is not delivered again.  Raises: EngineUnavailable (it may be)."""
        await self._source.acknowledge(self.message)


class JobConsumer:
    """Receives the jobs of several workspaces.  Jobs are ordered per partition key within their workspace."""

    def __init__(self, backend: Bus, keyring: KeyRing) -> None:
        self._backend, self._keyring = backend, keyring
        self._queue: asyncio.Queue[ReceivedJob] = asyncio.Queue(maxsize=AHEAD)
        self._sources: dict[str, tuple[Receiver, asyncio.Task[None]]] = {}
        self._workspaces: set[str] = set()

    async def add_workspace(self, workspace: str) -> None:
        """Subscribe to the jobs of a workspace.  Idempotent.  Raises: EngineUnavailable (after some retries)."""
        self._workspaces.add(workspace)
        if workspace in self._sources:
            return
        consumer = await self._backend.create_job_consumer(workspace)
        task = asyncio.create_task(self._forward(consumer, workspace), name=f"jobs of {workspace}")
        self._sources[workspace] = (consumer, task)

    def connections(self) -> list[bool]:
        """For each workspace, whether its jobs are being received."""
        return [consumer.is_connected() and not task.done() for consumer, task in self._sources.values()]

    async def receive(self) -> ReceivedJob:
        """The next job of any workspace."""
        return await self._queue.get()

    async def reopen(self) -> None:
        """Subscribe to all workspaces again, and receive what was not acknowledged.  Raises: EngineUnavailable."""
        await self.close()
        self._queue = asyncio.Queue(maxsize=AHEAD)
        for workspace in sorted(self._workspaces):
            await self.add_workspace(workspace)

    async def close(self) -> None:
        """Stop receiving.  The bus keeps the backlog."""
        while self._sources:
            _, (consumer, task) = self._sources.popitem()
            await consumer.close()
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def _forward(self, consumer: Receiver, workspace: str) -> None:
        async def put(message: Message) -> None:
            await self._queue.put(ReceivedJob(consumer, message, workspace, self._keyring))

        await process_messages(consumer, put, f"the jobs of {workspace}", lambda: count_receive_failure(JOBS))


def _undecodable(workspace: str, identity: str) -> Job:
    return Job(
        id=derived_id("undecodable", identity),
        kind="noop",
        scope=Scope(workspace=workspace, user="", collection=UNDECODABLE),
        payload={},
        created_at=datetime.now(UTC),
        trigger="undecodable",
    )
