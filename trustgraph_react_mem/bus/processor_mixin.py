"""``DirectBus``: mixin that runs a TrustGraph processor on ``DirectBackend`` and its pools."""

import asyncio
import logging
import os
import sys
from argparse import ArgumentParser
from typing import Any

from trustgraph.base.async_pulsar_backend import AsyncPulsarBackend
from trustgraph.schema import ConfigRequest, ConfigResponse, config_request_queue, config_response_queue

from ..directories import PRIVATE_UMASK
from ..errors import MissingPackage
from .pools import DirectReceivers, DirectSenders
from .pulsar_driver import DirectBackend
from .rpc import Requests
from .trustgraph_adapter import ConfigClientHook

__all__ = ["DirectBackend", "DirectBus"]

logger = logging.getLogger(__name__)

CONCURRENCY = 64
CONFIG_TIMEOUT_S = 3
FIRST_CONFIG_TIMEOUT_S = 0.25
CONFIG_RETRIES = 5
WRONG_SETUP = 3  # exit code, as of the command line


class DirectBus(ConfigClientHook):
    """First base of a processor: ``class Processor(DirectBus, FlowProcessor)``.

    Processors may start in any order: an unanswered configuration request is repeated after 0.25 s, then less often.  Fetching
    the values of a configuration change is retried.  With a broker other than Pulsar, the stock backend is used.

    Extra constructor parameters:
        backend: a connection that the processors of this process share.
        memory: the ``MemoryServices`` that they share.  None: the processor opens its own.
    """

    id: str
    concurrency: int
    config_timeout: int
    config_version: int
    running: bool
    async_backend: Any
    receiver_pool: Any
    sender_pool: Any

    def __init__(self, **params: Any) -> None:
        self.memory: Any = params.pop("memory", None)
        shared: DirectBackend | None = params.pop("backend", None)
        params.setdefault("concurrency", CONCURRENCY)
        params.setdefault("config_timeout", CONFIG_TIMEOUT_S)
        super().__init__(**params)
        self._next_config_timeout_s = FIRST_CONFIG_TIMEOUT_S
        if type(self.async_backend) is not AsyncPulsarBackend:
            return
        self.async_backend = shared.lease() if shared is not None else DirectBackend.over(self.async_backend)
        self.receiver_pool = DirectReceivers(self.async_backend, self.concurrency, self.id)
        self.sender_pool = DirectSenders(self.async_backend, self.id)

    async def config_client(self) -> Requests:
        timeout_s = min(self._next_config_timeout_s, float(self.config_timeout))
        self._next_config_timeout_s = 2 * timeout_s
        return await Requests.create(
            backend=self.async_backend,
            request_topic=config_request_queue,
            response_topic=config_response_queue,
            request_schema=ConfigRequest,
            response_schema=ConfigResponse,
            default_timeout=timeout_s,
        )

    async def fetch_and_apply_config(self) -> None:
        """Stock start-up, but polls until the configuration service answers instead of sleeping a fixed time."""
        await self._wait_for_configuration()
        await super().fetch_and_apply_config()  # type: ignore[misc]

    async def _wait_for_configuration(self) -> None:
        while self.running:
            client = await self.config_client()
            try:
                await client.request(ConfigRequest(operation="getkeys-all-ws", type="workspace"))
                self._next_config_timeout_s = float(self.config_timeout)
                return
            except Exception as error:
                # Broad because start-up must wait for the configuration service whatever is wrong with it.
                logger.info("%s: the configuration service does not answer, retry: %s", self.id, error)
            finally:
                await client.close()

    async def on_config_notify(self, message: Any, consumer: Any, flow: Any) -> None:
        """Stock handling, retried if the values could not be fetched, because the notification comes only once."""
        for attempt in range(CONFIG_RETRIES):
            await super().on_config_notify(message, consumer, flow)  # type: ignore[misc]
            if self.config_version >= message.value().version:
                return
            await asyncio.sleep(0.5 * 2**attempt)
        logger.error(
            "%s: applying configuration version %s failed after %d tries: the previous one stays in use",
            *(self.id, message.value().version, CONFIG_RETRIES),
        )

    @classmethod
    async def launch_async(cls, args: dict[str, Any]) -> None:
        """Stock launch, which restarts a failed processor.  A missing package ends the process: a restart cannot help."""
        os.umask(PRIVATE_UMASK)

        class Launched(cls):  # type: ignore[misc, valid-type]
            async def start(self) -> None:
                try:
                    await super().start()
                except MissingPackage as error:
                    print(f"error: {error}", file=sys.stderr, flush=True)
                    os._exit(WRONG_SETUP)  # as the command line: C++ threads of the client may crash a normal exit

        await super(DirectBus, Launched).launch_async(args)  # type: ignore[misc]

    @staticmethod
    def add_args(parser: ArgumentParser) -> None:
        """Set our defaults.  Call after ``add_args`` of the stock class."""
        parser.set_defaults(concurrency=CONCURRENCY, config_timeout=CONFIG_TIMEOUT_S)
