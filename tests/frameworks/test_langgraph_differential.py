"""The store does what LangGraph's ``InMemoryStore`` does, over random sequences of operations."""

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from langgraph.store.base import GetOp, ListNamespacesOp, MatchCondition, Op, PutOp, SearchOp
from langgraph.store.memory import InMemoryStore

from tests.examples import examples
from trustgraph_react_mem.frameworks.langgraph import MemoryStore

from .conftest import NewUser

MANY = 1000
SLOW = settings(
    max_examples=examples(60),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture],
)

labels = st.sampled_from(["a", "b", "bc", "A", "é", "%", "_", "日本", "x\n", "'; --"])
namespaces = st.lists(labels, min_size=1, max_size=3).map(tuple)
keys = st.sampled_from(["k", "K", "k%", "ключ", "a.b", "", "k\n", "null"])
texts = st.sampled_from(["red apples", "green pears", "blue sky over the sea", "Ärger", "red", "0"])
scalars = st.one_of(st.none(), st.booleans(), st.integers(-5, 5), st.floats(-2, 2), texts)
values = st.dictionaries(
    st.sampled_from(["n", "m-1", "2", "flag", "deep"]),
    st.one_of(scalars, st.lists(scalars, max_size=2), st.dictionaries(st.sampled_from(["x", "y"]), scalars, max_size=2)),
    max_size=3,
)
named_values = st.builds(lambda value, text: {**value, "text": text}, values, texts)
facts = st.builds(lambda value, text: {**value, "text": text, "content": text}, values, texts)
filters = st.one_of(
    st.none(),
    st.dictionaries(st.sampled_from(["n", "m-1", "2", "flag", "missing"]), scalars, max_size=2),
    st.builds(lambda op, value: {"text": {op: value}}, st.sampled_from(["$eq", "$ne"]), texts),
    st.builds(lambda value: {"deep": value}, st.dictionaries(st.sampled_from(["x", "y"]), scalars, min_size=1, max_size=1)),
)
patterns = st.lists(st.one_of(labels, st.just("*")), max_size=2).map(tuple)
conditions = st.lists(
    st.builds(MatchCondition, match_type=st.sampled_from(["prefix", "suffix"]), path=patterns), max_size=2
).map(tuple)
puts = st.builds(PutOp, namespaces, keys, st.one_of(st.none(), named_values, facts), st.none(), st.none())
reads: list[st.SearchStrategy[Op]] = [
    st.builds(GetOp, namespaces, keys, st.just(True)),
    st.builds(SearchOp, st.one_of(st.just(()), namespaces), filters, st.just(MANY), st.just(0), st.none(), st.just(True)),
    st.builds(ListNamespacesOp, conditions, st.one_of(st.none(), st.integers(1, 3)), st.integers(0, 4), st.integers(0, 2)),
]
batches = st.lists(st.lists(st.one_of(puts, puts, *reads), min_size=1, max_size=6), min_size=1, max_size=4)


class Reference(InMemoryStore):
    """Without namespaces that have no value left, which it creates by looking, and no other store lists."""

    def _handle_list_namespaces(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        for namespace in [namespace for namespace, held in self._data.items() if not held]:
            del self._data[namespace]
        found: list[tuple[str, ...]] = super()._handle_list_namespaces(op)
        return found


def plain(result: Any) -> Any:
    """A result without its times; the values of each namespace in their order, whichever namespace comes first."""
    if isinstance(result, list):
        return sorted(map(plain, result), key=lambda each: each[0] if isinstance(each[0], tuple) else each)
    if result is None or isinstance(result, tuple):
        return result
    return (result.namespace, result.key, result.value)


@SLOW
@given(batches)
def test_random_batches_give_what_the_reference_gives(new_user: NewUser, batches: list[list[Op]]) -> None:
    ours, reference = MemoryStore(new_user()), Reference()
    for ops in batches:
        expected = reference.batch(ops)
        assert [plain(each) for each in ours.batch(ops)] == [plain(each) for each in expected]
