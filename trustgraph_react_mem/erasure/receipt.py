"""The receipt of an erasure: how many records it found, removed and left, by place."""

import json
from collections import Counter
from dataclasses import dataclass, field
from typing import Literal, get_args

from ..errors import BadRequest
from ..memory.ports import JsonValue
from ..repositories.erased_files import FILES

Level = Literal["record", "conversation", "collection", "user", "workspace"]
LEVELS: tuple[Level, ...] = get_args(Level)

KEY = "keys"  # the place of destroyed keys
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
    found: Counter[str] = field(default_factory=Counter)
    left: Counter[str] = field(default_factory=Counter)
    notes: tuple[str, ...] = NOTES
    files: JsonValue = None

    @property
    def complete(self) -> bool:
        return not any(self.left.values())

    def to_json(self) -> str:
        """The receipt as shown to users: found, removed and left by place, and the notes that apply.

        ``files``: ``{"state": "pending"}`` until the files of the engines were rewritten, then ``rewritten`` with the time.
        """
        places = {
            place: {
                "found": self.found[place],
                "removed": max(0, self.found[place] - self.left[place]),
                "left": self.left[place],
            }
            for place in sorted({*self.found, *self.left})
        }
        told: dict[str, JsonValue] = {"level": self.level, "complete": self.complete, "notes": list(self.notes)}
        if self.files is not None:
            told[FILES] = self.files
        return json.dumps({**told, "places": places}, sort_keys=True)
