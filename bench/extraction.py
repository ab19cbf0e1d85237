"""Compares topic memories of a language model with the statements of the file about the same session.

The real job extracts the topics of each session into separate stores.  A topic is *agreed* if a statement about the same
speaker shares one of its turns and means the same (calibrated similarity at least ``AGREED``).  It is *placed* if a statement
about any speaker shares one of its turns.  A statement is *found* if a topic agrees with it.
"""

import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bench.transcripts import AskedTranscript, Note
from trustgraph_react_mem.errors import BadRequest
from trustgraph_react_mem.indexing.document import with_speaker
from trustgraph_react_mem.indexing.routing import ModelIndexes
from trustgraph_react_mem.learning.checks.grounding import MIN_SIMILARITY
from trustgraph_react_mem.learning.context import HandlerContext
from trustgraph_react_mem.learning.handlers.reflect import ReflectHandler
from trustgraph_react_mem.memory.clock import SystemClock
from trustgraph_react_mem.memory.ports import Embedder, Job
from trustgraph_react_mem.memory.records import Fact
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.models.chat import ChatModel
from trustgraph_react_mem.repositories.core import MemoryCore
from trustgraph_react_mem.retrieval.local_notifier import LocalNotifier
from trustgraph_react_mem.settings import AgentMemSettings
from trustgraph_react_mem.stores.graph.ladybug import LadybugGraph
from trustgraph_react_mem.stores.opening import GraphStores
from trustgraph_react_mem.stores.vectors.edge import EdgeIndex

from .bank import session_turns
from .language_model import PromptedModel
from .resumed import Progress, add_line, read_lines

TOPICS_FILE = "topics.jsonl"
AGREED = MIN_SIMILARITY
_SETTINGS = AgentMemSettings(daily_token_budget=0)


@dataclass(frozen=True, slots=True)
class Session:
    transcript: AskedTranscript
    name: str

    @property
    def notes(self) -> list[Note]:
        return [note for note in self.transcript.notes if note.session == self.name]


def sample(transcripts: Sequence[AskedTranscript], count: int) -> list[Session]:
    """A random sample of sessions with statements.  The order is fixed, so a larger sample contains a smaller one.

    Raises:
        BadRequest: the file has no statements.
    """
    every = [Session(transcript, name) for transcript in transcripts for name in transcript.sessions]
    every = [session for session in every if session.notes]
    if not every:
        raise BadRequest("this file has no statements ('observation') to compare topic memories with: use a LoCoMo file")
    random.Random("topics").shuffle(every)
    return every[:count]


async def extract_topics(
    transcripts: Sequence[AskedTranscript], embedder: Embedder, chat: ChatModel, count: int, path: Path
) -> None:
    """Append a line for each session whose topics this model has not extracted yet.

    Raises:
        BadRequest: the file has no statements.
        ModelUnavailable: the model does not answer.  Earlier results are kept.
    """
    chosen = sample(transcripts, count)
    known = {(row["model"], row["transcript"], row["session"]) for row in read_lines(path)}
    waiting = [item for item in chosen if (chat.name, item.transcript.id, item.name) not in known]
    progress = Progress(f"topics by {chat.name}", len(chosen), len(chosen) - len(waiting))
    for session in waiting:
        began = time.monotonic()
        topics, counts = await _reflected(session, embedder, chat)
        row: dict[str, Any] = {
            "model": chat.name,
            "transcript": session.transcript.id,
            "session": session.name,
            "counts": counts,
        }
        row |= await _compared(session, topics, embedder)
        row["seconds"] = round(time.monotonic() - began, 1)
        add_line(path, row)
        progress.step(f"{len(topics)} topics, {sum(topic['agreed'] for topic in row['topics'])} agreed")


async def _reflected(session: Session, embedder: Embedder, chat: ChatModel) -> tuple[list[Fact], dict[str, int]]:
    clock, notices = SystemClock(), LocalNotifier()
    folder = TemporaryDirectory(prefix="react-mem-bench-")
    engine = await LadybugGraph.open(":memory:")
    index = await EdgeIndex.open(folder.name, embedder.profile)
    try:
        stores = GraphStores.over(engine, clock, b"\0" * 32)
        indexes = ModelIndexes(facts=index, episodes=index, embedder=embedder)  # no episodes are written
        core = MemoryCore.over(stores, indexes, notices, clock)
        facts = core.facts
        scope = Scope(workspace="bench", user=session.transcript.id, collection="default")
        turns = session_turns(scope, session.transcript, session.name)
        await facts.add_turns(scope, session.name, turns)
        model = PromptedModel(chat)
        context = HandlerContext(
            core=core,
            model_for=lambda workspace, flow: model,
            settings_for=lambda workspace, flow: _SETTINGS,
        )
        payload = {"conversation_id": session.name}
        job = Job(id="eval", kind="reflect", scope=scope, payload=payload, created_at=datetime.now(UTC), trigger="management")
        outcome = await ReflectHandler(context)(job)
        found = await facts.graph.listing(scope, kinds=("topic",), limit=1000)
        return [topic for topic in found if topic.status == "active"], dict(outcome.counts)
    finally:
        await index.close()
        await engine.close()
        folder.cleanup()


async def _compared(session: Session, topics: Sequence[Fact], embedder: Embedder) -> dict[str, Any]:
    scope = Scope(workspace="bench", user=session.transcript.id, collection="default")
    names = {fact.id: fact.metadata["turn"] for fact in session_turns(scope, session.transcript, session.name)}
    notes = session.notes
    texts = [with_speaker(item.speaker, item.text) for item in notes] + [
        with_speaker(topic.speaker, topic.content) for topic in topics
    ]
    vectors = await embedder.embed(texts, role="passage")
    rows: list[dict[str, Any]] = []
    found: set[int] = set()
    for at, topic in enumerate(topics):
        turns = {names[turn] for turn in topic.turn_ids if turn in names}
        placed = [number for number, note in enumerate(notes) if turns & set(note.turn_ids)]
        about = [number for number in placed if notes[number].speaker.casefold() == topic.speaker.casefold()]
        likeness = {n: embedder.profile.calibrate(float(vectors[n] @ vectors[len(notes) + at])) for n in about}
        best = max(likeness, key=lambda n: likeness[n], default=None)
        found.update(n for n, value in likeness.items() if value >= AGREED)
        rows.append(
            {
                "topic": topic.content,
                "speaker": topic.speaker,
                "turns": sorted(turns),
                "statement": "" if best is None else notes[best].text,
                "similarity": None if best is None else round(likeness[best], 3),
                "placed": bool(placed),
                "agreed": best is not None and likeness[best] >= AGREED,
            }
        )
    return {"topics": rows, "statements": len(notes), "found": len(found)}


def topics_summary(path: Path, model: str) -> dict[str, Any]:
    """Percentages of topics and statements over all sessions of this model."""
    rows = [row for row in read_lines(path) if row.get("model") == model]
    topics = [topic for row in rows for topic in row["topics"]]
    statements = sum(row["statements"] for row in rows)
    counts = _sums([row["counts"] for row in rows])
    return {
        "model": model,
        "sessions": len(rows),
        "topics": len(topics),
        "precision": _share(sum(topic["agreed"] for topic in topics), len(topics)),
        "placed": _share(sum(topic["placed"] for topic in topics), len(topics)),
        "statements": statements,
        "found": _share(sum(row["found"] for row in rows), statements),
        "unsupported": counts.get("unsupported", 0),
        "turns_covered": _share(counts.get("covered", 0), counts.get("turns", 0)),
    }


def _sums(counts: Sequence[Mapping[str, int]]) -> dict[str, int]:
    return {name: sum(row.get(name, 0) for row in counts) for name in {name for row in counts for name in row}}


def _share(part: int, whole: int) -> float | None:
    return round(100 * part / whole, 1) if whole else None
