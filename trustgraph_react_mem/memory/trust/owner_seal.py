"""Proofs of the owner of the data directory, made with a key that clients do not have.

A proof says that the owner's command line vouches for a request: for the name of the person who asks, for the release of a
record, or for the lines of an import.  It holds for the scope and the text that it was made for, and for an hour.  Whoever
copies it can only repeat that request.

A mark is stored with a record: the person with that name, verified by a proof, said these words.  Changed words lose it.
"""

import hmac
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Literal

from ..scope import Scope

Purpose = Literal["speaker", "release", "import", "record"]

VERIFIED = "verified"  # key of a record's metadata: the mark
PROOF_S = 3600.0  # how long a proof holds, on both sides of its time, because clocks differ
DIGITS = 32  # of a mark: 128 bits in hexadecimal


def derive_key(master_key: bytes, purpose: str) -> bytes:
    """32 bytes that depend on the master key and the purpose.  Keys of different purposes say nothing of each other."""
    return hmac.digest(master_key, b"purpose|" + purpose.encode(), "sha256")


class OwnerSeal:
    """Makes and checks proofs and marks.  ``master_key``: of the data directory, 32 bytes."""

    def __init__(self, master_key: bytes) -> None:
        self._key = derive_key(master_key, "speaker")

    def prove(self, purpose: Purpose, scope: Scope, *texts: str, at: datetime) -> str:
        """A proof for the request with these texts, such as the name of the person and the question."""
        made = str(int(at.timestamp()))
        return f"{made}.{self._code(purpose, scope, made, *texts)}"

    def prove_speaker(self, scope: Scope, speaker: str, said: str) -> str:
        """A proof, made now, that the verified person ``speaker`` said this."""
        return self.prove("speaker", scope, speaker, said, at=datetime.now(UTC))

    def accepts(self, proof: str, purpose: Purpose, scope: Scope, *texts: str, at: datetime) -> bool:
        """Whether the proof was made for this purpose, scope and texts, at most an hour from ``at``."""
        made, _, code = proof.partition(".")
        if not (made.isascii() and made.isdecimal() and len(made) <= 12) or abs(at.timestamp() - int(made)) > PROOF_S:
            return False
        return _equal(code, self._code(purpose, scope, made, *texts))

    def mark(self, scope: Scope, speaker: str, content: str) -> str:
        """The mark of words that a verified person said."""
        return self._code("record", scope, speaker, content)

    def person(self, scope: Scope, speaker: str, content: str, metadata: Mapping[str, Any] | None) -> str:
        """The name (case-folded) of the verified person who said a record.  "": nobody verified, all of them count as one."""
        marked = str((metadata or {}).get(VERIFIED) or "")
        return speaker.casefold() if marked and speaker and _equal(marked, self.mark(scope, speaker, content)) else ""

    def _code(self, purpose: Purpose, scope: Scope, *texts: str) -> str:
        said = json.dumps([purpose, scope.key, *texts]).encode()
        return hmac.digest(self._key, said, "sha256").hex()[:DIGITS]


def _equal(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode("utf-8", "replace"), other.encode())
