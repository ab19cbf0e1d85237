"""All ports of the graph in one object, for the composition root."""

from typing import Protocol

from ..scope import Scope
from ..trust.owner_seal import OwnerSeal
from .graph import ConversationGraph, EpisodeGraph, FactArchive, FactGraph, RefinementGraph
from .jobs import JobStore
from .scopes import KeyRing, ScopeFence, SwitchStore, WeightStore


class ScopeDirectory(Protocol):
    async def scopes(self, workspace: str) -> list[Scope]:
        """Scopes of the workspace that contain any data, sorted.  For erasing a user or a workspace."""
        ...

    async def of_user(self, workspace: str, user: str) -> list[Scope]:
        """Those of exactly this user, sorted."""
        ...


class GraphPorts(Protocol):
    """The ports that a graph engine implements."""

    @property
    def facts(self) -> FactGraph: ...
    @property
    def archive(self) -> FactArchive: ...
    @property
    def episodes(self) -> EpisodeGraph: ...
    @property
    def conversations(self) -> ConversationGraph: ...
    @property
    def refinements(self) -> RefinementGraph: ...
    @property
    def job_store(self) -> JobStore: ...
    @property
    def weights(self) -> WeightStore: ...
    @property
    def switches(self) -> SwitchStore: ...
    @property
    def keyring(self) -> KeyRing: ...
    @property
    def owner_seal(self) -> OwnerSeal: ...
    @property
    def scopes(self) -> ScopeDirectory: ...
    @property
    def fence(self) -> ScopeFence: ...
