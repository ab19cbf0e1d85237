"""Nonces: they bind a text that a client's model wrote to the prompt that it answers.

A nonce has the time of the prompt, a random mark, whether a confirmation was given, and a digest of these and of the stage: the
user and collection, the session and its state, the phase, and the text that the prompt is about.  Nothing is stored, so a nonce
outlives a restart of every process.  It is good for one step: any step of the session changes its state.  It is no credential:
the key of the request decides whose session it is.
"""

import hashlib
import hmac
import json
import re
import secrets
from dataclasses import astuple, dataclass
from datetime import UTC, datetime

from ...errors import RefinementError
from ...memory.digest import content_digest
from ...memory.records import derived_id

MOST_NONCE = 200
_FORM = re.compile(r"(?P<head>(?P<at>\d{1,15})\.(?P<mark>[\w-]{16})\.(?P<confirm>[01]))\.(?P<digest>[0-9a-f]{32})", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """What a prompt was made for.  ``scope``: its key.  ``state``: number of events of the session.  ``about``: the question of
    a draft, the text that a critique judges, the critique that a revision follows."""

    scope: str
    session_id: str
    conversation_id: str
    companion_type: str
    phase: str
    state: int
    about: str


class Nonce:
    """A nonce that a client sends.  Raises: RefinementError (nonce_mismatch: it is none)."""

    def __init__(self, text: str) -> None:
        found = _FORM.fullmatch(text)
        if found is None:
            raise mismatch()
        self._found = found
        self.confirm = found["confirm"] == "1"
        self.elapsed_ms = min(max(0, _now_ms() - int(found["at"])), 10**9)

    def event_id(self, scope: str, session_id: str, phase: str, answer: str) -> str:
        """The id of the event that the answer becomes, so that an answer that is sent twice is stored once."""
        return derived_id("refinement", scope, session_id, phase, self._found["mark"], content_digest(answer))

    def belongs_to(self, stage: Stage) -> bool:
        return hmac.compare_digest(self._found["digest"], _digest(stage, self._found["head"]))


def make_nonce(stage: Stage, *, confirm: bool) -> str:
    head = f"{_now_ms()}.{secrets.token_urlsafe(12)}.{int(confirm)}"  # short, because a language model copies it
    return f"{head}.{_digest(stage, head)}"


def mismatch() -> RefinementError:
    return RefinementError(
        "the nonce does not belong to this step: give the session, the query, the companion_type and the conversation_id that "
        "its prompt was asked for with; if the session has changed since, ask for the prompt again",
        code="nonce_mismatch",
    )


def _digest(stage: Stage, head: str) -> str:
    return hashlib.sha256(json.dumps([*astuple(stage), head]).encode()).hexdigest()[:32]


def _now_ms() -> int:
    return int(datetime.now(UTC).timestamp() * 1000)
