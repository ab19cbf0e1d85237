"""Find the assistant's answers that repeat a record, so that a person who forgets the record can forget them, too.

Candidates are the answers to the turns that the record was made from, and the answers that the retriever finds for its words;
the scope is never scanned.  An answer repeats the record if it has most of its words and all of its numbers.
"""

import re
from collections.abc import Awaitable, Callable, Sequence

from ..indexing.tokenizer import terms
from ..memory.records import Fact, is_by_assistant, turn_id
from ..memory.scope import Scope
from ..repositories.facts import FactMemory

MOST_FORGOTTEN = 20  # records of one request that are looked for
MOST_REPEATS = 20
MOST_CHARS = 1000  # of a record that are looked for
REPEATED = 0.6  # share of the record's words that the answer must have
FEW_WORDS = 2  # of a record's own words are too few to be recognised in an answer to something else

Search = Callable[[str], Awaitable[Sequence[str]]]
"""Ids of the turns that are most similar to a text."""


async def find_repeats(facts: FactMemory, scope: Scope, ids: Sequence[str], search: Search) -> list[Fact]:
    """Active answers that repeat any of these records, without the records themselves."""
    found: dict[str, Fact] = {}
    for record in await facts.graph.get(scope, list(ids)[:MOST_FORGOTTEN]):
        sources = await facts.graph.get(scope, record.turn_ids)
        beside = [
            each for turn in (record, *sources) if turn.kind == "turn" for each in await _ids_of_answers(facts, scope, turn)
        ]
        similar = await search(record.content[:MOST_CHARS])
        for answer in await facts.graph.get(scope, list(dict.fromkeys([*beside, *similar]))):
            if (
                answer.id not in ids
                and answer.kind == "turn"
                and answer.status == "active"
                and is_by_assistant(answer.trust, answer.metadata)
                and repeats(answer.content, record.content, close=answer.id in beside)
            ):
                found[answer.id] = answer
    return list(found.values())[:MOST_REPEATS]


def repeats(answer: str, said: str, *, close: bool = False) -> bool:
    """Whether the answer repeats what was said.  ``close``: it is the answer to it.

    >>> repeats("You live in Bergen.", "I live in Bergen.")
    True
    >>> repeats("Bergen is a city in Norway.", "I live in Bergen.")
    False
    """
    wanted = set(terms(said[:MOST_CHARS]))
    if not wanted or (len(wanted) < FEW_WORDS and not close):
        return False
    numbers = set(re.findall(r"\d+", said[:MOST_CHARS]))
    if not numbers <= set(re.findall(r"\d+", answer)):
        return False
    return len(wanted & set(terms(answer))) / len(wanted) >= REPEATED


async def _ids_of_answers(facts: FactMemory, scope: Scope, turn: Fact) -> list[str]:
    """The answer of the same request, or in a transcript the next turn."""
    if turn.invocation_id:
        return [turn_id(scope, turn.source, turn.invocation_id, "answer")]
    return [
        following.id for following in await facts.graph.turns_near(scope, turn.source, turn.position + 1, turn.position + 1)
    ]
