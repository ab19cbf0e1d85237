"""Divides the model's context window among the parts of the prompt.

Invariant: the rendered prompt and the reserve for the answer fit the window, for windows from 1,024 tokens.
"""

from dataclasses import dataclass

from ..settings import AgentMemSettings

LONGEST_RESERVE = 1024  # tokens for the answer
TEMPLATE_TOKENS = 444  # constant parts of ``agent-react-mem`` for any model, measured in tests/unit/test_turn_window.py
RULE_LINE_TOKENS = 95  # what the lines that change rules add
SMALLEST_FOR_RULES = 2048  # tokens of a window in which they have room
SMALL_MODEL_TOKENS = 290  # what ``small-model`` adds
MEMORY_SHARE, EXCHANGES_SHARE, CONTEXT_SHARE, TOOLS_SHARE = 0.22, 0.16, 0.12, 0.2
QUESTION_SHARE = 0.6  # of what memory, instructions and tools leave


@dataclass(frozen=True, slots=True, kw_only=True)
class Shares:
    """Limits in tokens.  ``room``: what the constant parts and the answer leave.

    ``rule_lines``: whether the model may change the rules of the user, and there is room to say how.
    """

    room: int
    memory: int
    exchanges: int
    context: int
    tools: int
    trace: int
    rule_lines: bool


def divide(settings: AgentMemSettings) -> Shares:
    """The limits for a window.  ``memory-budget`` and ``working-memory-threshold`` are upper limits."""
    window = settings.context_window
    rule_lines = window >= SMALLEST_FOR_RULES and not settings.small_model
    fixed = TEMPLATE_TOKENS + RULE_LINE_TOKENS * rule_lines + SMALL_MODEL_TOKENS * settings.small_model
    room = max(0, window - min(LONGEST_RESERVE, window // 4) - fixed)
    return Shares(
        room=room,
        memory=min(settings.memory_budget, int(room * MEMORY_SHARE)),
        exchanges=min(settings.memory_budget, int(room * EXCHANGES_SHARE)),
        context=int(room * CONTEXT_SHARE),
        tools=int(room * TOOLS_SHARE),
        trace=min(settings.working_memory_threshold, room // 3),
        rule_lines=rule_lines,
    )
