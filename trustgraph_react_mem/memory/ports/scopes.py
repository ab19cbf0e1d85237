"""What belongs to a scope as a whole: its key, its fence, switches, weights."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from ..scope import Scope


class KeyRing(Protocol):
    """One symmetric key a scope.  Destroying it makes unreadable whatever was sealed with it."""

    async def seal(self, scope: Scope, plain: bytes) -> str:
        """Creates the scope's key when there is none.  Base64.

        Raises ScopeChanged under a token of the scope that is good no longer: what follows from a job must not be sealed with
        the key that was made after the scope's erasure.
        """
        ...

    async def open(self, scope: Scope, sealed: str) -> bytes:
        """Raises ScopeErased when the key is gone or another."""
        ...

    async def destroy(self, scope: Scope) -> bool: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopeEpoch:
    """``number`` rises with each forgetting in a scope, ``erasures`` with each of the whole scope."""

    number: int
    erasures: int


@dataclass(slots=True)
class FencingToken:
    """A scope's number when a writer began, and the event loop's time in seconds when it was last found good.

    See ``memory.fencing``.
    """

    scope: Scope
    number: int
    erasures: int
    good_at: float


class ScopeFence(Protocol):
    """Keeps writers of all processes from writing after a forgetting what they read before it.

    ``shared``: other processes may write, too.
    """

    @property
    def shared(self) -> bool: ...

    async def claim(self, scope: Scope) -> FencingToken:
        """Raises ScopeClosed while something of the scope is being forgotten."""
        ...

    async def check(self, claim: FencingToken) -> None:
        """Raises ScopeChanged when the token is good no longer."""
        ...

    async def close(self, scope: Scope, *, erasing: bool, token: FencingToken | None = None) -> ScopeEpoch:
        """No token is given until ``reopen``, and none that was given is good any longer.  ``erasing``: the whole scope.

        ``token``: only while it is good.  Raises: ScopeChanged.
        """
        ...

    async def advance(self, token: FencingToken) -> None:
        """Every other token of the scope is refused from now on; this one stays good, and the scope stays open.

        Writes that were let through before are done on return.  Raises: ScopeChanged (the token is good no longer).
        """
        ...

    async def reopen(self, scope: Scope, epoch: ScopeEpoch) -> None:
        """What ``close`` answered with that epoch ends; a scope that somebody has closed since stays closed."""
        ...

    async def erased_since(self, at: datetime) -> list[tuple[Scope, datetime]]:
        """Scopes of all workspaces whose erasure began since then, with that time."""
        ...

    async def forget_names(self, before: datetime) -> None:
        """Scopes erased before then are no longer told by ``erased_since``; their numbers stay."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Switches:
    """A person's lasting choice; for a whole user when ``conversation_id`` is empty."""

    read: bool = True
    write: bool = True


class SwitchStore(Protocol):
    async def get(self, scope: Scope, conversation_id: str = "") -> Switches:
        """Both what holds for the user and for the conversation must allow."""
        ...

    async def set(self, scope: Scope, switches: Switches, conversation_id: str = "") -> None: ...

    async def listing(self, scope: Scope) -> Mapping[str, Switches]:
        """What was chosen, each by itself, by conversation; "" is the user's."""
        ...

    async def forget_scope(self, scope: Scope) -> int: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredWeights:
    version: int
    profile: str
    dimension: int
    blob: bytes
    updated_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedReward:
    job_id: str
    at: datetime
    row: Mapping[str, float]


class WeightStore(Protocol):
    """Reranker weights of a scope: one writer, versioned."""

    async def load(self, scope: Scope) -> StoredWeights | None: ...

    async def save(self, scope: Scope, weights: StoredWeights, *, expected_version: int) -> None:
        """Raises Conflict when the stored version is another (0 = none stored)."""
        ...

    async def log_reward(self, scope: Scope, at: datetime, row: Mapping[str, float], job_id: str) -> None:
        """One row per rewarded turn: reward, citation_rate, weight_norm, bank_size.  Once per job id."""
        ...

    async def reward_log(self, scope: Scope) -> list[LoggedReward]:
        """All of them, oldest first; for an export."""
        ...

    async def rewards(self, scope: Scope, *, limit: int = 1000) -> list[Mapping[str, float]]:
        """Oldest first."""
        ...

    async def forget_scope(self, scope: Scope) -> int: ...
