"""Questions that a language model answers with recalled memories: citations, F1 and the verdict of a judge.

The real agent loop answers with the real prompt, without tools, with an instruction to be brief, and without the bus.  F1 is
the harmonic mean of precision and recall over words, in lower case, without punctuation and articles (as in SQuAD).  The judge
is a language model that decides whether an answer means the same as the reference answer.
"""

import json
import random
import re
import statistics
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.transcripts import TranscriptQuestion
from trustgraph_react_mem.errors import ModelAnswerError, ModelUnavailable
from trustgraph_react_mem.memory.model_json import parse_json
from trustgraph_react_mem.memory.ports import JsonValue
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.memory.timefmt import parse_time
from trustgraph_react_mem.models.chat import ChatModel, ChatRequest
from trustgraph_react_mem.processors.agent.model import OnText, Reply
from trustgraph_react_mem.processors.agent.runner import ReactMemAgentManager
from trustgraph_react_mem.processors.operations.prompt_templates import WorkspacePrompts
from trustgraph_react_mem.recall.budget import fit_budget
from trustgraph_react_mem.recall.query import SearchQuery
from trustgraph_react_mem.recall.records import Recalled
from trustgraph_react_mem.settings import AgentMemSettings
from trustgraph_react_mem.turn.events import Usage
from trustgraph_react_mem.turn.request import TurnRequest
from trustgraph_react_mem.turn.tools import ToolSet

from .coverage import SHOWN, UNANSWERABLE
from .methods import Ground

ANSWERS_FILE = "answers.jsonl"
_ARTICLES = frozenset(("a", "an", "the"))
_SETTINGS = AgentMemSettings(
    memory_tools=False, max_iterations=3, fact_retrieval_top_k=SHOWN, additional_context="Answer in a few words, no sentence."
)
_JUDGE = """Two answers to the same question are compared. The first is right. Does the second say the same?
Other words, another form of a date and more detail do not matter. "I do not know" is never the same.

Question: {question}
Right answer: {right}
Second answer: {given}

Answer with the JSON object {{"same": true}} or {{"same": false}} only."""
_SAME = {"type": "object", "properties": {"same": {"type": "boolean"}}, "required": ["same"], "additionalProperties": False}


def f1(given: str, right: str) -> float:
    """Word F1 of two answers, 0..1.

    >>> f1("The blue bicycle.", "a bicycle"), f1("I do not know", "7 May")
    (0.6666666666666666, 0.0)
    """
    said, wanted = _words(given), _words(right)
    shared = sum((Counter(said) & Counter(wanted)).values())
    return 2 * shared / (len(said) + len(wanted)) if shared else 0.0


def _words(text: str) -> list[str]:
    return [word for word in re.findall(r"\w+", text.casefold()) if word not in _ARTICLES]


class Silent:
    """In place of the messages to a client: only stores the model's citations."""

    def __init__(self) -> None:
        self.cited: Mapping[str, Any] = {}

    async def ignore(self, *_: object, **__: object) -> None: ...

    started = recalled = thought = step = observed = answer = answer_withdrawn = notice = failed = ignore

    async def finished(self, number: int, answer: str, *, cited: Mapping[str, JsonValue] | None, **details: object) -> None:
        self.cited = cited or {}


class PromptedModel:
    """``ReactModel`` with this package's prompts, without a bus."""

    def __init__(self, model: ChatModel) -> None:
        self.model = model
        self._prompts = WorkspacePrompts()

    async def ask(self, prompt_id: str, variables: Mapping[str, JsonValue], on_text: OnText | None) -> Reply:
        prompt = self._prompts.prompt(prompt_id)
        request = ChatRequest(
            system=self._prompts.system(variables),
            prompt=prompt.render(variables),
            temperature=0.0,
            schema=prompt.schema if prompt.response_type == "json" else None,
            json=prompt.response_type == "json",
        )
        piece = await self.model.complete(request)
        return Reply(text=piece.text, usage=Usage(in_tokens=piece.in_tokens, out_tokens=piece.out_tokens, model=piece.model))


@dataclass(frozen=True, slots=True)
class Asked:
    ground: Ground
    number: int
    question: TranscriptQuestion


def sample(grounds: Sequence[Ground], count: int) -> list[Asked]:
    """A random sample of questions of categories 1 to 4.  The order is fixed, so a larger sample contains a smaller one."""
    every = [
        Asked(ground, number, question)
        for ground in grounds
        for number, question in ground.questions()
        if question.category != UNANSWERABLE and question.answer
    ]
    random.Random("answers").shuffle(every)
    return every[:count]


async def answer_questions(
    grounds: Sequence[Ground], chat: ChatModel, count: int, path: Path, judge: ChatModel | None = None
) -> None:
    """Append a line for each question that this model has not answered from the same memories yet.

    Raises:
        ModelUnavailable: the model does not answer.  Earlier answers are kept.
    """
    model, judge = PromptedModel(chat), judge or chat
    chosen = sample(grounds, count)
    known = {_key(row) for row in read_lines(path)}
    waiting = []
    for asked in chosen:
        recalled = await recalled_for(asked)
        row = _row(asked, recalled, chat.name, judge.name)
        if _key(row) not in known:
            waiting.append((asked, recalled, row))
    for number, (asked, recalled, row) in enumerate(waiting, start=len(chosen) - len(waiting) + 1):
        began = time.monotonic()
        row |= await _answered(asked, recalled, model)
        row["f1"] = round(f1(row["answer"], asked.question.answer), 4)
        row["same"] = await _judged(judge, asked.question, row["answer"])
        row["seconds"] = round(time.monotonic() - began, 1)
        add_line(path, row)
        print(f"answers by {chat.name}: {number} of {len(chosen)}  F1 {row['f1']:.2f}, {row['citation']}", flush=True)


async def recalled_for(asked: Asked) -> Recalled:
    facts = (await asked.ground.ask(asked.number, asked.question, top_k=SHOWN)).facts
    kept = fit_budget(facts, (), (), _SETTINGS.memory_budget)
    return Recalled(
        facts=kept.facts,
        gate="search",
        query=SearchQuery(question=asked.question.text),
        tokens=kept.tokens,
    )


def _row(asked: Asked, recalled: Recalled, model: str, judge: str) -> dict[str, Any]:
    """What is known of an answer before it is asked for."""
    return {
        "model": model,
        "judge": judge,
        "transcript": asked.ground.transcript.id,
        "number": asked.number,
        "category": asked.question.category,
        "shown": [sorted(asked.ground.turns_of(fact.id)) for fact in recalled.facts],
        "evidence": sorted(asked.question.evidence),
        "right": asked.question.answer,
        "tokens": recalled.tokens,
    }


def _key(row: Mapping[str, Any]) -> tuple[str, ...]:
    """Key of an answer: question, model and recalled memories."""
    return tuple(repr(row.get(name)) for name in ("model", "judge", "transcript", "number", "shown"))


async def _answered(asked: Asked, recalled: Recalled, model: PromptedModel) -> dict[str, Any]:
    listener = Silent()

    async def recall(request: TurnRequest) -> Recalled:
        return recalled

    newest = max((turn.said_at for turn in asked.ground.transcript.turns), default="")
    request = TurnRequest(
        scope=Scope(workspace="default", user="eval", collection="default"),
        question=asked.question.text,
        session_id="eval",
        invocation_id=f"{asked.ground.transcript.id}-{asked.number}",
        conversation_id="",
        asked_at=parse_time(asked.question.asked_at) or parse_time(newest) or datetime.now(UTC),
        settings=_SETTINGS,
        tools=ToolSet(),
        memory=True,
        record=False,
    )
    # No bus: the model, the messages and the toolbox, which is never asked, stand in for those of a flow.
    ports: dict[str, Any] = {"model": model, "toolbox": None, "listener": listener}
    outcome = await ReactMemAgentManager(request, **ports, recall=recall).run()
    if outcome.phase == "failed":
        raise ModelUnavailable(
            f"{model.model.name} did not answer: check that it runs, then start again; the run continues here"
        )
    return {
        "answer": outcome.answer,
        "citation": listener.cited.get("citation", "absent"),
        "cited": list(listener.cited.get("indices") or ()),
        "in_tokens": outcome.usage.in_tokens or 0,
        "out_tokens": outcome.usage.out_tokens or 0,
    }


async def _judged(judge: ChatModel, question: TranscriptQuestion, given: str) -> bool | None:
    """The judge's verdict.  None: its answer could not be parsed."""
    if not given.strip():
        return False
    prompt = _JUDGE.format(question=question.text, right=question.answer, given=given)
    try:
        piece = await judge.complete(ChatRequest(prompt=prompt, temperature=0.0, max_tokens=20, schema=_SAME))
        same = parse_json(piece.text)["same"]
    except (ModelAnswerError, ValueError, KeyError, TypeError):
        return None
    return same if isinstance(same, bool) else None


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    """The complete lines.  A line that was cut off by a crash, even within a letter, is skipped."""
    if not path.is_file():
        return
    for line in path.read_bytes().split(b"\n"):  # an answer may hold other separators of lines
        try:
            found = json.loads(line)
        except ValueError:
            continue
        if isinstance(found, dict):
            yield found


def add_line(path: Path, row: Mapping[str, Any]) -> None:
    whole = not path.exists() or path.stat().st_size == 0 or path.read_bytes()[-1:] == b"\n"
    with path.open("a", encoding="utf-8") as file:
        file.write(("" if whole else "\n") + json.dumps(row, ensure_ascii=False) + "\n")


def answers_summary(path: Path, model: str) -> dict[str, Any]:
    """Summary of all lines of this model.  Citations are compared with the evidence that was shown."""
    rows = [row for row in read_lines(path) if row.get("model") == model]
    if not rows:
        return {"model": model, "questions": 0}
    categories = sorted({row["category"] for row in rows})
    return {
        "model": model,
        "judge": ", ".join(sorted({row["judge"] for row in rows})),
        **_figures(rows),
        "by_category": {category: _figures([row for row in rows if row["category"] == category]) for category in categories},
    }


def _figures(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    judged = [row["same"] for row in rows if row["same"] is not None]
    named = [(set(row["shown"][at]), set(row["evidence"])) for row in rows for at in row["cited"]]
    useful = [(row, at) for row in rows for at, turns in enumerate(row["shown"]) if set(turns) & set(row["evidence"])]
    states = Counter(row["citation"] for row in rows)
    scores = [row["f1"] for row in rows]
    return {
        "questions": len(rows),
        "f1": _percent(scores),
        "f1_standard_error": round(100 * statistics.stdev(scores) / len(scores) ** 0.5, 2) if len(scores) > 1 else None,
        "judged_right": _percent(judged),
        "evidence_shown": _percent([any(set(t) & set(row["evidence"]) for t in row["shown"]) for row in rows]),
        "citations": {state: _percent([row["citation"] == state for row in rows]) for state in sorted(states)},
        "citation_precision": _percent([bool(turns & evidence) for turns, evidence in named]),
        "citation_recall": _percent([at in row["cited"] for row, at in useful]),
        "seconds": round(statistics.fmean(row["seconds"] for row in rows), 1),
    }


def _percent(values: Sequence[float]) -> float | None:
    return round(100 * statistics.fmean(values), 2) if values else None
