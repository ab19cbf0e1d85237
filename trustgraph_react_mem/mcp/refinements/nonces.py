"""Nonces: they bind a text that a client's model wrote to the prompt that it answers.

A nonce is a digest over the user and collection, the session and its state, the phase, and the text that the prompt is about.
Nothing is stored, so a nonce outlives a restart of every process.  It is good for one step: any step of the session changes
its state.  It is no credential: the key of the request decides whose session it is.
"""

import hashlib
import hmac
import json
import re
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime

from ...errors import RefinementError
from ...memory.digest import content_digest
from ...memory.records import derived_id
from ...memory.scope import Scope

MARK_BYTES, DIGITS = 12, 32  # the nonce is short, because a language model copies it
MOST_NONCE = 200
_FORM = re.compile(r"(?P<at>\d{1,15})\.(?P<mark>[\w-]{16})\.(?P<confirm>[01])\.(?P<digest>[0-9a-f]{32})", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """What a prompt was made for.  ``state``: number of events of the session.  ``about``: the question of a draft, the text
    that a critique judges, the critique that a revision follows."""

    scope: Scope
    session_id: str
    conversation_id: str
    companion_type: str
    phase: str
    state: int
    about: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Nonce:
    """``confirm``: the prompt was asked for with a confirmation.  ``at``: when, Unix time in milliseconds."""

    at: int
    mark: str
    confirm: bool
    digest: str

    def event_id(self, scope: Scope, session_id: str, phase: str, answer: str) -> str:
        """The id of the event that the answer becomes, so that an answer that is sent twice is stored once."""
        return derived_id("refinement", scope.key, session_id, phase, self.mark, content_digest(answer))

    def belongs_to(self, stage: Stage) -> bool:
        return hmac.compare_digest(self.digest, _digest(stage, str(self.at), self.mark, str(int(self.confirm))))

    def elapsed_ms(self) -> int:
        return min(max(0, _now_ms() - self.at), 10**9)


def make_nonce(stage: Stage, *, confirm: bool) -> str:
    parts = (str(_now_ms()), secrets.token_urlsafe(MARK_BYTES), str(int(confirm)))
    return ".".join([*parts, _digest(stage, *parts)])


def read_nonce(text: str) -> Nonce:
    """Raises: RefinementError (nonce_mismatch: it is none)."""
    found = _FORM.fullmatch(text)
    if found is None:
        raise mismatch()
    return Nonce(at=int(found["at"]), mark=found["mark"], confirm=found["confirm"] == "1", digest=found["digest"])


def mismatch() -> RefinementError:
    return RefinementError(
        "the nonce does not belong to this step: give the session, the query, the companion_type and the conversation_id that "
        "its prompt was asked for with; if the session has changed since, ask for the prompt again",
        code="nonce_mismatch",
    )


def _digest(stage: Stage, *parts: str) -> str:
    what = (stage.session_id, stage.conversation_id, stage.companion_type, stage.phase, stage.state, stage.about)
    bound = (stage.scope.key, *what, *parts)
    return hashlib.sha256(json.dumps(bound).encode()).hexdigest()[:DIGITS]


def _now_ms() -> int:
    return int(datetime.now(UTC).timestamp() * 1000)
