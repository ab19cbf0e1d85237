"""Topic memories: parsing of a model's answers.  Pure.  Source: RMM, section 5 and appendix D.1.

The answer to extraction is ``extracted_memories: [{summary, reference}]`` or ``NO_TRAIT``.  The answer to updating consists of
lines ``Add()`` and ``Merge(i, summary)``.  A malformed update counts as ``Add``, so no topic is lost.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from ..indexing.text.quantities import supports_numbers
from ..indexing.text.statements import is_question, says_nothing
from ..memory.ports import Completion, JsonValue
from .checks.grounding import GroundingCheck, word_share
from .dialogue import DialogueLine, find_lines

NO_TRAIT = "NO_TRAIT"
MAX_SUMMARY_CHARS, MAX_ORIGINAL_CHARS = 600, 3000
MOST_TOPICS = 20  # of an answer; each may ask the model how it relates to the topics before
LEAST_KEPT = 0.5  # share of the words of a merged topic

_ADD = re.compile(r"\bAdd\s*\(\s*\)", re.IGNORECASE)
_MERGE = re.compile(
    r"""\bMerge\s*\(\s*\[?(?P<index>\d{1,4})\]?\s*,\s*(?P<quote>["'“”]?)(?P<summary>.*?)(?P=quote)["'“”]?\s*\)\s*$""",
    re.IGNORECASE | re.MULTILINE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """A summary and its source lines.  ``trust``: "user" if the words of people alone support the summary."""

    summary: str
    lines: tuple[DialogueLine, ...]
    trust: Literal["user", "assistant"] = "user"

    @property
    def original(self) -> str:
        """The source dialogue as text.  RMM stores it together with the summary."""
        return "\n".join(f"{line.speaker}: {line.text}" for line in self.lines)[:MAX_ORIGINAL_CHARS]


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedTopics:
    """Result of extraction.  ``dropped``: number of items without a summary or a valid reference."""

    topics: tuple[Topic, ...]
    dropped: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Add:
    pass


@dataclass(frozen=True, slots=True, kw_only=True)
class Merge:
    """Replace an existing topic by ``summary``.  ``index``: position among the existing topics that were shown, from 0."""

    index: int
    summary: str


Action = Add | Merge


def parse_topics(completion: Completion, lines: Sequence[DialogueLine]) -> ParsedTopics:
    """Parse the answer to extraction.  Raises ValueError: it has neither a list of memories nor NO_TRAIT."""
    found = completion.object if completion.object is not None else completion.text.strip()
    if isinstance(found, dict):
        found = found.get("extracted_memories", found)
    if isinstance(found, str) and NO_TRAIT in found.upper().replace(" ", "_"):
        return ParsedTopics(topics=(), dropped=0)
    if not isinstance(found, list):
        raise ValueError(f'an object with a list "extracted_memories" or {NO_TRAIT} is needed')
    topics = [topic for item in found[:MOST_TOPICS] if (topic := _topic(item, lines)) is not None]
    return ParsedTopics(topics=tuple(topics), dropped=len(found) - len(topics))


def parse_actions(answer: str, existing: Sequence[str], new: str) -> tuple[Action, ...]:
    """Parse the answer to updating: what to do with the topic ``new``, given the existing topics that were shown.

    A merge is valid only if its index was shown, its summary consists mostly of words of both topics, and its summary has no
    number that neither topic has.  It also keeps at least half of the words of each, because a merge replaces the old topic.

    >>> parse_actions('Merge(0, "Hikes and climbs.")', ["Hikes."], "Climbs.")
    (Merge(index=0, summary='Hikes and climbs.'),)
    >>> parse_actions("I would merge these.", ["Hikes."], "Climbs.")
    (Add(),)
    """
    merges: dict[int, Merge] = {}
    for match in _MERGE.finditer(answer):
        index, summary = int(match["index"]), " ".join(match["summary"].split())[:MAX_SUMMARY_CHARS]
        if index < len(existing) and index not in merges and _is_merge(summary, existing[index], new):
            merges[index] = Merge(index=index, summary=summary)
    found: list[Action] = list(merges.values())
    if _ADD.search(answer) or not found:
        found.append(Add())
    return tuple(found)


async def ground_topic(topic: Topic, check: GroundingCheck, *, speakers: Sequence[str]) -> Topic | None:
    """The topic with its trust; None if its lines do not support it, or if it states nothing.

    A topic that needs the assistant's words has the assistant's trust, also if it refers to a person's question, too.
    Raises ModelUnavailable.
    """
    said = [line for line in topic.lines if line.role == "user"]
    names = frozenset(word for name in speakers for word in name.casefold().split())
    if is_question(topic.summary) or says_nothing(topic.summary, names):
        return None
    if said and await check.is_supported(topic.summary, said, speakers=speakers):
        return replace(topic, trust="user")
    if await check.is_supported(topic.summary, topic.lines, speakers=speakers):
        return replace(topic, trust="assistant")
    return None


def _is_merge(summary: str, old: str, new: str) -> bool:
    sources = [old, new]
    if word_share(old, [summary]) < LEAST_KEPT or word_share(new, [summary]) < LEAST_KEPT:
        return False
    return len(summary) >= 3 and supports_numbers(summary, sources) and word_share(summary, sources) >= 0.5


def _topic(item: JsonValue, lines: Sequence[DialogueLine]) -> Topic | None:
    if not isinstance(item, dict):
        return None
    summary = item.get("summary")
    referred = find_lines(item.get("reference"), lines)
    if not isinstance(summary, str) or len(summary.strip()) < 3 or not referred or NO_TRAIT in summary:
        return None
    return Topic(summary=" ".join(summary.split())[:MAX_SUMMARY_CHARS], lines=tuple(referred))
