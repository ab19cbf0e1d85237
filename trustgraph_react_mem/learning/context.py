"""What the handlers of background jobs work with, and what a job says about how it is to be done."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from ..jobs.pause_hooks import PauseHooks
from ..jobs.payload import read_flow
from ..memory.policies import DataPolicy
from ..memory.ports import Job, LanguageModel
from ..memory.scope import Scope
from ..repositories.core import MemoryCore
from ..settings import AgentMemSettings, parse_agent_mem
from .llm_call import BackgroundModel

ModelFor = Callable[[str, str], LanguageModel | None]
OnReward = Callable[[Scope, Mapping[str, float]], None]
SettingsFor = Callable[[str, str], AgentMemSettings]


@dataclass(frozen=True, slots=True, kw_only=True)
class HandlerContext:
    """``model_for(workspace, flow)`` is None when no language model is configured there."""

    core: MemoryCore
    model_for: ModelFor
    settings_for: SettingsFor
    pauses: PauseHooks = field(default_factory=PauseHooks)
    on_reward: OnReward | None = None  # receives each reward row with the scope, for metrics

    def settings(self, job: Job) -> AgentMemSettings:
        """As they were when the turn was made; of the flow as it is now for a job that names none."""
        raw = job.payload.get("settings")
        if isinstance(raw, Mapping) and raw:
            return parse_agent_mem(raw, "the job's settings")
        return self.settings_for(job.scope.workspace, read_flow(job))

    def model(self, job: Job) -> BackgroundModel:
        return BackgroundModel(
            model=self.model_for(job.scope.workspace, read_flow(job)),
            job_store=self.core.graph.job_store,
            clock=self.core.clock,
            scope=job.scope,
            daily_tokens=self.settings(job).daily_token_budget,
        )

    def policy(self, job: Job) -> DataPolicy:
        settings = self.settings(job)
        return DataPolicy(personal_data=settings.personal_data, secrets=settings.secrets, salt=job.scope.key)
