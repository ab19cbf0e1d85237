"""Exports learned facts as triples to a named graph of TrustGraph's knowledge store.

Off unless ``export-facts-graph`` names a graph.

Invariants:
- Nothing waits for the export.  Facts that cannot be sent are skipped.
- Only the shared memory of a collection is exported, never that of one user, because every reader of the collection can read
  its graphs.
- Triples are never retracted, because that store cannot delete any.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from trustgraph.schema import IRI, LITERAL, Metadata, Term, Triple, Triples

from ...failure_log import describe_error
from ...memory.records import Fact
from ...memory.scope import Scope
from ...repositories.facts import FactMemory
from ...schema import MemoryChanged
from ...settings import AgentMemSettings

logger = logging.getLogger(__name__)

PREFIX = "urn:trustgraph:memory:"
TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
TIME = "http://www.w3.org/2001/XMLSchema#dateTime"

MOST_WAITING = 1000  # maximum number of queued changes; the oldest are dropped
BATCH = 100  # facts per message


def fact_iri(fact_id: str) -> str:
    return f"{PREFIX}fact:{fact_id}"


def to_triples(fact: Fact, graph: str) -> list[Triple]:
    """The triples of a semantic fact: content and times if it is active, only the end of its validity if it is not."""
    if fact.kind != "semantic" or fact.status == "quarantined":
        return []
    until = fact.superseded_at if fact.status == "undone" else fact.valid_to
    held = [("valid-from", fact.valid_from), ("valid-to", until), ("said-at", fact.said_at)]
    times = [(f"{PREFIX}{name}", _literal(at.isoformat(), TIME)) for name, at in held if at is not None]
    if fact.status != "active":
        said = [time for time in times if time[0] == f"{PREFIX}valid-to"]
    else:
        texts = [("speaker", fact.speaker), ("source", fact.source), *(("about", name) for name in fact.entities)]
        said = [
            (TYPE, Term(type=IRI, iri=f"{PREFIX}Fact")),
            (LABEL, _literal(fact.content)),
            *((f"{PREFIX}{name}", _literal(text)) for name, text in texts if text),
            *times,
        ]
    subject = Term(type=IRI, iri=fact_iri(fact.id))
    return [Triple(s=subject, p=Term(type=IRI, iri=predicate), o=value, g=graph) for predicate, value in said]


class FactExport:
    """Queues changes (``changed``) and sends them (``run``) to the flows that are known by ``join`` and ``leave``.

    ``settings_for(workspace, flow)`` returns the current settings, which name the graph.
    """

    def __init__(self, settings_for: Callable[[str, str], AgentMemSettings]) -> None:
        self._settings_for = settings_for
        self._producers: dict[tuple[str, str], Any] = {}
        self._changes: deque[tuple[Scope, tuple[str, ...]]] = deque(maxlen=MOST_WAITING)
        self._something = asyncio.Event()

    def join(self, workspace: str, flow: str, producer: Any) -> None:
        """Add a flow.  ``producer`` sends to its triples store.  None: the flow has none."""
        if producer is not None:
            self._producers[workspace, flow] = producer

    def leave(self, workspace: str, flow: str) -> None:
        self._producers.pop((workspace, flow), None)

    def changed(self, change: MemoryChanged | None) -> None:
        """Queue a change of shared facts.  Other changes are ignored."""
        if change is None or change.store != "facts" or change.user or not change.ids:
            return
        if not any(self._targets(change.workspace)):
            return
        if len(self._changes) == MOST_WAITING:
            logger.warning("the export of facts failed to keep up with %d changes: the oldest are not exported", MOST_WAITING)
        scope = Scope(workspace=change.workspace, user="", collection=change.collection)
        self._changes.append((scope, tuple(change.ids)))
        self._something.set()

    async def run(self, facts: FactMemory) -> None:
        """Send queued changes until cancelled."""
        while True:
            await self._something.wait()
            self._something.clear()
            while self._changes:
                scope, ids = self._changes.popleft()
                try:
                    for start in range(0, len(ids), BATCH):
                        await self._send(scope, await facts.graph.get(scope, ids[start : start + BATCH]))
                except Exception as error:
                    # Broad because the export is optional: its failure must not stop learning.
                    logger.warning("exporting %d facts of %s failed: %s", len(ids), scope.key, describe_error(error))

    async def _send(self, scope: Scope, facts: Sequence[Fact]) -> None:
        for graph, producer in self._targets(scope.workspace):
            triples = [triple for fact in facts for triple in to_triples(fact, graph)]
            if triples:
                await producer.send(Triples(metadata=Metadata(id=graph, collection=scope.collection), triples=triples))

    def _targets(self, workspace: str) -> Iterator[tuple[str, Any]]:
        """(graph, producer), each graph once, because the flows of a workspace share one triples store."""
        seen: set[str] = set()
        for (owner, flow), producer in list(self._producers.items()):
            if owner != workspace:
                continue
            settings = self._settings_for(workspace, flow)
            graph = settings.export_facts_graph
            if graph and graph not in seen:
                seen.add(graph)
                yield graph, producer


def _literal(value: str, datatype: str = "") -> Term:
    return Term(type=LITERAL, value=value, datatype=datatype)
