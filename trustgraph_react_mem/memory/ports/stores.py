"""All ports of the graph in one object, for the composition root, and that of the files behind them."""

from dataclasses import dataclass
from typing import Protocol

from ..scope import Scope
from ..trust.owner_seal import OwnerSeal
from .graph import ConversationGraph, EpisodeGraph, FactGraph, RefinementGraph
from .jobs import JobStore
from .scopes import KeyRing, ScopeFence, SwitchStore, WeightStore


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
