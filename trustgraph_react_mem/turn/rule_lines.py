"""The lines with which the model says that the user gave, changed or withdrew a rule for later answers.

::

    Rules: +TEXT "words of the user"
    Rules: +[when CONDITION] TEXT "words of the user"
    Rules: -R1 "words of the user"

``R1`` is the number of a rule in the prompt.  A change is an end and an addition.

Invariants:
- A line of this form is taken out of the output wherever it begins, so neither a thought nor an answer has it.  The form is its
  label and its sign; what follows need not be a valid change.  Other text that resembles it stays.
- What is taken out depends only on the text, not on how it was cut.  The time is linear in its length.
- A change counts only if its quotation occurs in the message of the user, and an end only if its rule was shown.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Final

from ..memory.text.quote import quote_occurs
from .decisions import RuleChange, RuleChanges

LONGEST: Final = 1000  # characters of a line
MOST_LINES: Final = 10  # of an output that are read
_MOST_TRIED: Final = 4  # quotation marks at which the quotation may begin
_FINAL: Final = "Final Answer:"
_DIRECTIONS: Final = "\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff"  # of text to the left or right
_LIST = r"[-*•]"
_DECORATION: Final = rf"[ \t>*#_`•·\-{_DIRECTIONS}]{{0,8}}(?:\d{{1,2}}[.)][ \t*_`]{{0,4}})?"
_GAP: Final = r"[ \t*_`]{0,4}"
_COLON: Final = rf"[:：][ \t*_`{_DIRECTIONS}]{{0,4}}"
_LABEL = re.compile(
    rf"{_DECORATION}rules?{_GAP}{_COLON}"
    rf"(?:(?=[+＋]|[-−–—][ \t]?R\d)|(?:[ \t]{{0,4}}\r?\n){{1,2}}[ \t]{{0,4}}(?:{_LIST}[ \t]{{1,2}})?(?=[+＋]\S|[-−–—]R\d))",
    re.IGNORECASE,
)
#: A further line of a list of changes.  One with a digit may be a number of the answer.
_FURTHER = re.compile(rf"{_DECORATION}(?=[+＋][^\s\d]|[-−–—]R\d)", re.IGNORECASE)
_HEAD = re.compile(rf"{_DECORATION}(?:final answer|thought){_GAP}[:：]", re.IGNORECASE)  # a line may begin after it


def _spell(word: str, after: str) -> str:
    """A pattern for each beginning of the word, and for the whole word with ``after``."""
    for sign in reversed(word):
        after = f"(?:{sign}{after})?"
    return after


#: What may become one of them.
_BREAKS: Final = rf"(?:[ \t]{{0,4}}\r?\n){{0,2}}[ \t]{{0,4}}(?:\r|(?:{_LIST}[ \t]{{0,2}})?(?:[+＋]|[-−–—][ \t]?R?)?)"
_WORDS: Final = f"{_spell('rule', f's?{_GAP}(?:{_COLON}{_BREAKS})?')}|{_spell('final answer', _GAP)}|{_spell('thought', _GAP)}"
_BEGINS = re.compile(rf"{_DECORATION}(?:\d{{1,2}}|[+＋]|[-−–—]R|{_WORDS})", re.IGNORECASE)
_MARKS: Final = "\"“”„«»‹›「」『』'‘’‚"
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


class RuleLines:
    """Takes the lines out of an output that arrives in pieces.

    Arguments:
        before_answer: whether a line that begins here precedes the answer.  It is asked after the text before was returned.

    Attributes:
        found: the lines without their label, in order.
    """

    def __init__(self, before_answer: Callable[[], bool]) -> None:
        self.found: list[str] = []
        self._before_answer = before_answer
        self._held = ""
        self._line_start = True
        self._blank = True  # the line before is blank
        self._joins = False  # two blank lines may meet, because the lines between them were taken out
        self._further = False  # the line before was taken out
        self._skips = False  # within a long line that is taken out

    def feed(self, text: str) -> Iterator[str]:
        """The text to go on with."""
        return self._scan(self._held + text, ended=False)

    def finish(self) -> Iterator[str]:
        return self._scan(self._held, ended=True)

    def take_out(self, answer: str) -> str:
        """A whole answer without its lines."""
        lines = RuleLines(lambda: False)
        kept = "".join([*lines.feed(answer), *lines.finish()])
        self.found += lines.found
        return kept.strip() if lines.found else answer

    def _scan(self, text: str, *, ended: bool) -> Iterator[str]:
        self._held = ""
        position = begin = 0
        while position < len(text):
            label = self._label(text, position)
            if label is None and self._line_start and not self._skips:
                if head := _HEAD.match(text, position):
                    position, self._joins, self._further = head.end(), False, False
                    continue
                if not ended and _BEGINS.fullmatch(text, position):
                    break
            end = text.find("\n", label.end() if label is not None else position) + 1
            complete, end = end > 0 or ended, end or len(text)
            line = text[position:end]
            if label is not None or self._skips or (self._line_start and complete and self._joins and not line.strip()):
                if position > begin:
                    yield text[begin:position]
                begin = position
                taken = len(line) if label is None else self._take(line, label.end() - position, complete=complete)
                if not taken:
                    break
                self._skips = not complete and taken == len(line)
                self._joins = self._blank if label is not None else self._joins and self._skips
                self._further = label is not None
                begin = position = position + taken
                continue
            if self._line_start:
                self._blank, self._joins, self._further = not line.strip(), False, False
            self._line_start = text[end - 1] == "\n"
            position = end
        if position > begin:
            yield text[begin:position]
        self._held = text[position:]

    def _label(self, text: str, position: int) -> re.Match[str] | None:
        if not self._line_start or self._skips:
            return None
        return _LABEL.match(text, position) or (_FURTHER.match(text, position) if self._further else None)

    def _take(self, line: str, start: int, *, complete: bool) -> int:
        """How many characters are taken out.  0: the line must go on first.  ``start``: of its changes."""
        complete = complete or len(line) > LONGEST
        head = line[:LONGEST]
        answer = _find_answer(head, start, complete=complete) if self._before_answer() else 0
        if not (complete or answer):
            return 0
        self.found.append(head[start : answer or None].strip(f" \t\r\n*_`{_DIRECTIONS}"))
        return answer or len(line)


def _find_answer(line: str, start: int, *, complete: bool) -> int:
    """Where the answer begins in a line of changes: after a quotation, else anywhere if nothing of the line is quoted."""
    places = [found.start() for found in re.finditer(rf"(?<=\s){_FINAL}", line)][:_MOST_TRIED]
    quoted = next((place for place in places if _is_complete(line[start:place])), 0)
    return quoted or (places[0] if places and complete and not _is_complete(line[start:]) else 0)


def _without_tail(body: str) -> str:
    body = body.rstrip(_TAIL)
    numbers = _RULE_AT_END.search(body, max(0, len(body) - 80))
    return body[: numbers.start()].rstrip(_TAIL) if numbers is not None else body


def _is_complete(body: str) -> bool:
    """Whether the line has its quotation.  The number of a rule is a sign of its own."""
    body = _without_tail(body)
    return body[-1:] in tuple(_MARKS) or _ENDED.fullmatch([*_split(body), ""][-1] if body else "") is not None


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
    body = _without_tail(body.lstrip(" \t.)*_`"))
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
