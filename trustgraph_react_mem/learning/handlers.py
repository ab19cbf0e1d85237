"""The table of kinds of job and who does them."""

from collections.abc import Mapping

from ..erasure.forget import ForgetHandler
from ..jobs.delivery import Handler
from ..memory.ports import JobKind
from ..migration.reembed import ReembedHandler
from .compact import CompactHandler
from .consolidate import ConsolidateHandler, InsightHandler
from .context import HandlerContext
from .episode import EpisodeHandler
from .extract import ExtractHandler
from .promote import PromoteHandler
from .record import RecordHandler
from .reflection import ReflectHandler
from .retain import RetainHandler
from .reward import OnReward, RewardHandler


def build_handlers(context: HandlerContext, on_reward: OnReward | None = None) -> Mapping[JobKind, Handler]:
    """One handler a kind.  ``on_reward`` receives each reward row with the scope, for metrics."""
    return {
        "record": RecordHandler(context),
        "extract": ExtractHandler(context),
        "episode": EpisodeHandler(context),
        "promote": PromoteHandler(context),
        "reflect": ReflectHandler(context),
        "consolidate": ConsolidateHandler(context),
        "insight": InsightHandler(context),
        "compact": CompactHandler(context),
        "retain": RetainHandler(context),
        "forget": ForgetHandler(context.core, context.pauses),
        "reward": RewardHandler(context.core, on_reward=on_reward),
        "reembed": ReembedHandler(context.core),
    }
