"""What the key store holds for a scope: a key for hashes, and the keys of sealed data in one or more generations."""

import base64
import hmac
import json
import secrets
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from .master import KEY_BYTES
from .punctured import PuncturedKey

HASH_LABEL = b"hashes of personal data"  # what the derived key is for
ID_BYTES, TAG_BYTES = 8, 5
NO_TURN = bytes(TAG_BYTES)  # the tag of data that belongs to no turn
LARGE_BYTES = 64 * 1024  # of a generation; a larger one is used for opening only
#: How long a former generation is kept for messages that still wait in the topic.
FORMER_KEPT = timedelta(days=7)
OLD_KEPT = timedelta(days=30)  # how long the key of version 0.1.0 opens what it sealed


@dataclass(frozen=True, slots=True)
class Generation:
    """Keys of sealed data.  ``rest``: for what belongs to no turn.  ``turns``: a key for each turn."""

    id: bytes = field(default_factory=lambda: secrets.token_bytes(ID_BYTES))
    rest: bytes = field(default_factory=lambda: secrets.token_bytes(KEY_BYTES))
    turns: PuncturedKey = field(default_factory=PuncturedKey.generate)

    @property
    def name(self) -> str:
        """Its name in the key store when it is a former one."""
        return f"former-{self.id.hex()}"

    def key(self, tag: bytes) -> bytes | None:
        """None: the turn was forgotten."""
        return self.rest if tag == NO_TURN else self.turns.key(tag)

    def forget(self, tags: Collection[bytes]) -> "Generation":
        return replace(self, turns=self.turns.puncture(tags))

    def to_bytes(self) -> bytes:
        return self.id + self.rest + self.turns.to_bytes()

    @classmethod
    def from_bytes(cls, data: bytes) -> "Generation":
        end = ID_BYTES + KEY_BYTES
        return cls(data[:ID_BYTES], data[ID_BYTES:end], PuncturedKey.from_bytes(data[end:]))


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopeSecret:
    """The secret of a scope.

    ``current``: the generation for sealing.  ``former``: names of earlier ones with the times at which they were replaced.
    ``old``: the scope's key of version 0.1.0, until ``old_until`` or the first erasure.
    ``stored``: False if it must be stored before its first use.
    """

    hash_key: bytes = field(default_factory=lambda: secrets.token_bytes(KEY_BYTES))
    current: Generation = field(default_factory=Generation)
    former: Mapping[str, datetime] = field(default_factory=dict)
    old: bytes = b""
    old_until: datetime | None = None
    stored: bool = False

    def to_bytes(self) -> bytes:
        parts = {"hash": self.hash_key, "current": self.current.to_bytes(), "old": self.old}
        text = {name: base64.b64encode(part).decode() for name, part in parts.items()}
        times = {name: at.isoformat() for name, at in self.former.items()}
        until = self.old_until.isoformat() if self.old_until else ""
        return json.dumps({**text, "former": times, "old_until": until}).encode()

    @classmethod
    def from_bytes(cls, data: bytes) -> "ScopeSecret":
        if len(data) == KEY_BYTES:  # of version 0.1.0
            return cls(hash_key=hmac.digest(data, HASH_LABEL, "sha256"), old=data)
        read = json.loads(data)
        hash_key, current, old = (base64.b64decode(read[name]) for name in ("hash", "current", "old"))
        former = {name: datetime.fromisoformat(at) for name, at in read["former"].items()}
        until = datetime.fromisoformat(read["old_until"]) if read["old_until"] else None
        generation = Generation.from_bytes(current)
        return cls(hash_key=hash_key, current=generation, former=former, old=old, old_until=until, stored=True)
