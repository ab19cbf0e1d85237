"""Keeps the standing instructions of a person as rules, when the turn is recorded.

- A rule depends on its turn: forgetting or undoing the turn forgets or undoes the rule.
- A newer instruction about the same subject supersedes the former one.  The same instruction again adds its turn.
- "You don't have to do that any more" ends the rule that it is about: its turn supersedes the rule.
- In a memory that several people share, and in a conversation of several people, the rule holds only in that conversation.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from ...indexing.tokenizer import guess_language, terms
from ...memory.ports import Job
from ...memory.records import INSTRUCTION, ONLY_IN, Fact, derived_id, in_language, turn_id
from ...memory.trust.owner_seal import VERIFIED
from ...settings import is_personal
from ..context import HandlerContext
from ..invocation import FinishedTurn
from .aspects import alike, is_about_answers, is_generic, is_permission, is_permitting, kinds_of, same_slot, subject_of, topics
from .instructions import Instruction, find_exceptions, find_instructions, is_lasting_relief
from .permissions import find_permissions, permitted_rules
from .revocations import Revocation, find_revocations, language_named
from .wordings.subjects import OPEN_SUBJECTS

MOST_RULES = 200  # of a scope that are compared with a new one
MOST_SPEAKERS_READ = 50  # newest exchanges in which other speakers are looked for
NAMED = 0.5  # share of the named words that are in the rule which is withdrawn
ALIKE = 0.6  # share of common words of two instructions about the same thing


async def keep_instructions(context: HandlerContext, job: Job, turn: FinishedTurn) -> Counter[str]:
    """Store the instructions in the question of a turn, and end those that it withdraws.

    Counts ``rules``, ``rules_superseded`` and ``rules_withdrawn``.
    """
    counts: Counter[str] = Counter()
    found, withdrawn = find_instructions(turn.question), find_revocations(turn.question)
    exceptions, permissions = find_exceptions(turn.question), find_permissions(turn.question)
    if not (found or withdrawn or exceptions or permissions):
        return counts
    facts, settings = context.core.facts, context.settings(job)
    only_in = turn.conversation_id if await _is_shared(context, job, turn) else ""
    known = await facts.graph.listing(job.scope, kinds=("procedural",), limit=MOST_RULES)
    known = [rule for rule in known if INSTRUCTION in rule.metadata and rule.metadata.get(ONLY_IN, "") == only_in]
    gone = [rule for each in withdrawn for rule in withdrawn_rules(each, known, turn.conversation_id)]
    narrowed: list[Instruction] = []
    for permission in permissions:
        about = permitted_rules(permission, known, turn.conversation_id)
        if about and not permission.asks:
            wanted = not permission.excepts and any(is_permission(rule.content) for rule in about)
            found = [each for each in found if each.text not in permission.text or (wanted and kinds_of(each.text.casefold()))]
        if permission.excepts:
            narrowed += [_with_exceptions(rule, [permission.text]) for rule in about]
        else:
            gone += about
    if gone:
        found = [each for each in found if not is_lasting_relief(each.text)]
        await _withdraw(context, job, turn, gone)
        known = [rule for rule in known if rule not in gone]
        counts["rules_withdrawn"] += len({rule.id for rule in gone})
    narrowed += _narrow(exceptions, found, known, turn.conversation_id)
    for number, instruction in enumerate([*found, *narrowed]):
        new = in_language(_rule(job, turn, instruction, number, only_in), settings.language)
        if turn.mark:
            mark = context.core.graph.owner_seal.mark(job.scope, new.speaker, new.content)
            new = replace(new, metadata={**new.metadata, VERIFIED: mark})
        if await facts.graph.get(job.scope, [new.id]):
            continue  # the job is being repeated
        same = next((rule for rule in known if rule.content.casefold() == new.content.casefold()), None)
        if same is not None:
            joined = tuple(dict.fromkeys((*same.turn_ids, *new.turn_ids)))
            await facts.update(job.scope, replace(same, turn_ids=joined), by=job.id, trigger=job.trigger)
            continue
        former = [rule for rule in known if replaces(new, rule) or new.content.startswith(f"{rule.content}, ")]
        if former:
            await facts.supersede(job.scope, [rule.id for rule in former], new, by=job.id, trigger=job.trigger)
        else:
            await facts.store(job.scope, [new], by=job.id, trigger=job.trigger)
        known = [rule for rule in known if rule not in former] + [new]
        counts["rules"] += 1
        counts["rules_superseded"] += len(former)
    return counts


def _narrow(
    exceptions: Sequence[str], found: Sequence[Instruction], known: Sequence[Fact], conversation_id: str
) -> list[Instruction]:
    """The newest instruction of this conversation with the exceptions that the person makes after it."""
    given = [(rule.said_at or rule.created_at, rule) for rule in known if rule.source == conversation_id]
    if not exceptions or not (found or given):
        return []
    if found:
        besides = ", ".join(["", *exceptions])
        return [replace(found[-1], text=found[-1].text + besides, action=found[-1].action + besides)]
    return [_with_exceptions(max(given, key=lambda each: each[0])[1], exceptions)]


def _with_exceptions(rule: Fact, exceptions: Sequence[str]) -> Instruction:
    besides = ", ".join(["", *exceptions])
    return Instruction(
        text=rule.content + besides,
        action=rule.action + besides,
        condition=rule.condition,
        subject=subject_of(rule.content),
    )


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


async def _withdraw(context: HandlerContext, job: Job, turn: FinishedTurn, gone: Sequence[Fact]) -> None:
    """The question supersedes the rules, so that undoing it makes them hold again."""
    facts = context.core.facts
    said = turn_id(job.scope, turn.conversation_id, turn.invocation_id, "question")
    for question in await facts.graph.get(job.scope, [said]):
        ids = list(dict.fromkeys(rule.id for rule in gone))
        await facts.supersede(job.scope, ids, question, by=job.id, trigger=job.trigger, at=turn.asked_at)


def withdrawn_rules(revocation: Revocation, known: Sequence[Fact], conversation_id: str) -> list[Fact]:
    """Which of the known rules end.  Empty if it is not clear which one is meant."""
    if revocation.reach == "all":
        return list(known)
    newest = sorted(known, key=lambda rule: (rule.said_at or rule.created_at, rule.id), reverse=True)
    here = [rule for rule in newest if rule.source == conversation_id]
    if revocation.reach == "that":
        return (here or (newest if len(newest) == 1 else []))[:1]
    if revocation.reach == "usual":
        of_form = [rule for rule in newest if _is_about_form(rule)]
        return [rule for rule in of_form if rule in here] or [
            rule for rule in of_form if rule.metadata[INSTRUCTION] != "language" or len(of_form) == 1
        ]
    if revocation.reach == "again":
        code, of_language = language_named(revocation.what), [r for r in newest if r.metadata[INSTRUCTION] == "language"]
        return [rule for rule in of_language if language_named(rule.content) != code or not is_permission(rule.content)]
    if revocation.reach in ("allowed", "unwanted"):
        newest = [rule for rule in newest if is_permission(rule.content) == (revocation.reach == "unwanted")]
    if revocation.reach == "mentioned":
        mentioned = [rule for rule in newest if is_permission(rule.content) and _agreement(rule.content, revocation.what) > 0]
        return mentioned if len(mentioned) == 1 else []
    scores = [(_agreement(revocation.what, rule.content, rule), rule) for rule in newest]
    best = max((score for score, _ in scores), default=0.0)
    return [rule for score, rule in scores if score == best >= NAMED]


def _is_about_form(rule: Fact) -> bool:
    """Whether the rule is about how answers look, rather than about what is done or when."""
    if rule.condition or rule.metadata[INSTRUCTION] == "name":
        return False
    return rule.metadata[INSTRUCTION] != "general" or is_about_answers(rule.content)


def _agreement(what: str, text: str, rule: Fact | None = None) -> float:
    """How much of what the person named is in a text, from 0 to 1.  The subject of the rule counts as half."""
    code = guess_language(text) or "auto"
    named, given = topics(what, code), topics(text, code)
    words = {word for word in named if not is_generic(word)}
    shared = sum(1 for word in words if word in given or any(alike(word, other) for other in given))
    subject = subject_of(what)
    same = bool(subject) and rule is not None and subject == rule.metadata[INSTRUCTION] and subject not in ("language", "name")
    return max(shared / len(words) if words else 0.0, NAMED if same else 0.0)


def replaces(new: Fact, old: Fact) -> bool:
    """Whether two instructions of one person are about the same thing, so that only the newer one can hold."""
    subject = new.metadata[INSTRUCTION]
    if bool(new.condition) != bool(old.condition):
        return False
    if subject != old.metadata[INSTRUCTION]:
        return subject == "general" and _forbids_all_of(new, old)
    code = guess_language(new.content) or guess_language(old.content) or "auto"
    if new.condition and _common(set(terms(new.condition, code)), set(terms(old.condition, code))) < ALIKE:
        return False
    forbids = [not is_permission(rule.content) for rule in (new, old)]
    if not new.condition and subject != "general" and (subject not in OPEN_SUBJECTS or not any(forbids)):
        return True
    mine, others = topics(new.content, code), topics(old.content, code)
    if forbids[0] == forbids[1]:
        return _common(mine, others) >= ALIKE or (not any(forbids) and same_slot(new.action, old.action))
    if subject == "language":
        return language_named(new.content) == language_named(old.content)
    mine, others = ({word for word in words if not (is_generic(word) or is_permitting(word))} for words in (mine, others))
    if not mine or not others:
        return False
    shared = sum(1 for word in others if word in mine or any(alike(word, other) for other in mine))
    return shared > 0 and shared / min(len(mine), len(others)) >= ALIKE


def _forbids_all_of(new: Fact, old: Fact) -> bool:
    """Whether "no more jokes" forbids what "end every answer with a joke" asks for."""
    if is_permission(new.content) or not is_permission(old.content):
        return False
    code = guess_language(new.content) or guess_language(old.content) or "auto"
    mine = {word for word in topics(new.content, code) if not (is_generic(word) or is_permitting(word) or word in _MORE)}
    others = topics(old.content, code)
    return bool(mine) and all(word in others or any(alike(word, other) for other in others) for word in mine)


_MORE = frozenset({"more", "pleas", "bitt", "mehr", "plus", "más", "mas", "più", "mais", "meer", "już", "больш"})


def _common(words: set[str], others: set[str]) -> float:
    """The share of the words that both have, from 0 to 1."""
    return len(words & others) / len(words | others) if words and others else 0.0
