"""Topics of the embedded bus: their names and the MACs of their messages."""

import secrets
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trustgraph_react_mem.bus import wire
from trustgraph_react_mem.bus.private.topics import MAC, PUBLIC, TopicSecrets
from trustgraph_react_mem.bus.trustgraph_adapter import topic_address
from trustgraph_react_mem.memory.requests import RetrieveFacts, encode
from trustgraph_react_mem.schema.topics import FACTS, job_queue, memory_changed_queue, request_queue, response_queue

REQUEST = request_queue(FACTS, "default", "default")
START, LASTING = b"s" * 32, b"l" * 32
TOPICS = [
    REQUEST,
    response_queue(FACTS, "default", "default"),
    memory_changed_queue,
    job_queue("default"),
    "flow:tg:triples:w:f",
]


@pytest.mark.parametrize("topic", TOPICS)
def test_without_a_secret_names_and_messages_are_those_of_trustgraph(topic: str) -> None:
    guard = PUBLIC.guard(topic)
    assert guard.address == topic_address(topic)
    assert guard.sign(b"x", {"id": "1"}) == {"id": "1"}
    assert guard.accepts(b"x", {"id": "1"})


@pytest.mark.parametrize("topic", TOPICS)
def test_with_one_the_name_tells_neither_the_secret_nor_can_it_be_guessed(topic: str) -> None:
    guard = TopicSecrets(start=START, lasting=LASTING).guard(topic)
    assert guard.address != topic_address(topic)
    assert guard.address.rsplit("/", 1)[1] == topic_address(topic).rsplit("/", 1)[1]
    assert START.hex()[:8] not in guard.address
    assert LASTING.hex()[:8] not in guard.address
    assert guard.address not in repr(guard)
    assert guard.address != TopicSecrets(start=secrets.token_bytes(), lasting=secrets.token_bytes()).guard(topic).address


def test_the_topic_of_jobs_keeps_its_name_over_starts_and_others_do_not() -> None:
    first, second = (TopicSecrets(start=secrets.token_bytes(), lasting=LASTING) for _ in range(2))
    assert first.guard(job_queue("w")) == second.guard(job_queue("w"))
    assert first.guard(REQUEST) != second.guard(REQUEST)


def test_an_open_bus_still_hides_its_jobs() -> None:
    opened = TopicSecrets(lasting=LASTING)
    assert opened.guard(REQUEST).address == topic_address(REQUEST)
    assert opened.guard(job_queue("w")).address != topic_address(job_queue("w"))


@given(
    data=st.binary(max_size=50),
    other=st.binary(max_size=50),
    properties=st.dictionaries(st.text(max_size=5), st.text(max_size=5)),
)
def test_only_the_message_that_was_signed_is_accepted(data: bytes, other: bytes, properties: dict[str, str]) -> None:
    guard = TopicSecrets(start=START).guard(REQUEST)
    sent = guard.sign(data, properties)
    assert guard.accepts(data, sent)
    assert guard.accepts(other, sent) == (other == data)
    assert not guard.accepts(data, {**sent, "another": "x"})
    assert not guard.accepts(data, {name: value for name, value in sent.items() if name != MAC})
    assert not guard.accepts(data, {**sent, MAC: sent[MAC][::-1] + "\u00e9"})
    assert not TopicSecrets(start=LASTING).guard(REQUEST).accepts(data, sent)
    assert not TopicSecrets(start=START).guard(memory_changed_queue).accepts(data, sent)


def test_the_mac_costs_less_than_the_encoding_of_the_message() -> None:
    record = encode(RetrieveFacts(query="Where does Ana live, and since when? " * 5, embedding=[0.1234567] * 384, user="ana"))
    guard = TopicSecrets(start=START).guard(REQUEST)
    data = wire.encode(record)

    def best(work: object) -> float:
        times = []
        for _ in range(5):
            began = time.perf_counter()
            for _ in range(200):
                work()  # type: ignore[operator]
            times.append(time.perf_counter() - began)
        return min(times)

    signing = best(lambda: guard.accepts(data, guard.sign(data, {"id": "1"})))
    assert signing < best(lambda: wire.decode(wire.encode(record), type(record)))
