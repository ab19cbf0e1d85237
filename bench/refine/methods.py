"""The compared methods.  All are shown the same memories, and those that refine begin with the same plain answer."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from trustgraph_react_mem.errors import ModelUnavailable
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.models.chat import ChatModel
from trustgraph_react_mem.models.local_llm import LocalChatModel
from trustgraph_react_mem.recall.records import Recalled
from trustgraph_react_mem.refine.plan import Plan
from trustgraph_react_mem.rerank.citations import CitationState
from trustgraph_react_mem.settings import AgentMemSettings
from trustgraph_react_mem.turn.request import TurnRequest
from trustgraph_react_mem.turn.runner import ReactMemAgentManager
from trustgraph_react_mem.turn.tools import ToolSet

from ..answering import NoTools, Silent, f1
from ..language_model import PromptedModel
from .questions import Question

PLAIN, VOTE, SELF, GROUNDED = "plain answer", "vote", "self-critique", "grounded critique"
METHODS = (PLAIN, GROUNDED, SELF, VOTE)  # in this order: the vote may spend what the grounded critique spent
MOST_SAMPLES = 5
WARM = 0.7  # temperature of the samples of a vote
LEAST_SAMPLES = 3  # two cannot outvote the first
ABOUT_EQUAL = 0.6  # word F1 of two answers that say about the same


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """``tokens``, ``seconds``, ``cpu_s``: of all calls.  ``kept``: whether a revision stands."""

    text: str
    tokens: int
    seconds: float
    cpu_s: float = 0.0
    cited: tuple[int, ...] = ()
    citation: CitationState = "absent"
    kept: bool = False


class Stopwatch:
    """Time since it was made.  ``cpu_s``: of this process, and so of a local model, whatever else the machine does."""

    def __init__(self) -> None:
        self._began, self._cpu_began = time.monotonic(), time.process_time()

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._began

    @property
    def cpu_s(self) -> float:
        return time.process_time() - self._cpu_began


async def plain(question: Question, model: ChatModel, *, temperature: float = 0.0, number: int = 0) -> Answer:
    """The agent's answer without refinement.  Raises: ModelUnavailable."""
    stopwatch = Stopwatch()
    listener = Silent()

    async def recall(request: TurnRequest) -> Recalled:
        return question.recalled

    request = request_of(question, model, number=number)
    prompted = PromptedModel(model, temperature=temperature)
    outcome = await ReactMemAgentManager(request, model=prompted, toolbox=NoTools(), listener=listener, recall=recall).run()
    if outcome.reason is None:
        raise ModelUnavailable(f"{model.name} did not answer: check that it runs, then start again; the run continues here")
    tokens = (outcome.usage.in_tokens or 0) + (outcome.usage.out_tokens or 0)
    return Answer(
        text=outcome.answer,
        tokens=tokens,
        seconds=stopwatch.seconds,
        cpu_s=stopwatch.cpu_s,
        cited=tuple(map(int, listener.cited.get("indices") or ())),
        citation=listener.cited.get("citation") or "absent",
    )


def request_of(question: Question, model: ChatModel, *, number: int = 0, refine: Plan | None = None) -> TurnRequest:
    """The question as a turn of the agent, with the settings that a stack gives to this model."""
    settings = AgentMemSettings(
        memory_tools=False,
        max_iterations=3,
        additional_context=question.context,
        small_model=isinstance(model, LocalChatModel),
        context_window=model.context_tokens if isinstance(model, LocalChatModel) else 8192,
    )
    return TurnRequest(
        scope=Scope(workspace="default", user="eval", collection="default"),
        question=question.text,
        session_id="eval",
        invocation_id=f"{question.set}-{question.id}-{number}",
        conversation_id="",
        asked_at=question.asked_at,
        settings=settings,
        tools=ToolSet(),
        memory=True,
        record=False,
        refine=refine,
    )


async def vote(question: Question, model: ChatModel, first: Answer, *, tokens: int) -> Answer:
    """The answer that most of several samples agree with.  Three are drawn, and more until they have cost ``tokens``.

    Source: Wang et al., "Self-Consistency" (arXiv 2203.11171); free answers are compared by word F1.
    """
    samples = [first]
    # One after the other: llama.cpp has the prompt from the sample before.  Two at once compute it twice, and gain nothing on
    # two cores.
    while len(samples) < LEAST_SAMPLES or (sum(each.tokens for each in samples) < tokens and len(samples) < MOST_SAMPLES):
        samples.append(await plain(question, model, temperature=WARM, number=len(samples)))
    best = samples[elect([each.text for each in samples])]
    return Answer(
        text=best.text,
        cited=best.cited,
        citation=best.citation,
        tokens=sum(each.tokens for each in samples),
        seconds=sum(each.seconds for each in samples),
        cpu_s=sum(each.cpu_s for each in samples),
    )


def elect(answers: Sequence[str]) -> int:
    """The position of the answer that most others agree with; of equal ones the first.

    >>> elect(["Oslo", "In Bergen", "Bergen"])
    1
    """
    agree = [sum(f1(one, other) >= ABOUT_EQUAL for other in answers) for one in answers]
    return agree.index(max(agree))
