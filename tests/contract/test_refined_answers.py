"""The agent refines an answer: what is sent, recorded and stored, and what happens when a part of it fails."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from trustgraph.schema import Error, PromptResponse

from trustgraph_react_mem.errors import BadRequest, Conflict, EngineUnavailable, RefinementError
from trustgraph_react_mem.memory.ports import Switches
from trustgraph_react_mem.memory.requests import AppendRefinement, GetRefinement
from trustgraph_react_mem.processors.agent.processor import ReactMemService
from trustgraph_react_mem.refine.machine import fold
from trustgraph_react_mem.refine.plan import read_plan
from trustgraph_react_mem.refine.records import Session
from trustgraph_react_mem.refine.wire import from_wire
from trustgraph_react_mem.schema import AgentRequest, ConversationsResponse, RefineOptions
from trustgraph_react_mem.settings import AgentMemSettings

from .stock_doubles import MemoryFlow, Prompts
from .test_agent_service import ScriptedMemory, ask

DRAFT = "Thought: memory 1 says it.\nFinal Answer: Ann moved to Bergen. [1]"
CRITIQUE = "Memory 1 says Oslo, not Bergen."
REVISED = "<think>Oslo, says the memory.</think>Ann moved to Oslo. [1]"


class RefiningPrompts(Prompts):
    """Answers the prompts of the agent with a draft, and those of the refinement with ``texts`` in turn."""

    def __init__(self, *texts: str, draft: str = DRAFT, wait_s: float = 0.0) -> None:
        super().__init__([draft], cut=4)
        self.refining, self.wait_s = list(texts), wait_s

    async def request(self, request: Any, timeout: float | None = None, recipient: Any = None) -> Any:
        if self.wait_s and not request.id.startswith("agent-react"):
            await asyncio.sleep(self.wait_s)
        return await super().request(request, timeout, recipient)

    def responses(self, request: Any) -> Sequence[Any]:
        if request.id not in ("memory-critique-answer", "memory-revise-answer"):
            return super().responses(request)
        if not self.refining:
            return [PromptResponse(error=Error(type="llm-error", message="no text is left"), end_of_stream=True)]
        text = self.refining.pop(0)
        return [PromptResponse(text=text, end_of_stream=True, in_token=50, out_token=5, model="scripted")]

    @property
    def asked(self) -> list[str]:
        return [request.id for request in self.requests]


class StoredSteps:
    """The client of the conversations service: keeps the events, or refuses them."""

    def __init__(self, *, refuse_from: int = 99) -> None:
        self.requests: list[AppendRefinement] = []
        self.refuse_from = refuse_from

    async def call(self, request: AppendRefinement, timeout_s: float = 0.0) -> None:
        if len(self.requests) >= self.refuse_from:
            raise EngineUnavailable("the graph is away")
        assert request.expected == len(self.requests)
        self.requests.append(request)

    @property
    def session(self) -> Session:
        events = [from_wire(request.event) for request in self.requests]
        return fold(events[0].session_id, events)


class Asked:
    """One request, and what became of it."""

    def __init__(
        self, prompts: RefiningPrompts, steps: StoredSteps | None = None, memory: ScriptedMemory | None = None
    ) -> None:
        self.flow = MemoryFlow([])
        self.prompts = prompts
        self.steps = steps or StoredSteps()
        self.memory = memory or ScriptedMemory()
        self.flow.clients |= {"prompt-request": prompts, "conversation-memory": self.steps}
        self.said: list[Any] = []

    async def ask(self, *, service: ReactMemService | None = None, **fields: Any) -> str:
        """The answer, as a client puts it together."""
        values: dict[str, Any] = {"user": "u", "conversation_id": "c", "invocation_id": "i", **fields}
        request = AgentRequest(question="Where did Ann move? Answer in English.", **values)
        self.said, _ = await ask(request, memory=self.memory, flow=self.flow, service=service)
        return "".join(each.content for each in self.said if each.message_type == "answer")

    @property
    def thoughts(self) -> str:
        return "".join(each.content for each in self.said if each.message_type == "thought")


async def test_without_being_asked_the_agent_refines_nothing() -> None:
    asked = Asked(RefiningPrompts(CRITIQUE, REVISED))
    assert await asked.ask() == "Ann moved to Bergen."
    assert asked.prompts.asked == ["agent-react-mem"]
    assert asked.steps.requests == []


@pytest.mark.parametrize("streaming", [False, True])
@pytest.mark.parametrize("wish", [{"refine": RefineOptions()}, {"pattern": "refine"}])
async def test_the_better_revision_is_sent_recorded_and_stored(streaming: bool, wish: dict[str, Any]) -> None:
    asked = Asked(RefiningPrompts(CRITIQUE, REVISED))
    assert await asked.ask(streaming=streaming, **wish) == "Ann moved to Oslo."
    assert asked.prompts.asked == ["agent-react-mem", "memory-critique-answer", "memory-revise-answer"]
    _, record = asked.memory.published[0]
    assert (record.answer, record.citations.indices) == ("Ann moved to Oslo.", (1,))  # type: ignore[union-attr]
    assert record.timings_ms["refine"] > 0
    slot = asked.steps.session.slot
    assert slot is not None
    assert (slot.draft, slot.revision, slot.standing) == ("Ann moved to Bergen.", ("Ann moved to Oslo.",), "Ann moved to Oslo.")
    assert slot.critique == (CRITIQUE,)
    assert {event.conversation_id for event in slot.events} == {"c"}
    assert {event.invocation_id for event in slot.events} == {"i"}
    assert {(request.user, request.collection) for request in asked.steps.requests} == {("u", "default")}
    assert (asked.said[-1].in_token, asked.said[-1].out_token) == (200, 20)
    assert "Bergen" not in "".join(each.content for each in asked.said if each.message_type == "answer")


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("Thought: memory 1 says Oslo.\nFinal Answer: Ann moved to Oslo. [1]", "Ann moved to Oslo."),
        ("**Answer:** Ann moved to Oslo. [1]", "Ann moved to Oslo."),
        ('Thought: I look it up.\nAction: retrieve_facts\nArgs: {"query": "Oslo"}', "Ann moved to Bergen."),
        ("Thought: Ann moved to Oslo.", "Ann moved to Bergen."),
        ("I have corrected the answer.", "Ann moved to Bergen."),
        ("The critique is right. [NO_CITE]", "Ann moved to Bergen."),
        ("asdf", "Ann moved to Bergen."),
        ("{}", "Ann moved to Bergen."),
        ("", "Ann moved to Bergen."),
        ("[1]", "Ann moved to Bergen."),
        ("Ann moved to Bergen. [1]", "Ann moved to Bergen."),
    ],
)
async def test_a_revision_is_read_as_an_answer_and_nonsense_leaves_the_draft(said: str, answer: str) -> None:
    asked = Asked(RefiningPrompts(CRITIQUE, said))
    assert await asked.ask(refine=RefineOptions(critique="self")) == answer
    assert asked.said[-1].error is None


async def test_a_turn_that_is_not_recorded_stores_no_steps() -> None:
    asked = Asked(RefiningPrompts(CRITIQUE, REVISED), memory=ScriptedMemory(switches=Switches(write=False)))
    assert await asked.ask(refine=RefineOptions()) == "Ann moved to Oslo."
    assert asked.steps.requests == []


class Store(StoredSteps):
    """Sessions as the conversations service keeps them.  It is away after ``left`` calls."""

    def __init__(self) -> None:
        super().__init__()
        self.sessions: dict[str, list[Any]] = {}
        self.left = 99
        self.erased_at = ""  # the step before which all sessions are erased
        self.forgotten_at = ""  # the step before which the question is forgotten

    async def call(self, request: AppendRefinement | GetRefinement, timeout_s: float = 0.0) -> Any:
        if isinstance(request, GetRefinement):
            return ConversationsResponse(count=len(self.sessions.get(request.session_id, ())))
        event = request.event
        if self.forgotten_at == event.phase:
            raise RefinementError("the exchange was forgotten", code="invalid_session")
        if self.erased_at == event.phase:
            self.sessions.clear()
        if not self.left:
            raise EngineUnavailable("killed")
        self.left -= 1
        events = self.sessions.setdefault(event.session_id, [])
        if any(each.id == event.id for each in events):
            return
        if request.expected != len(events):
            raise Conflict("another writer came first")
        events.append(event)

    def texts(self) -> list[list[str]]:
        folded = [fold(name, map(from_wire, events)).slot for name, events in self.sessions.items()]
        return [[slot.draft, *slot.critique, *slot.revision] for slot in folded if slot is not None]


OTHER_DRAFT = "Thought: memory 1 says it.\nFinal Answer: Ann moved to Turin. [1]"


@pytest.mark.parametrize("stored", [0, 1, 2, 3])
@pytest.mark.parametrize("draft", [DRAFT, OTHER_DRAFT])
@pytest.mark.parametrize("revised", [REVISED, "Ann now lives in Oslo. [1]"])
async def test_a_run_that_was_killed_and_comes_again_stores_each_text_once_and_mixes_none(
    stored: int, draft: str, revised: str
) -> None:
    store = Store()
    store.left = stored
    await Asked(RefiningPrompts(CRITIQUE, REVISED), store).ask(refine=RefineOptions())
    store.left = 99
    town = "Bergen" if draft == DRAFT else "Turin"
    again = Asked(RefiningPrompts(CRITIQUE.replace("Bergen", town), revised, draft=draft), store)
    answer = await again.ask(refine=RefineOptions())
    assert "not be remembered" not in again.thoughts
    sessions = store.texts()
    assert (len(sessions[-1]), sessions[-1][-1]) == (3, answer)
    assert sessions[-1][0] == f"Ann moved to {town}."
    assert all(each[0].split()[-1] in each[1] for each in sessions if len(each) > 1)  # the critique is of its draft
    same = draft == DRAFT and (revised == REVISED or stored < 3)
    assert len(sessions) == (1 if same or not stored else 2)


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ({"max_loops": 4}, "refine.max_loops = 4"),
        ({"max_loops": True}, "refine.max_loops = True"),
        ({"budget_tokens": -1}, "refine.budget_tokens = -1"),
        ({"critique": "harsh"}, "refine.critique = 'harsh'"),
        ({"critique": "grounded"}, "refine.critique = 'grounded': only the model criticises answers; use self, or max_loops 0"),
        ({"model": "large"}, "refine.model = 'large'"),
        ({"stop_similarity": 0.5}, "refine.stop_similarity = 0.5"),
        ({"show": ["all"]}, "refine.show"),
    ],
)
async def test_a_wrong_option_is_named_before_anything_is_asked(options: dict[str, Any], names: str) -> None:
    asked = Asked(RefiningPrompts(CRITIQUE, REVISED))
    await asked.ask(refine=RefineOptions(**options))
    assert asked.said[-1].error.type == "bad-request"
    assert names in asked.said[-1].content
    assert asked.prompts.asked == []
    with pytest.raises(BadRequest, match="refine must be an object"):
        read_plan(True, "", AgentMemSettings())
