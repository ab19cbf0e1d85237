"""Selects the records to show: one place for each thing that is known, and the newest statement of it first.

- A fact, its topic, the turn it was derived from and the answer that repeats it take one place.  The record that is shown for
  them is the clearest one that holds as many words of the question.
- If a newer statement changes what a record says, the newer one is shown before it, and the older one is marked as former.
  Nothing is changed in the store.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ..indexing.changes import changes
from ..indexing.document import with_speaker
from ..indexing.tokenizer import terms
from ..memory.ports import JsonValue

SAME_WORDS = 0.6  # share of the shorter text's words, of two records of which one was derived from the other
REPEATED_WORDS = 0.8  # share of an assistant's words that another record has, from which they are its repetition
_CLEARNESS = {"semantic": 3, "reflective": 3, "turn": 2, "topic": 1}
UNNAMED = frozenset({"", "user", "assistant"})  # speakers without a name


@dataclass(frozen=True, slots=True)
class _Record:
    """What the rules read of a candidate.  ``origins``: ids of the record and of what it was derived from."""

    row: int
    content: str
    words: frozenset[str]
    numbers: frozenset[str]
    origins: frozenset[str]
    turns: frozenset[str]
    clearness: int
    by_assistant: bool
    speaker: str
    source: str
    said_at: str


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
) -> Places:
    """The ``top_k`` records to show.

    ``order``: rows of the candidates, best first.  ``asked``: terms of the question.  ``exclude``: ids of records that the
    reader has already.  A record that was derived from these alone is left out, too.
    """
    records = [_record(row, ids[row], payloads[row]) for row in order]
    records = [each for each in records if not (each.turns and each.turns <= set(exclude))]
    shown: list[_Record] = []
    replaced_by: dict[int, int] = {}
    taken: set[int] = set()
    for seed in records:
        if len(shown) >= top_k:
            break
        if seed.row in taken or any(_one_place(seed, other) for other in shown):
            continue
        folded = [other for other in records if other.row not in taken and other is not seed and _one_place(seed, other)]
        best = _clearest(seed, folded, frozenset(asked))
        newer = _newest_change(best, records)
        if newer is not None:
            replaced_by[best.row] = newer.row
            if newer.row not in taken:
                shown.append(newer)
                taken |= {newer.row, *(other.row for other in records if _one_place(newer, other))}
        shown.append(best)
        taken |= {best.row, *(other.row for other in [seed, *folded] if _one_place(best, other))}
    return Places(rows=tuple(each.row for each in shown[:top_k]), replaced_by=replaced_by)


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


def _newest_change(old: _Record, records: Sequence[_Record]) -> _Record | None:
    """The newest statement of a person that changes what ``old`` says."""
    found = [
        new
        for new in records
        if not new.by_assistant
        and new.said_at > old.said_at
        and new.speaker == old.speaker
        and changes(
            new.content, old.content, speaker=new.speaker, same_conversation=bool(new.source) and new.source == old.source
        )
    ]
    return max(found, key=lambda new: new.said_at, default=None)


def _one_place(one: _Record, other: _Record) -> bool:
    """Whether two records say the same thing, so that one of them is enough."""
    if one.row == other.row:
        return True
    if (one.numbers - other.numbers) and (other.numbers - one.numbers):
        return False
    shared = len(one.words & other.words)
    if one.origins & other.origins:
        return shared >= SAME_WORDS * min(len(one.words), len(other.words))
    said, source = (one, other) if one.by_assistant else (other, one)
    if not said.by_assistant or said.numbers - source.numbers:
        return False
    return bool(said.words) and shared >= REPEATED_WORDS * len(said.words)


def _record(row: int, record_id: str, payload: Mapping[str, JsonValue]) -> _Record:
    p: Mapping[str, Any] = payload
    content, speaker = str(p.get("content") or ""), str(p.get("speaker") or "")
    kind, by_assistant = p.get("kind") or "semantic", p.get("trust") == "assistant"
    own = "" if speaker.casefold() in UNNAMED else speaker
    words, numbers = _words(with_speaker(own, content))
    turns = frozenset(map(str, p.get("turn_ids") or ()))
    sources = [part for part in str((p.get("metadata") or {}).get("sources") or "").split(",") if part]
    return _Record(
        row=row,
        content=content,
        words=words,
        numbers=numbers,
        origins=frozenset((record_id, *turns, *sources)),
        turns=turns,
        clearness=0 if by_assistant and kind == "turn" else _CLEARNESS.get(str(kind), 0),
        by_assistant=by_assistant,
        speaker=own,
        source=str(p.get("source") or ""),
        said_at=str(p.get("said_at") or p.get("created_at") or ""),
    )


@lru_cache(maxsize=4096)
def _words(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """Terms of a text, and those with digits."""
    found = frozenset(terms(text))
    return found, frozenset(term for term in found if any(map(str.isdigit, term)))
