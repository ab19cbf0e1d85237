"""Dependencies of the job handlers, and the settings, model and data policy that apply to a job."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from ..jobs.pause_hooks import PauseHooks
from ..jobs.payload import read_flow
from ..memory.policies import DataPolicy, policy_of
from ..memory.ports import Job, LanguageModel
from ..memory.scope import Scope
from ..repositories.core import MemoryCore
from ..settings import AgentMemSettings, parse_job_settings
from .llm_call import BackgroundModel

ModelFor = Callable[[str, str], LanguageModel | None]
OnReward = Callable[[Scope, Mapping[str, float]], None]
SettingsFor = Callable[[str, str], AgentMemSettings]


@lru_cache(maxsize=256)
def _parse_settings(text: str) -> AgentMemSettings:
    """The settings that jobs carry: a job asks for them several times, and the jobs of a flow carry the same."""
    return parse_job_settings(json.loads(text))


@dataclass(frozen=True, slots=True, kw_only=True)
class HandlerContext:
    """Dependencies of the job handlers.

    ``model_for(workspace, flow)`` returns None if no language model is configured there.
    ``settings_for(workspace, flow)`` returns the current settings of the flow.
    """

    core: MemoryCore
    model_for: ModelFor
    settings_for: SettingsFor
    pauses: PauseHooks = field(default_factory=PauseHooks)
    on_reward: OnReward | None = None  # called with the scope and each reward row, for metrics

    def settings(self, job: Job) -> AgentMemSettings:
        """The settings stored in the job (those of its turn), or the flow's current settings if the job has none."""
        raw = job.payload.get("settings")
        if isinstance(raw, Mapping) and raw:
            return _parse_settings(json.dumps(raw))
        return self.settings_for(job.scope.workspace, read_flow(job))

    def understands(self, job: Job) -> bool:
        """Whether a language model is configured for the job's flow, and may say how memory must change."""
        return not self.settings(job).small_model and self.model_for(job.scope.workspace, read_flow(job)) is not None

    def model(self, job: Job) -> BackgroundModel:
        return BackgroundModel(
            model=self.model_for(job.scope.workspace, read_flow(job)),
            job_store=self.core.graph.job_store,
            clock=self.core.clock,
            scope=job.scope,
            daily_tokens=self.settings(job).daily_token_budget,
        )

    async def was_written(self, scope: Scope, ids: Sequence[str]) -> bool:
        """Whether an interrupted run of the same job has written one of these facts.

        Facts that it left without vectors are indexed now.
        """
        found = await self.core.facts.graph.get(scope, ids)
        if waiting := [fact.id for fact in found if not fact.indexed]:
            await self.core.facts.finish_indexing(scope, waiting)
        return bool(found)

    async def policy(self, job: Job) -> DataPolicy:
        settings, keyring = self.settings(job), self.core.graph.keyring
        return await policy_of(keyring, job.scope, personal_data=settings.personal_data, secrets=settings.secrets)
