"""Refining a plain answer, and counting what it claims without support."""

from typing import Literal

from trustgraph_react_mem.indexing.document import with_speaker
from trustgraph_react_mem.memory.timefmt import parse_time
from trustgraph_react_mem.models.chat import ChatModel
from trustgraph_react_mem.refine.checks import Evidence, check

from .methods import Answer
from .questions import Question


def evidence_of(question: Question) -> list[Evidence]:
    """The shown memories, as the checks read them."""
    return [
        Evidence(
            id=fact.id,
            text=with_speaker(fact.speaker, fact.content),
            said_at=parse_time(fact.timestamp),
        )
        for fact in question.recalled.facts
    ]


def count_unsupported(question: Question, answer: Answer) -> int:
    """Number of claims that the shown memories do not support, or contradict."""
    report = check(answer.text, question.text, evidence_of(question))
    return sum(claim.verdict != "supported" for claim in report.claims)


async def refine(question: Question, model: ChatModel, draft: Answer, *, critique: Literal["grounded", "self"]) -> Answer:
    raise NotImplementedError
