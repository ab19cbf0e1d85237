"""Our encoder and decoder against trustgraph-base's own: the same bytes, the same objects, for every wire class."""

import dataclasses
import json
import types
from typing import Any, get_args, get_origin, get_type_hints

import pytest
import trustgraph.schema
from hypothesis import given, settings
from hypothesis import strategies as st
from trustgraph.base.serialization import dataclass_to_dict, dict_to_dataclass

from tests.examples import examples
from trustgraph_react_mem import schema
from trustgraph_react_mem.bus import wire
from trustgraph_react_mem.bus.local.in_process import InProcessBus
from trustgraph_react_mem.errors import BadRequest, TooLarge
from trustgraph_react_mem.memory.requests import SERVICES, FactsRequest

OURS = [*(getattr(schema, name) for name in schema.__all__), *(record for record, _ in SERVICES.values())]
STOCK = [
    trustgraph.schema.AgentRequest,
    trustgraph.schema.AgentResponse,
    trustgraph.schema.PromptRequest,
    trustgraph.schema.PromptResponse,
    trustgraph.schema.ConfigRequest,
    trustgraph.schema.ConfigResponse,
    trustgraph.schema.ConfigPush,
    trustgraph.schema.EmbeddingsRequest,
    trustgraph.schema.EmbeddingsResponse,
]

text = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


def values(hint: Any, depth: int) -> st.SearchStrategy[Any]:
    """What may stand in a wire field of this type; a record within records ends at some depth."""
    if isinstance(hint, types.UnionType):
        return st.one_of(*(values(part, depth) for part in get_args(hint)))
    if hint is type(None):
        return st.none()
    if get_origin(hint) is list:
        return st.lists(values(get_args(hint)[0], depth), max_size=2)
    if get_origin(hint) is dict:
        return st.dictionaries(text, values(get_args(hint)[1], depth), max_size=2)
    if dataclasses.is_dataclass(hint):
        return records(hint, depth - 1) if depth else st.none()
    plain = {str: text, int: st.integers(-(2**53), 2**53), float: st.floats(allow_nan=False), bool: st.booleans()}
    return plain.get(hint, st.none())


def records(cls: Any, depth: int = 3) -> st.SearchStrategy[Any]:
    fields = {name: values(hint, depth) for name, hint in get_type_hints(cls).items()}
    return st.fixed_dictionaries({}, optional=fields).map(lambda chosen: cls(**chosen))


@pytest.mark.parametrize("cls", OURS + STOCK, ids=lambda cls: f"{cls.__module__.split('.')[0]}-{cls.__name__}")
@settings(max_examples=examples(20), deadline=None)
@given(data=st.data())
def test_bytes_and_objects_are_those_of_trustgraph(cls: type, data: st.DataObject) -> None:
    message = data.draw(records(cls))
    encoded = wire.encode(message)
    assert encoded == json.dumps(dataclass_to_dict(message)).encode()
    assert wire.decode(encoded, cls) == dict_to_dataclass(json.loads(encoded), cls)


@pytest.mark.parametrize("cls", OURS, ids=lambda cls: cls.__name__)
@settings(max_examples=examples(20), deadline=None)
@given(data=st.data())
def test_our_messages_survive_the_way_through_a_stock_processor(cls: type, data: st.DataObject) -> None:
    message = data.draw(records(cls))
    assert dict_to_dataclass(json.loads(json.dumps(dataclass_to_dict(message))), cls) == message


@pytest.mark.parametrize("cls", OURS, ids=lambda cls: cls.__name__)
def test_an_older_message_decodes_into_defaults(cls: Any) -> None:
    assert wire.decode(b"{}", cls) == cls()


def test_what_the_wire_does_not_know_is_refused() -> None:
    with pytest.raises(TypeError, match="object"):
        wire.encode(FactsRequest(query=object()))  # type: ignore[arg-type]


@pytest.mark.parametrize("filler", ["x", "\N{SNOWMAN}", "\N{SAXOPHONE}"])
async def test_what_is_too_large_for_a_broker_is_refused_without_one(filler: str) -> None:
    bus, each = InProcessBus(), len(json.dumps(filler)) - 2
    consumer = await bus.create_consumer("request:tg:facts", "facts", FactsRequest)
    sender = await bus.create_producer("request:tg:facts", FactsRequest)
    fits = FactsRequest(data=filler * ((wire.MOST_BYTES - 10_000) // each))
    await sender.send(fits)
    assert (await consumer.receive()).value() == fits
    with pytest.raises(TooLarge, match=r"a FactsRequest of 5\.\d MB does not go over the bus, which takes 5\.2 MB"):
        await sender.send(FactsRequest(data=filler * (wire.MOST_BYTES // each)))


def test_a_newer_message_decodes_without_what_is_unknown() -> None:
    assert wire.decode(b'{"question": "hello", "colour": "blue"}', schema.AgentRequest).question == "hello"


def test_a_stock_request_decodes_into_ours_and_means_the_flows_defaults() -> None:
    stock = trustgraph.schema.AgentRequest(
        question="Where is it?",
        conversation_id="c1",
        collection="docs",
        history=[trustgraph.schema.AgentStep(thought="t", action="a", arguments={"x": "1"}, observation="o")],
    )
    ours = wire.decode(wire.encode(stock), schema.AgentRequest)
    assert ours.history == [schema.HistoryStep(thought="t", action="a", arguments={"x": "1"}, observation="o")]
    decoded = dataclasses.asdict(ours) | {"history": dataclasses.asdict(stock)["history"]}
    assert decoded | dataclasses.asdict(stock) == decoded
    assert (ours.user, ours.enable_memory, ours.end_of_conversation, ours.memory) == ("", None, False, None)


@pytest.mark.parametrize("data", [b"", b"not json", b"[1]", b"null", b'"text"', b"\xff\xfe"])
def test_bytes_that_are_no_message_are_the_senders_fault(data: bytes) -> None:
    with pytest.raises(BadRequest, match="FactsRequest"):
        wire.decode(data, FactsRequest)


@pytest.mark.parametrize("cls", OURS, ids=lambda cls: cls.__name__)
def test_fields_have_shapes_that_trustgraph_decodes(cls: Any) -> None:
    """``list[D] | None`` and ``dict[str, D]`` come back as plain dicts."""
    allowed = (str, int, float, bool)
    for name, hint in get_type_hints(cls).items():
        if isinstance(hint, types.UnionType):
            parts = [part for part in get_args(hint) if part is not type(None)]
            assert len(parts) == 1, name
            assert parts[0] in (*allowed, list[str]) or dataclasses.is_dataclass(parts[0]), name
        elif get_origin(hint) is list:
            assert get_args(hint)[0] in allowed or dataclasses.is_dataclass(get_args(hint)[0]), name
        elif get_origin(hint) is dict:
            assert get_args(hint) == (str, str), name
        else:
            assert hint in allowed or dataclasses.is_dataclass(hint), name
