"""The table of kinds of job and who does them."""

from collections.abc import Mapping

from ..memory.ports import Job, JobKind
from .compact import CompactHandler
from .consolidate import ConsolidateHandler, InsightHandler
from .delivery import Handler, Outcome
from .episode import EpisodeHandler
from .extract import ExtractHandler
from .forget import ForgetHandler
from .promote import PromoteHandler
from .prospective import ReflectHandler
from .record import RecordHandler
from .retain import RetainHandler
from .workshop import Workshop


async def no_operation(job: Job) -> Outcome:
    return Outcome()


def build_handlers(workshop: Workshop) -> Mapping[JobKind, Handler]:
    """One handler a kind; ``reward`` and ``reembed`` only when the workshop has them."""
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
        "noop": no_operation,
    }
    if workshop.reward is not None:
        table["reward"] = workshop.reward
    if workshop.reembed is not None:
        table["reembed"] = workshop.reembed
    return table
