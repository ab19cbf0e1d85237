"""Decides whether a newer statement ends, denies or moves what a person does, or what holds, as an older one says it."""

import re
from collections.abc import Iterable, Sequence, Set
from functools import lru_cache

from ..text.slots import exclusive_days, exclusive_words
from ..text.statements import is_event
from ..tokenizer import is_spaceless, name_spans, terms
from . import forms

_WORD = re.compile(r"[^\W_]+")
_CLITICS = re.compile(r"'(?:m|s|re|ve)\b|\b(?:these days|from now on)\b", re.IGNORECASE)
_NOW_WORDS = "now current nowadays actually jetzt nun maintenant ahora adesso ora agora nu teraz тепер теперь сейчас"
_NOW_TERMS = frozenset(term for code in ("en", "de", "fr", "es", "it", "pt", "nl", "ru") for term in terms(_NOW_WORDS, code))
_TOLD = re.compile(
    r"(?<!is )(?<!am )(?<!are )(?<!'s )(?<!'m )\b(?:[a-z]{2,}ed|spoke|wrote|heard|came|fell|slept|read|sang)\b", re.IGNORECASE
)
_MOST_PAIRS = 4  # of characters by which a value may differ, in scripts without spaces
_OBJECTS_OF_SELF = frozenset({"me", "nos", "ci", "mi"})
# "My doctor says I'm ..." speaks of the speaker.
_REPORTS = re.compile(
    r"^.{2,40}? (?:says?|said|told me|thinks?|reckons?|meint|sagt|dit|dice|disse|diz|zegt|mówi|говорит)(?: that| dass| que"
    r"| qu'| che"
    r"| dat| że| что)?,? ?(?=(?:i|i'm|i've|we|ich|wir|je|j'|nous|ik|ja|я|мы)\b)",
    re.IGNORECASE,
)
_REASON = re.compile(
    r" (?:after(?! all)|since|because|thanks to|due to|weil|wegen|parce que|à cause|depuis que|porque|perché|omdat|wegens"
    r"|ponieważ|потому|из-за)\b.*",
    re.IGNORECASE,
)
# Words before where, for or with whom something is done.
_PREPOSITIONS = {
    code: forms.words(listed)
    for code, listed in {
        "en": "at for with in to from of on under by attend attends attending",
        "de": "bei beim für mit im auf in von zu zum zur besuche besucht besuchen",
        "fr": "chez à au aux pour avec dans en de du fréquente",
        "es": "en con para por a al de del",
        "it": "a al alla da dal dalla per in con di",
        "pt": "em no na com para por pelo pela de do da",
        "nl": "bij voor met in op van",
        "pl": "w we u z ze dla na do",
        "ru": "в во на у с со к",
    }.items()
}
_NEW = forms.words(
    "new neue neuer neues neuen nouveau nouvelle nuevo nueva nuovo nuova novo nova nieuwe nowy nowa новый новая"
    " just moved switched changed shifted relocated settled started"
)
_SAME = tuple(map(forms.words, ("chez à au aux", "in im ins", "bei beim", "zu zum zur", "al a alla", "na no em")))  # at
_AUXILIARIES = forms.words(
    "am m is s are re be been have ve has do does bin ist habe hat suis est estoy está sono è estou ben jestem"
)
# Of these a person has several at a time.
_SEVERAL = forms.words("""
    friends friend fan fond afraid allergic interested talk talking
    think thinking good believe deal look listen looking listening
    proud tired sick happy angry mad know speak befreundet freund fan allergisch amigo amiga ami amie amico amica
""")
_LONGEST_VALUE = 5  # words
_SUBJECT_VERB_PLACE = 3  # words of "I work at"
_GO = forms.words("go going gehe geh gehen vais vas voy vado vou ga gaan chodzę idę хожу иду")
# What such a sentence has beside the thing that is over, in scripts without spaces.
_ENDING_NOISE_WITHOUT_SPACES = re.compile(
    r"やっぱり|やはり|結局|もう|[ぁ-ゖ][ぁ-ゖー]*|我们|我|最后|结果|最终|还是|决定|打算|已经|不再|了|不|没|결국|역시|더 이상"
    r"|(?:안|못) .{1,6}기로.*|(?:하|가)지 않기로.*"
)
# Words of "I no longer ..." that do not say what has ended.
_ENDING_NOISE = forms.words("""
    turns turned out used to
    in the end ended up letztlich am ende au in fin conti no fim uiteindelijk we ostatecznie итоге мы всё все таки décidé de
    finalmente deciso decidido decidimos entschieden
    decided against after all changed mind about doch entschieden dagegen finalement al final alla fine afinal toch jednak
    decidí deciso decidi longer anymore any more stopped stop quit gave given give up long since last month week year ago
    mehr nicht kein keine keinen aufgehört seit monat woche jahr letzte letzten plus ne arrêté depuis mois semaine ya no
    dejé dejado hace mes más più smesso non mese não mais deixei parei mês meer niet geen gestopt już nie przestałem
    przestałam больше не перестал перестала doctor orders
""")


def ends(ending: str, habit: str, held: Set[str], language: str) -> bool:
    """Whether ``ending`` says that ``habit`` is over: everything that it names occurs in the habit."""
    if forms.EVENT.search(habit) or _is_speakers(_REPORTS.sub("", ending)) != _is_speakers(habit):
        return False
    before = ""
    for clause in forms.clauses(ending):
        clause = _REASON.sub("", _REPORTS.sub("", clause))
        if found := forms.NO_LONGER.search(clause):
            alone = before and not _find_named(clause[: found.start()], language)  # "I used to ski, not any more"
            over = _find_named(clause, language)
            for named in (over, _find_named(before, language)) if alone else (over,):
                if named and named <= held:
                    return len(named) > 1 or len(held) <= 3
        before = clause
    return False


@lru_cache(maxsize=forms.KEPT)
def _is_speakers(text: str) -> bool:
    """Whether the subject of a text is not another person or thing: its first word is not a name, "my" or "the"."""
    begun = _WORD.findall(text.casefold())[:3]
    if not _OBJECTS_OF_SELF.isdisjoint(begun):  # "nos mudamos", "a maggio ci trasferiamo"
        return True
    first = begun[0] if begun else ""
    return (first in forms.FIRST_PERSON and first not in ("user", "my")) or not (
        first in forms.SUBJECT_NOISE or first in forms.THIRD_PERSON
    )


@lru_cache(maxsize=forms.KEPT)
def _find_named(clause: str, language: str) -> frozenset[str]:
    """Terms of a clause beside the words that deny it, end it or date it."""
    plain = _ENDING_NOISE_WITHOUT_SPACES.sub(" ", clause.casefold())
    plain = " ".join(word for word in _WORD.findall(plain) if word not in _ENDING_NOISE)
    return frozenset(terms(plain, language)) - {"user"}


def is_reversed(new: str, old: str, language: str) -> bool:
    """ "I can eat nuts again" after "I can't eat nuts": a clause of both says the same, and one of them denies it."""
    denied, held = negated_states(new, language), negated_states(old, language)
    return bool(denied and denied & _asserted_states(old, language)) or bool(held and held & _asserted_states(new, language))


def negated_states(text: str, language: str) -> frozenset[tuple[frozenset[str], frozenset[str]]]:
    return _states(text, language, True)


def _asserted_states(text: str, language: str) -> frozenset[tuple[frozenset[str], frozenset[str]]]:
    return _states(text, language, False)


@lru_cache(maxsize=forms.KEPT)
def _states(text: str, language: str, negated: bool) -> frozenset[tuple[frozenset[str], frozenset[str]]]:
    """What the clauses of a text that are negated, or not, say of a state: terms, and pronouns of others."""
    if text.rstrip().endswith(("?", "？")) or forms.FUTURE.search(text) or forms.adds(text):
        return frozenset()
    found = set()
    for clause in forms.clauses(text):
        if denies(clause, language) == negated and forms.EVENT.search(clause) is None:
            plain = forms.NOW.sub(" ", forms.AGAIN.sub(" ", forms.NEGATED.sub(" ", clause)))
            if named := _find_named(plain, language):
                found.add((named, forms.THIRD_PERSON & frozenset(_WORD.findall(clause.casefold()))))
    return frozenset(found)


def is_elsewhere(new: str, old: str, language: str) -> bool:
    """ "I train at the Harriers now" after "I train at the Rovers": where, for or with whom someone does the same."""
    doubtful = (forms.PAST, forms.FUTURE, forms.NEGATED)
    if not forms.NOW.search(new) or is_doubtful(doubtful, new, old):
        return False
    return any(_is_moved(one, other, language) for one in _words_of_clauses(new) for other in _words_of_clauses(old))


def _is_moved(new: Sequence[str], old: Sequence[str], language: str) -> bool:
    """Whether two clauses begin with the same words up to a preposition, end with the same, and differ between them."""
    same = 0
    for one, other in zip(new, old, strict=False):
        if not _is_same_word(one, other, language):
            break
        same += 1
    while same and new[same - 1].casefold() not in _PREPOSITIONS.get(language, ()):
        same -= 1
    frame = [word.casefold() for word in new[:same]]
    if same < 2 or not _SEVERAL.isdisjoint(frame) or forms.EVENT.search(" ".join(frame)):
        return False
    rest, former = list(new[same:]), list(old[same:])
    while rest and former and rest[-1].casefold() == former[-1].casefold():
        rest.pop()
        former.pop()
    value, held = frozenset(terms(" ".join(rest), language)), frozenset(terms(" ".join(former), language))
    if not value or not held or value & held or max(len(rest), len(former)) > _LONGEST_VALUE:
        return False
    if _kind_of(rest) != _kind_of(former):
        return False
    # Only a name or an amount is surely another one of the same kind.
    generic = same != _SUBJECT_VERB_PLACE or not _GO.isdisjoint(frame) or frame[0] not in forms.FIRST_PERSON - {"my"}
    if generic and not all(any(word[0].isupper() or word[0].isdigit() for word in each) for each in (rest, former)):
        return False
    # "In the choir on Wednesdays" is another thing than "in the office on Mondays".
    days, former_days = exclusive_days(" ".join(rest), language), exclusive_days(" ".join(former), language)
    return days.keys() == former_days.keys() and (days == former_days or len(rest) == 1)


def _kind_of(value: Sequence[str]) -> tuple[bool, bool, bool]:
    """Whether a value is an amount, a person with a title, or has a name."""
    return value[0][0].isdigit(), forms.TITLED.match(value[0]) is not None, any(word[0].isupper() for word in value)


def _is_same_word(one: str, other: str, language: str) -> bool:
    pair = {one.casefold(), other.casefold()}
    return len(pair) == 1 or any(pair <= each for each in _SAME) or (terms(one, language) == terms(other, language) != [])


@lru_cache(maxsize=forms.KEPT)
def _words_of_clauses(text: str) -> tuple[tuple[str, ...], ...]:
    """The words of each clause, without "now" and auxiliaries."""
    words = (_CLITICS.sub(" ", clause) for clause in forms.clauses(text.replace("’", "'")))
    return tuple(
        tuple(
            word
            for word in _WORD.findall(each)
            if word.casefold() not in _AUXILIARIES and (word.casefold() in _NEW or not forms.NOW.fullmatch(word))
        )
        for each in words
    )


def terms_beside_now(text: str, language: str) -> frozenset[str]:
    return frozenset(term for term in terms(text, language) if not forms.NOW.fullmatch(term))


def is_other_state(new: str, old: str, words: Set[str], held: Set[str], language: str) -> bool:
    """ "I'm vegan now" after "I'm a vegetarian": words that exclude each other, and nothing else differs.

    ``words``, ``held``: terms of the newer and of the older text.
    """
    if not (forms.NOW.search(new) and speaks_of_self(new) and speaks_of_self(old)):
        return False
    said, former = exclusive_words(new, language), exclusive_words(old, language)
    if not any(not said[group] & former[group] for group in said.keys() & former.keys()):
        return False
    values = frozenset(terms(" ".join(word for each in (said, former) for found in each.values() for word in found), language))
    doubtful = (forms.PAST, forms.FUTURE, forms.EVENT, forms.NEGATED)
    return words - values - _NOW_TERMS <= held - values and not is_doubtful(doubtful, new, old)


def is_other_value(new: str, old: str, words: Set[str], held: Set[str], language: str) -> bool:
    """ "She goes to Beta now" after "she goes to Alfa": one word of several differs, and the newer text is dated.

    ``words``, ``held``: terms of the newer and of the older text.
    """
    if forms.NAMED.search(old) or not (_is_dated(new) and _is_plain(new, language) and _is_plain(old, language)):
        return False
    said = words - _NOW_TERMS
    # "A cooking class" is beside "Russian classes".
    if bool((said - held) & _name_terms(new, language)) != bool((held - said) & _name_terms(old, language)):
        return False
    most = _MOST_PAIRS if is_spaceless(new) else 1
    return len(said & held) > most and 0 < len(said - held) <= most and 0 < len(held - said) <= most


@lru_cache(maxsize=forms.KEPT)
def _name_terms(text: str, language: str) -> frozenset[str]:
    return frozenset(terms(" ".join(name for name, _, _ in name_spans(text)), language))


@lru_cache(maxsize=forms.KEPT)
def _is_dated(text: str) -> bool:
    return forms.NOW.search(text) is not None and forms.NAMED.search(text) is None


@lru_cache(maxsize=forms.KEPT)
def _is_plain(text: str, language: str) -> bool:
    """Whether a text says how something is: no event, plan, denial or addition."""
    doubtful = (forms.PAST, forms.FUTURE, forms.EVENT, _TOLD)
    return not (is_doubtful(doubtful, text) or is_event(text) or denies(text, language))


@lru_cache(maxsize=forms.KEPT)
def denies(text: str, language: str) -> bool:
    """Whether a text has a word of negation; "no" is none in Portuguese."""
    return any(language != "pt" or found.group().casefold() != "no" for found in forms.NEGATED.finditer(text))


def is_doubtful(patterns: Iterable[re.Pattern[str]], *texts: str) -> bool:
    """Whether a text adds something, or has one of the patterns."""
    return any(forms.adds(text) or any(pattern.search(text) for pattern in patterns) for text in texts)


@lru_cache(maxsize=forms.KEPT)
def speaks_of_self(text: str) -> bool:
    """Whether the subject of a text is the speaker."""
    first = _WORD.findall(text.casefold())[:2]
    named = first[:1] and (first[0] in forms.FIRST_PERSON or first == ["the", "user"])
    return (bool(named) and first[0] != "my") or forms.FIRST_PERSON_WITHOUT_SPACES.match(text) is not None
