"""What a model says it learned, read leniently and checked strictly: fields are coerced, claims without support are dropped."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from ..memory.policies import DataPolicy
from ..memory.ports import JsonValue
from ..memory.records import FactStatus, Trust
from ..memory.timefmt import parse_time
from .dialogue import DialogueLine, pointed_at
from .grounding import MOSTLY, PARTLY, GroundingCheck, word_share

CandidateKind = Literal["semantic", "procedural", "reflective"]
KINDS: tuple[CandidateKind, ...] = ("semantic", "procedural", "reflective")
SHORTEST, LONGEST = 3, 1000
MOST_ENTITIES = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateFact:
    """``lines``: the numbers the model gave as its sources; ``changes``: it says that something said before is no longer so."""

    text: str
    kind: CandidateKind
    condition: str
    action: str
    entities: tuple[str, ...]
    relations: tuple[tuple[str, str, str], ...]
    importance: float
    valid_from: datetime | None
    valid_to: datetime | None
    lines: tuple[DialogueLine, ...]
    changes: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Grounded:
    """A claim with the lines that bear it, whose words they are, and what follows for its status."""

    claim: CandidateFact
    sources: tuple[DialogueLine, ...]
    trust: Trust
    status: FactStatus
    speaker: str


def claim_from(item: Mapping[str, JsonValue], lines: Sequence[DialogueLine], policy: DataPolicy) -> CandidateFact | None:
    """None when there is nothing to remember in it, or the data policy says drop."""
    condition, action = _text(item, "condition"), _text(item, "action")
    text = _text(item, "fact") or _text(item, "content") or (f"{condition}: {action}" if condition and action else "")
    screened = [policy.screen(part) for part in (text, condition, action)]
    if any(part.dropped for part in screened) or not SHORTEST <= len(text) <= LONGEST:
        return None
    text, condition, action = (part.text for part in screened)
    kind = item.get("kind") or item.get("type")
    known: CandidateKind = next((name for name in KINDS if name == kind), "semantic")
    if known == "procedural" and not (condition and action):
        known = "semantic"  # a rule that says not when or not what cannot be applied
    entities = item.get("entities")
    return CandidateFact(
        text=text,
        kind=known,
        condition=condition if known == "procedural" else "",
        action=action if known == "procedural" else "",
        entities=tuple(
            dict.fromkeys(str(name).strip() for name in entities if isinstance(name, str) and 1 < len(name.strip()) <= 80)
        )[:MOST_ENTITIES]
        if isinstance(entities, list)
        else (),
        relations=_relations(item.get("relations")),
        importance=_share(item.get("importance")),
        valid_from=parse_time(item.get("valid_from")),
        valid_to=parse_time(item.get("valid_to")),
        lines=tuple(pointed_at(item.get("lines", item.get("reference")), lines)),
        changes=item.get("changes") is True,
    )


async def supported(
    claim: CandidateFact,
    lines: Sequence[DialogueLine],
    check: GroundingCheck,
    *,
    shared: bool,
    recalled: Sequence[str],
    dropped: Counter[str],
) -> Grounded | None:
    """The claim with its provenance; None when nothing that was said supports it, or only what had been recalled does.

    A user's words make it active.  Words of the assistant alone are trusted less, and not at all as rules.  What only a
    tool or document says is quarantined.  ``shared``: several people use this memory, so a rule from one of them is
    quarantined until another person says the same.
    """
    by_role: dict[str, list[DialogueLine]] = {"user": [], "assistant": [], "tool": []}
    named = claim.lines or tuple(lines)
    for line in (*named, *(line for line in lines if line not in named)):
        by_role[line.role].append(line)
    speakers = sorted({line.speaker for line in lines if line.role != "tool"})
    full = " ".join(part for part in (claim.text, claim.condition, claim.action) if part)

    async def bears(role: Literal["user", "assistant", "tool"]) -> tuple[DialogueLine, ...]:
        chosen = [line for line in claim.lines if line.role == role] or by_role[role]
        if not await check.holds(full, [line.text for line in chosen], speakers=speakers):
            chosen = by_role[role]  # the model named the wrong lines
            if not await check.holds(full, [line.text for line in chosen], speakers=speakers):
                return ()
        return tuple(chosen) if len(chosen) <= 3 else tuple(_nearest(full, chosen))

    def result(sources: tuple[DialogueLine, ...], trust: Trust, status: FactStatus) -> Grounded:
        speaker = next((line.speaker for line in sources if line.role != "tool"), "")
        return Grounded(claim=claim, sources=sources, trust=trust, status=status, speaker=speaker)

    said = await bears("user")
    if said:
        held_back = shared and claim.kind == "procedural"
        return result(said, "user", "quarantined" if held_back else "active")
    if recalled and await check.holds(full, list(recalled), speakers=speakers):
        dropped["recalled"] += 1
        return None
    from_tool = await bears("tool")
    if from_tool:
        return result(from_tool, "tool", "quarantined")
    answered = await bears("assistant")
    if answered:
        return result(answered, "assistant", "quarantined" if claim.kind == "procedural" or shared else "active")
    dropped["unsupported"] += 1
    return None


def self_learned(
    claim: CandidateFact, lines: Sequence[DialogueLine], *, shared: bool, dropped: Counter[str]
) -> Grounded | None:
    """A rule that the agent drew from its own work.  Its advice need not have been said, but it must be about what happened.

    Advice that stands in a tool's output and in no person's words is the tool's, whoever repeats it: quarantined.
    """
    said = [line.text for line in lines if line.role == "user"]
    returned = [line.text for line in lines if line.role == "tool"]
    advice = claim.action or claim.text
    if word_share(f"{claim.condition} {advice}", [line.text for line in lines]) < PARTLY:
        dropped["unsupported"] += 1
        return None
    from_tool = bool(returned) and word_share(advice, returned) >= MOSTLY and word_share(advice, said) < MOSTLY
    sources = tuple(line for line in lines if line.turn_id) or tuple(lines[:1])
    return Grounded(
        claim=claim,
        sources=sources,
        trust="tool" if from_tool else "assistant",
        status="quarantined" if from_tool or shared else "active",
        speaker="",
    )


def _nearest(claim: str, lines: Sequence[DialogueLine]) -> list[DialogueLine]:
    """The three lines that share most words with the claim, in the order they were said."""
    best = sorted(lines, key=lambda line: word_share(line.text, [claim]) * min(1.0, len(line.text) / 40), reverse=True)[:3]
    return sorted(best, key=lambda line: line.number)


def _relations(value: JsonValue) -> tuple[tuple[str, str, str], ...]:
    if not isinstance(value, list):
        return ()
    found = []
    for item in value:
        if isinstance(item, Mapping):
            item = [item.get("subject"), item.get("predicate"), item.get("object")]
        if isinstance(item, list) and len(item) == 3 and all(isinstance(part, str) and part.strip() for part in item):
            found.append((item[0].strip()[:80], item[1].strip()[:80], item[2].strip()[:80]))
    return tuple(found[:MOST_ENTITIES])


def _text(item: Mapping[str, JsonValue], key: str) -> str:
    value = item.get(key)
    return " ".join(value.split()) if isinstance(value, str) else ""


def _share(value: JsonValue) -> float:
    """Importance 0..1; a scale of 1 to 10, which models like, is taken as that."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0.5
    number = float(value)
    if number != number:
        return 0.5
    return max(0.0, min(1.0, number / 10 if number > 1 else number))
