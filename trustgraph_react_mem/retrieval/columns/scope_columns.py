"""The records of one scope in memory as columns, so that a query is scored against all records at once.

Invariants:
- a slot is never reused: a changed record gets a new slot, a removed record leaves a dead slot;
- all columns have the same number of rows, and dead slots never occur in a result;
- built at once or point by point, a scope gives the same scores.
"""

import threading
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...indexing.document import is_standing, only_in, with_speaker
from ...indexing.time_cues import contains_number, mentions_time
from ...indexing.token_signs import TOKENS, WORD_BITS, read_signs
from ...indexing.tokenizer import query_terms, terms
from ...memory.former import former_since, is_merge, recalled_until
from ...memory.ports import IndexPoint, JsonValue, Signs, Vector
from ...memory.timefmt import parse_time
from .bm25 import WordCounts
from .payloads import Payloads
from .term_index import Slots, TermIndex
from .vectors import Column, DenseKeys

NOWHERE = -1
PYTHON_BYTES = 1100  # of a record in lists and dictionaries, and lost between objects: by the resident memory of 60 scopes
_LONG_AGO, _FAR_AHEAD = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
LANGUAGES_SEARCHED = 3  # of the records of a scope, besides the language of the question
KINDS = ("turn", "semantic", "procedural", "reflective", "topic", "episode")
_COLUMNS: tuple[tuple[str, Any, float], ...] = (
    ("alive", bool, 0),
    ("active", bool, 0),  # not superseded, not quarantined
    ("former_from", np.float64, np.inf),  # when a later record takes its place, see memory/former.py
    ("kind", np.int8, 0),
    ("speaker", np.int32, 0),
    ("source", np.int32, 0),
    ("position", np.int32, 0),
    ("prev", np.int32, NOWHERE),
    ("next", np.int32, NOWHERE),
    ("lengths", np.float32, 0),
    ("said_at", np.float64, 0),  # POSIX seconds
    ("recalled_until", np.float64, np.inf),
    ("created_at", np.float64, np.inf),
    ("question", np.float32, 0),
    ("time_words", np.float32, 0),
    ("numbers", np.float32, 0),
    ("by_user", np.float32, 0),  # 1 said by a person, -1 by an assistant, 0 neither
    ("importance", np.float32, 0.5),
    ("uses", np.float32, 0),
    ("standing", bool, 0),  # a rule that a person gave and that applies always
    ("only_here", bool, 0),  # a rule that holds only in its own conversation
)


@dataclass(frozen=True, slots=True)
class Links:
    """The record in slot ``fact[i]`` was derived from the turn in slot ``turn[i]``."""

    fact: NDArray[np.int32]
    turn: NDArray[np.int32]


class ScopeColumns:
    """Columns of one scope.  ``n``: number of slots including dead ones.

    A record without a "context" vector uses its "text" vector instead.  Hold ``lock`` while changing the scope, and while
    reading it in another thread.
    """

    keeps_tokens: ClassVar[bool] = True

    def __init__(self, dimension: int) -> None:
        self.dimension = dimension
        self.n = 0
        self.dead = 0
        self.lock = threading.Lock()
        self.vectors = DenseKeys(dimension)
        self.ids: list[str] = []
        self.payloads = Payloads()
        # By slot; not in the payloads.
        self._tokens: list[bytes | None] = []
        self._token_bytes = 0  # kept as a total, because it is asked for after each change
        self.slots: dict[str, int] = {}
        self.words = TermIndex()
        self.speakers: dict[str, int] = {"": 0}
        self._speaker_counts: Counter[str] = Counter()
        self.sources: dict[str, int] = {}
        self._entity_slots: dict[str, dict[int, None]] = {}
        self._languages: Counter[str] = Counter()
        self._places: dict[int, int] = {}  # by _place()
        self._links: Links | None = None
        self._entries: dict[str, dict[int, None]] = {}  # turn id -> slots of what was derived from it
        self._replaced: dict[int, str] = {}  # slot -> id of the record that takes its place
        self._followed: NDArray[np.bool_] | None = None
        self._capacity = 0
        self._columns: dict[str, NDArray[Any]] = {name: np.empty(0, dtype) for name, dtype, _ in _COLUMNS}

    # ------------------------------------------------------------------------------------------------ reading

    def __len__(self) -> int:
        return self.n - self.dead

    def column(self, name: str) -> NDArray[Any]:
        """(n,) view of a column."""
        return self._columns[name][: self.n]

    def signs(self, slot: int) -> Signs | None:
        """The tokens of a record, as far as they are here and known."""
        held = self._tokens[slot] if self._tokens else None
        return None if held is None else np.frombuffer(held, np.uint64).reshape(-1, self.dimension // WORD_BITS)

    def products(self, name: str, vector: Vector) -> Column:
        """(n,) dot products of the records' vectors under a key with a question's vector (d,)."""
        return self.vectors.products(name, slice(0, self.n), vector)

    def word_counts(self, terms: Sequence[str], before: Slots, after: Slots) -> WordCounts:
        """Counts of the distinct terms that occur here.  ``before``, ``after``: (n + 1,) slots of the neighbouring turns."""
        return WordCounts.of_neighbours(self.words.counts(terms, self.n), self.column("lengths"), before, after)

    def slots_mentioning(self, name: str) -> NDArray[np.int32]:
        """Slots of the living records that mention a name in their text or entities.  A slot may occur twice."""
        written = [slots for slots, _ in self.words.postings(query_terms(name, self.language or "en", spoken=self.languages))]
        return np.concatenate([np.array(list(self._entity_slots.get(name, ())), np.int32), *written])

    @property
    def present_speakers(self) -> list[str]:
        """Lower-case names of the speakers of the living records."""
        return [name for name, count in self._speaker_counts.items() if name and count]

    @property
    def newest(self) -> float:
        """Time of the newest record, POSIX seconds; 0 if the scope is empty."""
        return float(self.column("said_at").max(initial=0.0, where=self.column("alive")))

    @property
    def language(self) -> str:
        """The most frequent language of the records, used for short queries whose language cannot be detected."""
        return max(self._languages, key=lambda code: self._languages[code]) if self._languages else "en"

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages of at least a tenth of the records, at most LANGUAGES_SEARCHED, most frequent first."""
        least = max(1.0, len(self) / 10)
        frequent = sorted(((count, code) for code, count in self._languages.items() if count >= least), reverse=True)
        return tuple(code for _, code in frequent[:LANGUAGES_SEARCHED])

    @property
    def links(self) -> Links:
        """Links from active derived records to their source turns.  Recomputed after a change."""
        if self._links is None:
            fact, turn = list[int](), list[int]()
            for turn_id, slots in self._entries.items():
                if (target := self.slots.get(turn_id)) is not None:
                    derived = [slot for slot in slots if slot != target and self._columns["active"][slot]]
                    fact += derived
                    turn += [target] * len(derived)
            self._links = Links(np.array(fact, np.int32), np.array(turn, np.int32))
        return self._links

    def find(self, record_id: str) -> Mapping[str, JsonValue] | None:
        """The payload of a record; None if it is not here."""
        slot = self.slots.get(record_id)
        return None if slot is None else self.payloads[slot]

    def entries_of(self, turn_id: str) -> list[tuple[str, Mapping[str, JsonValue]]]:
        """Ids and payloads of the records that were derived from a turn."""
        return [(self.ids[slot], self.payloads[slot]) for slot in self._entries.get(turn_id, ())]

    @property
    def followed(self) -> NDArray[np.bool_]:
        """(n,) whether another record takes the place of each, which is here and was not merged from it."""
        if self._followed is None:
            self._followed = np.zeros(self.n, np.bool_)
            for slot, newer in self._replaced.items():
                known = self.slots.get(newer)
                self._followed[slot] = known is not None and not is_merge(_metadata(self.payloads[known]), self.ids[slot])
        return self._followed

    @property
    def wasteful(self) -> bool:
        """Whether more than half of the slots (and more than 64) are dead, so that the scope should be loaded again."""
        return self.dead > 64 and self.dead * 2 > self.n

    @property
    def bytes(self) -> int:
        """Estimated memory of the scope."""
        held = self.vectors.bytes + self.words.bytes + self.payloads.bytes + self._token_bytes
        columns = sum(column.nbytes for column in self._columns.values())
        return held + columns + PYTHON_BYTES * len(self.ids)

    # ------------------------------------------------------------------------------------------------ changing

    def expect(self, records: int) -> None:
        """Reserve memory for many records, to avoid repeated copying."""
        self._reserve(self.n + records)

    def put(self, points: Iterable[IndexPoint]) -> None:
        """Insert records, or replace those with the same id."""
        points = list(points)
        if not points:
            return
        self._reserve(self.n + len(points))
        first = self.n
        for point in points:
            self.remove([point.id])
            self._append(point)
        text = np.array([point.vectors["text"] for point in points], np.float32)
        context = np.array([point.vectors.get("context", point.vectors["text"]) for point in points], np.float32)
        self.vectors.put(first, text, context)
        self._links = self._followed = None

    def remove(self, ids: Sequence[str]) -> None:
        for record_id in ids:
            slot = self.slots.pop(record_id, None)
            if slot is None:
                continue
            self._columns["alive"][slot] = self._columns["active"][slot] = False
            self._columns["former_from"][slot] = np.inf
            self.dead += 1
            self.words.remove(slot)
            self._columns["lengths"][slot] = 0
            payload = self.payloads[slot]
            self._languages[str(payload.get("language") or "")] -= 1
            self._speaker_counts[str(payload.get("speaker") or "").casefold()] -= 1
            for name in _entities(payload):
                del self._entity_slots[name][slot]
            self._unlink(slot)
            for turn_id in _turn_ids(payload):
                del self._entries[turn_id][slot]
            self._replaced.pop(slot, None)
            self.payloads[slot] = {}
            if self._tokens:
                signs, self._tokens[slot] = self._tokens[slot], None
                self._token_bytes -= len(signs or b"")
            self._links = self._followed = None

    def _append(self, point: IndexPoint) -> None:
        slot, payload, columns = self.n, point.payload, self._columns
        p: Mapping[str, Any] = payload
        content = str(p.get("content") or p.get("goal") or "")
        speaker = str(p.get("speaker") or "")
        language = str(p.get("language") or "")
        rule = f" {p.get('condition') or ''} {p.get('action') or ''}" if p.get("kind") == "procedural" else ""
        self.n += 1
        self.ids.append(point.id)
        self.payloads.append({name: value for name, value in payload.items() if name != TOKENS})
        if self.keeps_tokens:
            signs = read_signs(payload.get(TOKENS), self.dimension)
            self._tokens.append(None if signs is None else signs.tobytes())
            self._token_bytes += 0 if signs is None else signs.nbytes
        self.slots[point.id] = slot
        for turn_id in _turn_ids(p):
            self._entries.setdefault(turn_id, {})[slot] = None
        if p.get("superseded_by"):
            self._replaced[slot] = str(p["superseded_by"])
        said = parse_time(p.get("said_at")) or parse_time(p.get("valid_from")) or parse_time(p.get("created_at"))
        until = recalled_until(payload)
        created = parse_time(p.get("created_at"))
        kind = str(p.get("kind") or "semantic")
        row = {
            "alive": True,
            "active": (p.get("status") or "active") == "active",
            "former_from": _former_from(payload),
            "kind": KINDS.index(kind) if kind in KINDS else KINDS.index("semantic"),
            "speaker": self.speakers.setdefault(speaker.casefold(), len(self.speakers)),
            "source": self.sources.setdefault(str(p.get("source") or ""), len(self.sources)),
            "position": int(p.get("position") or 0),
            "lengths": self.words.add(slot, terms(with_speaker(speaker, content) + rule, language or "auto")),
            "said_at": said.timestamp() if said else 0.0,
            "recalled_until": until.timestamp() if until else np.inf,
            "created_at": created.timestamp() if created else np.inf,
            "question": is_question(content),
            "time_words": mentions_time(content),
            "numbers": contains_number(content),
            "by_user": {"user": 1, "assistant": -1}.get(str(p.get("trust") or "user"), 0) if kind == "turn" else 0,
            "importance": float(p.get("importance", 0.5)),
            "uses": float(p.get("uses") or 0),
            "standing": is_standing(p),
            "only_here": bool(only_in(p)),
        }
        for name, value in row.items():
            columns[name][slot] = value
        self._languages[language] += 1
        self._speaker_counts[speaker.casefold()] += 1
        for name in _entities(payload):
            self._entity_slots.setdefault(name, {})[slot] = None
        if kind == "turn" and p.get("source"):
            self._link(slot, int(columns["source"][slot]), int(p.get("position") or 0))

    def _link(self, slot: int, source: int, position: int) -> None:
        prev, following = self._columns["prev"], self._columns["next"]
        self._places[_place(source, position)] = slot
        before = self._places.get(_place(source, position - 1), NOWHERE)
        after = self._places.get(_place(source, position + 1), NOWHERE)
        prev[slot], following[slot] = before, after
        if before != NOWHERE:
            following[before] = slot
        if after != NOWHERE:
            prev[after] = slot

    def _unlink(self, slot: int) -> None:
        prev, following = self._columns["prev"], self._columns["next"]
        place = _place(int(self._columns["source"][slot]), int(self._columns["position"][slot]))
        if self._places.get(place) == slot:
            del self._places[place]
        if prev[slot] != NOWHERE and following[prev[slot]] == slot:
            following[prev[slot]] = NOWHERE
        if following[slot] != NOWHERE and prev[following[slot]] == slot:
            prev[following[slot]] = NOWHERE
        prev[slot] = following[slot] = NOWHERE

    def _reserve(self, wanted: int) -> None:
        if wanted <= self._capacity:
            return
        capacity = max(wanted, self._capacity * 5 // 4, 8)
        for name, dtype, empty in _COLUMNS:
            grown = np.full(capacity, empty, dtype)
            grown[: self.n] = self._columns[name][: self.n]
            self._columns[name] = grown
        self.vectors.reserve(capacity, self.n)
        self._capacity = capacity


def is_question(content: str) -> bool:
    """Whether a text ends with a question mark."""
    return content.rstrip(" \"')]")[-1:] in ("?", "？", "؟")


def _place(source: int, position: int) -> int:
    """One number for a position in a conversation: a pair would take three times the memory."""
    return source << 32 | position & 0xFFFFFFFF


def _former_from(payload: Mapping[str, JsonValue]) -> float:
    """POSIX seconds; -inf for what is former already, inf for what has no end."""
    ends = None if (is_former := bool(former_since(payload, _LONG_AGO))) else former_since(payload, _FAR_AHEAD)
    return -np.inf if is_former else ends.timestamp() if ends else np.inf


def _turn_ids(payload: Mapping[str, Any]) -> set[str]:
    return set(map(str, payload.get("turn_ids") or ()))


def _metadata(payload: Mapping[str, Any]) -> Mapping[str, Any]:
    return payload.get("metadata") or {}


def _entities(payload: Mapping[str, JsonValue]) -> set[str]:
    return {str(name).casefold() for name in found} if isinstance(found := payload.get("entities"), list) else set()
