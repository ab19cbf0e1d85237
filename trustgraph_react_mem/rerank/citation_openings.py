"""Which text after a marker at the start of a line makes it a citation.  Pure functions.

"[0] Biscuit weighs 31 kg." cites; "[0] * n", "[0] is the first", "[1] Smith, J. (2019)" and items that count up do not.
"""

import re
from collections.abc import Sequence
from typing import Final, Literal

from .citation_context import PRONOUNS, TAKES_OBJECT
from .citation_grammar import ANY_LABEL, Marker

LOOKAHEAD: Final = 240  # characters after a marker that decide about it
Opening = Literal["citation", "text", "undecided"]

# What joins the marker to its clause, and goes with it: "[0]: ", "[0] - ".
_JOINT = re.compile(r"[ \t\u00a0\u3000]*(?:(?:[:：]|[-–—]{1,2}(?=[ \t]))[ \t\u00a0\u3000]*)?")
_JOINT_UNFINISHED = re.compile(r"[ \t\u00a0\u3000]*(?:[:：]|[-–—]{1,2})?[ \t\u00a0\u3000]*\Z")
_DECORATION = r"*_\"“”„«»「『‘'¿¡"
# An item with a sign or a number of its own, so that the marker does not number it.
_ITEM = re.compile(r"[\s>]*(?:[-*+•]|\d{1,3}[.)])\s")
_INDENTED = re.compile(r" {4,}\Z|[ ]*\t\s*\Z")  # code
_TITLES = frozenset("#|")  # of headings and cells
_FIRST_WORD = re.compile(rf"[{_DECORATION}]*([^\W_]*)")
_LINE = re.compile(r"[^\r\n]*")
_WORD = re.compile(r"[^\W_]+")
_LETTERS = re.compile(r"[^\W\d_]+")
_SENTENCE_END = re.compile(r"[.!?…؟।](?=[\s*_\"”»)\[]|\Z)|[。！？]")
_FULL_SENTENCE = 8  # characters of an item in a script without spaces
_NUMBERED = rf"[*_]{{0,3}}[\[【［]\s*(?:(?:{ANY_LABEL})[\s:#._-]*)?([0-9０-９]{{1,3}})\s*[\]】］]"
_NEXT_LINE = re.compile(rf"[\r\n]\s*(?:[-*+•>]|\d{{1,3}}[.)])?[ \t]*{_NUMBERED}", re.IGNORECASE)
_NEXT_UNFINISHED = re.compile(r"\s*(?:[-*+•>]|\d{1,3}[.)]?)?[ \t]*[*_]{0,3}(?:[\[【［][^\[【［\]】］\n]*)?\Z")
_BEFORE_TEXT = rf"[ \t]*{_NUMBERED}[*_]{{0,3}}[ \t]*[:：]?[ \t]*(?=\w)"
_NEXT_IN_LINE = re.compile(rf"[.。!?]{_BEFORE_TEXT}", re.IGNORECASE)
_OTHER_PART = re.compile(rf"[;,；，、]{_BEFORE_TEXT}", re.IGNORECASE)  # "[2] tea, [0] jam"
_YEAR = r"(?:1[5-9]|20)\d\d"
_NAME = r"[^\W\d_][\w'’-]*"
_REFERENCE = re.compile(
    rf"\A{_NAME},[ \t]*[^\W\d_]{{1,2}}\.|\A[^\W\d_]\.[ \t]*[^\W\d_]"
    rf"|\A{_NAME}[ \t]+(?:(?:and|und|et|y|&)[ \t]+{_NAME}[ \t]+)?{_YEAR}\b|\bet[ \t]+al\b"
    rf"|\({_YEAR}[a-z]?\)|,[ \t]*{_YEAR}\.?[ \t]*\Z|https?://|\bdoi\b|\bISBN\b|\bpp?\.[ \t]*\d",
    re.IGNORECASE,
)
# Of languages without spaces: a bracket before these is a subject or an object.
_OBJECT = re.compile(
    "は(?!い|じめ)|が(?!ん)|を|の|によ|には|と(?:いう|して|同)|です|である|でした|も同|是|和|与|及|或|的|表示|表明|说明|显示"
)
_HANGUL_OBJECT = ("은", "는", "이", "가", "을", "를", "의", "과", "와", "에")  # directly after the bracket
_HEADINGS = re.compile(
    r"(?:references?|sources?|bibliography|literature|footnotes|notes|citations|quellen|literatur|fußnoten|(?:literatur|quellen)"
    r"verzeichnis|références|bibliographie|fuentes|referencias|bibliografía|fonti|riferimenti|bibliografia|fontes|referências|"
    r"bronnen|źródła|источники|литература|примечания|参考文献|参考資料|出典|来源|來源|脚注|출처|참고문헌|المراجع|المصادر|kaynakça)"
)


def joint(after: str) -> int:
    """The length of what joins a marker to the text that it begins."""
    found = _JOINT.match(after)
    return found.end() if found is not None else 0


def has_colon(after: str) -> bool:
    """Whether a colon joins a marker to the text that it begins."""
    return after[: joint(after)].strip() in (":", "：") and after[joint(after) : joint(after) + 1] != ""


def read_joint(after: str, *, ended: bool) -> Opening:
    """``citation`` as soon as ``joint`` is known."""
    waits = not ended and len(after) < LOOKAHEAD and _JOINT_UNFINISHED.fullmatch(after) is not None
    return "undecided" if waits else "citation"


def names_references(line: str) -> bool:
    """Whether a line is the heading of references: "Sources:"."""
    words = _WORD.findall(line)
    return len(words) <= 3 and any(_HEADINGS.fullmatch(word.casefold()) for word in words)


def read_opening(before: str, after: str, markers: Sequence[Marker], *, ended: bool, counting: bool, shown: int) -> Opening:
    """Whether markers at the start of a line, or before a colon, cite what follows.

    Arguments:
        before: the text of their line before them.
        after: the text after them, at least ``LOOKAHEAD`` characters if there are so many.
        ended: nothing follows ``after``.
        counting: an earlier line was cited so, and numbers that count up make no list.
        shown: number of memories that could be cited.
    """
    named = all(marker.named for marker in markers)
    if _INDENTED.match(before) or not (named or _TITLES.isdisjoint(before)):
        return "text"
    after = after[:LOOKAHEAD]
    cut = not ended and len(after) == LOOKAHEAD
    ended = ended or cut
    if not ended and _JOINT_UNFINISHED.fullmatch(after):
        return "undecided"
    begins = joint(after)
    text = after[begins:]
    word = _FIRST_WORD.match(text)
    if word is None or (word.end() == len(text) and not ended):
        return "undecided"
    if not word[1]:
        return "citation" if named and text[:1] in ("", "\r", "\n") else "text"
    joined = after[:begins].strip() != ""
    if not _begins_clause(word[1], attached=begins == 0, joined=joined, named=named) or text[word.end() :].startswith("://"):
        return "text"
    if named:
        return "citation"
    number = markers[0].numbers[0] if len(markers) == 1 and len(markers[0].numbers) == 1 else None
    itemised = _ITEM.match(before) is not None
    if cut and number and not (itemised or counting or "\n" in text):  # a line too long to see whether a list goes on
        return "text"
    return _read_line(text, number, ended=ended, itemised=itemised, counting=counting, shown=shown)


def _begins_clause(word: str, *, attached: bool, joined: bool, named: bool) -> bool:
    first, folded = word[0], word.casefold()
    if first.isdigit():
        return not attached
    if first.lower() == first.upper():  # a script without case
        followed = _OBJECT.match(word) is not None or (attached and word.startswith(_HANGUL_OBJECT))
        return not followed and folded not in TAKES_OBJECT
    if attached and not named:
        return False
    if first.isupper():
        return len(word) == 1 or not word.isupper() or folded not in TAKES_OBJECT  # "[0] AND [1]"
    return (joined and named) or (folded in PRONOUNS and folded not in TAKES_OBJECT)


def _read_line(text: str, number: int | None, *, ended: bool, itemised: bool, counting: bool, shown: int) -> Opening:
    found = _LINE.match(text)
    line = found[0] if found is not None else ""
    rest = text[len(line) :]
    # A list from 1 may have items of several lines.
    if not ended and (_NEXT_UNFINISHED.fullmatch(rest) or (number and not itemised and not counting)):
        return "undecided"
    if number is not None and not counting and not (itemised and number == 0 and shown > 1):
        others = [_NEXT_IN_LINE.search(line), _NEXT_LINE.match(rest), *(_NEXT_LINE.finditer(rest) if number else ())]
        if any(other is not None and int(other[1]) == number + 1 for other in others):
            return "text"
    if _REFERENCE.search(line) or (number is not None and _OTHER_PART.search(line)):
        return "text"
    is_sentence = _SENTENCE_END.search(line) is not None
    words = _LETTERS.findall(line)
    if not words or not (is_sentence or len(words) > 1 or len(line) >= _FULL_SENTENCE):
        return "text"
    return "citation" if itemised or is_sentence or (ended and not rest.strip()) else "text"
