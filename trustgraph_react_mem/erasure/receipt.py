"""The receipt of an erasure: how many records it found, removed and left, by place."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from ..errors import BadRequest
from ..memory.ports import JsonValue

Level = Literal["record", "conversation", "collection", "user", "workspace"]
LEVELS: tuple[Level, ...] = get_args(Level)

KEY = "keys"  # the place of destroyed keys
FILES = "files"  # the line about the files of the engines
#: The limits of an erasure, part of every receipt.
NOTES = (
    "messages cannot be deleted from the job topic; those with erased words are unreadable, because their keys were destroyed",
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
    notes: tuple[str, ...] = NOTES
    files: JsonValue = None

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
        """The receipt as shown to users: found, removed and left by place, and the notes that apply.

        ``files``: ``{"state": "pending"}`` until the files of the engines were rewritten, then ``rewritten`` with the time.
        """
        places = {
            place: {
                "found": self.found.get(place, 0),
                "removed": max(0, self.found.get(place, 0) - self.left.get(place, 0)),
                "left": self.left.get(place, 0),
            }
            for place in sorted({*self.found, *self.left})
        }
        told: dict[str, JsonValue] = {"level": self.level, "complete": self.complete, "notes": list(self.notes)}
        if self.files is not None:
            told[FILES] = self.files
        return json.dumps({**told, "places": places}, sort_keys=True)
