"""Where a broker is, and what is told to whom."""

import pytest

from trustgraph_react_mem.bus.address import BusAddress
from trustgraph_react_mem.bus.rabbitmq_driver import RabbitBus
from trustgraph_react_mem.errors import BadRequest


@pytest.mark.parametrize(
    "url",
    [
        "pulsar://broker:6650",
        "pulsar+ssl://broker:6651",
        "pulsar://a:6650,b:6650",
        "pulsar://[::1]:6650/",
        "amqp://broker",
        "amqp://broker:5672/memory",
        "amqps://[::1]:5671/%2F",
    ],
)
def test_addresses_of_a_broker_are_taken(url: str) -> None:
    assert BusAddress(url=url).url == url


@pytest.mark.parametrize(
    "url",
    [
        "",
        "broker",
        "broker:6650",
        "http://broker:8080",
        "pulsar://",
        "pulsar:///",
        "pulsar://b:port",
        "kafka://b:9092",
        "amqp://",
        "amqp://a:5672,b:5672",
    ],
)
def test_anything_else_is_named_with_the_form(url: str) -> None:
    with pytest.raises(BadRequest, match=r"pulsar://HOST:6650") as refused:
        BusAddress(url=url)
    assert repr(url) in str(refused.value)


def test_a_password_does_not_belong_into_an_address() -> None:
    with pytest.raises(BadRequest, match="RABBITMQ_PASSWORD") as refused:
        BusAddress(url="amqp://ana:hunter2@broker:5672")
    assert "hunter2" not in str(refused.value)


def test_the_user_of_rabbitmq_is_that_of_the_environment() -> None:
    env = {"RABBITMQ_USERNAME": "ana", "RABBITMQ_PASSWORD": "a/b@c"}
    assert RabbitBus.to(BusAddress(url="amqp://broker:5672"), env)._link.url == "amqp://ana:a%2Fb%40c@broker:5672/%2F"
    assert RabbitBus.to(BusAddress(url="amqps://broker/memory"), env)._link.url == "amqps://ana:a%2Fb%40c@broker/memory"
