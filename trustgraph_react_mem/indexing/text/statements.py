"""What a statement says apart from its words: whether it asks, denies, tells an event or a change, and who acts on whom.

Word lists of several languages.  Where they do not decide, the functions say so, and callers keep what they have.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from ..function_words import FUNCTION_WORDS
from ..tokenizer import guess_language, is_function_word, name_spans, names, terms
from .relatives import relative_spans, relatives_in
from .speakers import names_speaker
from .statement_patterns import (
    ADDRESSED,
    AGENT_BEFORE,
    ANAPHORA,
    AND,
    ARTICLES,
    ASKS,
    BY_ASSISTANT,
    CEASED,
    CHANGE,
    CLAUSE_MARK,
    CONDITIONAL,
    CONJUNCTIONS,
    CONVERSE,
    EMPTY_CJK,
    EMPTY_WORDS,
    ENGLISH_QUESTION,
    EVENT,
    FRAMES,
    MUTUAL,
    NEGATION,
    NEGATION_IN,
    NO_IN_PORTUGUESE,
    NOT_NEGATED,
    NOTHING,
    OBJECT,
    OBJECT_BEFORE,
    ONE_OF_MANY,
    OTHER_BEFORE,
    OWNER,
    PASSIVE,
    POSSESSIVES,
    RESCHEDULED,
    SENTENCE,
    SIDES,
    SOFT,
    SOURCE_BEFORE,
    STARTS_ASKING,
    STATE_ED,
    SUBJECT,
    TOKEN,
    WITHOUT,
    YES_NO,
)

MAX_CHARS = 4000
MAX_STATEMENT_CHARS = 1000
LEAST_OWN = 2  # words of a denial that is about something else
PERSON = "you"  # as the speaker: the one whom the source calls "I", and the claim "you"

_EQUATION = re.compile(
    r"(?i)\W*(.+?)\s(?:is|are|was|were|ist|sind|war|est|sont|était|es|son|era|è|sono|é|são|is|zijn|jest|är|er)\s(.+)", re.DOTALL
)


def sentences(text: str) -> list[str]:
    """The sentences of a text, at most MAX_CHARS of it."""
    return [part.strip() for part in SENTENCE.findall(text[:MAX_CHARS]) if part.strip()]


def is_question(text: str) -> bool:
    """Whether a statement asks, or says that someone asks: "What is X", "Ann wants to know where X is"."""
    text = text.strip()
    if text.endswith(("?", "？", "؟", "か。", "吗", "嗎")) or text.startswith("¿") or ASKS.search(text[:MAX_CHARS]):
        return True
    if CONDITIONAL.match(text):
        return False
    language = guess_language(text)
    if language == "en" or not language:
        return ENGLISH_QUESTION.match(text) is not None
    pattern = STARTS_ASKING.get(language)
    return pattern is not None and "," not in text and pattern.match(text) is not None


def is_yes_no_question(sentence: str) -> bool:
    """Whether a sentence only asks whether something is so: it is no evidence of it."""
    if not sentence.rstrip().endswith(("?", "？")) or re.search(r",\s*\S+(?:\s\S+){0,2}\?\s*$", sentence):
        return False  # "I live in Oslo, right?"
    return YES_NO.match(sentence) is not None


def says_nothing(text: str, speakers: frozenset[str]) -> bool:
    """Whether a statement has no content: a greeting, thanks, or that something was not said.  ``speakers``: lower case."""
    if NOTHING.search(text[:MAX_CHARS]) or EMPTY_CJK.match(text):
        return True
    words = {match.group().casefold().strip("'’") for match in re.finditer(r"[^\W_]+", text[:MAX_CHARS])}
    return not any(
        word.isdigit() or (len(word) > 1 and word not in EMPTY_WORDS and word not in speakers and not is_function_word(word))
        for word in words
    )


def is_about_assistant(text: str) -> bool:
    """Whether the statement's subject is the assistant."""
    return BY_ASSISTANT.match(text) is not None


def is_negated(text: str, language: str = "") -> bool | None:
    """Whether a clause denies something.  None: it can be read both ways."""
    if SOFT.search(text):
        return None
    plain = NOT_NEGATED.sub(" ", text)
    if language == "pt":
        plain = NO_IN_PORTUGUESE.sub(" ", plain)
    own = NEGATION_IN.get(language)
    return NEGATION.search(plain) is not None or (own is not None and own.search(plain) is not None)


def clauses(text: str, language: str = "") -> Iterator[str]:
    """The clauses of a text.

    ``language``: they are divided by its conjunctions, and by those of other languages that are no function words of it.
    """
    divide = _clause_pattern(language)
    for sentence in sentences(text):
        yield from (part for part in divide.split(sentence) if part and part.strip())


@lru_cache(maxsize=64)
def _clause_pattern(language: str) -> re.Pattern[str]:
    own = FUNCTION_WORDS.get(language, frozenset())
    others = [word for code, words in CONJUNCTIONS.items() if code != language for word in words.split("|")]
    words = [CONJUNCTIONS.get(language, ""), *(word for word in others if word.isalpha() and word != "a" and word not in own)]
    alternatives = "|".join("(?-i:i)" if word == "i" else word for word in words if word)
    return re.compile(rf"{WITHOUT}|{CLAUSE_MARK}|\b(?:{alternatives})\b", re.IGNORECASE)


def same_polarity(claim: str, sources: list[str], language: str, ignored: frozenset[str]) -> bool:
    """Whether each clause of the claim is asserted or denied as in the clauses of the sources that are most like it.

    ``ignored``: terms that do not count as likeness, such as the speaker's name.
    """
    wanted_terms = _content(claim, language, ignored)
    said = [
        (_content(part, language, ignored), is_negated(part, language))
        for text in sources
        for whole in sentences(text)
        for part in (*clauses(whole, language), whole, _without_denials(whole, wanted_terms, language))
    ]
    for part in list(clauses(claim, language))[:12]:
        wanted, denied = _content(part, language, ignored), is_negated(part, language)
        if denied is None or not wanted:
            continue
        most = max((len(wanted & found) for found, _ in said), default=0)
        like = [other for found, other in said if len(wanted & found) == most]
        if most and denied not in like and None not in like:
            return False
    return True


def _without_denials(sentence: str, wanted: set[str], language: str) -> str:
    """A sentence without a denial at its end that is about something else: ", the weather's not great".

    A denial of two own words or more is; "I'd not touch it" is not, because "it" can be what the claim is about.
    """
    parts = list(clauses(sentence, language))
    while len(parts) > 1 and is_negated(parts[-1], language):
        found = set(_content(parts[-1], language, frozenset()))
        if len(found) < LEAST_OWN or found & wanted or ANAPHORA.search(parts[-1]):
            break
        parts.pop()
    return ", ".join(parts)


def _roles(text: str, me: str, people: set[str], *, takes: bool) -> tuple[set[str], set[str]]:
    """The people who act, and those who are acted on.

    ``people``: lower-case names, and what relatives are.  ``me``: the one who "I" is.  ``takes``: it tells who takes something
    from whom.
    """
    relatives = relative_spans(text, people)
    spans = {
        start: name
        for name, start, end in (*name_spans(text), *relatives)
        if name in people and not re.match(r"['’]s\b", text[end : end + 2])  # "Bob's mother" is not Bob
    }
    beside = {end for _, _, end in relatives}  # of "my sister Eva"
    passive = PASSIVE.search(text[:MAX_STATEMENT_CHARS]) is not None
    acting: set[str] = set()
    affected: set[str] = set()
    before, last, ended = "", None, -1
    for match in TOKEN.finditer(text[:MAX_CHARS]):
        word = match.group().casefold()
        is_me = names_speaker(word) or (me == PERSON and word in ADDRESSED)
        name = me if is_me else spans.get(match.start(), "")
        role: set[str] | None = None
        if word in SUBJECT and me:
            name, role = me, affected if passive else acting
        elif word in OBJECT and me:
            name, role = me, affected
        elif name:
            if ended in beside and last is not None:
                role = last
            elif takes and before in SOURCE_BEFORE:
                role = affected
            elif before in AGENT_BEFORE:
                role = acting if passive else None
            elif before in OBJECT_BEFORE:
                role = affected
            elif before in AND and last is not None:
                role = last
            elif before not in OTHER_BEFORE:
                first = not acting and not (passive and affected)
                role = (affected if passive else acting) if first else affected
        if role is not None and name:
            role.add(name)
            last = role
        before = before if word in ARTICLES or word in POSSESSIVES or word.endswith(("'s", "’s")) else word
        ended = match.end()
    if affected and not acting and me and me not in affected and not passive:
        acting.add(me)  # "Debo dinero a Bob": the verb alone says that the speaker acts
    return acting, affected


def inverts_roles(claim: str, source: str, speaker: str) -> bool:
    """Whether the claim exchanges who acts and who is acted on: "Bob owes Ann" after Ann said "I owe Bob"."""
    if _is_turned(claim, source) or (MUTUAL.search(claim) and MUTUAL.search(source)):
        return False
    me = speaker.casefold().split()[0] if speaker.split() else ""
    people = names(claim) & names(source) | ({me} if me else set())
    takes = _tells_taking(claim) and _tells_taking(source)
    if takes:  # elsewhere a relative may be one of the people named: "Ana is my sister"
        people |= relatives_in(claim) & relatives_in(source)
    acts, affected = _roles(claim, me, people, takes=takes)
    acted, was_affected = _roles(source, me, people, takes=takes)
    if _is_converse(claim, source):
        return bool(acts & acted)
    affected, was_affected = affected | _owners(claim, source, me), was_affected | _owners(source, claim, me)
    return bool(acts & was_affected - acted) and bool(affected & acted - was_affected)


def _owners(text: str, other: str, me: str) -> set[str]:
    """The names before "boss" or "daughter", if ``other`` has a relation of the same direction (not "boss" and "employee")."""
    return {
        me if match["me"] else (match["name"] or match["of"]).casefold()
        for pattern in OWNER
        if pattern.search(other[:MAX_STATEMENT_CHARS])
        for match in pattern.finditer(text[:MAX_STATEMENT_CHARS])
    } - {""}


def _is_converse(claim: str, source: str) -> bool:
    """Whether one says "lent" and the other "borrowed"."""
    return any(
        (one.search(claim) and other.search(source) and not other.search(claim) and not one.search(source))
        or (other.search(claim) and one.search(source) and not one.search(claim) and not other.search(source))
        for one, other in CONVERSE
    )


def _tells_taking(text: str) -> bool:
    return any(taking.search(text) is not None for _, taking in CONVERSE)


def _is_turned(claim: str, source: str) -> bool:
    """Whether one says "A is B" and the other "B is A": "Eva is Tom's boss" and "The boss of Tom is Eva"."""
    one, other = _EQUATION.match(claim[:MAX_STATEMENT_CHARS]), _EQUATION.match(source[:MAX_STATEMENT_CHARS])
    if one is None or other is None:
        return False
    left, right, before, after = ({*terms(each)} for each in (*one.groups(), *other.groups()))
    return _is_within(left, after) and _is_within(right, before)


def _is_within(words: set[str], others: set[str]) -> bool:
    """Whether all words are among the others, with or without the ending of a genitive."""
    return bool(words) and all(any(_is_form(word, other) for other in others) for word in words)


def _is_form(word: str, other: str) -> bool:
    short, long = sorted((word, other), key=len)
    return long.startswith(short) and len(long) - len(short) <= 2


def swaps_sides(claim: str, source: str) -> bool:
    """Whether the claim exchanges the sides of a way or a comparison: "from Bergen to Oslo" for "from Oslo to Bergen"."""
    stated, said = _sides(claim), _sides(source)
    return any(
        word not in said[marker] and word in others and not said[marker].isdisjoint(_words_apart(stated, marker))
        for marker in (stated.keys() & said.keys()) - {""}
        for others in [set(re.findall(r"[^\W_]+", source.casefold()))]
        for word in stated[marker]
    )


def is_rescheduled(text: str) -> bool:
    """Whether the statement gives something another time."""
    return RESCHEDULED.search(text[:MAX_STATEMENT_CHARS]) is not None


def is_one_of_many(text: str) -> bool:
    """Whether the statement speaks of one of several things, such as "has an appointment"."""
    return ONE_OF_MANY.search(text[:MAX_STATEMENT_CHARS]) is not None


def is_event(text: str) -> bool:
    """Whether the statement tells what happened once, rather than what is so."""
    plain = STATE_ED.sub(" ", text[:MAX_STATEMENT_CHARS])
    return EVENT.search(plain) is not None


def is_change(text: str) -> bool:
    """Whether the statement says that something is different from before."""
    return CHANGE.search(text[:MAX_CHARS]) is not None


def says_ceased(text: str) -> bool:
    """Whether the statement says that something has ended."""
    return CEASED.search(text[:MAX_CHARS]) is not None


def frame(text: str) -> str:
    """The attribute that the statement gives a value, if people have one value of it at a time; "" for others."""
    return next((name for name, pattern in FRAMES if pattern.search(text[:MAX_CHARS])), "")


def _sides(text: str) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for match in SIDES.finditer(text[:MAX_STATEMENT_CHARS]):
        found.setdefault(match[1].casefold(), set()).add(match[2].casefold())
    # The side without a marker: "prefers tea over coffee".
    found[""] = set(re.findall(r"[^\W_]+", SIDES.sub(" ", text[:MAX_STATEMENT_CHARS]).casefold()))
    return found


def _words_apart(sides: dict[str, set[str]], marker: str) -> set[str]:
    """The words of all sides except one."""
    return {word for other, words in sides.items() if other != marker for word in words}


def _content(text: str, language: str, ignored: frozenset[str]) -> set[str]:
    return set(terms(NEGATION.sub(" ", text), language)) - ignored
