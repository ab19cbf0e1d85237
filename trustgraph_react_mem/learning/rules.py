"""Keeps the standing instructions of a person as rules, when the turn is recorded.

- A rule depends on its turn: forgetting or undoing the turn forgets or undoes the rule.
- A newer instruction about the same subject supersedes the former one.  The same instruction again adds its turn.
- In a memory that several people share, and in a conversation of several people, the rule holds only in that conversation.
"""

from collections import Counter
from dataclasses import replace

from ..indexing.tokenizer import terms
from ..memory.ports import Job
from ..memory.records import INSTRUCTION, ONLY_IN, Fact, derived_id, in_language, turn_id
from ..settings import is_personal
from .context import HandlerContext
from .instructions import Instruction, find_instructions, is_permission
from .invocation import FinishedTurn

MOST_RULES = 200  # of a scope that are compared with a new one
MOST_SPEAKERS_READ = 50  # newest exchanges in which other speakers are looked for
ALIKE = 0.6  # share of common words of two instructions about the same thing


async def keep_instructions(context: HandlerContext, job: Job, turn: FinishedTurn) -> Counter[str]:
    """Store the instructions in the question of a turn.  Counts ``rules`` and ``rules_superseded``."""
    counts: Counter[str] = Counter()
    found = find_instructions(turn.question)
    if not found:
        return counts
    facts, settings = context.core.facts, context.settings(job)
    only_in = turn.conversation_id if await _is_shared(context, job, turn) else ""
    known = await facts.graph.listing(job.scope, kinds=("procedural",), limit=MOST_RULES)
    known = [rule for rule in known if INSTRUCTION in rule.metadata and rule.metadata.get(ONLY_IN, "") == only_in]
    for number, instruction in enumerate(found):
        new = in_language(_rule(job, turn, instruction, number, only_in), settings.language)
        if await facts.graph.get(job.scope, [new.id]):
            continue  # the job is being repeated
        same = next((rule for rule in known if rule.content.casefold() == new.content.casefold()), None)
        if same is not None:
            joined = tuple(dict.fromkeys((*same.turn_ids, *new.turn_ids)))
            await facts.update(job.scope, replace(same, turn_ids=joined), by=job.id, trigger=job.trigger)
            continue
        former = [rule for rule in known if _replaces(new, rule)]
        if former:
            await facts.supersede(job.scope, [rule.id for rule in former], new, by=job.id, trigger=job.trigger)
        else:
            await facts.store(job.scope, [new], by=job.id, trigger=job.trigger)
        known = [rule for rule in known if rule not in former] + [new]
        counts["rules"] += 1
        counts["rules_superseded"] += len(former)
    return counts


async def _is_shared(context: HandlerContext, job: Job, turn: FinishedTurn) -> bool:
    """Whether it is not certain whose rule it would be."""
    scope = job.scope
    if not is_personal(context.settings(job), scope.user, scope.collection):
        return True
    talk = await context.core.graph.conversations.get(scope, turn.conversation_id, limit=MOST_SPEAKERS_READ)
    return any(each.speaker and each.speaker != turn.speaker for each in talk.invocations) if talk else False


def _rule(job: Job, turn: FinishedTurn, instruction: Instruction, number: int, only_in: str) -> Fact:
    return Fact(
        id=derived_id("rule", job.id, number),
        scope=job.scope,
        kind="procedural",
        content=instruction.text,
        created_at=job.created_at,
        trust="user",
        speaker=turn.speaker,
        source=turn.conversation_id,
        invocation_id=turn.invocation_id,
        said_at=turn.asked_at,
        valid_from=turn.asked_at,
        importance=0.9,
        turn_ids=(turn_id(job.scope, turn.conversation_id, turn.invocation_id, "question"),),
        condition=instruction.condition,
        action=instruction.action,
        job_id=job.id,
        trigger=job.trigger,
        metadata={INSTRUCTION: instruction.subject or "general", **({ONLY_IN: only_in} if only_in else {})},
    )


def _replaces(new: Fact, old: Fact) -> bool:
    """Whether two instructions of one person are about the same thing, so that only the newer one can hold."""
    if bool(new.condition) != bool(old.condition):
        return False
    subject = new.metadata[INSTRUCTION]
    if subject != old.metadata[INSTRUCTION]:
        return False
    if subject != "general" and not new.condition:
        return True
    mine, others = _significant(new), _significant(old)
    if not mine or not others:
        return False
    shared = len(mine & others)
    opposite = is_permission(new.content) != is_permission(old.content)
    return shared / (min(len(mine), len(others)) if opposite else len(mine | others)) >= ALIKE


def _significant(rule: Fact) -> set[str]:
    return set(terms(rule.content, "auto"))
