"""Keeps the rules that a person gives, changes or withdraws in a message, when the turn is recorded.

- Where a language model understands, it alone says what a message does to the rules: at once by the ``rules`` of the payload,
  which the agent wrote, later by ``understand``.  They are checked again here: quotation, numbers, data policy, authority.
- Elsewhere, the sentences that the recogniser takes for instructions become rules.  Nothing that is said ends one.
- A rule depends on its turn.  The turn, or the new rule of a change, supersedes the rule that ends, so undoing it brings the
  rule back.  If the new rule is dropped, the old one stays.  The same rule again adds its turn.
- In a memory that several people share, and in a conversation of several people, a rule holds only in that conversation.
"""

import lzma
import math
import re
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ...memory.digest import content_digest, is_same_speaker
from ...memory.former import former_since
from ...memory.policies import DataPolicy
from ...memory.ports import JsonValue
from ...memory.records import INSTRUCTION, ONLY_IN, Fact, derived_id, is_instruction, turn_id
from ...memory.text.pasted import QUOTATION, split_pasted
from ...memory.text.quote import quote_occurs
from ...memory.trust.owner_seal import VERIFIED
from ...telemetry.metrics import understood
from ..checks import may_change, unknown_numbers
from ..context import Work
from ..dialogue import DialogueLine
from ..invocation import FinishedTurn
from ..understanding.ledger import GENERAL

MOST_CHANGES = 10  # of one message
LONGEST = 300  # characters of a rule, of its condition, and of an instruction
MOST_RULES = 200  # of a scope that are compared with a new one
MOST_SPEAKERS_READ = 50  # newest exchanges in which other speakers are looked for
IMPORTANCE = 0.9

#: Why a change is dropped: a field is missing or too long; the person did not say its words, or a number of it; the data policy
#: keeps it out; no such rule is in force, or it is another person's.
Reason = Literal["form", "quote", "numbers", "screened", "unknown", "denied"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A rule that is given (``text``, ``when``), or one that ends (``old``).  ``quote``: the words that say so."""

    text: str = ""
    when: str = ""
    old: Fact | None = None
    quote: str = ""


async def keep_rules(work: Work, turn: FinishedTurn, policy: DataPolicy) -> Counter[str]:
    """Store and end rules.  Counts ``rules``, ``rules_ended``, and ``rules_dropped_`` with each reason."""
    counts: Counter[str] = Counter()
    if work.understands:
        changes = await _read_changes(work, turn, policy, counts)
    else:
        changes = dict(enumerate(Change(text=text) for text in find_instructions(turn.question)))
    if not changes:
        return counts
    facts, scope, job = work.core.facts, work.scope, work.job
    only_in = turn.conversation_id if await _is_shared(work, turn) else ""
    now = work.core.clock.now()
    rules = await facts.graph.listing(scope, kinds=("procedural",), limit=MOST_RULES)
    known = [rule for rule in rules if is_instruction(rule) and former_since(rule, now) is None]
    ending = {each.old.id: each for each in changes.values() if each.old is not None}
    for place, change in changes.items():
        if change.old is not None:
            continue
        new = _rule(work, turn, change, place, only_in)
        former = [record for record, end in ending.items() if end.quote == change.quote]
        same = next((rule for rule in known if _is_same(rule, new)), None)
        is_repeated = bool(await facts.graph.get(scope, [new.id]))
        if same is not None and not is_repeated:
            ending.pop(same.id, None)
            joined = replace(same, turn_ids=tuple(dict.fromkeys((*same.turn_ids, *new.turn_ids))))
            if joined != same:
                await facts.update(scope, joined, by=job.id, trigger=job.trigger)
            continue
        ending = {record: end for record, end in ending.items() if record not in former}
        if is_repeated:
            continue
        if former:
            await facts.supersede(scope, former, new, by=job.id, trigger=job.trigger, until=turn.asked_at)
        else:
            await facts.store(scope, [new], by=job.id, trigger=job.trigger)
        known.append(new)
        counts += Counter(rules=1, rules_ended=len(former))
    for question in await facts.graph.get(scope, [_question_id(turn, work)]) if ending else ():
        await facts.supersede(scope, list(ending), question, by=job.id, trigger=job.trigger, until=turn.asked_at)
        counts["rules_ended"] += len(ending)
    return counts


async def _read_changes(work: Work, turn: FinishedTurn, policy: DataPolicy, counts: Counter[str]) -> dict[int, Change]:
    """The changes that pass the checks, by their places in the payload.  Counts those that do not."""
    written = work.job.payload.get("rules")
    written = written[:MOST_CHANGES] if isinstance(written, list) else []
    items = [item if isinstance(item, Mapping) else {} for item in written]
    changes: dict[int, Change] = {}
    for place in sorted(range(len(items)), key=lambda place: items[place].get("op") != "end"):
        replaced = [each.old.content for each in changes.values() if each.old is not None]
        change = await _read_change(work, turn, policy, items[place], replaced)
        if isinstance(change, Change):
            changes[place] = change
        elif change != "repeated":
            counts[f"rules_dropped_{change}"] += 1
            understood.labels(f"dropped_{change}").inc()
    return {place: each for place, each in changes.items() if each.old is None or _may_end(place, items, changes)}


def _may_end(place: int, items: Sequence[Mapping[str, JsonValue]], changes: Mapping[int, Change]) -> bool:
    """Whether a rule may end: not if all that replaces it, which follows it or has its quotation, is dropped."""
    added = [number for number, item in enumerate(items) if item.get("op") != "end"]
    following = next((number for number in added if number > place), -1)
    new = {number for number in added if items[number].get("quote") == items[place].get("quote")} | {following}
    return new == {-1} or not new.isdisjoint(changes)


async def _read_change(
    work: Work, turn: FinishedTurn, policy: DataPolicy, item: Mapping[str, JsonValue], replaced: Sequence[str]
) -> Change | Reason | Literal["repeated"]:
    texts = {name: " ".join(str(item.get(name) or "").split()) for name in ("text", "when", "quote")}
    screened = {name: await policy.screen_async(text) for name, text in texts.items()}
    if any(each.dropped for each in screened.values()):
        return "screened"
    text, when, quote = (screened[name].text for name in texts)
    own = split_pasted(turn.question)[0]
    if not quote_occurs(quote, own):
        return "quote"
    if item.get("op") == "end":
        old = await _find_rule(work, turn, str(item.get("id") or ""))
        return Change(old=old, quote=quote) if isinstance(old, Fact) else old
    if item.get("op") != "add" or not text or max(len(text), len(when)) > LONGEST:
        return "form"
    if unknown_numbers(f"{when} {text}", [own, *replaced], turn.asked_at.date()):
        return "numbers"
    return Change(text=text, when=when, quote=quote)


async def _find_rule(work: Work, turn: FinishedTurn, record_id: str) -> Fact | Reason | Literal["repeated"]:
    """The rule that the person may end."""
    graph = work.core.facts.graph
    found = await graph.get(work.scope, [record_id]) if record_id else []
    if not found or not is_instruction(found[0]):
        return "unknown"
    [rule] = found
    if any(entry.by == work.job.id for entry in await graph.history(work.scope, rule.id)):
        return "repeated"  # and a person may have undone it since
    if rule.status != "active" or rule.metadata.get(ONLY_IN, "") not in ("", turn.conversation_id):
        return "unknown"
    line = DialogueLine(speaker=turn.speaker, text=turn.question, mark=turn.mark)
    return rule if may_change(rule, line, "user", work.core.graph.owner_seal) else "denied"


async def _is_shared(work: Work, turn: FinishedTurn) -> bool:
    """Whether it is not certain whose rule it would be."""
    if work.is_shared:
        return True
    talk = await work.core.graph.conversations.get(work.scope, turn.conversation_id, limit=MOST_SPEAKERS_READ)
    return any(each.speaker and each.speaker != turn.speaker for each in talk.invocations) if talk else False


def _is_same(rule: Fact, new: Fact) -> bool:
    if rule.metadata.get(ONLY_IN) != new.metadata.get(ONLY_IN) or not is_same_speaker(rule.speaker, new.speaker):
        return False
    return content_digest(rule.content) == content_digest(new.content)


def _question_id(turn: FinishedTurn, work: Work) -> str:
    return turn_id(work.scope, turn.conversation_id, turn.invocation_id, "question")


def _rule(work: Work, turn: FinishedTurn, change: Change, place: int, only_in: str) -> Fact:
    content = f"{change.when}: {change.text}" if change.when else change.text
    metadata = {INSTRUCTION: GENERAL}
    if only_in:
        metadata[ONLY_IN] = only_in
    if turn.mark:
        metadata[VERIFIED] = work.core.graph.owner_seal.mark(work.scope, turn.speaker, content)
    return Fact(
        id=derived_id("rule", work.job.id, place),
        scope=work.scope,
        kind="procedural",
        content=content,
        created_at=work.job.created_at,
        trust="user",
        speaker=turn.speaker,
        source=turn.conversation_id,
        invocation_id=turn.invocation_id,
        said_at=turn.asked_at,
        valid_from=turn.asked_at,
        importance=IMPORTANCE,
        turn_ids=(_question_id(turn, work),),
        condition=change.when,
        action=change.text,
        job_id=work.job.id,
        trigger=work.job.trigger,
        metadata=metadata,
    )


# -- recognising instructions without a language model: "Always answer in German" ----------------------------------------------
#
# A linear model, fitted to labelled messages in sixteen languages (``python -m bench instructions``).  It has no list of words:
# features of a sentence are its words, their beginnings and endings, pairs of words, and its length; in Chinese, Japanese and
# Korean, runs of characters.  They are hashed, as in Weinberger et al., "Feature Hashing for Large Scale Multitask Learning"
# (ICML 2009).
#
# - A rule is a sentence as it was said.  Its condition, if it has one, is part of it.
# - Fenced blocks, lines quoted with ``>``, what follows a line that ends with a colon or the header of a mail, and all but the
#   beginning of a long message are not read.
# - A false rule does more harm than a missed one, so the threshold is high.

MOST_INSTRUCTIONS = 5  # per message
LEAST_LIKELIHOOD = 0.7
MOST_CHARS = 4000  # of a message that are read
LONG_MESSAGE = 1200  # characters; a longer one is probably pasted, and only its first sentences are read
SENTENCES_OF_LONG = 2

SIZE = 1 << 19  # number of weights
MOST_WORDS = 50
STEMS = (4, 6)  # characters of the beginnings of longer words
ENDING = 3
LENGTHS = (30, 60, 90, 120, 180)  # characters; few instructions are long
MOST_CHARACTERS = 4  # of a run in Chinese, Japanese and Korean
WEIGHTS = Path(__file__).parent / "recogniser.xz"
SCALE = 127 / 16  # weights of -16 to 16 are stored as one byte each
QUOTE = "\x00"  # stands for a quotation of several words

#: A line that ends with a colon, or a line after the first that begins as the header of a mail does: "From: Carla".
_HANDED = re.compile(r"^[^\n]*[:：][ \t]*(?=\n)|(?<=\n)[ \t]*[^\W\d_]{2,20}[:：][ \t]", re.MULTILINE)
_END = re.compile(r"[.!?…؟۔।॥։።]+(?=\s|$)|[。！？]+|[\n\u2028\u2029]+")
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?|[\x00,:;!?]")
_PAUSE = re.compile(r"[\s。．.!！、，,…~～]+")
_RUNS = re.compile(r"[\u1100-\u11ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_AROUND = " \t*-•\"'.,;!…。！"


def find_instructions(message: str) -> list[str]:
    """The sentences of a person's message that are standing instructions, as they were said.

    >>> find_instructions("Thanks! From now on, always answer me in German.")
    ['From now on, always answer me in German']
    >>> find_instructions("I always answer in German at work.")
    []
    """
    found = (each for each in split_sentences(message) if likelihood(each) >= LEAST_LIKELIHOOD)
    return list(dict.fromkeys(each.strip(_AROUND) for each in found))[:MOST_INSTRUCTIONS]


def split_sentences(message: str) -> list[str]:
    """The sentences in a person's own words."""
    own = split_pasted(message[:MOST_CHARS])[0]
    sentences = list(_split(_HANDED.split(own, maxsplit=1)[0]))
    return sentences[:SENTENCES_OF_LONG] if len(message) > LONG_MESSAGE else sentences


def _split(text: str) -> Iterator[str]:
    quoted = [found.span() for found in QUOTATION.finditer(text)]
    start = 0
    for end in _END.finditer(text):
        if any(first < end.start() < last - 1 for first, last in quoted):
            continue
        sentence = " ".join(text[start : end.end()].split())
        start = end.end()
        if any(each.isalpha() for each in sentence):
            yield sentence
    rest = " ".join(text[start:].split())
    if any(each.isalpha() for each in rest):
        yield rest


def likelihood(sentence: str) -> float:
    """The probability that a sentence is a standing instruction, from 0 to 1."""
    if len(sentence) > LONGEST:
        return 0.0
    found = features(sentence)
    return 1 / (1 + math.exp(-float(_weights()[found].sum()) / math.sqrt(len(found))))


def features(sentence: str) -> NDArray[np.int64]:
    """The numbers of the weights that apply to a sentence.  It has at least one feature."""
    said = QUOTATION.sub(lambda found: QUOTE if " " in found.group().strip() else found.group()[1:-1], sentence)
    lower = " ".join(said.casefold().replace("’", "'").split())[:LONGEST]
    names = {"@", *(f"@long {length}" for length in LENGTHS if len(lower) > length)}
    names |= set(_of_characters(lower) if _RUNS.search(lower) else _of_words(lower))
    return np.array(sorted({zlib.crc32(name.encode()) % SIZE for name in names}), np.int64)


@cache
def _weights() -> NDArray[np.float64]:
    return np.frombuffer(lzma.decompress(WEIGHTS.read_bytes()), np.int8).astype(np.float64) / SCALE


def _of_characters(lower: str) -> Iterator[str]:
    words = _PAUSE.sub(" ", lower).strip()
    text = words.replace(" ", "")
    for length in range(1, MOST_CHARACTERS + 1):
        yield from (f"c{text[at : at + length]}" for at in range(len(text) - length + 1))
        yield f"^{text[:length]}"
    yield from (f"${text[-length:]}" for length in range(1, MOST_CHARACTERS + 3))
    yield from (f"w{word}" for word in words.split()[:MOST_WORDS])


def _of_words(lower: str) -> Iterator[str]:
    words = _WORD.findall(lower)[:MOST_WORDS]
    for word in words:
        yield f"w{word}"
        yield from (f"p{word[:length]}" for length in STEMS if len(word) > length)
        if len(word) > STEMS[0]:
            yield f"s{word[-ENDING:]}"
    bounded = ["^", *words, "$"]
    yield from (f"b{first} {second}" for first, second in pairwise(bounded))
    yield from (f"k{first} {third}" for first, third in zip(bounded, bounded[2:], strict=False))
    yield from (f"q{first[: STEMS[0]]} {second[: STEMS[0]]}" for first, second in pairwise(bounded))
