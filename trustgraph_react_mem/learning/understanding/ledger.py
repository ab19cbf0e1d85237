"""What an item does to memory.

- ``add``: a new entry.  The same words again only add their turn.
- ``replace``: the new entry supersedes the old ones, and what of them still holds becomes an entry of its own, in one write.
- ``end``: the turn that says so supersedes the old entries, so that undoing the turn makes them hold again.
- ``same``: the entry gets one more source, and is released if it waited for these words.

Rules of authority and time:

- A line changes only what it may (``authority``), and nothing that was said after it.  What it may not replace stays, and the
  new entry stands beside it.
- A plan, or a value from a day in the future, ends no present state before that day.  Plans are replaced at once.
- Only a person's own line makes an active rule.  In a memory of several people a rule waits for a second verified person.
- Nothing is deleted.  Ids are derived from the job and what the item says: a repeated job writes nothing twice,
  and loses nothing when the model leaves out what the first run wrote.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from ...memory.digest import content_digest
from ...memory.former import former_since
from ...memory.ports import Job
from ...memory.records import (
    FORM,
    INSTRUCTION,
    KEPT_BY,
    KEPT_FROM,
    ONLY_IN,
    OWN_END,
    TOPIC,
    Fact,
    FactKind,
    FactStatus,
    derived_id,
    free_from_plan,
)
from ...memory.trust.owner_seal import VERIFIED, OwnerSeal
from ...memory.trust.quarantine import status_of
from ...repositories.facts import FactMemory
from ..checks import may_change, rank_of
from ..context import Work
from .items import Item
from .window import entry_time

#: ``beside``: the entry was added, and what it may not replace stays.  ``denied``: it may end nothing.
Result = Literal["added", "replaced", "ended", "same", "planned", "released", "quarantined", "beside", "known", "denied"]
GENERAL = "general"  # subject of a rule: earlier versions told rules apart by it
ASSISTANTS_MOST = 0.5  # importance of what only an assistant says


@dataclass(frozen=True, slots=True, kw_only=True)
class Ledger:
    """Writes the items of one job.

    ``only_in``: id of the conversation to which rules are limited, because several people talk in it; "": none.
    """

    work: Work
    conversation_id: str
    now: datetime
    only_in: str = ""

    @property
    def facts(self) -> FactMemory:
        return self.work.core.facts

    @property
    def seal(self) -> OwnerSeal:
        return self.work.core.graph.owner_seal

    @property
    def job(self) -> Job:
        return self.work.job

    async def apply(self, item: Item) -> Result:
        """Carry out one item.  Raises: EngineUnavailable, ModelUnavailable."""
        if item.op == "same":
            return await self._confirm(item)
        allowed = [fact for fact in await self._current(item.old) if self._may_change(fact, item)]
        if item.op == "end":
            return await self._end(item, allowed) if allowed else "denied"
        new = self._entry(item)
        if await self.facts.graph.get(self.job.scope, [new.id]):
            return "known"
        if item.trust == "assistant" and await self._find_words(new, "") is not None:
            return "known"  # an answer repeats what memory holds
        same = await self._find_same(new)
        if same is not None and same.id in {fact.id for fact in item.old} and _has_other_dates(new, same):
            same = None  # the words stay, and the time of what they say changes
        if same is not None:
            new = self._with_sources(same, item)
        allowed = [] if new.status == "quarantined" else [fact for fact in allowed if fact.id != new.id]
        if not allowed:
            if same is not None:
                return await self._confirm(replace(item, old=(same,)))
            return await self._add(new, "beside" if item.old else "added")
        return await self._replace(item, allowed, new)

    async def _add(self, new: Fact, result: Result) -> Result:
        [stored] = await self.facts.store(self.job.scope, [new], by=self.job.id, trigger=self.job.trigger)
        if stored.status == "undone":
            return "known"
        return "quarantined" if stored.status == "quarantined" else result

    async def _replace(self, item: Item, old: Sequence[Fact], new: Fact) -> Result:
        """Supersede the old entries now, or from the day on which the new one begins."""
        begins = new.valid_from
        later = begins is not None and begins > self.now
        waiting = [fact for fact in old if _holds_now(fact, self.now) and not _says_the_same(fact, new)] if later else []
        ended = [fact for fact in old if fact not in waiting]
        undated = item.kind == "plan" and begins is None  # nobody knows when it will be
        if undated:
            ended = [fact for fact in ended if not _holds_now(fact, self.now)]
        # What was to end when a plan comes true ends when what replaces the plan begins, unless that is no value.
        due = await self._waiting_for(ended)
        if new.id in {fact.id for fact in due}:
            new = free_from_plan(new)
        due = [fact for fact in due if fact.id != new.id]
        if undated or (item.kind == "event" and not later):
            await self._free([fact for fact in due if fact not in ended])
        else:
            (waiting if later else ended).extend(due)
        if not ended and not waiting:
            return await self._add(new, "added")
        kept = await self._keep(item, old, new)
        planned = {fact.id: begins for fact in waiting if begins is not None}
        until = begins if begins is not None and not later else self._get_time(item)
        stored = await self._supersede(ended, new, kept=kept, planned=planned, until=until)
        if stored.status == "undone":
            return "known"
        return "replaced" if ended else "planned"

    async def _supersede(
        self, ended: Sequence[Fact], new: Fact, *, planned: Mapping[str, datetime], until: datetime, kept: Sequence[Fact] = ()
    ) -> Fact:
        ids = list(dict.fromkeys(fact.id for fact in ended if fact.id not in planned))
        by, trigger = self.job.id, self.job.trigger
        return await self.facts.supersede(
            self.job.scope, ids, new, kept=kept, planned=planned, until=until, by=by, trigger=trigger
        )

    async def _end(self, item: Item, old: Sequence[Fact]) -> Result:
        """The turn supersedes the entries: now, or from the day on which they end."""
        found = await self.facts.graph.get(self.job.scope, [item.line.turn_id]) if item.line.turn_id else []
        if not found or found[0].status != "active":
            return "denied"
        turn, until = found[0], item.until or item.since
        later = until is not None and until > self.now
        waiting = [fact for fact in old if _holds_now(fact, self.now)] if later else []
        ended = [fact for fact in old if fact not in waiting]
        await self._free(await self._waiting_for(ended))  # the plan that would have ended it is off
        planned = {fact.id: until for fact in waiting if until is not None}
        at = until if until is not None and not later else self._get_time(item)
        await self._supersede(ended, turn, planned=planned, until=at)
        return "ended"

    async def _confirm(self, item: Item) -> Result:
        """The entries say it already: they get a source more.  Quarantined ones are released by the words of a person."""
        result: Result = "same"
        for fact in await self._current(item.old):
            more = self._with_sources(fact, item)
            if fact.status == "quarantined":
                if not self._releases(fact, item):
                    continue
                more = self._add_mark(replace(more, status="active", trust="user", speaker=item.line.speaker), item)
                result = "released"
            elif not may_change(fact, item.line, item.trust, self.seal) or set(more.turn_ids) == set(fact.turn_ids):
                continue
            await self.facts.update(self.job.scope, more, by=self.job.id, trigger=self.job.trigger)
        return result

    def _releases(self, fact: Fact, item: Item) -> bool:
        """Whether a person's words release an entry.  In a shared memory a rule needs the words of a second verified person."""
        if item.trust != "user":
            return False
        if not (self.work.is_shared and fact.kind == "procedural"):
            return True
        people = {self.seal.person(fact.scope, fact.speaker, fact.content, fact.metadata), self._find_person(item)} - {""}
        return fact.trust == "user" and len(people) == 2

    def _may_change(self, fact: Fact, item: Item) -> bool:
        said = item.line.said_at
        return may_change(fact, item.line, item.trust, self.seal) and (said is None or entry_time(fact) <= said)

    async def _current(self, old: Sequence[Fact]) -> list[Fact]:
        """The entries as they are now: an item before this one may have changed them."""
        found = await self.facts.graph.get(self.job.scope, [fact.id for fact in old]) if old else []
        return [fact for fact in found if fact.status in ("active", "quarantined")]

    async def _waiting_for(self, plans: Sequence[Fact]) -> list[Fact]:
        """The active entries that one of these plans is to end."""
        ids = {fact.id for fact in plans}
        found = await self.facts.graph.dependents_of(self.job.scope, sorted(ids)) if ids else []
        return [fact for fact in found if fact.superseded_by in ids and fact.status == "active"]

    async def _free(self, due: Sequence[Fact]) -> None:
        """Let entries hold on that were to end with a plan, whole: what was to be kept of them ends."""
        plans = sorted({fact.superseded_by for fact in due})
        parts = await self.facts.graph.dependents_of(self.job.scope, plans) if plans else []
        for fact in due:
            await self.facts.update(self.job.scope, free_from_plan(fact), by=self.job.id, trigger=self.job.trigger)
        for part in parts:
            if part.status == "active" and part.metadata.get(KEPT_FROM) in {fact.id for fact in due}:
                ended = replace(part, status="superseded", superseded_at=self.now)
                await self.facts.update(self.job.scope, ended, by=self.job.id, trigger=self.job.trigger)

    async def _find_same(self, new: Fact) -> Fact | None:
        if new.status == "quarantined" or ONLY_IN in new.metadata:
            return None
        return await self._find_words(new, new.speaker)

    async def _find_words(self, new: Fact, speaker: str) -> Fact | None:
        """The entry that holds and has the words of ``new``.  ``speaker``: "" is any."""
        [found] = await self.facts.graph.by_digests(self.job.scope, [(new.content, new.kind)], [speaker])
        return None if found is None or former_since(found, self.now) is not None else found

    def _entry(self, item: Item) -> Fact:
        is_rule = item.kind == "rule"
        kind: Literal["procedural", "semantic"] = "procedural" if is_rule else "semantic"
        by_person = item.trust == "user"
        metadata = {TOPIC: item.topic} if item.topic else {}
        metadata |= {INSTRUCTION: GENERAL} if is_rule else {FORM: item.kind}
        if is_rule and self.only_in:
            metadata[ONLY_IN] = self.only_in
        made = Fact(
            id=derived_id("understood", self.job.id, *_own_content(item)),
            scope=self.job.scope,
            kind=kind,
            content=f"{item.when}: {item.text}" if is_rule and item.when else item.text,
            created_at=self.now,
            status=self._status(kind, item),
            trust=item.trust,
            speaker="" if item.trust in ("tool", "document") else item.line.speaker,
            source=self.conversation_id,
            invocation_id=item.line.invocation_id,
            said_at=item.line.said_at,
            valid_from=item.since,
            valid_to=item.until,
            importance=item.importance if by_person else min(item.importance, ASSISTANTS_MOST),
            entities=(item.topic,) if item.topic else (),
            turn_ids=_turn_ids(item),
            condition=item.when if is_rule else "",
            action=item.text if is_rule else "",
            job_id=self.job.id,
            trigger=self.job.trigger,
            metadata=metadata,
        )
        return self._add_mark(made, item)

    async def _keep(self, item: Item, replaced: Sequence[Fact], new: Fact) -> list[Fact]:
        """What of a replaced entry still holds, with its source and date.  It has no more effect than a new entry would."""
        if not item.keep:
            return []
        old = min(replaced, key=lambda fact: (fact.status == "active", rank_of(fact)))
        is_rule = old.kind == "procedural"
        only_in = {ONLY_IN: self.only_in} if is_rule and self.only_in else {}
        metadata = {key: value for key, value in old.metadata.items() if key not in (VERIFIED, OWN_END)} | only_in
        kept = replace(
            old,
            id=derived_id("kept", self.job.id, old.id, item.keep),
            content=item.keep,
            condition="",
            action=item.keep if is_rule else "",
            created_at=self.now,
            status=self._status(old.kind, item) if old.status == "active" else "quarantined",
            valid_to=None,
            superseded_at=None,
            superseded_by="",
            turn_ids=tuple(dict.fromkeys((*old.turn_ids, *_turn_ids(item)))),
            version=1,
            uses=0,
            last_used_at=None,
            job_id=self.job.id,
            trigger=self.job.trigger,
            metadata={**metadata, KEPT_FROM: old.id, KEPT_BY: new.id},
        )
        if old.speaker.casefold() == item.line.speaker.casefold():
            kept = self._add_mark(kept, item)
        return [kept] if await self._find_same(kept) is None else []

    def _status(self, kind: FactKind, item: Item) -> FactStatus:
        said = kind != "procedural" and not self.work.is_shared
        return status_of(kind, item.trust, shared=self.work.is_shared, said=said)

    def _with_sources(self, fact: Fact, item: Item) -> Fact:
        turn_ids = tuple(dict.fromkeys((*fact.turn_ids, *_turn_ids(item)))) if item.trust == "user" else fact.turn_ids
        importance = max(fact.importance, item.importance) if item.trust == "user" else fact.importance
        return replace(fact, turn_ids=turn_ids, importance=importance)

    def _add_mark(self, fact: Fact, item: Item) -> Fact:
        """With the mark of the verified person who said it; without one that another text had."""
        metadata = {key: value for key, value in fact.metadata.items() if key != VERIFIED}
        if fact.trust == "user" and self._find_person(item):
            metadata[VERIFIED] = self.seal.mark(fact.scope, fact.speaker, fact.content)
        return replace(fact, metadata=metadata)

    def _find_person(self, item: Item) -> str:
        line = item.line
        return self.seal.person(self.job.scope, line.speaker, line.text, {VERIFIED: line.mark}) if line.role == "user" else ""

    def _get_time(self, item: Item) -> datetime:
        return min(item.line.said_at or self.now, self.now)


def _holds_now(fact: Fact, now: datetime) -> bool:
    """Whether an entry is in force, and not a plan or a value whose day has not come."""
    return fact.metadata.get(FORM) != "plan" and (fact.valid_from is None or fact.valid_from <= now)


def _says_the_same(fact: Fact, new: Fact) -> bool:
    """Whether only the dates differ: then the old entry does not hold until the new day."""
    return content_digest(fact.content) == content_digest(new.content)


def _has_other_dates(new: Fact, old: Fact) -> bool:
    return any(said not in (None, known) for said, known in ((new.valid_from, old.valid_from), (new.valid_to, old.valid_to)))


def _turn_ids(item: Item) -> tuple[str, ...]:
    return tuple(dict.fromkeys(line.turn_id for line in item.sources if line.turn_id))


def _own_content(item: Item) -> tuple[str, ...]:
    return (item.line.turn_id or item.line.invocation_id, item.kind, item.when, item.text, str(item.since), str(item.until))
