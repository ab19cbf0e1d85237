"""Access to private parts of other packages, where no public API exists, and to what older versions of TrustGraph lack.

Each docstring says why the access is needed and what breaks if the part changes.  ``tests/contract/test_trustgraph_adapter.py``
runs all of them against the oldest and the newest supported TrustGraph (``make test-stock``).
"""

import asyncio
import contextlib
import functools
import threading
import warnings
import weakref
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import quote

import pulsar
import pulsar.asyncio
import trustgraph.schema
from packaging.version import Version
from prometheus_client import REGISTRY
from trustgraph.base import PromptClientSpec
from trustgraph.base.async_pulsar_backend import AsyncPulsarBackend

if TYPE_CHECKING:
    from trustgraph.base.async_rabbitmq_backend import AsyncRabbitMQBackend

Collector = TypeVar("Collector")
RELEASE_POLL_S = 0.001
CLIENT_TIMEOUT_S, PROMPT_TIMEOUT_S = 300.0, 600  # TrustGraph's own defaults


def topic_address(queue: str) -> str:
    """The Pulsar topic of a queue such as ``request:tg:agent:default:default``.

    Why: TrustGraph defines the mapping, and both sides of a topic must use the same one.  If it changes: no topic can be
    opened, and start-up fails with an AttributeError.

    Raises: ValueError (a queue without class, space and name).
    """
    address: str = AsyncPulsarBackend._map_topic(None, queue)  # uses nothing of its object
    return address


def consumer_type(queue: str) -> pulsar.ConsumerType:
    """The type of TrustGraph's subscription to a queue: exclusive for responses and notifications, else shared.

    Why: all consumers of a subscription must have the same type, and stock processors subscribe too.  If it changes: no topic
    can be subscribed to, and start-up fails with an AttributeError.
    """
    return AsyncPulsarBackend._consumer_type(None, queue)  # uses nothing of its object


def exchange_of(queue: str) -> str:
    """The RabbitMQ exchange of a queue such as ``request:tg:agent:default:default``.

    Why: as for ``topic_address``.  If it changes: no topic can be opened, and start-up fails with an AttributeError.

    Raises: ValueError (a queue without class, space and name).
    """
    from trustgraph.base.async_rabbitmq_backend import AsyncRabbitMQBackend  # here: its client takes long to load

    name: str = AsyncRabbitMQBackend._parse_topic(None, queue)[0]  # uses nothing of its object
    return name


def rabbitmq_url(stock: "AsyncRabbitMQBackend") -> str:
    """The address of RabbitMQ, with user and password.

    Why: a processor gets a stock backend, which keeps them only together, and not quoted.  If it changes: start-up fails with
    an AttributeError.
    """
    login, _, vhost = stock._url.removeprefix("amqp://").rpartition(f"@{stock._host}:{stock._port}/")
    user, _, password = (quote(part, safe="") for part in login.partition(":"))
    return f"amqp://{user}:{password}@{stock._host}:{stock._port}/{quote(vhost, safe='')}"


def is_connected(consumer: "pulsar.asyncio.Consumer") -> bool:
    """Whether this consumer has a live connection to the broker.

    Why: of pulsar-client's asyncio classes only the producer reports this.  If it changes: the heartbeat fails, so that
    `react-mem-health` reports the process as dead, and caches are not dropped after a lost connection.
    """
    return bool(consumer._consumer.is_connected())


def drop_late_replies() -> None:
    """Let replies of the broker that arrive after their event loop was closed do nothing.

    Why: pulsar-client passes each reply to the loop from a thread of its own.  If a connection takes longer to close than a
    program waits, the loop is closed by then, its exception meets no handler in that thread, and the process ends by SIGABRT.
    If it changes: that can happen again; start-up fails with an AttributeError if the functions have other names.
    """
    for name in ("_set_future", "_set_future_v2"):
        passing = getattr(pulsar.asyncio, name)
        if not hasattr(passing, "__wrapped__"):
            setattr(pulsar.asyncio, name, _unless_closed(passing))


def _unless_closed(passing: Callable[..., None]) -> Callable[..., None]:
    @functools.wraps(passing)
    def pass_on(future: "asyncio.Future[Any]", *result: Any, **value: Any) -> None:
        try:
            passing(future, *result, **value)
        except RuntimeError:
            if not future.get_loop().is_closed():
                raise

    return pass_on


async def close_client(client: "pulsar.asyncio.Client") -> None:
    """Close a connection to the broker, and return when its native thread has released the callback.

    Why: that thread is not joined, and it needs the interpreter to release the callback.  A program that ends meanwhile is
    killed by SIGSEGV or SIGABRT: on a busy machine every fifth one.  If it changes: closing fails with an AttributeError.

    Raises: pulsar.asyncio.PulsarException (the broker refused, or was already gone).
    """
    closed = asyncio.get_running_loop().create_future()
    callback = functools.partial(pulsar.asyncio._set_future, closed, value=None)
    held = weakref.ref(callback)
    client._client.close_async(callback)
    del callback
    await closed
    # Not an event that the release sets: the thread would be in Python code again when the program goes on.
    while held() is not None:  # noqa: ASYNC110
        await asyncio.sleep(RELEASE_POLL_S)


def close_when_lost(owner: object, wrapper: Any) -> "weakref.finalize[..., object]":
    """Close a client or consumer of ``pulsar.asyncio`` if its owner is collected without a close.  A close ``detach``es this.

    Why: the destructor of a native consumer aborts the process (std::bad_weak_ptr) if a receive was begun and has not ended,
    even a cancelled one.  A close ends the receive first, and the close of a client is one of its consumers, too.  If it
    changes: connections fail with an AttributeError.
    """
    native = wrapper._client if isinstance(wrapper, pulsar.asyncio.Client) else wrapper._consumer
    return weakref.finalize(owner, _close_lost, native)


def _close_lost(native: Any) -> None:
    warnings.warn(f"a {type(native).__name__.lower()} of the message broker was not closed", ResourceWarning, stacklevel=2)
    if threading.main_thread().is_alive():
        # In a thread, for which the end of the program waits: a close needs native threads, and this may be one of them.
        threading.Thread(target=_close_native, args=(native,), name="close of a lost connection").start()
    else:
        _close_native(native)


def _close_native(native: Any) -> None:
    with contextlib.suppress(pulsar.PulsarException):  # the broker is away, or has closed it
        native.close()


def registered_collector(name: str) -> Any:
    """The metric registered under a name in this process, or None.

    Why: TrustGraph's agents register metrics of the same names if they run in this process, and prometheus-client refuses a
    second registration without returning the first.  If it changes: the agent fails to start in one process with a stock agent.
    """
    return REGISTRY._names_to_collectors.get(name)


def client_timeout(spec: Any, processor: Any) -> float:
    """Seconds that a client of a stock specification waits for a reply.

    Why: 2.8 has no ``resolve_timeout``, and fixed defaults instead.  If it changes: those defaults are used.
    """
    if hasattr(spec, "resolve_timeout"):
        return float(spec.resolve_timeout(processor))
    if isinstance(spec, PromptClientSpec):
        return float(prompt_timeout(processor, {}))
    return CLIENT_TIMEOUT_S


def prompt_timeout(processor: Any, params: Mapping[str, Any]) -> int:
    """Seconds that an agent waits for the prompt service.

    Why: in 2.8 and 2.9 the stock agent service does not read the parameter.  If it changes: the default is used.
    """
    return int(getattr(processor, "prompt_timeout", params.get("prompt_timeout", PROMPT_TIMEOUT_S)))


def agent_error(kind: str, message: str) -> "trustgraph.schema.Error":
    """The ``error`` of an agent's last message, whose answer has the text of the error, too.

    Why: TrustGraph's gateway fails at an ``error`` with a text, and clients then show the gateway's fault in place of it.
    Before 2.10.6 it sent the ``error`` in place of the answer.  If it changes: clients show an error without its text.
    """
    if Version(version("trustgraph-base")) < Version("2.10.6"):
        return trustgraph.schema.Error(type=kind, message=message)
    return trustgraph.schema.Error(type=kind)


def asks_for_models(request: Any) -> bool:
    """Whether a request for text completion asks which models there are.  Up to 2.9 there is no such request."""
    return getattr(request, "operation", "") == "list-models"


def list_of_models(names: Sequence[str]) -> Any:
    """The response to ``asks_for_models``."""
    models = [trustgraph.schema.ModelInfo(id=name, name=name) for name in names]
    return trustgraph.schema.TextCompletionResponse(models=models, end_of_stream=True)
