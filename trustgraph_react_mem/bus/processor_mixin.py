"""``DirectBus``: mixin that runs a TrustGraph processor on our buses and their pools."""

import asyncio
import contextlib
import logging
import math
import os
import signal
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, NoReturn

from trustgraph.base.async_pulsar_backend import AsyncPulsarBackend
from trustgraph.schema import ConfigRequest, ConfigResponse, config_request_queue, config_response_queue

from ..allocator import limit_arenas
from ..directories import PRIVATE_UMASK
from ..errors import BadRequest, ConfigurationError, WrongSetup
from ..failure_log import log_failure
from ..memory.json_object import read_json_object
from ..telemetry import sdk
from .address import SCHEMES, is_broker_address
from .pools import DirectReceivers, DirectSenders
from .port import Bus
from .pulsar_driver import DirectBackend
from .rpc import Requests
from .trustgraph_adapter import topic_address

__all__ = ["DirectBackend", "DirectBus"]

logger = logging.getLogger(__name__)

CONCURRENCY = 64
CONFIG_TIMEOUT_S = 3
FIRST_CONFIG_TIMEOUT_S = 0.25
CONFIG_RETRIES = 5
SHUTDOWN_GRACE_S = 100.0  # below the terminationGracePeriodSeconds of docker/k8s
CLOSE_TIMEOUT_S = 10.0
WRONG_SETUP = 3  # exit code, as of the command line
GRACE_VARIABLE = "REACT_MEM_SHUTDOWN_GRACE"
#: The smallest value of each option that is a number.
LEAST: Mapping[str, int] = {
    "concurrency": 1,
    "config_timeout": 1,
    "prompt_timeout": 1,
    "librarian_timeout": 1,
    "write_lanes": 1,
    "model_lanes": 1,
    "max_output": 0,
}
BROKERS = ("pulsar", "rabbitmq")


class DirectBus:
    """First base of a processor: ``class Processor(DirectBus, FlowProcessor)``.

    Processors may start in any order: an unanswered configuration request is repeated after 0.25 s, then less often.  Fetching
    the values of a configuration change is retried.

    Extra constructor parameters:
        backend: a connection that the processors of this process share.
        memory: the ``MemoryServices`` that they share.  None: the processor opens its own.
    """

    id: str
    concurrency: int
    config_timeout: int
    config_version: int
    config_handlers: list[dict[str, Any]]
    running: bool
    flows: dict[tuple[str, str], Any]
    opened: Any = None  # the memory or model that this processor has opened itself, and closes
    _ending: "asyncio.Task[None] | None" = None
    async_backend: Any
    receiver_pool: Any
    sender_pool: Any

    def __init__(self, **params: Any) -> None:
        """Raises: WrongSetup (an option has a value that cannot work)."""
        check_options(params)
        self.memory: Any = params.pop("memory", None)
        shared: Bus | None = params.pop("backend", None)
        params.setdefault("concurrency", CONCURRENCY)
        params.setdefault("config_timeout", CONFIG_TIMEOUT_S)
        self.shutdown_grace_s = _grace_of_environment()
        super().__init__(**params)
        self._next_config_timeout_s = FIRST_CONFIG_TIMEOUT_S
        if shared is not None:  # a native client that is collected while it is open can end the process
            self.async_backend.client.shutdown()
        self.async_backend = shared.lease() if shared is not None else _bus_over(self.async_backend)
        self.receiver_pool = DirectReceivers(self.async_backend, self.concurrency, self.id)
        self.sender_pool = DirectSenders(self.async_backend, self.id)

    async def _create_config_client(self) -> Requests:
        """In place of the stock method: its client stops at a reply that does not decode, and has one timeout for all tries."""
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
        """Stock start-up, but polls until the configuration service answers instead of sleeping a fixed time.

        Flows start last.  The stock order is that of the registrations: a flow would take requests before the settings and
        tools of its workspace are known, and remember although memory is switched off.
        """
        self.receiver_pool.configured = False
        self.config_handlers.sort(
            key=lambda handler: any(str(kind).startswith("processor:") for kind in handler["types"] or ())
        )
        await self._wait_for_configuration()
        await super().fetch_and_apply_config()  # type: ignore[misc]
        self.receiver_pool.configured = True

    async def _wait_for_configuration(self) -> None:
        while self.running:
            client = await self._create_config_client()
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

    async def on_configure_flows(self, workspace: str, config: Mapping[str, Mapping[str, str]], version: int) -> None:
        """Stock handling of the flows whose records can be read.  Stock starts no flow if one of them cannot."""
        kind = f"processor:{self.id}"
        sound = {}
        for flow, text in config.get(kind, {}).items():
            try:
                read_json_object(text, f"{kind}/{flow}")
                sound[flow] = text
            except BadRequest as error:
                logger.error("starting flow %s of workspace %s failed: %s", flow, workspace, error)
        await super().on_configure_flows(workspace, {**config, kind: sound}, version)  # type: ignore[misc]

    async def start_flow(self, workspace: str, flow: str, defn: Mapping[str, Any]) -> None:
        """Start a flow as stock does.  One that fails is stopped again.  If its record is wrong, the other flows still start.

        Raises: EngineUnavailable (it is tried again with the next change of the configuration).
        """
        try:
            await super().start_flow(workspace, flow, defn)  # type: ignore[misc]
        except Exception as error:
            await self.stop_flow(workspace, flow)  # type: ignore[attr-defined]  # stock counts it as running
            if not isinstance(error, KeyError | TypeError | ValueError | AttributeError):
                raise
            logger.error(
                "starting flow %s of workspace %s failed, because its record processor:%s/%s is wrong (%s: %s)",
                *(flow, workspace, self.id, flow, type(error).__name__, error),
            )

    async def stop(self) -> None:
        await super().stop()  # type: ignore[misc]
        if self.opened is not None:
            await self.opened.close()

    async def drain(self, timeout_s: float) -> int:
        """Take no more requests, and finish those in progress.  Returns the number of those that were cut short."""
        late: int = await self.receiver_pool.drain(timeout_s)
        return late

    def _begin_end(self, stop: Callable[[], Coroutine[Any, Any, None]]) -> None:
        if self._ending is None:
            self._ending = asyncio.create_task(self._end(stop), name="end")

    async def _end(self, stop: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Finish what runs, ``stop``, then end the process with code 0."""
        try:
            logger.info("%s: stopping, requests in progress get %g s", self.id, self.shutdown_grace_s)
            late = await self.drain(self.shutdown_grace_s)
            if late:
                logger.error("%s: %d requests failed: not finished in %g s", self.id, late, self.shutdown_grace_s)
            # Not cancelled after the time limit: the stock method takes a cancellation for an error and goes on.
            stopping = asyncio.create_task(stop())
            await asyncio.wait({stopping}, timeout=CLOSE_TIMEOUT_S)
            if stopping.done():
                stopping.result()
            else:
                logger.warning("%s: stopping did not end in %g s", self.id, CLOSE_TIMEOUT_S)
        except Exception:
            # Broad because the process must end.
            log_failure(logger, "%s: stopping failed", self.id)
        finally:
            # Nothing is awaited here: a cancellation would let the process live on.
            sdk.flush()
            logging.shutdown()
            os._exit(0)  # as below

    @classmethod
    def launch(cls, ident: str, doc: str) -> None:
        """Stock launch, but a port that cannot be opened ends the process with one sentence."""
        try:
            super().launch(ident, doc)  # type: ignore[misc]
        except (OSError, OverflowError) as error:  # all others are caught in there
            _end_with(WrongSetup(f"the port of --metrics-port cannot be opened ({error}): name a free one, or --no-metrics"))

    @classmethod
    async def launch_async(cls, args: dict[str, Any]) -> None:
        """Stock launch, which restarts a failed processor.  A wrong set-up ends the process: a restart cannot help.

        SIGTERM lets requests in progress finish.  The handler also makes it work as process 1 of a container, which has no
        default action for signals.
        """
        os.umask(PRIVATE_UMASK)
        limit_arenas()
        logging.getLogger("httpx").setLevel(logging.WARNING)  # it logs a line for each request to Qdrant
        sdk.start(str(args.get("id") or cls.__module__.rpartition(".")[2]))

        class Launched(cls):  # type: ignore[misc, valid-type]
            def __init__(self, **params: Any) -> None:
                try:
                    super().__init__(**params)
                except ConfigurationError as error:
                    _end_with(error)

            async def start(self) -> None:
                asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, self._begin_end, super().stop)
                try:
                    await super().start()
                except ConfigurationError as error:  # of options, environment and stores; settings of flows are logged
                    _end_with(error)

            async def stop(self) -> None:
                """Stock launch stops a processor whose loop has ended, and restarts it.  If told to end, it ends here."""
                if self._ending is not None:
                    await self._ending
                await super().stop()

        await super(DirectBus, Launched).launch_async(args)  # type: ignore[misc]

    @staticmethod
    def add_args(parser: ArgumentParser) -> None:
        """Add our options, and set our defaults.  Call after ``add_args`` of the stock class."""
        parser.epilog = f"--pubsub-backend is {' or '.join(BROKERS)}."
        set_default(parser, "--concurrency", CONCURRENCY, "Requests that are processed at the same time")
        set_default(parser, "--config-timeout", CONFIG_TIMEOUT_S, "Seconds that a request for configuration may take")


def set_default(parser: ArgumentParser, option: str, default: int, text: str) -> None:
    """Replace an option of TrustGraph's, whose help names its own default."""
    group = parser.add_argument_group(conflict_handler="resolve")
    group.add_argument(option, type=int, default=default, help=f"{text} (default: {default})")


def check_options(params: Mapping[str, Any]) -> None:
    """Check the options that all processors have, also those that come from the file of a processor group.

    Raises: WrongSetup (names the option, its value and what it should be).
    """
    chosen = params.get("pubsub_backend", "pulsar")
    if chosen not in BROKERS:
        raise WrongSetup(f"--pubsub-backend (or PUBSUB_BACKEND) is {chosen!r}: memory runs on {' or '.join(BROKERS)}")
    host = params.get("pulsar_host")
    if host is not None and not is_broker_address(str(host), (*SCHEMES, "http", "https")):
        raise WrongSetup(f"--pulsar-host (or PULSAR_HOST) is {host!r}: write an address such as pulsar://HOST:6650")
    if params.get("id") == "":
        raise WrongSetup("--id is '': leave it out, or name the processor as the flow blueprint does")
    for name, least in LEAST.items():
        if params.get(name) is not None:
            _check_number(f"--{name.replace('_', '-')}", params[name], least)
    try:
        topic_address(params.get("config_push_queue", config_request_queue))
    except ValueError:
        queue = params["config_push_queue"]
        raise WrongSetup(f"--config-push-queue is {queue!r}: write a queue such as notify:tg:config, or leave it out") from None


def _check_number(name: str, value: object, least: int) -> None:
    if not isinstance(value, int | float) or not math.isfinite(value) or value < least:
        raise WrongSetup(f"{name} is {value!r}: write a number, {least} or more")


def _bus_over(stock: Any) -> Bus:
    """Our bus at the address of a stock backend."""
    if isinstance(stock, AsyncPulsarBackend):
        return DirectBackend.over(stock)
    from .rabbitmq_driver import RabbitBus

    return RabbitBus.over(stock)


def _grace_of_environment() -> float:
    """Raises: WrongSetup (it is no number of seconds)."""
    grace: str | float = os.environ.get(GRACE_VARIABLE) or SHUTDOWN_GRACE_S
    with contextlib.suppress(ValueError):
        grace = float(grace)
    _check_number(GRACE_VARIABLE, grace, 0)
    return float(grace)


def _end_with(error: ConfigurationError) -> NoReturn:
    print(f"error: {error}", file=sys.stderr, flush=True)
    os._exit(WRONG_SETUP)  # as the command line: C++ threads of the client may crash a normal exit
