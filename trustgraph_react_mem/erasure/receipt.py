"""The receipt of an erasure: how many records it found, removed and left, by place."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from ..errors import BadRequest

Level = Literal["record", "conversation", "collection", "user", "workspace"]
LEVELS: tuple[Level, ...] = get_args(Level)

KEY = "keys"  # the place of a scope's key
#: The limits of an erasure, part of every receipt.  The first note applies only if an encryption key was destroyed.
NOTES = (
    "individual messages cannot be deleted from the job topic; they are unreadable, because their key was destroyed",
    "backups, and request data that TrustGraph's own services log or store, are not erased",
)


def level_of(value: object) -> Level:
    """Raises BadRequest."""
    for level in LEVELS:
        if value == level:
            return level
    raise BadRequest(f"level {value!r} is unknown: one of {', '.join(LEVELS)}")


@dataclass(slots=True)
class Receipt:
    """Counts by place: ``graph.facts``, ``vectors.facts``, ``jobs``, ``weights``, ``keys``, ..."""

    level: Level
    found: dict[str, int] = field(default_factory=dict)
    left: dict[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def add_found(self, counts: Mapping[str, int]) -> None:
        for place, number in counts.items():
            self.found[place] = self.found.get(place, 0) + number

    def add_left(self, counts: Mapping[str, int]) -> None:
        for place, number in counts.items():
            self.left[place] = self.left.get(place, 0) + number

    @property
    def complete(self) -> bool:
        return not any(self.left.values())

    def to_json(self) -> str:
        """The receipt as shown to users: found, removed and left by place, and the notes that apply."""
        places = {
            place: {
                "found": self.found.get(place, 0),
                "removed": max(0, self.found.get(place, 0) - self.left.get(place, 0)),
                "left": self.left.get(place, 0),
            }
            for place in sorted({*self.found, *self.left})
        }
        notes = [note for note in self.notes if note != NOTES[0] or self.found.get(KEY)]
        return json.dumps({"level": self.level, "complete": self.complete, "places": places, "notes": notes}, sort_keys=True)
