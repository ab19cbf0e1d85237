"""Selects the records to show: one place for each thing that is known, and the newest statement of it first.

- A fact, its topic, the turn it was derived from and the answer that repeats it take one place.  The record that is shown for
  them is the clearest one that holds as many words of the question.  In other words, too, what was derived from turns that are
  shown adds nothing, and neither does a turn to a fact of it, unless it has a further word of the question.
- What a person says again takes one place, the newest one.  Events are told apart by their times, so they are not the same.
- What an assistant says stands behind what a person said with the same words of the question.  Else a wrong answer would be the
  best memory for its question when that is asked again.
- If a question is about the asker, what the asker quotes stands behind what they say themselves: "I" is another person there.
- If a newer statement changes what a record says, the newer one is shown before it, and the older one is marked as former.
  Nothing is changed in the store.  A newer statement that may change something stands before an older one about the same thing
  also where no change is decided.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..indexing.attributes.guards import is_unreal
from ..indexing.changes.decision import FORMS, LONGEST, changes, find_forms, may_change
from ..indexing.changes.forms import tells_event
from ..indexing.changes.quotations import without_quotations
from ..indexing.chatter import without_comments
from ..indexing.document import with_speaker
from ..indexing.repeats.normal_form import NormalForm, is_form, read_normal_form, say_the_same, without_address
from ..indexing.repeats.paraphrases import in_one_wording
from ..indexing.tokenizer import terms
from ..memory.ports import JsonValue
from ..memory.records import is_by_assistant

SAME_WORDS = 0.6  # share of the shorter text's words, if one of two records was derived from the other
REPEATED_WORDS = 0.8  # share of an assistant's words that another record has, from which they are its repetition
MOST_CHANGES = 20  # of one statement
MOST_COMPARED = 200  # statements, best first; each may have changed another
MOST_REPEATED = 60  # records, best first, of which each may be a repetition of another
REACH = 2  # times the records that are shown: how far behind an assistant's words those of a person are looked for
REORDERED = 5  # records shown, among which a later state is put before an earlier one
NEXT = 2  # positions from a person's message to the next
_CLEARNESS = {"semantic": 3, "reflective": 3, "turn": 2, "topic": 1}
UNNAMED = frozenset({"", "user", "assistant"})  # speakers without a name


class _Record:
    """What the rules read of a candidate, each part when it is first needed, because a person waits.

    ``origins``: ids of the record and of what it was derived from.
    """

    def __init__(self, row: int, record_id: str, payload: Mapping[str, Any]) -> None:
        self.row = row
        self.record_id = record_id
        self._payload = payload
        self.by_assistant = is_by_assistant(str(payload.get("trust") or ""), payload.get("metadata") or {})
        self.turns = frozenset(map(str, payload.get("turn_ids") or ()))
        sources = (payload.get("metadata") or {}).get("sources")
        self.origins = {record_id, *self.turns, *filter(None, str(sources or "").split(","))}
        self.said_at = str(payload.get("said_at") or payload.get("created_at") or "")
        self.source = str(payload.get("source") or "")
        self.position = payload.get("position")  # of a turn in its conversation
        self.language = str(payload.get("language") or "")
        self.content = str(payload.get("content") or "")
        speaker = str(payload.get("speaker") or "")
        self.speaker = "" if speaker.casefold() in UNNAMED else speaker

    @property
    def clearness(self) -> int:
        kind = str(self._payload.get("kind") or "semantic")
        return 0 if self.by_assistant and kind == "turn" else _CLEARNESS.get(kind, 0)

    @cached_property
    def said(self) -> NormalForm | None:
        """The normal form of what a person says; None for what an assistant says."""
        return None if self.by_assistant else read_normal_form(self.content)

    @cached_property
    def words(self) -> frozenset[str]:
        said = without_address(self.content) if self.by_assistant else self.content
        return frozenset(terms(with_speaker(self.speaker, said), self.language or "auto"))

    @cached_property
    def stated_words(self) -> frozenset[str]:
        """The words in the common wording of a fact, of an assistant without those that only comment."""
        if self.by_assistant:
            said = without_comments(in_one_wording(without_address(self.content)))
        else:
            said = in_one_wording(self.content)
        return frozenset(terms(with_speaker(self.speaker, said), self.language or "auto"))

    @cached_property
    def own_words(self) -> frozenset[str] | None:
        """The words outside of quotations; None if nothing is quoted."""
        own = without_quotations(self.content)
        return None if own == self.content else frozenset(terms(with_speaker(self.speaker, own), self.language or "auto"))

    @cached_property
    def numbers(self) -> frozenset[str]:
        return frozenset(term for term in self.words if any(map(str.isdigit, term)))

    @cached_property
    def forms(self) -> frozenset[str]:
        """The forms of the text.  Records of earlier versions do not have the key."""
        stored = self._payload.get(FORMS)
        return frozenset(stored if stored is not None else find_forms(self.content, language=self.language))


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """``rows``: the rows to show, in order.  ``replaced_by``: row of a former statement -> row of the one that changed it."""

    rows: tuple[int, ...]
    replaced_by: Mapping[int, int]


def choose_places(
    order: Sequence[int],
    ids: Sequence[str],
    payloads: Sequence[Mapping[str, JsonValue]],
    *,
    top_k: int,
    asked: Collection[str],
    exclude: Collection[str] = (),
    past: bool = False,
    about_asker: bool = False,
) -> Places:
    """The ``top_k`` records to show.

    ``order``: rows of the candidates, best first.  ``asked``: terms of the question.  ``exclude``: ids of records that the
    reader has already.  A record that was derived from these alone is left out, too.  ``past``: the question asks for something
    that may no longer be true, so what a record changed is shown directly after it.  ``about_asker``: it is about who asks.
    """
    known = set(exclude)
    records = [_Record(row, ids[row], payloads[row]) for row in order]
    records = [each for each in records if not (each.turns and each.turns <= known)]
    records = _put_persons_first(_without_repetitions(records), frozenset(asked), REACH * top_k)
    if about_asker:
        records = _put_quoted_last(records, frozenset(asked), REACH * top_k)
    near = _neighbours(records)
    stating = [each for each in records if each.forms and not each.by_assistant][:MOST_COMPARED]
    shown: list[_Record] = []
    replaced_by: dict[int, int] = {}
    taken: set[int] = set()
    for seed in records:
        if len(shown) >= top_k:
            break
        if seed.row in taken or any(_one_place(seed, other) for other in near[seed.row] if other in shown):
            continue
        if _adds_nothing(seed, shown, frozenset(asked)):
            continue
        folded = [other for other in near[seed.row] if other.row not in taken and _one_place(seed, other)]
        best = _clearest(seed, folded, frozenset(asked))
        newer = _chain_of_changes(best, stating)
        for new in newer:
            if new.row not in taken:
                shown.append(new)
                taken |= {new.row, *(other.row for other in near[new.row] if _one_place(new, other))}
                if later := _changes_of(new, newer):
                    replaced_by[new.row] = later[0].row
        if newer:
            replaced_by[best.row] = newer[0].row
        shown.append(best)
        taken |= {best.row, *(other.row for other in [seed, *folded] if _one_place(best, other))}
        for old in _find_changed_by(best, stating) if past else ():
            if old.row not in taken:
                shown.append(old)
                replaced_by[old.row] = best.row
                taken |= {old.row, *(other.row for other in near[old.row] if _one_place(old, other))}
    shown = shown[:top_k]
    if not past:
        shown = [*_put_newer_first(shown[:REORDERED], replaced_by, frozenset(asked)), *shown[REORDERED:]]
    return Places(rows=tuple(each.row for each in shown), replaced_by=replaced_by)


def _without_repetitions(records: Sequence[_Record]) -> list[_Record]:
    """The records, of those in which a person says the same again only the newest, at the best place of them."""
    groups: dict[tuple[str, frozenset[str]], list[list[_Record]]] = {}
    for each in records[:MOST_REPEATED]:
        if each.said is not None:
            alike = groups.setdefault((each.speaker, each.said.words), [])
            same = next((group for group in alike if _is_said_again(each, group[0])), None)
            if same is None:
                alike.append([each])
            else:
                same.append(each)
    newest = {
        one.row: max(group, key=lambda each: (each.said_at, each.clearness))
        for alike in groups.values()
        for group in alike
        for one in group
    }
    kept: dict[int, _Record] = {}
    for each in records:
        one = newest.get(each.row, each)
        one.origins |= each.origins
        kept.setdefault(one.row, one)
    return list(kept.values())


def _is_said_again(one: _Record, other: _Record) -> bool:
    """Whether a person says the same thing in two records.  Events, and times that depend on the day, are told apart."""
    if one.said is None or other.said is None or not say_the_same(one.said, other.said):
        return False
    return not one.said.tells_event and not (one.said.is_relative and one.said_at[:10] != other.said_at[:10])


def _put_persons_first(records: Sequence[_Record], asked: frozenset[str], reach: int) -> list[_Record]:
    """The records, before each of an assistant the next one of a person that has all words of the question that it has."""
    ordered = list(records)
    for place, said in enumerate(records[:reach]):
        if not said.by_assistant or not (common := asked & said.words):
            continue
        later = (each for each in records[place + 1 : reach] if not each.by_assistant and common <= each.words)
        if (person := next(later, None)) is not None and ordered.index(person) > ordered.index(said):
            ordered.remove(person)
            ordered.insert(ordered.index(said), person)
    return ordered


def _put_quoted_last(records: Sequence[_Record], asked: frozenset[str], reach: int) -> list[_Record]:
    """The records, before each quotation what a person says with all words of the question that are not in the quotation."""
    ordered = list(records)
    for said in records[:reach]:
        if said.by_assistant or said.own_words is None or not asked & said.words:
            continue
        common = asked & said.own_words
        for other in records[:reach]:
            if not other.by_assistant and other.own_words is None and asked & other.words and common <= other.words:
                if ordered.index(other) > ordered.index(said):
                    ordered.remove(other)
                    ordered.insert(ordered.index(said), other)
                break
    return ordered


def _put_newer_first(shown: Sequence[_Record], replaced_by: Mapping[int, int], asked: frozenset[str]) -> list[_Record]:
    """The records, each that may say a new state before the older ones of the same person about the same thing."""
    ordered = list(shown)
    for new in shown:
        if new.by_assistant or new.row in replaced_by or "announces" not in new.forms or is_unreal(new.content[:LONGEST]):
            continue
        place = ordered.index(new)
        for at, old in enumerate(ordered[:place]):
            if old.row not in replaced_by and _may_be_later_state(new, old, asked):
                ordered.insert(at, ordered.pop(place))
                break
    return ordered


def _may_be_later_state(new: _Record, old: _Record, asked: frozenset[str]) -> bool:
    """Whether the newer record has all words of the question that the older one has."""
    if old.by_assistant or old.speaker != new.speaker or new.said_at <= old.said_at or tells_event(old.content[:LONGEST]):
        return False
    held = asked & old.words
    return bool(held) and held <= new.words


def _adds_nothing(record: _Record, shown: Sequence[_Record], asked: frozenset[str]) -> bool:
    if record.turns:
        sources = [each for each in shown if each.record_id in record.turns]
        return len(sources) == len(record.turns) and any(each.words & record.words for each in sources)
    facts = [each for each in shown if each.turns == {record.record_id}]
    return bool(facts) and asked & record.words <= frozenset().union(*(each.words for each in facts))


def _neighbours(records: Sequence[_Record]) -> Mapping[int, Sequence[_Record]]:
    """For each row the other records that can share its place: of the same origin, or repeated by an assistant."""
    near: dict[int, list[_Record]] = {each.row: [] for each in records}
    owners: dict[str, list[_Record]] = {}
    for each in records:
        for origin in each.origins:
            owners.setdefault(origin, []).append(each)
    related = {(one.row, other.row) for group in owners.values() if len(group) > 1 for one in group for other in group}
    if related or any(each.by_assistant for each in records):
        for one in records:
            near[one.row] = [
                other
                for other in records
                if other is not one and (one.by_assistant or other.by_assistant or (one.row, other.row) in related)
            ]
    return near


def _clearest(seed: _Record, folded: Sequence[_Record], asked: frozenset[str]) -> _Record:
    """The record to show for the seed: a clearer one that lacks no word of the question, if it says the same alone."""
    clearer = [other for other in folded if other.clearness > seed.clearness and asked & seed.words <= other.words]
    if seed.by_assistant and not clearer:
        clearer = [other for other in folded if other.clearness > seed.clearness]
    best = max(clearer, key=lambda other: other.clearness, default=None)
    # Several facts of one turn, or of one topic: none of them stands for the others.
    if best is None or any(not _one_place(best, other) for other in clearer):
        return seed
    return best


def _changes_of(old: _Record, records: Sequence[_Record]) -> list[_Record]:
    """The statements of a person that change what ``old`` says, newest first."""
    found = []
    for new in records:
        if new.said_at > old.said_at and new.speaker == old.speaker:
            here = bool(new.source) and new.source == old.source
            language = new.language or old.language
            if may_change(new.forms, old.forms, same_conversation=here) and changes(
                new.content,
                old.content,
                speaker=new.speaker,
                language=language,
                same_conversation=here,
                follows=here and _follows(new, old),
            ):
                found.append(new)
    return sorted(found, key=lambda new: new.said_at, reverse=True)


def _chain_of_changes(old: _Record, records: Sequence[_Record]) -> list[_Record]:
    """What changes ``old``, what changes that, and so on: best first, but each before what it changes.

    A message may say two things, each of which another one changes.  The question tells which of these comes first.
    """
    found: list[_Record] = []
    left, changed = [old], dict[int, set[int]]()
    while left and len(found) < MOST_CHANGES:
        former = left.pop()
        changing = _changes_of(former, records)
        for each in changing:
            changed.setdefault(each.row, set()).add(former.row)
        new = [each for each in changing if each not in found]
        found += new
        left += new
    waiting, ordered = sorted(found, key=records.index), list[_Record]()
    while waiting:
        first = next((each for each in waiting if not any(each.row in changed[new.row] for new in waiting)), waiting[0])
        ordered.append(first)
        waiting.remove(first)
    return ordered


def _find_changed_by(new: _Record, records: Sequence[_Record]) -> list[_Record]:
    """The statements of a person that ``new`` changes, newest first."""
    if new not in records:
        return []
    return sorted((old for old in records if _changes_of(old, [new])), key=lambda old: old.said_at, reverse=True)


def _follows(new: _Record, old: _Record) -> bool:
    """Whether a person said ``new`` directly after ``old``: between them is the answer at most."""
    return isinstance(new.position, int) and isinstance(old.position, int) and 0 < new.position - old.position <= NEXT


def _one_place(one: _Record, other: _Record) -> bool:
    """Whether two records say the same thing, so that one of them is enough."""
    if one.row == other.row:
        return True
    if (one.numbers - other.numbers) and (other.numbers - one.numbers):
        return False
    if one.origins & other.origins:
        return len(one.words & other.words) >= SAME_WORDS * min(len(one.words), len(other.words))
    said, source = (one, other) if one.by_assistant else (other, one)
    if not said.by_assistant or said.numbers - source.numbers:
        return False
    stated, known = said.stated_words, source.stated_words
    missing = REPEATED_WORDS * len(stated) - len(stated & known)
    if missing > 0:
        missing -= sum(any(is_form(word, each) for each in known) for word in stated - known)
    return bool(stated) and missing <= 0
