"""Recall and citations in TrustGraph's own explanation code: what ``-x``, ``tg-show-explain-trace`` and the UI read."""

import json
from collections.abc import Sequence
from typing import Any

import pytest
from trustgraph.api.explainability import (
    Analysis,
    Conclusion,
    ExplainabilityClient,
    Observation,
    Question,
    Reflection,
)
from trustgraph.api.socket_client import SocketClient
from trustgraph.api.types import ProvenanceEvent
from trustgraph.messaging import TranslatorRegistry
from trustgraph.provenance import agent_session_uri
from trustgraph.schema import AgentResponse, Triple

from trustgraph_react_mem.processors.agent.messages import CITE_ACTION, RECALL_ACTION
from trustgraph_react_mem.processors.agent.processor import ReactMemService
from trustgraph_react_mem.schema import AgentRequest

from .stock_doubles import AFTER, TOOLS, MemoryFlow, call
from .test_agent_service import ANSWER, ScriptedMemory, ask

SESSION = "11111111-2222-3333-4444-555555555555"


class Graph:
    """The ``triples_query`` of TrustGraph's client over the triples that the agent stored."""

    def __init__(self, triples: Sequence[Triple]) -> None:
        encode = TranslatorRegistry.get_response_translator("agent").triple_translator.encode
        self._triples = [encode(triple) for triple in triples]

    def triples_query(self, s: str = "", p: str = "", o: str = "", limit: int = 100, **_: Any) -> list[dict[str, Any]]:
        wanted = [(place, iri) for place, iri in (("s", s), ("p", p), ("o", o)) if iri]
        return [triple for triple in self._triples if all(triple[place].get("i") == iri for place, iri in wanted)][:limit]


def entities(said: Sequence[AgentResponse]) -> list[Any]:
    """What TrustGraph's client makes of the explanations, sent through TrustGraph's translator."""
    encode = TranslatorRegistry.get_response_translator("agent").encode
    client = SocketClient("ws://127.0.0.1:9/", timeout=1, token=None)
    events = [client._parse_chunk(json.loads(json.dumps(encode(each))), include_provenance=True) for each in said]
    return [event.entity for event in events if isinstance(event, ProvenanceEvent)]


@pytest.mark.parametrize("streaming", [False, True])
async def test_recall_and_citations_are_steps_of_the_trace(streaming: bool) -> None:
    service = ReactMemService(id="a", taskgroup=None, agent_memory=ScriptedMemory())
    await service.load_tools("tool", "default", {"tool": TOOLS}, 1)
    flow = MemoryFlow([call("complete", question="what?"), ANSWER])
    said, _ = await ask(AgentRequest(question="Where?", session_id=SESSION, streaming=streaming), service=service, flow=flow)
    stored = Graph([triple for sent in flow.explainability.sent for triple in sent.triples])
    trace = ExplainabilityClient(stored, retry_delay=0).fetch_agent_trace(agent_session_uri(SESSION), "urn:graph:retrieval")
    shown = entities(said)
    assert [type(step) for step in trace["steps"]] == [Analysis, Analysis, Observation, Analysis, Conclusion]
    # Sent with its thought, TrustGraph takes a step for its thought: that is so with the stock agents too.
    assert [type(entity) for entity in shown] == [Question, Analysis, Reflection, Observation, Analysis, Conclusion]
    assert [step.action for step in trace["steps"] if isinstance(step, Analysis)] == [RECALL_ACTION, "complete", CITE_ACTION]
    for steps in (trace["steps"], shown[1:]):
        recall, cite = steps[0], steps[3]
        assert (recall.action, cite.action) == (RECALL_ACTION, CITE_ACTION)
        assert json.loads(recall.arguments) == {"memories": ["a", "b"], "rules": ["w"]}
        assert json.loads(cite.arguments) == {"memories": ["b"], "citation": "cited"}


async def test_without_memory_the_trace_is_the_stock_one() -> None:
    flow = MemoryFlow([AFTER])
    said, _ = await ask(AgentRequest(question="Where?", enable_memory=False), flow=flow)
    assert [type(entity) for entity in entities(said)] == [Question, Conclusion]
