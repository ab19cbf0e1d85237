"""Refining a plain answer as the agent does, and counting what an answer claims without support."""

import math

from trustgraph_react_mem.indexing.document import with_speaker
from trustgraph_react_mem.memory.clock import SystemClock
from trustgraph_react_mem.memory.timefmt import parse_time
from trustgraph_react_mem.models.chat import ChatModel
from trustgraph_react_mem.processors.agent.refinement import TRUSTED, AnswerRefiner
from trustgraph_react_mem.refine.checks import Evidence, check
from trustgraph_react_mem.refine.plan import CritiqueKind, Plan
from trustgraph_react_mem.rerank.citations import Citations
from trustgraph_react_mem.turn.ports import AnswerDraft

from ..language_model import PromptedModel
from .methods import Answer, Stopwatch, request_of
from .questions import Question


def count_unsupported(question: Question, answer: Answer) -> int:
    """Number of claims that the shown memories do not support, or contradict."""
    shown = [
        Evidence(fact.id, with_speaker(fact.speaker, fact.content), parse_time(fact.timestamp), trusted=fact.trust in TRUSTED)
        for fact in question.recalled.facts
    ]
    report = check(answer.text, question.text, shown)
    return sum(claim.verdict != "supported" for claim in report.claims)


async def refine(question: Question, model: ChatModel, draft: Answer, *, critique: CritiqueKind) -> Answer:
    """The answer after refinement with the product's own settings.  Its tokens and seconds include those of the draft."""
    stopwatch = Stopwatch()

    async def say(text: str) -> None:
        """Notices are for people."""

    refiner = AnswerRefiner("bench", model=PromptedModel(model), conversations=None, clock=SystemClock(), notify=say)
    refined = await refiner.refine(
        request_of(question, model, refine=Plan(critique=critique)),
        AnswerDraft(
            text=draft.text,
            citations=Citations(state=draft.citation, indices=draft.cited),
            recalled=question.recalled,
            steps=(),
            model=model.name,
            record=False,
            ends_at=math.inf,
        ),
    )
    return Answer(
        text=refined.text,
        tokens=draft.tokens + (refined.usage.in_tokens or 0) + (refined.usage.out_tokens or 0),
        seconds=draft.seconds + stopwatch.seconds,
        cpu_s=draft.cpu_s + stopwatch.cpu_s,
        cited=refined.citations.indices if refined.citations else (),
        citation=refined.citations.state if refined.citations else "absent",
        kept=refined.text != draft.text,
    )
