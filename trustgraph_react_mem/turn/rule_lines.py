"""The lines with which the model says that the user gave, changed or withdrew a rule for later answers.

::

    Rules: +TEXT "words of the user"
    Rules: +[when CONDITION] TEXT "words of the user"
    Rules: -R1 "words of the user"

``R1`` is the number of a rule in the prompt.  A change is an end and an addition.

Invariants:
- A line of this form is taken out of the output wherever it begins (``LabelScanner``), so neither a thought nor an answer has
  it.  The form is its label and its sign; what follows need not be a valid change.  Other text that resembles it stays.
- A change counts only if its quotation occurs in the message of the user, and an end only if its rule was shown.
"""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from ..memory.text.quote import quote_occurs
from .decisions import RuleChange, RuleChanges

LONGEST: Final = 1000  # characters of a line
MOST_LINES: Final = 10  # of an output that are read
_MOST_TRIED: Final = 4  # quotation marks at which the quotation may begin
_DIRECTIONS: Final = "\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff"  # of text to the left or right
_DECORATION: Final = rf"[ \t>*#_`•·\-{_DIRECTIONS}]{{0,8}}(?:\d{{1,2}}[.)][ \t*_`]{{0,4}})?"
_GAP: Final = r"[ \t*_`]{0,4}"
_COLON: Final = rf"[:：][ \t*_`{_DIRECTIONS}]{{0,4}}"
_BREAKS: Final = r"(?:[ \t]{0,4}\r?\n){1,2}[ \t]{0,4}"
RULE = re.compile(
    rf"{_DECORATION}rules?{_GAP}{_COLON}"
    rf"(?:(?=[+＋]|[-−–—][ \t]?R\d)|{_BREAKS}(?:[-*•][ \t]{{1,2}})?(?=[+＋]\S|[-−–—]R\d))",
    re.IGNORECASE,
)
#: A further line of a list of changes.  One with a digit may be a number of the answer.
FURTHER = re.compile(rf"{_DECORATION}(?=[+＋][^\s\d]|[-−–—]R\d)", re.IGNORECASE)
#: What may become one of them.
MAY_BE_RULE = re.compile(
    rf"{_DECORATION}(?:\d{{1,2}}|[+＋]|[-−–—]R?|r(?:u(?:l(?:e(?:s?{_GAP}(?:{_COLON}(?:{_BREAKS})?(?:[ \t]{{0,4}}\r)?"
    rf"(?:[-*•][ \t]{{0,2}})?(?:[+＋]|[-−–—][ \t]?R?)?)?)?)?)?)?)?",
    re.IGNORECASE,
)
_MARKS: Final = "\"“”„«»‹›「」『』'‘’‚"
#: An answer on the same line, after a quotation.
ANSWER_AFTER = re.compile(rf"(?<=[{_MARKS}\d.)])\s+(?=Final Answer:)")
#: Where a change begins: at the start, after a quotation, and after the number of a rule that has ended.
_CHANGE = re.compile(r"(?:\A|[\"“”«»」』][ \t,;.]+|\bR\d{1,3}[ \t,;]+)(?P<op>[+＋]|[-−–—](?=[ \t]?R\d))", re.IGNORECASE)
_ENDED = re.compile(r"[-−–—][ \t]?(?P<numbers>R\d{1,3}(?:[ \t,;]+R\d{1,3})*)(?!\w)", re.IGNORECASE)
_OPENS = re.compile(rf"(?<![^\s(])[{_MARKS}]|[「『]|(?<=[\u3040-\u9fff])[\"“]")
#: What may follow the closing mark of a quotation.
_TAIL: Final = " \t\r\n.,;!?)*_`。！"
_RULE_AT_END = re.compile(r"\(R\d{1,3}(?:[ ,]{1,3}R\d{1,3}){0,9}\Z", re.IGNORECASE)
_NUMBERED = re.compile(r"R\d{1,3}[:.)]?[ \t]+", re.IGNORECASE)
_CONDITION = re.compile(
    r"\[(?:when[ \t]+)?(?P<bracketed>[^\[\]]+)\][ \t:：]*(?=\S)|when[ \t]+(?P<plain>[^:：]+)[:：][ \t]*(?=\S)", re.IGNORECASE
)


def clean_line(line: str) -> str:
    """A line without its label, as far as it is read."""
    return line[:LONGEST].strip(f" \t\r\n*_`{_DIRECTIONS}")


def read_changes(lines: Sequence[str], message: str, shown: Sequence[str]) -> RuleChanges:
    """The changes that ``lines`` say.

    ``message``: of the user.  ``shown``: ids of the rules in the prompt, in the order of their numbers.

    Reasons for dropping one: ``unquoted`` (the message has no such words), ``unknown`` (no rule of this number was shown) and
    ``empty`` (a rule without a text).
    """
    changes: list[RuleChange] = []
    dropped: Counter[str] = Counter()
    for line in lines[:MOST_LINES]:
        found: list[RuleChange] = []
        quote = ""
        for written in reversed(_split(line.replace('\\"', '"'))):
            ended = _ENDED.match(written)
            text, own = _find_quote(written[ended.end() if ended else 1 :], message)
            quote = own if own or text else quote  # an end without a quotation has that of the addition after it
            if not quote:
                dropped["unquoted"] += 1
            elif ended is not None:
                ids = [_id_of(number, shown) for number in re.findall(r"\d+", ended["numbers"])]
                dropped["unknown"] += ids.count("")
                found += [RuleChange(op="end", id=each, quote=quote) for each in reversed(ids) if each]
            elif change := _read_addition(text, quote):
                found.append(change)
            else:
                dropped["empty"] += 1
        changes += reversed(found)
    return RuleChanges(made=tuple(changes), dropped=+dropped)


def _split(body: str) -> list[str]:
    starts = [found.start("op") for found in _CHANGE.finditer(body)]
    return [body[start:end].strip(" \t,;") for start, end in pairwise([*starts, len(body)])]


def _find_quote(body: str, message: str) -> tuple[str, str]:
    """The text before the quotation, and the quotation.  It may hold marks itself, so the longest one that occurs counts."""
    body = body.lstrip(" \t.)*_`").rstrip(_TAIL)
    numbers = _RULE_AT_END.search(body, max(0, len(body) - 80))
    body = body[: numbers.start()].rstrip(_TAIL) if numbers is not None else body
    if body[-1:] not in tuple(_MARKS):
        return body, ""
    for opening in [*_OPENS.finditer(body, 0, len(body) - 1)][-_MOST_TRIED:]:
        quote = body[opening.end() : -1].strip()
        if quote_occurs(quote, message):
            return body[: opening.start()].strip(" \t(:：,;-–—"), quote
    return body, ""


def _id_of(number: str, shown: Sequence[str]) -> str:
    return shown[int(number) - 1] if 1 <= int(number) <= len(shown) else ""


def _read_addition(text: str, quote: str) -> RuleChange | None:
    numbered = _NUMBERED.match(text)
    text = text[numbered.end() :] if numbered is not None else text
    condition = _CONDITION.match(text)
    when = (condition["bracketed"] or condition["plain"]).strip() if condition is not None else ""
    text = text[condition.end() :] if condition is not None else text
    text = text.strip()
    if len(text) > 1 and text[0] in _MARKS and text[-1] in _MARKS:
        text = text[1:-1].strip()
    return RuleChange(op="add", text=text, when=when, quote=quote) if text else None
