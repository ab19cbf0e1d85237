"""Records of flows in the configuration that an operator or another program has written wrong."""

import json
import logging
from collections.abc import Mapping
from typing import Any

import pytest
from trustgraph.base import FlowProcessor
from trustgraph.base.spec import Spec

from trustgraph_react_mem.bus.processor_mixin import DirectBus
from trustgraph_react_mem.errors import EngineUnavailable

KIND = "processor:memory"


class Topic(Spec):  # type: ignore[misc]
    """Opens ``request``.  ``open``: the topics that are open; ``broker``: whether one can be opened."""

    def __init__(self) -> None:
        self.open: list[str] = []
        self.broker = True

    async def register(self, flow: Any, processor: Any, definition: dict[str, Any]) -> Any:
        topic: str = definition["topics"]["request"]
        self.open.append(topic.removeprefix("request:"))
        return self._Opened(self.open, self.open[-1])

    class _Opened:
        def __init__(self, open_: list[str], topic: str) -> None:
            self._open, self._topic = open_, topic

        async def unregister(self) -> None:
            self._open.remove(self._topic)


class Reply(Topic):
    async def register(self, flow: Any, processor: Any, definition: dict[str, Any]) -> Any:
        if not self.broker:
            raise EngineUnavailable("the broker does not answer")
        self.open.append(definition["topics"]["response"])


class Service(DirectBus, FlowProcessor):
    def __init__(self) -> None:
        super().__init__(id="memory", pulsar_host="pulsar://127.0.0.1:1", taskgroup=None)
        self.requests, self.replies = Topic(), Reply()
        self.register_specification(self.requests)
        self.register_specification(self.replies)

    async def configured(self, records: Mapping[str, Any]) -> None:
        texts = {flow: record if isinstance(record, str) else json.dumps(record) for flow, record in records.items()}
        await self.on_configure_flows("default", {KIND: texts}, 1)


@pytest.fixture
def service() -> Any:
    made = Service()
    yield made
    made.async_backend.client.shutdown()


def record(name: str) -> dict[str, Any]:
    return {"topics": {"request": f"request:{name}", "response": f"response:{name}"}}


WRONG: dict[str, Any] = {
    "list": [],
    "number": 7,
    "null": None,
    "text": "not json",
    "no-topics": {},
    "topics-of-another-type": {"topics": 5},
    "topic-of-another-type": {"topics": {"request": 5}},
    "half": {"topics": {"request": "request:half"}},
}


@pytest.mark.asyncio
async def test_a_flow_with_a_wrong_record_is_named_and_keeps_no_other_from_starting(
    service: Service, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR):
        await service.configured({**WRONG, "first": record("first"), "second": record("second")})
    assert sorted(service.requests.open) == ["first", "second"], "a half started flow takes requests"
    assert {flow for _, flow in service.flows} == {"first", "second"}
    for flow in WRONG:
        assert f"{KIND}/{flow}" in caplog.text

    await service.configured({"half": record("half"), "first": record("first")})
    assert sorted(service.requests.open) == ["first", "half"], "a mended record is taken up, and a removed flow stopped"


@pytest.mark.asyncio
async def test_a_flow_that_the_broker_refuses_is_tried_again(service: Service) -> None:
    service.replies.broker = False
    with pytest.raises(EngineUnavailable):
        await service.configured({"mem": record("mem")})
    assert service.requests.open == []
    service.replies.broker = True
    await service.configured({"mem": record("mem")})
    assert service.requests.open == ["mem"]
