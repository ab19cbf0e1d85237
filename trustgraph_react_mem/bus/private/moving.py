"""Moves jobs that an earlier version left in the job topic with the public name."""

import asyncio

import pulsar

from ...schema import JobEnvelope
from ...schema.topics import job_queue
from ..jobs import SUBSCRIPTION, ensure_subscription
from ..pulsar_driver import DirectBackend

QUIET_S = 3.0  # without a further message, the topic counts as empty


async def move_public_jobs(public: DirectBackend, private: DirectBackend, workspace: str) -> int:
    """Move the unacknowledged jobs, in their order, and return their number.  Both backends lead to the same broker.

    If it is interrupted, a job may be in both topics.  The worker removes duplicates.

    Raises: EngineUnavailable (what was not moved is still in the public topic).
    """
    await ensure_subscription(private, workspace)
    target = await private.create_producer(job_queue(workspace), JobEnvelope)
    source = await public.create_consumer(
        job_queue(workspace), SUBSCRIPTION, JobEnvelope, "earliest", consumer_type=pulsar.ConsumerType.Exclusive
    )
    moved = 0
    try:
        while True:
            receiving = asyncio.create_task(source.receive())
            done, _ = await asyncio.wait({receiving}, timeout=QUIET_S)
            if not done:
                await source.close()  # before the cancellation, which could otherwise lose a message that is just arriving
                receiving.cancel()
                await asyncio.gather(receiving, return_exceptions=True)
                return moved
            message = receiving.result()
            await target.send_bytes(
                message.raw.data(), message.properties(), partition_key=message.raw.partition_key(), what="job"
            )
            await source.acknowledge(message)
            moved += 1
    finally:
        await source.close()
        await target.close()
