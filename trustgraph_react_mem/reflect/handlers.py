"""The table of kinds of job and who does them."""

from collections.abc import Mapping

from ..memory.ports import JobKind
from .compact import CompactHandler
from .consolidate import ConsolidateHandler, InsightHandler
from .delivery import Handler
from .episode import EpisodeHandler
from .extract import ExtractHandler
from .forget import ForgetHandler
from .promote import PromoteHandler
from .prospective import ReflectHandler
from .record import RecordHandler
from .reembed import ReembedHandler
from .retain import RetainHandler
from .workshop import Workshop


def build_handlers(workshop: Workshop) -> Mapping[JobKind, Handler]:
    """One handler a kind; ``reward`` only when the workshop has one."""
    table: dict[JobKind, Handler] = {
        "record": RecordHandler(workshop),
        "extract": ExtractHandler(workshop),
        "episode": EpisodeHandler(workshop),
        "promote": PromoteHandler(workshop),
        "reflect": ReflectHandler(workshop),
        "consolidate": ConsolidateHandler(workshop),
        "insight": InsightHandler(workshop),
        "compact": CompactHandler(workshop),
        "retain": RetainHandler(workshop),
        "forget": ForgetHandler(workshop),
        "reembed": ReembedHandler(workshop),
    }
    if workshop.reward is not None:
        table["reward"] = workshop.reward
    return table
