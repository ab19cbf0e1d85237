"""Which speakers a question names, and whose words it asks for if it names several.

The decision uses the grammatical form of the question in English, German, French, Spanish, Italian, Japanese and Chinese.  If
the form does not decide, no speaker is preferred.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from ..indexing.tokenizer import is_spaceless, name_spans, names

_TOGETHER = re.compile(
    r"\b(?:both|beide[nrms]?|amb[oa]s|entramb[ie]|tous les deux|toutes les deux)\b|両方|二人とも|两人|都", re.IGNORECASE
)
_AND = re.compile(r"\s*(?:,|&|\b(?:and|or|und|oder|et|ou|y|e|o)\b|と|や|和|、|跟)\s*", re.IGNORECASE)
_OWNED_BY = re.compile(r"\b(?:of|von|de|du|del|di|d['’]|dell['’])\s*$", re.IGNORECASE)
_FIRST_PERSON = re.compile(
    r"\b(?:i|my|me|mine|our|we|ich|mein\w*|mir|mich|unser\w*|je|j'|mon|ma|mes|moi|notre|nos|yo|mi|mis|mío|nuestr\w*)\b|私|僕|我",
    re.IGNORECASE,
)
_SECOND_PERSON = re.compile(r"\b(?:you|your|du|dein\w*|dir|tu|ton|ta|tes|vous|votre|tú|tus)\b|あなた|你", re.IGNORECASE)
_OWNS = re.compile(r"['’]|\s?[の的]")
_HANDLE = re.compile(r"[\W\d_]+")


@dataclass(frozen=True, slots=True)
class _Mention:
    speaker: str
    start: int
    end: int
    owner: bool  # mentioned only as the owner of something ("Bob's house")


def about_asker(question: str) -> int:
    """1: about the asker ("my"), -1: about the assistant ("did you"), 0: neither or both."""
    return int(_FIRST_PERSON.search(question) is not None) - int(_SECOND_PERSON.search(question) is not None)


def is_named(speaker: str, word: str) -> bool:
    """Whether a word names a speaker, by first name, short form or genitive: "Ros" and "Rosalinds" name "Rosalind Reed".

    A handle is named by its parts: "Rosalind" names "@rosalind_reed92".
    """
    parts = _parts(speaker)
    return word in parts or (len(word) >= 3 and parts[0].startswith(word)) or _is_genitive(word, parts[0])


@lru_cache(maxsize=4096)
def _parts(speaker: str) -> tuple[str, ...]:
    """The words of a name, and the parts of those that are handles; at least one."""
    words = speaker.lstrip("@").split() or [speaker]
    return tuple(dict.fromkeys([*words, *(part for word in words for part in _HANDLE.split(word) if len(part) > 1)]))


def find_named(question: str, speakers: Collection[str]) -> list[str]:
    """The speakers (lower-case names) that a question names."""
    words = names(question)
    return [
        name for name in speakers if any(is_named(name, word) for word in words) or (is_spaceless(name) and name in question)
    ]


def acting_speaker(question: str, speakers: Sequence[str]) -> str:
    """Of the speakers that a question names, the one who acts or speaks: the first who is not only an owner of something.

    "" if the question is about several speakers together, or if its form does not decide.

    >>> acting_speaker("What did Ann say about Bob's house?", ["ann", "bob"])
    'ann'
    >>> acting_speaker("Where did Ann and Bob meet?", ["ann", "bob"])
    ''
    """
    if _TOGETHER.search(question):
        return ""
    mentions = sorted(_mentions(question, speakers), key=lambda mention: mention.start)
    for one, other in pairwise(mentions):
        if one.speaker != other.speaker and _AND.fullmatch(question, one.end, other.start):
            return ""
    return next((mention.speaker for mention in mentions if not mention.owner), "")


def _mentions(question: str, speakers: Sequence[str]) -> Iterator[_Mention]:
    for word, start, end in name_spans(question):
        meant = [name for name in speakers if is_named(name, word)]
        if len(meant) == 1:  # otherwise the word names no speaker, or several with the same name
            owner = (
                _is_genitive(word, _parts(meant[0])[0])
                or _OWNED_BY.search(question, 0, start) is not None
                or _OWNS.match(question, end) is not None
            )
            yield _Mention(meant[0], start, end, owner)
    for name in filter(is_spaceless, speakers):
        for match in re.finditer(re.escape(name), question):
            yield _Mention(name, match.start(), match.end(), _OWNS.match(question, match.end()) is not None)


def _is_genitive(word: str, name: str) -> bool:
    return len(name) >= 3 and word == f"{name}s"
