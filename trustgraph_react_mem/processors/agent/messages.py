"""Output of the agent in the format of the stock agent: messages, provenance triples and texts for the librarian.

Invariants: order, flags and identifiers are those of TrustGraph's ReAct agent (``docs/deviations.md`` lists the differences and
the reasons).  Texts are saved in the background, so a librarian that does not answer delays no message.
"""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from trustgraph.provenance import (
    GRAPH_RETRIEVAL,
    agent_decomposition_uri,
    agent_final_triples,
    agent_final_uri,
    agent_iteration_triples,
    agent_iteration_uri,
    agent_observation_triples,
    agent_observation_uri,
    agent_pattern_decision_triples,
    agent_pattern_decision_uri,
    agent_session_triples,
    agent_session_uri,
    agent_thought_uri,
    set_graph,
)
from trustgraph.schema import IRI, LITERAL, AgentResponse, Metadata, Term, Triple, Triples

from ...bus.client_specs import AGENT_ERROR
from ...bus.trustgraph_adapter import agent_error
from ...errors import TurnFailed
from ...failure_log import describe_error
from ...memory.policies import KEPT
from ...memory.ports import JsonValue
from ...recall.records import Recalled
from ...schema.agent import CITED, RECALLED
from ...settings import is_personal
from ...turn.events import Reason, Usage
from ...turn.request import TurnRequest
from ...turn.tools import Tool
from ...turn.working import Step
from .outbox import Outbox

logger = logging.getLogger(__name__)

NOTE = (
    "Note: this conversation is remembered for {whose}. Recognised {kept} are left out. "
    "Requests in the group no-memory are not remembered."
)
RECALL_ACTION, CITE_ACTION = "recall-memories", "cite-memories"  # as TrustGraph's tools show these explanations
LIBRARIAN_TIMEOUT_S = 10.0

Background = Callable[[Coroutine[Any, Any, None]], None]


def error_message(message: str, kind: str = TurnFailed.wire_type, *, after: str = "") -> AgentResponse:
    """The message that ends a dialogue with an error.  ``after``: what separates its text from an answer that has begun.

    Its text is that of an answer, which every supported gateway and client shows.  ``read_agent_error`` restores it.
    """
    return AgentResponse(
        message_type="answer",
        content=f"{after}{AGENT_ERROR}{message}",
        end_of_message=True,
        end_of_dialog=True,
        error=agent_error(kind, message),
    )


class StockMessages:
    """The messages of one request, in the order of the events of its turn.

    Arguments:
        background: starts work that the answer does not wait for.
        complete: for a sub-agent: reports the answer to its supervisor instead of to the client.
        notice: for the person, after the answer.  It is not recorded.
    """

    def __init__(
        self,
        request: TurnRequest,
        outbox: Outbox,
        flow: Any,
        *,
        background: Background,
        complete: Callable[[str], Awaitable[None]] | None = None,
        notice: str = "",
    ) -> None:
        self._request = request
        self._session_uri: str = agent_session_uri(request.session_id)
        self._recall_uri = f"{self._session_uri}/recall"
        self._outbox = outbox
        self._explainability = flow("explainability")
        self._librarian = flow.librarian
        self._background = background
        self._complete = complete
        self._recalled: Recalled | None = None  # explained already
        self._answering = False  # a part of the answer was sent
        self._notice = f"\n\n{notice}" if notice else ""

    # -- events of the turn

    async def started(self) -> None:
        request, uri = self._request, self._session_uri
        if request.pattern:
            decision = agent_pattern_decision_uri(request.session_id)
            await self._explain(decision, agent_pattern_decision_triples(decision, uri, request.pattern, request.task_type))
        parent = agent_decomposition_uri(request.parent_session_id) if request.parent_session_id else None
        now = datetime.now(UTC).isoformat().replace("+00:00", "Z")
        await self._explain(uri, agent_session_triples(uri, request.question, now, parent_uri=parent))

    async def recalled(self, recalled: Recalled) -> None:
        uri = self._recall_uri
        kept = recalled.note(with_content=False)
        found = {
            "memories": [fact.id for fact in recalled.citable],
            **{name: kept[name] for name in ("rules", "episodes", "missing", "gate") if kept[name]},
        }
        question, previous = self._find_origin(1)
        typed = agent_iteration_triples(
            uri, question_uri=question, previous_uri=previous, action=RECALL_ACTION, arguments=found
        )
        shown = recalled.note(with_content=True)
        await self._explain(
            uri, [*typed, _note_triple(uri, RECALLED, kept)], shown=[*typed, _note_triple(uri, RECALLED, shown)]
        )
        self._recalled = recalled

    async def thought(self, number: int, text: str, *, last: bool) -> None:
        uri = agent_thought_uri(self._request.session_id, number)
        await self._say("thought", text, uri, end=last or not self._request.streaming)

    async def called(self, step: Step, *, tools: Sequence[Tool], duration_ms: int, usage: Usage) -> None:
        uri = agent_iteration_uri(self._request.session_id, step.number)
        question, previous = self._find_origin(step.number)
        document = self._save(f"{uri}/thought", step.thought, f"Agent Thought: {step.action}")
        triples = agent_iteration_triples(
            uri,
            question_uri=question,
            previous_uri=previous,
            action=step.action,
            arguments=dict(step.arguments),
            thought_uri=agent_thought_uri(self._request.session_id, step.number) if document else None,
            thought_document_id=document,
            tool_candidates=[tool.name for tool in tools],
            step_number=step.number,
            llm_duration_ms=duration_ms,
            in_token=usage.in_tokens,
            out_token=usage.out_tokens,
            model=usage.model,
        )
        await self._explain(uri, triples)

    async def observed(self, step: Step, *, private: bool, duration_ms: int, explain_uri: str) -> None:
        uri = agent_observation_uri(self._request.session_id, step.number)
        await self._say("observation", step.observation, uri, end=True)
        # Results of memory tools are not saved in the librarian, because erasure could not remove them from there.
        document = None if private else self._save(uri, step.observation, "Agent Observation")
        triples = agent_observation_triples(
            uri,
            explain_uri or agent_iteration_uri(self._request.session_id, step.number),
            document_id=document,
            tool_duration_ms=duration_ms,
            tool_error=step.observation.removeprefix("Error: ") if step.failed else None,
        )
        await self._explain(uri, triples)

    async def answer(self, text: str) -> None:
        self._answering = True
        await self._say("answer", text, agent_final_uri(self._request.session_id), end=False)

    async def answer_withdrawn(self) -> None:
        await self._say("answer", "\n\n", agent_final_uri(self._request.session_id), end=True)

    async def notice(self, text: str) -> None:
        await self._say("thought", text, f"{self._session_uri}/notice", end=True)

    def _note(self, cited: Mapping[str, JsonValue] | None) -> str:
        """What the first answer of a remembered conversation says about memory (``memory-note``).  Not part of the record."""
        request, recalled = self._request, self._recalled
        settings = request.settings
        remembered = cited is not None and bool(cited.get("recorded")) and self._complete is None
        if not (settings.memory_note and remembered) or recalled is None or recalled.thread.exchanges or request.chat:
            return ""
        if settings.memory_note not in ("auto", "shared"):
            return f"\n\n{settings.memory_note}"
        personal = is_personal(settings, request.scope.user, request.scope.collection)
        if personal and settings.memory_note == "shared":
            return ""
        whose = "you" if personal else "everyone who uses this agent"
        kept = "passwords" if settings.personal_data in KEPT else "passwords and personal data such as addresses"
        return f"\n\n{NOTE.format(whose=whose, kept=kept)}"

    async def finished(
        self, number: int, answer: str, *, reason: Reason, streamed: bool, usage: Usage, cited: Mapping[str, JsonValue] | None
    ) -> None:
        uri = agent_final_uri(self._request.session_id)
        if self._request.streaming and not streamed and self._complete is None:
            await self.answer(answer)
        after = self._note(cited) + self._notice
        if after and self._request.streaming and self._complete is None:
            await self.answer(after)
        question, previous = self._find_origin(number)
        if cited is not None and self._recalled is not None and self._recalled.citable:
            step, ids = f"{self._session_uri}/cited", {"memories": cited["ids"], "citation": cited["citation"]}
            cites = agent_iteration_triples(
                step, question_uri=question, previous_uri=previous, action=CITE_ACTION, arguments=ids
            )
            await self._explain(step, cites)  # which memories were cited, as a step before the answer
            question, previous = None, step
        document = self._save(f"{self._session_uri}/answer", answer, f"Agent Answer: {self._request.question[:50]}...")
        triples = agent_final_triples(
            uri, question_uri=question, previous_uri=previous, document_id=document, termination_reason=reason
        )
        if cited is not None:
            triples.append(_note_triple(uri, CITED, cited))
        await self._explain(uri, triples)
        if self._complete is not None:
            await self._complete(answer)
            return
        await self._outbox.respond(
            AgentResponse(
                message_type="answer",
                content="" if self._request.streaming else answer + after,
                end_of_message=True,
                end_of_dialog=True,
                message_id=uri,
                in_token=usage.in_tokens,
                out_token=usage.out_tokens,
                model=usage.model,
            )
        )

    async def failed(self, message: str) -> None:
        await self._outbox.respond(error_message(message, after="\n\n" if self._answering else ""))

    # -- helpers

    def _find_origin(self, number: int) -> tuple[str | None, str | None]:
        """What the step ``number`` is derived from: (question, None) or (None, previous step), as URIs."""
        if number > 1:
            return None, agent_observation_uri(self._request.session_id, number - 1)
        if self._recalled is not None:
            return None, self._recall_uri
        if self._request.pattern:
            return agent_pattern_decision_uri(self._request.session_id), None
        return self._session_uri, None

    async def _say(self, kind: str, text: str, message_id: str, *, end: bool) -> None:
        await self._outbox.respond(
            AgentResponse(message_type=kind, content=text, end_of_message=end, end_of_dialog=False, message_id=message_id)
        )

    async def _explain(self, uri: str, triples: list[Triple], *, shown: list[Triple] | None = None) -> None:
        """Store the triples and send them to the client.  ``shown``: sent to the client instead, but not stored."""
        kept = set_graph(triples, GRAPH_RETRIEVAL)
        if self._explainability is not None:
            stored = Triples(metadata=Metadata(id=uri, collection=self._request.scope.collection), triples=kept)
            await self._outbox.post(self._explainability.send(stored))
        await self._outbox.respond(
            AgentResponse(
                message_type="explain",
                content="",
                explain_id=uri,
                explain_graph=GRAPH_RETRIEVAL,
                explain_triples=kept if shown is None else set_graph(shown, GRAPH_RETRIEVAL),
            )
        )

    def _save(self, document_id: str, text: str, title: str) -> str | None:
        """Start saving a text in the librarian.  Returns its identifier, or None if there is no text or no librarian."""
        if not text or self._librarian is None:
            return None

        async def save() -> None:
            try:
                async with asyncio.timeout(LIBRARIAN_TIMEOUT_S):
                    await self._librarian.save_document(
                        doc_id=document_id, content=text, title=title, timeout=LIBRARIAN_TIMEOUT_S
                    )
            except Exception as error:
                # Broad because the librarian only serves explanations: its failure must not affect the answer.
                logger.warning("saving a text in the librarian failed: %s", describe_error(error))

        self._background(save())
        return document_id


def _note_triple(subject: str, predicate: str, note: Mapping[str, JsonValue]) -> Triple:
    return Triple(
        s=Term(type=IRI, iri=subject),
        p=Term(type=IRI, iri=predicate),
        o=Term(type=LITERAL, value=json.dumps(note, ensure_ascii=False)),
    )
