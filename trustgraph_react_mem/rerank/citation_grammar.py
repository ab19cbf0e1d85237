"""The grammar of citation markers: their forms.  Pure functions.  ``citation_context`` says where they are citations."""

import re
from dataclasses import dataclass, replace
from typing import Final

MOST_INSIDE: Final = 80  # characters between two brackets
MOST_MARKERS: Final = 5  # markers in a row that are judged together
_LONGEST_CLOSING = 200  # characters of "Sources: [0], [2]"

_CLOSING = {"[": "]", "【": "】", "［": "］", "(": ")"}
OPENING: Final = "".join(_CLOSING)
LABELS = (
    *("memory", "memories", "mem", "erinnerung", "erinnerungen", "mémoire", "mémoires", "souvenir", "souvenirs", "memoria"),
    *("memorias", "memorie", "recuerdo", "recuerdos", "ricordo", "ricordi", "memória", "memórias", "herinnering"),
    *("herinneringen", "wspomnienie", "wspomnienia", "pamięć", "память", "воспоминание", "воспоминания", "记忆", "記憶"),
    *("기억", "メモリ", "メモリー"),
)
# They also number other things than memories, so they do not say by themselves what is cited.
_SOURCE_LABELS = (
    *("source", "sources", "src", "ref", "refs", "reference", "references", "cite", "cites", "citation", "citations", "m"),
    *("quelle", "quellen", "fuente", "fuentes", "fonte", "fonti", "fontes", "bron", "bronnen", "źródło", "źródła"),
    *("источник", "источники", "来源", "來源", "出典", "출처"),
)
_NO_CITE_WORDS = ("no", "cite", "cites", "citation", "citations", "nocite")
_AND = ("and", "und", "et", "y", "e", "en", "i", "и", "&", "と", "和", "및")
_ALL_LABELS = (*LABELS, *_SOURCE_LABELS)
_WORDS = (*_ALL_LABELS, *_NO_CITE_WORDS, *_AND)
_NUMBER = r"[0-9０-９]{1,2}"
ANY_LABEL: Final = "|".join(sorted(_ALL_LABELS, key=len, reverse=True))
_LABELLED = rf"(?:(?:{ANY_LABEL})[\s:#._-]*)?{_NUMBER}"
_ITEM = rf"{_LABELLED}(?:\s*[-–—~]\s*{_LABELLED})?"
_BETWEEN = rf"(?:\s*[,;、，；]\s*(?:(?:{'|'.join(_AND)})\s+)?|\s+(?:{'|'.join(_AND)})\s+|\s*[と和&]\s*)"
_NO_CITE = r"no[ _-]?cit(?:e|es|ation|ations)"
_INSIDE = re.compile(
    rf"\s*(?:(?P<label>{ANY_LABEL})[\s:#._-]*)?"
    rf"(?P<numbers>{_ITEM}(?:{_BETWEEN}{_ITEM})*)?(?:(?<=[0-9])†[^\]】]{{0,40}})?"
    rf"(?P<nocite>(?:(?<=[0-9０-９])\s*[,;]\s*|){_NO_CITE})?\s*[,;]?\s*",
    re.IGNORECASE,
)
_NO_CITE_FIRST = re.compile(rf"\s*{_NO_CITE}\s*[,;]\s*(?P<numbers>{_ITEM}(?:{_BETWEEN}{_ITEM})*)\s*", re.IGNORECASE)
_NEXT_ITEM = re.compile(rf"({_NUMBER})(?:\s*[-–—~]\s*(?:(?:{ANY_LABEL})[\s:#._-]*)?({_NUMBER}))?", re.IGNORECASE)
_SIGNS = r"\s0-9０-９,;、，；:#.&_~–—-"
_UNFINISHED = re.compile(rf"(?:[{_SIGNS}]|[^\W\d_]+(?=[{_SIGNS}]))*(?P<tail>[^\W\d_]*)(?:(?<=[0-9])†[^\]】]{{0,40}})?")
_LETTERS = re.compile(r"[^\W\d_]+")
_EMPHASIS = re.compile(r"(?<![*_])(?:(\*)\1{0,2}(?!\*)|(_)\2{0,2}(?!_))(?=[\[【［(]|\Z)")
_SOURCES = re.compile(rf"[(*_ \t]*(?:{ANY_LABEL})[*_]*[ \t]*[:：][*_]*\s*", re.IGNORECASE)
_NEXT_SOURCE = re.compile(rf"[ \t]*(?:[,;、，；]|[,;]?[ \t]*(?:{'|'.join(_AND)}))?[ \t]*(?=[\[【［(*_])", re.IGNORECASE)
_SEPARATOR = re.compile(rf"[ \t]*[,;、，；]?[ \t]+(?:{'|'.join(_AND)})[ \t]+(?=[\[【［]|\Z)|[ \t]*[,;]?[ \t]*", re.IGNORECASE)
_PARENTHESISED = re.compile(rf"(?:(?:{ANY_LABEL})[ :]{{1,2}})?(?=\[)", re.IGNORECASE)
_AND_BEGUN = frozenset(word[:size] for word in _AND for size in range(len(word) + 1))


@dataclass(frozen=True, slots=True, kw_only=True)
class Marker:
    """``named``: it says what it is (``[Memory 0]``, ``[NO_CITE]``).  ``end``: position after its closing bracket.

    ``unit``: it may be a unit (``[m2]``).
    """

    numbers: tuple[int, ...]
    none: bool
    named: bool
    end: int
    unit: bool = False


def find_marker(text: str, start: int, *, ended: bool) -> Marker | bool:
    """The marker that begins at ``start``.  False: there is none.  True: the text that follows decides."""
    opening = text[start]
    if (found := _EMPHASIS.match(text, start)) is not None:  # **[0]**
        return _find_emphasised(text, found[0], found.end(), ended=ended)
    inside = start + 1
    if opening == "(" and (begun := _PARENTHESISED.match(text, inside)) is not None:  # ([0]), ([0], [2]), (Memory [0])
        return _find_parenthesised(text, begun.end(), ended=ended)
    limit = min(len(text), inside + MOST_INSIDE)
    end = text.find(_CLOSING[opening], inside, limit)
    if end < 0:
        waiting = not ended and len(text) < inside + MOST_INSIDE
        return waiting and could_become_marker(text[inside:], parenthesis=opening == "(")
    return _read(text[inside:end], end + 1, parenthesis=opening == "(")


def opens_marker(text: str, start: int) -> bool:
    """Whether a marker may begin at ``start``: a bracket, or a sign of emphasis before one or before the end of the text."""
    return text[start] in OPENING or _EMPHASIS.match(text, start) is not None


def _find_parenthesised(text: str, at: int, *, ended: bool) -> Marker | bool:
    numbers: list[int] = []
    none = False
    for _ in range(MOST_MARKERS):
        inner = find_marker(text, at, ended=ended)
        if isinstance(inner, bool):
            return inner
        numbers += inner.numbers
        none |= inner.none
        if text[inner.end : inner.end + 1] == ")":
            return Marker(numbers=tuple(numbers), none=none, named=True, end=inner.end + 1)
        at = separate_markers(text, inner.end)
        if at == len(text):
            return not ended
        if text[at] != "[":
            return not ended and text[at:].casefold() in _AND_BEGUN
    return False


def separate_markers(text: str, end: int) -> int:
    """The position after what may stand between two markers in a row: "[0], [2]", "[0] and [2]"."""
    found = _SEPARATOR.match(text, end)
    return found.end() if found is not None else end


def _find_emphasised(text: str, signs: str, inside: int, *, ended: bool) -> Marker | bool:
    if inside == len(text):
        return not ended
    inner = find_marker(text, inside, ended=ended) if text[inside] in OPENING else False
    if isinstance(inner, bool):
        return inner
    end = inner.end + len(signs)
    if len(text) <= end and not ended and signs.startswith(text[inner.end :]):
        return True
    closed = text[inner.end : end] == signs and text[end : end + 1] != signs[0]
    return replace(inner, end=end) if closed else False


def closing_sources(text: str, *, ended: bool) -> tuple[Marker, ...] | bool:
    """The markers of an answer's last words "Sources: [0], [2]".  False: these are other words.  True: wait for more."""
    if len(text) > _LONGEST_CLOSING:
        return False
    found = _SOURCES.match(text)
    if found is None:
        return not ended and _may_name_sources(text)
    at, markers = found.end(), list[Marker]()
    while at < len(text) and opens_marker(text, at):
        marker = find_marker(text, at, ended=ended)
        if isinstance(marker, bool):
            return marker
        markers.append(marker)
        separator = _NEXT_SOURCE.match(text, marker.end)
        at = separator.end() if separator is not None else marker.end
    if text[at:].strip(" \t\r\n.。)*_"):
        return not ended and text[at:].strip(" \t,;、，；").casefold() in _AND_BEGUN
    return tuple(markers) if ended and markers else not ended


def _may_name_sources(text: str) -> bool:
    begun = text.lstrip("(*_ \t")
    label = _LETTERS.match(begun)
    if label is None or label.end() == len(begun):
        word = begun.casefold()
        return any(each.startswith(word) for each in _ALL_LABELS)
    return label[0].casefold() in _ALL_LABELS and not begun[label.end() :].strip("*_ \t")


def _read(inside: str, end: int, *, parenthesis: bool) -> Marker | bool:
    found = _INSIDE.fullmatch(inside)
    none = found is not None and found["nocite"] is not None
    if found is None:
        found = _NO_CITE_FIRST.fullmatch(inside)
        none = True
    if found is None or (not none and not found["numbers"]):
        return False
    label = (found.groupdict().get("label") or "").casefold()
    if parenthesis and (not label or label in ("m", "ref", "refs")):
        return False
    numbers: list[int] = []
    for item in _NEXT_ITEM.finditer(found["numbers"] or ""):
        first, last = int(item[1]), int(item[2] or item[1])
        if last < first:
            return False  # a result such as 2-1
        numbers += range(first, last + 1)
    return Marker(
        numbers=tuple(numbers), none=none, named=label in LABELS or none, unit=label == "m" and numbers in ([2], [3]), end=end
    )


def could_become_marker(inside: str, *, parenthesis: bool = False) -> bool:
    """Whether the text after an opening bracket may still grow into a marker."""
    found = _UNFINISHED.fullmatch(inside)
    if found is None:
        return False
    inside = inside.partition("†")[0]  # "[0†source]"
    words = [word.lower() for word in _LETTERS.findall(inside)]
    tail = found["tail"].lower()
    done = words[:-1] if tail else words
    if any(word not in _WORDS for word in done) or not any(word.startswith(tail) for word in _WORDS):
        return False
    return (
        not parenthesis or not inside.strip() or (words[:1] != [] and any(label.startswith(words[0]) for label in _ALL_LABELS))
    )


# -- protection against memories that manipulate citations ---------------------------------------------------------------

# Possessive: a run of spaces after the number is read once, however long it is.
_MARKER_LIKE = re.compile(
    rf"[\[［【](\s*+(?:(?:{_NUMBER}|[0-9]{{3}})(?:\s*+[,;、，；–—-]\s*+[0-9０-９]{{1,3}})*+\s*+[,;]?+|{_NO_CITE})\s*+)[\]］】]",
    re.I,
)
#: A marker that the end of the text cuts off.
_UNCLOSED = re.compile(r"[\[［【](\s*+(?:[0-9０-９][0-9０-９\s,;、，；–—-]*+|no[ _-]?c[a-z]*+))\Z", re.I)
_NAMED_LIKE = re.compile(rf"[\[［【(]([^\[\]［］【】()]{{0,{MOST_INSIDE}}})[\]］】)]")


def neutralise(text: str) -> str:
    """A memory's text for the prompt, without the brackets of anything that looks like a marker."""

    def unbracket(found: re.Match[str]) -> str:
        marker = _read(found[1], 0, parenthesis=found[0][0] == "(")
        return f"‹{found[1]}›" if isinstance(marker, Marker) else found[0]

    return _UNCLOSED.sub(r"(\1", _NAMED_LIKE.sub(unbracket, _MARKER_LIKE.sub(r"(\1)", text)))
