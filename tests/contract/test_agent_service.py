"""The agent processor with its memory scripted: what is refused, switched, reloaded, recorded and explained."""

import asyncio
import json
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import pytest
from trustgraph.schema import AgentRequest as StockRequest
from trustgraph.schema import AgentResponse, AgentStep, Error, PromptResponse

from trustgraph_react_mem.bus import wire
from trustgraph_react_mem.bus.client_specs import read_agent_error
from trustgraph_react_mem.bus.port import Message
from trustgraph_react_mem.errors import EngineUnavailable, ModelUnavailable
from trustgraph_react_mem.memory.ports import Switches
from trustgraph_react_mem.memory.records import INSTRUCTION
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.processors.agent.messages import NOTE
from trustgraph_react_mem.processors.agent.model import PromptModel
from trustgraph_react_mem.processors.agent.outbox import Outbox
from trustgraph_react_mem.processors.agent.processor import ReactMemService
from trustgraph_react_mem.processors.agent.request import normalize, validate
from trustgraph_react_mem.recall.query import SearchQuery
from trustgraph_react_mem.recall.records import MissingPart, Recalled, RetrievalInfo
from trustgraph_react_mem.recall.thread import Thread
from trustgraph_react_mem.schema import AgentRequest, Fact, FactsResponse, HistoryStep, InvocationSummary, MemoryOptions
from trustgraph_react_mem.schema.agent import CITED, RECALLED
from trustgraph_react_mem.settings import AgentMemSettings
from trustgraph_react_mem.turn.record import TurnRecord
from trustgraph_react_mem.turn.request import TurnRequest
from trustgraph_react_mem.turn.tools import ToolSet

from .stock_doubles import AFTER, Explainability, MemoryFlow, Prompts, call

ANSWER = "Thought: memory 1 says it.\nFinal Answer: In Oslo. [1]"


REQUEST_ID = "4d0b5a0e-6c5e-4d0e-9d53-3a9f3f5d2c11"
ALL = Switches()
NOW = datetime(2026, 3, 1, tzinfo=UTC)


class ScriptedMemory:
    """Recalls two facts; keeps what is published; what the person allows comes with what is recalled."""

    def __init__(
        self,
        *,
        switches: Switches = ALL,
        refuse: Exception | None = None,
        missing: Sequence[MissingPart] = (),
        exchanges: Sequence[InvocationSummary] = (),
    ) -> None:
        self.thread = Thread(exchanges=tuple(exchanges))
        self.allowed = switches
        self.refuse = refuse
        self.missing = tuple(missing)
        self.asked: list[TurnRequest] = []
        self.published: list[tuple[Scope, TurnRecord]] = []

    async def read_switches(self, request: TurnRequest, flow: Any) -> Switches:
        return self.allowed

    async def recall(self, request: TurnRequest, flow: Any) -> Recalled:
        self.asked.append(request)
        facts = (
            Fact(id="a", content="Ann likes tea", speaker="Ann"),
            Fact(id="b", content="I moved to Oslo", speaker="Ann", score=0.9, probability=0.7, rank_before=3),
        )
        wish = Fact(id="w", kind="procedural", action="always answer in German", trust="user", metadata={INSTRUCTION: "wish"})
        ranked = RetrievalInfo(
            candidate_ids=("a", "b"),
            shown_ids=("a", "b"),
            features=(),
            feature_names=(),
            question=request.question,
            mode="off",
            policy_version=0,
            seed=1,
        )
        return Recalled(
            facts=facts,
            rules=(wish,),
            missing=self.missing,
            thread=self.thread,
            gate="search",
            query=SearchQuery(question=request.question, mode="context"),
            retrieval=ranked,
            switches=self.allowed,
            timings_ms={"facts": 1.5},
            tokens=12,
        )

    async def publish(self, record: TurnRecord) -> str:
        if self.refuse is not None:
            raise self.refuse
        self.published.append((record.request.scope, record))
        return "job-7"


async def ask(
    request: Any,
    *,
    memory: ScriptedMemory | None = None,
    service: ReactMemService | None = None,
    settings: dict[str, Any] | None = None,
    flow: MemoryFlow | None = None,
) -> tuple[list[AgentResponse], list[Any]]:
    service = service or ReactMemService(id="agent-manager-react-mem", taskgroup=None, agent_memory=memory or ScriptedMemory())
    if settings is not None:
        await service.settings.on_config("default", {"agent-mem": {"default": json.dumps(settings)}}, 1)
    said: list[AgentResponse] = []
    forwarded: list[Any] = []

    async def respond(response: AgentResponse) -> None:
        said.append(response)

    async def forward(following: Any) -> None:
        forwarded.append(following)

    await service.agent_request(request, respond, forward, flow or MemoryFlow([ANSWER]))
    return said, forwarded


def answer_of(said: Sequence[AgentResponse]) -> str:
    return "".join(response.content for response in said if response.message_type == "answer")


def note(said: Sequence[AgentResponse], predicate: str) -> dict[str, Any]:
    (found,) = [t.o.value for response in said for t in response.explain_triples if t.p.iri == predicate]
    told: dict[str, Any] = json.loads(found)
    return told


async def test_a_turn_recalls_answers_records_and_explains() -> None:
    memory, flow = ScriptedMemory(), MemoryFlow([ANSWER])
    said, _ = await ask(
        AgentRequest(question="Where?", user="u", collection="home", conversation_id="c"), memory=memory, flow=flow
    )
    assert said[-1].content == "In Oslo."
    assert said[-1].end_of_dialog
    scope, record = memory.published[0]
    assert (scope.workspace, scope.user, scope.collection) == ("default", "u", "home")
    assert memory.asked[0].scope == scope
    assert record.request.recorded_conversation_id == "c"
    recalled = note(said, RECALLED)
    assert [memory["id"] for memory in recalled["memories"]] == ["a", "b"]
    assert recalled["memories"][1]["rank_before"] == 3
    assert recalled["memories"][1]["content"] == "I moved to Oslo"
    cited = note(said, CITED)
    assert (cited["ids"], cited["citation"], cited["job_id"], cited["recorded"]) == (["b"], "cited", "job-7", True)
    kept = "".join(t.o.value for sent in flow.explainability.sent for t in sent.triples)
    assert "Oslo" not in kept
    assert '"id": "b"' in kept


@pytest.mark.parametrize(
    ("fields", "zone"),
    [
        ({"timezone": "Asia/Tokyo"}, "Asia/Tokyo"),
        ({"timezone": "-03:30"}, "-03:30"),
        ({"asked_at": "2026-05-21T07:30:00+09:00"}, "+09:00"),
        ({"asked_at": "2026-05-21T07:30:00+09:00", "timezone": "Europe/Berlin"}, "Europe/Berlin"),
        ({"asked_at": "2026-05-20T22:30:00Z"}, "UTC"),
        ({}, "UTC"),
    ],
)
async def test_the_asker_is_in_the_zone_of_the_request_else_of_its_time_else_of_the_settings(
    fields: dict[str, str], zone: str
) -> None:
    memory = ScriptedMemory()
    await ask(AgentRequest(question="Where was I yesterday?", **fields), memory=memory)  # type: ignore[arg-type]
    assert memory.asked[0].timezone == zone


async def test_a_stock_message_is_a_request_of_the_workspaces_shared_memory() -> None:
    memory = ScriptedMemory()
    stock = StockRequest(question="Where?")
    said, _ = await ask(AgentRequest(**vars(stock)), memory=memory)
    scope, record = memory.published[0]
    assert (scope.user, scope.collection) == ("", "default")
    assert record.request.recorded_conversation_id == record.request.invocation_id  # a conversation of its own
    assert said[-1].content == "In Oslo."


@pytest.mark.parametrize(
    ("request_fields", "switches", "recalls", "records"),
    [
        ({}, Switches(), True, True),
        ({"enable_memory": False}, Switches(), False, False),
        ({"enable_memory": True}, Switches(), True, True),
        ({"memory": MemoryOptions(auto_store=False)}, Switches(), True, False),
        ({}, Switches(read=False), False, True),
        ({}, Switches(write=False), True, False),
        ({}, Switches(read=False, write=False), False, False),
        ({"correlation_id": "x", "parent_session_id": "p"}, Switches(), True, False),
    ],
)
async def test_reading_and_writing_can_be_switched_off(
    request_fields: dict[str, Any], switches: Switches, recalls: bool, records: bool
) -> None:
    memory = ScriptedMemory(switches=switches)
    flow = MemoryFlow([ANSWER])
    said, _ = await ask(AgentRequest(question="Where?", **request_fields), memory=memory, flow=flow)
    shown = any(triple.p.iri == RECALLED for response in said for triple in response.explain_triples)
    assert (shown, bool(memory.published)) == (recalls, records)
    assert bool(memory.asked) == request_fields.get("enable_memory", True)
    (prompt,) = flow.clients["prompt-request"].requests
    assert ("Oslo" in "".join(prompt.terms.values())) == recalls
    tools = prompt.terms["tools"]
    assert ("retrieve-facts" in tools, "store-fact" in tools) == (recalls, False)


@pytest.mark.parametrize(
    ("settings", "recalls", "records"),
    [({"enable-memory": False}, False, False), ({"enable-recording": False}, True, False)],
)
async def test_a_flow_can_leave_memory_or_recording_out(settings: dict[str, Any], recalls: bool, records: bool) -> None:
    memory = ScriptedMemory()
    await ask(AgentRequest(question="Where?"), memory=memory, settings=settings)
    assert (bool(memory.asked), bool(memory.published)) == (recalls, records)


@pytest.mark.parametrize(
    ("request_fields", "switches", "stores"),
    [
        ({}, Switches(), True),
        ({}, Switches(write=False), False),
        ({"memory": MemoryOptions(auto_store=False)}, Switches(), False),
        ({"enable_memory": False}, Switches(), False),
        ({"correlation_id": "x", "parent_session_id": "p"}, Switches(), False),
    ],
)
async def test_where_a_flow_records_nothing_the_model_may_store_a_fact(
    request_fields: dict[str, Any], switches: Switches, stores: bool
) -> None:
    memory, flow = ScriptedMemory(switches=switches), MemoryFlow([ANSWER])
    request = AgentRequest(question="Where?", **request_fields)
    await ask(request, memory=memory, settings={"enable-recording": False}, flow=flow)
    (prompt,) = flow.clients["prompt-request"].requests
    assert ("store-fact" in prompt.terms["tools"]) == stores
    assert prompt.terms.get("rule_lines", "false") == "false"


BAD: list[tuple[dict[str, Any], str]] = [
    ({"question": ""}, "empty"),
    ({"question": "  \n"}, "empty"),
    ({"question": "x" * 1_000_001}, "1000001 characters"),
    ({"question": ["q"]}, "question must be a string"),
    ({"question": "q", "collection": {"a": 1}}, "collection must be a string"),
    ({"question": "q", "user": 7}, "user must be a string"),
    ({"question": "q", "collection": "a\nb"}, "control characters"),
    ({"question": "q", "user": "u" * 300}, "300 characters"),
    ({"question": "q", "conversation_id": "c" * 300}, "conversation_id"),
    ({"question": "q", "streaming": ["yes"]}, "streaming must be true or false"),
    ({"question": "q", "enable_memory": "no"}, "enable_memory"),
    ({"question": "q", "group": 5}, "group must be a list"),
    ({"question": "q", "group": [["default"]]}, "group[0] must be a string"),
    ({"question": "q", "history": "once"}, "history must be a list"),
    ({"question": "q", "asked_at": "yesterday"}, "ISO 8601"),
    ({"question": "q", "timezone": 9}, "timezone must be a string"),
    ({"question": "q", "timezone": "Mars"}, "'Mars' is not a time zone: use an IANA name"),
    ({"question": "q", "timezone": "../etc/passwd"}, "not a time zone"),
    ({"question": "q", "memory": {"auto_store": False}}, "memory must be an object"),
    ({"question": "q", "memory": MemoryOptions(retrieval_limit=-1)}, "retrieval_limit"),
    ({"question": "q", "memory": MemoryOptions(similarity_threshold=2.0)}, "similarity_threshold"),
    ({"question": "q", "memory": MemoryOptions(auto_store="no")}, "auto_store"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("fields", "named"), BAD)
async def test_a_bad_request_is_named_and_stores_nothing(fields: dict[str, Any], named: str) -> None:
    memory, flow = ScriptedMemory(), MemoryFlow([ANSWER])
    said, _ = await ask(AgentRequest(**fields), memory=memory, flow=flow)
    (last,) = said
    assert last.content.startswith("Error: ")
    assert named in last.content
    assert last.end_of_dialog
    assert last.error is not None
    read = read_agent_error(last)
    assert read.error == Error(type=last.error.type, message=last.content.removeprefix("Error: "))
    assert not memory.published
    assert not flow.clients["prompt-request"].requests


@pytest.mark.parametrize(
    ("group", "groups"),
    [("no-memory", None), (["no-memory"], None), (["no-memory", "admin"], ("admin",)), (["*", "no-memory"], ("*",))],
    ids=str,
)
async def test_the_group_no_memory_switches_one_request_off(group: Any, groups: tuple[str, ...] | None) -> None:
    """Neither recalled nor recorded, with the same tools as without the group; the next request has memory again."""
    memory = ScriptedMemory()
    service = ReactMemService(id="a", taskgroup=None, agent_memory=memory)
    flow = MemoryFlow([ANSWER])
    said, _ = await ask(AgentRequest(question="Where?", group=group, enable_memory=True), service=service, flow=flow)
    assert not memory.asked
    assert not memory.published
    assert not any((response.explain_id or "").endswith("/recall") for response in said)
    assert flow.clients["prompt-request"].requests[0].id == "agent-react"
    request = validate(
        normalize(AgentRequest(question="q", group=group)), AgentMemSettings(), ToolSet(), workspace="w", flow="f", now=NOW
    )
    assert (request.memory, request.record, request.groups) == (False, False, groups)
    await ask(AgentRequest(question="Where?"), service=service)
    assert memory.published


@pytest.mark.parametrize(
    ("settings", "fields", "kept"),
    [
        ({}, {}, "redact"),
        ({}, {"user": "ann"}, "keep"),
        ({"personal": True}, {}, "keep"),
        ({"personal": ["home"]}, {"collection": "home"}, "keep"),
        ({"personal": ["home"]}, {"collection": "work"}, "redact"),
        ({"personal-data": "keep-shared"}, {}, "keep-shared"),
        ({"personal-data": "drop"}, {}, "drop"),
        ({"personal-data": "hash"}, {}, "hash"),
    ],
    ids=str,
)
async def test_a_memory_that_several_people_share_keeps_no_personal_data(
    settings: dict[str, Any], fields: dict[str, Any], kept: str
) -> None:
    """The record job carries the setting, and everything that is learned from the turn follows it."""
    memory = ScriptedMemory()
    await ask(AgentRequest(question="My mail is ann@example.org.", **fields), memory=memory, settings=settings)
    ((_, record),) = memory.published
    assert record.payload()["settings"]["personal-data"] == kept  # type: ignore[call-overload, index]


WHOSE = "everyone who uses this agent"
SHARED_NOTE = f"\n\n{NOTE.format(whose=WHOSE, kept='passwords and personal data such as addresses')}"


@pytest.mark.parametrize("streaming", [False, True])
@pytest.mark.parametrize(
    ("note", "fields", "said_at_the_end"),
    [
        ("", {}, ""),
        ("Das merke ich mir.", {}, "\n\nDas merke ich mir."),
        ("auto", {"user": "ann"}, f"\n\n{NOTE.format(whose='you', kept='passwords')}"),
        ("auto", {}, SHARED_NOTE),
        ("shared", {}, SHARED_NOTE),
        ("shared", {"user": "ann"}, ""),
        ("auto", {"group": "no-memory"}, " [1]"),  # as without memory: brackets are the model's own
        ("auto", {"memory": MemoryOptions(auto_store=False)}, ""),
        ("auto", {"history": [HistoryStep(role="user", content="hello"), HistoryStep(role="assistant", content="hi")]}, ""),
    ],
    ids=str,
)
async def test_the_first_answer_of_a_conversation_says_what_is_kept(
    note: str, fields: dict[str, Any], said_at_the_end: str, streaming: bool
) -> None:
    memory = ScriptedMemory()
    request = AgentRequest(question="Where?", streaming=streaming, **fields)
    said, _ = await ask(request, memory=memory, settings={"memory-note": note})
    assert answer_of(said) == f"In Oslo.{said_at_the_end}"
    assert all(record.answer == "In Oslo." for _, record in memory.published)
    assert said[-1].end_of_dialog


@pytest.mark.parametrize("streaming", [False, True])
async def test_a_refusing_broker_is_told_and_the_answer_comes(streaming: bool) -> None:
    memory = ScriptedMemory(refuse=EngineUnavailable("the broker is away"))
    said, _ = await ask(AgentRequest(question="Where?", streaming=streaming), memory=memory)
    notices = [response for response in said if response.message_id.endswith("/notice")]
    assert "will not be remembered: the broker is away" in notices[0].content
    assert answer_of(said) == "In Oslo."
    assert note(said, CITED)["recorded"] is False


async def test_two_turns_of_one_conversation_at_once_both_work() -> None:
    memory = ScriptedMemory()
    service = ReactMemService(id="a", taskgroup=None, agent_memory=memory)
    request = AgentRequest(question="Where?", conversation_id="c")
    both = await asyncio.gather(ask(request, service=service), ask(request, service=service))
    assert [said[-1].content for said, _ in both] == ["In Oslo."] * 2
    assert len({record.request.invocation_id for _, record in memory.published}) == 2


async def test_a_sub_agent_reports_to_its_supervisor_and_keeps_the_scope() -> None:
    memory = ScriptedMemory()
    request = AgentRequest(
        question="part",
        user="u",
        correlation_id="x",
        parent_session_id="p",
        session_id="s",
        subagent_goal="g",
        expected_siblings=2,
    )
    said, forwarded = await ask(request, memory=memory)
    (report,) = forwarded
    assert not any(response.end_of_dialog for response in said)
    assert (report.user, report.correlation_id, report.subagent_goal, report.session_id) == ("u", "x", "g", "s")
    assert report.history == [
        AgentStep(thought="Subagent completed", action="complete", observation="In Oslo.", step_type="subagent-completion")
    ]
    assert memory.asked[0].scope.user == "u"


@pytest.mark.parametrize("streaming", [False, True])
async def test_a_pattern_without_the_orchestrator_runs_as_react_and_the_answer_says_so(streaming: bool) -> None:
    memory = ScriptedMemory()
    service = ReactMemService(id="a", taskgroup=None, agent_memory=memory)
    service._patterns = None
    said, _ = await ask(
        AgentRequest(question="Where?", pattern="supervisor", streaming=streaming), memory=memory, service=service
    )
    assert re.fullmatch(r"In Oslo\.\n\nNote: the pattern 'supervisor' does not run here.*", answer_of(said))
    ((_, record),) = memory.published
    assert record.answer == "In Oslo.", "the note is not remembered"


async def test_memory_tools_use_the_requests_scope_and_not_the_models_arguments() -> None:
    asked: list[Any] = []

    class Facts:
        async def call(self, request: Any) -> Any:
            asked.append(request)
            known = Fact(id="a", content="Ann likes tea", speaker="Ann")
            return FactsResponse(
                facts=[known, Fact(id="c", content="likes tea", speaker="Ann", timestamp="2026-01-02T03:04:05Z")]
            )

    flow = MemoryFlow([call("retrieve-facts", query="tea", user="someone else", collection="other"), AFTER])
    flow.clients["fact-retrieval"] = Facts()
    said, _ = await ask(AgentRequest(question="q", user="u", collection="home"), flow=flow)
    assert (asked[0].user, asked[0].collection, asked[0].query) == ("u", "home", "tea")
    (observed,) = [response for response in said if response.message_type == "observation"]
    # What is shown already is excluded, and the numbers go on after those shown.
    assert asked[0].exclude == ["a", "b"]
    assert observed.content == "- Memory [2]: Ann: likes tea (2026-01-02)"
    assert not any("observation" in name for name in flow.librarian.saved)


async def test_messages_leave_in_order_and_the_last_one_waits_for_all() -> None:
    left: list[str] = []
    confirm, all_left = asyncio.Event(), asyncio.Event()

    async def send(response: AgentResponse) -> None:
        left.append(response.content)
        if response.end_of_dialog:
            all_left.set()
        await confirm.wait()

    outbox = Outbox(send)
    for number in range(3):
        await outbox.respond(AgentResponse(message_type="thought", content=str(number)))
    last = asyncio.create_task(outbox.respond(AgentResponse(message_type="answer", content="3", end_of_dialog=True)))
    await all_left.wait()
    assert left == ["0", "1", "2", "3"]
    assert not last.done()
    confirm.set()
    await last


# ---------------------------------------------------------------------------------------------- the model


class Failing(Prompts):
    def __init__(self, *errors: Error, parts: Sequence[str] = ()) -> None:
        super().__init__(["Thought: t\nFinal Answer: yes"], 6)
        self.errors = list(errors)
        self.parts = parts

    def responses(self, request: Any) -> Sequence[Any]:
        if self.errors:
            return [
                *(PromptResponse(text=part) for part in self.parts),
                PromptResponse(error=self.errors.pop(0), end_of_stream=True),
            ]
        return super().responses(request)


LIMITED = Error(type="too-many-requests", message="slow down")


async def test_a_rate_limit_is_waited_out() -> None:
    client = Failing(LIMITED, LIMITED)
    reply = await PromptModel(client, timeout_s=1, longest_pause_s=0.01).ask("agent-react", {"question": "q"}, None)
    assert reply.text.endswith("yes")
    assert len(client.requests) == 3


async def test_nothing_is_asked_again_once_the_user_has_seen_text() -> None:
    client = Failing(LIMITED, parts=["Thought: "])
    heard: list[str] = []

    async def hear(text: str) -> None:
        heard.append(text)

    with pytest.raises(ModelUnavailable):
        await PromptModel(client, timeout_s=1, longest_pause_s=0.01).ask("agent-react", {}, hear)
    assert heard == ["Thought: "]
    assert len(client.requests) == 1


async def test_a_flow_without_a_prompt_service_is_said() -> None:
    with pytest.raises(ModelUnavailable, match="no prompt service"):
        await PromptModel(None, timeout_s=1).ask("agent-react", {}, None)


@pytest.mark.parametrize(
    ("messages", "turns"),
    [
        ([(REQUEST_ID, "Where?"), (REQUEST_ID, "Where?")], 1),
        ([(REQUEST_ID, "Where?"), (REQUEST_ID, "When?")], 2),
        ([("7", "Where?"), ("7", "Where?")], 2),  # a client that uses its ids again
    ],
)
async def test_a_request_that_is_delivered_twice_is_one_recorded_turn(messages: list[tuple[str, str]], turns: int) -> None:
    memory = ScriptedMemory()
    service = ReactMemService(id="a", taskgroup=None, agent_memory=memory)
    flow = MemoryFlow([ANSWER] * len(messages))
    flow.clients["response"] = Explainability()
    for request_id, question in messages:
        await service.on_request(
            Message(wire.encode(AgentRequest(question=question)), AgentRequest, {"id": request_id}), None, flow
        )
    recorded = {(record.request.invocation_id, record.conversation_id) for _, record in memory.published}
    assert len(memory.published) == len(messages)
    assert len(recorded) == turns
