"""Candidate facts from a model's answer.

Parsing is lenient: fields are coerced to the expected types.  Checking is strict: candidates that the dialogue does not support
are dropped.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from ...indexing.text.statements import is_about_assistant, is_question, says_nothing
from ...memory.policies import DataPolicy
from ...memory.ports import JsonValue
from ...memory.records import FactStatus, Trust
from ..dialogue import DialogueLine
from .advice import Task
from .grounding import MIN_WORDS, GroundingCheck, word_share
from .line_dates import read_validity, with_dates

CandidateKind = Literal["semantic", "procedural", "reflective"]
KINDS: tuple[CandidateKind, ...] = ("semantic", "procedural", "reflective")
MIN_CHARS, MAX_CHARS = 3, 1000
MAX_ENTITIES = 12
MAX_TITLE = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateFact:
    """A fact or rule that a model extracted, before any check against the dialogue.

    ``lines``: the lines that the model named as sources.  ``importance``: 0 to 1.
    ``changes``: it states that an earlier statement no longer holds.  ``title``: of a lesson.
    """

    text: str
    kind: CandidateKind
    condition: str
    action: str
    entities: tuple[str, ...]
    importance: float
    valid_from: datetime | None
    valid_to: datetime | None
    lines: tuple[DialogueLine, ...]
    changes: bool
    title: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroundedFact:
    """A candidate that the dialogue supports, with its sources, and the trust and status that follow from them.

    ``episode``: id of the episode that a lesson was drawn from; "": it is not a lesson.
    ``given``: a rule that the only person in the conversation gave.
    """

    claim: CandidateFact
    sources: tuple[DialogueLine, ...]
    trust: Trust
    status: FactStatus
    speaker: str
    episode: str = ""
    given: bool = False


def parse_candidate(item: Mapping[str, JsonValue], lines: Sequence[DialogueLine], policy: DataPolicy) -> CandidateFact | None:
    """Parse one item of a model's answer.

    None: the text is missing, too short or too long, asks something, has no content, or the data policy drops it.
    """
    condition, action = _text(item, "condition"), _text(item, "action")
    text = _text(item, "fact") or _text(item, "content") or (f"{condition}: {action}" if condition and action else "")
    screened = [policy.screen(part) for part in (text, condition, action, _text(item, "title")[:MAX_TITLE])]
    if any(part.dropped for part in screened) or not MIN_CHARS <= len(text) <= MAX_CHARS:
        return None
    text, condition, action, title = (part.text for part in screened)
    speakers = frozenset(word for line in lines for word in line.speaker.casefold().split())
    is_rule = bool(condition and action)  # "when asked about invoices, ..." asks nothing
    if not is_rule and (is_question(text) or says_nothing(text, speakers)):
        return None
    kind = item.get("kind") or item.get("type")
    known: CandidateKind = next((name for name in KINDS if name == kind), "semantic")
    if known == "procedural" and not (condition and action):
        known = "semantic"  # a rule without a condition or an action cannot be applied
    referred = tuple(lines)
    said_at = max((line.said_at for line in referred or lines if line.said_at is not None), default=None)
    valid_from, valid_to = read_validity(item.get("valid_from"), item.get("valid_to"), said_at)
    return CandidateFact(
        text=text,
        kind=known,
        condition=condition if known == "procedural" else "",
        action=action if known == "procedural" else "",
        entities=_entities(item.get("entities"), policy),
        importance=_importance(item.get("importance")),
        valid_from=valid_from,
        valid_to=valid_to,
        lines=referred,
        changes=item.get("changes") is True,
        title=title,
    )


async def ground_candidate(
    claim: CandidateFact,
    lines: Sequence[DialogueLine],
    check: GroundingCheck,
    *,
    shared: bool,
    recalled: Sequence[str],
    dropped: Counter[str],
) -> GroundedFact | None:
    """Check a candidate against the dialogue and determine its sources, trust and status.

    - Supported by a user's words: active.
    - Supported only by the assistant's words: trusted less; rules are quarantined.
    - Supported only by a tool result or document: quarantined.
    - Supported by nothing, or only by memories that had been recalled into the turn: None, counted in ``dropped``.
    - About the assistant itself, and not supported by a user's words: None.

    ``shared``: several people use this memory.  A rule from one of them is quarantined until another person says the same.
    ``recalled``: texts of the memories recalled into these turns.  Raises ModelUnavailable.
    """
    by_role: dict[str, list[DialogueLine]] = {"user": [], "assistant": [], "tool": []}
    named = claim.lines or tuple(lines)
    for line in (*named, *(line for line in lines if line not in named)):
        by_role[line.role].append(line)
    speakers = sorted({line.speaker for line in lines if line.role != "tool"})
    full = " ".join(part for part in (claim.text, claim.condition, claim.action) if part)

    async def find_sources(role: Literal["user", "assistant", "tool"]) -> tuple[DialogueLine, ...]:
        chosen = [line for line in claim.lines if line.role == role] or by_role[role]
        if not await check.is_supported(full, chosen, speakers=speakers):
            chosen = by_role[role]  # the model may have named the wrong lines: try all lines of this role
            if not await check.is_supported(full, chosen, speakers=speakers):
                return ()
        return tuple(chosen) if len(chosen) <= 3 else tuple(_nearest(full, chosen))

    def result(sources: tuple[DialogueLine, ...], trust: Trust, status: FactStatus) -> GroundedFact:
        speaker = next((line.speaker for line in sources if line.role != "tool"), "")
        return GroundedFact(claim=_add_dates(claim, sources), sources=sources, trust=trust, status=status, speaker=speaker)

    said = await find_sources("user")
    if said:
        is_rule, people = claim.kind == "procedural", {line.speaker for line in lines if line.role == "user"}
        found = result(said, "user", "quarantined" if shared and is_rule else "active")
        return replace(found, given=is_rule and not shared and len(people) == 1)
    if recalled and await check.is_supported(full, list(recalled), speakers=speakers):
        dropped["recalled"] += 1
        return None
    if is_about_assistant(claim.text):
        dropped["about_assistant"] += 1
        return None
    from_tool = await find_sources("tool")
    if from_tool:
        return result(from_tool, "tool", "quarantined")
    answered = await find_sources("assistant")
    if answered:
        return result(answered, "assistant", "quarantined" if claim.kind == "procedural" or shared else "active")
    dropped["unsupported"] += 1
    return None


def ground_lesson(claim: CandidateFact, task: Task, *, sharing: bool, dropped: Counter[str]) -> GroundedFact | None:
    """Check a rule that the agent drew from its own work.

    Its advice need not occur in the dialogue, but it must be about what happened.  It is quarantined if it is a tool's advice,
    or that of one of several people.  In a memory of several people it is active only if its flow shares lessons (``sharing``).
    None: not about what happened, counted in ``dropped``.
    """
    advice = claim.action or claim.text
    if word_share(f"{claim.condition} {advice}", [line.text for line in task.lines]) < MIN_WORDS:
        dropped["unsupported"] += 1
        return None
    from_tool = task.is_tools_advice(advice, when=claim.condition, title=claim.title)
    may_act = (sharing or not task.shared) and not task.is_persons_advice(advice, when=claim.condition)
    sources = tuple(line for line in task.lines if line.turn_id) or tuple(task.lines[:1])
    return GroundedFact(
        claim=claim,
        sources=sources,
        trust="tool" if from_tool else "assistant",
        status="active" if may_act and not from_tool else "quarantined",
        speaker="",
        episode=task.episode,
    )


def _nearest(claim: str, lines: Sequence[DialogueLine]) -> list[DialogueLine]:
    """The three lines that share the most words with the claim, in dialogue order.  Lines under 40 characters count less."""
    best = sorted(lines, key=lambda line: word_share(line.text, [claim]) * min(1.0, len(line.text) / 40), reverse=True)[:3]
    return sorted(best, key=lambda line: line.number)


def _add_dates(claim: CandidateFact, sources: Sequence[DialogueLine]) -> CandidateFact:
    """The claim with the dates that its relative time means, because "next week" is wrong a week later."""
    if claim.kind == "procedural":
        return claim
    said_at = max((line.said_at for line in sources if line.said_at is not None), default=None)
    text, span = with_dates(claim.text, said_at)
    if span is None or len(text) > MAX_CHARS:
        return claim
    return replace(claim, text=text, valid_from=claim.valid_from or span.start)


def _entities(value: JsonValue, policy: DataPolicy) -> tuple[str, ...]:
    """Names, screened.  One that the policy changes is left out: entities of different records must not meet in "[email]"."""
    names = [name.strip() for name in value if isinstance(name, str)] if isinstance(value, list) else []
    return tuple(dict.fromkeys(name for name in names if 1 < len(name) <= 80 and policy.screen(name).text == name))[
        :MAX_ENTITIES
    ]


def _text(item: Mapping[str, JsonValue], key: str) -> str:
    value = item.get(key)
    return " ".join(value.split()) if isinstance(value, str) else ""


def _importance(value: JsonValue) -> float:
    """Importance, 0 to 1.  Values above 1 are read as a scale of 1 to 10, which models often use."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0.5
    number = float(value)
    if number != number:
        return 0.5
    return max(0.0, min(1.0, number / 10 if number > 1 else number))
