"""What a question requires of the words of its answer: some first or last, others not at all, one alone; and forms of dates."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from ..indexing.tokenizer import is_spaceless
from . import requirement_patterns as patterns

MOST_BEFORE = 200  # characters that are searched for the beginning of a clause
NEAR = 80  # characters before a form of a date that say what it is for
_NOT = re.compile(r"(?i)\b(?:not|nicht|pas|no|non|não|niet|не|nie|don['’]t)\s*$")
_CLAUSE_BEGINS = re.compile(
    r"(?i)(?:^|[,;:.!?、，。(–\n-]|\b(?:please|but|and|then|bitte|aber|und|mais|et|pero|y|ma|e|mas|maar|en|но|и|ale|men|och"
    r"|(?:the|your) (?:answer|reply|response)(?: must| should)?))\s*$"
)
_BESIDES = re.compile(r"(?i)(?:without|avoid|leaving|omitting|ohne|sans|sin|senza|sem|zonder|без|bez|utan)\b")
_RELATIVE = re.compile(r"(?i)\b(?:that|which|who|, (?:die|der|das)|qui|que|che|которые|som|które)\s*$")
_PRONOUNS = """
it them that this those these anything everything something more me him her us any all names details things es das dies sie ihn
alles nichts ça cela rien tout eso esto nada todo lo la questo niente tutto isso isto tudo dit это ничего to tego det"""
_VAGUE = frozenset(_PRONOUNS.split())
_YEAR_WORDS = "year years jahr jahre année années año años anno anni ano anos jaar jaren год года rok år"
_YEARS = frozenset(_YEAR_WORDS.split())
_YEAR = re.compile(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)")
_MARKS = " \t\n\"'”“»*_.!?。"


@dataclass(frozen=True, slots=True)
class Requirement:
    """``text``: in English, such as "exactly 2 sentences".  ``is_met``: whether an answer meets it."""

    text: str
    is_met: Callable[[str], bool]


def begins_clause(before: str) -> bool:
    """Whether what follows ``before`` is a request of its own, or belongs to one, and is not about what somebody did."""
    before = before[-MOST_BEFORE:]
    sentence = re.split(r"[.!?;:\n。！？]", before)[-1].lstrip()
    return _CLAUSE_BEGINS.search(before) is not None or patterns.DEMAND.search(sentence) is not None


def is_negated(before: str) -> bool:
    return _NOT.search(before) is not None


def read_words(question: str) -> Iterator[Requirement]:
    """Which words an answer must have, must not have, and must begin or end with."""
    for text, pattern, is_met in _QUOTED:
        for match in pattern.finditer(question):
            wanted = match["quoted"].strip()
            before = question[: match.start()]
            if wanted and not is_negated(before) and not _RELATIVE.search(before):
                yield Requirement(text.format(wanted), partial(is_met, wanted))
    for text, pattern, is_met in _PLAIN:
        for match in pattern.finditer(question):
            wanted = match["word"] or match["plain"]
            named = match["word"] or (wanted[0].isupper() and not question[match.end() :].lstrip().startswith("?"))
            if named and _CLAUSE_BEGINS.search(question[max(0, match.start() - MOST_BEFORE) : match.start()]):
                yield Requirement(text.format(wanted), partial(is_met, wanted))
    for match in patterns.ENDS_WITH_MARK.finditer(question):
        if not is_negated(question[: match.start()]):
            mark = "?" if match["asks"] else "!"
            yield Requirement(f"ends with {mark!r}", partial(_ends, mark))


def read_excluded(question: str) -> Iterator[Requirement]:
    """What an answer must leave out, if that is a name or a single word."""
    for pattern in patterns.EXCLUDED:
        for match in pattern.finditer(question):
            what = next(each for each in match.groups() if each).strip("\"'“”„«»‘’「」 ")
            before = question[: match.start()]
            asked = begins_clause(before) if _BESIDES.match(match[0]) else _CLAUSE_BEGINS.search(before[-MOST_BEFORE:])
            if not what or what.casefold() in _VAGUE or not asked:
                continue
            if what.casefold() in _YEARS:
                yield Requirement("without a year", _has_no_year)
            else:
                yield Requirement(f"without {what!r}", partial(_lacks, what))


def read_date_forms(question: str) -> Iterator[Requirement]:
    """The form of a date, and whether the answer is only that."""
    for match in patterns.DATE_FORM.finditer(question):
        before = question[max(0, match.start() - NEAR) : match.start()]
        around = before + question[match.end() : match.end() + NEAR]
        if patterns.ABOUT_JSON.search(before) or is_negated(before) or not (match["iso"] or patterns.GIVEN_AS.search(before)):
            continue
        form, sep = _DATE_FORMS[match.lastgroup or "iso"], re.escape(match["ys"] or match["ds"] or match["ms"] or "-")
        date = re.compile(rf"(?<!\d){form.format(sep)}(?!\d)")
        shape = "YYYY-MM-DD" if match["iso"] else match[0].upper()
        if patterns.ONLY_DATE.search(around):
            yield Requirement(f"only a date as {shape}", partial(_is_only, date))
        else:
            yield Requirement(f"with the date as {shape}", partial(_contains, date))


_YEAR_FIRST, _YEAR_LAST = r"\d{{4}}{0}\d{{2}}{0}\d{{2}}", r"\d{{2}}{0}\d{{2}}{0}\d{{4}}"
_DATE_FORMS = {"iso": _YEAR_FIRST, "ys": _YEAR_FIRST, "ds": _YEAR_LAST, "ms": _YEAR_LAST}


def _contains(pattern: re.Pattern[str], answer: str) -> bool:
    return pattern.search(answer) is not None


def _is_only(pattern: re.Pattern[str], answer: str) -> bool:
    return pattern.fullmatch(answer.strip(_MARKS)) is not None


def _has_no_year(answer: str) -> bool:
    return _YEAR.search(answer) is None


def _has(wanted: str, answer: str) -> bool:
    edge = r"(?<![^\W_])", r"(?![^\W_])"
    if is_spaceless(wanted):
        edge = "", ""
    return re.search(f"{edge[0]}{re.escape(wanted.casefold())}{edge[1]}", answer.casefold()) is not None


def _lacks(wanted: str, answer: str) -> bool:
    return not _has(wanted, answer)


def _starts(wanted: str, answer: str) -> bool:
    return answer.casefold().lstrip(" \t\n\"'“„«*_").startswith(wanted.casefold())


def _ends(wanted: str, answer: str) -> bool:
    wanted = wanted.casefold()
    if not wanted.strip(_MARKS):
        return answer.rstrip(" \t\n\"'”“»*_").endswith(wanted)
    return answer.casefold().rstrip(_MARKS).endswith(wanted.rstrip(_MARKS))


_QUOTED: tuple[tuple[str, re.Pattern[str], Callable[[str, str], bool]], ...] = (
    ("without {!r}", patterns.FORBIDDEN, _lacks),
    ("with {!r}", patterns.REQUIRED, _has),
    ("begins with {!r}", patterns.STARTS_WITH, _starts),
    ("ends with {!r}", patterns.ENDS_WITH, _ends),
    ("begins with {!r}", patterns.GERMAN_START, _starts),
    ("ends with {!r}", patterns.GERMAN_END, _ends),
)
_PLAIN: tuple[tuple[str, re.Pattern[str], Callable[[str, str], bool]], ...] = (
    ("begins with {!r}", patterns.STARTS_PLAINLY, _starts),
    ("ends with {!r}", patterns.ENDS_PLAINLY, _ends),
)
