"""Whether the person said what the assistant stores by a tool.

The check is one of form, in every language: most of the fact's telling words are words of the person in this conversation, and
so is each of its numbers.  What a page, a mail or another person says is not the word of the one who quotes or pastes it.
"""

from collections.abc import Sequence
from dataclasses import replace

from ...bootstrap import MemoryServices
from ...learning.checks import unknown_numbers
from ...learning.dialogue import DialogueLine, lines_of
from ...learning.rules.words import Vocabulary, is_telling, split_words
from ...memory.requests import StoreFact
from ...memory.scope import Scope
from ...memory.text.pasted import without_quotations
from ...memory.timefmt import read_time
from ...memory.trust.owner_seal import VERIFIED

LAST_TURNS = 200  # of the conversation that are searched
LEAST_SAID = 0.6  # share of the fact's words that the person said; names of the speakers count as said


async def find_support(memory: MemoryServices, scope: Scope, request: StoreFact, *, verified_only: bool) -> DialogueLine | None:
    """The newest line of the person in this conversation with words of the fact.  None: they did not say it.

    ``verified_only``: only lines of verified persons count.
    """
    lines = [line for line in await _read_lines(memory, scope, request.source) if line.role == "user"]
    seal, now = memory.graph.owner_seal, memory.clock.now()
    if verified_only:
        lines = [line for line in lines if seal.person(scope, line.speaker, line.text, {VERIFIED: line.mark})]
    for turn in request.turns:
        if not verified_only or seal.accepts(request.proof, "speaker", scope, turn.speaker, turn.text, at=now):
            said_at = read_time("said_at", turn.said_at)
            lines.append(
                DialogueLine(role="user", speaker=turn.speaker, text=turn.text, turn_id="", invocation_id="", said_at=said_at)
            )
    lines = [replace(line, text=without_quotations(line.text)) for line in lines]
    wanted = [word for word in split_words(request.content) if is_telling(word)]
    said = Vocabulary()
    for line in lines:
        said.add(split_words(f"{line.speaker} {line.text}"))
    known = [word for word in wanted if word in said]
    if not known or len(known) < LEAST_SAID * len(wanted):
        return None
    newest = lines[-1].said_at
    if unknown_numbers(request.content, [line.text for line in lines], newest.date() if newest else None):
        return None
    spoken = [line for line in lines if not set(known).isdisjoint(split_words(line.text))]
    return (spoken or lines)[-1]


async def _read_lines(memory: MemoryServices, scope: Scope, conversation_id: str) -> Sequence[DialogueLine]:
    conversation = await memory.graph.conversations.get(scope, conversation_id, limit=1) if conversation_id else None
    if conversation is None:
        return ()
    last = 2 * conversation.turns + 1
    turns = await memory.graph.facts.turns_near(scope, conversation_id, max(0, last - LAST_TURNS), last)
    return lines_of(turns)
