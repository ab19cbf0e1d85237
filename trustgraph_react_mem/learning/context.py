"""What the handlers of background jobs work with, and what a job says about how it is to be done."""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass

from ..jobs.delivery import Handler
from ..jobs.payload import flow_of
from ..memory.policies import DataPolicy
from ..memory.ports import (
    ChangeNotifier,
    Clock,
    ConversationGraph,
    Job,
    JobStore,
    KeyRing,
    LanguageModel,
    ScopeFence,
    SwitchStore,
    WeightStore,
)
from ..memory.scope import Scope
from ..migration.backfill import Backfill
from ..repositories.episodes import EpisodeMemory
from ..repositories.facts import FactMemory
from ..settings import AgentMemSettings, parse_agent_mem
from .llm_call import BackgroundModel

ModelFor = Callable[[str, str], LanguageModel | None]
SettingsFor = Callable[[str, str], AgentMemSettings]
ScopesOf = Callable[[str], Awaitable[list[Scope]]]


def _nothing_runs(scope: Scope) -> AbstractAsyncContextManager[object]:
    return nullcontext()


async def _no_scopes(workspace: str) -> list[Scope]:
    return []


@dataclass(frozen=True, slots=True, kw_only=True)
class HandlerContext:
    """Stores, models and settings.  ``model_for(workspace, flow)`` is None when no language model is configured there."""

    facts: FactMemory
    episodes: EpisodeMemory
    conversations: ConversationGraph
    switches: SwitchStore
    weights: WeightStore
    job_store: JobStore
    keyring: KeyRing
    fence: ScopeFence
    notifier: ChangeNotifier
    clock: Clock
    model_for: ModelFor
    settings_for: SettingsFor
    scopes_of: ScopesOf = _no_scopes  # all scopes of a workspace that hold anything, for erasures
    quiet: Callable[[Scope], AbstractAsyncContextManager[object]] = _nothing_runs  # nothing of the scope runs inside
    paused: Callable[[Scope], AbstractAsyncContextManager[object]] = _nothing_runs  # no job of it that calls a model does
    reward: Handler | None = None
    backfill: Backfill | None = None  # while the embedding model changes

    def settings(self, job: Job) -> AgentMemSettings:
        """As they were when the turn was made; of the flow as it is now for a job that names none."""
        raw = job.payload.get("settings")
        if isinstance(raw, Mapping) and raw:
            return parse_agent_mem(raw, "the job's settings")
        return self.settings_for(job.scope.workspace, flow_of(job))

    def model(self, job: Job) -> BackgroundModel:
        return BackgroundModel(
            model=self.model_for(job.scope.workspace, flow_of(job)),
            job_store=self.job_store,
            clock=self.clock,
            scope=job.scope,
            daily_tokens=self.settings(job).daily_token_budget,
        )

    def policy(self, job: Job) -> DataPolicy:
        settings = self.settings(job)
        return DataPolicy(personal_data=settings.personal_data, secrets=settings.secrets, salt=job.scope.key)
