"""Plays cases through a stack and compares what memory holds afterwards."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from trustgraph_react_mem.memory.requests import GetJob, ImportTurns, ListFacts, SubmitJob
from trustgraph_react_mem.schema import Fact, Turn

from ..talk.client import MOST_BACKGROUND_S, TalkClient
from ..talk.understood import normalise
from .cases import Case, Session
from .metered import Cost, Metered

PAUSE = timedelta(seconds=40)  # between the lines of a session
MOST_RECORDS = 1000
SPEAKERS = {"user": "", "assistant": "Assistant"}  # lines of tools are part of an agent's turn and cannot be imported


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """One demand of a case.  ``wanted``: whether the words should be there; ``there``: whether they are."""

    what: str  # active | gone | rules | no_rules
    words: str
    wanted: bool
    there: bool

    @property
    def right(self) -> bool:
        return self.wanted == self.there


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """``entries``: what memory holds as valid.  ``counts``: of the jobs.  ``failed``: jobs that did not end well."""

    case: Case
    judged: Sequence[Judged]
    entries: Sequence[str]
    cost: Cost
    counts: Counter[str] = field(default_factory=Counter)
    failed: Sequence[str] = ()

    @property
    def turns(self) -> int:
        """Messages of the person."""
        return sum(line.role == "user" for session in self.case.sessions for line in session.lines)


async def play_case(client: TalkClient, meter: Metered, case: Case) -> Played:
    """``meter``: the model of the client."""
    counts: Counter[str] = Counter()
    failed: list[str] = []
    meter.take()
    for number, session in enumerate(case.sessions):
        conversation = f"{case.id}-{number}"
        turns = _turns(session)
        if not turns:
            continue
        await client.bus.call(ImportTurns(source=conversation, turns=turns, user=case.id))
        payload = json.dumps({"conversation_id": conversation})
        job = (await client.bus.call(SubmitJob(kind="understand", payload=payload, user=case.id))).job_id
        failed += await client.wait_idle(case.id, within_s=MOST_BACKGROUND_S)
        status = (await client.bus.call(GetJob(id=job, user=case.id))).jobs[0]
        counts.update(_read_counts(status.summary))
    held = list((await client.bus.call(ListFacts(status="active", limit=MOST_RECORDS, user=case.id))).facts)
    held = [fact for fact in held if fact.kind != "turn"]
    return Played(
        case=case,
        judged=judge(case, held),
        entries=[fact.content for fact in held],
        cost=sum(meter.take().values(), Cost()),
        counts=counts,
        failed=failed,
    )


def _turns(session: Session) -> list[Turn]:
    said = [line for line in session.lines if line.role in SPEAKERS]
    return [
        Turn(
            speaker=line.name if line.role == "user" else SPEAKERS[line.role],
            role=line.role,
            text=line.text,
            said_at=(session.at + place * PAUSE).isoformat(),
        )
        for place, line in enumerate(said)
    ]


def judge(case: Case, held: Sequence[Fact]) -> list[Judged]:
    """``held``: the valid entries and rules of the case's person."""
    rules = [normalise(fact.content) for fact in held if fact.kind == "procedural"]
    entries = [normalise(fact.content) for fact in held if fact.kind not in ("procedural", "working")]
    found: list[Judged] = []
    demands: tuple[tuple[str, Sequence[str], Sequence[str], bool], ...] = (
        ("active", case.active, entries, True),
        ("gone", case.gone, entries, False),
        ("rules", case.rules, rules, True),
        ("no_rules", case.no_rules, rules, False),
    )
    for what, all_words, texts, wanted in demands:
        for words in all_words:
            there = any(normalise(words) in text for text in texts)
            found.append(Judged(what=what, words=words, wanted=wanted, there=there))
    return found


def _read_counts(summary: str) -> Counter[str]:
    """The counts in the summary of a job, such as ``added=2 dropped_quote=1``."""
    pairs = (part.partition("=") for part in summary.split())
    return Counter({name: int(number) for name, _, number in pairs if number.isdecimal()})
