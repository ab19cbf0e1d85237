"""Selects the records to show: one place for each thing that is known, and what holds before what is former.

- An entry and the turn that it was derived from take one place, that of the better one, unless the other has a further word of
  the question.  The entry is shown, with the date and the names that it was resolved to.  Different words of one origin are
  different things.
- What an assistant says with the words of a person is left out: the person's words take its place.  Those that are similar
  stand before it.
- Former entries stand last, and turns whose every entry is former before them, unless the question is of their time.  What took
  their place is shown with them.  One that was replaced by a record that is shown has a place as well.

Words are compared as terms of the index.  Nothing here reads what a sentence means.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property
from typing import Any

from ..indexing.document import with_speaker
from ..indexing.tokenizer import terms
from ..memory.ports import JsonValue
from ..memory.records import is_by_assistant

SAME_WORDS = 0.6  # share of the shorter text's terms, if two records have an origin in common
REPEATED_WORDS = 0.75  # share of an assistant's terms that a person's record has, from which they repeat it
FORMER_SHOWN = 2
REACH = 2  # times the records that are shown: how far behind an assistant's words those of a person are looked for
UNNAMED = frozenset({"", "user", "assistant"})  # speakers without a name
_CURRENT, _OUTDATED, _FORMER = range(3)


class _Record:
    """``origins``: ids of the record and of what it was derived from.  ``newer``: ids of what took its place."""

    def __init__(self, row: int, record_id: str, payload: Mapping[str, Any], newer: Sequence[str], rank: int) -> None:
        self.row, self.record_id, self.newer, self.rank = row, record_id, newer, rank
        self._payload = payload
        self.by_assistant = is_by_assistant(str(payload.get("trust") or ""), payload.get("metadata") or {})
        self.turns = frozenset(map(str, payload.get("turn_ids") or ()))
        sources = str((payload.get("metadata") or {}).get("sources") or "")
        self.origins = {record_id, *self.turns, *filter(None, sources.split(","))}

    @cached_property
    def words(self) -> frozenset[str]:
        speaker = str(self._payload.get("speaker") or "")
        said = with_speaker("" if speaker.casefold() in UNNAMED else speaker, str(self._payload.get("content") or ""))
        return frozenset(terms(said, str(self._payload.get("language") or "auto")))

    @cached_property
    def numbers(self) -> frozenset[str]:
        return frozenset(term for term in self.words if any(map(str.isdigit, term)))


def choose_places(
    order: Sequence[int],
    ids: Sequence[str],
    payloads: Sequence[Mapping[str, JsonValue]],
    *,
    top_k: int,
    asked: Collection[str],
    exclude: Collection[str] = (),
    newer: Mapping[str, Sequence[str]] | None = None,
    keeps_rank: Callable[[str], bool] = lambda record_id: False,
) -> tuple[int, ...]:
    """The rows of the ``top_k`` records to show, in order.

    ``order``: rows of the candidates, best first.  ``asked``: terms of the question.  ``exclude``: ids of records that the
    reader has already.  A record that was derived from these alone is left out, too.  ``newer``: for former entries, and for
    turns whose every entry is former, the ids of what took their place and of the turns that said so.  ``keeps_rank``:
    whether the question is of the time of such a record.
    """
    replaced, known = newer or {}, set(exclude)
    records = []
    for row in order:
        rank = _CURRENT
        if ids[row] in replaced and not keeps_rank(ids[row]):
            rank = _OUTDATED if payloads[row].get("kind") == "turn" else _FORMER
        records.append(_Record(row, ids[row], payloads[row], replaced.get(ids[row], ()), rank))
    records = [each for each in records if not (each.turns and each.turns <= known)]
    words = frozenset(asked)
    shown: list[_Record] = []
    for record in _in_places(records, REACH * top_k, words):
        if len(shown) >= top_k:
            break
        if record in shown or any(_one_place(record, other, words) for other in shown) or _adds_nothing(record, shown, words):
            continue
        if record.rank == _FORMER and sum(each.rank == _FORMER for each in shown) >= FORMER_SHOWN:
            continue
        new = _in_place_of(record, records, shown, words)[: top_k - len(shown) - 1]
        shown = [each for each in shown if not any(_one_place(each, other, words) for other in new)]
        shown += [record, *new] if record.rank == _CURRENT else [*new, record]
    shown = _with_former(shown, records, top_k)
    return tuple(each.row for each in sorted(shown, key=lambda each: each.rank))


def _with_former(shown: list[_Record], records: Sequence[_Record], top_k: int) -> list[_Record]:
    """The shown records.  If none is former, the first one that replaced another brings it, into the last place.

    A question about the past often names only the present value: "Where did I live before Oslo?"
    """
    if top_k < 2 or any(each.rank != _CURRENT for each in shown):
        return shown
    for current in shown[: top_k - 1]:
        for record in records:
            if record.rank != _CURRENT and current.record_id in record.newer:
                return [*shown[: top_k - 1], record]
    return shown


def _in_place_of(former: _Record, records: Sequence[_Record], shown: Sequence[_Record], asked: frozenset[str]) -> list[_Record]:
    """What took the place of a former record and is not shown yet.  An entry takes one place, however many turns it has."""
    newer = [each for each in records if each.record_id in former.newer and each.rank == _CURRENT]
    said = frozenset[str]().union(*(each.turns for each in newer))
    new: list[_Record] = []
    for each in newer:
        found = each not in shown and each.record_id not in said
        if found and not any(_one_place(each, other, asked) for other in new):
            new.append(each)
    return new


def _in_places(records: Sequence[_Record], reach: int, asked: frozenset[str]) -> list[_Record]:
    """The records, and before each what should take its place, of the first ``reach``.

    For a turn, its entries that say the same.  For an assistant's words, a person's that they repeat or are similar to.
    """
    current = [each for each in records[:reach] if each.rank == _CURRENT]
    persons = [each for each in current if not each.by_assistant]
    placed: list[_Record] = []
    for record in records:
        if record.by_assistant:
            similar = max(persons, key=lambda person: _share(record, person), default=record)
            share = _share(record, similar)
            if share >= SAME_WORDS:
                placed.append(similar)
            if share < REPEATED_WORDS or record.numbers - similar.numbers:
                placed.append(record)
        else:
            placed += [each for each in current if record.record_id in each.turns and _one_place(record, each, asked)]
            placed.append(record)
    return list(dict.fromkeys(placed))


def _share(said: _Record, other: _Record) -> float:
    """The share of the terms of ``said`` that ``other`` has."""
    return len(said.words & other.words) / len(said.words) if said.words else 0.0


def _one_place(one: _Record, other: _Record, asked: frozenset[str]) -> bool:
    """Whether a record says the same as another one of its origin, as far as the question goes."""
    if not one.origins & other.origins or (one.numbers - other.numbers and other.numbers - one.numbers):
        return False
    same = len(one.words & other.words) >= SAME_WORDS * min(len(one.words), len(other.words))
    return same and asked & one.words <= other.words


def _adds_nothing(record: _Record, shown: Sequence[_Record], asked: frozenset[str]) -> bool:
    """Whether the turns of an entry are shown, or for a turn its entries, which have all words of the question in it."""
    if record.turns:
        return record.turns <= {each.record_id for each in shown}
    entries = [each for each in shown if each.turns == {record.record_id}]
    return bool(entries) and asked & record.words <= frozenset[str]().union(*(each.words for each in entries))
