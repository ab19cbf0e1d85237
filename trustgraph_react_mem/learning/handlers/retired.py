"""Jobs of kinds that have no effect any more.  Stores of earlier versions may hold some that wait."""

from ...jobs.delivery import JobOutcome
from ...jobs.registry import job_handler
from ...memory.ports import Job
from ..context import HandlerContext


@job_handler("profile", queue="model")
class RetiredHandler:
    def __init__(self, context: HandlerContext) -> None:
        pass

    async def __call__(self, job: Job) -> JobOutcome:
        return JobOutcome(note="retired")
