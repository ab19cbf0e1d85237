"""Ports for the state of whole scopes (keys, fence, switches, ranking weights), and all ports of the graph together."""

from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from ..scope import Scope
from ..trust.owner_seal import OwnerSeal
from .graph import ConversationGraph, EpisodeGraph, FactGraph, RefinementGraph
from .jobs import JobStore


class KeyStore(Protocol):
    """Small secrets by scope and name, as the key ring wrapped them.  All processes of a deployment share one store.

    Nothing is cached: what one process destroyed is gone for all others at once.

    ``remains``: how long copies of a destroyed key may exist, as a sentence for receipts; "" if there are none.
    """

    @property
    def remains(self) -> str: ...

    async def read(self, scope: Scope, name: str) -> bytes | None: ...

    async def create(self, scope: Scope, name: str, value: bytes, admit: Callable[[], Awaitable[None]]) -> bytes:
        """Store the value unless the name exists.  Returns what is stored afterwards.

        ``admit``: is called when no ``destroy`` can come between it and the write.  What it raises prevents the write.
        """
        ...

    async def replace(self, scope: Scope, name: str, old: bytes, new: bytes) -> bool:
        """Compare and set.  False: the stored value is not ``old``.  No copy of ``old`` remains."""
        ...

    async def destroy(self, scope: Scope, name: str = "") -> bool:
        """Destroy one secret, or all of the scope if no name is given.  False: there was none."""
        ...

    async def scopes(self, workspace: str) -> list[Scope]:
        """Scopes of the workspace that have a secret, sorted."""
        ...


class KeyRing(Protocol):
    """The keys of each scope.  Data sealed with a key becomes unreadable when the key is destroyed.

    ``remains``: as ``KeyStore.remains``.
    """

    @property
    def remains(self) -> str: ...

    async def seal(self, scope: Scope, plain: bytes, *, binding: bytes = b"", turn: str = "") -> str:
        """Encrypt, as Base64.  Creates the keys of the scope if there are none.

        ``binding``: must be given again to open it.  ``turn``: id of the invocation whose words it holds, for ``forget``.

        Raises: ScopeChanged (the running task holds an invalid token of the scope.  Otherwise the follow-ups of a job could
            be sealed with a key that was created after the erasure, and survive it).
        """
        ...

    async def open(self, scope: Scope, sealed: str, *, binding: bytes = b"") -> bytes:
        """Decrypt.

        Raises: ScopeErased (the key was destroyed, or is another scope's), BadRequest (damaged, or another binding).
        """
        ...

    def read_sealing_time(self, sealed: str) -> datetime | None:
        """When it was sealed, to the second.  ``open`` verifies this.  None: unknown (version 0.1.0, or damaged)."""
        ...

    async def is_current(self, scope: Scope, sealed: str) -> bool:
        """False: seal it again, because ``forget`` may destroy its key."""
        ...

    async def hash_key(self, scope: Scope) -> bytes:
        """32 bytes for keyed hashes, derived from the scope's key: equal in all processes until that key is destroyed.

        Creates the key of the scope if there is none.  Raises: ScopeChanged (as ``seal``).
        """
        ...

    async def forget(self, scope: Scope, turns: Collection[str]) -> int:
        """Destroy the keys of these turns, and keys that are no longer used for sealing.

        What is sealed for other turns, and for none, stays readable.  Returns the number of turns that had a key.
        """
        ...

    async def destroy(self, scope: Scope) -> bool:
        """Destroy all keys of the scope.  False: it had none."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopeEpoch:
    """``number`` counts all erasures in a scope, ``erasures`` only those of the whole scope."""

    number: int
    erasures: int


@dataclass(slots=True)
class FencingToken:
    """The number of a scope when a writer started (``memory.fencing``).

    ``good_at``: time of the event loop, in seconds, of the last successful check.
    """

    scope: Scope
    number: int
    erasures: int
    good_at: float


class ScopeFence(Protocol):
    """Stops writers of all processes from writing, after an erasure, what they read before it.

    ``shared``: other processes may write too.
    """

    @property
    def shared(self) -> bool: ...

    async def claim(self, scope: Scope) -> FencingToken:
        """Issue a token.  Raises ScopeClosed (the scope is closed by an erasure or an undo)."""
        ...

    async def check(self, claim: FencingToken) -> None:
        """Raises ScopeChanged (the token is no longer valid)."""
        ...

    async def close(self, scope: Scope, *, erasing: bool, token: FencingToken | None = None) -> ScopeEpoch:
        """Invalidate all tokens, and issue none until ``reopen``.  ``erasing``: the whole scope is erased.

        ``token``: close only if this token is still valid.  Raises: ScopeChanged (it is not).
        """
        ...

    async def advance(self, token: FencingToken) -> None:
        """Invalidate every other token of the scope; this one stays valid, and the scope stays open.

        On return, all writes that passed the fence before are finished.  Raises: ScopeChanged (the token is invalid).
        """
        ...

    async def reopen(self, scope: Scope, epoch: ScopeEpoch) -> None:
        """End the ``close`` that returned this epoch.  A scope that was closed again since stays closed."""
        ...

    async def list_erased_since(self, at: datetime) -> list[tuple[Scope, datetime]]:
        """Scopes of all workspaces whose erasure started at or after ``at``, with the start times."""
        ...

    async def prune_erasures(self, before: datetime) -> None:
        """Remove the names of scopes erased before then, so that ``erased_since`` omits them.  Their numbers stay."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Switches:
    """Whether memory may be read and written, as chosen by the user."""

    read: bool = True
    write: bool = True


class SwitchStore(Protocol):
    """The switches of a user, for all conversations and for single ones."""

    async def get(self, scope: Scope, conversation_id: str = "") -> Switches:
        """The effective switches: on only if both the user's and the conversation's are on."""
        ...

    async def set(self, scope: Scope, switches: Switches, conversation_id: str = "") -> None:
        """Empty ``conversation_id``: for all conversations of the scope."""
        ...

    async def listing(self, scope: Scope) -> Mapping[str, Switches]:
        """The stored switches by conversation id; "" is the user's."""
        ...

    async def forget_scope(self, scope: Scope) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredWeights:
    version: int
    profile: str
    dimension: int
    blob: bytes
    updated_at: datetime


ALL_REWARDS = 10**9


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedReward:
    job_id: str
    at: datetime
    row: Mapping[str, float]


class WeightStore(Protocol):
    """Reranker weights of a scope, versioned by compare-and-set, and the log of rewards."""

    async def load(self, scope: Scope) -> StoredWeights | None: ...

    async def save(self, scope: Scope, weights: StoredWeights, *, expected_version: int) -> None:
        """Raises Conflict (the stored version is not ``expected_version``; 0 = nothing is stored)."""
        ...

    async def log_reward(self, scope: Scope, at: datetime, row: Mapping[str, float], job_id: str) -> None:
        """Log one row per rewarded turn (reward, citation_rate, weight_norm, bank_size).  Idempotent by job id."""
        ...

    async def reward_log(self, scope: Scope, *, limit: int = ALL_REWARDS) -> list[LoggedReward]:
        """The newest ``limit`` rows, oldest first."""
        ...

    async def forget_scope(self, scope: Scope) -> None: ...


class ScopeDirectory(Protocol):
    async def scopes(self, workspace: str) -> list[Scope]:
        """Scopes of the workspace that contain any data, sorted.  For erasing a user or a workspace."""
        ...

    async def of_user(self, workspace: str, user: str) -> list[Scope]:
        """Those of exactly this user, sorted."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphPorts:
    """The ports that a graph engine implements."""

    facts: FactGraph
    episodes: EpisodeGraph
    conversations: ConversationGraph
    refinements: RefinementGraph
    job_store: JobStore
    weights: WeightStore
    switches: SwitchStore
    keyring: KeyRing
    owner_seal: OwnerSeal
    scopes: ScopeDirectory
    fence: ScopeFence


class Rewritable(Protocol):
    """An engine whose files can be rewritten.  ``remains``: what may be left afterwards, as a sentence; "" if nothing."""

    @property
    def remains(self) -> str: ...

    async def rewrite(self) -> None: ...
