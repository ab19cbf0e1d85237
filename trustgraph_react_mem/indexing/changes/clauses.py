"""The statements of a text that its clauses make for themselves: "Flour has gone up, so the loaf is now 4.60".

A reason or a report of what happened stands before such a statement and hides its form.  A clause counts alone unless what
stands before it makes it unreal or the words of another, or leaves open whom it is about.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from ..attributes.guards import REPORTED, UNREAL
from ..attributes.owners import PRONOUNS, may_mean
from . import forms

_MOST = 3  # statements of a text, the last ones
# What follows from the clause before.
_SO = (
    r"(?:and |und |et |y |e |en |и )?(?:so(?: that)?|therefore|hence|thus|consequently|which is why|that(?: i|')s why"
    r"|which means"
    r"|that means|as a result|deshalb|daher|darum|deswegen|folglich|donc|du coup|c'est pourquoi|par conséquent|alors|así que"
    r"|por eso|por lo (?:que|tanto)|de modo que|entonces|quindi|perciò|dunque|per questo|così|allora|por isso|então"
    r"|portanto|logo"
    r"|de modo que|dus|daarom|więc|dlatego|zatem|поэтому|так что|потому|значит|вот и)"
)
_THEREFORE = re.compile(rf"^(?:{_SO})\s+(?P<rest>\S.*)", re.IGNORECASE)
_WITHIN = re.compile(  # without a comma before it
    r"\s(?:so(?= (?:the|my|our|i|we|i'm|i've|we've|we're|now|it|from)\b)|therefore|deshalb|daher|deswegen|donc|du coup"
    r"|así que|por eso"
    r"|entonces|quindi|perciò|por isso|então|dus|daarom|więc|dlatego|поэтому|так что)\s",
    re.IGNORECASE,
)
_JOINED = re.compile(r"^(?:and|but|und|aber|et|y|pero|e|mas|en|maar|ale|и|а|но)\s+(?P<rest>\S.*)", re.IGNORECASE)
_WHOSE = (
    r"(?:my|our|mein[e]?|unser[e]?|mon|ma|notre|mi|nuestr[oa]|(?:il |la )?mi[oa]|(?:o |a )?(?:meu|minha)|mijn|onze|mój"
    r"|moja|nasz[a]?"
    r"|мой|моя|наш[а]?)"
)
_PERSON = re.compile(rf"^\W*(?P<person>{_WHOSE} (?:[^\W\d_]+ )??(?:{forms.PEOPLE.pattern.partition('|母')[0]}))", re.IGNORECASE)
_THINGS = frozenset({"it", "es"})
_FIRST = re.compile(r"^\W*(?P<first>[^\W\d_]+)\s+(?P<rest>\S.*)")
_OWN_SUBJECT = re.compile(
    rf"^\W*(?:{_WHOSE}|the|der|die|das|le|la|les|l'|el|los|las|il|lo|i|gli|o|a|os|as|de|het)\s*\S", re.IGNORECASE
)
_WORD = re.compile(r"[^\W_]+")


@lru_cache(maxsize=forms.KEPT)
def find_statements(text: str) -> tuple[str, ...]:
    """What the clauses of a text state for themselves, the last ones; not the text itself.

    >>> find_statements("Flour has gone up, so the loaf is now 4.60.")
    ('the loaf is now 4.60',)
    >>> find_statements("My brother has moved, he lives in Oslo now.")
    ('My brother lives in Oslo now',)
    """
    found: list[str] = []
    for sentence in forms.sentences(text):
        clauses = list(_clauses(sentence))
        for place, (clause, follows) in enumerate(clauses):
            before = " ".join(each for each, _ in clauses[:place])
            if place == 0 or UNREAL.search(before) or REPORTED.search(before) or (forms.adds(before) and not follows):
                continue
            if (stated := _state(clause, before, follows)) is not None:
                found.append(stated)
    return tuple(found[-_MOST:])


def _clauses(sentence: str) -> Iterator[tuple[str, bool]]:
    """Each clause without the word that joins it, and whether it follows from the one before."""
    for clause in forms.clauses(sentence):
        for place, part in enumerate(_WITHIN.split(clause)):
            if (found := _THEREFORE.match(part)) is not None:
                yield found["rest"], True
            elif (found := _JOINED.match(part)) is not None:
                yield found["rest"], place > 0
            else:
                yield part, place > 0


def _state(clause: str, before: str, follows: bool) -> str | None:
    """The clause as a statement; "he" becomes the person who is named before it."""
    person, first = _PERSON.match(before), _FIRST.match(clause)
    pronoun = first["first"].casefold() if first else ""
    if pronoun in PRONOUNS - _THINGS:
        if first is None or person is None or len(forms.PEOPLE.findall(before)) > 1 or not may_mean(pronoun, person["person"]):
            return None
        return f"{person['person']} {first['rest']}"
    if forms.PEOPLE.search(before) is None or not forms.FIRST_PERSON.isdisjoint(_WORD.findall(clause.casefold())):
        return clause
    return clause if follows and _OWN_SUBJECT.match(clause) else None
