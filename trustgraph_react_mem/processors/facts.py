"""The facts service: stores long-term memories and retrieves them, with a ranking that learns from citations."""

from .operations.fact_reading import FactReading
from .operations.fact_writing import FactWriting
from .service import MemoryProcessor

default_ident = "agent-facts"


class Processor(MemoryProcessor):
    service = default_ident
    served = (FactReading, FactWriting)


def run() -> None:
    Processor.launch(default_ident, __doc__)
