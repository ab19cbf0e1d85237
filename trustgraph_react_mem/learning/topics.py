"""Topic memories: what a model's answers mean, without the model.  Source: RMM, section 5 and appendix D.1.

Extraction answers ``extracted_memories: [{summary, reference}]`` or ``NO_TRAIT``; updating answers lines of ``Add()`` and
``Merge(i, summary)``.  Whatever is malformed in an update means ``Add``: nothing is lost by it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ..memory.ports import Completion, JsonValue
from .dialogue import DialogueLine, pointed_at
from .grounding import numbers_in, word_share

NO_TRAIT = "NO_TRAIT"
LONGEST_SUMMARY, LONGEST_ORIGINAL = 600, 3000

_ADD = re.compile(r"\bAdd\s*\(\s*\)", re.IGNORECASE)
_MERGE = re.compile(
    r"""\bMerge\s*\(\s*\[?(?P<index>\d+)\]?\s*,\s*(?P<quote>["'“”]?)(?P<summary>.*?)(?P=quote)["'“”]?\s*\)\s*$""",
    re.IGNORECASE | re.MULTILINE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """A summary with the lines it comes from."""

    summary: str
    lines: tuple[DialogueLine, ...]

    @property
    def original(self) -> str:
        """The dialogue itself, as RMM keeps it beside the summary."""
        return "\n".join(f"{line.speaker}: {line.text}" for line in self.lines)[:LONGEST_ORIGINAL]


@dataclass(frozen=True, slots=True, kw_only=True)
class Extracted:
    """``dropped`` counts memories without a summary or a reference that exists."""

    topics: tuple[Topic, ...]
    dropped: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Add:
    pass


@dataclass(frozen=True, slots=True, kw_only=True)
class Merge:
    """``index``: of the existing topics that were shown, from 0."""

    index: int
    summary: str


Action = Add | Merge


def extracted(completion: Completion, lines: Sequence[DialogueLine]) -> Extracted:
    """Raises ValueError: neither memories nor NO_TRAIT."""
    found = completion.object if completion.object is not None else completion.text.strip()
    if isinstance(found, dict):
        found = found.get("extracted_memories", found)
    if isinstance(found, str) and NO_TRAIT in found.upper().replace(" ", "_"):
        return Extracted(topics=(), dropped=0)
    if not isinstance(found, list):
        raise ValueError(f'an object with a list "extracted_memories" or {NO_TRAIT} is needed')
    topics = [topic for item in found if (topic := _topic(item, lines)) is not None]
    return Extracted(topics=tuple(topics), dropped=len(found) - len(topics))


def actions(answer: str, existing: Sequence[str], new: str) -> tuple[Action, ...]:
    """What to do with ``new``, given the existing topics that were shown.

    A merge counts only with an index that was shown, a summary that is one, and no numbers from nowhere.

    >>> actions('Merge(0, "Hikes and climbs.")', ["Hikes."], "Climbs.")
    (Merge(index=0, summary='Hikes and climbs.'),)
    >>> actions("I would merge these.", ["Hikes."], "Climbs.")
    (Add(),)
    """
    merges: dict[int, Merge] = {}
    for match in _MERGE.finditer(answer):
        index, summary = int(match["index"]), " ".join(match["summary"].split())[:LONGEST_SUMMARY]
        if index < len(existing) and index not in merges and _is_merge(summary, existing[index], new):
            merges[index] = Merge(index=index, summary=summary)
    found: list[Action] = list(merges.values())
    if _ADD.search(answer) or not found:
        found.append(Add())
    return tuple(found)


def _is_merge(summary: str, old: str, new: str) -> bool:
    sources = [old, new]
    return len(summary) >= 3 and numbers_in(summary) <= numbers_in(" ".join(sources)) and word_share(summary, sources) >= 0.5


def _topic(item: JsonValue, lines: Sequence[DialogueLine]) -> Topic | None:
    if not isinstance(item, dict):
        return None
    summary = item.get("summary")
    referred = pointed_at(item.get("reference"), lines)
    if not isinstance(summary, str) or len(summary.strip()) < 3 or not referred or NO_TRAIT in summary:
        return None
    return Topic(summary=" ".join(summary.split())[:LONGEST_SUMMARY], lines=tuple(referred))
