"""The operations of the facts service."""

from ...bootstrap import MemoryServices
from ...settings import AgentMemSettings
from ..service import Operations
from .fact_learning import FactLearning
from .fact_reading import FactReading
from .fact_writing import FactWriting


def fact_operations(memory: MemoryServices, settings: AgentMemSettings, flow: str) -> Operations:
    """All operations of the service, for one flow with its ``settings``."""
    return {
        **FactReading(memory, settings).table(),
        **FactWriting(memory, settings).table(),
        **FactLearning(memory, settings, flow).table(),
    }
