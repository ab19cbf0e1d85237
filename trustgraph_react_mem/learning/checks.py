"""What a model wrote is checked against what was said, and against what is known.

Who may change what: the words of a line have the trust of its role.  They end only entries of their own speaker, or of less
trust.  A person's entry is never changed by an assistant, a tool, a document or another person.

Which numbers of a text its sources do not have: a check of form in every script.  It stops invented amounts, codes and names of
rooms.  A number may stand in the sources, or belong to a date near the day on which the line was said: models resolve "on
Friday" to a full date.
"""

import re
import unicodedata
from collections.abc import Collection, Iterable
from datetime import date

from ..memory.records import Fact, Trust, is_by_assistant
from ..memory.scope import Scope
from ..memory.trust.owner_seal import VERIFIED, OwnerSeal
from ..memory.trust.quarantine import OUTSIDERS
from .dialogue import DialogueLine
from .invocation import DEFAULT_SPEAKER

PERSON, AGENT, OUTSIDER = 2, 1, 0
_UNNAMED = ("", DEFAULT_SPEAKER.casefold())
YEARS = 2  # a date may lie this far from the day of the line
_NUMBER = re.compile(r"\d+")
_GROUPED = re.compile(r"(?<!\d)\d{1,3}(?:[.,'’\u00a0\u202f ]\d{3})+(?!\d)")
_DECIMAL = re.compile(r"(?<![\d.,])\d++[.,]\d++(?![.,]+\d)")
_AMOUNT = re.compile(r"(?<![\d.,])(?:0[.,]\d++|\d++[.,]\d)(?!\.|[.,]*\d)")  # a decimal that is no time and no day of a month
# A date in numbers: the year first or last, or with the signs of Chinese, Japanese and Korean.
_YEAR_FIRST = re.compile(r"(?<!\d)(\d{4})[-/.年년]\s?(\d{1,2})[-/.月월]\s?(\d{1,2})(?!\d)")
_YEAR_LAST = re.compile(r"(?<!\d)(\d{1,2})[-/.]\s?(\d{1,2})[-/.]\s?(\d{4})(?!\d)")
_MONTH = re.compile(r"(?<!\d)(\d{4})-(\d{2})(?![\d-])")
# A day beside the name of a month and a year: "3 May 2026", "May 3, 2026", "3 de mayo de 2026".
_NAMED_DAY = re.compile(
    r"(?<!\d)(\d{1,2})[^\W\d_]{0,2}[.º]?[\s,]+"
    r"(?:[^\W\d_]{1,2}\s+)?(?:[^\W\d_]+\.?[\s,]+)?(?:[^\W\d_]{1,2}\s+)?(\d{4})(?!\d)"
)


def trust_of(line: DialogueLine, *, own: bool) -> Trust:
    """The trust of what a line says.  ``own``: the words are the speaker's, and not quoted or pasted by them."""
    if line.role == "tool" or not own:
        return "tool" if line.role == "tool" else "document"
    return "user" if line.role == "user" else "assistant"


def rank_of(fact: Fact) -> int:
    """The rank of an entry by who said it."""
    if fact.trust in OUTSIDERS:
        return OUTSIDER
    return AGENT if is_by_assistant(fact.trust, fact.metadata) else PERSON


def may_change(old: Fact, line: DialogueLine, trust: Trust, seal: OwnerSeal) -> bool:
    """Whether words of ``line`` with this trust may replace or end ``old``.

    In a memory that several people share, an entry of a verified person is changed by that person alone.  In the memory of one
    user, a speaker without a name is that user.
    """
    mine = {"user": PERSON, "assistant": AGENT}.get(trust, OUTSIDER)
    if mine == OUTSIDER or mine < rank_of(old):
        return False
    return rank_of(old) < PERSON or _is_same_person(old, line, seal)


def _is_same_person(old: Fact, line: DialogueLine, seal: OwnerSeal) -> bool:
    scope: Scope = old.scope
    former, now = old.speaker.casefold(), line.speaker.casefold()
    if scope.user == "":
        verified = seal.person(scope, old.speaker, old.content, old.metadata)
        if verified:
            return verified == seal.person(scope, line.speaker, line.text, {VERIFIED: line.mark})
    owner = {*_UNNAMED, scope.user.casefold()}
    return former == now or (former in owner and now in owner)


# -- numbers ---------------------------------------------------------------------------------------------------


def unknown_numbers(text: str, sources: Iterable[str], said_on: date | None) -> list[str]:
    """The numbers of ``text`` that neither stand in ``sources`` nor belong to a date near ``said_on``, in order.

    >>> unknown_numbers("pays 1025 since 2026-06-17", ["the rent went up"], date(2026, 6, 17))
    ['1025']
    """
    text, sources = _as_ascii(text), [_as_ascii(source) for source in sources]
    said = set[str]().union(*map(_numbers, sources))
    said_decimals = {_with_point(found) for source in sources for found in _DECIMAL.findall(source)}
    of_day = set[str]()
    if said_on is not None:
        of_day = set(map(str, (said_on.day, said_on.month, *range(said_on.year - YEARS, said_on.year + YEARS + 1))))
    allowed = _dates(text, said_on, said)
    allowed += [found.span() for found in _GROUPED.finditer(text) if _join_groups(found.group()) in said]
    amounts = [*_DECIMAL.finditer(text)]  # no parts of a date
    allowed += [found.span() for found in amounts if _with_point(found.group()) in said_decimals]
    explained, decimals = _places(allowed), _places(found.span() for found in amounts)
    missing: list[str] = []
    for found in _NUMBER.finditer(text):
        number, place = _plain(found.group()), found.start()
        if number not in said and place not in explained and (number not in of_day or place in decimals):
            missing.append(found.group())
    return missing


def _places(spans: Iterable[tuple[int, int]]) -> set[int]:
    return {place for start, end in spans for place in range(start, end)}


def _plain(digits: str) -> str:
    """Without zeros before it.  A number stays a text: reading a long one takes quadratic time."""
    return digits.lstrip("0") or "0"


def _join_groups(grouped: str) -> str:
    """The number that is written in groups of three digits."""
    return _plain(re.sub(r"\D", "", grouped))


def _with_point(decimal: str) -> str:
    return decimal.replace(",", ".")


def _numbers(text: str) -> set[str]:
    """Whole numbers.  The parts of an amount such as 0.25 are none."""
    return {*map(_join_groups, _GROUPED.findall(text)), *map(_plain, _NUMBER.findall(_AMOUNT.sub(" ", text)))}


def _dates(text: str, said_on: date | None, years: Collection[str]) -> list[tuple[int, int]]:
    """The spans of full dates whose year is near the line's or is said in a source."""

    def fits(year: str, *parts: str) -> bool:
        near = said_on is not None and abs(int(year) - said_on.year) <= YEARS
        return (near or _plain(year) in years) and all(1 <= int(part) <= 31 for part in parts)

    forms = ((_YEAR_FIRST, 1, 2, 3), (_YEAR_LAST, 3, 1, 2), (_MONTH, 1, 2), (_NAMED_DAY, 2, 1))  # the year, and other parts
    return [found.span() for form, *parts in forms for found in form.finditer(text) if fits(*found.group(*parts))]


def _as_ascii(text: str) -> str:
    """With the decimal digits of every script as 0 to 9."""
    if text.isascii():
        return text
    return "".join(str(unicodedata.decimal(sign)) if sign.isdecimal() else sign for sign in text)
