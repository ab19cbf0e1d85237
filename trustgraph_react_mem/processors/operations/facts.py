"""What the facts service does for each request: one call of the rules, and its result as a response."""

from ...bootstrap import MemoryServices
from ...settings import AgentMemSettings
from ..service import Operations
from .fact_learning import FactLearning
from .fact_reading import FactReading
from .fact_writing import FactWriting


def fact_operations(memory: MemoryServices, settings: AgentMemSettings, flow: str) -> Operations:
    """For one flow: ``settings`` are that flow's."""
    return {
        **FactReading(memory, settings).table(),
        **FactWriting(memory, settings).table(),
        **FactLearning(memory, settings, flow).table(),
    }
