"""The records of one scope in memory, as columns, so that a query is scored against all of them at once.

Invariants:
- a slot belongs to one record for its whole life; a changed record gets a new slot, a removed one leaves a dead slot;
- every column has the same number of rows; rows of dead slots never reach a result;
- building a scope from all its points and building it point by point give the same scores.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..memory.keys import moment, spoken
from ..memory.language import names, terms
from ..memory.ports import IndexPoint, JsonValue, Matrix
from .bm25 import TermIndex
from .times import holds_number, speaks_of_time

NOWHERE = -1
KINDS = ("turn", "semantic", "procedural", "reflective", "topic", "episode")
_COLUMNS: tuple[tuple[str, Any, float], ...] = (
    ("alive", bool, 0),
    ("active", bool, 0),  # not superseded, not quarantined
    ("kind", np.int8, 0),
    ("speaker", np.int32, 0),
    ("source", np.int32, 0),
    ("position", np.int32, 0),
    ("prev", np.int32, NOWHERE),
    ("next", np.int32, NOWHERE),
    ("lengths", np.float32, 0),
    ("said_at", np.float64, 0),  # POSIX seconds
    ("valid_to", np.float64, np.inf),
    ("question", np.float32, 0),
    ("time_words", np.float32, 0),
    ("numbers", np.float32, 0),
    ("by_user", np.float32, 0),  # 1 said by a person, -1 by an assistant, 0 neither
    ("importance", np.float32, 0.5),
    ("uses", np.float32, 0),
)


@dataclass(frozen=True, slots=True)
class Links:
    """Record in slot ``fact[i]`` was made from the turn in slot ``turn[i]``."""

    fact: NDArray[np.int32]
    turn: NDArray[np.int32]


class HotScope:
    """Columns of one scope.  ``n`` counts slots, dead ones included.

    ``text`` and ``context`` are (n, d) float32; a record without a context key has its text there.
    """

    def __init__(self, dimension: int) -> None:
        self.dimension = dimension
        self.n = 0
        self.dead = 0
        self.ids: list[str] = []
        self.payloads: list[Mapping[str, JsonValue]] = []
        self.slots: dict[str, int] = {}
        self.words = TermIndex()
        self.speakers: dict[str, int] = {"": 0}
        self._spoken: dict[str, int] = {}
        self.sources: dict[str, int] = {}
        self.entity_slots: dict[str, list[int]] = {}
        self._languages: dict[str, int] = {}
        self._places: dict[tuple[int, int], int] = {}
        self._links: Links | None = None
        self._capacity = 0
        self._columns: dict[str, NDArray[Any]] = {name: np.empty(0, dtype) for name, dtype, _ in _COLUMNS}
        self._text: Matrix = np.empty((0, dimension), np.float32)
        self._context: Matrix = np.empty((0, dimension), np.float32)

    # ------------------------------------------------------------------------------------------------ reading

    def __len__(self) -> int:
        return self.n - self.dead

    def column(self, name: str) -> NDArray[Any]:
        """(n,) view of a column."""
        return self._columns[name][: self.n]

    @property
    def text(self) -> Matrix:
        return self._text[: self.n]

    @property
    def context(self) -> Matrix:
        return self._context[: self.n]

    @property
    def present_speakers(self) -> list[str]:
        """Names, in lower case, of those whose records are here now."""
        return [name for name, count in self._spoken.items() if name and count]

    @property
    def newest(self) -> float:
        """When its newest record was said, POSIX seconds; 0 when empty."""
        return float(self.column("said_at").max(initial=0.0, where=self.column("alive")))

    @property
    def language(self) -> str:
        """The language most records are in; for short queries that do not tell."""
        return max(self._languages, key=lambda code: self._languages[code]) if self._languages else "en"

    @property
    def links(self) -> Links:
        """Which records point to which turns; found anew after a change."""
        if self._links is None:
            fact, turn = [], []
            for slot, payload in enumerate(self.payloads):
                if self._columns["active"][slot]:
                    for turn_id in payload.get("turn_ids") or ():  # type: ignore[union-attr]
                        target = self.slots.get(str(turn_id))
                        if target is not None and target != slot:
                            fact.append(slot)
                            turn.append(target)
            self._links = Links(np.array(fact, np.int32), np.array(turn, np.int32))
        return self._links

    @property
    def bytes(self) -> int:
        """About how much memory the scope takes; text of the payloads is estimated."""
        return self._capacity * (8 * self.dimension + 64) + self.words.bytes + 1500 * len(self.ids)

    # ------------------------------------------------------------------------------------------------ changing

    def put(self, points: Iterable[IndexPoint]) -> None:
        """Insert or replace by id."""
        points = list(points)
        self._reserve(self.n + len(points))
        for point in points:
            self.remove([point.id])
            self._append(point)
        self._links = None
        if self.dead > 64 and self.dead * 2 > self.n:
            self._compact()

    def remove(self, ids: Sequence[str]) -> None:
        for record_id in ids:
            slot = self.slots.pop(record_id, None)
            if slot is None:
                continue
            self._columns["alive"][slot] = self._columns["active"][slot] = False
            self.dead += 1
            self.words.remove(slot)
            self._columns["lengths"][slot] = 0
            self._languages[str(self.payloads[slot].get("language") or "")] -= 1
            self._spoken[str(self.payloads[slot].get("speaker") or "").casefold()] -= 1
            for name in _entities(self.payloads[slot]):
                self.entity_slots[name].remove(slot)
            self._unlink(slot)
            self.payloads[slot] = {}
            self._links = None

    def _append(self, point: IndexPoint) -> None:
        slot, payload, columns = self.n, point.payload, self._columns
        p: Mapping[str, Any] = payload
        content = str(p.get("content") or p.get("goal") or "")
        speaker = str(p.get("speaker") or "")
        language = str(p.get("language") or "")
        rule = f" {p.get('condition') or ''} {p.get('action') or ''}" if p.get("kind") == "procedural" else ""
        self.n += 1
        self.ids.append(point.id)
        self.payloads.append(payload)
        self.slots[point.id] = slot
        self._text[slot] = point.vectors["text"]
        self._context[slot] = point.vectors.get("context", point.vectors["text"])
        said = moment(p.get("said_at")) or moment(p.get("valid_from")) or moment(p.get("created_at"))
        until = moment(p.get("valid_to"))
        kind = str(p.get("kind") or "semantic")
        row = {
            "alive": True,
            "active": (p.get("status") or "active") == "active",
            "kind": KINDS.index(kind) if kind in KINDS else KINDS.index("semantic"),
            "speaker": self.speakers.setdefault(speaker.casefold(), len(self.speakers)),
            "source": self.sources.setdefault(str(p.get("source") or ""), len(self.sources)),
            "position": int(p.get("position") or 0),
            "lengths": self.words.add(slot, terms(spoken(speaker, content) + rule, language or "auto")),
            "said_at": said.timestamp() if said else 0.0,
            "valid_to": until.timestamp() if until else np.inf,
            "question": content.rstrip(" \"')]")[-1:] in ("?", "？"),
            "time_words": speaks_of_time(content),
            "numbers": holds_number(content),
            "by_user": {"user": 1, "assistant": -1}.get(str(p.get("trust") or "user"), 0) if kind == "turn" else 0,
            "importance": float(p.get("importance", 0.5)),
            "uses": float(p.get("uses") or 0),
        }
        for name, value in row.items():
            columns[name][slot] = value
        self._languages[language] = self._languages.get(language, 0) + 1
        self._spoken[speaker.casefold()] = self._spoken.get(speaker.casefold(), 0) + 1
        for name in _entities(payload):
            self.entity_slots.setdefault(name, []).append(slot)
        if kind == "turn" and p.get("source"):
            self._link(slot, int(columns["source"][slot]), int(p.get("position") or 0))

    def _link(self, slot: int, source: int, position: int) -> None:
        prev, following = self._columns["prev"], self._columns["next"]
        self._places[source, position] = slot
        before = self._places.get((source, position - 1), NOWHERE)
        after = self._places.get((source, position + 1), NOWHERE)
        prev[slot], following[slot] = before, after
        if before != NOWHERE:
            following[before] = slot
        if after != NOWHERE:
            prev[after] = slot

    def _unlink(self, slot: int) -> None:
        prev, following = self._columns["prev"], self._columns["next"]
        place = (int(self._columns["source"][slot]), int(self.payloads[slot].get("position") or 0))  # type: ignore[arg-type]
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
        capacity = max(wanted, self._capacity * 3 // 2, 64)
        for name, dtype, empty in _COLUMNS:
            grown = np.full(capacity, empty, dtype)
            grown[: self.n] = self._columns[name][: self.n]
            self._columns[name] = grown
        for attribute in ("_text", "_context"):
            matrix = np.zeros((capacity, self.dimension), np.float32)
            matrix[: self.n] = getattr(self, attribute)[: self.n]
            setattr(self, attribute, matrix)
        self._capacity = capacity

    def _compact(self) -> None:
        """Give the room of dead slots back."""
        kept = [
            IndexPoint(
                id=self.ids[slot],
                vectors={"text": self._text[slot], "context": self._context[slot]},
                payload=self.payloads[slot],
            )
            for slot in self.slots.values()
        ]
        self.__init__(self.dimension)  # type: ignore[misc]
        self.put(kept)


def _entities(payload: Mapping[str, JsonValue]) -> set[str]:
    """Names a record is about: those found at extraction, else those written in it."""
    found = payload.get("entities")
    if isinstance(found, list) and found:
        return {str(name).casefold() for name in found}
    return names(str(payload.get("content") or ""))
