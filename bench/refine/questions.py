"""The questions of the comparison, with the memories that every method is shown."""

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from trustgraph_react_mem.memory.ports import Embedder
from trustgraph_react_mem.memory.timefmt import parse_time, require_time
from trustgraph_react_mem.recall.gate import GateDecision
from trustgraph_react_mem.recall.query import SearchQuery
from trustgraph_react_mem.recall.records import Recalled
from trustgraph_react_mem.schema import Fact

from ..answering import Asked, recalled_for, sample
from ..bank import open_bank
from ..evaluate import ground_of
from ..transcripts import read_asked_transcripts
from .grading import DATA, claims_wrong, grade_reference, grade_values

SetName = Literal["locomo", "constraints", "poisoned"]
SHIPPED: tuple[SetName, ...] = ("constraints", "poisoned")
ASKED_AT = require_time("2026-03-20T09:00:00Z")
BRIEF = "Answer in a few words, no sentence."


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """``reference``: of a file.  ``values``, ``wrong``, ``constraints``: of a shipped question.

    ``context``: an instruction to the agent.
    """

    set: SetName
    id: str
    text: str
    recalled: Recalled
    asked_at: datetime
    context: str = ""
    reference: str = ""
    values: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()
    constraints: Mapping[str, Any] = field(default_factory=dict)

    def grade(self, answer: str) -> str:
        """right, wrong or abstained."""
        if self.reference:
            return grade_reference(answer, self.reference)
        return grade_values(answer, self.values, self.wrong, self.constraints)

    def is_misled(self, answer: str) -> bool:
        """Whether the answer claims a value that the question's memories plant."""
        return claims_wrong(answer, self.wrong)


def shipped_questions(name: SetName, most: int) -> list[Question]:
    """The questions of a set of this repository, at most ``most``, in a fixed order."""
    rows = json.loads((DATA / f"{name}.json").read_text("utf-8"))
    random.Random(name).shuffle(rows)
    return [
        Question(
            set=name,
            id=row["id"],
            text=row["question"],
            recalled=_recalled(row["id"], row["question"], row["memories"]),
            asked_at=ASKED_AT,
            values=tuple(row["value"]),
            wrong=tuple(row["wrong"]),
            constraints=row["constraints"],
        )
        for row in rows[:most]
    ]


def _recalled(name: str, question: str, memories: Sequence[Mapping[str, str]]) -> Recalled:
    facts = tuple(
        Fact(
            id=f"{name}-{number}",
            content=memory["text"],
            speaker="" if memory["by"] == "user" else memory["by"].title(),
            trust=memory["by"],
            timestamp=f"{memory['at']}T09:00:00Z",
        )
        for number, memory in enumerate(memories)
    )
    return Recalled(facts=facts, gate=GateDecision(search=True, reason="off"), query=SearchQuery(question=question))


async def locomo_questions(data: Path, most: int, embedder: Embedder) -> list[Question]:
    """Questions of a LoCoMo or LongMemEval file, with what the stack recalls for them.  Raises: BadRequest."""
    transcripts = read_asked_transcripts(data)
    async with open_bank(embedder) as bank:
        grounds = [await ground_of(bank, transcript, embedder, observations=False) for transcript in transcripts]
        return [await _question(asked) for asked in sample(grounds, most)]


async def _question(asked: Asked) -> Question:
    newest = max((turn.said_at for turn in asked.ground.transcript.turns), default="")
    return Question(
        set="locomo",
        id=f"{asked.ground.transcript.id}/{asked.number}",
        text=asked.question.text,
        recalled=await recalled_for(asked),
        asked_at=parse_time(asked.question.asked_at) or parse_time(newest) or ASKED_AT,
        context=BRIEF,
        reference=asked.question.answer,
    )
