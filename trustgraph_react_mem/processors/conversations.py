"""The conversations service: stores and returns the questions and answers of each conversation, and refinement sessions."""

from .operations.conversations import ConversationOperations
from .operations.refinements import RefinementOperations
from .service import MemoryProcessor

default_ident = "agent-conversations"


class Processor(MemoryProcessor):
    service = default_ident
    served = (ConversationOperations, RefinementOperations)


def run() -> None:
    Processor.launch(default_ident, __doc__)
