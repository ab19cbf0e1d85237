"""Background jobs on persistent topics: one topic per workspace, one subscription, ordered per partition key.

Invariants:
- The subscription exists before the first publish, because a Pulsar topic without one keeps nothing.  It is never removed.
- ``publish`` returns after the broker confirmed every job.
- A payload is encrypted with a key of its scope before it leaves the process, and bound to the id, kind and time of its job.
- A message may be delivered more than once: while it is unacknowledged, after a reconnection, or if its acknowledgement was
  lost.  The worker removes duplicates (``jobs/``).
"""

import asyncio
import base64
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from datetime import UTC, datetime

import pulsar

from ..disk import DiskSpace
from ..errors import BadRequest, EngineUnavailable, MemoryServiceError, Unconfirmed
from ..failure_log import describe_error, log_failure
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
from .pulsar_driver import Closed, DirectBackend, DirectConsumer, DirectMessage, DirectProducer
from .storage.gate import PublishGate

logger = logging.getLogger(__name__)

SUBSCRIPTION = JOBS
PUBLISH_TIMEOUT_S = 5.0
SUBSCRIBE_TRIES = 8
AHEAD = 100  # jobs fetched in advance; the broker keeps the others
RESTART_S = 1.0  # before a receiving task that failed goes on
RESUBSCRIBE_EVERY_S = 1.0
AT_ONCE = 100  # unconfirmed messages of a repetition

logger = logging.getLogger(__name__)


class BusJobPublisher:
    """``JobPublisher`` over the bus.  Jobs with the same ``partition_key`` are delivered in the order of publication.

    ``disk``: of an embedded broker.  Nothing is published while it has no room.
    """

    def __init__(
        self,
        backend: DirectBackend,
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
        self._producers: dict[str, DirectProducer] = {}
        self._opening = asyncio.Lock()
        self.gate = PublishGate()

    async def publish_encoded(self, jobs: Sequence[tuple[Job, bytes]]) -> None:
        """Publish jobs that are encoded already, also while the gate is closed.  Raises: EngineUnavailable."""
        for start in range(0, len(jobs), AT_ONCE):
            async with asyncio.timeout(10 * self._timeout_s), asyncio.TaskGroup() as sends:
                for job, data in jobs[start : start + AT_ONCE]:
                    producer = await self._producer(job.scope.workspace)
                    sends.create_task(
                        producer.send_bytes(data, {"id": job.id, "kind": job.kind}, partition_key=self._partition_key(job))
                    )

    async def publish(self, jobs: Sequence[Job]) -> None:
        """Return when the broker confirmed all jobs, ordered per partition key.

        Raises: EngineUnavailable, TooLarge, DiskFull (nothing was published).
        """
        if self._disk is not None:
            self._disk.check("publishing jobs")
        watch = self._backend.job_watch
        async with self.gate.passed():
            with watch.publish(jobs) if watch is not None else nullcontext():
                await self._publish(jobs)

    async def _publish(self, jobs: Sequence[Job]) -> None:
        try:
            async with asyncio.timeout(self._timeout_s):
                sealed = await asyncio.gather(*(seal_payload(self._keyring, job) for job in jobs))
                producers = {name: await self._producer(name) for name in {job.scope.workspace for job in jobs}}
                # Tasks start in the order of their creation, so the sends keep the order of the jobs.  Their confirmations
                # are awaited together.
                async with asyncio.TaskGroup() as sends:
                    for job, data in zip(jobs, sealed, strict=True):
                        sends.create_task(self._send(producers[job.scope.workspace], job, data))
        except TimeoutError:
            raise Unconfirmed(
                f"the message broker did not confirm {len(jobs)} jobs within {self._timeout_s:g} s: is it running?"
            ) from None
        except ExceptionGroup as group:
            raise group.exceptions[0] from None

    async def _send(self, producer: DirectProducer, job: Job, sealed: str) -> None:
        with job_sending(JOBS, job.id, job.kind):
            await producer.send_bytes(
                wire.encode(to_envelope(job, sealed, self._source)),
                {"id": job.id, "kind": job.kind, **({TRACEPARENT: job.traceparent} if job.traceparent else current_headers())},
                partition_key=self._partition_key(job),
                what=f"{job.kind} job",
            )

    async def _producer(self, workspace: str) -> DirectProducer:
        found = self._producers.get(workspace)
        if found is not None:
            return found
        async with self._opening:
            if workspace not in self._producers:
                await ensure_subscription(self._backend, workspace)
                self._producers[workspace] = await self._backend.create_producer(
                    job_queue(workspace), JobEnvelope, send_timeout_s=self._timeout_s
                )
            return self._producers[workspace]

    async def close(self) -> None:
        await asyncio.gather(*(producer.close() for producer in self._producers.values()))
        self._producers.clear()


async def ensure_subscription(backend: DirectBackend, workspace: str) -> None:
    """Create the workers' subscription if no worker has done so yet.

    It is opened as exclusive, which the broker refuses while a worker is subscribed.  A second consumer of the workers' type
    (key-shared) would receive messages and delay them.

    Raises:
        EngineUnavailable: the broker does not answer.
    """
    topic = job_queue(workspace)
    subscriptions = backend.job_subscriptions
    async with subscriptions.lock:
        if topic in subscriptions.known:
            return
        try:
            consumer = await backend.client.subscribe(
                backend.secrets.guard(topic).address,
                SUBSCRIPTION,
                consumer_type=pulsar.ConsumerType.Exclusive,
                initial_position=pulsar.InitialPosition.Earliest,
                receiver_queue_size=1,
                schema=pulsar.schema.BytesSchema(),
            )
            await consumer.close()
        except pulsar.asyncio.PulsarException as error:
            if error.error() not in (pulsar.Result.ConsumerBusy, pulsar.Result.ConsumerAssignError):
                raise EngineUnavailable(
                    f"the message broker did not open the job subscription: {error.error().name}; is it running?"
                ) from None
        subscriptions.known.add(topic)


class ReceivedJob:
    """One delivery of a job.  The broker redelivers it until it is acknowledged."""

    def __init__(self, source: DirectConsumer, message: DirectMessage, workspace: str, keyring: KeyRing) -> None:
        self._source, self._keyring, self._message = source, keyring, message
        self._fault: Exception | None = None
        self.key: str = message.raw.partition_key()
        try:
            self.envelope: JobEnvelope = message.value()
            self.head = replace(parse_head(self.envelope), traceparent=message.properties().get(TRACEPARENT, ""))
        except Exception as error:
            # Broad because whatever a message holds, it must cost itself only.  It becomes a dead letter.
            logger.warning("decoding a message of the job topic of %s failed: %s", workspace, describe_error(error))
            self._fault = error
            self.envelope = JobEnvelope(data=base64.b64encode(message.raw.data()).decode("ascii"))
            self.head = _undecodable(workspace, message_identity(message))

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
        """Acknowledge, so that the message is not redelivered.  Raises: EngineUnavailable (it may be redelivered)."""
        await self._source.acknowledge(self._message)


class JobConsumer:
    """Receives the jobs of several workspaces.  Jobs are ordered per partition key within their workspace."""

    def __init__(self, backend: DirectBackend, keyring: KeyRing) -> None:
        self._backend, self._keyring = backend, keyring
        self._queue: asyncio.Queue[ReceivedJob] = asyncio.Queue(maxsize=AHEAD)
        self._sources: dict[str, tuple[DirectConsumer, asyncio.Task[None]]] = {}

    async def add_workspace(self, workspace: str) -> None:
        """Subscribe to the jobs of a workspace.  Idempotent.  Raises: EngineUnavailable (after some retries)."""
        if workspace in self._sources:
            return
        consumer = await self._subscribe(workspace)
        task = asyncio.create_task(self._forward(consumer, workspace), name=f"jobs of {workspace}")
        self._sources[workspace] = (consumer, task)

    async def remove_workspace(self, workspace: str) -> None:
        """Stop receiving the jobs of a workspace.  The subscription keeps its backlog."""
        if workspace in self._sources:
            consumer, task = self._sources.pop(workspace)
            await consumer.close()
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            self._backend.job_subscriptions.known.discard(job_queue(workspace))

    def connections(self) -> list[bool]:
        """For each workspace, whether its jobs are being received."""
        return [consumer.is_connected() and not task.done() for consumer, task in self._sources.values()]

    async def renew(self, replace: Callable[[], Awaitable[None]]) -> None:
        """Close all subscriptions, replace the broker's store, and subscribe again.

        Jobs that were received before cannot be acknowledged any more.  Raises: what ``replace`` raises; EngineUnavailable.
        """
        workspaces = self.workspaces
        for consumer, _ in self._sources.values():
            consumer.retire()
        for workspace in workspaces:
            await self.remove_workspace(workspace)
        try:
            await replace()
        finally:
            for workspace in workspaces:
                await self._add_again(workspace)

    async def _add_again(self, workspace: str) -> None:
        """Without the subscription, the worker would wait for ever: the broker is started again in the background."""
        while True:
            try:
                return await self.add_workspace(workspace)
            except EngineUnavailable as error:
                logger.error("subscribing to the jobs of workspace %s failed, will retry: %s", workspace, error)
                await asyncio.sleep(RESUBSCRIBE_EVERY_S)

    @property
    def workspaces(self) -> list[str]:
        return list(self._sources)

    async def receive(self) -> ReceivedJob:
        """The next job of any workspace."""
        return await self._queue.get()

    async def close(self) -> None:
        for workspace in list(self._sources):
            await self.remove_workspace(workspace)

    async def _subscribe(self, workspace: str) -> DirectConsumer:
        pause_s = 0.1
        subscriptions = self._backend.job_subscriptions
        for attempt in range(SUBSCRIBE_TRIES):
            try:
                async with subscriptions.lock:
                    consumer = await self._backend.create_consumer(
                        job_queue(workspace),
                        SUBSCRIPTION,
                        JobEnvelope,
                        "earliest",
                        consumer_type=pulsar.ConsumerType.KeyShared,
                    )
                    subscriptions.known.add(job_queue(workspace))
                    return consumer
            except EngineUnavailable:
                # A publisher may be holding the subscription exclusively while it creates it (ensure_subscription).
                if attempt == SUBSCRIBE_TRIES - 1:
                    raise
                await asyncio.sleep(pause_s)
                pause_s *= 2
        raise AssertionError("unreachable")

    async def _forward(self, consumer: DirectConsumer, workspace: str) -> None:
        """Receive until the consumer is closed.  No fault ends this: a worker that receives nothing would look healthy."""
        watch = self._backend.job_watch
        while True:
            if watch is not None:
                watch.wait(workspace)
            try:
                message = await consumer.receive()
                if watch is not None:
                    watch.arrive(workspace, message.properties().get("id", ""))
                await self._queue.put(ReceivedJob(consumer, message, workspace, self._keyring))
            except Closed:
                return
            except Exception:
                log_failure(logger, "receiving the jobs of %s failed, retry in %g s", workspace, RESTART_S)
                count_receive_failure(JOBS)
                await asyncio.sleep(RESTART_S)


def message_identity(message: DirectMessage) -> str:
    """The broker's id of the message plus the job id, because message ids repeat after a topic was deleted and recreated."""
    place = message.raw.message_id()
    return f"{message.raw.topic_name()}|{place}|{message.properties().get('id', '')}"


def _undecodable(workspace: str, identity: str) -> Job:
    return Job(
        id=derived_id("undecodable", identity),
        kind="noop",
        scope=Scope(workspace=workspace, user="", collection=UNDECODABLE),
        payload={},
        created_at=datetime.now(UTC),
        trigger="undecodable",
    )
