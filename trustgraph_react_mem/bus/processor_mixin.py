"""``DirectBus``: the mixin that puts a TrustGraph processor on our backend and pools."""

import asyncio
import logging
import sys
from argparse import ArgumentParser
from typing import Any

from trustgraph.base.async_pulsar_backend import AsyncPulsarBackend
from trustgraph.schema import ConfigRequest, ConfigResponse, config_request_queue, config_response_queue

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

    Processors may start in any order: a configuration request without an answer is repeated after a quarter of a second, then
    less often.  Fetching the values of a configuration change is retried.  On another broker than Pulsar the stock backend
    stays.

    Extra constructor parameters: ``backend``, a connection to share with the other processors of this process, and
    ``memory``, the stores and rules they share (None: the processor opens its own).
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
        """Stock start-up, but asking until the configuration service listens instead of sleeping in between."""
        await self._configuration_answers()
        await super().fetch_and_apply_config()  # type: ignore[misc]

    async def _configuration_answers(self) -> None:
        while self.running:
            client = await self.config_client()
            try:
                await client.request(ConfigRequest(operation="getkeys-all-ws", type="workspace"))
                self._next_config_timeout_s = float(self.config_timeout)
                return
            except Exception as error:
                # Broad because start-up waits for its surroundings whatever is wrong with them.
                logger.info("%s: the configuration service does not answer, retry: %s", self.id, error)
            finally:
                await client.close()

    async def on_config_notify(self, message: Any, consumer: Any, flow: Any) -> None:
        """Stock handling, again when it could not fetch the values: the notify itself comes only once."""
        for attempt in range(CONFIG_RETRIES):
            await super().on_config_notify(message, consumer, flow)  # type: ignore[misc]
            if self.config_version >= message.value().version:
                return
            await asyncio.sleep(0.5 * 2**attempt)
        logger.error(
            "%s: applying configuration version %s failed after %d tries: the processor works with the one before",
            *(self.id, message.value().version, CONFIG_RETRIES),
        )

    @classmethod
    async def launch_async(cls, args: dict[str, Any]) -> None:
        """As stock, which starts a failed processor again.  Where a package is missing, that cannot help: the process ends."""

        class Launched(cls):  # type: ignore[misc, valid-type]
            async def start(self) -> None:
                try:
                    await super().start()
                except MissingPackage as error:
                    print(f"error: {error}", file=sys.stderr, flush=True)
                    raise SystemExit(WRONG_SETUP) from None

        await super(DirectBus, Launched).launch_async(args)  # type: ignore[misc]

    @staticmethod
    def add_args(parser: ArgumentParser) -> None:
        """Call after the stock class's ``add_args``: it sets our defaults."""
        parser.set_defaults(concurrency=CONCURRENCY, config_timeout=CONFIG_TIMEOUT_S)
