"""What the job handlers depend on, and what a handler gets for each job: its settings, its model and its data policy."""

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from ..jobs.delivery import Handler, JobOutcome, read_flow, read_text
from ..jobs.registry import job_handler
from ..jobs.scope_gate import ScopeGate
from ..memory.policies import DataPolicy, policy_of
from ..memory.ports import Job, JobKind, LanguageModel
from ..memory.scope import Scope
from ..repositories.core import MemoryCore
from ..settings import AgentMemSettings, is_personal, parse_job_settings

ModelFor = Callable[[str, str], LanguageModel | None]
SettingsFor = Callable[[str, str], AgentMemSettings]


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """One job with what its handler needs.  ``model`` None: no language model is configured for the job's flow."""

    job: Job
    core: MemoryCore
    settings: AgentMemSettings
    model: LanguageModel | None

    @property
    def scope(self) -> Scope:
        return self.job.scope

    @property
    def understands(self) -> bool:
        """Whether a language model is configured, and may say how memory must change."""
        return not self.settings.small_model and self.model is not None

    @property
    def is_shared(self) -> bool:
        """Whether several people use the memory."""
        return not is_personal(self.settings, self.scope.user, self.scope.collection)

    async def policy(self) -> DataPolicy:
        keyring = self.core.graph.keyring
        return await policy_of(keyring, self.scope, self.settings.personal_data)


@dataclass(frozen=True, slots=True, kw_only=True)
class HandlerContext:
    """Dependencies of the job handlers.

    ``model_for(workspace, flow)`` returns None if no language model is configured there.
    ``settings_for(workspace, flow)`` returns the current settings of the flow.
    """

    core: MemoryCore
    model_for: ModelFor
    settings_for: SettingsFor
    gate: ScopeGate = field(default_factory=ScopeGate)

    def begin(self, job: Job) -> Work:
        """``settings``: those stored in the job (of its turn), or the flow's current settings if the job has none."""
        raw, flow = job.payload.get("settings"), read_flow(job)
        if isinstance(raw, Mapping) and raw:
            settings = _parse_settings(json.dumps(raw))
        else:
            settings = self.settings_for(job.scope.workspace, flow)
        model = self.model_for(job.scope.workspace, flow)
        return Work(job=job, core=self.core, settings=settings, model=model)


@lru_cache(maxsize=256)
def _parse_settings(text: str) -> AgentMemSettings:
    """The jobs of a flow carry the same settings."""
    return parse_job_settings(json.loads(text))


Learn = Callable[[Work], Awaitable[JobOutcome]]


def learns(kind: JobKind, **properties: Any) -> Callable[[Learn], Learn]:
    """Register a function as the handler of a kind (``jobs.registry.job_handler``)."""

    def register(run: Learn) -> Learn:
        def create(context: HandlerContext) -> Handler:
            async def handle(job: Job) -> JobOutcome:
                if properties.get("obeys_switch"):
                    conversation_id = read_text(job, "conversation_id", needed=True)
                    if not (await context.core.graph.switches.get(job.scope, conversation_id)).write:
                        return JobOutcome(counts={"switched_off": 1})
                return await run(context.begin(job))

            return handle

        job_handler(kind, **properties)(create)
        return run

    return register
