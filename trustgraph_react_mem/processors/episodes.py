"""The episodes service: stores and finds past tasks with their steps, outcome and lessons."""

from .operations.episodes import EpisodeOperations
from .service import MemoryProcessor

default_ident = "agent-episodes"


class Processor(MemoryProcessor):
    service = default_ident
    served = (EpisodeOperations,)


def run() -> None:
    Processor.launch(default_ident, __doc__)
