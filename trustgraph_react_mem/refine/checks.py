"""Checks an answer against what was shown to the model, by rules alone: the same input always gives the same report.

What is checked:
- Each sentence of the answer that states a number, a date, an identifier or a name: it must occur in a source that is about the
  same thing.  Other sentences are compared with the sources' denials, roles and attributes.
- Citations: what is cited must have been shown, and must be a source of what is said.
- The requirements of the question: length, format, language, words (``requirements``).
- An answer that says that nothing is known, although a source has the words of the question.

What a tool, a document or the agent itself said never outweighs the words of the person (``claims``).

Rules cannot tell whether a plain sentence is true.  ``disputed`` sentences, which a model named, count as unsupported if
the sources do not have their words either.  The work is bounded by the constants below.

Source: CRITIC (arXiv 2305.11738): a critique needs a check from outside of the model.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ..indexing.small_talk import UNKNOWN_START
from ..indexing.text.statements import sentences as split_sentences
from .claims import Verdicts
from .records import CheckReport, Claim, Constraint
from .requirements import MOST_ANSWER, is_json, read_requirements, without_fence
from .sources import Source, read_source

MOST_SENTENCES = 60
MOST_SOURCES = 120
MOST_SOURCE = 4_000  # characters of one source
MOST_SHOWN = 30_000  # characters of all sources
MOST_MISSING = 3
_PART = 4_000  # characters that ``split_sentences`` reads at once
_LIST_MARK = re.compile(r"(?m)^\s*(?:\d{1,2}[.)]|[-*•–])\s+")
_TABLE_RULE = re.compile(r"\s*\|?\s*:?-{2,}:?\s*\|[-:|\s]*")
_CODE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Evidence:
    """A text that was shown to the model.  ``id``: empty if it is not a memory.

    ``said_at``: what "next Friday" in it refers to.
    ``trusted``: the person said it, or imported it.
    """

    id: str
    text: str
    said_at: datetime | None = None
    trusted: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedAnswer(CheckReport):
    """The result of ``check``.  ``counts``: unsupported, contradicted, disputed, citations, missing, unmet.

    Attributes:
        faults: what is wrong, one sentence each, for the one who revises.
        details: the supported numbers, dates and names that the question does not have.
        trusted_details: those of them that the person stated.
        abstains: the answer says that nothing is known.
        answers: it supports something, abstains, or has words of the question or of what the memories say about it.
    """

    faults: tuple[str, ...] = ()
    details: frozenset[str] = frozenset()
    trusted_details: frozenset[str] = frozenset()
    abstains: bool = False
    answers: bool = True

    @property
    def is_clean(self) -> bool:
        return not any(self.counts.values())

    def is_better_than(self, other: CheckReport) -> bool:
        """Whether there are fewer faults of some kind, not more of any kind, and nothing supported was given up for it.

        Two exceptions: an answer that meets a further requirement, such as "in one sentence", may have fewer supported
        details, but not none; and one without any support may be replaced by the statement that nothing is known.
        Details that the person stated count first: any number of others does not make up for one of them.
        A wrong statement is not corrected by a text about something else, such as a remark on the correction.
        """
        if not CheckReport.is_better_than(self, other):
            return False
        if not isinstance(other, CheckedAnswer):
            return True
        if not self.answers and self._wrong < other._wrong:
            return False
        if self.abstains and not other.abstains:
            grounded = any(claim.verdict == "supported" for claim in other.claims)
            return not grounded and other._wrong > 0
        if self.counts["unmet"] < other.counts["unmet"]:
            return bool(self.details) or not other.details
        return (len(self.trusted_details), len(self.details)) >= (len(other.trusted_details), len(other.details))

    @property
    def _wrong(self) -> int:
        return sum(self.counts[kind] for kind in ("unsupported", "contradicted", "disputed"))


def check(
    draft: str,
    question: str,
    shown: Sequence[Evidence],
    observations: Sequence[str | Evidence] = (),
    cited: Sequence[str] | None = None,
    *,
    disputed: Sequence[str] = (),
) -> CheckedAnswer:
    """Check an answer.

    Arguments:
        draft: the answer, without citation markers.
        shown: the memories that the model saw.
        observations: other texts that the model saw: results of tools, the conversation, the date.  A plain text is trusted.
        cited: ids that the answer cites; empty if it says that it cites none.  None: it says nothing about it.
        disputed: sentences that a model holds to be unsupported.
    """
    return Checker(question, shown, observations).check(draft, cited, disputed=disputed)


class Checker:
    """Checks answers to one question.  The question and the sources are read once.

    ``rules``: what the person requires of every answer.  The other arguments are those of ``check``.
    """

    def __init__(
        self,
        question: str,
        shown: Sequence[Evidence],
        observations: Sequence[str | Evidence] = (),
        rules: Sequence[str] = (),
    ) -> None:
        self._shown = frozenset(each.id for each in shown)
        self._memories, others = _read_sources(shown, observations)
        self._verdicts = Verdicts(question, self._memories, others)
        # What the question requires takes precedence over what is required of every answer.
        self._requirements = read_requirements(question) or read_requirements("\n".join(rules))

    def check(self, draft: str, cited: Sequence[str] | None = None, *, disputed: Sequence[str] = ()) -> CheckedAnswer:
        """Check an answer; the arguments are those of ``check``."""
        answer = draft[:MOST_ANSWER]
        stated = list(_statements(answer))
        unknown = frozenset(text for text in stated if UNKNOWN_START.match(text))
        alone = len(stated) == 1
        judged = [(text, self._verdicts.judge(text, disputed=disputed, alone=alone)) for text in stated if text not in unknown]
        found = [(text, one) for text, one in judged if one is not None] if self._verdicts.bears_on(answer) else []
        supported = [one for _, one in found if one.verdict == "supported"]
        abstains = bool(unknown) and not supported
        missing = tuple(each.id for each in self._memories if self._verdicts.answers(each))[:MOST_MISSING] if abstains else ()
        constraints = tuple(Constraint(text=each.text, met=each.is_met(draft)) for each in self._requirements)
        citations = self._wrong_citations(cited, [set(one.support) for one in supported if one.support])
        wrong = [(text, one) for text, one in found if one.verdict != "supported"]
        return CheckedAnswer(
            claims=tuple(Claim(text=text, verdict=one.verdict, support=one.support, weak=one.weak) for text, one in found),
            missing=missing,
            constraints=constraints,
            counts={
                "unsupported": sum(one.verdict == "unsupported" and not one.disputed for _, one in wrong),
                "disputed": sum(one.disputed for _, one in wrong),
                "contradicted": sum(one.verdict == "contradicted" for _, one in wrong),
                "citations": len(citations),
                "missing": len(missing),
                "unmet": sum(not each.met for each in constraints),
            },
            faults=(
                *(f"{one.because}: {text}" for text, one in wrong),
                *citations,
                *(["The answer says that nothing is known, but memories are about the question."] if missing else []),
                *(f"The answer must be {each.text}." for each in constraints if not each.met),
            ),
            details=frozenset[str]().union(*(one.details for one in supported)),
            trusted_details=frozenset[str]().union(*(one.details for one in supported if not one.weak)),
            abstains=abstains,
            answers=bool(supported) or abstains or self._verdicts.is_about(answer),
        )

    def _wrong_citations(self, cited: Sequence[str] | None, supports: Sequence[set[str]]) -> list[str]:
        if cited is None:
            return []
        if wrong := [each for each in dict.fromkeys(cited) if each not in self._shown]:
            return [f"The answer cites {each[:80]!r}, which was not shown." for each in wrong]
        if supports and not any(support & set(cited) for support in supports):
            return ["The answer does not cite the memory that it rests on."]
        return []


def _read_sources(shown: Sequence[Evidence], observations: Sequence[str | Evidence]) -> tuple[list[Source], list[Source]]:
    """The memories and the other sources, as far as they fit in ``MOST_SHOWN``; what does not is only known by its id."""
    left = MOST_SHOWN
    memories, others = [], []
    for each in shown[:MOST_SOURCES]:
        text = each.text[: min(MOST_SOURCE, left)]
        left -= len(text)
        memories.append(read_source(text, each.said_at, each.id, trusted=each.trusted))
    for given in observations[:MOST_SOURCES]:
        other = given if isinstance(given, Evidence) else Evidence("", given)
        for start in range(0, len(other.text), MOST_SOURCE):
            part = other.text[start : start + min(MOST_SOURCE, left)]
            left -= len(part)
            if part.strip():
                others.append(read_source(part, other.said_at, trusted=other.trusted))
    return memories, others


def _statements(answer: str) -> Iterator[str]:
    """The sentences of an answer, or the values of JSON, at most ``MOST_SENTENCES``.  Code states nothing."""
    if is_json(answer):
        texts = list(_values(json.loads(without_fence(answer))))
    else:
        plain = _LIST_MARK.sub("", _without_tables(_CODE.sub("\n", answer)))
        texts = [text for start in range(0, len(plain), _PART) for text in split_sentences(plain[start : start + _PART])]
    stated = (text for text in texts if any(letter.isalnum() for letter in text))
    yield from (text for text, _ in zip(stated, range(MOST_SENTENCES), strict=False))


def _without_tables(text: str) -> str:
    """The text with each row of a table as a line of words.  The header of a table states nothing."""
    if "|" not in text:
        return text
    lines = text.splitlines()
    for number, line in enumerate(lines):
        if _TABLE_RULE.fullmatch(line):
            lines[number] = ""
            if number:
                lines[number - 1] = ""
    return "\n".join(" ".join(line.replace("|", " ").split()) if line.count("|") > 1 else line for line in lines)


def _values(value: Any, name: str = "") -> Iterator[str]:
    match value:
        case Mapping():
            for key, each in value.items():
                yield from _values(each, str(key).lower().replace("_", " "))
        case list():
            for each in value:
                yield from _values(each, name)
        case None | bool():
            return
        case _:
            yield f"{name} {value}".strip()
