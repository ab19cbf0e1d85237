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


def build_handlers(context: HandlerContext) -> Mapping[JobKind, Handler]:
    """One handler a kind; ``reward`` only when the workshop has one."""
    table: dict[JobKind, Handler] = {
        "record": RecordHandler(context),
        "extract": ExtractHandler(context),
        "episode": EpisodeHandler(context),
        "promote": PromoteHandler(context),
        "reflect": ReflectHandler(context),
        "consolidate": ConsolidateHandler(context),
        "insight": InsightHandler(context),
        "compact": CompactHandler(context),
        "retain": RetainHandler(context),
        "forget": ForgetHandler(context),
        "reembed": ReembedHandler(context),
    }
    if context.reward is not None:
        table["reward"] = context.reward
    return table
