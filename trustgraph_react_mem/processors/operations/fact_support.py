"""Whether the person said what the assistant stores by a tool.  The same check as for facts that a model extracts."""

from collections.abc import Sequence
from dataclasses import replace

from ...bootstrap import MemoryServices
from ...errors import ModelUnavailable
from ...indexing.text.statements import is_about_assistant
from ...learning.checks.grounding import GroundingCheck, word_share
from ...learning.dialogue import DialogueLine, number_lines
from ...memory.requests import StoreFact
from ...memory.scope import Scope
from ...memory.text.pasted import without_quotations
from ...memory.trust.owner_seal import VERIFIED
from ...schema import Turn
from ..service import read_time

LAST_TURNS = 200  # of the conversation that are searched
COMPARED = 8  # lines with the most words of the fact


async def find_support(
    memory: MemoryServices, scope: Scope, request: StoreFact, *, verified_only: bool
) -> tuple[DialogueLine, ...]:
    """The lines of the person in this conversation that support the fact; empty if there are none.

    ``verified_only``: only lines of verified persons count.  If the embedding model is needed and not available, nothing
    supports the fact.
    """
    lines = [line for line in await _read_lines(memory, scope, request.source) if line.role == "user"]
    if verified_only:
        seal = memory.graph.owner_seal
        lines = [line for line in lines if seal.person(scope, line.speaker, line.text, {VERIFIED: line.mark})]
    lines += [
        _running_line(turn) for turn in request.turns if not verified_only or _is_vouched(memory, scope, turn, request.proof)
    ]
    if is_about_assistant(request.content):
        return ()
    # A page, a mail or another person says what is quoted or pasted: that is not the word of the one who shows it.
    lines = [replace(line, text=without_quotations(line.text)) for line in lines]
    nearest = sorted(lines, key=lambda line: word_share(request.content, [line.text]), reverse=True)[:COMPARED]
    speakers = sorted({line.speaker for line in lines})
    try:
        supported = await GroundingCheck(memory.facts.embedder).is_supported(request.content, nearest, speakers=speakers)
    except ModelUnavailable:
        return ()
    return tuple(nearest[:1]) if supported else ()


async def _read_lines(memory: MemoryServices, scope: Scope, conversation_id: str) -> Sequence[DialogueLine]:
    conversation = await memory.graph.conversations.get(scope, conversation_id, limit=1) if conversation_id else None
    if conversation is None:
        return ()
    last = 2 * conversation.turns + 1
    turns = await memory.graph.facts.turns_near(scope, conversation_id, max(0, last - LAST_TURNS), last)
    return number_lines([turn for turn in turns if turn.status == "active"])


def _running_line(turn: Turn) -> DialogueLine:
    return DialogueLine(
        number=0,
        role="user",
        speaker=turn.speaker,
        text=turn.text,
        turn_id="",
        invocation_id="",
        said_at=read_time("said_at", turn.said_at),
    )


def _is_vouched(memory: MemoryServices, scope: Scope, turn: Turn, proof: str) -> bool:
    return memory.graph.owner_seal.accepts(proof, "speaker", scope, turn.speaker, turn.text, at=memory.clock.now())
