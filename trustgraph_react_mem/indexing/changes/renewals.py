"""Statements of a new state in everyday words: what is given up, "no longer on Monday but on Friday", "it's 1975 now".

What is given up must be what the older statement holds, not another thing beside it: "I ditched the Lumo mug" says nothing of
Lumo.  Another value must be of the same kind, in a clause about the same thing.  In doubt nothing is changed, as in
``decision``.
Sources: common wordings of twelve languages.
"""

import re
from collections.abc import Iterator, Set
from functools import lru_cache

from ..text.slots import exclusive_days
from ..tokenizer import is_function_word, is_spaceless, name_spans, terms
from . import forms
from .amounts import AMOUNT_AND_UNIT, SIZE, amounts_differ, sizes_differ
from .announcements import ALTERS, DATED, Sentence, is_own, read_sentences, read_states
from .habits import denies
from .topics import GENERIC, are_other_things

# The speaker gives up what follows, or what stands before in languages whose verbs come last.
_GIVES_UP = forms.anywhere(
    r"ditch(?:ed|ing)|dumped|binned|chucked(?: in| out)?|scrapped|jacked in|packed in"
    r"|(?:let|letting)(?= .{2,30} go\b)|(?:packed|jacked)(?= .{2,30} in\b)"
    r"|parted (?:ways )?with|said goodbye to|got shot of|(?:am|'m|im|are|'re) (?:done|finished|through) with|finished with"
    r"|came off|come off|cut out|sworn off|swore off|kicked|knocked(?= .{2,30} on the head\b)|got out of|dropped out of"
    r"|stopped (?:at(?=.{2,60}\b(?:instead|now|these days)\b)|going to|seeing|using|eating|taking|drinking|smoking"
    r"|playing|wearing|working (?:at|for))"
    r"|moved (?:me |us )?(?:off|out of|away from)|(?:pulled|took|taken) .{2,30} out of|(?:not|n't) allowed (?:in|at)"
    r"|resigned from|handed in (?:my|our) notice at|unsubscribed from|walked out of"
    r"|aufgegeben|hingeschmissen|geschmissen|sausen lassen|weggegeben|abgegeben|losgeworden|abgeschafft|abbestellt"
    r"|an den nagel gehängt|schluss (?:gemacht )?mit|fertig mit|raus aus|weg von|verabschiedet von|abgemeldet(?: von)?"
    r"|lâchée?|larguée?|plaquée?|laissé tomber|abandonnée?|balancée?|débarrassée?s? d[eu']|fini avec"
    r"|abandon(?:é|ado)|deshice del?|deshecho del?|di de baja(?: de)?|regal(?:é|ado)|colg(?:ué|ado)"
    r"|mollat[oa]|piantat[oa]|dat[oa] via|disdett[oa]|abbandonat[oa]|chiuso con|sbarazzat[oa] d\w+|lasciato perdere"
    r"|larg(?:uei|ámos)|abandon(?:ei|ámos)|livrei-me d\w+|me livrei d\w+|desisti d\w+"
    r"|de deur uit gedaan|weggedaan|opgegeven|afgezworen|weg bij|klaar met|van de hand gedaan|afgedankt|gedumpt|gestopt met"
    r"|(?:po)?rzuci\w+|odda[łl]\w+|zrezygnowa\w+ z|pozby\w+ się|skończy\w+ z|wypisa\w+ się z"
    r"|(?:за)?бросил\w*|отказал\w+ от|избавил\w+ от|отдал\w*|завязал\w* с|покончил\w* с",
    r"やめ(?:た|まし)|辞め(?:た|まし)|戒了|戒掉|退了|手放し|解約し|処分し|不要了|扔了|停了|退订了?|注销了?|放弃了?"
    r"|그만(?:뒀|두었)|끊었|접었|해지했|처분했|정리했",
)
# The speaker has ended an account, an application or a contract: only of what has a name.
_CANCELS_NAMED = forms.anywhere(
    r"deleted|uninstalled|cancell?ed|closed|gelöscht|deinstalliert|supprimée?|désinstallée?|borrad[oa]|borré|desinstal\w+"
    r"|cancellat[oa]|disinstallat[oa]|apaguei|cancelei|verwijderd|geannuleerd|usun\w+|odinstalowa\w+|удалил\w*"
)
# They put the rent up.
_PUT_UP = re.compile(r"\bput (?P<thing>.{2,30}?) (?:up|down)\b|\bput (?:up|down) (?P<after>.{2,30})", re.IGNORECASE)
_ITS = re.compile(r"\b(?:its|their)\b", re.IGNORECASE)
_BECAME = re.compile("(?:に|と)(?:なりました|なった)|変わりました|変わった")
# What is so although its form is that of what happened: "wir haben einen alten Passat", "je suis abonnée à ...".
_HAVE = re.compile(
    r"^\W*(?:[Ii]ch|[Ww]ir|[Ii]k|[Ww]i?j?e?) (?:habe?n?|heb|hebben) (?:noch |nog )?(?:eine?[nm]?|een|meine?n?|mijn) .{0,40}"
    r"\b[A-ZÄÖÜ]\w+\W*$"
    r"|(?i:\bje suis (?:abonné|inscrit|assuré|marié|fiancé))",
)
# "Not this any more, but that."
_NO_LONGER_BUT = re.compile(
    r"\bno longer (?P<en>.{2,40}?),? (?:but|it's|now)\b|(?:\bnot|n't) (?P<en2>.{2,40}?) (?:any ?more|any longer"
    r"|now),? (?:but|it's)\b"
    r"|\bnicht (?:mehr|länger) (?P<de>.{2,40}?),? sondern\b|\b(?:ne |n').{1,20}? plus (?P<fr>.{2,40}?),? mais\b"
    r"|\bya no (?P<es>.{2,40}?),? (?:sino|ahora)\b|\bnon .{1,20}? più (?P<it>.{2,40}?),? (?:ma|bensì)\b"
    r"|\bnão .{1,20}? mais (?P<pt>.{2,40}?),? (?:mas|e sim)\b|\bjá não (?P<pt2>.{2,40}?),? (?:mas|e sim)\b"
    r"|\bniet (?:meer|langer) (?P<nl>.{2,40}?),? maar\b|\bjuż nie (?P<pl>.{2,40}?),? (?:tylko|lecz|ale)\b"
    r"|\b(?:больше|уже) не (?P<ru>.{2,40}?),? а\b"
    r"|(?P<ja>.{2,12}?)(?:では|じゃ)なく|不(?:再)?(?:是|在)(?P<zh>.{1,12}?)了?[，,]?(?:而是|是|改)"
    r"|(?P<ko>\S{1,12}(?: \S{1,8})?)(?:이|가) 아니(?:라|고)",
    re.IGNORECASE,
)
_LATELY = forms.anywhere(
    r"now|nowadays|these days|already|from now on|as of|up to|down to|any ?more|lately|at the moment"
    r"|jetzt|nun|inzwischen|mittlerweile|ab sofort|neuerdings|künftig|schon"
    r"|maintenant|désormais|déjà|dorénavant|ahora|ya|últimamente|adesso|ora|ormai|già|agora|já|nu|tegenwoordig|voortaan|al"
    r"|teraz|obecnie|już|теперь|сейчас|уже",
    r"今は|今では|现在|如今|已经|이제|지금|벌써",
)
_REFERS = re.compile(
    r"^\W*(?:(?:and|so|but|now|oh|well|und|et|y|e|en|i|и) )*(?:(?:it|he|she)(?:'s| is)|that(?:'s| is)|they're"
    r"|they are|is|es|das|sie|jetzt|nun"
    r"|ist|sind|c'est|ça|elle|il|on|maintenant|ahora|son|está|adesso|ora|sono|è|agora|são|fica|está|het|nu|teraz|jest"
    r"|теперь)\b",
    re.IGNORECASE,
)
# Verbs that say only that something takes place or where somebody is.
_GOES = forms.words(
    "go goe going be take come geh geht hab ist find vais vas va voy vado vou ga gaat zit mam chodz chodzę хож ход"
)
_JOINED = re.compile(r"\s(?:and|but|und|aber|et|mais|y|pero|e|ma|mas|en|maar|i|ale|и|но)\s|(?<=고)\s|(?<=て)、?")
_SHORT, _MOST_PARTS = 12, 8
_IDEOGRAPH = re.compile("[一-鿿]")
_WORD = re.compile(r"[^\W_]+")
_POSSESSIVE = re.compile(r"['’]s$")
_MOST_WORDS = 5  # of what is given up
_FEW = 2  # terms of a clause, of which each must be in the older statement
_LEAST = 4  # letters of a word that a compound has, too


def renews(text: str) -> bool:
    """Whether a text may say that something is given up or has become another."""
    if any(pattern.search(text) for pattern in (_GIVES_UP, _CANCELS_NAMED, _NO_LONGER_BUT)):
        return True
    return _LATELY.search(text) is not None and (DATED.search(text) is not None or forms.NUMBER.search(text) is not None)


def renews_what(new: str, old: str, language: str) -> bool:
    """Whether ``new``, said later by the same person about the same people, says a new state of what ``old`` says.

    >>> renews_what("I ditched Lumo and went over to Pingo.", "I'm on the 20 euro plan with Lumo.", "en")
    True
    >>> renews_what("I ditched the Lumo mug.", "I'm on the 20 euro plan with Lumo.", "en")
    False
    """
    renewing = _find_renewals(new, language)
    return bool(renewing) and any(
        _gives_up(said, state, language) or _is_no_longer(said, state, language) or _is_another_value(said, state, language)
        for state in _read_states(old, language)
        for said in renewing
    )


@lru_cache(maxsize=4096)
def _find_renewals(text: str, language: str) -> tuple[Sentence, ...]:
    """The sentences that may say a new state."""
    if not renews(text) or text.rstrip().endswith(("?", "？")):
        return ()
    return tuple(
        each
        for each in read_sentences(text, language)
        if renews(each.text) and not forms.adds(each.text) and not forms.FUTURE.search(each.text)
    )


@lru_cache(maxsize=4096)
def _read_states(text: str, language: str) -> tuple[Sentence, ...]:
    """The sentences that say how something is, without clauses such as "if you can believe it" and what is denied."""
    if (states := read_states(text, language)) or len(text) < _SHORT:
        return states
    if _HAVE.search(text):
        return read_sentences(text, language)
    clauses = (clause for each in read_sentences(text, language) for clause in each.clauses)
    parts = [part for clause in clauses for part in _JOINED.split(clause)]
    return tuple(state for part in parts[:_MOST_PARTS] for state in read_states(part, language))


# ------------------------------------------------------------------------------------------------------ rules


def _gives_up(new: Sentence, old: Sentence, language: str) -> bool:
    return any(
        any(_is_held(term, old.terms, language) for term in given_up) and is_own(clause, old.text, language, start)
        for clause, start, given_up in _find_given_up(new, language)
    )


@lru_cache(maxsize=4096)
def _find_given_up(new: Sentence, language: str) -> tuple[tuple[str, int, frozenset[str]], ...]:
    """Each clause that says that something is given up, where it says so, and terms of what that is."""
    given_up = []
    for clause in new.clauses:
        rest = new.text[new.text.index(clause) :]
        found = _GIVES_UP.search(rest) or _CANCELS_NAMED.search(rest)
        if found is None or found.start() >= len(clause) or denies(clause.replace(found.group(), " "), language):
            continue
        named = _read_given_up(clause, found, language) - frozenset(terms(" ".join(_days(clause, language)), language))
        if found.re is _CANCELS_NAMED:
            named &= {term for name, _, _ in name_spans(clause) for term in terms(name, language)}
        given_up.append((clause, found.start(), named))
    return tuple(given_up)


def _read_given_up(clause: str, found: re.Match[str], language: str) -> frozenset[str]:
    """Terms of what is given up: the noun that the words after the verb end with, or in some languages begin with."""
    if is_spaceless(clause) or language == "ko":
        return frozenset(terms(clause[: found.start()], language))
    words = list(_noun_phrase(clause[found.end() :]))
    if not words:
        return frozenset(terms(" ".join(_WORD.findall(clause[: found.start()])[-_MOST_WORDS:]), language)) - GENERIC
    head = words[-1] if language in ("en", "de", "nl") else words[0]
    return frozenset(terms(head, language))


def _noun_phrase(text: str) -> Iterator[str]:
    """The words of the first noun and of what stands before it, without articles."""
    taken = 0
    for word in text.split()[:_MOST_WORDS]:
        plain = _POSSESSIVE.sub("", word.strip(".,;:!?…\"'()"))
        if is_function_word(plain) or plain.casefold() in forms.SUBJECT_NOISE or not GENERIC.isdisjoint(terms(plain, "en")):
            if taken:
                return
            continue
        taken += 1
        yield plain
        if word[-1] in ".,;:!?…":
            return


def _is_no_longer(new: Sentence, old: Sentence, language: str) -> bool:
    over, about = _find_over(new, language)
    if not (denied := over & old.terms):
        return False
    shared = {term for term in about if _is_held(term, old.terms - denied, language)}
    return bool(shared) and not are_other_things(new.text, old.text, shared, language)


@lru_cache(maxsize=4096)
def _find_over(new: Sentence, language: str) -> tuple[frozenset[str], frozenset[str]]:
    """Terms of what is no longer so, and of the rest of a sentence that says what is so instead."""
    if (found := _NO_LONGER_BUT.search(new.text)) is None:
        return frozenset(), frozenset()
    over = next(filter(None, found.groups()))
    rest = new.text.replace(over, " ")
    return frozenset(terms(over, language)) - GENERIC, frozenset(terms(rest, language)) - GENERIC


def _is_another_value(new: Sentence, old: Sentence, language: str) -> bool:
    """ "It's Saturdays at the gym these days", "they put the rent up, it's 1975 now"."""
    for clause, before, about in _find_dated(new, language):
        if not any(_is_held(term, old.terms, language) for term in about):
            continue
        for former in old.clauses:
            sized = sizes_differ(f"{before}, {clause}", former)
            if not (sized or amounts_differ(clause, former) or _days_differ(clause, former, language)):
                continue
            if before:
                if sized or ALTERS.search(before) or _PUT_UP.search(before):
                    return True
            elif len(about) <= _FEW and all(_is_held(term, old.terms, language) for term in about):
                return not are_other_things(clause, former, about, language)
    return False


@lru_cache(maxsize=4096)
def _find_dated(new: Sentence, language: str) -> tuple[tuple[str, str, frozenset[str]], ...]:
    """Each clause that says that something is so now, the clause before it if that names what, and terms of what."""
    dated = []
    for place, clause in enumerate(new.clauses):
        if _LATELY.search(clause) is None or denies(clause, language) or forms.EVENT.search(_BECAME.sub(" ", clause)):
            continue
        about, before = _beside_values(clause, language), ""
        if not about and place and _REFERS.match(clause):
            before = new.clauses[place - 1]
            put = _PUT_UP.search(before)
            altered = next(filter(None, put.groups())) if put and not _ITS.search(put.group()) else before
            about = _beside_values(altered, language)
        if about:
            dated.append((clause, before, about))
    return tuple(dated)


@lru_cache(maxsize=4096)
def _days(text: str, language: str) -> frozenset[str]:
    return frozenset(word for found in exclusive_days(text, language).values() for word in found)


def _days_differ(new: str, old: str, language: str) -> bool:
    said, held = exclusive_days(new, language), exclusive_days(old, language)
    return any(not said[group] & held[group] for group in said.keys() & held.keys())


@lru_cache(maxsize=4096)
def _beside_values(clause: str, language: str) -> frozenset[str]:
    """Terms of what a clause is about, without days, amounts with their units, and words of time."""
    plain = SIZE.sub(" ", _LATELY.sub(" ", clause))
    plain = AMOUNT_AND_UNIT.sub(" ", plain)
    named = frozenset(terms(plain, language)) - frozenset(terms(" ".join(_days(clause, language)), language)) - GENERIC - _GOES
    return frozenset(term for term in named if not any(map(str.isdigit, term)))


def _is_held(term: str, held: Set[str], language: str) -> bool:
    """Whether a term is among others, as a form of one or, where compounds are written as one word, as a part of one."""
    if term in held:
        return True
    if len(term) < _LEAST:
        return _IDEOGRAPH.fullmatch(term) is not None and any(term in other for other in held)
    longest = 100 if language in ("de", "nl") else len(term) + 2
    return any(
        (other.startswith(term) and len(other) <= longest) or (term.startswith(other) and len(term) - 2 <= len(other))
        for other in held
        if len(other) >= _LEAST
    )
