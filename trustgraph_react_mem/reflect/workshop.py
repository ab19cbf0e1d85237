"""What the handlers of background jobs work with, and what a job says about how it is to be done."""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass
from datetime import datetime

from ..errors import BadRequest
from ..memory.episodes import EpisodeMemory
from ..memory.facts import FactMemory
from ..memory.keys import moment
from ..memory.moving import Mover
from ..memory.policies import DataPolicy
from ..memory.ports import (
    ChangeNotifier,
    Clock,
    ConversationGraph,
    Epochs,
    Job,
    JobLedger,
    JsonValue,
    KeyRing,
    LanguageModel,
    SwitchStore,
    WeightStore,
)
from ..memory.scope import Scope
from ..settings import AgentMemSettings, parse_agent_mem
from .asking import BackgroundModel
from .delivery import Handler

ModelFor = Callable[[str, str], LanguageModel | None]
SettingsFor = Callable[[str, str], AgentMemSettings]
ScopesOf = Callable[[str], Awaitable[list[Scope]]]


def _nothing_runs(scope: Scope) -> AbstractAsyncContextManager[object]:
    return nullcontext()


async def _no_scopes(workspace: str) -> list[Scope]:
    return []


@dataclass(frozen=True, slots=True, kw_only=True)
class Workshop:
    """Stores, models and settings.  ``model_for(workspace, flow)`` is None when no language model is configured there."""

    facts: FactMemory
    episodes: EpisodeMemory
    conversations: ConversationGraph
    switches: SwitchStore
    weights: WeightStore
    ledger: JobLedger
    keyring: KeyRing
    epochs: Epochs
    notifier: ChangeNotifier
    clock: Clock
    model_for: ModelFor
    settings_for: SettingsFor
    scopes_of: ScopesOf = _no_scopes  # all scopes of a workspace that hold anything, for erasures
    quiet: Callable[[Scope], AbstractAsyncContextManager[object]] = _nothing_runs  # nothing of the scope runs inside
    paused: Callable[[Scope], AbstractAsyncContextManager[object]] = _nothing_runs  # no job of it that calls a model does
    reward: Handler | None = None
    mover: Mover | None = None  # while the embedding model changes

    def settings(self, job: Job) -> AgentMemSettings:
        """As they were when the turn was made; of the flow as it is now for a job that names none."""
        raw = job.payload.get("settings")
        if isinstance(raw, Mapping) and raw:
            return parse_agent_mem(raw, "the job's settings")
        return self.settings_for(job.scope.workspace, flow_of(job))

    def model(self, job: Job) -> BackgroundModel:
        return BackgroundModel(
            model=self.model_for(job.scope.workspace, flow_of(job)),
            ledger=self.ledger,
            clock=self.clock,
            scope=job.scope,
            daily_tokens=self.settings(job).daily_token_budget,
        )

    def policy(self, job: Job) -> DataPolicy:
        settings = self.settings(job)
        return DataPolicy(personal_data=settings.personal_data, secrets=settings.secrets, salt=job.scope.key)


def flow_of(job: Job) -> str:
    return str(job.payload.get("flow") or "default")


def text_of(job: Job, key: str, *, needed: bool = False) -> str:
    """A string of the payload.  Raises BadRequest: it is needed and missing, or no string."""
    value = job.payload.get(key)
    if value is None or value == "":
        if needed:
            raise BadRequest(f"a job of kind {job.kind!r} needs {key!r} in its payload")
        return ""
    if not isinstance(value, str):
        raise BadRequest(f"{key!r} of a job of kind {job.kind!r} must be a string, not {type(value).__name__}")
    return value


def number_of(job: Job, key: str, default: int) -> int:
    value = job.payload.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int):
        raise BadRequest(f"{key!r} of a job of kind {job.kind!r} must be a whole number, not {type(value).__name__}")
    return value


def time_of(job: Job, key: str) -> datetime:
    """A time of the payload; the job's own when it is missing or unreadable."""
    return moment(job.payload.get(key)) or job.created_at


def carried(job: Job) -> dict[str, JsonValue]:
    """What every job that follows takes along."""
    return {key: job.payload[key] for key in ("flow", "settings") if key in job.payload}
