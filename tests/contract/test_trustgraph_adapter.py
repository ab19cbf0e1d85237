"""The private parts of other packages that ``bus.trustgraph_adapter`` uses, each as it behaves.

`make test-stock` runs this file against TrustGraph 2.8.17, too, and says so in ``TRUSTGRAPH_BASE``.
"""

import ast
import asyncio
import os
import weakref
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pulsar
import pulsar.asyncio
import pytest
from packaging.version import Version
from trustgraph.base import AsyncProcessor
from trustgraph.base.async_pulsar_backend import AsyncPulsarBackend
from trustgraph.base.async_rabbitmq_backend import AsyncRabbitMQBackend
from trustgraph.schema import ConfigRequest, ConfigResponse, ConfigValue, Error

from trustgraph_react_mem.bus import trustgraph_adapter

pytestmark = pytest.mark.later

PACKAGE = Path(trustgraph_adapter.__file__).parents[1]
BEFORE_2_10_6 = Version(version("trustgraph-base")) < Version("2.10.6")
NOWHERE = "pulsar://127.0.0.1:1"


@asynccontextmanager
async def closing(backend: Any) -> AsyncIterator[Any]:
    """A native client that is collected without having been closed can end the process (std::bad_weak_ptr)."""
    try:
        yield backend
    finally:
        await backend.close()


def test_the_version_under_test_is_the_one_that_was_asked_for() -> None:
    assert version("trustgraph-base") == os.environ.get("TRUSTGRAPH_BASE", version("trustgraph-base"))


@pytest.mark.parametrize(
    ("queue", "address"),
    [
        ("request:tg:agent-facts:default:mem", "non-persistent://tg/request/agent-facts:default:mem"),
        ("response:tg:agent-facts:default:mem", "non-persistent://tg/response/agent-facts:default:mem"),
        ("notify:tg:agent-memory-changed", "non-persistent://tg/notify/agent-memory-changed"),
        ("flow:tg:agent-memory-jobs:default", "persistent://tg/flow/agent-memory-jobs:default"),
        ("persistent://tg/flow/as-it-is", "persistent://tg/flow/as-it-is"),
    ],
)
async def test_a_queue_has_the_address_that_a_stock_processor_opens(queue: str, address: str) -> None:
    assert trustgraph_adapter.topic_address(queue) == address
    async with closing(AsyncPulsarBackend(NOWHERE)) as stock:
        assert stock._map_topic(queue) == address


def test_rabbitmq_has_the_exchanges_and_the_address_of_the_stock_backend() -> None:
    stock = AsyncRabbitMQBackend(host="broker", port=5673, username="ana", password="se/cr#t@", vhost="/")
    assert trustgraph_adapter.exchange_of("request:tg:agent:default:mem") == "tg.request.agent:default:mem"
    assert stock._parse_topic("request:tg:agent:default:mem")[0] == "tg.request.agent:default:mem"
    assert trustgraph_adapter.rabbitmq_url(stock) == "amqp://ana:se%2Fcr%23t%40@broker:5673/%2F"


@pytest.mark.parametrize(
    ("queue", "expected"),
    [
        ("request:tg:agent:default:mem", pulsar.ConsumerType.Shared),
        ("flow:tg:agent-memory-jobs:default", pulsar.ConsumerType.Shared),
        ("response:tg:agent:default:mem", pulsar.ConsumerType.Exclusive),
        ("notify:tg:agent-memory-changed", pulsar.ConsumerType.Exclusive),
    ],
)
def test_a_queue_is_subscribed_to_as_stock_processors_do(queue: str, expected: pulsar.ConsumerType) -> None:
    assert trustgraph_adapter.consumer_type(queue) == expected


async def test_stock_start_up_fetches_configuration_through_our_client() -> None:
    asked: list[str] = []

    class Client:
        async def request(self, request: ConfigRequest) -> ConfigResponse:
            asked.append(request.operation)
            return ConfigResponse(version=7, values=[ConfigValue(workspace="home", type="agent-mem", key="k", value="{}")])

        async def close(self) -> None:
            asked.append("close")

    class Processor(AsyncProcessor):  # type: ignore[misc]
        async def _create_config_client(self) -> Any:
            return Client()

    heard: list[tuple[str, dict[str, dict[str, str]], int]] = []

    async def hear(workspace: str, config: dict[str, dict[str, str]], number: int) -> None:
        heard.append((workspace, config, number))

    processor = Processor(id="hooked", pulsar_host=NOWHERE)
    async with closing(processor.async_backend):
        processor.register_config_handler(hear, types=["agent-mem"])
        await processor.fetch_and_apply_config()
    assert heard == [("home", {"agent-mem": {"k": "{}"}}, 7)]
    assert asked == ["getkeys-all-ws", "getvalues", "close"]


def test_an_agent_of_any_version_has_the_time_limit_of_its_prompts() -> None:
    assert trustgraph_adapter.prompt_timeout(SimpleNamespace(prompt_timeout=7), {"prompt_timeout": 8}) == 7
    assert trustgraph_adapter.prompt_timeout(SimpleNamespace(), {"prompt_timeout": 8}) == 8
    assert trustgraph_adapter.prompt_timeout(SimpleNamespace(), {}) == 600


def test_an_agents_error_has_its_text_where_the_gateway_of_the_version_shows_it() -> None:
    assert trustgraph_adapter.agent_error("kind", "text") == Error(type="kind", message="text" if BEFORE_2_10_6 else "")


@pytest.mark.parametrize(("name", "reply"), [("_set_future", (pulsar.Result.Ok, "value")), ("_set_future_v2", ("value",))])
def test_a_reply_after_the_end_of_its_loop_is_dropped(name: str, reply: tuple[Any, ...]) -> None:
    trustgraph_adapter.drop_late_replies()  # as the driver does when it is imported
    passing = getattr(pulsar.asyncio, name)

    async def reply_in_time() -> Any:
        future = asyncio.get_running_loop().create_future()
        await asyncio.to_thread(passing, future, *reply)
        return await future

    async def begin() -> "asyncio.Future[Any]":
        return asyncio.get_running_loop().create_future()

    assert asyncio.run(reply_in_time()) == "value"
    late = asyncio.run(begin())
    with pytest.raises(RuntimeError, match="closed"):
        passing.__wrapped__(late, *reply)
    passing(late, *reply)
    assert not late.done()


async def test_a_closed_connection_has_released_what_was_passed_to_it() -> None:
    passed: list[weakref.ref[Any]] = []

    class Noting:
        def __init__(self, client: Any) -> None:
            self._client = client

        def close_async(self, callback: Any) -> None:
            passed.append(weakref.ref(callback))
            self._client.close_async(callback)

    client = pulsar.asyncio.Client(NOWHERE)
    client._client = Noting(client._client)
    await trustgraph_adapter.close_client(client)
    assert [held() for held in passed] == [None]


def test_private_parts_of_others_are_used_in_the_adapter_only() -> None:
    """A name with an underscore that a module uses on another object must be that module's own."""
    wrong = []
    for path in sorted(PACKAGE.rglob("*.py")):
        nodes = list(ast.walk(ast.parse(path.read_text("utf-8"))))
        private = [node for node in nodes if isinstance(node, ast.Attribute) and node.attr.startswith("_")]
        own = {node.attr for node in private if _is_self(node)}
        own |= {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
        foreign = [node for node in private if not node.attr.startswith("__") and not _is_self(node) and node.attr not in own]
        modules = [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom) and not node.level]
        modules += [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
        if path != Path(trustgraph_adapter.__file__):
            wrong += [f"{path.relative_to(PACKAGE)} {ast.unparse(node)}" for node in foreign]
        wrong += [f"{path.relative_to(PACKAGE)} imports {name}" for name in modules if name.startswith("_") and name[1] != "_"]
    assert set(wrong) <= {
        "cli/__init__.py os._exit",
        "bus/processor_mixin.py os._exit",  # documented by Python
        "models/quantise.py embedder._together",  # of a class of this package
    }


def _is_self(node: ast.Attribute) -> bool:
    return isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
