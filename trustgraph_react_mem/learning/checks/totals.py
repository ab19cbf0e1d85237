"""Whether an amount of money is the sum or the difference of amounts that were said: 30 euros now and 20 later, 50 in all."""

import re
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations

from ...indexing.text.quantities import read_quantities
from ...indexing.text.quantity import Quantity
from ...indexing.text.quantity_patterns import CURRENCIES

MOST_AMOUNTS = 4  # of one currency: more are not added up
_TOTAL = re.compile(
    r"(?i)\b(?:(?:in )?total(?:s|ling)?|altogether|all together|together|combined|(?:all )?in all|overall|insgesamt|zusammen"
    r"|alles in allem|(?:au|en) total(?:ité)?|en tout|ensemble|en total|en conjunto|juntos|in totale|in tutto|complessiv\w+"
    r"|no total"
    r"|ao todo|no todo|(?:in )?totaal|bij elkaar|samen|razem|łącznie|w sumie|ogółem|всего|итого|в сумме|в общей сложности)\b"
    r"|合計|全部で|総額|计共|一共|总共|总计|합계|모두|통틀어|총"
)
_LEFT = re.compile(
    r"(?i)\b(?:left|remaining|remains?|still (?:owes?|to pay)|rest|übrig|verbleib\w*|restlich\w*|reste|restants?|queda\w*"
    r"|faltan?"
    r"|rest[ao](?:no)?|rimane|rimangono|restantes?|over|resterend\w*|zosta(?:ło|je)|осталось|остаётся)\b|残り|剩|남"
)
_PAYS = re.compile(
    r"(?i)\b(?:pa(?:ys?|id|ying)|costs?|owes?|spen(?:t|ds?)|(?:be)?zahl\w*|kostet\w*|gibt|pai?e\w*|payé\w*|coûte\w*"
    r"|dépens\w*|pag[aóo]\w*"
    r"|cuesta\w*|gast[aó]\w*|cost[ao]\w*|spen[ds]\w*|cust\w*|betaal\w*|kost\w*|(?:za)?płac\w*|kosztuj\w*|(?:за)?плат\w*"
    r"|сто[ия]т)\b"
    r"|支払\w*|払\w*|[付花]了?|지불\w*|냈\w*|낸다"
)


def is_total(quantity: Quantity, claim: str, texts: Sequence[str]) -> bool:
    """Whether a claim calls an amount the total of some, or what is left of one, and amounts of the texts give it.

    A text that itself names a total is not added to others.
    """
    total, left = _TOTAL.search(claim) is not None, _LEFT.search(claim) is not None
    if not (total or left):
        return False
    for reading in quantity.readings:
        if reading.unit not in CURRENCIES or not isinstance(reading.value, Fraction):
            continue
        amounts = _amounts(texts, reading.unit, with_totals=left)
        if not 2 <= len(amounts) <= MOST_AMOUNTS:
            continue
        pairs = list(combinations(amounts, 2))
        if total and reading.value in (sum(amounts), *(one + two for one, two in pairs)):
            return True
        if left and any(one - two == reading.value for one, two in pairs):  # "I had 20 pounds and spent 5"
            return True
    return False


def without_payment(claim: str) -> str:
    """The claim without words such as "pays" and "in total"."""
    return _PAYS.sub(" ", _LEFT.sub(" ", _TOTAL.sub(" ", claim)))


def _amounts(texts: Sequence[str], unit: str, *, with_totals: bool) -> list[Fraction]:
    """The different amounts of a currency that the texts give: one that is said again is not another."""
    found = [
        reading.value
        for text in texts
        if with_totals or not _TOTAL.search(text)
        for quantity in read_quantities(text)
        for reading in quantity.readings
        if reading.unit == unit and isinstance(reading.value, Fraction)
    ]
    return list(dict.fromkeys(found))
